"""What of the memories comes into a context: passages of long messages, and neighbours of those that need them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from jiyi.assembly import assemble
from jiyi.context import Context
from jiyi.strategies.recall import Recall
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.testing.strategy import ListReader, check_context, context_of, conversation, request
from jiyi.text import query_terms
from jiyi.tokens import Estimate
from jiyi.types import Block, Hit, Item, Message

FILLER = "The weather was fine and everybody had a good time at the lake. "
CHINESE = "天气很好，大家在湖边玩得很开心。"


def found(question: str, *messages: Message) -> list[Hit]:
    asked = dict.fromkeys(query_terms(question), 2.0)
    return [Hit(1 / at, 0.9, message, asked=asked) for at, message in enumerate(messages, start=1)]


def memories(context: Context) -> str:
    return str(context.messages[0]["content"]) if context.messages[0]["role"] == "system" else ""


def recalled(context: Context) -> tuple[Item, ...]:
    return next(block.items for block in context.blocks if block.strategy == "recall")


def test_a_text_that_two_strategies_propose_stands_once() -> None:
    said = tuple(conversation(("user", "I eat no pork."), session="old"))
    blocks = [Block(name, "memory", (Item(said, text="no pork", label="fact"),), share=0.3) for name in ("one", "two")]
    context = assemble(blocks, system=(), newest=conversation(("user", "hi")), budget=500, counter=Estimate())
    assert memories(context).count("[fact] no pork") == 1 and not context.dropped
    nodes = tuple(Item(said, text="Talk.", label="summary", covers=(("old", at, at),)) for at in (1, 2))
    summary = Block("summary", "memory", nodes, share=0.3)
    context = assemble([summary], system=(), newest=conversation(("user", "hi")), budget=500, counter=Estimate())
    assert memories(context).count("[summary] Talk.") == 2, "two nodes may say the same of different messages"


@pytest.mark.parametrize(
    ("question", "fact", "filler", "end"),
    [
        ("What was the gate code?", "The gate code is 4417.", FILLER, " "),
        ("门禁密码是多少？", "门禁密码是4417。", CHINESE, ""),
    ],
)
async def test_a_long_message_comes_in_with_what_matters(question: str, fact: str, filler: str, end: str) -> None:
    long = filler * 20 + fact + end + filler * 20
    old = [conversation(("user", f"Trip {at}. " + long), session=f"old{at}")[0] for at in range(4)]
    reader = ListReader(conversation(("user", question)), found(question, *old))
    tight = await context_of([Recall(), SlidingWindow()], reader, budget=600)
    check_context(tight, reader.messages)
    assert memories(tight).count(fact) == 4 and memories(tight).count("[…]") >= 8 and not tight.dropped
    for item in recalled(tight):
        (message,) = item.messages
        assert item.passages and all(part.message_id == message.id for part in item.passages)
        quotes = [message.text[start:stop] for start, stop in item.spans(message)]
        assert any(fact in quote for quote in quotes) and all(quote in memories(tight) for quote in quotes)
    account = json.loads(json.dumps(tight.to_dict()))["blocks"][0]["items"][0]
    assert fact in account["text"] and "[…]" in account["text"] and account["passages"][0]["id"] == "old0-1"
    assert "characters" in tight.explain()
    wide = await context_of([Recall(), SlidingWindow()], reader, budget=8000)
    assert memories(wide).count(long) == 4 and "[…]" not in memories(wide)
    assert not any(item.passages for item in recalled(wide))


async def test_what_room_is_left_widens_the_best_first() -> None:
    question = "What was the gate code?"
    long = FILLER * 10 + "The gate code is 4417. " + FILLER * 10
    old = [conversation(("user", long), session=f"old{at}")[0] for at in range(3)]
    reader = ListReader(conversation(("user", question)), found(question, *old))
    context = await context_of([Recall(), SlidingWindow()], reader, budget=800)
    first, *others = recalled(context)
    assert not first.passages and all(item.passages for item in others)
    assert context.tokens > 700


async def test_a_block_that_says_nothing_of_the_question_is_quoted_whole() -> None:
    (long,) = conversation(("user", FILLER * 40), session="old")
    block = Block("other", "memory", (Item((long,)),))
    context = assemble([block], system=(), newest=conversation(("user", "hi")), budget=300, counter=Estimate())
    assert [entry.message_id for entry in context.dropped] == ["old-1"]


OLD = conversation(
    ("system", "Be kind."),
    ("user", "We went to the bicycle shop on Sunday."),
    ("assistant", "Which bicycle did you take in the end?"),
    ("user", "Yes, the blue one."),
    ("assistant", "A good choice for the city, I would say."),
    session="old",
)


async def of(*hits: Message, budget: int = 4000, newest: str = "Which colour?", stored: list[Message] = OLD) -> Context:
    reader = ListReader(conversation(("user", newest)), found(newest, *hits), stored=stored)
    context = await context_of([Recall(), SlidingWindow()], reader, budget=budget)
    check_context(context, reader.messages)
    assert reader.looks <= 1
    return context


async def test_a_short_answer_brings_its_question_and_is_counted_once() -> None:
    context = await of(OLD[3])
    (item,) = recalled(context)
    assert [message.id for message in item.messages] == ["old-3", "old-4"] and item.neighbours == ("old-3",)
    assert memories(context).splitlines()[1:] == [
        "[2024-03-01 Fri]",
        "[assistant] Which bicycle did you take in the end?",
        "[user] Yes, the blue one.",
    ]
    lines = context.explain().splitlines()
    assert next(line for line in lines if "old-3" in line).endswith("<- said next to it")
    assert "<- relevance" in next(line for line in lines if "old-4" in line)
    assert context.to_dict()["blocks"][0]["items"][0]["neighbours"] == ["old-3"]  # type: ignore[index, call-overload]


async def test_a_question_brings_its_short_answer() -> None:
    (item,) = recalled(await of(OLD[2]))
    assert [message.id for message in item.messages] == ["old-3", "old-4"] and item.neighbours == ("old-4",)


async def test_a_whole_sentence_comes_alone_and_nobody_looks_for_more() -> None:
    alone = conversation(("user", "I moved to Lisbon for the job at the harbour, and " * 5), session="old")
    reader = ListReader(conversation(("user", "Where?")), found("Where?", *alone))
    (item,) = recalled(await context_of([Recall(), SlidingWindow()], reader))
    assert item.messages == tuple(alone) and reader.looks == 0


async def test_a_neighbour_that_is_a_hit_or_in_the_window_is_there_once() -> None:
    for order in ([OLD[3], OLD[2]], [OLD[2], OLD[3]]):
        context = await of(*order)
        assert memories(context).count("Which bicycle") == memories(context).count("the blue one") == 1
    session = conversation(("user", "Which bicycle?"), ("assistant", "Yes."), ("user", "What did you say?"))
    reader = ListReader(session, found("bicycle", session[1]))
    context = await context_of([Recall(), SlidingWindow(1)], reader)
    check_context(context, session)
    assert str(context.messages).count("Which bicycle?") == 1
    context = await context_of([Recall(), SlidingWindow(5)], reader)
    assert len(context.messages) == 3, "both stand in the window"


async def test_neither_instructions_nor_tools_nor_other_branches_come_along() -> None:
    first = conversation(("system", "Be kind."), ("user", "Yes."), session="old")
    assert recalled(await of(first[1], stored=first))[0].messages == (first[1],)
    left = [replace(message, active=message.id != "old-3") for message in OLD]
    assert recalled(await of(OLD[3], stored=left))[0].messages == (OLD[3],)
    tool = [replace(message, role="tool" if message.id == "old-3" else message.role) for message in OLD]
    assert recalled(await of(OLD[3], stored=tool))[0].messages == (OLD[3],)
    assert recalled(await of(OLD[3], stored=[]))[0].messages == (OLD[3],), "erased meanwhile"


async def test_without_room_for_both_the_hit_comes_alone() -> None:
    long = conversation(("user", FILLER * 30 + "Which bicycle?"), ("user", "Yes, the blue one."), session="old")
    tokens = {budget: memories(await of(long[1], stored=long, budget=budget)) for budget in (80, 300, 2000)}
    assert "blue" in tokens[80] and "bicycle" not in tokens[80]
    assert tokens[300].count("[…]") and "Which bicycle?\n" in tokens[300]
    assert FILLER * 30 + "Which bicycle?" in tokens[2000]


async def test_a_fork_of_what_was_said_counts_once() -> None:
    copies = [
        replace(m, id=f"copy-{m.id}", session_id="fork", metadata={"copy_of": {"message": m.id, "session": "old"}})
        for m in OLD
    ]
    context = await of(OLD[3], copies[2], stored=[*OLD, *copies])
    assert memories(context).count("Which bicycle") == memories(context).count("the blue one") == 1


async def test_the_same_memories_are_the_same_bytes_in_the_next_turn() -> None:
    other = conversation(("user", "The bicycle stands in the cellar of our house."), session="other")
    lines = [("user", "Where is my bicycle?"), ("assistant", "In the cellar."), ("user", "And which bicycle was it?")]
    first = ListReader(conversation(*lines[:1]), found("bicycle", OLD[3], other[0], OLD[1]), stored=OLD)  # type: ignore[arg-type]
    then = ListReader(conversation(*lines), found("which bicycle", other[0], OLD[1], OLD[2]), stored=OLD)  # type: ignore[arg-type]
    before = await context_of([Recall(), SlidingWindow()], first)
    after = await context_of([Recall(), SlidingWindow()], then)
    assert memories(before) == memories(after) and "blue one" in memories(after)
    assert after.messages[:2] == before.messages[:2], "and so are the turns before: a prompt cache holds them"


async def test_shorter_memories_do_not_take_the_place_of_a_long_one_that_is_wanted_more() -> None:
    question = "What was the gate code?"
    long = conversation(("user", FILLER * 60 + "The gate code is 4417."), session="old")
    others = [conversation(("user", f"A code of number {at}."), session=f"o{at}")[0] for at in range(4)]
    reader = ListReader(conversation(("user", question)), found(question, *long, *others))
    context = await context_of([Recall(k=3, share=0.5), SlidingWindow()], reader, budget=1200)
    assert "4417" in memories(context), "too long for half of the budget, it comes in part"


async def test_a_derived_text_stands_beside_a_message_that_is_quoted_in_part() -> None:
    question = "What was the gate code?"
    long = "Ada takes no sugar. " + FILLER * 30 + "The gate code is 4417. " + FILLER * 30
    (old,) = conversation(("user", long), session="old")
    reader = ListReader(conversation(("user", question)), found(question, old))
    (recall,) = await Recall().recall(request(reader, query=question))
    facts = Block("facts", "memory", (Item((old,), text="Ada takes no sugar"),), share=0.3)
    newest = reader.messages[-1:]
    tight = assemble([recall, facts], system=(), newest=newest, budget=500, counter=Estimate())
    assert "4417" in memories(tight) and "[…]" in memories(tight)
    assert "no sugar" in memories(tight), "its words were left out of the quote"
    wide = assemble([recall, facts], system=(), newest=newest, budget=8000, counter=Estimate())
    assert memories(wide).count("no sugar") == 1
