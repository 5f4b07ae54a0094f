"""What of a state's messages is stored, and what the model then sees: nothing twice, nothing lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.runnables import RunnableConfig, RunnableLambda

from jiyi import BudgetTooSmall, InvalidInput, Memory
from jiyi.config import Settings
from jiyi.integrations.langchain.remembering import Remembering
from jiyi.testing import FakeClock

pytestmark = pytest.mark.integration("langchain-core")


def opened(**options: Any) -> Memory:
    options = {"embedder": None, "tokenizer": "estimate", "clock": FakeClock(), "settings": Settings(), **options}
    return Memory.open("memory:", **options)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with opened() as memory:
        yield memory


def run(thread: str = "t", user: str = "小李", **more: Any) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "user_id": user, **more}}


def path(memory: Memory, session: str = "t", user: str = "小李") -> list[tuple[str, str]]:
    return [(m.role, m.text) for m in memory.session(session, user_id=user).messages()]


def everything(memory: Memory) -> list[str]:
    return [m.text for m in memory.session("t", user_id="小李").messages(all_branches=True)]


def human(text: str, name: str | None = None) -> HumanMessage:
    return HumanMessage(text, id=name or f"h:{text}")


def ai(text: str, name: str | None = None, **more: Any) -> AIMessage:
    return AIMessage(text, id=name or f"a:{text}", **more)


def call(name: str, call_id: str, **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args, "id": call_id, "type": "tool_call"}


def texts(messages: list[BaseMessage]) -> list[str]:
    return [message.text for message in messages]


# -- recording -------------------------------------------------------------------------------------------------------


def test_a_state_that_is_sent_again_adds_nothing_and_goes_on(memory: Memory) -> None:
    remembering = Remembering(memory)
    state: list[BaseMessage] = [human("我对花生过敏")]
    remembering.record(state, run())
    state += [ai("记住了")]
    for _ in range(3):
        remembering.record(state, run())
    assert path(memory) == [("user", "我对花生过敏"), ("assistant", "记住了")]
    assert everything(memory) == ["我对花生过敏", "记住了"]


def test_the_new_messages_alone_go_to_the_end(memory: Memory) -> None:
    remembering = Remembering(memory)
    for text in ("one", "two", "three"):
        remembering.record([human(text)], run())
    assert [text for _, text in path(memory)] == ["one", "two", "three"]


def test_two_equal_messages_with_two_ids_are_both_kept(memory: Memory) -> None:
    Remembering(memory).record([human("ok", "1"), human("ok", "2")], run())
    assert path(memory) == [("user", "ok"), ("user", "ok")]


def test_going_back_and_saying_something_else_is_a_branch(memory: Memory) -> None:
    remembering = Remembering(memory)
    first = [human("Plan a trip"), ai("Where to?")]
    remembering.record([*first, human("Oslo"), ai("Oslo it is")], run())
    remembering.record([*first, human("Rome"), ai("Rome it is")], run())
    assert [text for _, text in path(memory)] == ["Plan a trip", "Where to?", "Rome", "Rome it is"]
    assert "Oslo it is" in everything(memory)
    remembering.record([*first, human("Oslo"), ai("Oslo it is")], run())
    assert [text for _, text in path(memory)][-1] == "Oslo it is"
    assert len(everything(memory)) == 6


def test_a_message_that_was_edited_in_place_takes_the_place_of_the_old_one(memory: Memory) -> None:
    remembering = Remembering(memory)
    before = [human("Book a room"), ai("", "call", tool_calls=[call("book", "c", room=4)])]
    after = [before[0], ai("", "call", tool_calls=[call("book", "c", room=5)])]
    remembering.record(before, run())
    for _ in range(2):
        remembering.record([*after, ToolMessage("booked", tool_call_id="c", id="result")], run())
    stored = memory.session("t", user_id="小李").messages()
    assert len(stored) == 3
    assert "5" in str(stored[1].tool_calls[0]["function"])
    assert len(everything(memory)) == 4
    shown = remembering.compose([*after, ToolMessage("booked", tool_call_id="c", id="result")], run())
    assert [message.id for message in shown] == ["h:Book a room", "call", "result"]


def test_what_nobody_said_is_not_stored_and_the_model_sees_it(memory: Memory) -> None:
    remembering = Remembering(memory)
    old = [human("I live in Oslo"), ai("Noted")]
    remembering.record(old, run())
    summary = HumanMessage("A summary: lives in Oslo", id="s", additional_kwargs={"lc_source": "summarization"})
    state = [SystemMessage("Be brief", id="sys"), summary, old[1], human("And now?"), RemoveMessage(id="x")]
    remembering.record(state, run())
    assert [text for _, text in path(memory)] == ["I live in Oslo", "Noted", "And now?"]
    shown = texts(remembering.compose(state, run()))
    assert shown == ["Be brief", "I live in Oslo", "A summary: lives in Oslo", "Noted", "And now?"]


def test_messages_that_left_the_state_stay_in_the_session(memory: Memory) -> None:
    remembering = Remembering(memory)
    talk = [message for n in range(5) for message in (human(f"question {n}"), ai(f"answer {n}"))]
    remembering.record(talk, run())
    remembering.record([*talk[6:], human("question 5")], run())
    assert len(path(memory)) == 11
    assert len(everything(memory)) == 11


def test_a_copied_thread_is_a_session_of_its_own(memory: Memory) -> None:
    remembering = Remembering(memory)
    state = [human("hi"), ai("hello")]
    remembering.record(state, run("a"))
    for _ in range(2):
        remembering.record([*state, human("more")], run("b"))
    assert [text for _, text in path(memory, "a")] == ["hi", "hello"]
    assert [text for _, text in path(memory, "b")] == ["hi", "hello", "more"]
    assert texts(remembering.compose([*state, human("more")], run("b"))) == ["hi", "hello", "more"]


def test_one_user_does_not_see_the_other(memory: Memory) -> None:
    remembering = Remembering(memory)
    remembering.record([human("my safe opens with 4711")], run(user="ada"))
    remembering.record([human("what opens my safe?")], run(user="bob"))
    assert path(memory, user="bob") == [("user", "what opens my safe?")]
    assert "4711" not in str(remembering.compose([human("what opens my safe?")], run(user="bob")))


def test_user_and_session_may_be_fixed_and_are_asked_for_otherwise(memory: Memory) -> None:
    Remembering(memory, user_id="ada", session_id="s").record([human("hi")], run(thread="t", user="bob"))
    assert path(memory, "s", "ada") == [("user", "hi")]
    Remembering(memory, user_id="ada").record([human("hello")], {"configurable": {"thread_id": 7}})
    assert path(memory, "7", "ada") == [("user", "hello")]
    with pytest.raises(InvalidInput, match="user_id") as wrong:
        Remembering(memory).record([human("hi")], {"configurable": {"thread_id": "t"}})
    assert wrong.value.field == "user_id"
    with pytest.raises(InvalidInput, match="thread_id") as wrong:
        Remembering(memory, user_id="ada").record([human("hi")], {})
    assert wrong.value.field == "session_id"


def test_the_run_is_the_one_that_is_running(memory: Memory) -> None:
    remembering = Remembering(memory)
    RunnableLambda(lambda text: remembering.record([human(str(text))])).invoke("hi", run("inside"))
    assert path(memory, "inside") == [("user", "hi")]


async def test_from_a_running_loop_and_from_threads(memory: Memory) -> None:
    remembering = Remembering(memory)
    await remembering.arecord([human("one")], run())
    remembering.record([human("two")], run())
    await asyncio.to_thread(remembering.record, [human("three")], run())
    await asyncio.to_thread(lambda: asyncio.run(remembering.arecord([human("four")], run())))
    assert texts(await remembering.acompose([], run())) == ["one", "two", "three", "four"]


# -- messages without ids --------------------------------------------------------------------------------------------


def task(name: str) -> RunnableConfig:
    return run(checkpoint_ns=name)


def test_a_node_that_runs_again_names_its_messages_alike(memory: Memory) -> None:
    remembering = Remembering(memory)
    asked = human("Book room 4")
    for _ in range(2):  # before and after the interrupt
        remembering.record([asked], task("node:1"))
        said = AIMessage("I am asking my boss")
        remembering.record([said], task("node:1"))
        assert said.id
        remembering.record([AIMessage("She is thinking")], task("node:1"))
    assert everything(memory) == ["Book room 4", "I am asking my boss", "She is thinking"]


def test_the_same_words_in_another_run_are_another_message(memory: Memory) -> None:
    remembering = Remembering(memory)
    for turn in range(2):
        remembering.record([HumanMessage("ok")], task(f"node:{turn}"))
        remembering.record([AIMessage(f"done {turn}")], task(f"reply:{turn}"))
    assert [text for _, text in path(memory)] == ["ok", "done 0", "ok", "done 1"]
    remembering.record([HumanMessage("ok"), HumanMessage("ok")], run())
    assert [text for _, text in path(memory)][4:] == ["ok", "ok"]


def test_a_whole_history_without_ids_is_known_again(memory: Memory) -> None:
    remembering = Remembering(memory)
    talk: list[tuple[type[BaseMessage], str]] = []
    for turn in range(3):
        talk += [(HumanMessage, "ok"), (AIMessage, f"done {turn}")]
        for end in (len(talk) - 1, len(talk)):
            remembering.record([kind(text) for kind, text in talk[:end]], task(f"node:{turn}:{end}"))
    assert [text for _, text in path(memory)] == [text for _, text in talk]
    assert len(everything(memory)) == 6


def test_what_got_an_id_is_known_by_it_when_the_state_takes_it_in(memory: Memory) -> None:
    remembering = Remembering(memory)
    said = AIMessage("done")
    remembering.record([human("go"), said], task("node:1"))
    remembering.record([human("go"), AIMessage("done", id=said.id), human("thanks")], task("node:2"))
    assert everything(memory) == ["go", "done", "thanks"]


@given(st.lists(st.sampled_from(["ok", "no", "好"]), min_size=1, max_size=8), st.data())
@settings(max_examples=60, deadline=None)
def test_growing_states_in_any_steps_are_stored_once(words: list[str], data: st.DataObject) -> None:
    ends = sorted(data.draw(st.lists(st.integers(1, len(words)), max_size=6)))
    named = data.draw(st.booleans())
    with opened() as memory:
        remembering = Remembering(memory)
        for end in [*ends, len(words)]:
            state = [
                (HumanMessage, AIMessage)[at % 2](word, id=str(at) if named else None)
                for at, word in enumerate(words[:end])
            ]
            remembering.record(state, task(f"node:{end}"))
        assert everything(memory) == words


# -- composing -------------------------------------------------------------------------------------------------------


def test_the_memory_section_comes_after_the_system_message(memory: Memory) -> None:
    memory.session("earlier", user_id="小李").add("user", "我对花生过敏，请记住")
    remembering = Remembering(memory)
    state = [SystemMessage("你是厨师"), human("我对什么过敏？")]
    remembering.record(state, run())
    shown = remembering.compose(state, run())
    assert [message.type for message in shown] == ["system", "system", "human"]
    assert "花生过敏" in shown[1].text
    assert shown[2] is state[1]


def test_earlier_messages_of_the_session_come_from_the_memory(memory: Memory) -> None:
    remembering = Remembering(memory)
    remembering.record([human("I am Ada"), ai("Hello Ada")], run())
    remembering.record([human("Who am I?")], run())
    assert texts(remembering.compose([human("Who am I?")], run())) == ["I am Ada", "Hello Ada", "Who am I?"]


def test_the_budget_holds_and_calls_stay_with_their_results(memory: Memory) -> None:
    remembering = Remembering(memory, max_tokens=300)
    state: list[BaseMessage] = []
    shown: list[BaseMessage] = []
    for n in range(20):
        state += [
            human(f"question number {n} about the weather in the city"),
            ai("", f"call{n}", tool_calls=[call("look", f"x{n}", city=n), call("look", f"y{n}", city=n)]),
            ToolMessage(f"rain {n}", tool_call_id=f"x{n}", id=f"rx{n}"),
            ToolMessage(f"sun {n}", tool_call_id=f"y{n}", id=f"ry{n}"),
            ai(f"It rains and shines {n}"),
        ]
        remembering.record(state[:-1], run())
        shown = remembering.compose(state[:-1], run())
        assert shown[-1] is state[-2]
        calls = [str(one["id"]) for message in shown if isinstance(message, AIMessage) for one in message.tool_calls]
        assert calls == [message.tool_call_id for message in shown if isinstance(message, ToolMessage)]
        remembering.record(state, run())
    assert len(shown) < len(state) / 2


def test_others_messages_stay_where_they_stand(memory: Memory) -> None:
    remembering = Remembering(memory)
    said = [human("one"), ai("two"), human("three")]
    remembering.record(said, run())
    note = HumanMessage("today is Monday")
    hint = SystemMessage("be kind")
    shown = remembering.compose([said[0], said[1], note, said[2], hint], run())
    assert shown == [said[0], said[1], note, said[2], hint]


def test_nothing_comes_between_a_call_and_its_result(memory: Memory) -> None:
    remembering = Remembering(memory)
    asked = ai("", "call", tool_calls=[call("look", "c")])
    result = ToolMessage("rain", tool_call_id="c", id="r")
    remembering.record([human("weather?"), asked, result], run())
    note = HumanMessage("hurry", additional_kwargs={"lc_source": "watchdog"})
    assert remembering.compose([human("weather?"), asked, note, result], run())[1:] == [note, asked, result]


def test_what_is_not_recorded_yet_is_asked_for(memory: Memory) -> None:
    memory.session("earlier", user_id="小李").add("user", "My sister Mia lives in Turin")
    shown = Remembering(memory).compose([human("Where does my sister Mia live?")], run())
    assert "Turin" in shown[0].text
    assert shown[-1].text == "Where does my sister Mia live?"


def test_the_states_own_message_is_shown_and_not_its_copy(memory: Memory) -> None:
    remembering = Remembering(memory)
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    seen = HumanMessage([{"type": "text", "text": "What is this?"}, picture], id="1")
    remembering.record([seen], run())
    assert remembering.compose([seen], run()) == [seen]
    assert "base64" not in str(memory.session("t", user_id="小李").messages()[0].content)
    cleared = seen.model_copy(update={"content": "[cleared]"})  # as middleware does that edits what the model sees
    assert texts(remembering.compose([cleared], run())) == ["[cleared]"]


def test_a_newest_turn_that_is_too_long_is_shortened_with_a_mark(memory: Memory) -> None:
    remembering = Remembering(memory, max_tokens=200)
    asked = ai("", "call", tool_calls=[call("read", "c")])
    state = [human("Read the file"), asked, ToolMessage("line of text " * 500, tool_call_id="c", id="r")]
    remembering.record(state, run())
    shown = remembering.compose(state, run())
    assert [message.type for message in shown] == ["human", "ai", "tool"]
    assert "[cut]" in shown[2].text
    assert state[2].text == "line of text " * 500
    with pytest.raises(BudgetTooSmall) as wrong:
        remembering.compose([SystemMessage("rules " * 300), *state], run())
    assert wrong.value.budget == 200 < wrong.value.needed


def test_a_state_that_begins_with_the_assistant_is_seen_all_the_same(memory: Memory) -> None:
    remembering = Remembering(memory)
    state = [ai("Good morning")]
    remembering.record(state, run())
    assert remembering.compose(state, run()) == state


def test_secrets_are_kept_out_of_the_memory_and_the_model_sees_them() -> None:
    with opened(redact=True) as memory:
        remembering = Remembering(memory)
        state = [human("my card is 4111 1111 1111 1111"), ai("thanks")]
        for _ in range(2):
            remembering.record(state, run())
        assert len(everything(memory)) == 2
        assert "4111" not in str(path(memory))
        assert remembering.compose(state, run()) == state
