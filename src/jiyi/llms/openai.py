"""Chat models behind any OpenAI-compatible address: Ollama, DashScope, DeepSeek, vLLM, llama.cpp, OpenAI…"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing

from jiyi.endpoint import DEFAULT, Endpoint, Limits
from jiyi.errors import InvalidInput, ModelError, ModelRejected, ModelUnavailable
from jiyi.llms import serving
from jiyi.llms.body import Piece, chat_body, mend, objection, read, without
from jiyi.providers import Address, resolve
from jiyi.refusals import Refused, wrong_address
from jiyi.thinking import Thinking, answer_of, bare_end
from jiyi.types import JSON, Capacity, ChatMessage, Delta, Finish, Reply, Usage

_PATH = "/chat/completions"
_OURS = frozenset(
    {"max_completion_tokens", "max_tokens", "messages", "model", "response_format", "stream", "stream_options"}
)
_TAIL = 5.0
"""Seconds to wait for the usage, and the end of the stream, once the answer has ended."""

_OPENED = re.compile(r"(?:^|[-_/])r1(?:[-_:]|$)|qwq|thinking", re.IGNORECASE)
"""Models whose chat template opens the thought in the prompt: DeepSeek R1, QwQ, the Qwen 3 thinking models."""


class OpenAIChat:
    """A chat model at an OpenAI-compatible address.

    Every answer is asked for as a stream, also the whole ones, so that a slow model may take its time while one that
    fell silent is noticed.  May be used from several event loops.

    Args:
        model: ``provider:model``, ``provider:model@URL`` (see ``jiyi.providers``), or an address.
        api_key: the key; without one, a provider that needs it is refused.
        limits: how long to wait, how often to try.
        opened: the chat template opens the model's thought in the prompt, so that the reply only closes it; None to
            tell by the model's name and by its replies.
        extra: fields of the server's own, sent in every request, for example ``{"enable_thinking": False}``.

    Raises:
        InvalidInput: no such provider, or no address; ``extra`` has a field that is set here.
        ModelRejected: a key is missing.
        MissingDependency: the package ``openai`` is not installed.
    """

    def __init__(
        self,
        model: str | Address,
        *,
        api_key: str | None = None,
        limits: Limits = DEFAULT,
        opened: bool | None = None,
        extra: Mapping[str, JSON] | None = None,
    ) -> None:
        if taken := sorted(_OURS & set(extra or ())):
            raise InvalidInput("extra", f"cannot hold {', '.join(taken)}, which every request sets itself")
        self.address = resolve(model, key=api_key) if isinstance(model, str) else model
        self.name = self.address.name
        self._endpoint = Endpoint(self.address, limits)
        self._limits = limits
        self._opened = bool(_OPENED.search(self.address.model)) if opened is None else opened
        self._extra = dict(extra or {})
        self._refused: set[str] = set()

    @property
    def refused(self) -> frozenset[str]:
        """What the server was seen to refuse, and is not asked for again: ``json_schema``, ``json_object``,
        ``stream_options``, ``max_tokens`` (by this name).
        """
        return frozenset(self._refused)

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, JSON] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """See ``LLM.complete``."""
        said: list[str] = []
        told = False
        finish: Finish = "stop"
        usage = Usage(1)
        async with aclosing(self._answer(chat_body(self.address, messages, schema, max_tokens))) as pieces:
            async for piece in pieces:
                said.append(piece.text)
                told = told or bool(piece.thought)
                finish, usage = piece.finish or finish, piece.usage or usage
        raw = "".join(said)
        text = answer_of(raw, opened=self._opened and not told, whole=finish == "stop")
        self._learn(raw, told, finish)
        if not text.strip() and (schema is None or finish != "stop"):  # a blank form is read, and asked for again
            raise self._empty(finish)
        return Reply(text, finish, usage)

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int | None = None
    ) -> AsyncGenerator[Delta, None]:
        """See ``LLM.stream``."""
        thinking = Thinking(opened=self._opened)
        raw: list[str] = []
        told = answered = False
        finish: Finish = "stop"
        usage = Usage(1)
        async with aclosing(self._answer(chat_body(self.address, messages, None, max_tokens))) as pieces:
            async for piece in pieces:
                if piece.thought:
                    told = True
                    thinking.told()
                raw.append(piece.text)
                text, thought = thinking.feed(piece.text)
                finish, usage = piece.finish or finish, piece.usage or usage
                answered = answered or bool(text.strip())
                if text or thought or piece.thought:
                    yield Delta(text, piece.thought + thought)
        text, thought = thinking.finish(whole=finish == "stop")
        self._learn("".join(raw), told, finish)
        if not answered and not text.strip():
            raise self._empty(finish)
        yield Delta(text, thought, finish, usage)

    async def models(self) -> Mapping[str, Mapping[str, object]]:
        """The models that the server lists, by name, with what it says of each.

        Raises:
            ModelError: it cannot be reached, or has no such list.
        """
        return await serving.listed(self._endpoint)

    async def capacity(self) -> Capacity:
        """How long prompt and answer may be, as far as the server tells."""
        return await serving.capacity(self._endpoint)

    async def close(self) -> None:
        """See ``LLM.close``; a later call opens new connections."""
        await self._endpoint.close()

    async def _answer(self, body: dict[str, object]) -> AsyncGenerator[Piece, None]:
        """The pieces that say something, and one with finish and usage at the end."""
        body |= self._extra
        for refused in sorted(self._refused, reverse=True):  # a schema before the object that takes its place
            body = without(body, refused)
        pieces, piece = await self._endpoint.persist(lambda: self._begin(body))
        async with aclosing(pieces):
            while piece.finish is None:
                yield piece
                try:
                    async with asyncio.timeout(self._limits.idle):
                        piece = await anext(pieces)
                except TimeoutError:
                    raise self._endpoint.silence(self._limits.idle) from None
            yield piece

    async def _begin(self, body: dict[str, object]) -> tuple[AsyncGenerator[Piece, None], Piece]:
        """Sends the request and waits for the first piece; a request that is refused because of something that could
        be done without goes again without it, and so do all later ones when that helped.
        """
        tried = body
        dropped: set[str] = set()
        while True:
            pieces = self._pieces(tried)
            try:
                first = await anext(pieces)
            except Refused as error:
                refused = None if error.said is None else objection(tried, error.said)
                if refused is None:
                    raise
                dropped.add(refused)
                tried = without(tried, refused)
            except BaseException:
                await pieces.aclose()
                raise
            else:
                self._refused |= dropped
                return pieces, first

    async def _pieces(self, body: dict[str, object]) -> AsyncGenerator[Piece, None]:
        """The events of one request, read; those that say nothing are passed over."""
        finish: Finish | None = None
        usage: Usage | None = None
        events = done = 0
        half = ""  # of a character that a server cut in two, as some do that count in UTF-16
        async with aclosing(self._endpoint.events(_PATH, body)) as stream:
            while True:
                try:
                    async with asyncio.timeout(_TAIL if finish else None):
                        event = await anext(stream)
                except StopAsyncIteration:
                    break
                except (TimeoutError, ModelUnavailable):
                    if finish:  # the answer is there; only its end is not
                        break
                    raise
                if event is None:
                    done = 1
                    break
                piece = read(self.address, event)
                events += isinstance(event, Mapping) and "choices" in event
                finish, usage = piece.finish or finish, piece.usage or usage
                text, half = mend(half + piece.text)
                if text or piece.thought:
                    yield Piece(text, mend(piece.thought)[0])
        if half:
            yield Piece("\ufffd")
        if not finish and not done:
            raise self._cut(events)
        yield Piece(finish=finish or "stop", usage=usage)

    def _learn(self, raw: str, told: bool, finish: Finish) -> None:
        """Whether the thought begins in the prompt is seen from a reply that only closes it, or that never does."""
        if told or finish != "stop":
            return
        if not self._opened:
            self._opened = bare_end(raw) > 0
        elif raw.strip() and answer_of(raw, opened=True) == raw.lstrip():
            self._opened = False

    def _cut(self, events: int) -> ModelError:
        if not events:
            return ModelRejected(f"{self.name}: {wrong_address(self.address)}")
        return ModelUnavailable(f"{self.name}: the answer broke off; {self.address.host} ended it without saying so")

    def _empty(self, finish: Finish) -> ModelError:
        if finish == "filtered":
            return Refused(f"{self.name}: the server's content filter withheld the answer", None)
        if finish == "length":
            return ModelError(
                f"{self.name}: max_tokens was used up before the answer began; give more, since a reasoning model "
                "thinks first"
            )
        return ModelError(f"{self.name}: the model gave an empty answer; ask again, or ask another model")


__all__ = ["OpenAIChat"]
