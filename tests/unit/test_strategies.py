"""What each strategy proposes, and what its constructor refuses."""

from __future__ import annotations

import pytest

from jiyi.errors import InvalidInput
from jiyi.strategies.full_history import FullHistory
from jiyi.strategies.recall import Recall
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.strategies.token_buffer import TokenBuffer
from jiyi.testing.strategy import ListReader, answered, called, context_of, conversation, request
from jiyi.types import Hit

LONG = conversation(*[("user" if at % 2 == 0 else "assistant", f"line {at}") for at in range(1000)])  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, -1, True, 2.5, "8", None])
def test_sizes_must_be_whole_numbers_above_zero(value: object) -> None:
    for field, make in (
        ("turns", lambda: SlidingWindow(value)),  # type: ignore[arg-type]
        ("max_tokens", lambda: TokenBuffer(value)),  # type: ignore[arg-type]
        ("k", lambda: Recall(value)),  # type: ignore[arg-type]
    ):
        with pytest.raises(InvalidInput) as caught:
            make()
        assert caught.value.field == field
    if value is not None:
        with pytest.raises(InvalidInput, match="^messages"):
            SlidingWindow(messages=value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "options"),
    [
        ("floor", {"floor": 1.5}), ("floor", {"floor": "0.5"}), ("floor", {"floor": float("nan")}),
        ("share", {"share": 0}), ("share", {"share": -0.1}), ("share", {"share": True}),
    ],
)  # fmt: skip
def test_fractions_must_be_between_zero_and_one(field: str, options: dict[str, float]) -> None:
    with pytest.raises(InvalidInput) as caught:
        Recall(**options)
    assert caught.value.field == field


def test_partial_must_be_a_bool() -> None:
    with pytest.raises(InvalidInput, match="^allow_partial"):
        TokenBuffer(allow_partial="yes")  # type: ignore[arg-type]


async def test_a_window_counts_turns_not_messages() -> None:
    session = conversation(("user", "one"), called("a"), answered("a"), ("assistant", "1"), ("user", "two"))
    (block,) = await SlidingWindow(turns=1).recall(request(ListReader(session)))
    assert [item.sources for item in block.items] == [("s-5",)]
    assert [entry.message_id for entry in block.left_out] == ["s-1", "s-2", "s-3", "s-4"]
    (block,) = await SlidingWindow(turns=2).recall(request(ListReader(session)))
    assert [item.sources for item in block.items] == [("s-5",), ("s-1", "s-2", "s-3", "s-4")]


async def test_only_as_much_is_read_as_is_needed() -> None:
    for strategy, most in (
        (SlidingWindow(8), 64),
        (SlidingWindow(40), 256),
        (FullHistory(), 256),
        (TokenBuffer(300), 64),
    ):
        reader = ListReader(LONG)
        await strategy.recall(request(reader, budget=1000))
        assert reader.most_read == most, strategy.name


async def test_a_buffer_shows_the_newest_that_fit() -> None:
    context = await context_of([TokenBuffer(200)], ListReader(LONG), budget=100_000)
    assert 150 < context.tokens <= 200 and context.messages[-1]["content"] == "line 999"
    assert sum(entry.count for entry in context.dropped) == 1000 - len(context.messages)
    assert {entry.reason for entry in context.dropped} == {"outside the last 200 tokens"}


async def test_recall_asks_once_and_respects_its_floor() -> None:
    old = conversation(("user", "It stands quite near."), ("user", "Others are far away."), session="old")
    reader = ListReader(LONG, [Hit(2.0, 0.8, old[0]), Hit(1.0, 0.4, old[1])])
    (block,) = await Recall().recall(request(reader, query="what?"))
    assert [item.sources for item in block.items] == [("old-1",), ("old-2",)] and reader.asked == ["what?"]
    (block,) = await Recall(floor=0.5).recall(request(reader, query="what?"))
    assert [item.sources for item in block.items] == [("old-1",)]
    assert await Recall(floor=0.9).recall(request(reader, query="what?")) == []
    assert await Recall().recall(request(reader, query=" ")) == []
