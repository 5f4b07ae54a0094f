"""The words of one search in SQLite: BM25, posting list by posting list, with what is not indexed yet."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import filterfalse, islice
from operator import add

from jiyi.bm25 import K1, B, idf
from jiyi.indexable import is_indexed, lexical_entry, occurrences
from jiyi.stores import cursors, filters, postings
from jiyi.stores.kept import Kept, State
from jiyi.stores.rows import SEQ_MASK, key_of
from jiyi.types import KINDS, Filter, Indexed, Lexical, Probe, Step


class _Weights(dict[tuple[int, int], float]):
    """(Length of a message, times that it has a term) -> what that adds.  These are few: looking up beats dividing."""

    def __init__(self, gain: float, flat: float, slope: float) -> None:
        self._gain, self._flat, self._slope = gain, flat, slope
        super().__init__()

    def __missing__(self, key: tuple[int, int]) -> float:
        length, times = key
        weight = self[key] = self._gain * times / (times + (self._flat + self._slope * length))
        return weight


class Wording:
    """Statistics and scores for a probe's terms.

    Attributes:
        words: seq -> BM25, the same as ``bm25.bm25`` gives.
    """

    def __init__(
        self, db: sqlite3.Connection, state: State, kept: Kept, probe: Probe, among: Set[int] | None, barred: Set[int]
    ) -> None:  # fmt: skip
        self._db, self._state, self._kept = db, state, kept
        self._among, self._barred = among, barred
        self._fresh = {} if probe.step is None else _fresh(db, state, kept, probe.step)
        terms = list(dict.fromkeys(term for term in probe.terms if term))
        self._lists = {
            term: (_among_fresh(self._fresh, term), postings.occurrences(db, state, kept, term)) for term in terms
        }
        documents = state.documents + len(self._fresh)
        length = state.terms + sum(entry.length for entry in self._fresh.values())
        frequency = {term: len(new) + len(old) for term, (new, old) in self._lists.items()}
        self._statistics = Lexical(documents, length / documents if documents else 0.0, frequency)
        self.words = self._score(max(0, probe.postings))

    def lexical(self, seqs: Set[int]) -> Lexical:
        """The statistics, with these messages as hits as far as they have a score."""
        scored = self.words.keys() & seqs
        ordered = sorted(scored)
        found: dict[int, dict[str, int]] = {seq: {} for seq in ordered}
        for term, lists in self._lists.items():
            for times in lists:
                for seq in _both(scored, times):
                    found[seq][term] = times[seq]
        hits = {seq: (length, found[seq]) for seq, length in zip(ordered, self._lengths(ordered), strict=True)}
        return replace(self._statistics, hits=hits)

    def _score(self, room: int) -> dict[int, float]:
        """Term by term, the rarest first: those that are in already get more, and new ones come in while there is room.

        Takes the sum of ``bm25.bm25`` in another order, which saves a dictionary for every message.
        """
        found = self._statistics
        gains = {term: value * (K1 + 1) for term, value in idf(found, found.frequency).items()}
        flat, slope = K1 * (1 - B), K1 * B / (found.mean_length or 1.0)
        scores = dict[int, float]()
        for term in sorted(gains, key=lambda term: (found.frequency[term], term)):
            weights = _Weights(gains[term], flat, slope)
            for times in self._lists[term]:
                known = _both(scores, times)
                more = map(add, map(scores.__getitem__, known), self._weigh(known, times, weights))
                scores.update(zip(known, more, strict=True))
                if room and times:
                    new = list(islice(self._open(times, scores), room))
                    room -= len(new)
                    scores.update(zip(new, self._weigh(new, times, weights), strict=True))
        return scores

    def _weigh(self, seqs: Sequence[int], times: Mapping[int, int], weights: _Weights) -> Iterator[float]:
        """What a term adds to messages that have it."""
        counts = map(times.__getitem__, seqs)
        return map(weights.__getitem__, zip(self._lengths(seqs), counts, strict=True))

    def _open(self, times: Mapping[int, int], scores: Mapping[int, float]) -> Iterator[int]:
        """The messages of a list that may come in, newest first."""
        among, barred = self._among, self._barred
        if among is not None:
            return (seq for seq in reversed(times) if seq in among and seq not in scores)  # pyright: ignore
        if barred:
            return (seq for seq in reversed(times) if seq not in barred and seq not in scores)  # pyright: ignore
        return filterfalse(scores.__contains__, reversed(times))  # pyright: ignore

    def _lengths(self, seqs: Sequence[int]) -> list[int]:
        fresh = self._fresh
        if not fresh or fresh.keys().isdisjoint(seqs):
            return postings.lengths(self._db, self._state, self._kept, seqs)
        old = [seq for seq in seqs if seq not in fresh]
        known = dict(zip(old, postings.lengths(self._db, self._state, self._kept, old), strict=True))
        return [known[seq] if seq in known else fresh[seq].length for seq in seqs]


def _both(some: Collection[int], times: Mapping[int, int]) -> list[int]:
    """What is in both; goes through the smaller one."""
    return list(filter(times.__contains__, some) if len(some) < len(times) else filter(some.__contains__, times))


def _among_fresh(fresh: Mapping[int, Indexed], term: str) -> dict[int, int]:
    return {seq: times for seq, entry in fresh.items() if (times := occurrences(term, entry.terms))}


def _fresh(db: sqlite3.Connection, state: State, kept: Kept, step: Step) -> dict[int, Indexed]:
    """What the step has yet to index, and is not in the index of an older version either."""
    done = cursors.after(db, state.key, step)
    if done >= state.head:
        kept.forget_fresh(state.head)
        return {}
    if done < kept.fresh_after:
        kept.forget_fresh(done)
    start = max(done, kept.fresh_to)
    if start < state.head:
        span = key_of(state.key, start), key_of(state.key, SEQ_MASK)
        old = {key & SEQ_MASK for (key,) in db.execute("SELECT key FROM indexed WHERE key > ? AND key <= ?", span)}
        new = filters.matching(db, state.key, Filter(after_seq=start, active=None, kinds=KINDS), None, newest=False)
        kept.learn_fresh([lexical_entry(m) for m in new if m.seq not in old and is_indexed(m)], state.head)
    kept.fresh_after = done
    return {seq: entry for seq, entry in kept.fresh.items() if done < seq <= state.head}
