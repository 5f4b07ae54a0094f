"""Counts what a chat model is used for, and for whom."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from jiyi.errors import ModelError
from jiyi.ports import LLM, Caching, TokenCounter
from jiyi.spending import Spending
from jiyi.tokens import count_messages
from jiyi.types import JSON, ChatMessage, Delta, Reply, Scope, Usage


class Replies:
    """What a model has said in one piece of work, for when that is done again: nothing is asked twice then."""

    def __init__(self) -> None:
        self._said: dict[str, list[Reply]] = {}
        self._given: dict[str, int] = {}

    def rewind(self) -> None:
        """The work begins anew."""
        self._given.clear()

    def next(self, asked: str) -> Reply | None:
        """The reply to this question that is next in order; None when the model has to be asked."""
        at = self._given.get(asked, 0)
        self._given[asked] = at + 1
        said = self._said.get(asked, ())
        return said[at] if at < len(said) else None

    def keep(self, asked: str, reply: Reply) -> None:
        """Keeps what the model has said now."""
        self._said.setdefault(asked, []).append(reply)


@dataclass(frozen=True, slots=True)
class Purpose:
    """Whose a call is, and what for."""

    scope: Scope
    name: str
    saved: int = 0
    replies: Replies | None = None


_purpose: ContextVar[Purpose | None] = ContextVar("purpose", default=None)


@contextmanager
def used_for(
    scope: Scope, purpose: str, *, saved: int = 0, replies: Replies | None = None
) -> Generator[None, None, None]:
    """Calls that begin inside, and in tasks that are made inside, are counted for this.

    Args:
        scope: whose.
        purpose: a step's name, or ``spending.ANSWER``.
        saved: tokens that a whole answer does not need, because not all of the history is sent.
        replies: of whole answers that this work has had before.
    """
    token = _purpose.set(Purpose(scope, purpose, saved, replies))
    try:
        yield
    finally:
        _purpose.reset(token)


@dataclass
class _Seen:
    """What is known of a call so far.  ``refused``: it never reached the model."""

    usage: Usage = Usage()
    said: str = ""
    whole: bool = False
    refused: bool = False


class Metered:
    """An ``LLM`` that passes everything on and adds up the usage, failed calls included.

    Tokens are the server's where it says them, else they are counted with the memory's counter: a whole answer without
    them, and what was asked and said before a reply broke off or was stopped.  A call that did not reach its model
    counts as a call of no tokens.

    Attributes:
        usage: since the memory was opened.
    """

    def __init__(self, llm: LLM, spending: Spending, counter: TokenCounter) -> None:
        self.name = llm.name
        self.usage = Usage()
        self._llm = llm
        self._spending = spending
        self._counter = counter

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, JSON] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """See ``LLM.complete``.

        Raises:
            LimitReached: the user it is for has used up the day's tokens.
        """
        purpose = _purpose.get()
        replies = None if purpose is None else purpose.replies
        asked = "" if replies is None else json.dumps([self.name, messages, schema, max_tokens], default=str)
        if replies is not None and (known := replies.next(asked)) is not None:
            return known
        async with self._counted(purpose, messages, max_tokens) as seen:
            reply = await self._llm.complete(messages, schema=schema, max_tokens=max_tokens)
            seen.usage, seen.said, seen.whole = reply.usage, reply.text, True
        if replies is not None:
            replies.keep(asked, reply)
        await self.write()
        return reply

    def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int | None = None) -> AsyncGenerator[Delta, None]:
        """See ``LLM.stream``; what it is used for is told by where this is called."""
        return self._stream(_purpose.get(), messages, max_tokens)

    async def _stream(
        self, purpose: Purpose | None, messages: Sequence[ChatMessage], max_tokens: int | None
    ) -> AsyncGenerator[Delta, None]:
        async with (
            self._counted(purpose, messages, max_tokens) as seen,
            aclosing(self._llm.stream(messages, max_tokens=max_tokens)) as deltas,
        ):
            async for delta in deltas:
                seen.said += delta.thought + delta.text
                seen.usage = delta.usage or seen.usage
                seen.whole = delta.finish is not None
                yield delta

    async def write(self) -> None:
        """Stores what was counted.  After a stream the caller says when: what was answered is stored first."""
        await self._spending.write()

    async def close(self) -> None:
        """See ``LLM.close``."""
        await self._llm.close()

    def clear(self) -> None:
        """See ``Caching.clear``."""
        if isinstance(self._llm, Caching):
            self._llm.clear()

    @asynccontextmanager
    async def _counted(
        self, purpose: Purpose | None, messages: Sequence[ChatMessage], max_tokens: int | None
    ) -> AsyncGenerator[_Seen, None]:
        seen, reserved = _Seen(), 0
        if purpose is not None:
            reserved = await self._spending.admit(
                purpose.scope, lambda: count_messages(self._counter, messages) + (max_tokens or 0)
            )
        try:
            yield seen
        except (ModelError, OSError, ImportError) as error:
            seen.refused = type(error) is not ModelError and not seen.said  # that one is about what was answered
            raise
        finally:  # nothing is awaited here: the call may have been cancelled
            usage = self._usage_of(seen, messages)
            self.usage += usage
            if purpose is not None:
                saved = purpose.saved if seen.whole else 0
                self._spending.add(purpose.scope, purpose.name, usage, saved=saved, reserved=reserved)

    def _usage_of(self, seen: _Seen, messages: Sequence[ChatMessage]) -> Usage:
        if seen.refused or seen.usage.tokens:
            return Usage(1, seen.usage.prompt_tokens, seen.usage.completion_tokens)
        return Usage(1, count_messages(self._counter, messages), self._counter.count(seen.said))
