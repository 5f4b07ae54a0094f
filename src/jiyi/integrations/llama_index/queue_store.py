"""A user's sessions as the queue of LlamaIndex's ``Memory``: the newest messages are active, the rest is archived."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.llms import ChatMessage
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore, MessageStatus
from pydantic import ConfigDict, Field

from jiyi import intake
from jiyi.errors import InvalidInput
from jiyi.integrations.llama_index.keeping import Keeping
from jiyi.integrations.llama_index.messages import to_llama
from jiyi.sync import Memory
from jiyi.types import Checkpoint, Message
from jiyi.waiting import elsewhere

ARCHIVED = "llama-index archive"
"""Name of the checkpoint that stands where a session's archived messages end."""

ACTIVE = MessageStatus.ACTIVE


class JiyiQueueStore(AsyncDBChatStore):
    """What ``Memory.from_defaults(session_id=…, chat_store=…)`` of LlamaIndex keeps messages in; a key is a session.

    Archived messages come before the active ones, and a checkpoint of the session says where they end.  What is deleted
    is erased; what ``set_messages`` puts others in the place of stays stored, off the session's path.

    Attributes:
        memory: the memory; not part of what the store is dumped as.
        user_id: whose sessions.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory = Field(exclude=True)
    user_id: str

    def model_post_init(self, context: Any) -> None:
        """Checks whose it is.

        Raises:
            InvalidInput: names ``user_id``.
        """
        intake.identifier("user_id", self.user_id)

    @classmethod
    def class_name(cls) -> str:
        """See ``AsyncDBChatStore``."""
        return "JiyiQueueStore"

    async def get_messages(
        self,
        key: str,
        status: MessageStatus | None = ACTIVE,
        limit: int | None = None,
        offset: int | None = None,
    ) -> list[ChatMessage]:
        """Messages of a status, or all with None, in order; ``limit`` of them, ``offset`` skipped."""
        found = await elsewhere(self._of(key, status))
        start = offset or 0
        return [to_llama(one) for one in found[start : None if limit is None else start + limit]]

    async def count_messages(self, key: str, status: MessageStatus | None = ACTIVE) -> int:
        """How many messages have a status."""
        return len(await elsewhere(self._of(key, status)))

    async def add_message(self, key: str, message: ChatMessage, status: MessageStatus = ACTIVE) -> None:
        """See ``add_messages``."""
        await self.add_messages(key, [message], status)

    async def add_messages(self, key: str, messages: list[ChatMessage], status: MessageStatus = ACTIVE) -> None:
        """Adds at the end, all or none.

        Raises:
            InvalidInput: archived messages behind active ones.
        """
        await elsewhere(self._add(key, messages, status))

    async def set_messages(self, key: str, messages: list[ChatMessage], status: MessageStatus = ACTIVE) -> None:
        """Makes these the session's messages, all of one status."""
        await elsewhere(self._set(key, messages, status))

    async def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Erases the message at a place, from 0, archived ones counted; None where there is none."""
        return await elsewhere(self._delete(key, idx))

    async def delete_messages(self, key: str, status: MessageStatus | None = None) -> None:
        """Erases messages of a status, or with None the session."""
        await elsewhere(self._delete_all(key, status))

    async def delete_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Erases the oldest active messages."""
        return await elsewhere(self._delete_oldest(key, n))

    async def archive_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Makes the oldest active messages archived ones."""
        return await elsewhere(self._archive_oldest(key, n))

    async def get_keys(self) -> list[str]:
        """The user's sessions."""
        return await elsewhere(self._kept.keys())

    # -- on the memory's loop

    @property
    def _kept(self) -> Keeping:
        return Keeping(self.memory.inner, self.user_id)

    async def _parts(self, key: str) -> tuple[list[Message], list[Message]]:
        """Archived and active messages."""
        path = await self._kept.messages(key)
        store, scope = self.memory.inner.store, self.memory.inner.scope(self.user_id)
        marks = await store.checkpoints(scope, key, ARCHIVED)
        end = next((at for at, one in enumerate(path, 1) if marks and one.id == marks[0].message_id), 0)
        return path[:end], path[end:]

    async def _of(self, key: str, status: MessageStatus | None) -> list[Message]:
        archived, active = await self._parts(key)
        return [*archived, *active] if status is None else active if status is ACTIVE else archived

    async def _mark(self, key: str, message: Message) -> None:
        """Archived are the messages up to this one."""
        inner = self.memory.inner
        mark = Checkpoint(ARCHIVED, key, message.id, created_at=inner.clock.now())
        await inner.store.put_checkpoint(inner.scope(self.user_id), mark, overwrite=True)

    async def _add(self, key: str, messages: Sequence[ChatMessage], status: MessageStatus) -> None:
        if not messages:
            return
        if status is not ACTIVE and (await self._parts(key))[1]:
            raise InvalidInput("status", "archived messages come before active ones; call archive_oldest_messages")
        await self._kept.add(key, messages)
        if status is not ACTIVE:
            await self._mark(key, (await self._kept.messages(key))[-1])

    async def _set(self, key: str, messages: Sequence[ChatMessage], status: MessageStatus) -> None:
        await self._kept.put(key, messages)
        await self.memory.inner.store.delete_checkpoints(self.memory.inner.scope(self.user_id), key, [ARCHIVED])
        if status is not ACTIVE and messages:
            await self._mark(key, (await self._kept.messages(key))[-1])

    async def _delete(self, key: str, idx: int) -> ChatMessage | None:
        path = await self._kept.messages(key)
        if not 0 <= idx < len(path):
            return None
        await self._kept.forget(key, [path[idx]])
        return to_llama(path[idx])

    async def _delete_all(self, key: str, status: MessageStatus | None) -> None:
        await self._kept.forget(key, None if status is None else await self._of(key, status))

    async def _delete_oldest(self, key: str, n: int) -> list[ChatMessage]:
        oldest = (await self._of(key, ACTIVE))[: max(0, n)]
        await self._kept.forget(key, oldest)
        return [to_llama(one) for one in oldest]

    async def _archive_oldest(self, key: str, n: int) -> list[ChatMessage]:
        oldest = (await self._of(key, ACTIVE))[: max(0, n)]
        if oldest:
            await self._mark(key, oldest[-1])
        return [to_llama(one) for one in oldest]


__all__ = ["ARCHIVED", "JiyiQueueStore"]
