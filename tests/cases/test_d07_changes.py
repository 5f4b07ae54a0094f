"""Field case D07: what changes is closed with its date, and what is to be forgotten leaves no trace in prompts."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from jiyi import AsyncMemory, Facts, KeyFacts, SlidingWindow
from tests.cases.facts import facts, playing, say
from tests.conftest import OpenMemory

TURNS = [
    ("2026-02-01T08:00:00+08:00", "我每天早上都喝拿铁。"),
    ("2026-03-05T08:00:00+08:00", "我现在不喝拿铁了，改喝美式。"),
    ("2026-03-06T08:00:00+08:00", "I work at Northwind as a buyer. 我家在云栖路9号。"),
    ("2026-03-20T08:00:00+08:00", "I no longer work at Northwind, I started at Alder Labs on Monday."),
    ("2026-03-21T08:00:00+08:00", "把我的旧地址云栖路9号忘掉吧。"),
]
TELLS = {
    "都喝拿铁": [{"quote": "我每天早上都喝拿铁", "text": "用户每天早上喝拿铁。", "attribute": "habit", "value": "拿铁"}],
    "改喝美式": [
        {"quote": "我现在不喝拿铁了", "text": "用户不再喝拿铁。", "attribute": "habit", "value": "拿铁", "ends": True},
        {"quote": "改喝美式", "text": "用户改喝美式。", "attribute": "habit", "value": "美式"},
    ],
    "as a buyer": [
        {"quote": "I work at Northwind as a buyer", "text": "The user works at Northwind as a buyer.",
         "attribute": "employer", "value": "Northwind"},
        {"quote": "我家在云栖路9号", "text": "用户家在云栖路9号。", "attribute": "home", "value": "云栖路9号"},
    ],
    "Alder Labs": [
        {"quote": "I no longer work at Northwind", "text": "The user no longer works at Northwind.",
         "attribute": "employer", "value": "Northwind", "ends": True},
        {"quote": "I started at Alder Labs on Monday", "text": "The user started at Alder Labs on Monday.",
         "attribute": "employer", "value": "Alder Labs"},
    ],
    "忘掉": [{"quote": "把我的旧地址云栖路9号忘掉", "text": "忘掉云栖路9号。", "value": "云栖路9号", "ends": True}],
}  # fmt: skip


async def told(memory: AsyncMemory) -> None:
    for at, text in TURNS:
        await say(memory, text, at=at)


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_what_changes_is_closed_with_its_date(open_memory: OpenMemory, by: str) -> None:
    llm = playing(TELLS) if by == "model" else None
    memory = await open_memory(recipe=[KeyFacts(every=1), Facts(every=1), SlidingWindow(1)], memory_llm=llm)
    await told(memory)
    current, known = await facts(memory), await facts(memory, current=None)
    (coffee,) = [record for record in current if "美式" in record.text or "拿铁" in record.text]
    assert "美式" in coffee.text
    (latte,) = [record for record in known if "拿铁" in record.text]
    assert latte.closed_at is not None and latte.closed_at.date() == date(2026, 3, 5)
    (work,) = [record for record in current if record.key == "user.employer"]
    assert work.data["value"] == "Alder Labs" and work.valid_from is not None
    assert work.valid_from.date() == date(2026, 3, 16)
    (northwind,) = [record for record in known if record.key == "user.employer" and record.id != work.id]
    assert northwind.closed_at is not None and northwind.data["closed_by"]["message"] == work.sources[0].message_id  # type: ignore[call-overload,index]


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_what_is_over_is_never_given_as_current(open_memory: OpenMemory, by: str) -> None:
    llm = playing(TELLS) if by == "model" else None
    memory = await open_memory(recipe=[KeyFacts(every=1), Facts(every=1), SlidingWindow(1)], memory_llm=llm)
    await told(memory)
    for question, has, lacks in (
        ("我早上喝什么咖啡？", "美式", "每天早上"),
        ("where do I work now?", "Alder Labs", "as a buyer."),
        ("我住在哪里？", "", "云栖路9号"),
    ):
        context = await memory.session("new", user_id="ada").context(question, max_tokens=600)
        text = str(context.messages)
        assert has in text and lacks not in text, question


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_to_forget_closes_and_says_nothing_of_itself(open_memory: OpenMemory, by: str) -> None:
    llm = playing(TELLS) if by == "model" else None
    memory = await open_memory(recipe=[KeyFacts(every=1), SlidingWindow(1)], memory_llm=llm)
    await told(memory)
    before = {record.id: record for record in await facts(memory) if "云栖路" not in record.text}
    assert not [record for record in await facts(memory) if "云栖路" in record.text]
    assert not [
        record for record in await facts(memory, current=None) if "忘掉" in record.text or "forget" in record.text
    ]
    await memory.rebuild()
    await memory.drain()
    assert {record.id: record for record in await facts(memory)} == before


async def test_as_of_a_day_the_context_is_what_held_then(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=[KeyFacts(), Facts(), SlidingWindow(1)])
    await told(memory)
    chat = memory.session("new", user_id="ada")
    then = await chat.context("where do I work now?", max_tokens=600, as_of=datetime(2026, 3, 10, tzinfo=UTC))
    assert "Northwind" in str(then.messages) and "Alder" not in str(then.messages)
    now = await chat.context("where do I work now?", max_tokens=600)
    assert "Alder" in str(now.messages) and "as a buyer." not in str(now.messages)
