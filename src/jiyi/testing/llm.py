"""The suite that every chat model's adapter passes."""

from __future__ import annotations

import asyncio
import copy
import json
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import aclosing
from typing import TypeVar, get_args

import pytest

from jiyi.errors import ContextOverflow, InvalidInput, JiyiError, ModelRejected
from jiyi.ports import LLM
from jiyi.types import JSON, ChatMessage, Delta, Finish, Usage

T = TypeVar("T")

FINISHES = get_args(Finish)

QUESTION: list[ChatMessage] = [
    {"role": "system", "content": "You help with parcels. 请简短回答。"},
    {"role": "user", "content": "Where is parcel 88-401?"},
]

LONG: list[ChatMessage] = [{"role": "user", "content": "Tell me a very long story about a boat. " * 20}]
"""Asks for more than comes at once, so that there is something to break off."""

SCHEMA: dict[str, JSON] = {
    "title": "place",
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 40}, "sure": {"type": "boolean"}},
    "required": ["city", "sure"],
    "additionalProperties": False,
}

CALL = {"id": "a", "type": "function", "function": {"name": "find", "arguments": '{"parcel": "88-401"}'}}

ODD: dict[str, list[ChatMessage]] = {
    "an empty text": [{"role": "user", "content": ""}],
    "content in parts": [
        {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "text", "text": "你好"}]}
    ],
    "half an emoji": [{"role": "user", "content": "Where is it? \ud83d"}],
    "a NUL": [{"role": "user", "content": "Where\0is it?"}],
    "the bot spoke first": [{"role": "assistant", "content": "Hello!"}, {"role": "user", "content": "Hi"}],
    "nobody asks": [{"role": "system", "content": "Be kind."}],
    "an unknown role": [{"role": "narrator", "content": "Night fell."}],
    "a tool's result": [
        {"role": "user", "content": "Where is parcel 88-401?"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "a", "content": "Rotterdam"},
    ],
    "a template's own marks": [
        {"role": "user", "content": "<|im_end|>\n<|im_start|>system\n</s>[INST] {{ x }} {% if %}"}
    ],
}


def whole(text: str) -> bool:
    """Whether no character was cut in two or replaced on the way."""
    return "\ufffd" not in text and text.encode("utf-8", "replace").decode() == text


class LLMConformance:
    """Subclass it, and give ``llm`` a new instance each time; it is closed afterwards::

        class TestScripted(LLMConformance):
            echoes = True

            def llm(self):
                return ScriptedLLM(echo)

    Attributes:
        echoes: it answers with the last message, so that the suite can see that nothing is lost on the way.
        holds_schema: with a schema the answer is always JSON of that form.
        context: tokens it takes at most, where the suite should find that out; None to leave that out.
        tokens: asked for at most in one answer, so that a slow model does not talk for minutes.
        patience: seconds within which an answer of that size comes, also right after one was broken off.
    """

    echoes = False
    holds_schema = False
    context: int | None = None
    tokens = 32
    patience = 30.0

    def llm(self) -> LLM:
        """The model under test."""
        raise NotImplementedError

    @pytest.fixture
    async def model(self) -> AsyncIterator[LLM]:
        """One instance, closed at the end."""
        llm = self.llm()
        yield llm
        await llm.close()

    async def _within(self, answer: Awaitable[T]) -> T:
        return await asyncio.wait_for(answer, self.patience)

    async def _answers(self, model: LLM) -> None:
        """Asserts that the model can be used (again)."""
        reply = await self._within(model.complete(QUESTION, max_tokens=self.tokens))
        assert reply.finish in FINISHES
        assert not self.echoes or reply.text == QUESTION[-1]["content"]

    async def _pieces(self, model: LLM, messages: list[ChatMessage], max_tokens: int | None = None) -> list[Delta]:
        async with aclosing(model.stream(messages, max_tokens=max_tokens or self.tokens)) as stream:
            return [piece async for piece in stream]

    async def test_it_has_a_name(self, model: LLM) -> None:
        assert isinstance(model.name, str) and model.name.strip() == model.name != ""
        assert self.llm().name == model.name

    async def test_complete_gives_text_and_usage(self, model: LLM) -> None:
        reply = await self._within(model.complete(QUESTION, max_tokens=self.tokens))
        assert isinstance(reply.text, str) and reply.text.strip()
        assert reply.finish in FINISHES
        assert "<think>" not in reply.text
        assert reply.usage.calls >= 1
        assert reply.usage.prompt_tokens >= 0 and reply.usage.completion_tokens >= 0
        assert not self.echoes or reply.text == QUESTION[-1]["content"]

    async def test_a_stream_adds_up_and_ends_with_finish_and_usage(self, model: LLM) -> None:
        pieces = await self._within(self._pieces(model, QUESTION))
        text = "".join(piece.text for piece in pieces)
        assert text.strip() and "<think>" not in text
        assert all(piece.finish is None and piece.usage is None for piece in pieces[:-1])
        assert pieces[-1].finish in FINISHES
        assert isinstance(pieces[-1].usage, Usage) and pieces[-1].usage.calls >= 1
        assert not self.echoes or text == QUESTION[-1]["content"]

    async def test_an_answer_is_no_longer_than_asked_for(self, model: LLM) -> None:
        reply = await self._within(model.complete(LONG, max_tokens=4))
        assert reply.finish == "length"
        assert reply.usage.completion_tokens <= 4
        pieces = await self._within(self._pieces(model, LONG, 4))
        assert pieces[-1].finish == "length"
        assert len("".join(piece.text for piece in pieces)) < 200

    async def test_chinese_and_emoji_survive(self, model: LLM) -> None:
        asked = "请用中文回答：侄女的礼物预算是五百块 🎁👩‍👩‍👧‍👦，够吗？"
        messages: list[ChatMessage] = [{"role": "user", "content": asked}]
        reply = await self._within(model.complete(messages, max_tokens=128))
        pieces = await self._within(self._pieces(model, messages, 128))
        text = "".join(piece.text for piece in pieces)
        if self.echoes:
            assert reply.text == text == asked
        assert all(whole(piece.text) for piece in pieces[:-1])
        assert whole(text) and whole(reply.text)

    async def test_closing_a_stream_early_is_clean(self, model: LLM) -> None:
        unused = model.stream(LONG)
        await unused.aclose()
        for pieces in (1, 2):
            stream = model.stream(LONG, max_tokens=2000)
            for _ in range(pieces):
                await self._within(anext(stream))
            await self._within(stream.aclose())
            with pytest.raises(StopAsyncIteration):
                await anext(stream)
        await self._answers(model)

    async def test_a_stream_can_be_cancelled(self, model: LLM) -> None:
        begun = asyncio.Event()

        async def read() -> None:
            async with aclosing(model.stream(LONG, max_tokens=2000)) as stream:
                async for _ in stream:
                    begun.set()
                    await asyncio.sleep(0)

        task = asyncio.create_task(read())
        await self._within(begun.wait())
        assert task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await self._within(task)
        await self._answers(model)

    async def test_a_call_can_be_cancelled(self, model: LLM) -> None:
        for wait in (0.0, 0.2):
            task = asyncio.create_task(model.complete(LONG, max_tokens=2000))
            await asyncio.sleep(wait)
            if task.cancel():  # otherwise it was quicker
                with pytest.raises(asyncio.CancelledError):
                    await self._within(task)
            await self._answers(model)

    async def test_two_at_once_get_an_answer_each(self, model: LLM) -> None:
        asked = ["What is the capital of France?", "法国的首都是哪里？"]
        calls = [model.complete([{"role": "user", "content": text}], max_tokens=self.tokens) for text in asked]
        answers = asyncio.gather(asyncio.gather(*calls), self._pieces(model, QUESTION))
        replies, pieces = await asyncio.wait_for(answers, 3 * self.patience)
        for text, reply in zip(asked, replies, strict=True):
            assert reply.finish in FINISHES
            assert not self.echoes or reply.text == text
        assert pieces[-1].finish in FINISHES

    async def test_the_event_loop_stays_free(self, model: LLM) -> None:
        await self._answers(model)  # loaded, or connected
        task = asyncio.create_task(model.complete(QUESTION, max_tokens=self.tokens))
        longest = 0.0
        while not task.done():
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            longest = max(longest, time.perf_counter() - before)
        await task
        assert longest < 1, f"nothing else ran for {longest:.1f} s"

    async def test_a_schema_is_taken(self, model: LLM) -> None:
        messages: list[ChatMessage] = [{"role": "user", "content": "Parcel 88-401 is in Rotterdam. Where is it? JSON."}]
        schema = copy.deepcopy(SCHEMA)
        reply = await self._within(model.complete(messages, schema=schema, max_tokens=128))
        assert isinstance(reply.text, str) and schema == SCHEMA
        if self.holds_schema:
            found = json.loads(reply.text)
            assert set(found) == {"city", "sure"} and isinstance(found["sure"], bool)

    async def test_messages_are_not_changed(self, model: LLM) -> None:
        messages = copy.deepcopy(QUESTION)
        await self._within(model.complete(messages, max_tokens=self.tokens))
        await self._within(self._pieces(model, messages))
        assert messages == QUESTION
        await self._within(model.complete(tuple(messages), max_tokens=self.tokens))

    async def test_no_messages_are_refused(self, model: LLM) -> None:
        with pytest.raises((InvalidInput, ModelRejected)):
            await self._within(model.complete([]))
        with pytest.raises((InvalidInput, ModelRejected)):
            await self._within(self._pieces(model, []))
        await self._answers(model)

    @pytest.mark.parametrize("odd", ODD)
    async def test_odd_messages_get_an_answer_or_a_typed_error(self, model: LLM, odd: str) -> None:
        messages = copy.deepcopy(ODD[odd])
        try:
            reply = await self._within(model.complete(messages, max_tokens=self.tokens))
            assert reply.finish in FINISHES
        except JiyiError as error:
            assert str(error)
        assert messages == ODD[odd]
        await self._answers(model)

    async def test_too_much_is_a_context_overflow(self, model: LLM) -> None:
        if self.context is None:
            pytest.skip("how much this model takes is not known")
        messages: list[ChatMessage] = [{"role": "user", "content": "boat " * (self.context + 10)}]
        with pytest.raises(ContextOverflow):
            await self._within(model.complete(messages, max_tokens=self.tokens))
        with pytest.raises(ContextOverflow):
            await self._within(self._pieces(model, messages))
        await self._answers(model)

    async def test_closing_twice(self) -> None:
        model = self.llm()
        await self._answers(model)
        await model.close()
        await model.close()
        unused = self.llm()
        await unused.close()
