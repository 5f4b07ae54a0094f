"""A user's memory as a block of LlamaIndex's ``Memory``."""

from __future__ import annotations

from typing import Any

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import BaseMemoryBlock
from pydantic import ConfigDict, Field

from jiyi import intake
from jiyi.copies import copied
from jiyi.integrations.composing import compose
from jiyi.integrations.llama_index.keeping import Keeping
from jiyi.sync import Memory
from jiyi.tokens import count_message
from jiyi.waiting import elsewhere
from jiyi.wire import chat_message

_SESSION = "session_id"  # what LlamaIndex writes beside a message that leaves its queue


class JiyiMemoryBlock(BaseMemoryBlock[str]):
    """What the user's memory has for the newest message, for ``Memory.from_defaults(memory_blocks=[…])``.

    Messages that leave LlamaIndex's queue are stored word for word, and from then on found in every session of the
    user; what is derived of them too.  Where a ``JiyiQueueStore`` of the same user keeps the queue they are stored
    already: give ``accept_short_term_memory=False`` then.

    Attributes:
        memory: the memory; not part of what the block is dumped as.
        user_id: whose.
        max_tokens: of what it gives, counted by the memory's tokenizer.
        session_id: where messages go of which LlamaIndex names no session.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str = "jiyi"
    memory: Memory = Field(exclude=True)
    user_id: str
    max_tokens: int = Field(1000, gt=0)
    session_id: str = "llama-index"

    def model_post_init(self, context: Any) -> None:
        """Checks whose it is.

        Raises:
            InvalidInput: names ``user_id`` or ``session_id``.
        """
        intake.identifier("user_id", self.user_id)
        intake.identifier("session_id", self.session_id)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        asked = next((one.content for one in reversed(messages or []) if one.role == "user" and one.content), "")
        return await elsewhere(self._recalled(asked, str(block_kwargs.get(_SESSION) or self.session_id)))

    async def _aput(self, messages: list[ChatMessage]) -> None:
        await elsewhere(self._keep(messages))

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """The beginning of it that leaves so many tokens out, in whole lines; None for nothing."""
        counter = self.memory.inner.counter
        lines = content.split("\n")
        room = counter.count(content) - tokens_to_truncate
        while lines and counter.count("\n".join(lines)) > room:
            lines.pop()
        return "\n".join(lines) if len(lines) > 1 else None  # the first line only says what follows

    # -- on the memory's loop

    async def _recalled(self, question: str, session_id: str) -> str:
        inner = self.memory.inner
        aside = inner.session(user_id=self.user_id, off_record=True)  # so that what left the queue is recalled too
        room = self.max_tokens
        newest = await inner.session(session_id, user_id=self.user_id).messages(1)
        if newest and newest[0].text == question:  # a queue on this memory has it; it would be its own best answer
            asked = await aside.add("user", question, metadata=copied(newest[0], aside.id).metadata)
            room += count_message(inner.counter, chat_message(asked))
        return (await compose(inner, aside, question or None, room)).section

    async def _keep(self, messages: list[ChatMessage]) -> None:
        kept = Keeping(self.memory.inner, self.user_id)
        for message in messages:
            told = message.additional_kwargs.get(_SESSION)
            plain = {key: value for key, value in message.additional_kwargs.items() if key != _SESSION}
            await kept.add(str(told or self.session_id), [message.model_copy(update={"additional_kwargs": plain})])


__all__ = ["JiyiMemoryBlock"]
