"""Paths over relations: what joins entities, and which paths answer a question best.  Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from jiyi.graph.questions import KIN, Question, answers, fit_of
from jiyi.graph.values import Entity, Path, Relation

MOST_HOPS = 3

_BEAM = 400  # paths gone on with at each hop, the best ones: three hops from somebody with 1,000 relations stay cheap
_OF_ONE = 60  # relations of one entity that are walked, the best ones
_LONGER = 0.97  # of two paths that fit alike the shorter one
BY_ITS_END = 0.2
"""The fit of a path that only ends at the kind of thing that is asked for."""
_JOINED = 0.3  # what it counts that a path joins all that a question names


class Ways:
    """Which relations meet at which entity; those that are closed or denied are no way."""

    def __init__(self, relations: Iterable[Relation]) -> None:
        self.at: dict[str, list[Relation]] = defaultdict(list)
        for relation in relations:
            if not relation.negated and relation.closed_at is None:
                self.at[relation.head.id].append(relation)
                self.at[relation.tail.id].append(relation)

    def distances(self, ends: Collection[str], hops: int) -> dict[str, int]:
        """Entity id -> how many relations it is away from the nearest of these entities, up to ``hops``."""
        found = dict.fromkeys(ends, 0)
        last = list(found)
        for hop in range(1, hops + 1):
            beside = {end.id for name in last for one in self.at.get(name, ()) for end in (one.head, one.tail)}
            last = [name for name in beside if name not in found]
            found |= dict.fromkeys(last, hop)
        return found


@dataclass(frozen=True, slots=True)
class Wanted:
    """What paths are looked for.

    Attributes:
        starts: where they begin.
        ends: ids of the entities where they have to end; None for any.
        hops: relations of one, at most.
        question: what they are to answer; None for none.
    """

    starts: Sequence[Entity]
    ends: frozenset[str] | None = None
    hops: int = 2
    question: Question | None = None


def paths(relations: Sequence[Relation], wanted: Wanted, named: Collection[str] = ()) -> list[Path]:
    """The paths, best first.

    Args:
        relations: all that may be walked, and denied ones: such a one is an answer where both its ends are named.
        wanted: which paths.
        named: ids of the entities that the question names.
    """
    ways, scores = (
        Ways(relations),
        {one.ids: fit_of(wanted.question, one) if wanted.question else 0.0 for one in relations},
    )
    near = None if wanted.ends is None else ways.distances(wanted.ends, wanted.hops)
    found: dict[tuple[object, ...], Path] = {}
    for start in wanted.starts:
        for path in _from(start, ways, near, wanted.hops, scores):
            if wanted.ends is None or path.end.id in wanted.ends:
                found.setdefault(_same(path), _judged(path, wanted.question, scores))
    both = frozenset(named) | {start.id for start in wanted.starts} | (wanted.ends or frozenset())
    for relation in relations:
        if relation.negated and relation.closed_at is None and {relation.head.id, relation.tail.id} <= both:
            path = Path((relation.head, relation.tail), (relation,))
            found.setdefault(_same(path), _judged(path, wanted.question, scores))
    return sorted(found.values(), key=lambda path: _rank(path, both), reverse=True)


def _same(path: Path) -> tuple[object, ...]:
    """The same for a path and for its reverse."""
    ids = tuple(one.ids for one in path.relations)
    return min(ids, ids[::-1])


def _from(
    start: Entity, ways: Ways, near: Mapping[str, int] | None, hops: int, scores: Mapping[tuple[str, ...], float]
) -> Iterator[Path]:
    """All simple paths from an entity; of very many the best."""
    beam = [Path((start,), ())]
    for hop in range(1, hops + 1):
        grown: list[Path] = []
        for path in beam:
            there = {entity.id for entity in path.entities}
            beside = [
                (one, other)
                for one in ways.at.get(path.end.id, ())
                if (other := one.other(path.end)).id not in there
                and (near is None or near.get(other.id, hops + 1) <= hops - hop)
            ]
            if len(beside) > _OF_ONE:
                beside.sort(key=lambda way: (scores[way[0].ids], way[0].confidence), reverse=True)
                del beside[_OF_ONE:]
            grown += (Path((*path.entities, other), (*path.relations, one)) for one, other in beside)
        if len(grown) > _BEAM:
            grown.sort(key=lambda path: _mean(path, scores) + 0.1 * path.confidence, reverse=True)
            del grown[_BEAM:]
        yield from grown
        beam = grown


def _mean(path: Path, scores: Mapping[tuple[str, ...], float]) -> float:
    return sum(scores[one.ids] for one in path.relations) / len(path.relations)


def _judged(path: Path, question: Question | None, scores: Mapping[tuple[str, ...], float]) -> Path:
    """The path with how well it fits: half for relations that the question speaks of, three tenths for how much of the
    question they take up, two tenths for ending at what is asked for.
    """
    if question is None:
        return path
    asked = sum(sure for _, sure in question.spoken)
    walked = {name for one in path.relations for name in (one.relation, *KIN.get(one.relation, ()))}
    taken = sum(sure for names, sure in question.spoken if names & walked)
    last, forward = path.relations[-1], path.forward[-1]
    end = answers(question, last, path.end, forward=forward)
    whole = 0.5 * _mean(path, scores) + (0.3 * taken / asked if asked else 0.0) + BY_ITS_END * end
    if question.backwards is forward and len(path.relations) == 1 and last.relation in question.relations:
        whole *= 0.9  # "who reports to Lin?" against "who does Lin report to?"
    return replace(path, fit=round(whole, 4))


def _rank(path: Path, named: Collection[str]) -> tuple[float, float, tuple[str, ...]]:
    """Best last: by fit and by how many of the named entities it joins, then by what speaks for it and by shortness."""
    joins = sum(entity.id in named for entity in path.entities) - 1
    joined = _JOINED * joins / (len(named) - 1) if len(named) > 1 else 0.0
    return path.fit + joined, path.confidence * _LONGER ** len(path.relations), tuple(one.id for one in path.relations)
