"""Finds messages: gathers candidates from both indexes of a store and has them ranked."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest

from jiyi.copies import origin
from jiyi.errors import MissingDependency
from jiyi.indexing import LEXICAL, is_indexed, lexical_entry
from jiyi.ports import Embedder, Store
from jiyi.ranking import DEFAULT, Ranked, bm25, rank
from jiyi.text import query_terms
from jiyi.types import Dense, Filter, Hit, Lexical, Message, Scope, Vector

CANDIDATES = 100
"""How many of the best of each index are ranked closely, at least; with their neighbours in the log."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a search is asked for.

    Attributes:
        k: hits at most.
        where: None for everything the scope has on active paths.
        floor: least relevance; None for the calibrated default, 0 for no floor.
        neighbours: messages to bring along from before and after each hit.
        exclude: origins (``copies.origin``) of messages that are not to come back.
    """

    k: int = 10
    where: Filter | None = None
    floor: float | None = None
    neighbours: int = 0
    exclude: Collection[str] = frozenset()


log = logging.getLogger("jiyi.search")

POSTINGS = 1000
"""Messages with a word of the question that are looked at, rarest words first; common words alone tell little."""


class Searcher:
    """Searches a store, with an embedder where there is one."""

    def __init__(self, store: Store, embedder: Embedder | None) -> None:
        self.store = store
        self.embedder = embedder

    async def search(self, scope: Scope, query: str, wanted: Wanted) -> list[Hit]:
        """The messages that answer ``query``, best first; an empty query or k = 0 gives none.

        Sees every message that the store has acknowledged: those not indexed yet are looked through directly.
        """
        if wanted.k <= 0 or not query.strip():
            return []
        terms = query_terms(query)
        vector = await self._vector(query)
        left = frozenset(await self.store.seqs(scope, Filter(active=False)))
        pool = None if wanted.where is None else frozenset(await self.store.seqs(scope, wanted.where))
        lexical = await self._lexical(scope, terms, wanted, pool, len(left))
        dense = await self._dense(scope, vector, wanted, pool, left)
        words = bm25(lexical, terms)
        found = words.keys() - left if pool is None else pool & words.keys()
        chosen = set(nlargest(_breadth(wanted), found, key=lambda seq: (words[seq], seq))) | set(dense.hits)
        candidates = await self._candidates(scope, chosen)
        dense = await self._complete(scope, vector, dense, candidates)
        ranked = rank(query, candidates, lexical, dense if vector is not None else None, words=words)
        return await self._hits(scope, ranked, chosen, wanted)

    async def _vector(self, query: str) -> Vector | None:
        """The question's vector; None without an embedder, or when it fails: full text alone still serves."""
        if self.embedder is None:
            return None
        try:
            return await self.embedder.embed_query(query)
        except MissingDependency:
            raise
        except Exception as error:
            log.warning("%s could not embed a question (%s); searching by full text", self.embedder.name, error)
            return None

    async def _lexical(
        self, scope: Scope, terms: Sequence[str], wanted: Wanted, pool: frozenset[int] | None, left: int
    ) -> Lexical:
        # the cursor first: what the worker indexes meanwhile is then seen twice rather than not at all
        done = (await self.store.cursors(scope, [LEXICAL])).get(LEXICAL.name, 0)
        seqs = None if pool is None else sorted(pool)
        lexical = await self.store.lexical(scope, terms, limit=max(POSTINGS, 4 * wanted.k) + left, seqs=seqs)
        fresh = await self.store.messages(scope, Filter(after_seq=done, active=None))
        unseen = [message for message in fresh if message.seq not in lexical.hits and is_indexed(message)]
        return with_fresh(lexical, terms, unseen)

    async def _dense(
        self,
        scope: Scope,
        vector: Vector | None,
        wanted: Wanted,
        pool: frozenset[int] | None,
        left: frozenset[int],
    ) -> Dense:
        """The messages nearest in meaning, of the pool or of all active paths."""
        if vector is None or self.embedder is None:
            return Dense()
        name, breadth = self.embedder.name, _breadth(wanted)
        if pool is None:
            dense = await self.store.dense(scope, name, vector, limit=breadth + len(left))
        else:
            dense = await self.store.dense(scope, name, vector, seqs=sorted(pool))
        best = nlargest(breadth, dense.hits.keys() - left, key=lambda seq: (dense.hits[seq], seq))
        return replace(dense, hits={seq: dense.hits[seq] for seq in best})

    async def _candidates(self, scope: Scope, chosen: set[int]) -> list[Message]:
        """The chosen messages and those beside them in their sessions, whose scores lend them support.

        What stands beside a message in its session mostly stands beside it in the log; where sessions were written at
        the same time, the message before it is looked up, and the one after it does without.
        """
        around = {seq + step for seq in chosen for step in (-1, 0, 1)}
        messages = await self.store.messages(scope, Filter(seqs=tuple(sorted(around))))
        known = {message.id for message in messages}
        parents = {m.parent_id for m in messages if m.seq in chosen and m.parent_id and m.parent_id not in known}
        if parents:
            messages += await self.store.messages(scope, Filter(ids=tuple(sorted(parents))))
        return [message for message in messages if is_indexed(message)]

    async def _complete(
        self, scope: Scope, vector: Vector | None, dense: Dense, candidates: Sequence[Message]
    ) -> Dense:
        missing = [message.seq for message in candidates if message.seq not in dense.hits]
        if vector is None or self.embedder is None or not missing:
            return dense
        rest = await self.store.dense(scope, self.embedder.name, vector, seqs=missing)
        return replace(dense, hits={**dense.hits, **rest.hits})

    async def _hits(self, scope: Scope, ranked: Sequence[Ranked], chosen: set[int], wanted: Wanted) -> list[Hit]:
        floor = DEFAULT.floor if wanted.floor is None else wanted.floor
        seen, best = set(wanted.exclude), list[Ranked]()
        for found in ranked:
            first = origin(found.message)  # of a message and its copies in forks, the best alone
            if found.message.seq in chosen and found.relevance >= floor and first not in seen:
                seen.add(first)
                best.append(found)
            if len(best) == wanted.k:
                break
        around = await self._around(scope, [found.message for found in best], wanted.neighbours)
        return [
            Hit(
                score=found.score,
                relevance=found.relevance,
                message=found.message,
                parts=found.parts,
                before=tuple(
                    m
                    for m in around.get(found.message.session_id, ())
                    if 0 < found.message.position - m.position <= wanted.neighbours
                ),
                after=tuple(
                    m
                    for m in around.get(found.message.session_id, ())
                    if 0 < m.position - found.message.position <= wanted.neighbours
                ),
            )
            for found in best
        ]

    async def _around(self, scope: Scope, messages: Sequence[Message], reach: int) -> Mapping[str, Sequence[Message]]:
        if reach <= 0:
            return {}
        sessions = dict.fromkeys(message.session_id for message in messages if message.session_id)
        return {name: await self.store.messages(scope, Filter(session_id=name)) for name in sessions}


def _breadth(wanted: Wanted) -> int:
    return max(CANDIDATES, wanted.k)


def with_fresh(lexical: Lexical, terms: Sequence[str], fresh: Sequence[Message]) -> Lexical:
    """The same statistics with messages that are not indexed yet counted in."""
    if not fresh:
        return lexical
    frequency, hits = Counter(dict(lexical.frequency)), dict(lexical.hits)
    length = lexical.mean_length * lexical.documents
    for message in fresh:
        entry = lexical_entry(message)
        length += entry.length
        found = {term: count for term in terms if (count := _occurrences(term, entry.terms))}
        frequency.update(found.keys())
        if found:
            hits[message.seq] = (entry.length, found)
    documents = lexical.documents + len(fresh)
    return Lexical(documents, length / documents, dict(frequency), hits)


def _occurrences(term: str, terms: Mapping[str, int]) -> int:
    if term.endswith("*"):
        return sum(count for found, count in terms.items() if found.startswith(term[:-1]))
    return terms.get(term, 0)
