"""A user's sessions as LlamaIndex's chat store."""

from __future__ import annotations

from typing import Any

from llama_index.core.llms import ChatMessage
from llama_index.core.storage.chat_store.base import BaseChatStore
from pydantic import ConfigDict, Field

from jiyi import intake
from jiyi.integrations.llama_index.keeping import Keeping
from jiyi.integrations.llama_index.messages import to_llama
from jiyi.sync import Memory
from jiyi.waiting import elsewhere, run


class JiyiChatStore(BaseChatStore):
    """A chat store on a memory, for ``ChatMemoryBuffer.from_defaults(chat_store=…, chat_store_key=…)``; a key is a
    session.

    ``set_messages`` makes a list the session's path: what it shares with the beginning of the path is known, and what
    is not in it leaves the path and stays stored.  What is deleted is erased, with what was derived of it.  From any
    thread and any loop.

    Attributes:
        memory: the memory; not part of what the store is dumped as.
        user_id: whose sessions.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory = Field(exclude=True)
    user_id: str

    @classmethod
    def class_name(cls) -> str:
        """See ``BaseChatStore``."""
        return "JiyiChatStore"

    def model_post_init(self, context: Any) -> None:
        """Checks whose it is.

        Raises:
            InvalidInput: names ``user_id``.
        """
        intake.identifier("user_id", self.user_id)

    def set_messages(self, key: str, messages: list[ChatMessage]) -> None:
        """Makes these the session's messages."""
        run(self._kept.put(key, messages))

    async def aset_messages(self, key: str, messages: list[ChatMessage]) -> None:
        """See ``set_messages``."""
        await elsewhere(self._kept.put(key, messages))

    def get_messages(self, key: str) -> list[ChatMessage]:
        """The session's messages in order; none where there is no such session."""
        return run(self._get(key))

    async def aget_messages(self, key: str) -> list[ChatMessage]:
        """See ``get_messages``."""
        return await elsewhere(self._get(key))

    def add_message(self, key: str, message: ChatMessage) -> None:
        """Adds one at the end."""
        run(self._kept.add(key, [message]))

    async def async_add_message(self, key: str, message: ChatMessage) -> None:
        """See ``add_message``."""
        await elsewhere(self._kept.add(key, [message]))

    def delete_messages(self, key: str) -> list[ChatMessage] | None:
        """Erases the session; its messages, or None when there were none."""
        return run(self._delete_all(key))

    async def adelete_messages(self, key: str) -> list[ChatMessage] | None:
        """See ``delete_messages``."""
        return await elsewhere(self._delete_all(key))

    def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Erases the message at a place, from 0, and from the end below 0; None where there is none."""
        return run(self._delete(key, idx))

    async def adelete_message(self, key: str, idx: int) -> ChatMessage | None:
        """See ``delete_message``."""
        return await elsewhere(self._delete(key, idx))

    def delete_last_message(self, key: str) -> ChatMessage | None:
        """Erases the newest message."""
        return run(self._delete(key, -1))

    async def adelete_last_message(self, key: str) -> ChatMessage | None:
        """See ``delete_last_message``."""
        return await elsewhere(self._delete(key, -1))

    def get_keys(self) -> list[str]:
        """The user's sessions."""
        return run(self._kept.keys())

    async def aget_keys(self) -> list[str]:
        """See ``get_keys``."""
        return await elsewhere(self._kept.keys())

    # -- on the memory's loop

    @property
    def _kept(self) -> Keeping:
        return Keeping(self.memory.inner, self.user_id)

    async def _get(self, key: str) -> list[ChatMessage]:
        return [to_llama(message) for message in await self._kept.messages(key)]

    async def _delete_all(self, key: str) -> list[ChatMessage] | None:
        found = await self._get(key)
        await self._kept.forget(key)
        return found or None

    async def _delete(self, key: str, idx: int) -> ChatMessage | None:
        path = await self._kept.messages(key)
        if not -len(path) <= idx < len(path):
            return None
        await self._kept.forget(key, [path[idx]])
        return to_llama(path[idx])


__all__ = ["JiyiChatStore"]
