"""A chat model that says what a test wrote down for it."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast

from jiyi.errors import InvalidInput
from jiyi.tokens import Estimate, count_message
from jiyi.types import JSON, ChatMessage, Delta, Reply, Usage

_COUNT = Estimate()


@dataclass(frozen=True)
class Streamed:
    """A reply with something to it: thoughts, or a stream that breaks off.

    Attributes:
        text: the answer, or as much of it as is said before it breaks.
        thought: what the model thinks before; never part of the answer.
        error: raised after the text.
        hangs: after the text nothing more comes until the caller gives up.
    """

    text: str = ""
    thought: str = ""
    error: BaseException | None = None
    hangs: bool = False


@dataclass
class Call:
    """One request as it reached the model.

    Attributes:
        messages: a copy, so that what the caller does to its own later is not seen here.
        streamed: asked for through ``stream``.
        ended: how: ``whole``, ``error``, or ``closed`` when the caller cancelled it or closed the stream.
    """

    messages: list[ChatMessage]
    schema: Mapping[str, JSON] | None = None
    max_tokens: int | None = None
    streamed: bool = False
    ended: Literal["", "whole", "error", "closed"] = ""
    text: str = field(default="", repr=False)

    @property
    def last(self) -> str:
        """The text of the last message."""
        return text_of(self.messages[-1])

    @property
    def all_text(self) -> str:
        """The text of all messages, to look for what should, or must not, have reached the model."""
        return "\n".join(text_of(message) for message in self.messages)


Answer: TypeAlias = str | Reply | Streamed | BaseException
Script: TypeAlias = Sequence[Answer] | Mapping[str, Answer | Sequence[Answer]] | Callable[[Call], Answer]


class ScriptedLLM:
    """An ``LLM`` for tests.  Keeps every request in ``calls``; a call that the script has no answer for, or one after
    ``close``, is an AssertionError.

    Usage is counted with ``jiyi.tokens.Estimate``; an answer longer than ``max_tokens`` by that count is cut, and ends
    with ``length``.

    Args:
        script: what it says.  A list: one answer a call, in order.  A mapping: the answer of the first key that is the
            ``title`` of the schema, stands in the last message, or in the first one; a list there is used up in order.
            A function gets the ``Call``.  An answer is a text, a ``Reply`` (its usage is counted when it has none), a
            ``Streamed``, or an exception, which is raised.
        name: as of any model.
        piece: code points of one piece of a stream.
    """

    def __init__(self, script: Script = (), *, name: str = "scripted", piece: int = 4) -> None:
        self.name = name
        self.calls: list[Call] = []
        self.closed = False
        self._piece = piece
        self._script = script
        self._used: dict[str, int] = {}

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, JSON] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """See ``LLM.complete``.  A reply that breaks off or hangs does so here too, without a text."""
        call = self._begin(messages, schema, max_tokens, streamed=False)
        text, last = "", Delta()
        async with aclosing(self._play(call)) as deltas:
            async for last in deltas:
                text += last.text
        assert last.finish is not None and last.usage is not None
        return Reply(text, last.finish, last.usage)

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int | None = None
    ) -> AsyncGenerator[Delta, None]:
        """See ``LLM.stream``."""
        async with aclosing(self._play(self._begin(messages, None, max_tokens, streamed=True))) as deltas:
            async for delta in deltas:
                yield delta

    async def close(self) -> None:
        """See ``LLM.close``."""
        self.closed = True

    @property
    def usage(self) -> Usage:
        """What all whole answers so far took."""
        return sum((_usage(call) for call in self.calls if call.ended == "whole"), Usage())

    def _begin(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, JSON] | None, max_tokens: int | None, streamed: bool
    ) -> Call:
        if not messages:
            raise InvalidInput("messages", "must not be empty: give at least one message to answer")
        call = Call(copy.deepcopy(list(messages)), copy.deepcopy(schema), max_tokens, streamed)
        self.calls.append(call)
        assert not self.closed, f"{self.name} was called after close(): {call.last[:200]!r}"
        return call

    async def _play(self, call: Call) -> AsyncGenerator[Delta, None]:
        """The pieces of the answer to a call."""
        reply, said = _taken_apart(self._answer(call))
        call.ended = "closed"  # unless it gets to its end below
        await asyncio.sleep(0)
        call.text = said.text if call.max_tokens is None else _COUNT.cut(said.text, call.max_tokens)
        for start in range(0, len(said.thought), self._piece):
            yield Delta(thought=said.thought[start : start + self._piece])
            await asyncio.sleep(0)
        for start in range(0, len(call.text), self._piece):
            yield Delta(call.text[start : start + self._piece])
            await asyncio.sleep(0)
        if said.hangs:
            await asyncio.Event().wait()
        if said.error is not None:
            call.ended = "error"
            raise said.error
        call.ended = "whole"
        finish = reply.finish if call.text == said.text else "length"
        yield Delta(finish=finish, usage=reply.usage if reply.usage != Usage() else _usage(call))

    def _answer(self, call: Call) -> Answer:
        script = self._script
        if callable(script):
            return script(call)
        if not isinstance(script, Mapping):
            return self._next("", script, call)
        title = (call.schema or {}).get("title")
        last, first = call.last, text_of(call.messages[0])
        keys = [key for key in script if key == title]
        keys += [key for key in script if key in last] + [key for key in script if key in first]
        assert keys, f"{self.name} has no answer for {last[:200]!r}; its keys are {list(script)}"
        answers = script[keys[0]]
        single = isinstance(answers, str | Reply | Streamed | BaseException)
        return answers if single else self._next(keys[0], answers, call)

    def _next(self, key: str, answers: Sequence[Answer], call: Call) -> Answer:
        at = self._used.get(key, 0)
        self._used[key] = at + 1
        what = f" for {key!r}" if key else ""
        assert at < len(answers), f"{self.name} has only {len(answers)} answers{what}; asked again: {call.last[:200]!r}"
        return answers[at]


def _taken_apart(answer: Answer) -> tuple[Reply, Streamed]:
    """How an answer ends, and what is said until then."""
    if isinstance(answer, Reply):
        return answer, Streamed(answer.text)
    if isinstance(answer, BaseException):
        return Reply(""), Streamed(error=answer)
    return Reply(""), answer if isinstance(answer, Streamed) else Streamed(answer)


def echo(call: Call) -> str:
    """A script that answers with the last message."""
    return call.last


def text_of(message: ChatMessage) -> str:
    """The words of a message in chat-completions format, parts joined by newlines."""
    content = message.get("content")
    if not isinstance(content, list | tuple):
        return "" if content is None else str(content)
    parts = cast("Sequence[Mapping[str, object]]", content)
    return "\n".join(str(part["text"]) for part in parts if "text" in part)


def _usage(call: Call) -> Usage:
    return Usage(1, 3 + sum(count_message(_COUNT, message) for message in call.messages), _COUNT.count(call.text))
