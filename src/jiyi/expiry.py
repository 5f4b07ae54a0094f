"""Which records have not mattered for long, and may go: nobody said them again, and no context used them.

What was said stays in the log, and can be found; a record that goes is only derived again where its stretch is, and
goes again the next day, because it is as old as before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from jiyi.commands import COMMANDS, commands
from jiyi.curation import Reach
from jiyi.ports import Store
from jiyi.types import Filter, Record, Scope

EXPIRING = ("fact", "note")
"""Kinds of records.  Summaries stand for a stretch of the history, ratings for a message: they go with it."""

_READ = 500  # messages at a time


async def expired(store: Store, scope: Scope, *, now: datetime, days: int) -> list[Record]:
    """The facts and notes that were neither said nor used in the last so many days, oldest first.

    Said is when any of the messages that a record rests on was said or came into the log: what was imported yesterday
    is not old.  Pinned records stay, and so does what a person has said anything about.
    """
    ever = (now - datetime.min.replace(tzinfo=now.tzinfo)).days - 1  # in every zone
    before = now - timedelta(days=min(days, ever))
    old = [
        record
        for kind in EXPIRING
        for record in await store.records(scope, kind=kind, current=None)
        if not record.pinned and _before(before, record.said_at, record.recorded_at, record.used_at)
    ]
    if not old:
        return []
    ordered = Reach(commands(await store.messages(scope, COMMANDS)), await store.salt(scope))
    young = await _said_since(store, scope, before, old)
    return [
        record
        for record in sorted(old, key=_age)
        if not ordered.of(record) and young.isdisjoint(source.message_id for source in record.sources)
    ]


async def _said_since(store: Store, scope: Scope, moment: datetime, records: Iterable[Record]) -> set[str]:
    """Those of the records' messages that came at or after a moment, or of which nobody knows when."""
    ids = list(dict.fromkeys(source.message_id for record in records for source in record.sources))
    found: set[str] = set()
    for start in range(0, len(ids), _READ):
        where = Filter(ids=tuple(ids[start : start + _READ]), active=None)
        for message in await store.messages(scope, where):
            if not _before(moment, message.created_at, message.recorded_at):
                found.add(message.id)
    return found


def _before(moment: datetime, *times: datetime | None) -> bool:
    """Whether all times that are known, at least one, are before a moment."""
    known = [time for time in times if time is not None]
    return bool(known) and max(known) < moment


def _age(record: Record) -> tuple[float, str]:
    return last(record).timestamp(), record.id


def last(record: Record) -> datetime:
    """When it was said or used last, as far as the record knows; one that knows nothing does not expire."""
    times: Sequence[datetime] = [t for t in (record.said_at, record.recorded_at, record.used_at) if t is not None]
    return max(times)
