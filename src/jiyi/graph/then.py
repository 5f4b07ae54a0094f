"""Records of entities and relations as they were told by some of the messages that they rest on.  Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from jiyi.entities import ENTITY, entity, name_of, named_of
from jiyi.relations import entry_of, stated_of
from jiyi.sayings import Saying
from jiyi.types import Record


def told_by(record: Record, says: Callable[[Saying], bool]) -> Record | None:
    """The record as these sayings tell it; None where none of them does.  What a person wrote stays.

    Args:
        record: an entity or a relation.
        says: which of its sayings count.
    """
    if "corrected" in record.data:
        return record
    return _entity(record, says) if record.kind == ENTITY else _relation(record, says)


def _entity(record: Record, says: Callable[[Saying], bool]) -> Record | None:
    named = named_of(record)
    left = [one for one in named if says(one.saying)]
    if len(left) == len(named):
        return record
    if not left:
        return None
    name = name_of(record) if "commands" in record.data else ""  # a person may have chosen it
    sense = str(record.data.get("sense", ""))
    made = entity(record.id, left, strategy=record.strategy, version=record.version, sense=sense, name=name)
    links = tuple(dict.fromkeys((*made.links, *(link for link in record.links if link == "user"))))
    return replace(record, text=made.text, sources=made.sources, said_at=made.said_at, links=links,
                   data={**record.data, **made.data})  # fmt: skip


def _relation(record: Record, says: Callable[[Saying], bool]) -> Record | None:
    stated = stated_of(record)
    left = [one for one in stated if says(one.saying)]
    if len(left) == len(stated):
        return record
    if not any(not one.ends for one in left):
        return None
    sources = tuple(dict.fromkeys(one.saying.source for one in left))
    text = next(one.saying.source.quote or "" for one in reversed(left) if not one.ends)
    data = {**record.data, "said": [dict(entry_of(one)) for one in left]}
    return replace(record, text=text, sources=sources, data=data)
