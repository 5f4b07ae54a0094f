"""What both derivers of entities and relations share: what is known about what a batch says, and what it changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from jiyi.entities import ENTITY, MODEL, named_of
from jiyi.mentions import Mentioned
from jiyi.naming import Making, entity_changes, places
from jiyi.ports import Batch
from jiyi.relating import has_one_tail, relation_changes, stated
from jiyi.relations import RELATION, Stated, key_of, relation_id, stated_of
from jiyi.types import JSON, Changes, Record, Step

_OF_A_NAME = 200  # entities that share a name, at most: the newest
_OF_A_KEY = 200  # tails of a relation that a head has one of at a time, at most: the newest
_ROUNDS = 8  # a name leads to an entity, its other names to namesakes of those, and so on


class Resting(NamedTuple):
    """The records that rest on a batch's messages, closed ones too."""

    entities: tuple[Record, ...]
    relations: tuple[Record, ...]

    def __bool__(self) -> bool:
        return bool(self.entities or self.relations)

    def handled(self) -> set[str]:
        """Ids of the messages that the model's step has made something of."""
        said = [one.saying for record in self.entities for one in named_of(record)]
        said += [one.saying for record in self.relations for one in stated_of(record)]
        return {one.message for one in said if one.step == MODEL}


async def resting(batch: Batch) -> Resting:
    """The entities and relations that rest on the batch's messages."""
    ids = [message.id for message in batch.messages]
    entities = await batch.records(kind=ENTITY, sources=ids, current=None)
    return Resting(tuple(entities), tuple(await batch.records(kind=RELATION, sources=ids, current=None)))


async def derived(
    batch: Batch,
    found: Sequence[tuple[Mentioned, str]],
    touched: Resting,
    step: Step,
    made: Mapping[str, JSON],
) -> Changes:
    """The changes of a batch in which this was found (with who found it, ``rules`` or ``model``).

    Reads what rests on the batch and what has a name in common with what is said: however long the history is.
    """
    making = Making(step, frozenset(message.id for message in batch.messages), made)
    named = [place for mentioned, maker in found for place in places(mentioned, maker, making)]
    said = [one for mentioned, maker in found for one in stated(mentioned, maker, making)]
    forms = {one.form for one in named}
    entities = entity_changes(named, await _of_names(batch, forms, touched.entities), making)
    relations = relation_changes(said, await _of_relations(batch, said, touched.relations), making)
    put, drop = (*entities.put, *relations.put), (*entities.drop, *relations.drop)
    return Changes(batch.cursor, put=put, drop=drop)


async def _of_names(batch: Batch, forms: Iterable[str], touched: Iterable[Record]) -> list[Record]:
    """All entities that have one of these names, or one that those have, and so on."""
    known = {record.id: record for record in touched}
    read: set[str] = set()
    for _ in range(_ROUNDS):
        wanted = {*forms, *(link for record in known.values() for link in record.links)} - read
        if not wanted:
            break
        most = _OF_A_NAME * len(wanted)
        found = await batch.records(kind=ENTITY, links=sorted(wanted), current=None, newest=True, limit=most)
        known |= {record.id: record for record in found}
        read |= wanted
    return list(known.values())


async def _of_relations(batch: Batch, said: Sequence[Stated], touched: Iterable[Record]) -> list[Record]:
    """The relations that say the same or the contrary, and all tails where there is one at a time."""
    known = {record.id: record for record in touched}
    concerned = [*said, *(one for record in known.values() for one in stated_of(record))]
    ids = {
        relation_id(one.head, one.relation, one.tail, negated=negated) for one in concerned for negated in (False, True)
    }
    if ids:
        found = await batch.records(kind=RELATION, ids=sorted(ids), current=None)
        known |= {record.id: record for record in found}
    for key in sorted({key_of(one.head, one.relation) for one in concerned if has_one_tail(one.relation)}):
        found = await batch.records(kind=RELATION, key=key, current=None, newest=True, limit=_OF_A_KEY)
        known |= {record.id: record for record in found}
    return list(known.values())
