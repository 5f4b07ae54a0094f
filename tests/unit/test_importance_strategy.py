"""Which turns stay when the budget is short, and who says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jiyi.assembly import IMPORTANCE
from jiyi.context import Context
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput
from jiyi.strategies.importance import Importance
from jiyi.strategies.recall import Recall
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.testing.strategy import ListReader, answered, called, check_context, context_of, conversation
from jiyi.tokens import Estimate, count_message
from jiyi.types import Hit, Message, Record, Source
from jiyi.wire import chat_message

SMALL = [("user", "哈哈哈"), ("assistant", "好的！"), ("user", "Nice, thanks!"), ("assistant", "You're welcome!")]
GIFT = [
    ("user", "The gift is for my niece Lily in first grade, and the budget is 500 dollars."),
    ("assistant", "Noted."),
]
GIFT_ZH = [("user", "礼物是给上一年级的侄女的，预算是五百元，千万不要超。"), ("assistant", "好的。")]


def chat(*parts: list[tuple[str, str]]) -> list[Message]:
    return conversation(*[line for part in parts for line in part])  # type: ignore[arg-type]


def shown(context: Context) -> list[str]:
    return [source for block in context.blocks if block.place == "history" for source in block.sources]


def room_for(*messages: Message) -> int:
    return 3 + sum(count_message(Estimate(), chat_message(message)) for message in messages)


@pytest.mark.parametrize("gift", [GIFT, GIFT_ZH])
async def test_turn_5_is_there_in_turn_35(gift: list[tuple[str, str]]) -> None:
    session = chat(*[SMALL] * 2, gift, *[SMALL] * 15, [("user", "What did I say the budget was? 预算是多少来着？")])
    context = await context_of([Importance()], ListReader(session), budget=200)
    check_context(context, session)
    assert gift[0][1] in [message["content"] for message in context.messages]
    window = await context_of([SlidingWindow(50)], ListReader(session), budget=200)
    assert gift[0][1] not in [message["content"] for message in window.messages]
    assert shown(context) == sorted(shown(context), key=lambda name: int(name[2:])), "in order of time"
    assert {entry.reason for entry in context.dropped} == {IMPORTANCE}
    assert "important" in IMPORTANCE
    used = next(block for block in context.blocks if block.strategy == "importance")
    assert any("importance" in item.why for item in used.items)


async def test_the_newest_turns_stay_before_all_others() -> None:
    session = chat(GIFT, SMALL, SMALL, [("user", "so?")])
    newest = room_for(*session[4:])
    context = await context_of([Importance(recent=4)], ListReader(session), budget=newest + 3)
    assert shown(context) == [message.id for message in session[4:]]
    context = await context_of([Importance(recent=1)], ListReader(session), budget=newest + 3)
    assert session[0].id in shown(context)


async def test_below_the_threshold_a_turn_leaves_first_and_then_by_age() -> None:
    texts = [
        "I like green tea.",
        "The shop has a door and a window.",
        "My budget is $500.",
        "There was a bench outside.",
        "now",
    ]
    session = conversation(*[("user", text) for text in texts])  # type: ignore[list-item]

    async def order(strategy: Importance) -> list[str]:
        left: list[str] = []
        for budget in range(120, 10, -1):
            context = await context_of([strategy], ListReader(session), budget=budget)
            gone = [message.text for message in session if message.id not in shown(context)]
            left += [text for text in gone if text not in left]
        return left

    assert await order(Importance(0.2, recent=1)) == [texts[1], texts[3], texts[0], texts[2]]
    assert await order(Importance(1.0, recent=1)) == [texts[0], texts[1], texts[2], texts[3]], "all below: only by age"
    assert await order(Importance(0.0, recent=1)) == [texts[3], texts[1], texts[0], texts[2]]


async def test_what_was_pinned_or_given_wins() -> None:
    session = conversation(
        *[("user", f"The budget is {at}00 dollars.") for at in range(4)], ("user", "ok"), ("user", "now")
    )  # type: ignore[list-item]
    session[1] = replace(session[1], importance=0.0)
    session[4] = replace(session[4], pinned=True)
    budget = room_for(session[0], session[2], session[3], session[4], session[5])
    context = await context_of([Importance(recent=1)], ListReader(session), budget=budget)
    assert shown(context) == ["s-1", "s-3", "s-4", "s-5", "s-6"]
    assert context.dropped[0].message_id == "s-2"


async def test_a_turn_is_as_important_as_its_most_important_message() -> None:
    session = chat([("user", "ok?"), ("assistant", "I'll ship it by Friday, 12 June.")], SMALL, [("user", "now")])
    budget = room_for(session[0], session[1], session[-1]) + 5
    context = await context_of([Importance(recent=1)], ListReader(session), budget=budget)
    assert shown(context)[:2] == ["s-1", "s-2"], "the answer stands with its question"


async def test_a_very_long_turn_does_not_push_out_all_others() -> None:
    paste = "Remember this contract: never pay more than 500 dollars by Friday. " * 300
    session = chat(GIFT, [("user", paste), ("assistant", "ok")], SMALL, [("user", "now")])
    context = await context_of([Importance(recent=1)], ListReader(session), budget=300)
    assert "s-1" in shown(context)
    session[2] = replace(session[2], pinned=True)
    assert "s-1" not in shown(await context_of([Importance(recent=1)], ListReader(session), budget=300))


async def test_calls_stay_with_their_results() -> None:
    session = conversation(
        ("user", "Where is parcel 88-401? I must know by Friday."),
        called("a", "b"),
        answered("a"),
        answered("b"),
        ("assistant", "Here."),
        *SMALL,
        ("user", "now"),
    )  # type: ignore[arg-type]
    for budget in range(20, 150, 5):
        context = await context_of([Importance(recent=1)], ListReader(session), budget=budget)
        check_context(context, session)
        assert {f"s-{at}" for at in range(1, 6)} <= set(shown(context)) or not {f"s-{at}" for at in range(1, 6)} & set(
            shown(context)
        )


async def test_with_recall_a_message_stands_once() -> None:
    session = chat(GIFT, *[SMALL] * 10, [("user", "budget?")])
    reader = ListReader(session, [Hit(1.0, 0.9, session[0]), Hit(0.5, 0.8, session[2])])
    context = await context_of([Recall(), Importance(recent=2)], reader, budget=4000)
    check_context(context, session)
    assert str(context.messages).count("niece") == 1
    short = await context_of([Recall(), SlidingWindow(1), Importance(recent=1)], reader, budget=150)
    check_context(short, session)
    assert str(short.messages).count("niece") == 1


async def test_what_was_not_read_is_accounted_for() -> None:
    session = chat(*[SMALL] * 100, [("user", "now")])
    reader = ListReader(session)
    context = await context_of([Importance(turns=10)], reader, budget=4000)
    check_context(context, session)
    assert reader.most_read < len(session)
    assert {entry.reason for entry in context.dropped} == {"outside the last 10 turns"}


async def test_a_models_rating_stands_in_place_of_the_rules() -> None:
    session = chat(GIFT, [("user", "The bench is outside."), ("assistant", "Right.")], [("user", "now")])
    rating = Record("importance:s-3", "importance", "", "importance", "1", (Source("s-3"),), importance=0.9, data={})
    low = Record("importance:s-1", "importance", "", "importance", "1", (Source("s-1"),), importance=0.1, data={})
    reader = ListReader(session, records=[rating, low])
    budget = room_for(session[0], session[1], session[-1])
    assert "s-1" in shown(await context_of([Importance(recent=1)], reader, budget=budget)), "not asked for: by rules"
    context = await context_of([Importance(recent=1, by_model=True)], reader, budget=budget)
    assert shown(context) == ["s-3", "s-4", "s-5"]
    assert "model 0.90" in str(context.explain())


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("threshold", 1.5),
        ("threshold", None),
        ("recent", 0),
        ("turns", 2.5),
        ("share", 0),
        ("share", "all"),
        ("by_model", 1),
    ],
)
def test_wrong_settings_are_named(field: str, wrong: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        Importance(**{field: wrong})  # type: ignore[arg-type]
    assert caught.value.field == field


async def test_by_name() -> None:
    async with await AsyncMemory.open("memory:", recipe="importance", embedder=None) as memory:
        assert [strategy.name for strategy in memory.strategies] == ["importance"]
        session = memory.session("s", user_id="ada")
        for role, text in [*GIFT, *SMALL * 20, ("user", "now")]:
            await session.add(role, text)
        assert "niece" in str((await session.context(max_tokens=150)).messages)


async def test_ratings_that_are_kept_are_those_of_the_message() -> None:
    async with await AsyncMemory.open("memory:", recipe=[Importance(recent=1)], embedder=None) as memory:
        for user, text in (("ada", GIFT[0][1]), ("bob", "Haha, nice"), ("ada", "I'm allergic to nuts.")):
            await memory.session("s", user_id=user).add("user", text)
        for _ in range(2):
            assert "allergic" in str((await memory.session("s", user_id="ada").context()).messages)
            used = (await memory.session("s", user_id="ada").context()).blocks[0]
            assert "prohibition" in used.items[-1].why and "amount" in used.items[0].why
            assert "small talk" in (await memory.session("s", user_id="bob").context()).blocks[0].items[0].why
