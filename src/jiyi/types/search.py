"""What a search asks of a store, what it finds, and what it makes of that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from jiyi.types.derived import Source, Step, Vector
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
    """

    terms: Sequence[str] = ()
    model: str = ""
    vector: Vector | None = None
    where: Filter = ACTIVE
    best: int = 100
    postings: int = 1000
    step: Step | None = None


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
        return _words(term for term in self.asked if term in self.terms)

    @property
    def why(self) -> str:
        """One line: relevance, words, and in brackets the parts of the score, the largest first."""
        said = f"relevance {self.relevance:.2f}"
        if words := self.words:
            said += f", has {' '.join(words)}"
        parts = ", ".join(f"{name} {value:+.2f}" for name, value in self._parts())
        return f"{said} ({parts})" if parts else said

    def explain(self) -> str:
        """Why it came back, for people: relevance against the floor, the score by parts, words, speaker and date."""
        lines = [f"relevance {self.relevance:.2f}, floor {self.floor:.2f}", f"score {self.score:.2f}"]
        parts = self._parts()
        wide = max((len(name) for name, _ in parts), default=0)
        lines += [f"  {value:+6.2f}  {name:{wide}}  {SCORE_PARTS.get(name, '')}".rstrip() for name, value in parts]
        if self.asked:
            missing = _words(term for term in self.asked if term not in self.terms)
            lines.append(f"words of the question: {' '.join(self.words) or 'none'}")
            lines[-1] += f"; not there: {' '.join(missing)}" if missing else ""
        message = self.message
        said = f"{message.created_at:%Y-%m-%d %H:%M}" if message.created_at else "at an unknown time"
        place = f"in session {message.session_id}" if message.session_id else f"as a {message.kind}"
        return "\n".join([*lines, f"said {said} by {message.name or message.role} {place}"])

    def _parts(self) -> list[tuple[str, float]]:
        return sorted(self.parts.items(), key=lambda part: -abs(part[1]))


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
