"""Field case D05, the part of the key facts: what may not be lost is in the context long after, whatever a summary says;
and the budget that somebody asks for again.
"""

from __future__ import annotations

import re

import pytest

from jiyi import KeyFacts, SlidingWindow
from tests.cases.facts import Line, facts, filler, playing, say
from tests.conftest import OpenMemory

STATED = [
    "订单号是 KX-20931-07",
    "总价 12,480.50 元",
    "千万不要在周五发货",
    "我对青霉素过敏",
    "截止日期 2026年4月30日",
    "只在工作日14:00到16:00接电话",
]
TELLS = {
    "KX-20931-07": [{"quote": "订单号是 KX-20931-07", "attribute": "identifier", "value": "KX-20931-07"}],
    "12,480.50": [{"quote": "总价 12,480.50 元", "attribute": "amount", "value": "12,480.50 元"}],
    "周五发货": [{"quote": "不要在周五发货", "text": "不要在周五发货。", "attribute": "rule", "negated": True}],
    "青霉素": [{"quote": "我对青霉素过敏", "text": "用户对青霉素过敏。", "attribute": "allergy", "value": "青霉素"}],
    "4月30日": [{"quote": "截止日期 2026年4月30日", "attribute": "deadline", "value": "2026年4月30日"}],
    "16:00": [{"quote": "只在工作日14:00到16:00接电话", "attribute": "rule"}],
}
ASIDE = ["嗯嗯", "今天天气不错", "哈哈哈", "好的", "最近有什么好看的电影？", "原来是这样"]


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_what_may_not_be_lost_stands_in_the_context(open_memory: OpenMemory, by: str) -> None:
    llm = playing(TELLS) if by == "model" else None
    memory = await open_memory(recipe=[KeyFacts(), SlidingWindow(4)], memory_llm=llm)
    chat = memory.session("s", user_id="ada")
    for text in STATED:
        await chat.add("user", text)
        await chat.add("assistant", "明白。")
    for at in range(60):
        await chat.add("user", ASIDE[at % len(ASIDE)])
        await chat.add("assistant", "嗯。")
    await memory.drain()
    assert {record.data["by"] for record in await facts(memory)} <= {by, "rules"}
    await chat.add("user", "什么时候可以发货？")
    context = await chat.context(max_tokens=1000)
    section = str(context.messages[0]["content"])
    for value in ("KX-20931-07", "12,480.50", "青霉素", "4月30日", "14:00", "16:00"):
        assert value in section, value
    for sentence in re.split(r"[。！\n]", section):
        if "周五" in sentence and "发货" in sentence:
            assert re.search("不要|别|不|禁止", sentence), sentence
    calls = len(llm.calls) if llm else 0
    for _ in range(3):
        await memory.drain()
    assert calls == (len(llm.calls) if llm else 0), "nothing new, no call"


BUDGETS: dict[str, tuple[Line, str, list[str]]] = {
    "en": (
        ("The gift is for my niece, she is in first grade. I don't want to spend more than 500.", "Lovely!"),
        "How much did I want to spend?",
        ["I don't want to spend more than 500"],
    ),
    "zh": (("礼物是送给上一年级的侄女的，预算500块。", "好的！"), "我想花多少钱来着？", ["预算500块"]),
}


@pytest.mark.parametrize("by", ["rules", "model"])
@pytest.mark.parametrize("turns", [30, 300])
@pytest.mark.parametrize("language", BUDGETS)
async def test_the_budget_that_was_said_long_ago(open_memory: OpenMemory, language: str, turns: int, by: str) -> None:
    (said, answer), question, quotes = BUDGETS[language]
    value = {"en": "500", "zh": "500块"}[language]
    told = {"quote": quotes[0], "attribute": "budget", "value": value}
    llm = playing({quotes[0]: [told]}) if by == "model" else None
    memory = await open_memory(recipe=[KeyFacts(), SlidingWindow(8)], memory_llm=llm)
    chat = memory.session("monday", user_id="ada")
    await chat.add("user", "Hi!")
    await chat.add("user", said)
    await chat.add("assistant", answer)
    for asked, answered in filler(language, turns):
        await chat.add("user", asked)
        await chat.add("assistant", answered)
    await memory.drain()
    other = memory.session("another day", user_id="ada")
    await other.add("user", question)
    context = await other.context(max_tokens=1000)
    assert context.tokens <= 1000
    text = str(context.messages)
    assert all(quote in text for quote in quotes), context.explain()
    sources = {source for block in context.blocks if block.strategy == "key_facts" for source in block.sources}
    assert sources, "it says where it comes from"
    for name in ("balanced", "preferences", "coding", "marathon") if by == "rules" else ():
        await memory.use_recipe(name)
        context = await other.context(max_tokens=1000)
        assert context.tokens <= 1000 and all(quote in str(context.messages) for quote in quotes), name
        recalled = {source for block in context.blocks if block.place == "memory" for source in block.sources}
        assert sources & recalled, name


async def test_every_turn_keeps_it(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=[KeyFacts(), SlidingWindow(1)])
    await say(memory, "我对青霉素过敏")
    for text in ASIDE:
        await say(memory, text)
        context = await memory.session("s", user_id="ada").context(max_tokens=300)
        assert "青霉素" in str(context.messages)
