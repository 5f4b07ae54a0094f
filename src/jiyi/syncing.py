"""What of ``AsyncSession`` takes whole histories, as clients and frameworks send them again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from jiyi import intake
from jiyi.errors import InvalidInput
from jiyi.history import digest, is_system, link
from jiyi.resent import SyncPlan, other_id, plan_by_id, plan_sync
from jiyi.types import KINDS, Filter, Message, Scope, SessionInfo

if TYPE_CHECKING:
    from jiyi.engine import AsyncMemory

By = Literal["content", "id"]
"""How a message is known again: by what it says, or by the id that came with it."""


@dataclass(frozen=True, slots=True)
class Synced:
    """What ``sync`` did.

    Attributes:
        added: messages that were new, as stored.
        known: how many of the given ones were stored already.
        branched: an edited or regenerated history left the old path; it stays stored, off the active path.
    """

    added: tuple[Message, ...]
    known: int
    branched: bool


class Syncing:
    """The part of ``AsyncSession`` that finds out what of a history is new."""

    id: str
    off_record: bool
    _memory: AsyncMemory
    _scope: Scope
    _syncing: asyncio.Lock

    if TYPE_CHECKING:

        async def messages(self, limit: int | None = None, *, all_branches: bool = False) -> list[Message]: ...
        async def _append(self, drafts: Sequence[Message], *, after: str | None = "head") -> list[Message]: ...
        async def _update(self, *, title: str | None = None, head: str | None = None) -> SessionInfo: ...

    async def sync(self, messages: Sequence[Mapping[str, object]], *, by: By = "content") -> Synced:
        """Takes a history as clients and frameworks send it again, and adds only what is new.

        Afterwards the session's active path ends with exactly these messages, system text aside.  A history whose
        front was cut off is aligned with what is stored; an edited, shortened or regenerated one becomes a branch.

        Args:
            messages: the whole history; by id also its end, or the new messages alone.
            by: how a message is known to be stored already.  ``content``: by what it says and what stands before it,
                for chat clients, whose messages have no ids.  ``id``: by the id that every message then has, as in the
                state of a LangGraph graph; where no id is known the messages are new, and go to the end.  An id that
                is taken by other content is stored under a name of its own.

        Raises:
            InvalidInput: names ``messages[i].field``, or the session when it is off the record.
        """
        if by not in ("content", "id"):
            raise InvalidInput("by", f"must be 'content' or 'id', not {by!r}")
        if self.off_record:
            raise InvalidInput("messages", "a session off the record keeps no history to compare with; use add")
        now = self._memory.clock.now()
        drafts = intake.given(messages, self.id, now=now, name_them=False)
        if by == "id" and (nameless := [at for at, draft in enumerate(drafts) if not draft.id]):
            raise InvalidInput(
                f"messages[{nameless[0]}].id", "is missing; give every message an id, or sync by content"
            )
        drafts = [draft for draft in drafts if not is_system(draft)]
        salt = await self._memory.store.salt(self._scope)
        drafts = [draft.but(digest=digest(salt, draft)) for draft in self._memory.clean(drafts)]
        async with self._syncing:
            return await self._sync(drafts, by)

    async def _sync(self, drafts: Sequence[Message], by: By) -> Synced:
        head = await self.messages(1)
        goes_on, planned = (self._goes_on, plan_sync) if by == "content" else (self._goes_on_by_id, plan_by_id)
        plan = await goes_on(head, drafts)
        if plan is None:
            everything = await self.messages(all_branches=True)
            head = [message for message in everything if message.active][-1:]
            plan = planned(everything, drafts)
        if not plan.new:
            if plan.after != "head":
                await self._update(head=plan.after)
            return Synced((), plan.skipped, plan.branch)
        place = plan.after if plan.after != "head" else head[0].id if head else None
        added = await self._append(await self._named(place, plan.new), after=plan.after)
        return Synced(tuple(added), plan.skipped, plan.branch)

    async def _goes_on(self, head: Sequence[Message], drafts: Sequence[Message]) -> SyncPlan | None:
        """The usual case, told by one look at the head's chain: what is stored is a beginning of what came."""
        left = Filter(session_id=self.id, active=False)
        if not head or await self._memory.store.seqs(self._scope, left):
            return None
        chain = ""
        for known, draft in enumerate(drafts, 1):
            chain = link(chain, draft.digest)
            if chain == head[0].chain:
                return SyncPlan("head", tuple(drafts[known:]), branch=False, skipped=known)
        return None

    async def _goes_on_by_id(self, head: Sequence[Message], drafts: Sequence[Message]) -> SyncPlan | None:
        """The usual case, told by the head, which stands in what came behind the same words as on its path; or by a
        look at the ids: the known ones come first, and the last of them is the head.
        """
        chain = ""
        for known, draft in enumerate(drafts, 1):
            chain = link(chain, draft.digest)
            if head and draft.id == head[0].id and chain == head[0].chain:
                if await self._stored(drafts[known:], head[0].id):  # on a path that was left
                    return None
                return SyncPlan("head", tuple(drafts[known:]), branch=False, skipped=known)
        stored = await self._stored(drafts, None)
        there = [draft for draft in drafts if draft.id in stored]
        if not stored:
            return SyncPlan("head", tuple(drafts), branch=False, skipped=0)
        if not there or there != list(drafts[: len(there)]) or not head or there[-1].id != head[0].id:
            return None
        places = [stored[draft.id] for draft in there]
        positions = [place.position for place in places]
        same = all(
            place.active and (place.session_id, place.digest) == (self.id, draft.digest)
            for place, draft in zip(places, there, strict=True)
        )
        if not same or positions != sorted(set(positions)):
            return None
        return SyncPlan("head", tuple(drafts[len(there) :]), branch=False, skipped=len(there))

    async def _stored(self, drafts: Sequence[Message], place: str | None) -> dict[str, Message]:
        """The user's messages that have the ids of these, or the first one's other id after ``place``, by id."""
        ids = (*(draft.id for draft in drafts), *(other_id(draft, self.id, place) for draft in drafts[:1]))
        found = await self._memory.store.messages(self._scope, Filter(ids=ids, active=None, kinds=KINDS))
        return {message.id: message for message in found}

    async def _named(self, place: str | None, new: Sequence[Message]) -> list[Message]:
        """Gives messages an id that follows from their place, unless the client gave one that is free.

        Syncs of the same history at once then store it once; what is stored somewhere else is stored here as well.
        """
        named: list[Message] = []
        before = place or ""
        for message in new:
            before = message.id or link(self.id, link(before, message.digest))[:16]
            named.append(message.but(id=before))
        ids = tuple(message.id for message in named)
        where = Filter(ids=ids, active=None, kinds=KINDS)
        found = {m.id: m for m in await self._memory.store.messages(self._scope, where)}
        before = place
        for at, message in enumerate(named):
            same = found.get(message.id)
            if same is not None and (same.session_id, same.parent_id, same.digest) != (self.id, before, message.digest):
                named[at] = message.but(id=other_id(message, self.id, before))
            before = named[at].id
        return named
