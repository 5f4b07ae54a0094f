"""What strategies may read for one context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Unpack

from jiyi.copies import origin
from jiyi.curated import Curated
from jiyi.history import system_messages, turns
from jiyi.options import after
from jiyi.search import Searcher, Wanted, WantedRecords
from jiyi.types import ACTIVE, Filter, Hit, Message, Record, RecordHit, Scope, Which

if TYPE_CHECKING:
    from jiyi.ports import Store
    from jiyi.session import AsyncSession

TAIL = 64
"""Messages read from the end of a session at first; enough for the usual window."""


def said_by(messages: Sequence[Message], moment: datetime) -> list[Message]:
    """A path up to the first message that was said later; those of which nobody knows stay where they stand."""
    later = (at for at, message in enumerate(messages) if message.created_at and message.created_at > moment)
    return list(messages[: next(later, len(messages))])


class SessionReader:
    """``Reader`` of one session; the end of the history is read once."""

    def __init__(
        self, session: AsyncSession, searcher: Searcher, store: Store, scope: Scope, as_of: datetime | None = None
    ) -> None:
        self._session = session
        self._as_of = as_of
        self._curated = Curated(store, scope, as_of=as_of)
        self._searcher = searcher.sharing()
        self._store = store
        self._scope = scope
        self._tail: list[Message] = []
        self._whole = False
        self._newest: tuple[Message, ...] | None = None

    async def history(self, limit: int | None = None) -> list[Message]:
        """The active path, or its last messages."""
        if not self._whole and (limit is None or limit > len(self._tail)):
            if self._as_of is None:
                self._tail = await self._session.messages(limit)
                self._whole = limit is None or len(self._tail) < limit
            else:
                self._tail = said_by(await self._session.messages(), self._as_of)
                self._whole = True
        return list(self._tail if limit is None else self._tail[-limit:] if limit else ())

    async def search(self, query: str, *, limit: int, floor: float | None = None) -> list[Hit]:
        """Hits in the whole memory of the user, except what is being asked just now."""
        asked = frozenset(map(origin, await self.newest_turn()))
        where = self._then(ACTIVE)
        wanted = Wanted(k=limit, where=where, floor=floor, exclude=asked)
        return await self._searcher.search(self._scope, query, wanted)

    async def matching(self, where: Filter) -> list[Message]:
        """Messages of the user."""
        return await self._store.messages(self._scope, self._then(where))

    def _then(self, where: Filter) -> Filter:
        """The same messages, as far as they were said by then."""
        if self._as_of is None:
            return where
        until = after(self._as_of)
        return replace(where, until=until if where.until is None else min(until, where.until))

    async def records(self, **which: Unpack[Which]) -> list[Record]:
        """Records of the user, as they corrected them, without what they hid."""
        return await self._curated.records(**which)

    async def find_records(
        self, query: str, *, limit: int, kind: str | None = None, floor: float | None = None
    ) -> list[RecordHit]:
        """Current records of the user that answer the query."""
        wanted = WantedRecords(k=limit, kinds=None if kind is None else (kind,), floor=floor)
        return await self._curated.find(self._searcher, query, wanted)

    async def newest_turn(self) -> tuple[Message, ...]:
        """From the newest user message on; everything when no user has spoken."""
        reach = TAIL
        while self._newest is None:
            tail = await self.history(reach)
            found = turns(tail)[-1:]
            if len(tail) < reach or (found and found[0][0].role == "user"):
                self._newest = found[0] if found else ()
            reach *= 4
        return self._newest

    async def system(self) -> list[Message]:
        """The session's system messages, in order."""
        if self._session.off_record:
            return system_messages(await self._session.messages())
        if self._whole:
            return system_messages(self._tail)
        where = Filter(session_id=self._session.id, roles=("system", "developer"))
        return await self._store.messages(self._scope, where)
