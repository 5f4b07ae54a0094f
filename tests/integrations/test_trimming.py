"""Our window and token buffer beside LangChain's ``trim_messages``: the same histories, the same counter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage, trim_messages

from jiyi import BudgetTooSmall, Memory, SlidingWindow, TokenBuffer
from jiyi.config import Settings
from jiyi.integrations.langchain import chat_to_langchain, from_langchain
from jiyi.testing import FakeClock
from jiyi.tokens import REPLY, Estimate, count_message
from jiyi.wire import chat_message

pytestmark = pytest.mark.integration("langchain-core")

COUNTER = Estimate()
ENOUGH = 1_000_000


def tokens(messages: Sequence[BaseMessage]) -> int:
    """As Jiyi counts messages in chat format; what the reply begins with comes on top of them all."""
    with Memory.open("memory:", embedder=None, tokenizer="estimate", settings=Settings()) as memory:
        stored = memory.session("s", user_id="ada").add_many([from_langchain(one) for one in messages])
    return sum(count_message(COUNTER, chat_message(one)) for one in stored)


def theirs(messages: Sequence[BaseMessage], size: int, *, counter: Any = tokens, **options: Any) -> list[str]:
    asked = {"strategy": "last", "start_on": "human", "include_system": True, "allow_partial": False, **options}
    return _shown(trim_messages(list(messages), max_tokens=size, token_counter=counter, **asked))


def ours(messages: Sequence[BaseMessage], strategy: Any, *, room: int = ENOUGH) -> list[str]:
    with Memory.open(
        "memory:", recipe=[strategy], embedder=None, tokenizer="estimate", clock=FakeClock(), settings=Settings()
    ) as memory:
        chat = memory.session("s", user_id="ada")
        chat.add_many([from_langchain(one) for one in messages])
        return _shown([chat_to_langchain(one) for one in chat.context(max_tokens=room).messages])


def _shown(messages: Sequence[BaseMessage]) -> list[str]:
    return [f"{one.type} {one.text} {getattr(one, 'tool_call_id', '')}".strip() for one in messages]


def turn(at: int, said: str, calls: int) -> list[BaseMessage]:
    """A user's words, perhaps calls with their results, an answer."""
    found: list[BaseMessage] = [HumanMessage(f"{said} {at}", id=f"h{at}")]
    if calls:
        made: list[Any] = [
            {"name": "book", "args": {"房间": n}, "id": f"c{at}-{n}", "type": "tool_call"} for n in range(calls)
        ]
        found.append(AIMessage("", tool_calls=made, id=f"t{at}"))
        found += [ToolMessage(f"booked {n}", tool_call_id=f"c{at}-{n}", id=f"r{at}-{n}") for n in range(calls)]
    return [*found, AIMessage(f"answer 回答 {at}", id=f"a{at}")]


turns = st.lists(st.tuples(st.sampled_from(["ok", "我的预算是五百", "a longer text, of many words"]), st.integers(0, 2)), max_size=6)  # fmt: skip


@st.composite
def histories(draw: st.DrawFn) -> list[BaseMessage]:
    talk = [one for at, (said, calls) in enumerate(draw(turns)) for one in turn(at, said, calls)]
    system: list[BaseMessage] = [SystemMessage("Be kind. 请友善。", id="s")] if draw(st.booleans()) else []
    asked = draw(st.sampled_from(["And now?", "现在呢？"]))
    return [*system, *talk, HumanMessage(asked, id="q")]


@given(histories(), st.integers(0, 60))
@settings(max_examples=40, deadline=None)
def test_a_token_buffer_shows_what_trim_messages_leaves(history: list[BaseMessage], more: int) -> None:
    system = [one for one in history if isinstance(one, SystemMessage)]
    size = tokens([*system, history[-1]]) + more
    assert ours(history, TokenBuffer(size + REPLY)) == theirs(history, size)


@given(histories(), st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_a_window_of_messages_too(history: list[BaseMessage], size: int) -> None:
    system = sum(isinstance(one, SystemMessage) for one in history)  # they count there
    assert ours(history, SlidingWindow(1000, messages=size)) == theirs(history, size + system, counter=len)


CALL: Any = {"name": "book", "args": {}, "id": "c1", "type": "tool_call"}
TORN = [HumanMessage("Book"), AIMessage("", tool_calls=[CALL]), ToolMessage("booked", tool_call_id="c1"), AIMessage("Done"), HumanMessage("Thanks")]  # fmt: skip


def test_a_call_is_never_torn_from_its_result() -> None:
    """Without ``start_on`` they may begin with a result, which every chat model refuses."""
    assert theirs(TORN, 3, counter=len, start_on=None) == ["tool booked c1", "ai Done", "human Thanks"]
    assert ours(TORN, SlidingWindow(1000, messages=3)) == ["human Thanks"]


def test_a_call_without_a_result_is_left_out() -> None:
    history = [HumanMessage("Book"), AIMessage("", tool_calls=[CALL]), HumanMessage("Hello?")]
    assert theirs(history, 10, counter=len) == ["human Book", "ai", "human Hello?"]
    assert ours(history, SlidingWindow()) == ["human Book", "human Hello?"]


def test_a_newest_message_that_does_not_fit_is_said_not_dropped() -> None:
    history = [HumanMessage("很长的话。" * 200)]
    assert theirs(history, 50) == []
    with pytest.raises(BudgetTooSmall):
        ours(history, TokenBuffer(50))
    (cut,) = ours(history, TokenBuffer(50, allow_partial=True))
    assert cut.startswith("human 很长的话。") and cut.endswith("〔截断〕")


def test_a_newest_turn_longer_than_the_window_is_shown() -> None:
    history = [HumanMessage("Hi"), AIMessage("Hello"), *turn(1, "Book", 2)]
    assert theirs(history, 2, counter=len) == []
    assert len(ours(history, SlidingWindow(1000, messages=2))) == 5


def test_every_system_message_stands() -> None:
    history = [SystemMessage("one"), HumanMessage("Hi"), AIMessage("Hello"), SystemMessage("two"), HumanMessage("Bye")]
    assert theirs(history, 2, counter=len) == ["system one", "human Bye"]
    assert ours(history, SlidingWindow(1)) == ["system one", "system two", "human Bye"]


def test_nothing_is_nothing_in_both() -> None:
    assert theirs([], 10) == ours([], TokenBuffer(10)) == []
