"""The words of a scope's derived records, held in memory: they are some hundreds, and their terms are made in no time.

Pure.  Records are known by numbers, of which a later one is higher.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import islice

from jiyi.types import Indexed, Lexical, RecordProbe


class RecordWords:
    """Posting lists over records.

    Attributes:
        lengths: number of a record -> terms; of all that are in.
        lists: term -> number -> times, in the order in which records came in.
    """

    def __init__(self) -> None:
        self.lengths: dict[int, int] = {}
        self.lists: dict[str, dict[int, int]] = {}
        self._terms = 0

    def add(self, entries: Iterable[Indexed]) -> None:
        """Takes records in, of higher numbers than those that are in already."""
        for entry in entries:
            self.lengths[entry.seq] = length = entry.length
            self._terms += length
            for term, times in entry.terms.items():
                self.lists.setdefault(term, {})[entry.seq] = times

    def lexical(self, terms: Sequence[str], among: Set[int] | None, limit: int) -> Lexical:
        """Statistics of all, with hits among some (None for all): up to ``limit``, those with the rarest terms first,
        of one term the newest.
        """
        found = {term: self._having(term) for term in terms if term}
        frequency = {term: len(times) for term, times in found.items()}
        rarest = sorted(found, key=lambda term: (frequency[term], term))
        ranked = dict.fromkeys(n for term in rarest for n in reversed(found[term]) if among is None or n in among)
        hits = {
            number: (self.lengths[number], {term: times[number] for term, times in found.items() if number in times})
            for number in sorted(islice(ranked, max(0, limit)))
        }
        count = len(self.lengths)
        return Lexical(count, self._terms / count if count else 0.0, frequency, hits)

    def _having(self, term: str) -> Mapping[int, int]:
        """Number -> times, of all records with the term, or for ``term*`` with any that begins so."""
        if not term.endswith("*"):
            return self.lists.get(term, {})
        times: dict[int, int] = {}
        for name, some in self.lists.items():
            if name.startswith(term[:-1]):
                for number, more in some.items():
                    times[number] = times.get(number, 0) + more
        return {number: times[number] for number in sorted(times)}


def fits(probe: RecordProbe, as_of: float | None, kind: str, said: float | None, closed: float | None) -> bool:
    """Whether a probe asks for such a record; the times as numbers, ``as_of`` that of the probe."""
    if probe.kinds is not None and kind not in probe.kinds:
        return False
    if as_of is not None:
        return (said is None or said <= as_of) and (closed is None or closed > as_of)
    return probe.current in (None, closed is None)
