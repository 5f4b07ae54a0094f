"""Counts what a chat model is used for."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing

from jiyi.ports import LLM, Caching
from jiyi.types import JSON, ChatMessage, Delta, Reply, Usage


class Metered:
    """An ``LLM`` that passes everything on and adds up the usage, failed calls included.

    Attributes:
        usage: since the memory was opened.
    """

    def __init__(self, llm: LLM) -> None:
        self.name = llm.name
        self.usage = Usage()
        self._llm = llm

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, JSON] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """See ``LLM.complete``."""
        self.usage += Usage(calls=1)
        reply = await self._llm.complete(messages, schema=schema, max_tokens=max_tokens)
        self._count(reply.usage)
        return reply

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int | None = None
    ) -> AsyncGenerator[Delta, None]:
        """See ``LLM.stream``."""
        self.usage += Usage(calls=1)
        async with aclosing(self._llm.stream(messages, max_tokens=max_tokens)) as deltas:
            async for delta in deltas:
                self._count(delta.usage)
                yield delta

    async def close(self) -> None:
        """See ``LLM.close``."""
        await self._llm.close()

    def clear(self) -> None:
        """See ``Caching.clear``."""
        if isinstance(self._llm, Caching):
            self._llm.clear()

    def _count(self, usage: Usage | None) -> None:
        if usage is not None:
            self.usage += Usage(0, usage.prompt_tokens, usage.completion_tokens)
