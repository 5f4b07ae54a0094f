"""What a search asks of a store, what it finds, and what it makes of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    """

    seqs: Sequence[int] = ()
    sessions: Sequence[int] = ()
    parents: Sequence[int] = ()
    sizes: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What a scope has for a probe, all of one moment.

    Attributes:
        words: seq -> BM25 (``ranking.bm25``) of up to ``Probe.postings`` messages.
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
        parts: what the score is made of, by name (``dense``, ``words``, ``neighbours``…); they add up to it.
        relevance: 0..1, comparable between searches; the floor applies to it.
    """

    score: float
    relevance: float
    message: Message
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    before: tuple[Message, ...] = ()
    after: tuple[Message, ...] = ()

    @property
    def kind(self) -> str:
        return self.message.kind

    @property
    def text(self) -> str:
        return self.message.text

    @property
    def sources(self) -> tuple[Source, ...]:
        return (Source(self.message.id),)
