"""Field case D01: a window or a budget never parts tool calls from results, and keeps system, user and order."""

from __future__ import annotations

import json

import pytest

from jiyi.context import Context
from jiyi.errors import BudgetTooSmall
from jiyi.history import turns
from jiyi.ports import Strategy
from jiyi.strategies.full_history import FullHistory
from jiyi.strategies.recall import Recall
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.strategies.token_buffer import TokenBuffer
from jiyi.testing.strategy import ListReader, called, check_context, context_of, conversation
from jiyi.types import Message
from jiyi.wire import chat_message

SYSTEM = "You are a parcel desk assistant. Answer in one line."


def _track(*calls: tuple[str, str]) -> Message:
    parts = tuple({"id": id_, "name": "track", "arguments": {"no": number}} for id_, number in calls)
    return Message("", "s", "assistant", None, tool_calls=parts)


def _result(id_: str, text: str) -> Message:
    return Message("", "s", "tool", text, tool_call_id=id_)


PARCELS = conversation(
    ("system", SYSTEM),
    ("user", "Where is parcel 88-401?"),
    _track(("call_a1", "88-401")),
    _result("call_a1", "Rotterdam, ETA 2 days"),
    ("assistant", "It is in Rotterdam."),
    ("user", "And 88-402 and 88-403?"),
    _track(("call_b1", "88-402"), ("call_b2", "88-403")),
    _result("call_b1", "Ghent, ETA Tuesday"),
    _result("call_b2", "Lille, ETA Tuesday"),
    ("assistant", "Both arrive on Tuesday."),
    ("user", "Change the address of the second one."),
)
NO_SYSTEM = PARCELS[1:]
THREE_ROUNDS = conversation(  # several rounds of tools inside one turn, a greeting in front, two questions in a row
    ("system", SYSTEM),
    ("assistant", "Welcome!"),
    ("user", "Compare three parcels."),
    called("p1"),
    _result("p1", "Oslo"),
    called("p2", "p3"),
    _result("p3", "Bergen"),
    _result("p2", "Tromsø"),
    ("assistant", "All in Norway."),
    ("user", "谢谢"),
    ("user", "Which is nearest?"),
)
HISTORIES = [PARCELS, NO_SYSTEM, THREE_ROUNDS]


def _check(context: Context, messages: list[Message]) -> list[dict[str, object]]:
    check_context(context, messages)
    if messages[0].role == "system":
        assert context.messages[0] == {"role": "system", "content": SYSTEM}
    assert json.dumps(context.messages).count(json.dumps(SYSTEM)) == (messages[0].role == "system")
    assert context.messages[-1] == {"role": "user", "content": messages[-1].content}
    said = [message for message in context.messages if message["role"] != "system"]
    everything = [chat_message(message) for message in messages]
    places = [everything.index(message) for message in said]
    assert places == sorted(places)
    return said


@pytest.mark.parametrize("messages", HISTORIES)
@pytest.mark.parametrize("n", range(1, 12))
async def test_a_window_of_n_messages(messages: list[Message], n: int) -> None:
    context = await context_of([SlidingWindow(messages=n)], ListReader(messages))
    said = _check(context, messages)
    assert len(said) <= n
    fitting = [size for size in _turn_sums(messages) if size <= min(n, 100)]
    assert len(said) == fitting[-1], "as many whole turns as there is room for"


def _turn_sums(messages: list[Message]) -> list[int]:
    sizes = [len(turn) for turn in turns(messages) if turn[0].role == "user"]
    return [sum(sizes[-count:]) for count in range(1, len(sizes) + 1)]


@pytest.mark.parametrize("messages", HISTORIES)
@pytest.mark.parametrize("strategy", [FullHistory(), SlidingWindow(20), TokenBuffer(1000), Recall()])
async def test_a_budget_swept_in_steps_of_ten(messages: list[Message], strategy: Strategy) -> None:
    strategies = [strategy] if strategy.window else [strategy, SlidingWindow()]
    full = (await context_of([FullHistory()], ListReader(messages), budget=10_000)).full_history_tokens
    assert full is not None
    lengths: list[int] = []
    for budget in [*range(20, full, 10), full]:
        try:
            context = await context_of(strategies, ListReader(messages), budget=budget)
        except BudgetTooSmall as error:
            assert not lengths and error.needed > error.budget == budget
            continue
        lengths.append(len(_check(context, messages)))
    assert lengths == sorted(lengths) and len(set(lengths)) >= 2


@pytest.mark.parametrize("messages", [PARCELS, NO_SYSTEM])
async def test_everything_fits(messages: list[Message]) -> None:
    expected = [chat_message(message) for message in messages]
    window = await context_of([SlidingWindow(messages=11)], ListReader(messages))
    assert window.messages == expected and not window.dropped
    assert window.full_history_tokens == window.tokens and window.saved == 0
    exactly = await context_of([FullHistory()], ListReader(messages), budget=window.tokens)
    assert exactly.messages == expected


@pytest.mark.parametrize("size", range(60, 220, 10))
async def test_a_token_buffer_keeps_to_its_own_size(size: int) -> None:
    context = await context_of([TokenBuffer(size)], ListReader(PARCELS), budget=4000)
    _check(context, PARCELS)
    assert context.tokens <= size
