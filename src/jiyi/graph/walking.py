"""Reads the part of a graph that a question is about, hop by hop, by the names in ``Record.links``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from jiyi.entities import ENTITY, asked_form, names_of
from jiyi.graph.names import named, stretches
from jiyi.graph.questions import Question, fit, question_of
from jiyi.ports import Known
from jiyi.relations import RELATION, ends_of
from jiyi.relations import name_of as relation_of
from jiyi.types import Record

_RELATIONS = 200  # read at one hop, the newest
_ENTITIES = 600
_FOLLOWED = 40  # relations of a hop that a question goes on with
_NAMESAKES = 200  # entities of the names in a question


@dataclass(slots=True)
class Walked:
    """What was read, by id."""

    entities: dict[str, Record] = field(default_factory=dict[str, Record])
    relations: dict[str, Record] = field(default_factory=dict[str, Record])


async def named_in(known: Known, question: str) -> list[Record]:
    """The entities that a question names, in its order; one look at the records."""
    parts = dict.fromkeys(one.name for one in stretches(question))
    if not parts:
        return []
    found = await known(kind=ENTITY, links=list(parts), limit=_NAMESAKES, newest=True)
    names: dict[str, list[str]] = {}
    for record in found:
        for link in record.links:
            names.setdefault(link, []).extend(names_of(record))
    order = {one.name: at for at, one in reversed(list(enumerate(named(question, names))))}
    chosen = [(min(order[link] for link in record.links if link in order), record) for record in found
              if not order.keys().isdisjoint(record.links)]  # fmt: skip
    return [record for _, record in sorted(chosen, key=lambda one: one[0])]


async def called(known: Known, name: str) -> list[Record]:
    """The entities that go by a name."""
    return await known(kind=ENTITY, links=[asked_form(name)])


@dataclass(frozen=True, slots=True)
class Course:
    """How far a walk goes, and where to.

    Attributes:
        hops: relations from the entities where it begins.
        question: where very many relations meet, those are gone on with that fit it best; None for the newest.
    """

    hops: int = 2
    question: Question | None = None

    @classmethod
    def of(cls, query: str | None, starts: Iterable[Record], hops: int) -> Course:
        """For a question that names these entities."""
        if not query:
            return cls(hops)
        names: dict[str, list[str]] = {}
        for record in starts:
            for link in record.links:
                names.setdefault(link, []).extend(names_of(record))
        return cls(hops, question_of(query, names))

    def best(self, found: Sequence[Record]) -> Sequence[Record]:
        """The relations to go on with."""
        if self.question is None or len(found) <= _FOLLOWED:
            return found
        worth = {one.id: fit(self.question, relation_of(one), one.text, ends_of(one)) for one in found}
        order = sorted(enumerate(found), key=lambda one: (worth[one[1].id], one[0]), reverse=True)
        return [record for _, record in order[:_FOLLOWED]]


async def walk(known: Known, starts: Mapping[str, Record], course: Course, begun: Iterable[Record] = ()) -> Walked:
    """What lies within so many relations of some entities: two looks at the records for each hop.  Namesakes of what
    lies there come along, so that a relation goes to the one whom its message means.

    Args:
        known: reads records.
        starts: records of entities, by id.
        course: how far, and where to.
        begun: relations that belong to it anyway, for example because they were found by meaning.
    """
    walked = Walked(dict(starts), {one.id: one for one in begun})
    last: Sequence[str] = list(dict.fromkeys(link for record in starts.values() for link in record.links))
    gone_on, seen = set(last), set[str]()
    for _ in range(course.hops):
        found = await known(kind=RELATION, links=last, limit=_RELATIONS, newest=True) if last else []
        new = course.best([record for record in found if record.id not in walked.relations])
        walked.relations |= {record.id: record for record in new}
        ends = dict.fromkeys(link for record in walked.relations.values() for link in record.links if link not in seen)
        if not ends:
            break
        seen |= ends.keys()
        beside = await known(kind=ENTITY, links=list(ends), limit=_ENTITIES, newest=True)
        there = [record for record in beside if record.id not in walked.entities]
        walked.entities |= {record.id: record for record in there}
        last = list(dict.fromkeys(link for record in there for link in record.links if link not in gone_on))
        gone_on |= set(last)
    return walked
