"""The setting ``timezone``: every message in one zone, the same moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jiyi import AsyncMemory
from jiyi.config import Settings, load_settings
from jiyi.errors import InvalidInput
from jiyi.periods import periods
from jiyi.testing import FakeClock
from tests.conftest import OpenMemory

EVENING = datetime(2026, 3, 12, 20, 0, tzinfo=UTC)  # 04:00 of the 13th in Shanghai


async def test_given_times_and_now_are_put_into_the_zone(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(timezone="Asia/Shanghai")
    chat = memory.session("s", user_id="ada")
    given = await chat.add("user", "昨天我把车送去保养了。", created_at=EVENING)
    now = await chat.add("user", "现在呢")
    stated = await memory.remember("I have a cat.", user_id="ada", created_at=EVENING)
    unknown = await chat.add("user", "有一天", created_at=None)
    read = await memory.messages(user_id="ada")
    for message in (given, stated, *[one for one in read if one.id in (given.id, stated.id)]):
        assert message.created_at == EVENING
        assert message.created_at.utcoffset() == timedelta(hours=8)
    assert now.created_at == clock.now() and now.created_at.utcoffset() == timedelta(hours=8)
    assert unknown.created_at is None
    assert given.created_at
    assert str(periods(given.text, given.created_at)[0].start) == "2026-03-12 00:00:00+08:00"


async def test_summer_time_is_that_of_the_day(open_memory: OpenMemory) -> None:
    memory = await open_memory(timezone="Europe/Berlin")
    chat = memory.session("s", user_id="ada")
    hours: list[timedelta | None] = []
    for month in (1, 7):
        message = await chat.add("user", "hello", created_at=datetime(2026, month, 1, 12, tzinfo=UTC))
        assert message.created_at
        hours.append(message.created_at.utcoffset())
    assert hours == [timedelta(hours=1), timedelta(hours=2)]


async def test_without_it_each_message_keeps_its_own(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    message = await memory.session("s", user_id="ada").add("user", "hello", created_at=EVENING)
    assert message.created_at and message.created_at.utcoffset() == timedelta(0)


@pytest.mark.parametrize("name", ["Mars/Olympus", "../etc/passwd", "/etc/passwd", "Asia", "\0", "x" * 5000])
async def test_a_wrong_name_says_the_way_out(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"timezone.*Asia/Shanghai"):
        await AsyncMemory.open("memory:", timezone=name, settings=Settings())


def test_it_comes_from_the_environment() -> None:
    assert load_settings({"JIYI_TIMEZONE": "Asia/Shanghai"}, ()).timezone == "Asia/Shanghai"
