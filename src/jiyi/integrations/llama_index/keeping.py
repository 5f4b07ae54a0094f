"""What both chat stores do with a session: read, add, put other messages in its place, erase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from llama_index.core.llms import ChatMessage

from jiyi import intake
from jiyi.history import digest
from jiyi.integrations.llama_index.messages import from_llama, to_llama
from jiyi.types import Message

if TYPE_CHECKING:
    from jiyi.engine import AsyncMemory


class Keeping:
    """One user's sessions as LlamaIndex's keys; on the memory's loop alone."""

    def __init__(self, memory: AsyncMemory, user_id: str) -> None:
        self._memory = memory
        self._user_id = user_id

    async def messages(self, key: str) -> list[Message]:
        """The session's path."""
        return await self._memory.session(key, user_id=self._user_id).messages()

    async def add(self, key: str, messages: Sequence[ChatMessage]) -> None:
        """Adds at the end, all or none."""
        await self._memory.session(key, user_id=self._user_id).add_many([from_llama(one) for one in messages])

    async def put(self, key: str, messages: Sequence[ChatMessage]) -> None:
        """Makes these the session's path: what both begin with stays; the rest leaves the path and stays stored."""
        memory, scope = self._memory, self._memory.scope(self._user_id)
        given = intake.given([from_llama(one) for one in messages], key, now=memory.clock.now())
        drafts, path = memory.clean(given), await self.messages(key)
        same = 0
        while same < min(len(drafts), len(path)) and _is_same(drafts[same], path[same]):
            same += 1
        place = path[same - 1].id if same else None
        if drafts[same:]:
            await memory.append(scope, key, drafts[same:], after=place)
        elif len(path) > same:
            await memory.store.update_session(scope, key, at=memory.clock.now(), head=place or "")
            memory.worker.wake()

    async def forget(self, key: str, messages: Sequence[Message] | None = None) -> None:
        """Erases the session, or some of its messages."""
        if messages is None:
            await self._memory.forget(user_id=self._user_id, session_id=key)
        elif messages:
            await self._memory.forget(user_id=self._user_id, message_ids=[message.id for message in messages])

    async def keys(self) -> list[str]:
        """The user's sessions that hold a message on their path, the oldest first."""
        found = await self._memory.sessions(user_id=self._user_id)
        return [session.id for session in reversed(found) if session.messages]


def _is_same(draft: Message, stored: Message) -> bool:
    """Whether both are the same message for LlamaIndex, what stands beside the text included: images, arguments."""
    if digest(b"", draft) != digest(b"", stored):
        return False
    return draft.metadata == stored.metadata or to_llama(draft) == to_llama(stored)


__all__ = ["Keeping"]
