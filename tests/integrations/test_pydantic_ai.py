"""The message history of pydantic-ai, under its real agents with its own stand-ins for models."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, ImageUrl, ModelMessagesTypeAdapter
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryFeedbackPart,
    RetryInfo,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from jiyi import InvalidInput, Memory
from jiyi.config import Settings
from jiyi.intake import given as drafts
from jiyi.integrations.pydantic_ai import JiyiHistory
from jiyi.integrations.pydantic_messages import from_messages, to_messages
from jiyi.testing import FakeClock

pytestmark = pytest.mark.integration("pydantic-ai-slim")

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    options: Any = {"embedder": None, "tokenizer": "estimate", "clock": FakeClock(), "settings": Settings()}
    with Memory.open(tmp_path / "jiyi.db", **options) as opened:
        yield opened


def roles(memory: Memory) -> list[str]:
    return [message.role for message in memory.session("s", user_id="ada").messages()]


# -- conversions

MESSAGES: list[ModelMessage] = [
    ModelRequest([SystemPromptPart("Be brief.", timestamp=AT), UserPromptPart("Book room 4.", timestamp=AT)], timestamp=AT),
    ModelRequest([UserPromptPart(["这是谁？", ImageUrl("https://x/y.png"), TextContent("and this", metadata={"a": 1})], timestamp=AT)]),
    ModelRequest([UserPromptPart([BinaryContent(b"\x00\xff", media_type="image/png"), "看图"], timestamp=AT)], instructions="短一点。"),
    ModelResponse([ThinkingPart("a room", signature="s"), TextPart("Let me see."), ToolCallPart("book", {"room": 4}, tool_call_id="c1"), ToolCallPart("book", '{"room": 5}', tool_call_id="c2")], timestamp=AT, model_name="m"),
    ModelRequest([ToolReturnPart("book", "booked", tool_call_id="c1", timestamp=AT), ToolReturnPart("book", {"房": [5]}, tool_call_id="c2", timestamp=AT)], run_id="r", metadata={"k": "v"}),
    ModelRequest([RetryFeedbackPart("Say it in JSON.", retry=RetryInfo(cause="model_retry", attempt=1, max_retries=2), timestamp=AT)]),
    ModelRequest([], instructions="Go on."),
    ModelResponse([TextPart("One."), TextPart("二。")], timestamp=AT),
    ModelResponse([], timestamp=AT),
    ModelResponse([ToolCallPart("final_result", {"ok": True}, tool_call_id="c3")], timestamp=AT),
]  # fmt: skip


@given(st.lists(st.sampled_from(MESSAGES), max_size=8))
def test_any_history_comes_back_as_it_was(messages: list[ModelMessage]) -> None:
    kept = drafts(to_messages(messages, session_id="s"), "s", now=FakeClock().now())
    assert len({message.id for message in kept}) == len(kept)
    assert ModelMessagesTypeAdapter.dump_json(from_messages(kept)) == ModelMessagesTypeAdapter.dump_json(messages)
    assert from_messages(kept) == ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(messages))


def test_what_somebody_said_is_theirs() -> None:
    found = [(message["role"], message["content"]) for message in to_messages(MESSAGES[:1] + MESSAGES[3:5])]
    assert found == [
        ("system", "Be brief."),
        ("user", "Book room 4."),
        ("assistant", "Let me see."),
        ("tool", "booked"),
        ("tool", '{"房": [5]}'),
    ]
    calls: Any = to_messages(MESSAGES[3:4])[0]["tool_calls"]
    assert [call["function"]["arguments"] for call in calls] == ['{"room": 4}', '{"room": 5}']


def test_words_are_not_written_twice() -> None:
    assert "Book room 4." not in str(to_messages(MESSAGES[:1])[1]["metadata"])


def test_messages_of_another_source_become_history(memory: Memory) -> None:
    chat = memory.session("s", user_id="ada")
    chat.add("system", "Be brief.")
    chat.add("user", [{"type": "text", "text": "看图"}, {"type": "image_url", "image_url": {"url": "https://x/y.png"}}])
    chat.add("assistant", "Yes.", tool_calls=[{"id": "c", "function": {"name": "book", "arguments": "{}"}}])
    chat.add("tool", "booked", tool_call_id="c")
    found = JiyiHistory(memory, "s", user_id="ada").load()
    assert [type(part).__name__ for message in found for part in message.parts] == [
        "SystemPromptPart", "UserPromptPart", "TextPart", "ToolCallPart", "ToolReturnPart",
    ]  # fmt: skip
    returned: Any = found[-1].parts[0]
    assert returned.tool_name == "book" and returned.content == "booked"


# -- load and save around runs


def test_several_runs_with_tools_and_a_structured_answer(memory: Memory) -> None:
    class Booking(BaseModel):
        room: int

    desk = Agent(TestModel(), output_type=Booking, system_prompt="You book rooms.")

    @desk.tool_plain
    def book(room: int) -> str:
        return f"room {room} is booked"

    async def talk() -> Any:
        history = JiyiHistory(memory, "s", user_id="ada")
        result = await desk.run("Book room 4 for Monday.", message_history=await history.aload())
        await history.asave(result.new_messages())
        again = JiyiHistory(memory, "s", user_id="ada")
        result = await desk.run("我订了哪间房？", message_history=await again.aload())
        await again.asave(result.new_messages())
        return result.all_messages()

    everything = asyncio.run(talk())
    assert JiyiHistory(memory, "s", user_id="ada").load() == everything
    assert roles(memory) == [
        "system",
        *["user", "assistant", "tool", "assistant", "tool"],
        *["user", "assistant", "tool"],
    ]
    assert "booked" in memory.search("which room is booked", user_id="ada")[0].text


async def test_in_a_running_loop_without_await_and_in_threads(memory: Memory) -> None:
    history = JiyiHistory(memory, "s", user_id="ada")
    history.save(MESSAGES[:1])
    assert history.load() == MESSAGES[:1]
    loads = [asyncio.to_thread(asyncio.run, history.aload()) for _ in range(4)]
    assert await asyncio.gather(*loads) == [MESSAGES[:1]] * 4


# -- nothing twice, and nothing too few


def test_what_is_saved_again_is_kept_once(memory: Memory) -> None:
    history = JiyiHistory(memory, "s", user_id="ada")
    for count in (1, 4, 4, 10):
        history.save(MESSAGES[:count])
    assert history.load() == ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(MESSAGES))
    JiyiHistory(memory, "t", user_id="ada").save(MESSAGES[:1])
    assert JiyiHistory(memory, "t", user_id="ada").load() == MESSAGES[:1]
    assert JiyiHistory(memory, "s", user_id="bob").load() == []


async def test_what_is_said_twice_is_kept_twice(memory: Memory) -> None:
    history = JiyiHistory(memory, "s", user_id="ada")
    desk = Agent(TestModel(custom_output_text="好"), capabilities=[history.capability()])
    for _ in range(2):
        await desk.run("ok")
    texts = [message.text for message in memory.session("s", user_id="ada").messages()]
    assert texts == ["ok", "好", "ok", "好"]


async def test_a_failed_run_that_is_tried_again(memory: Memory) -> None:
    tries: list[int] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        tries.append(len(messages))
        if len(tries) == 1:
            raise RuntimeError("down")
        return ModelResponse([TextPart("Booked.")])

    desk = Agent(FunctionModel(model), capabilities=[JiyiHistory(memory, "s", user_id="ada").capability()])
    with pytest.raises(RuntimeError):
        await desk.run("Book room 4 for Monday.")
    await desk.run("Book room 4 for Monday.")
    assert roles(memory) == ["user", "assistant"]


# -- memory before the model


async def test_the_model_gets_what_is_remembered_and_the_run_is_kept(memory: Memory) -> None:
    before = memory.session("before", user_id="ada")
    before.add("user", "Our cat Miso is allergic to chicken, so she only eats salmon.")
    before.add("user", "我女儿的生日是三月八号。")
    memory.drain()
    seen: list[list[ModelMessage]] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(messages)
        if any(part.part_kind == "tool-return" for part in messages[-1].parts):
            return ModelResponse([TextPart("Salmon. " + "Nothing else happened. " * 10)])
        return ModelResponse([ToolCallPart("look", {}, tool_call_id=f"c{len(seen)}")])

    history = JiyiHistory(memory, "s", user_id="ada", max_tokens=500)
    desk = Agent(FunctionModel(model), instructions="Be brief.", capabilities=[history.capability()])

    @desk.tool_plain
    def look() -> str:
        return "looked"

    for n in range(6):
        await desk.run(f"Small talk number {n}")
    result = await desk.run("What does our cat Miso eat?")
    first: Any = seen[-1][0].parts[0]
    assert isinstance(first, SystemPromptPart) and "salmon" in first.content
    assert 4 < len(seen[-1]) < 7 * 4
    assert seen[-1][-3].parts[-1].content == "What does our cat Miso eat?"  # type: ignore[union-attr]
    assert not any(isinstance(part, SystemPromptPart) for message in result.all_messages() for part in message.parts)
    assert len(result.new_messages()) == 4
    await desk.run("我女儿的生日是哪天？", message_history=await history.aload())
    first = seen[-1][0].parts[0]
    assert "三月八号" in first.content
    assert roles(memory) == ["user", "assistant", "tool", "assistant"] * 8
    assert history.load()[-1].parts[0].content.startswith("Salmon")  # type: ignore[union-attr]


async def test_a_streamed_run_is_kept_too(memory: Memory) -> None:
    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        for word in ("你", "好，", "Ada"):
            yield word

    desk = Agent(
        FunctionModel(stream_function=stream), capabilities=[JiyiHistory(memory, "s", user_id="ada").capability()]
    )
    async with desk.run_stream("hello") as result:
        assert await result.get_output() == "你好，Ada"
    assert [message.text for message in memory.session("s", user_id="ada").messages()] == ["hello", "你好，Ada"]


def test_a_wrong_budget() -> None:
    with Memory.open("memory:", embedder=None) as memory, pytest.raises(InvalidInput, match="max_tokens"):
        JiyiHistory(memory, "s", user_id="ada", max_tokens=0)


def test_no_reference_to_a_file_goes_to_the_model(memory: Memory) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGVsbG8="}}
    memory.session("other", user_id="ada").add("user", [picture, {"type": "text", "text": "这是什么？"}])
    (request,) = JiyiHistory(memory, "other", user_id="ada").load()
    part: Any = request.parts[0]
    assert part.content == ["[image/png, 5 B]", "这是什么？"]
