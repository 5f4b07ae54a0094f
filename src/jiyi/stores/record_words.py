"""The derived records of a scope as a search sees them, held in memory: their words, and what a probe may ask of them.

They are some hundreds, at most some thousands, so their terms are made when they are read first.  Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from itertools import islice
from typing import NamedTuple

from jiyi.types import Indexed, Lexical, RecordProbe


class Told(NamedTuple):
    """A record beside its words; times as numbers."""

    seq: int
    kind: str
    said: int | None
    closed: int | None


class RecordWords:
    """Posting lists over the records that are shown, by seq.

    Attributes:
        generation, head: what is known is true for these of the scope.
        size: about the number of entries in the lists and columns.
    """

    def __init__(self) -> None:
        self.generation = self.head = -1
        self.size = 0
        self._told: dict[int, Told] = {}
        self._lengths: dict[int, int] = {}
        self._lists: dict[str, dict[int, int]] = {}  # oldest first, with records that are gone
        self._gone = False
        self._among: dict[tuple[tuple[str, ...] | None, bool | None], frozenset[int]] = {}

    def show(self, told: Iterable[Told]) -> list[int]:
        """Makes these, in seq order, the records that are shown; gives back those whose words have yet to be added."""
        self._told = {one.seq: one for one in told}
        self._among = {}
        new = [seq for seq in self._told if seq not in self._lengths]
        gone = len(self._lengths) - (len(self._told) - len(new))
        if gone > len(self._told) or (new and self._lengths and new[0] < max(self._lengths)):
            self._lengths, self._lists = {}, {}  # mostly of what is gone, or a look at an older state
            new, gone, self.size = list(self._told), 0, 0
        self._gone = gone > 0
        return new

    def show_more(self, told: Iterable[Told]) -> list[int]:
        """Shows records that came after those that are shown; gives back their seqs."""
        new = {one.seq: one for one in told}
        self._told |= new
        self._among = {}
        return list(new)

    def add(self, entries: Iterable[Indexed]) -> None:
        """Adds the words of records, in seq order."""
        lists = self._lists
        for entry in entries:
            self._lengths[entry.seq] = entry.length
            self.size += len(entry.terms) + 1
            for term, times in entry.terms.items():
                if (found := lists.get(term)) is None:
                    found = lists[term] = {}
                found[entry.seq] = times

    def among(self, probe: RecordProbe, as_of: int | None) -> Set[int]:
        """The records that a probe asks for; ``as_of`` as a number."""
        kinds = None if probe.kinds is None else tuple(probe.kinds)
        fitting = (one for one in self._told.values() if kinds is None or one.kind in kinds)
        if as_of is not None:
            return {
                one.seq
                for one in fitting
                if (one.said is None or one.said <= as_of) and (one.closed is None or one.closed > as_of)
            }
        if (found := self._among.get((kinds, probe.current))) is None:
            found = frozenset(one.seq for one in fitting if probe.current in (None, one.closed is None))
            self._among[kinds, probe.current] = found
        return found

    def lexical(self, terms: Sequence[str], among: Set[int], limit: int) -> Lexical:
        """Statistics of all that are shown, with hits among some: up to ``limit``, those with the rarest terms first,
        of one term the newest.
        """
        found = {term: self._having(term) for term in terms if term}
        frequency = {term: len(times) for term, times in found.items()}
        chosen: dict[int, None] = {}
        for term in sorted(found, key=lambda term: (frequency[term], term)):
            room = max(0, limit) - len(chosen)
            new = (seq for seq in reversed(found[term]) if seq in among and seq not in chosen)
            chosen.update(dict.fromkeys(list(islice(new, room))))
        hits = {
            seq: (self._lengths[seq], {term: times[seq] for term, times in found.items() if seq in times})
            for seq in sorted(chosen)
        }
        count, lengths = len(self._told), self._lengths
        total = sum(map(lengths.__getitem__, self._told)) if self._gone else sum(lengths.values())
        return Lexical(count, total / count if count else 0.0, frequency, hits)

    def _having(self, term: str) -> dict[int, int]:
        """Seq -> times, of all records with the term, or for ``term*`` with any that begins so; oldest first."""
        if not term.endswith("*"):
            found = self._lists.get(term, {})
        else:
            found = dict[int, int]()
            for name, some in self._lists.items():
                if name.startswith(term[:-1]):
                    for seq, times in some.items():
                        found[seq] = found.get(seq, 0) + times
            found = dict(sorted(found.items()))
        return {seq: times for seq, times in found.items() if seq in self._told} if self._gone else found
