"""What a context looks like, and how the parts share the budget."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from jiyi.assembly import assemble
from jiyi.ports import Request
from jiyi.quoting import HEADER, HEADER_DERIVED
from jiyi.strategies.full_history import FullHistory
from jiyi.strategies.recall import Recall
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.testing.strategy import ListReader, answered, called, check_context, context_of, conversation
from jiyi.tokens import Estimate, count_messages, counter
from jiyi.types import Block, Hit, Item, Message
from jiyi.wire import chat_message


def _hits(*messages: Message) -> list[Hit]:
    return [Hit(1 / at, 0.9, message, parts={"words": 1 / at}) for at, message in enumerate(messages, start=1)]


# -- chat_message


def test_a_flat_tool_call_becomes_the_wire_format() -> None:
    call = {"id": "c1", "name": "track", "arguments": {"no": "货物"}}
    message = Message("m", "s", "assistant", None, tool_calls=(call,))
    before = copy.deepcopy(message)
    assert chat_message(message) == {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "track", "arguments": '{"no": "货物"}'}}],
    }
    assert message == before


@pytest.mark.parametrize(
    "call",
    [
        {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
        {"id": "c", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}},
        {"id": "c", "name": "f", "args": {"a": 1}, "type": "tool_call"},
        {"id": "c", "name": "f", "arguments": '{"a": 1}'},
    ],
)
def test_every_way_to_give_a_call_comes_out_the_same(call: dict[str, object]) -> None:
    chat = chat_message(Message("m", "s", "assistant", "", tool_calls=(call,)))  # type: ignore[arg-type]
    assert chat["tool_calls"] == [{"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]


def test_a_chat_message_is_a_fresh_copy() -> None:
    parts = ({"type": "image_url", "image_url": {"url": "u"}},)
    message = Message("m", "s", "user", parts, name="Ada")
    chat = chat_message(message)
    assert chat == {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}], "name": "Ada"}
    chat["content"][0]["image_url"]["url"] = "changed"  # type: ignore[index]
    assert message.content == ({"type": "image_url", "image_url": {"url": "u"}},)


# -- the memory section


async def test_memories_are_quoted_by_session_in_order_of_time() -> None:
    may = datetime(2023, 5, 8, 20, 0, tzinfo=UTC)
    first = conversation(
        ("user", "I joined a support group.\nIt helps."), ("assistant", "Good."), session="a", start=may
    )
    later = conversation(("user", "We moved."), session="b", start=datetime(2023, 6, 1, tzinfo=UTC))
    named = replace(first[0], name="Caroline")
    undated = Message("n", "", "user", "Is vegetarian", kind="statement", recorded_at=datetime(2022, 1, 1, tzinfo=UTC))
    reader = ListReader(
        conversation(("system", "Be kind."), ("user", "What helped?")), _hits(later[0], first[1], named, undated)
    )
    context = await context_of([Recall(), SlidingWindow()], reader)
    check_context(context, reader.messages)
    assert [message["role"] for message in context.messages] == ["system", "system", "user"]
    assert context.messages[1]["content"] == (
        "Earlier messages that may matter, quoted verbatim, with date and speaker:\n"
        "[statement] Is vegetarian\n\n"
        "[2023-05-08 Mon]\n[Caroline] I joined a support group.\nIt helps.\n[assistant] Good.\n\n"
        "[2023-06-01 Thu]\n[user] We moved."
    )


async def test_chinese_memories_have_a_chinese_header() -> None:
    old = conversation(("user", "预算五百元。"), ("assistant", "好。"), session="old")
    reader = ListReader(conversation(("user", "我的预算是多少？")), _hits(*old))
    context = await context_of([Recall(), SlidingWindow()], reader)
    assert context.messages[0]["content"] == (
        "以下是可能有用的过往消息，原文引用，附日期和说话人：\n[2024-03-01 周五]\n[用户] 预算五百元。\n[助手] 好。"
    )


async def test_no_memories_no_header() -> None:
    reader = ListReader(conversation(("user", "hello")), [])
    assert (await context_of([Recall(), SlidingWindow()], reader)).messages == [{"role": "user", "content": "hello"}]
    picture = conversation(("user", ({"type": "image_url", "image_url": {"url": "u"}},)), session="old")
    context = await context_of([Recall(), SlidingWindow()], ListReader(reader.messages, _hits(*picture)))
    assert len(context.messages) == 1 and context.dropped[0].reason == "no text to quote"


async def test_what_stands_in_the_history_is_not_repeated_and_makes_room() -> None:
    session = conversation(*[("user", f"fact number {at}") for at in range(4)])  # type: ignore[list-item]
    old = conversation(*[("user", f"old fact {at}") for at in range(6)], session="old")  # type: ignore[list-item]
    reader = ListReader(session, _hits(*session[:3], *old))
    context = await context_of([Recall(k=4), SlidingWindow()], reader)
    recall = next(block for block in context.blocks if block.strategy == "recall")
    assert recall.sources == tuple(message.id for message in old[:4]), "k counts what is really recalled"
    assert not context.dropped


async def test_a_recalled_system_message_is_there_once() -> None:
    session = conversation(("system", "Be kind."), ("user", "What should you be?"))
    context = await context_of([Recall(), SlidingWindow()], ListReader(session, _hits(session[0])))
    assert [message["content"] for message in context.messages] == ["Be kind.", "What should you be?"]
    check_context(context, session)


async def test_a_recalled_message_outside_the_window_is_not_dropped() -> None:
    session = conversation(*[("user", f"a fact with number {at}") for at in range(20)])  # type: ignore[list-item]
    context = await context_of([Recall(), SlidingWindow(2)], ListReader(session, _hits(session[3])))
    check_context(context, session)
    assert {entry.message_id for entry in context.dropped} == {message.id for message in session[:18]} - {session[3].id}
    assert {entry.reason for entry in context.dropped} == {"outside the last 2 turns"}


async def test_an_item_too_large_is_skipped_and_smaller_ones_go_in() -> None:
    old = conversation(("user", "long" * 500), ("user", "quite short, as it seems"), session="old")
    reader = ListReader(conversation(("user", "hello")), _hits(*old))
    context = await context_of([Recall(), SlidingWindow()], reader, budget=100)
    assert "short" in str(context.messages[0]["content"])
    assert [(entry.message_id, entry.reason) for entry in context.dropped] == [(old[0].id, "budget")]


async def test_the_history_stops_at_the_first_turn_that_does_not_fit() -> None:
    session = conversation(("user", "tiny"), ("user", "long " * 300), ("user", "small"), ("user", "now"))
    context = await context_of([FullHistory()], ListReader(session), budget=200)
    assert [message["content"] for message in context.messages] == ["small", "now"]
    assert [entry.message_id for entry in context.dropped] == ["s-2", "s-1"]


@pytest.mark.parametrize("recipe", [[Recall(), SlidingWindow(50)], [SlidingWindow(50), Recall()]])
async def test_the_window_and_the_memories_share_in_halves(recipe: list[SlidingWindow]) -> None:
    session = conversation(*[("user", f"question {at} " * 5) for at in range(100)])  # type: ignore[list-item]
    old = conversation(*[("user", f"old answer {at} " * 5) for at in range(30)], session="old")  # type: ignore[list-item]
    context = await context_of(recipe[:], ListReader(session, _hits(*old)), budget=400)
    shares = {block.strategy: block.tokens / 400 for block in context.blocks}
    assert 0.4 <= shares["sliding_window"] <= 0.6 and 0.35 <= shares["recall"] <= 0.55
    little = await context_of(recipe[:], ListReader(session, _hits(*old[:1])), budget=400)
    shares = {block.strategy: block.tokens / 400 for block in little.blocks}
    assert shares["sliding_window"] > 0.75, "what the memories do not need goes to the window"
    short = await context_of([Recall(30), SlidingWindow(2)], ListReader(session, _hits(*old)), budget=400)
    shares = {block.strategy: block.tokens / 400 for block in short.blocks}
    assert shares["recall"] > 0.75, "and the other way round"


# -- the newest turn


async def test_the_oldest_rounds_of_tools_leave_when_the_newest_turn_is_too_long() -> None:
    rounds = [line for at in range(6) for line in (called(f"c{at}"), answered(f"c{at}", f"result {at} " * 20))]
    session = conversation(("user", "earlier"), ("user", "Do all six."), *rounds)
    context = await context_of([FullHistory()], ListReader(session), budget=260)
    check_context(context, session)
    assert context.messages[0]["content"] == "Do all six." and context.messages[-1]["tool_call_id"] == "c5"
    assert 3 <= len(context.messages) < 13 and len(context.messages) % 2 == 1
    assert not context.truncated
    assert {entry.reason for entry in context.dropped} == {"budget"} and session[0].id in {
        entry.message_id for entry in context.dropped
    }


async def test_no_gap_among_the_rounds_of_tools() -> None:
    rounds = [line for at in range(3) for line in (called(f"c{at}"), answered(f"c{at}", "long " * 200 * (at == 1)))]
    context = await context_of([FullHistory()], ListReader(conversation(("user", "Go."), *rounds)), budget=200)
    assert [message.get("tool_call_id") for message in context.messages] == [None, None, "c2"]


async def test_a_call_still_open_is_dropped_and_listed() -> None:
    session = conversation(("user", "Go."), called("a", "b"), answered("a"))
    context = await context_of([SlidingWindow()], ListReader(session))
    check_context(context, session)
    assert [message["role"] for message in context.messages] == ["user"]
    assert all("tool call without its result" in entry.reason for entry in context.dropped)


async def test_without_any_strategy_the_newest_turn_is_there() -> None:
    session = conversation(("system", "Be kind."), ("user", "one"), ("user", "two"), ("assistant", "three"))
    context = await context_of([], ListReader(session))
    assert [message["content"] for message in context.messages] == ["Be kind.", "two", "three"]
    assert [block.strategy for block in context.blocks] == ["system", "newest"]


async def test_the_same_system_message_again_is_left_out() -> None:
    session = conversation(("system", "Be kind."), ("user", "one"), ("system", "Be kind."), ("system", "Be brief."))
    context = await context_of([FullHistory()], ListReader(session))
    assert [message["content"] for message in context.messages] == ["Be kind.", "Be brief.", "one"]
    check_context(context, session)


def test_messages_that_arrive_meanwhile_wait() -> None:
    session = conversation(("user", "one"), ("user", "two"), ("user", "three"))
    block = Block("full", "history", tuple(Item((message,)) for message in reversed(session)))
    context = assemble([block], system=(), newest=session[1:2], budget=1000, counter=Estimate())
    assert [message["content"] for message in context.messages] == ["one", "two"]


# -- the account


def test_a_long_history_is_weighed_once_and_not_once_a_turn() -> None:
    counted: list[str] = []

    class Noting(Estimate):
        def count(self, text: str) -> int:
            counted.append(text)
            return super().count(text)

    old = conversation(*[("user", f"old {at}") for at in range(10)], session="old")  # type: ignore[list-item]
    session = conversation(*[("user", f"line {at}") for at in range(500)])  # type: ignore[list-item]
    blocks = [
        Block("full", "history", tuple(Item((message,)) for message in reversed(session))),
        Block("recall", "memory", tuple(Item((message,)) for message in (*old, session[250]))),
    ]
    context = assemble(blocks, system=(), newest=session[-1:], budget=100_000, counter=Noting())
    assert len(context.messages) == 501
    assert sum(text.startswith(HEADER["en"]) for text in counted) < 10


async def test_explain_and_json_say_where_everything_comes_from() -> None:
    old = conversation(("user", "My budget is 500 yuan."), session="old")
    session = conversation(("system", "Be kind."), *[("user", f"question {at}") for at in range(12)])  # type: ignore[list-item]
    context = await context_of([Recall(), SlidingWindow()], ListReader(session, _hits(*old)))
    text = context.explain()
    assert "old-1 2024-03-01 09:01 user 'My budget is 500 yuan.'  <- relevance 0.90 (words +1.00)" in text
    assert "dropped: 4 messages" in text and "s-5 2024-03-01 09:05 user 'question 3': outside the last 8 turns" in text
    data = json.loads(json.dumps(context.to_dict()))
    assert [block["strategy"] for block in data["blocks"]] == ["system", "recall", "sliding_window"]
    assert data["messages"] == context.messages and data["tokens"] == context.tokens
    assert data["blocks"][1]["items"][0]["sources"][0]["id"] == "old-1"
    assert data["saved"] == context.saved == count_messages(Estimate(), map(chat_message, session)) - context.tokens


async def test_a_long_session_is_not_read_to_its_beginning() -> None:
    lines = [("user" if at % 2 == 0 else "assistant", f"a line of number {at}") for at in range(5000)]
    reader = ListReader(conversation(("system", "Be kind."), *lines))  # type: ignore[arg-type]
    reader.hits = _hits(reader.messages[7])
    context = await context_of([Recall(), SlidingWindow()], reader)
    check_context(context, reader.messages)
    assert reader.most_read <= 64 and context.full_history_tokens is None and context.saved is None
    assert sum(entry.count for entry in context.dropped) == 5000 - 17
    assert "messages before it: outside the last 8 turns" in context.explain()


def test_derived_text_does_not_hide_the_words_it_rests_on() -> None:
    said = conversation(("user", "The budget is 500."), session="old")
    fact = Block("facts", "memory", (Item(tuple(said), text="budget: 500"),), share=0.2)
    quote = Block("recall", "memory", (Item(tuple(said)),), share=0.3)
    context = assemble([fact, quote], system=(), newest=conversation(("user", "hi")), budget=500, counter=Estimate())
    assert "[2024-03-01 Fri]\n[user] budget: 500\n[user] The budget is 500." in str(context.messages[0]["content"])


async def test_what_a_summary_tells_of_is_not_dropped() -> None:
    lines = [("user" if at % 2 == 0 else "assistant", f"line {at}") for at in range(400)]
    reader = ListReader(conversation(*lines))  # type: ignore[arg-type]
    said = reader.messages
    reader.hits = _hits(said[0], said[299])

    class Summary:
        name, window = "summary", False

        async def recall(self, request: Request) -> list[Block]:
            ends = (said[0], said[299])
            item = Item(ends, text="They counted lines.", label="summary", covers=(("s", 1, 300),), why="rolling")
            return [Block(self.name, "memory", (item,), share=0.3)]

    context = await context_of([Recall(), Summary(), SlidingWindow(8)], reader)
    check_context(context, said)
    assert "\n[summary] They counted lines.\n" in str(context.messages[0]["content"])
    assert context.messages[0]["content"].startswith(HEADER_DERIVED["en"])  # type: ignore[union-attr]
    left = sum(entry.count for entry in context.dropped)
    assert left == 400 - 300 - 16 and all(entry.message in said[300:] for entry in context.dropped)
    assert "  [summary] They counted lines.  <- rolling\n    tells of 300 messages, from s-1" in context.explain()
    tight = await context_of([Summary(), SlidingWindow(8)], reader, budget=60)
    check_context(tight, said)
    assert {entry.strategy for entry in tight.dropped} == {"summary", "sliding_window"}


@pytest.mark.parametrize(
    "text", ["\n" * 50_000, " " * 400_000, "\u0301" * 3000, "👨‍👩‍👧‍👦\u200d" * 2000, "e" + "\u0301" * 5000]
)
@pytest.mark.parametrize("tokenizer", ["estimate", "o200k"])
def test_a_message_that_cannot_be_cut_gives_way_to_the_mark(text: str, tokenizer: str) -> None:
    message = Message("m", "s", "user", text, position=1)
    found = assemble((), system=(), newest=(message,), budget=100, counter=counter(tokenizer), allow_partial=True)
    assert found.tokens <= 100
    assert found.truncated == ("[cut]" in str(found.messages[0]["content"]))
    assert found.truncated or counter(tokenizer).count(text) < 100
