"""An agent of ``create_agent`` with a memory, beside whatever else an agent has."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    ContextEditingMiddleware,
    HumanInTheLoopMiddleware,
    ModelRetryMiddleware,
    PIIMiddleware,
    SummarizationMiddleware,
)
from langchain.agents.structured_output import ToolStrategy
from langchain.tools import tool
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from jiyi import InvalidInput, Memory
from jiyi.integrations.langchain.middleware import JiyiMiddleware
from jiyi.integrations.langchain.remembering import Remembering
from tests.integrations.scripted_chat import ScriptedChat, both, calling
from tests.integrations.test_langchain_remembering import opened

pytestmark = pytest.mark.integration("langchain", "langgraph")

CONFIG: Any = {"configurable": {"thread_id": "t", "user_id": "小李"}}


@pytest.fixture
def memory() -> Iterator[Memory]:
    with opened() as memory:
        yield memory


@tool
def book(room: int) -> str:
    """Books a room."""
    return f"room {room} is booked"


@tool
def weather(city: str) -> str:
    """Tells the weather."""
    return f"sunny in {city}"


@tool
def broken() -> str:
    """Does not work."""
    raise RuntimeError("no power")


def agent(memory: Memory, *replies: Any, **more: Any) -> tuple[Any, ScriptedChat]:
    model = ScriptedChat(replies=replies)
    more.setdefault("middleware", [JiyiMiddleware(memory)])
    more.setdefault("checkpointer", InMemorySaver())
    more.setdefault("tools", [book, weather, broken])
    return create_agent(model, **more), model


def said(*texts: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text} for text in texts]}


def stored(memory: Memory, session: str = "t", *, everything: bool = False) -> list[tuple[str, str]]:
    messages = memory.session(session, user_id="小李").messages(all_branches=everything)
    return [(message.role, message.text) for message in messages]


def shown(messages: list[BaseMessage]) -> list[tuple[str, str]]:
    return [(message.type, message.text) for message in messages]


BOOKED = [("user", "Book room 4"), ("assistant", ""), ("tool", "room 4 is booked"), ("assistant", "Done")]


# -- plain runs ------------------------------------------------------------------------------------------------------


def test_a_run_is_stored_as_it_was_said_and_once(memory: Memory) -> None:
    bot, _ = agent(memory, calling("book", room=4), "Done", "You are welcome")
    state = bot.invoke(said("Book room 4"), CONFIG)
    assert stored(memory) == BOOKED
    assert [m.id for m in memory.session("t", user_id="小李").messages()] == [m.id for m in state["messages"]]
    bot.invoke(said("Thanks"), CONFIG)
    assert stored(memory, everything=True) == [*BOOKED, ("user", "Thanks"), ("assistant", "You are welcome")]


def test_what_was_said_elsewhere_stands_in_the_system_message(memory: Memory) -> None:
    memory.session("earlier", user_id="小李").add("user", "我对花生过敏，做菜要注意")
    memory.drain()
    bot, model = agent(memory, "宫保鸡丁不放花生", system_prompt="你是厨师。")
    state = bot.invoke(said("今晚做什么菜？注意我对什么过敏"), CONFIG)
    system, question = model.seen[0]
    assert isinstance(system, SystemMessage)
    assert system.text.startswith("你是厨师。\n\n")
    assert "我对花生过敏" in system.text
    assert question.text == "今晚做什么菜？注意我对什么过敏"
    assert [m.type for m in state["messages"]] == ["human", "ai"]  # the state keeps the real history


def test_without_a_checkpointer_the_session_goes_on(memory: Memory) -> None:
    bot, model = agent(memory, "Hello Ada", "You are Ada", checkpointer=None)
    bot.invoke(said("I am Ada"), CONFIG)
    bot.invoke(said("Who am I?"), CONFIG)
    assert shown(model.seen[1]) == [("human", "I am Ada"), ("ai", "Hello Ada"), ("human", "Who am I?")]
    assert len(stored(memory)) == 4


def test_two_equal_messages_are_both_kept(memory: Memory) -> None:
    for saver in (InMemorySaver(), None):
        bot, _ = agent(memory, "one", "two", checkpointer=saver)
        bot.invoke(said("ok"), CONFIG)
        bot.invoke(said("ok"), CONFIG)
    talk = [("user", "ok"), ("assistant", "one"), ("user", "ok"), ("assistant", "two")]
    assert stored(memory) == talk * 2
    bot, _ = agent(memory, "three")
    bot.invoke(said("ok", "ok"), {"configurable": {"thread_id": "both", "user_id": "小李"}})
    assert stored(memory, "both") == [("user", "ok"), ("user", "ok"), ("assistant", "three")]


def test_a_request_that_is_tried_again_adds_nothing(memory: Memory) -> None:
    bot, _ = agent(memory, "one", "two", checkpointer=None)
    question = {"messages": [HumanMessage("Book room 4", id="request-1")]}
    bot.invoke(question, CONFIG)
    bot.invoke(question, CONFIG)
    assert stored(memory) == [("user", "Book room 4"), ("assistant", "two")]


async def test_async_and_streamed(memory: Memory) -> None:
    bot, _ = agent(memory, calling("book", room=4), "Done now", "Bye bye")
    pieces = [
        piece.text
        async for piece, _ in bot.astream(said("Book room 4"), CONFIG, stream_mode="messages")
        if isinstance(piece, AIMessage)
    ]
    assert "".join(pieces) == "Done now"
    assert stored(memory) == [*BOOKED[:3], ("assistant", "Done now")]
    await asyncio.to_thread(lambda: [*bot.stream(said("Bye"), CONFIG, stream_mode="updates")])
    assert stored(memory, everything=True)[4:] == [("user", "Bye"), ("assistant", "Bye bye")]


async def test_runs_at_once_on_one_thread_lose_nothing(memory: Memory) -> None:
    """Without a checkpointer: a user who sends twice before the answer."""
    model = ScriptedChat(replies=lambda messages: f"re {messages[-1].text}")
    bot = create_agent(model, middleware=[JiyiMiddleware(memory)])
    await asyncio.gather(*(bot.ainvoke(said(f"q{n}"), CONFIG) for n in range(8)))
    path = stored(memory)
    assert sorted(text for role, text in path if role == "user") == [f"q{n}" for n in range(8)]
    assert [role for role, _ in path].count("assistant") == 8
    assert len(stored(memory, everything=True)) == 16


async def test_a_sync_call_inside_a_running_loop_and_an_async_one_on_a_threads_own(memory: Memory) -> None:
    bot, _ = agent(memory, "Hello", "Hello again", "And again")
    bot.invoke(said("Hi"), CONFIG)
    await bot.ainvoke(said("Hi again"), CONFIG)
    await asyncio.to_thread(lambda: asyncio.run(bot.ainvoke(said("再来一次"), CONFIG)))
    assert [text for _, text in stored(memory, everything=True)] == [
        "Hi",
        "Hello",
        "Hi again",
        "Hello again",
        "再来一次",
        "And again",
    ]


def test_parallel_tool_calls_stay_with_their_results(memory: Memory) -> None:
    asked = both(("weather", {"city": "Oslo"}), ("weather", {"city": "上海"}))
    bot, model = agent(memory, asked, "Sunny everywhere", "Good")
    bot.invoke(said("Weather in Oslo and 上海?"), CONFIG)
    assert [role for role, _ in stored(memory)] == ["user", "assistant", "tool", "tool", "assistant"]
    calls = [call["id"] for call in asked.tool_calls]
    assert [m.tool_call_id for m in model.seen[1] if isinstance(m, ToolMessage)] == calls


class Weather(BaseModel):
    """The weather."""

    city: str
    sunny: bool


def test_structured_output_is_stored_once(memory: Memory) -> None:
    bot, _ = agent(
        memory,
        calling("Weather", city="Oslo", sunny=True),
        calling("Weather", city="Rome", sunny=True),
        response_format=ToolStrategy(Weather),
    )
    assert bot.invoke(said("Weather in Oslo?"), CONFIG)["structured_response"] == Weather(city="Oslo", sunny=True)
    bot.invoke(said("And in Rome?"), CONFIG)
    assert [role for role, _ in stored(memory, everything=True)] == ["user", "assistant", "tool"] * 2


def test_calls_that_cannot_be_read_are_stored_with_their_results(memory: Memory) -> None:
    bad = AIMessage("", invalid_tool_calls=[{"name": "book", "args": "{room:", "id": "bad-1", "error": "no JSON"}])
    bot, model = agent(memory, bad, "Sorry", "Hello")
    state = bot.invoke(said("Book room 4"), CONFIG)
    state = bot.invoke(said("Hello?"), CONFIG)
    assert len({m.id for m in state["messages"]}) == len(state["messages"])
    roles = [role for role, _ in stored(memory, everything=True)]
    assert roles == {"human": "user", "ai": "assistant"} or roles.count("tool") == 1
    assert [m.type for m in model.seen[-1]].count("tool") == 1


def test_a_tool_that_answers_the_user_itself_is_stored(memory: Memory) -> None:
    @tool(return_direct=True)
    def direct() -> str:
        """Answers the user."""
        return "straight from the tool"

    bot, _ = agent(memory, calling("direct"), tools=[direct])
    bot.invoke(said("Go"), CONFIG)
    assert stored(memory)[-1] == ("tool", "straight from the tool")


# -- runs that are interrupted or fail -------------------------------------------------------------------------------


def test_a_run_that_fails_has_said_what_it_said(memory: Memory) -> None:
    bot, _ = agent(memory, ConnectionError("gone"), calling("broken"), "It is broken")
    with pytest.raises(ConnectionError):
        bot.invoke(said("Book room 4"), CONFIG)
    assert stored(memory) == [("user", "Book room 4")]
    with pytest.raises(RuntimeError):
        bot.invoke(None, CONFIG)
    assert stored(memory) == [("user", "Book room 4"), ("assistant", "")]


def test_a_failing_model_that_is_asked_again_is_stored_once(memory: Memory) -> None:
    retry = ModelRetryMiddleware(max_retries=2, initial_delay=0)
    for order in ([retry, JiyiMiddleware(memory)], [JiyiMiddleware(memory), retry]):
        bot, _ = agent(memory, ConnectionError("busy"), "Hello", middleware=order, checkpointer=None)
        bot.invoke(said("Hi"), CONFIG)
    assert stored(memory, everything=True) == [("user", "Hi"), ("assistant", "Hello")] * 2


@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize(
    ("decision", "room"),
    [
        ({"type": "approve"}, 4),
        ({"type": "edit", "edited_action": {"name": "book", "args": {"room": 5}}}, 5),
        ({"type": "reject", "message": "not today"}, None),
    ],
)
def test_a_human_in_the_loop(memory: Memory, last: bool, decision: dict[str, Any], room: int | None) -> None:
    human = HumanInTheLoopMiddleware({"book": True})
    both_ = [human, JiyiMiddleware(memory)] if last else [JiyiMiddleware(memory), human]
    bot, model = agent(memory, calling("book", room=4), "Done", "Bye", middleware=both_)
    bot.invoke(said("Book room 4"), CONFIG)
    assert [role for role, _ in stored(memory)] == ["user", "assistant"]
    state = bot.invoke(Command(resume={"decisions": [decision]}), CONFIG)
    bot.invoke(said("Thanks"), CONFIG)
    assert [role for role, _ in stored(memory)] == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    assert stored(memory, everything=True).count(("user", "Book room 4")) == 1
    results = [m.text for m in state["messages"] if isinstance(m, ToolMessage)]
    assert [text for role, text in stored(memory) if role == "tool"] == results
    assert room is None or f"room {room} is booked" in results[0]
    assert [m.type for m in model.seen[1]] == ["human", "ai", "tool"]


def test_an_interrupt_in_a_tool(memory: Memory) -> None:
    @tool
    def ask(what: str) -> str:
        """Asks the boss."""
        return f"boss says {interrupt(what)}"

    bot, _ = agent(
        memory, both(("ask", {"what": "May I?"}), ("weather", {"city": "Oslo"})), "Done", tools=[ask, weather]
    )
    bot.invoke(said("Book room 4"), CONFIG)
    assert [role for role, _ in stored(memory)] == ["user", "assistant"]
    bot.invoke(Command(resume="yes"), CONFIG)
    assert [text for _, text in stored(memory, everything=True)] == [
        "Book room 4",
        "",
        "boss says yes",
        "sunny in Oslo",
        "Done",
    ]


def of_the_user(config: Any) -> Any:
    """A checkpoint's config, which names the thread alone."""
    return {"configurable": {**config["configurable"], "user_id": "小李"}}


def test_time_travel_is_a_branch(memory: Memory) -> None:
    bot, model = agent(memory, "Where to?", "Oslo it is", "Rome it is", "Enjoy")
    bot.invoke(said("Plan a trip"), CONFIG)
    before = bot.get_state(CONFIG).config
    bot.invoke(said("Oslo"), CONFIG)
    bot.invoke(said("Rome"), of_the_user(before))
    bot.invoke(said("Thanks"), CONFIG)
    assert [text for _, text in stored(memory)] == [
        "Plan a trip",
        "Where to?",
        "Rome",
        "Rome it is",
        "Thanks",
        "Enjoy",
    ]
    assert len(stored(memory, everything=True)) == 8
    assert "Oslo" not in str(shown(model.seen[-1]))


def test_a_run_that_is_played_again_from_a_checkpoint(memory: Memory) -> None:
    bot, _ = agent(memory, "Hello", "Hello again")
    bot.invoke(said("Hi"), CONFIG)
    first = next(s for s in bot.get_state_history(CONFIG) if s.next == ("model",))
    bot.invoke(None, of_the_user(first.config))
    assert stored(memory) == [("user", "Hi"), ("assistant", "Hello again")]


def test_a_run_that_ends_later_takes_nothing_of_another_off_the_path(memory: Memory) -> None:
    """The end of a run without a checkpointer knows its own turn alone; it is no return to that place."""
    middleware = JiyiMiddleware(memory, user_id="小李", session_id="t")
    remembering, runtime = Remembering(memory, user_id="小李", session_id="t"), cast("Any", None)
    first = [HumanMessage("一", id="q1"), AIMessage("壹", id="a1")]
    other = [HumanMessage("二", id="q2"), AIMessage("贰", id="a2")]
    remembering.record(first)
    remembering.record(other[:1])
    middleware.after_agent({"messages": [*first]}, runtime)
    chat = memory.session("t", user_id="小李")
    assert [message.id for message in chat.messages()] == ["q1", "a1", "q2"]
    remembering.record(other)
    middleware.after_agent({"messages": [*other]}, runtime)
    assert [message.id for message in chat.messages()] == ["q1", "a1", "q2", "a2"]
    edited = [HumanMessage("二，改过的", id="q2"), other[1]]
    middleware.after_agent({"messages": edited}, runtime)  # as other middleware may leave it
    assert [message.text for message in chat.messages()][-2:] == ["二，改过的", "贰"]


# -- beside other middleware -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("last", [True, False])
def test_beside_a_middleware_that_summarises(memory: Memory, last: bool) -> None:
    summariser = SummarizationMiddleware(
        ScriptedChat(replies=lambda _: "Ada lives in Oslo"), trigger=("messages", 4), keep=("messages", 2)
    )
    order = [summariser, JiyiMiddleware(memory)] if last else [JiyiMiddleware(memory), summariser]
    bot, model = agent(memory, *(f"answer {n}" for n in range(6)), middleware=order)
    for n in range(6):
        state = bot.invoke(said(f"question {n}"), CONFIG)
    assert len(state["messages"]) < 12
    assert [text for _, text in stored(memory, everything=True)] == [
        text for n in range(6) for text in (f"question {n}", f"answer {n}")
    ]
    seen = [text for _, text in shown(model.seen[-1])]
    assert seen[-1] == "question 5"
    assert sum("summary of the conversation" in text for text in seen) == 1
    assert seen.count("question 4") == 1


def test_what_is_redacted_before_the_model_is_redacted_in_the_memory(memory: Memory) -> None:
    for at, order in enumerate(
        ([PIIMiddleware("email"), JiyiMiddleware(memory)], [JiyiMiddleware(memory), PIIMiddleware("email")])
    ):
        bot, _ = agent(memory, "Noted", middleware=order)
        bot.invoke(said("Write to ada@example.org"), {"configurable": {"thread_id": str(at), "user_id": "小李"}})
        assert "ada@example.org" not in str(stored(memory, str(at), everything=True))


def test_what_others_cut_for_the_model_is_whole_in_the_memory(memory: Memory) -> None:
    from langchain.agents.middleware import ClearToolUsesEdit

    clear = ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=10, keep=0)])
    bot, model = agent(memory, calling("book", room=4), "Done", "Bye", middleware=[clear, JiyiMiddleware(memory)])
    bot.invoke(said("Book room 4"), CONFIG)
    bot.invoke(said("Bye"), CONFIG)
    assert stored(memory, everything=True)[:4] == BOOKED
    assert "[cleared]" in [m.text for m in model.seen[-1]]


# -- whose memory ----------------------------------------------------------------------------------------------------


@dataclass
class Context:
    user_id: str


def test_the_user_comes_from_the_context_or_the_config_or_is_fixed(memory: Memory) -> None:
    thread: Any = {"configurable": {"thread_id": "t"}}
    bot, _ = agent(memory, "one", "two", "three", context_schema=Context)
    bot.invoke(said("from the context"), thread, context=Context("ada"))
    bot.invoke(said("from the config"), {"configurable": {"thread_id": "u", "user_id": "bob"}})
    fixed, _ = agent(memory, "one", middleware=[JiyiMiddleware(memory, user_id="eve", session_id="s")])
    fixed.invoke(said("fixed"), thread)
    found = {user: [s.id for s in memory.sessions(user_id=user)] for user in memory.users()}
    assert found == {"ada": ["t"], "bob": ["u"], "eve": ["s"]}
    with pytest.raises(InvalidInput, match="user_id"):
        bot.invoke(said("whose?"), {"configurable": {"thread_id": "v"}})


def test_the_budget_bounds_what_the_model_sees(memory: Memory) -> None:
    bot, model = agent(memory, *["fine " * 30] * 12, middleware=[JiyiMiddleware(memory, max_tokens=300)])
    for n in range(12):
        state = bot.invoke(said(f"question {n}"), CONFIG)
    assert len(state["messages"]) == 24
    assert len(model.seen[-1]) < 12
    assert model.seen[-1][-1].text == "question 11"
