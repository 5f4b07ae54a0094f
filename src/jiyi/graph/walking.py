"""Reads the part of a graph that a question is about, hop by hop, by the names in ``Record.links``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from jiyi.entities import ENTITY, form_of, names_of
from jiyi.graph.names import named, stretches
from jiyi.mentions import USER
from jiyi.ports import Known
from jiyi.relations import RELATION
from jiyi.types import Record

_RELATIONS = 300  # read at one hop, the newest
_ENTITIES = 600
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
    wanted = form_of(name)
    return await known(kind=ENTITY, links=[USER if wanted in ("i", "me", "我") else wanted])


async def walk(known: Known, starts: Mapping[str, Record], hops: int, begun: Iterable[Record] = ()) -> Walked:
    """What lies within so many relations of some entities: two looks at the records for each hop.

    Args:
        known: reads records.
        starts: records of entities, by id.
        hops: how far.
        begun: relations that belong to it anyway, for example because they were found by meaning.
    """
    walked = Walked(dict(starts), {one.id: one for one in begun})
    last: Sequence[str] = list(dict.fromkeys(link for record in starts.values() for link in record.links))
    seen = set(last)
    for _ in range(hops):
        found = await known(kind=RELATION, links=last, limit=_RELATIONS, newest=True) if last else []
        walked.relations |= {record.id: record for record in found}
        ends = dict.fromkeys(link for record in walked.relations.values() for link in record.links if link not in seen)
        if not ends:
            break
        seen |= ends.keys()
        beside = await known(kind=ENTITY, links=list(ends), limit=_ENTITIES, newest=True)
        new = [record for record in beside if record.id not in walked.entities]
        walked.entities |= {record.id: record for record in new}
        last = list(dict.fromkeys(link for record in new for link in record.links))
        seen |= set(last)
    return walked
