"""The session of OpenAI's Agents SDK, under its real Runner with scripted models."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, RunConfig, Runner, function_tool, handoff
from agents.memory import Session, SessionSettings
from agents.testing.model import ModelStep, ScriptedModel, assistant_message, function_call
from hypothesis import given
from hypothesis import strategies as st

from jiyi import InvalidInput, Memory
from jiyi.config import Settings
from jiyi.intake import given as drafts
from jiyi.integrations.openai_agents import JiyiSession
from jiyi.integrations.openai_items import to_items, to_messages
from jiyi.integrations.sparing import filled, spared, texts
from jiyi.testing import FakeClock

pytestmark = pytest.mark.integration("openai-agents")

QUIET = RunConfig(tracing_disabled=True)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    options: Any = {"embedder": None, "tokenizer": "estimate", "clock": FakeClock(), "settings": Settings()}
    with Memory.open(tmp_path / "jiyi.db", **options) as opened:
        yield opened


@function_tool
def book(room: int) -> str:
    """Books a room."""
    return f"room {room} is booked"


def agent(*steps: Any, **options: Any) -> Agent[Any]:
    return Agent(name="desk", model=ScriptedModel(steps), **options)


def words(items: list[Any]) -> list[str]:
    said = []
    for item in items:
        content = item.get("content", item.get("output", item.get("name")))
        said.append(content if isinstance(content, str) else "".join(part.get("text", "") for part in content))
    return said


# -- conversions

ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": "Book room 4 for Monday."},
    {
        "role": "user",
        "content": [
            {"type": "input_text", "text": "这是谁？"},
            {"type": "input_image", "image_url": "https://x/y.png", "detail": "auto"},
        ],
    },
    {
        "id": "rs_1",
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "a room"}],
        "encrypted_content": "gAAA",
    },
    {
        "id": "fc_1",
        "call_id": "call_1",
        "type": "function_call",
        "name": "book",
        "arguments": '{"room": 4}',
        "status": "completed",
    },
    {
        "id": "fc_2",
        "call_id": "call_2",
        "type": "function_call",
        "name": "book",
        "arguments": "{}",
        "status": "completed",
    },
    {"type": "function_call_output", "call_id": "call_1", "output": "booked"},
    {"type": "function_call_output", "call_id": "call_2", "output": [{"type": "input_text", "text": "已订好"}]},
    {"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "rooms"}},
    {
        "id": "m_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "Done.", "annotations": []}],
    },
    {
        "id": "m_2",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "refusal", "refusal": "No."}],
    },
    {
        "call_id": "call_3",
        "type": "computer_call",
        "id": "cu_1",
        "action": {"type": "click", "x": 1, "y": 2},
        "pending_safety_checks": [],
        "status": "completed",
    },
    {
        "type": "computer_call_output",
        "call_id": "call_3",
        "output": {"type": "computer_screenshot", "image_url": "data:image/png;base64,aGk="},
    },
    {"type": "mcp_approval_response", "approval_request_id": "r", "approve": True},
    {"role": "developer", "content": "Be brief."},
    {"role": "assistant", "content": "好的"},
    {"role": "user", "content": ""},
]


def round_trip(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return to_items(drafts(to_messages(items), "s", now=FakeClock().now()))


@given(st.lists(st.sampled_from(ITEMS), max_size=12))
def test_any_items_come_back_as_they_were(items: list[dict[str, Any]]) -> None:
    assert round_trip(items) == items


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(["said", "$"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["$", "a", "b"]), inner, max_size=3),
    max_leaves=10,
)


@given(json_values, st.lists(st.sampled_from(["said", "$", "", "other"]), max_size=3))
def test_what_is_kept_beside_a_message_fills_up_again(item: Any, said: list[str]) -> None:
    assert filled(spared(item, said), said) == item


def test_words_are_not_written_twice() -> None:
    kept = spared({"text": "a long story"}, texts("a long story"))
    assert "story" not in str(kept)


def test_what_a_model_put_out_is_one_message_before_its_results() -> None:
    roles = [message["role"] for message in to_messages(ITEMS[2:9])]
    assert roles == ["assistant", "tool", "tool", "assistant"]
    calls: Any = to_messages(ITEMS[2:9])[0]["tool_calls"]
    assert [call["id"] for call in calls] == ["call_1", "call_2"]
    assert calls[0]["function"] == {"name": "book", "arguments": '{"room": 4}'}


def test_messages_of_another_source_become_items(memory: Memory) -> None:
    chat = memory.session("s", user_id="ada")
    chat.add("user", [{"type": "text", "text": "看图"}, {"type": "image_url", "image_url": {"url": "https://x/y.png"}}])
    call = {"id": "c", "type": "function", "function": {"name": "book", "arguments": '{"room": 4}'}}
    chat.add("assistant", None, tool_calls=[call])
    chat.add("tool", "booked", tool_call_id="c")
    chat.add("assistant", "Done.")
    items = asyncio.run(JiyiSession(memory, "s", user_id="ada").get_items())
    assert items == [
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "看图"},
                {"type": "input_image", "image_url": "https://x/y.png", "detail": "auto"},
            ],
        },
        {"type": "function_call", "call_id": "c", "name": "book", "arguments": '{"room": 4}'},
        {"type": "function_call_output", "call_id": "c", "output": "booked"},
        {"role": "assistant", "content": "Done."},
    ]


# -- the protocol


async def test_it_is_a_session_of_the_sdk(memory: Memory) -> None:
    session = JiyiSession(memory, "s", user_id="ada")
    assert isinstance(session, Session)
    await session.add_items(ITEMS)  # type: ignore[arg-type]
    assert await session.get_items() == ITEMS
    for limit in (0, 1, 3, 9, 99):
        assert await session.get_items(limit) == (ITEMS[-limit:] if limit else [])
    session.session_settings = SessionSettings(limit=2)
    assert await session.get_items() == ITEMS[-2:]
    left = list(ITEMS)
    while left:
        assert await session.pop_item() == left.pop()
        assert await session.get_items(99) == left
    assert await session.pop_item() is None


def test_what_is_taken_back_or_cleared_is_erased(memory: Memory, tmp_path: Path) -> None:
    session = JiyiSession(memory, "s", user_id="ada")

    async def change_of_mind() -> list[Any]:
        await session.add_items([{"role": "user", "content": "my locker code is zebra"}])
        await session.pop_item()
        await session.add_items([{"role": "user", "content": "我的暗号是长颈鹿"}])
        await session.clear_session()
        return await session.get_items()

    assert asyncio.run(change_of_mind()) == []
    assert memory.search("zebra 长颈鹿", user_id="ada", floor=0) == []
    memory.close()
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"zebra" not in stored and "长颈鹿".encode() not in stored


def test_sessions_of_two_users_do_not_meet(memory: Memory) -> None:
    async def talk() -> list[Any]:
        await JiyiSession(memory, "s", user_id="ada").add_items(ITEMS)  # type: ignore[arg-type]
        return await JiyiSession(memory, "s", user_id="bob").get_items()

    assert asyncio.run(talk()) == []


# -- runs


async def test_several_runs_with_tools(memory: Memory) -> None:
    session = JiyiSession(memory, "s", user_id="ada")
    desk = agent(
        [function_call("book", {"room": 4}, call_id="call_1"), function_call("book", {"room": 5}, call_id="call_2")],
        [assistant_message("Both rooms are booked.")],
        [assistant_message("四号房。")],
        tools=[book],
    )
    await Runner.run(desk, "Book rooms 4 and 5 for Monday.", session=session, run_config=QUIET)
    again = JiyiSession(memory, "s", user_id="ada")
    result = await Runner.run(desk, "我订了哪间房？", session=again, run_config=QUIET)
    assert result.final_output == "四号房。"
    items = await session.get_items()
    assert [item.get("type") or item.get("role") for item in items] == [  # type: ignore[union-attr]
        "user", "function_call", "function_call", "function_call_output", "function_call_output", "message", "user", "message",
    ]  # fmt: skip
    model: Any = desk.model
    assert model.last_call.input == items[:-1]
    roles = [message.role for message in memory.session("s", user_id="ada").messages()]
    assert roles == ["user", "assistant", "tool", "tool", "assistant", "user", "assistant"]
    assert "booked" in memory.search("which rooms are booked", user_id="ada")[0].text


async def test_a_streamed_run_and_a_handoff(memory: Memory) -> None:
    session = JiyiSession(memory, "s", user_id="ada")
    other = Agent(name="french", model=ScriptedModel([[assistant_message("Bonjour Ada.")]]))
    desk = agent([function_call("transfer_to_french", {}, call_id="call_h")], handoffs=[handoff(other)])
    result = Runner.run_streamed(desk, "Someone who speaks French, please.", session=session, run_config=QUIET)
    async for _ in result.stream_events():
        pass
    assert result.final_output == "Bonjour Ada."
    said = await session.get_items()
    assert words(said)[-1] == "Bonjour Ada." and len(said) == 4  # type: ignore[arg-type]
    assert [message.role for message in memory.session("s", user_id="ada").messages()] == [
        "user", "assistant", "tool", "assistant",
    ]  # fmt: skip


def test_a_run_that_does_not_await(memory: Memory) -> None:
    session = JiyiSession(memory, "s", user_id="ada")
    result = Runner.run_sync(agent([assistant_message("hi")]), "hello", session=session, run_config=QUIET)
    assert result.final_output == "hi" and len(memory.session("s", user_id="ada").messages()) == 2
    asyncio.get_event_loop_policy().get_event_loop().close()  # the SDK leaves it open for the next run
    asyncio.set_event_loop(None)


def test_one_session_in_many_threads(memory: Memory) -> None:
    session = JiyiSession(memory, "s", user_id="ada")

    async def many() -> None:
        add = [
            asyncio.to_thread(asyncio.run, session.add_items([{"role": "user", "content": f"{n}"}])) for n in range(8)
        ]
        await asyncio.gather(*add)

    asyncio.run(many())
    assert sorted(message.text for message in memory.session("s", user_id="ada").messages()) == [
        str(n) for n in range(8)
    ]


# -- nothing twice, and nothing too few


async def test_what_is_said_twice_is_kept_twice(memory: Memory) -> None:
    session = JiyiSession(memory, "s", user_id="ada")
    desk = agent([assistant_message("好")], [assistant_message("好")])
    for _ in range(2):
        await Runner.run(desk, "ok", session=session, run_config=QUIET)
    assert words(await session.get_items()) == ["ok", "好", "ok", "好"]  # type: ignore[arg-type]
    await session.add_items([{"role": "user", "content": "ok"}])
    await session.add_items([{"role": "user", "content": "ok"}])
    assert len(await session.get_items()) == 6


async def test_what_a_run_brings_again_is_kept_once(memory: Memory) -> None:
    session = JiyiSession(memory, "s", user_id="ada")
    for count in (3, 4, 9, 9):
        await session.add_items(ITEMS[2:count] if count < 9 else ITEMS[2:9])  # type: ignore[arg-type]
    assert await session.get_items() == ITEMS[2:9]


async def test_a_failed_run_that_is_tried_again(memory: Memory) -> None:
    session = JiyiSession(memory, "s", user_id="ada")
    asked: Any = [{"id": "u1", "type": "message", "role": "user", "content": "Book room 4 for Monday."}]
    with pytest.raises(RuntimeError):
        await Runner.run(agent(ModelStep.raise_error(RuntimeError("down"))), asked, session=session, run_config=QUIET)
    await Runner.run(agent([assistant_message("Booked.")]), asked, session=session, run_config=QUIET)
    assert words(await session.get_items()) == ["Book room 4 for Monday.", "Booked."]  # type: ignore[arg-type]


# -- within a budget


async def _long_ago(memory: Memory) -> None:
    before = memory.session("before", user_id="ada")
    before.add("user", "Our cat Miso is allergic to chicken, so she only eats salmon.")
    before.add("assistant", "Noted.")
    before.add("user", "我女儿的生日是三月八号。")
    before.add("assistant", "记住了。")
    memory.drain()


async def test_the_model_gets_the_context_within_the_budget(memory: Memory) -> None:
    await _long_ago(memory)
    session = JiyiSession(memory, "s", user_id="ada", max_tokens=300)
    filler = [assistant_message(f"Fine, number {n}. " + "Nothing else happened today. " * 10) for n in range(8)]
    desk = agent(*([step] for step in filler), [assistant_message("Salmon.")], [assistant_message("三月八号。")])
    config = RunConfig(tracing_disabled=True, session_input_callback=session.with_memory)
    for n in range(8):
        await Runner.run(desk, f"Small talk number {n}", session=session, run_config=config)
    await Runner.run(desk, "What does our cat Miso eat?", session=session, run_config=config)
    model: Any = desk.model
    sent = model.last_call.input
    assert sent[0]["role"] == "system" and "salmon" in sent[0]["content"]
    assert sent[-1] == {"role": "user", "content": "What does our cat Miso eat?"}
    assert len(sent) < 8
    await Runner.run(desk, "我女儿的生日是哪天？", session=session, run_config=config)
    assert "三月八号" in model.last_call.input[0]["content"]
    kept = memory.session("s", user_id="ada").messages()
    assert [message.role for message in kept] == ["user", "assistant"] * 10  # the section itself is not kept


async def test_without_the_callback_the_history_is_within_the_budget_too(memory: Memory) -> None:
    session = JiyiSession(memory, "s", user_id="ada", max_tokens=120)
    desk = agent(*([assistant_message(f"Answer {n}: " + "so it goes. " * 8)] for n in range(6)))
    for n in range(6):
        await Runner.run(desk, f"Question {n}", session=session, run_config=QUIET)
    model: Any = desk.model
    assert 2 <= len(model.last_call.input) < 8
    assert len(await session.get_items(99)) == 12


async def test_a_budget_is_asked_for(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="max_tokens"):
        await JiyiSession(memory, "s", user_id="ada").with_memory([], [])
    with pytest.raises(InvalidInput, match="max_tokens"):
        JiyiSession(memory, "s", user_id="ada", max_tokens=0)


async def test_files_come_back_and_no_reference_goes_to_the_model(memory: Memory) -> None:
    file = {"type": "input_file", "filename": "plan.pdf", "file_data": "data:application/pdf;base64,aGVsbG8="}
    item: Any = {"role": "user", "content": [file]}
    session = JiyiSession(memory, "s", user_id="ada")
    await session.add_items([item])
    assert await session.get_items() == [item]
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGVsbG8="}}
    memory.session("other", user_id="ada").add("user", [picture, {"type": "text", "text": "这是什么？"}])
    (sent,) = await JiyiSession(memory, "other", user_id="ada").get_items()
    told, asked = {"type": "input_text", "text": "[image/png, 5 B]"}, {"type": "input_text", "text": "这是什么？"}
    assert sent == {"role": "user", "content": [told, asked]}
