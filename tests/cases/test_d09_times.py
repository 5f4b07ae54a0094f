"""Field case D09: relative dates are those of the message's own time; what has no time gets no date."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from jiyi import KeyFacts, Record, SlidingWindow
from jiyi.testing import FakeClock
from tests.cases.facts import facts, playing
from tests.conftest import OpenMemory

MESSAGES = [
    ("2026-03-13T10:20:00+08:00", "昨天我把车送去保养了，下周三去取。"),
    ("2026-03-13T10:21:00+08:00", "大后天我妈妈过生日。"),
    ("2026-03-13T10:22:00+08:00", "I'll call the bank next Wednesday."),
    (None, "有一天我想去看极光。"),
]
TELLS = {
    "保养": [
        {"quote": "昨天我把车送去保养了", "text": "用户昨天把车送去保养了。", "attribute": "event"},
        {"quote": "下周三去取", "text": "用户下周三去取车。", "attribute": "plan"},
    ],
    "过生日": [
        {
            "quote": "大后天我妈妈过生日",
            "text": "用户的妈妈大后天（2026-03-16）过生日。",
            "subject": "妈妈",
            "attribute": "event",
        }
    ],
    "call the bank": [
        {
            "quote": "I'll call the bank next Wednesday",
            "text": "The user will call the bank next Wednesday.",
            "attribute": "plan",
        }
    ],
    "极光": [{"quote": "有一天我想去看极光", "text": "用户有一天想去看极光。", "attribute": "goal"}],
}
DAYS = {"保养": date(2026, 3, 12), "去取": date(2026, 3, 18), "生日": date(2026, 3, 16), "bank": date(2026, 3, 18)}


def told(known: list[Record], word: str) -> Record:
    return min((record for record in known if word in record.text), key=lambda record: len(record.text))


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_dates_are_those_of_the_message(open_memory: OpenMemory, clock: FakeClock, by: str) -> None:
    clock.advance(timedelta(days=270).total_seconds())
    llm = playing(TELLS) if by == "model" else None
    memory = await open_memory(recipe=[KeyFacts(every=2), SlidingWindow(1)], memory_llm=llm)
    chat = memory.session("s", user_id="ada")
    for at, text in MESSAGES:
        await chat.add("user", text, created_at=datetime.fromisoformat(at) if at else None)
    await memory.drain()
    known = await facts(memory)
    for word, day in DAYS.items():
        record = told(known, word)
        begins = record.event_from or record.valid_from
        assert str(day) in record.text, "the day stands beside the word"
        if record.key != "妈妈.birthday":
            assert begins is not None and begins.astimezone(datetime.fromisoformat(MESSAGES[0][0]).tzinfo).date() == day  # type: ignore[arg-type]
        assert record.said_at is not None and record.said_at.date() == date(2026, 3, 13)
        assert record.recorded_at is not None and record.recorded_at > record.said_at
    assert told(known, "极光").event_from is None
    for question, day in (("车是哪天送去保养的？", "2026-03-12"), ("妈妈生日是哪天？", "2026-03-16")):
        context = await memory.session("new", user_id="ada").context(question, max_tokens=400)
        assert day in str(context.messages)


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_an_import_without_times_gives_no_dates(open_memory: OpenMemory, by: str) -> None:
    from jiyi.candidates import Candidate
    from jiyi.facts import RULES, Making, changes
    from jiyi.types import Message, Step

    message = Message("m", "s", "user", "昨天我把车送去保养了", seq=1, recorded_at=datetime(2026, 12, 1, tzinfo=UTC))
    made = changes([(Candidate(message, 0, 10, message.text), "rules")], [], Making(Step(RULES, "1"), frozenset("m")))
    assert made.put[0].said_at is None and made.put[0].event_from is None and made.put[0].recorded_at is not None
