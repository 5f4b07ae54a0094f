"""What a search asks of a store, what it finds, and what it makes of that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from jiyi.types.derived import Record, Source, Step, Vector
from jiyi.types.log import ACTIVE, Filter, Message


@dataclass(frozen=True, slots=True)
class Lexical:
    """Term statistics of one scope's index, and the candidates for a query.

    Attributes:
        documents: messages that were counted.
        mean_length: their mean length in terms.
        frequency: query term -> number of messages that have it (a query term that ends in ``*`` stands for
            all terms with that beginning); without "".
        hits: seq -> (length, {query term: times it occurs}), in seq order.
    """

    documents: int = 0
    mean_length: float = 0.0
    frequency: Mapping[str, int] = field(default_factory=dict[str, int])
    hits: Mapping[int, tuple[int, Mapping[str, int]]] = field(default_factory=dict[int, tuple[int, Mapping[str, int]]])


@dataclass(frozen=True, slots=True)
class Dense:
    """Result of a scan over one scope's vectors.

    Attributes:
        hits: seq -> best cosine of the message's chunks, in -1..1; best first, ties by seq.
        scanned: messages with a vector.
        mean, deviation: of the cosines over the whole scan, so that scores can be standardised.
    """

    hits: Mapping[int, float] = field(default_factory=dict[int, float])
    scanned: int = 0
    mean: float = 0.0
    deviation: float = 0.0


@dataclass(frozen=True, slots=True)
class Probe:
    """What a search wants to know of a scope.

    Attributes:
        terms: index terms of the question; one that ends in ``*`` stands for all that begin like it.
        model, vector: its embedding, a unit vector, and who made it; None to look at words alone.
        where: which messages may be found; the statistics are those of the whole scope all the same.
        best: candidates of each index.
        postings: messages with one of the terms whose BM25 is taken: those with the rarest terms (ties by term), of
            one term the newest.
        step: what indexes the words.  The messages behind its cursor that are not in the index yet are looked through
            and count as if they were.  None for what is in the index alone.
        dense: what an index elsewhere found for ``vector``, with its statistics: taken instead of a scan.  The best
            ``best`` of its hits count that may be found and are there; ``Found.near`` is then left empty.
    """

    terms: Sequence[str] = ()
    model: str = ""
    vector: Vector | None = None
    where: Filter = ACTIVE
    best: int = 100
    postings: int = 1000
    step: Step | None = None
    dense: Dense | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """Where some messages stand, as columns: what ranking needs to know of candidates and of those beside them.

    Attributes:
        sessions: equal within a session; 0 outside any.
        parents: seq of the message before it in its session, 0 for none.
        sizes: UTF-8 bytes of the text.
        asks: whether the text ends in a question (``text.asks``), as 0 or 1.
    """

    seqs: Sequence[int] = ()
    sessions: Sequence[int] = ()
    parents: Sequence[int] = ()
    sizes: Sequence[int] = ()
    asks: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What a scope has for a probe, all of one moment.

    Attributes:
        words: seq -> BM25 (``bm25.bm25``) of up to ``Probe.postings`` messages.
        lexical: term statistics, with the best of these messages as hits.
        dense: the nearest messages, with the statistics of all.
        messages: the candidates by seq: all that were best by words or by meaning.
        standing: the candidates and the active messages beside them, before and after in the log and the one before in
            the session, as far as they are ``indexable``; in seq order.
        near: cosines of those in ``standing`` that are not among the nearest, as far as they have a vector.
    """

    words: Mapping[int, float] = field(default_factory=dict[int, float])
    lexical: Lexical = Lexical()
    dense: Dense = Dense()
    messages: Mapping[int, Message] = field(default_factory=dict[int, Message])
    standing: Standing = Standing()
    near: Mapping[int, float] = field(default_factory=dict[int, float])


@dataclass(frozen=True, slots=True)
class RecordProbe:
    """What a search wants to know of the records of a scope.

    Attributes:
        terms, model, vector: as in ``Probe``.
        kinds: one of these; None for every kind.
        current, as_of: as in ``Which``.
        best: candidates by words, and by meaning.
        postings: as in ``Probe``, of records.
    """

    terms: Sequence[str] = ()
    model: str = ""
    vector: Vector | None = None
    kinds: Sequence[str] | None = None
    current: bool | None = True
    as_of: datetime | None = None
    best: int = 50
    postings: int = 300


@dataclass(frozen=True, slots=True)
class FoundRecords:
    """What a scope has for a probe of its records, all of one moment, by ``Record.seq``.  The statistics are those of
    all records with a text, and of no message.

    Attributes:
        words: seq -> BM25 (``bm25.bm25``) of up to ``RecordProbe.postings`` records.
        lexical: term statistics, with the best of these records as hits.
        dense: the nearest records, with the statistics of all.
        records: the candidates: all that were best by words or by meaning.
        near: cosines of candidates that are not among the nearest, as far as they have a vector.
    """

    words: Mapping[int, float] = field(default_factory=dict[int, float])
    lexical: Lexical = Lexical()
    dense: Dense = Dense()
    records: Mapping[int, Record] = field(default_factory=dict[int, Record])
    near: Mapping[int, float] = field(default_factory=dict[int, float])


@dataclass(frozen=True, slots=True)
class Hit:
    """One message that a search brought back.

    Attributes:
        score: higher is better; comparable within one search.
        relevance: 0..1, comparable between searches; the floor applies to it.
        parts: what the score is made of, by name (``dense``, ``words``, ``neighbours``…); they add up to it.
        terms: the question's index terms that the message has -> how often.
        asked: all the question's terms -> what each tells (``bm25.idf``); the same mapping for all hits of a search.
        floor: the relevance floor of the search.
    """

    score: float
    relevance: float
    message: Message
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    before: tuple[Message, ...] = ()
    after: tuple[Message, ...] = ()
    terms: Mapping[str, int] = field(default_factory=dict[str, int])
    asked: Mapping[str, float] = field(default_factory=dict[str, float])
    floor: float = 0.0

    @property
    def kind(self) -> str:
        return self.message.kind

    @property
    def text(self) -> str:
        return self.message.text

    @property
    def sources(self) -> tuple[Source, ...]:
        return (Source(self.message.id),)

    @property
    def words(self) -> list[str]:
        """The question's words that the message has, as the index has them: English stems, joined Chinese pairs."""
        return _shared(self)

    @property
    def why(self) -> str:
        """One line: relevance, words, and in brackets the parts of the score, the largest first."""
        return _why(self)

    def explain(self) -> str:
        """Why it came back, for people: relevance against the floor, the score by parts, words, speaker and date."""
        message = self.message
        place = f"in session {message.session_id}" if message.session_id else f"as a {message.kind}"
        said = f"said {_when(message.created_at)} by {message.name or message.role} {place}"
        return "\n".join([*_account(self), said])


@dataclass(frozen=True, slots=True)
class RecordHit:
    """One derived record that a search brought back; see ``Hit``.

    Attributes:
        score: higher is better; comparable within one search.
        relevance: 0..1, comparable between searches; the floor applies to it.
        parts, terms, asked, floor: as in ``Hit``.
    """

    score: float
    relevance: float
    record: Record
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    terms: Mapping[str, int] = field(default_factory=dict[str, int])
    asked: Mapping[str, float] = field(default_factory=dict[str, float])
    floor: float = 0.0

    @property
    def kind(self) -> str:
        return self.record.kind

    @property
    def text(self) -> str:
        return self.record.text

    @property
    def sources(self) -> tuple[Source, ...]:
        return self.record.sources

    @property
    def words(self) -> list[str]:
        """The question's words that the record has, as the index has them."""
        return _shared(self)

    @property
    def why(self) -> str:
        """One line, as of a message."""
        return _why(self)

    def explain(self) -> str:
        """Why it came back, for people; the last line says what made the record, and of how many messages."""
        record = self.record
        made = f"{record.kind} by {record.strategy}, of {len(record.sources)} messages, said {_when(record.said_at)}"
        return "\n".join([*_account(self), made if record.closed_at is None else f"{made}; no longer current"])


SCORE_PARTS: Mapping[str, str] = {
    "dense": "how near it is in meaning",
    "words": "words it shares with the question",
    "neighbours": "what the messages before and after it lend it",
    "session": "what its session lends it",
    "speaker": "whether it is of the speaker whom the question names",
    "date": "whether it was said at the time that the question names",
    "role": "whether it is of the one whose words the question asks for",
    "alone": "the lift of a fact that stands by its meaning alone",
    "spread": "what is taken off because its session has better ones",
}
"""Parts of a score in words; one that is not here goes by its name."""


def _words(terms: Iterable[str]) -> list[str]:
    """Index terms for people: pairs of characters that overlap are joined, and the mark of a beginning goes."""
    words: list[str] = []
    pair = False
    for term in terms:
        word = term.removesuffix("*")
        joins = pair and len(word) == 2 and not word.isascii() and words[-1][-1] == word[0]
        pair = len(word) == 2 and not word.isascii()
        if joins:
            words[-1] += word[1]
        else:
            words.append(word)
    return words


def _shared(hit: Hit | RecordHit) -> list[str]:
    return _words(term for term in hit.asked if term in hit.terms)


def _why(hit: Hit | RecordHit) -> str:
    said = f"relevance {hit.relevance:.2f}"
    if words := hit.words:
        said += f", has {' '.join(words)}"
    parts = ", ".join(f"{name} {value:+.2f}" for name, value in _parts(hit))
    return f"{said} ({parts})" if parts else said


def _account(hit: Hit | RecordHit) -> list[str]:
    lines = [f"relevance {hit.relevance:.2f}, floor {hit.floor:.2f}", f"score {hit.score:.2f}"]
    parts = _parts(hit)
    wide = max((len(name) for name, _ in parts), default=0)
    lines += [f"  {value:+6.2f}  {name:{wide}}  {SCORE_PARTS.get(name, '')}".rstrip() for name, value in parts]
    if hit.asked:
        missing = _words(term for term in hit.asked if term not in hit.terms)
        lines.append(f"words of the question: {' '.join(hit.words) or 'none'}")
        lines[-1] += f"; not there: {' '.join(missing)}" if missing else ""
    return lines


def _parts(hit: Hit | RecordHit) -> list[tuple[str, float]]:
    return sorted(hit.parts.items(), key=lambda part: -abs(part[1]))


def _when(said: datetime | None) -> str:
    return f"{said:%Y-%m-%d %H:%M}" if said else "at an unknown time"
