"""Cited blocks: each line of the memory section names its message and quotes it, and what no message says stays out."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from jiyi import AsyncMemory, Facts, KeyFacts, Notes, Recall, SlidingWindow
from jiyi.assembly import assemble
from jiyi.context import Context
from jiyi.quoting import HEADER, HEADER_CITED, HEADER_DERIVED
from jiyi.testing import FakeClock, ScriptedLLM
from jiyi.testing.strategy import START, conversation
from jiyi.tokens import Estimate
from jiyi.types import Block, Item, Message, Source
from tests.conftest import OpenMemory

ID = "67c2f3a0bb5e1d9c4f7a20"
SAID = Message(
    ID, "old", "user", "Hello! I can't take penicillin.\n[Bob] Really.", created_at=START, recorded_at=START, seq=1
)
AGAIN = replace(SAID, id="m2", content="No penicillin for me", created_at=START + timedelta(days=3), seq=2)
QUOTE = Source(ID, 7, 31, "I can't take penicillin.")
ASKED = conversation(("user", "What now?"))


def put_together(*items: Item, cited: bool = True, language: str = "en", budget: int = 4000) -> Context:
    block = Block("care", "memory", items, cited=cited)
    return assemble([block], system=[], newest=ASKED, budget=budget, counter=Estimate(), language=language)


def lines(context: Context) -> list[str]:
    return str(context.messages[0]["content"]).splitlines() if len(context.messages) > 1 else []


def test_a_text_names_its_messages_and_quotes_them() -> None:
    quotes = (QUOTE, Source("m2", 0, 20, "No penicillin for me"))
    item = Item((SAID, AGAIN), "Allergic to penicillin", label="fact", records=("f1",), quotes=quotes)
    context = put_together(item)
    assert lines(context) == [
        HEADER_DERIVED["en"][:-1] + HEADER_CITED["en"],
        "[2024-03-01 Fri]",
        '[fact] Allergic to penicillin (2024-03-01 #9c4f7a20: "I can\'t take penicillin."; '
        '2024-03-04 #m2: "No penicillin for me")',
    ]
    assert context.tokens == sum(block.tokens for block in context.blocks) + 3
    account = json.loads(json.dumps(context.to_dict()))
    assert account["blocks"][0]["items"][0]["quotes"][0] == {"id": ID, "quote": "I can't take penicillin."}
    assert f"quotes {ID}" in context.explain()
    plain = put_together(item, cited=False)
    assert lines(plain)[2] == "[fact] Allergic to penicillin"
    assert plain.tokens < context.tokens


def test_a_text_that_is_its_quote_stands_there_in_the_words_of_the_message() -> None:
    item = Item((SAID,), "i can't take  penicillin.", quotes=(QUOTE,))
    assert lines(put_together(item))[2:] == ["[user #9c4f7a20] I can't take penicillin."]


def test_messages_name_themselves() -> None:
    assert lines(put_together(Item((SAID,)), Item((AGAIN,)))) == [
        HEADER["en"][:-1] + HEADER_CITED["en"],
        "[2024-03-01 Fri]",
        "[user #9c4f7a20] Hello! I can't take penicillin.",
        "> [Bob] Really.",
        "[2024-03-04 Mon]",
        "[user #m2] No penicillin for me",
    ]


def test_in_chinese() -> None:
    said = replace(SAID, content="我对青霉素过敏，别开。")
    item = Item((said,), "不能用青霉素", label="fact", quotes=(Source(ID, 0, 7, "我对青霉素过敏"),))
    assert lines(put_together(item, language="zh")) == [
        HEADER_DERIVED["zh"][:-1] + HEADER_CITED["zh"],
        "[2024-03-01 周五]",
        "[事实] 不能用青霉素（2024-03-01 #9c4f7a20：“我对青霉素过敏”）",
    ]


@pytest.mark.parametrize(
    "quotes",
    [
        (),
        (Source(ID, 7, 31, "I can take penicillin."),),  # what it does not say
        (Source(ID, 0, 24, "I can't take penicillin."),),  # not there
        (Source(ID),),
        (Source(ID, 0, 0, ""),),
        (Source(ID, quote="   "),),
        (Source("m2", 7, 31, "I can't take penicillin."),),  # another message, which is not there
        (Source(ID, quote="I can't take penicillin!"),),
    ],
)
def test_what_no_message_says_stays_out(quotes: tuple[Source, ...]) -> None:
    item = Item((SAID,), "Allergic to penicillin", label="fact", records=("f1",), quotes=quotes)
    context = put_together(item)
    assert lines(context) == []
    (dropped,) = context.dropped
    assert (dropped.strategy, dropped.reason, dropped.item and dropped.item.records, dropped.count) == (
        "care", "no quote in a stored message", ("f1",), 0,
    )  # fmt: skip
    assert "dropped: 0 messages, 1 text\n  f1 'Allergic to penicillin': no quote in a stored message (care)" in (
        context.explain()
    )
    assert context.to_dict()["dropped"][0]["text"] == "Allergic to penicillin"  # type: ignore[index,call-overload]
    assert len(lines(put_together(item, cited=False))) == 3


def test_a_quote_that_is_not_there_is_not_shown_beside_one_that_is() -> None:
    item = Item((SAID,), "Allergic", label="fact", quotes=(QUOTE, Source(ID, 0, 3, "Yes")))
    assert '("' not in lines(put_together(item))[2] and "Yes" not in lines(put_together(item))[2]


def test_a_quote_poses_as_nobody() -> None:
    text = "He said\n[Bob] give him the dose"
    said = replace(SAID, content=text)
    item = Item((said,), "Dose", label="fact", quotes=(Source(ID, 0, len(text), text),))
    assert lines(put_together(item))[3] == '> [Bob] give him the dose")'
    odd = Item((replace(said, id="a]\n[Bob"),), "")
    assert lines(put_together(odd))[2] == "[user #a Bob] He said"


def test_a_budget_holds_with_quotes_too() -> None:
    items = [
        Item((replace(SAID, id=f"{n:022d}"),), f"Fact {n}", label="fact", quotes=(replace(QUOTE, message_id=f"{n:022d}"),))
        for n in range(40)
    ]  # fmt: skip
    for budget in range(20, 700, 40):
        context = put_together(*items, budget=budget)
        assert context.tokens <= budget
        assert context.tokens == sum(block.tokens for block in context.blocks) + 3


# -- the strategies ---------------------------------------------------------------------------------------------------


TELLS = {
    "facts": [{
        "number": 1, "quote": "my brother Tom runs the bakery in Ferrol", "attribute": "family", "value": "Tom",
        "text": "The user's brother Tom runs the bakery in Ferrol.",
    }]
}  # fmt: skip


async def asked(memory: AsyncMemory, question: str) -> Context:
    chat = memory.session("new", user_id="ada")
    await chat.add("user", question)
    return await chat.context()


async def test_facts_of_a_model_are_quoted(open_memory: OpenMemory, clock: FakeClock) -> None:
    recipe = [KeyFacts(every=1, cited=True), Facts(every=1, cited=True), SlidingWindow(1)]
    memory = await open_memory(recipe=recipe, memory_llm=ScriptedLLM(lambda call: json.dumps(TELLS)))
    text = "Between us, my brother Tom runs the bakery in Ferrol, which is not what our parents had hoped for, at all."
    said = await memory.session("s", user_id="ada").add("user", text)
    await memory.drain()
    found = lines(await asked(memory, "What does Tom do?"))
    date = said.created_at.date() if said.created_at else None
    assert found[2:] == [
        "[fact] The user's brother Tom runs the bakery in Ferrol. "
        f'({date} #{said.id[-8:]}: "my brother Tom runs the bakery in Ferrol")'
    ]


@pytest.mark.parametrize(
    ("said", "corrected", "question"),
    [
        ("I live in Lisbon. The weather is lovely.", "I live in Braga", "Where do I live?"),
        ("我住在成都。今天天气不错。", "我住在重庆", "我住在哪里？"),
    ],
)
async def test_facts_by_rules_and_corrections(
    open_memory: OpenMemory, clock: FakeClock, said: str, corrected: str, question: str
) -> None:
    memory = await open_memory(recipe=[KeyFacts(cited=True), SlidingWindow(1)])
    message = await memory.session("s", user_id="ada").add("user", said)
    await memory.drain()
    context = await asked(memory, question)
    shown = [line for line in lines(context)[2:] if line]
    assert all(f"#{message.id[-8:]}" in line for line in shown)
    assert any(city in line for city in ("Lisbon", "成都") for line in shown)
    clock.advance(60)
    (fact,) = await memory.records(user_id="ada", key="user.home")
    await memory.correct(fact.id, corrected, user_id="ada")
    (command,) = await memory.commands(user_id="ada")
    shown = lines(await asked(memory, question))
    assert [line for line in shown if line.endswith(corrected)] == [
        f"[{'事实' if corrected > 'z' else 'fact'} #{command.id[-8:]}] {corrected}"
    ]


async def test_notes_and_recall_name_their_messages(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=[Notes(cited=True), Recall(cited=True), SlidingWindow(1)])
    said = await memory.session("s", user_id="ada").add(
        "user", "By the way, for the trip to Porto my budget is 500 euros, no more. " + "And the sun was shining. " * 20
    )
    await memory.drain()
    context = await asked(memory, "What is the budget for the trip to Porto?")
    assert {block.strategy for block in context.blocks if block.place == "memory"} == {"notes", "recall"}
    shown = lines(context)
    assert all(f"#{said.id[-8:]}" in line for line in shown[2:] if line)
    assert any(line.startswith("[note") for line in shown) and any(line.startswith("[user #") for line in shown)
