"""Checkpoints of a session: saved by name or every so many turns, gone back to, forked from, compared."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from jiyi import intake
from jiyi.copies import copied, origin
from jiyi.errors import Conflict, InvalidInput, JiyiError, NotFound
from jiyi.types import JSON, Checkpoint, Filter, Message, Scope

if TYPE_CHECKING:
    from jiyi.ports import Clock, Store

AUTOMATIC = "auto:"
"""How the names of automatic checkpoints begin, and no other; the seq of their turn's user message follows."""

KEPT = 20
"""Automatic checkpoints that a session keeps; the oldest make room for new ones."""

_log = logging.getLogger("jiyi.checkpoints")


@dataclass(frozen=True, slots=True)
class Difference:
    """Two paths of a session side by side.

    Attributes:
        common: the last message that both have; None when they have none in common.
        only_a, only_b: what only the one and only the other goes on with, in order.
    """

    common: Message | None
    only_a: tuple[Message, ...]
    only_b: tuple[Message, ...]


class Checkpoints:
    """Those of one session."""

    def __init__(self, store: Store, scope: Scope, session_id: str, clock: Clock) -> None:
        self.store = store
        self.scope = scope
        self.session_id = session_id
        self.clock = clock

    async def save(self, name: object, state: object, *, overwrite: bool) -> Checkpoint:
        """Saves where the session stands."""
        name = intake.identifier("name", name)
        if name.startswith(AUTOMATIC):
            raise InvalidInput("name", f"{AUTOMATIC!r} begins the names of automatic checkpoints; give another")
        kept = intake.json_object("state", state)
        head = await self.store.messages(self.scope, Filter(session_id=self.session_id), limit=1, newest=True)
        return await self._put(name, head[0].id if head else None, state=kept, overwrite=overwrite)

    async def save_automatically(self, message: Message, turn: int) -> None:
        """Saves one at ``message``, the end of the turn whose user message has this seq; the oldest may have to go."""
        await self._put(f"{AUTOMATIC}{turn:08}", message.id, automatic=True, overwrite=True)
        ours = [checkpoint.name for checkpoint in await self.all() if checkpoint.automatic]
        if ours[:-KEPT]:
            await self.store.delete_checkpoints(self.scope, self.session_id, ours[:-KEPT])

    async def _put(
        self,
        name: str,
        head: str | None,
        *,
        state: Mapping[str, JSON] | None = None,
        automatic: bool = False,
        overwrite: bool,
    ) -> Checkpoint:
        now = self.clock.now()
        new = Checkpoint(name, self.session_id, head, created_at=now, automatic=automatic, state=state or {})
        return await self.store.put_checkpoint(self.scope, new, overwrite=overwrite)

    async def all(self) -> list[Checkpoint]:
        """Every one, oldest first."""
        return await self.store.checkpoints(self.scope, self.session_id)

    async def one(self, name: object) -> Checkpoint:
        """The one of this name.

        Raises:
            NotFound: says which there are.
        """
        name = intake.identifier("name", name)
        found = await self.store.checkpoints(self.scope, self.session_id, name)
        if not found:
            names = [checkpoint.name for checkpoint in await self.all()][-KEPT:]
            there = f"there are {', '.join(map(repr, names))}" if names else "it has none"
            raise NotFound(f"session {self.session_id!r} has no checkpoint {name!r}; {there}")
        return found[0]

    async def restore(self, name: object) -> Checkpoint:
        """Makes the path to a checkpoint the active one."""
        checkpoint = await self.one(name)
        head, now = checkpoint.message_id or "", self.clock.now()
        await self.store.update_session(self.scope, self.session_id, at=now, head=head)
        return checkpoint

    async def delete(self, name: object) -> None:
        """Deletes one; messages stay."""
        checkpoint = await self.one(name)
        await self.store.delete_checkpoints(self.scope, self.session_id, [checkpoint.name])

    async def copies(self, name: object, session_id: str) -> list[Message]:
        """Drafts of the path to a checkpoint, for another session, which must be new."""
        (path,) = await self._paths(name)
        if await self.store.sessions(self.scope, session_id):
            raise Conflict(f"there is a session {session_id!r} already; give another session_id, or none")
        now = self.clock.now()
        return [replace(copied(message, session_id), recorded_at=now) for message in path]

    async def diff(self, a: object, b: object) -> Difference:
        """What was said up to one checkpoint and not up to the other."""
        left, right = await self._paths(a, b)
        same = sum(one.id == other.id for one, other in zip(left, right, strict=False))
        return Difference(left[same - 1] if same else None, tuple(left[same:]), tuple(right[same:]))

    async def _paths(self, *names: object) -> list[list[Message]]:
        """The path to each checkpoint; to where the session stands for None."""
        places = [None if name is None else await self.one(name) for name in names]
        everything = await self.store.messages(self.scope, Filter(session_id=self.session_id, active=None))
        known = {message.id: message for message in everything}
        paths: list[list[Message]] = []
        for place in places:
            if place is None:
                paths.append([message for message in everything if message.active])
                continue
            path, at = list[Message](), place.message_id
            while at is not None and at in known:
                path.append(known[at])
                at = known[at].parent_id
            paths.append(path[::-1])
        return paths


class Automatic:
    """Saves a checkpoint at the reply that completes every so-many-th turn of the path.

    Turns are counted from the beginning of the active path.  A turn is complete with an assistant message that calls no
    tool and did not break off; when one turn has several, its checkpoint moves on to the last.
    """

    def __init__(self, checkpoints: Checkpoints, every: int) -> None:
        self._checkpoints = checkpoints
        self._every = every
        self._head: str | None = None  # what was counted up to here holds as long as the next message follows it
        self._turns, self._turn = 0, 0

    async def added(self, messages: Sequence[Message]) -> None:
        """Looks at what has just been stored.  It stays stored, so a failure here is a warning, not an error."""
        try:
            await self._count(messages)
        except JiyiError as error:
            _log.warning("no automatic checkpoint of session %r: %s", self._checkpoints.session_id, error)

    async def _count(self, messages: Sequence[Message]) -> None:
        if not messages or not messages[-1].active:
            return
        turns, turn = self._turns, self._turn
        if messages[0].parent_id != self._head:  # another object wrote, or the path has changed
            ours = self._checkpoints
            users = await ours.store.seqs(ours.scope, Filter(session_id=ours.session_id, roles=("user",)))
            before = [seq for seq in users if seq < messages[0].seq]
            turns, turn = len(before), before[-1] if before else 0
        ended: tuple[Message, int] | None = None
        for message in messages:
            if message.role == "user":
                turns, turn = turns + 1, message.seq
            replied = message.role == "assistant" and not message.tool_calls and not message.incomplete
            if replied and turns and turns % self._every == 0:
                ended = message, turn
        self._head, self._turns, self._turn = messages[-1].id, turns, turn
        if ended is not None:
            await self._checkpoints.save_automatically(*ended)


async def with_copies(store: Store, scope: Scope, ids: Sequence[str]) -> list[str]:
    """The ids of messages and of all that say the same because a fork copied them: erasing words means all of these."""
    named = await store.messages(scope, Filter(ids=tuple(ids), active=None))
    if not named:
        return list(ids)
    origins, times = {origin(message) for message in named}, [message.created_at for message in named]
    known = [time for time in times if time is not None]  # a copy keeps its time, which bounds what must be read
    where = Filter(active=None)
    if len(known) == len(times):
        where = replace(where, since=min(known), until=max(known) + timedelta(microseconds=1))
    same = [message.id for message in await store.messages(scope, where) if origin(message) in origins]
    return list(dict.fromkeys([*ids, *same]))
