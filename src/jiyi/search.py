"""Finds messages and records: asks a store for candidates, all in one look, and has them ranked."""

from __future__ import annotations

import asyncio
import copy
import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from jiyi.bm25 import idf
from jiyi.copies import once, origin
from jiyi.errors import MissingDependency
from jiyi.indexable import as_message
from jiyi.indexing import LEXICAL
from jiyi.ports import Clock, Embedder, Store
from jiyi.ranking import Ranked, rank, standing
from jiyi.text import query_terms
from jiyi.types import (
    ACTIVE,
    Filter,
    Found,
    FoundRecords,
    Hit,
    Lexical,
    Message,
    Probe,
    RecordHit,
    RecordProbe,
    Scope,
    Vector,
)
from jiyi.weights import DEFAULT, Weights

CANDIDATES = 100
"""How many of the best of each index are ranked closely, at least; with their neighbours in the log."""

RECORD_CANDIDATES, RECORD_POSTINGS = 50, 300
"""The same, and ``POSTINGS``, for records: they are fewer, and have no neighbours."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a search is asked for.

    Attributes:
        k: hits at most.
        where: which messages; unless said otherwise, everything the scope has on active paths.
        floor: least relevance; None for that of the weights, 0 for no floor.
        neighbours: messages to bring along from before and after each hit.
        exclude: origins (``copies.origin``) of messages that are not to come back.
    """

    k: int = 10
    where: Filter = ACTIVE
    floor: float | None = None
    neighbours: int = 0
    exclude: Collection[str] = frozenset()


@dataclass(frozen=True, slots=True)
class WantedRecords:
    """What a search in what was derived is asked for.

    Attributes:
        k: hits at most.
        kinds: one of these; None for every kind.
        current, as_of: as in ``Which``.
        floor: as in ``Wanted``.
    """

    k: int = 10
    kinds: Sequence[str] | None = None
    current: bool | None = True
    as_of: datetime | None = None
    floor: float | None = None


log = logging.getLogger("jiyi.search")

POSTINGS = 1000
"""Messages with a word of the question whose BM25 is taken, rarest words first; common words alone tell little."""

_NO_WORDS = (0, dict[str, int]())


class Searcher:
    """Searches a store, with an embedder where there is one, and ranks by these weights."""

    def __init__(
        self, store: Store, embedder: Embedder | None, clock: Clock, weights: Weights = DEFAULT
    ) -> None:  # fmt: skip
        self.store = store
        self.embedder = embedder
        self.clock = clock
        self.weights = weights
        self._asked: dict[str, asyncio.Future[Vector | None]] | None = None

    def sharing(self) -> Searcher:
        """The same for one read: what is asked several times, in messages and in records, is embedded once."""
        shared = copy.copy(self)
        shared._asked = {}
        return shared

    async def search(self, scope: Scope, query: str, wanted: Wanted) -> list[Hit]:
        """The messages that answer ``query``, best first; k = 0 or a query without a word or an emoji gives none.

        Sees every message that the store has acknowledged, whether it is indexed already or not.
        """
        if wanted.k <= 0 or not query_terms(query):
            return []
        found = _without(await self.look(scope, query, wanted), frozenset(wanted.exclude))
        ranked = rank(query, found, self.clock.now(), model=self.model, weights=self.weights)
        return await self._hits(scope, ranked, found.lexical, wanted)

    async def records(self, scope: Scope, query: str, wanted: WantedRecords) -> list[RecordHit]:
        """The derived records that answer ``query``, best first, ranked as messages outside any session are."""
        if wanted.k <= 0 or not (terms := query_terms(query)):
            return []
        probe = RecordProbe(
            terms=terms,
            model=self.model,
            vector=await self._vector(query),
            kinds=wanted.kinds,
            current=wanted.current,
            as_of=wanted.as_of,
            best=max(RECORD_CANDIDATES, wanted.k),
            postings=max(RECORD_POSTINGS, 4 * wanted.k),
        )
        found = await self.store.find_records(scope, probe)
        ranked = rank(query, _as_found(found), self.clock.now(), model=self.model, weights=self.weights)
        floor = self.weights.floor if wanted.floor is None else wanted.floor
        best = islice((one for one in ranked if one.relevance >= floor), wanted.k)
        asked = idf(found.lexical, found.lexical.frequency)
        return [
            RecordHit(
                score=one.score,
                relevance=one.relevance,
                record=found.records[one.message.seq],
                parts=one.parts,
                terms=found.lexical.hits.get(one.message.seq, _NO_WORDS)[1],
                asked=asked,
                floor=floor,
            )
            for one in best
        ]

    @property
    def model(self) -> str:
        """Whose cosines they are; "" without an embedder."""
        return self.embedder.name if self.embedder is not None else ""

    async def look(self, scope: Scope, query: str, wanted: Wanted) -> Found:
        """What the store has for a query, before anything is ranked."""
        terms = query_terms(query)
        vector = await self._vector(query)
        probe = Probe(
            terms=terms,
            model=self.model,
            vector=vector,
            where=wanted.where,
            best=max(CANDIDATES, wanted.k),
            postings=max(POSTINGS, 4 * wanted.k),
            step=LEXICAL,
        )
        return await self.store.find(scope, probe)

    async def _vector(self, query: str) -> Vector | None:
        """The question's vector; None without an embedder, or when it fails: full text alone still serves."""
        if self._asked is None:
            return await self._embedded(query)
        if query not in self._asked:
            self._asked[query] = asyncio.ensure_future(self._embedded(query))
        return await asyncio.shield(self._asked[query])  # one that is given up does not take it from the others

    async def _embedded(self, query: str) -> Vector | None:
        if self.embedder is None:
            return None
        try:
            return await self.embedder.embed_query(query)
        except MissingDependency:
            raise
        except Exception as error:
            log.warning("%s could not embed a question (%s); searching by full text", self.embedder.name, error)
            return None

    async def _hits(
        self, scope: Scope, ranked: Iterable[Ranked], lexical: Lexical, wanted: Wanted
    ) -> list[Hit]:  # fmt: skip
        floor = self.weights.floor if wanted.floor is None else wanted.floor
        fitting = (found for found in ranked if found.relevance >= floor)
        best = once(fitting, lambda found: found.message, wanted.k)
        around = await self._around(scope, [found.message for found in best], wanted.neighbours)
        asked = idf(lexical, lexical.frequency)
        return [
            Hit(
                score=found.score,
                relevance=found.relevance,
                message=found.message,
                parts=found.parts,
                before=tuple(m for m in around(found.message) if m.position < found.message.position),
                after=tuple(m for m in around(found.message) if m.position > found.message.position),
                terms=lexical.hits.get(found.message.seq, _NO_WORDS)[1],
                asked=asked,
                floor=floor,
            )
            for found in best
        ]

    async def _around(
        self, scope: Scope, messages: Sequence[Message], reach: int
    ) -> Callable[[Message], Iterable[Message]]:  # fmt: skip
        """Gives those up to ``reach`` before and after each message on its session's path, all read in one look."""
        near = stretches(messages, reach) if reach > 0 else ()
        read = await self.store.messages(scope, Filter(stretches=near)) if near else []
        by_session = defaultdict[str, list[Message]](list)
        for message in sorted(read, key=lambda message: message.position):
            by_session[message.session_id].append(message)

        def around(message: Message) -> Iterable[Message]:
            beside = by_session.get(message.session_id, ())
            return (other for other in beside if abs(other.position - message.position) <= reach)

        return around


def _without(found: Found, barred: Set[str]) -> Found:
    """The same without some candidates: a question that was stored would be the best answer to itself, and have others
    come in beside it.
    """
    if not barred:
        return found
    return replace(found, messages={seq: m for seq, m in found.messages.items() if origin(m) not in barred})


def _as_found(found: FoundRecords) -> Found:
    """Records as messages outside any session, which have nobody beside them."""
    messages = {seq: as_message(found.records[seq]) for seq in sorted(found.records)}
    places = standing(list(messages.values()), {})
    return Found(found.words, found.lexical, found.dense, messages, places, found.near)


def stretches(messages: Iterable[Message], reach: int) -> tuple[tuple[str, int, int], ...]:
    """The parts of their sessions (``Filter.stretches``) up to ``reach`` before and after some messages."""
    found = ((m.session_id, max(1, m.position - reach), m.position + reach) for m in messages if m.session_id)
    return tuple(dict.fromkeys(found))
