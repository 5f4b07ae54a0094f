"""One turn with a chat model: store what is asked, build the context, ask, store what is answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypedDict

from jiyi import intake
from jiyi.context import Context
from jiyi.errors import ModelError, ModelUnavailable
from jiyi.options import known
from jiyi.spending import ANSWER
from jiyi.types import JSON, Delta, Finish, Message, Scope, Usage
from jiyi.usage import Metered, used_for

if TYPE_CHECKING:
    from jiyi.session import AsyncSession


class Asking(TypedDict, total=False):
    """How ``send`` and ``stream`` ask.

    Attributes:
        max_tokens: tokens of the context, 4000 unless given.
        reply_tokens: tokens of the answer at most; None leaves it to the model.
        allow_partial: shorten the newest message when it alone does not fit, instead of raising.
        query: what recall looks for; None for the newest user message.
    """

    max_tokens: int
    reply_tokens: int | None
    allow_partial: bool
    query: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered.

    Attributes:
        text: the answer; what a reasoning model thought before it is left out.
        message: the answer as it is stored.
        context: what was sent; ``context.explain()`` says where each piece comes from.
        finish: why it ended; ``length`` when ``reply_tokens`` or the model's own limit cut it.
    """

    text: str
    message: Message
    context: Context
    usage: Usage = Usage()
    finish: Finish = "stop"


class AsyncAnswerStream:
    """An answer while it comes in: ``async for piece in stream``; ``aclose()`` stops the model.

    What is asked is stored before the model is called.  An answer that is stopped, cancelled or breaks off is stored as
    far as it came, marked incomplete; ``send(None)`` or ``stream(None)`` then asks again.
    """

    def __init__(self, session: AsyncSession, llm: Metered, scope: Scope, content: object, asking: Asking) -> None:
        # the generator must not know this object: a stream that is dropped halfway is then ended at once
        self._turn = _Turn(session, llm, scope)
        self._pieces = self._turn.pieces(content, asking)

    @property
    def context(self) -> Context | None:
        """What was sent; None before the first piece."""
        return self._turn.context

    @property
    def thought(self) -> str:
        """What a reasoning model has thought so far; it is not stored."""
        return self._turn.thought

    @property
    def message(self) -> Message | None:
        """The answer as it is stored, complete or not; None until then, and when nothing came."""
        return self._turn.message

    @property
    def answer(self) -> Answer | None:
        """The whole answer; None while, and when, it is not complete."""
        return self._turn.answer

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        return await anext(self._pieces)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Stops the model; what it has said is stored.  Does nothing after the end."""
        await self._pieces.aclose()


@dataclass
class _Turn:
    """What an ``AsyncAnswerStream`` shows, and the work behind it."""

    session: AsyncSession
    llm: Metered
    scope: Scope
    context: Context | None = None
    thought: str = ""
    message: Message | None = None
    answer: Answer | None = None

    async def pieces(self, content: object, asking: Asking) -> AsyncGenerator[str, None]:
        if content is None:
            await self.session.unanswered()
        else:
            await self.session.add("user", content)
        self.context = context = await self.session.context(
            asking.get("query"),
            max_tokens=asking.get("max_tokens", 4000),
            allow_partial=asking.get("allow_partial", False),
            instructions=True,
        )
        said: list[str] = []
        last = Delta()
        try:
            with used_for(self.scope, ANSWER, saved=context.saved or 0):
                stream = self.llm.stream(context.messages, max_tokens=asking.get("reply_tokens"))
            async with aclosing(stream) as deltas:
                async for last in deltas:
                    self.thought += last.thought
                    if last.text:
                        said.append(last.text)
                        yield last.text
            if last.finish is None:
                raise ModelUnavailable(f"{self.llm.name} broke off in the middle of an answer; ask again")
            if not said:
                raise ModelError(f"{self.llm.name} answered nothing; ask again, or raise reply_tokens if they are few")
        except BaseException:
            if said:
                await _surely(self._keep("".join(said), {}, incomplete=True))
            raise
        usage = last.usage or Usage(calls=1)
        counts = {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
        message = await _surely(self._keep("".join(said), {"finish": last.finish, **counts}, incomplete=False))
        self.answer = Answer("".join(said), message, context, usage, last.finish)
        await self.llm.write()

    async def _keep(self, text: str, details: Mapping[str, JSON], *, incomplete: bool) -> Message:
        metadata = {"model": self.llm.name, **details}
        self.message = await self.session.add("assistant", text, metadata=metadata, incomplete=incomplete)
        return self.message


async def _surely(storing: Coroutine[Any, Any, Message]) -> Message:
    """Stores to the end, also when the caller is cancelled meanwhile."""
    task = asyncio.ensure_future(storing)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


def check(asking: Mapping[str, object]) -> None:
    """Refuses unknown and wrong arguments before anything is stored.

    Raises:
        InvalidInput: names the field.
    """
    known("argument", asking, Asking)
    for name in ("max_tokens", "reply_tokens"):
        value = asking.get(name)
        if value is not None or name == "max_tokens" and name in asking:
            intake.positive(name, value)
