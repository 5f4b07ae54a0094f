"""``jiyi snapshots`` on the command line, in both languages."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from jiyi import AsyncMemory, SlidingWindow, Snapshot
from jiyi.ports import Strategy
from tests.e2e.conftest import Run

DAY = datetime(2026, 3, 1, 9, tzinfo=UTC)


def remembered(path: Path, user: str, *said: str, recipe: Sequence[Strategy] | None = None) -> None:
    """A database with a snapshot of each two messages, a day after the other."""

    async def work() -> None:
        parts = recipe or [Snapshot(every=1), SlidingWindow(2)]
        memory = await AsyncMemory.open(path, recipe=parts, embedder=None, tokenizer="estimate")
        async with memory:
            for number, text in enumerate(said):
                at = DAY + timedelta(days=number)
                await memory.session("s", user_id=user).add("user", text, created_at=at)
            await memory.drain()

    asyncio.run(work())


ENGLISH = ["I live in Lisbon.", "I like jazz.", "I moved to Porto.", "I'm allergic to nuts.", "Thanks!", "Bye!"]
CHINESE = ["我住在上海。", "我喜欢爵士乐。", "我搬到杭州了。", "我对花生过敏。", "谢谢！", "再见！"]


def test_listed_shown_and_compared(jiyi: Run, here: Path) -> None:
    remembered(here / "jiyi.db", "ada", *ENGLISH)
    out = jiyi("snapshots").well().out
    assert "2026-03-02" in out and "+1 ~1" in out and "home: Lisbon -> Porto" in out
    assert out.index("2026-03-02") < out.index("2026-03-06")
    assert [one["number"] for one in jiyi("snapshots", "--json").json] == [1, 2, 3]
    assert [one["number"] for one in jiyi("snapshots", "--limit", "1", "--json").json] == [3]
    assert [one["number"] for one in jiyi("snapshots", "--as-of", "2026-03-05", "--json").json] == [1, 2]
    out = jiyi("snapshots", "show", "1").well().out
    assert "Snapshot 1" in out and "home: Lisbon" in out and "I like jazz" in out
    assert "home: Porto" in jiyi("snapshots", "show").well().out
    assert jiyi("snapshots", "show", "1", "--json").json["sections"]["profile"][0]["value"] == "Lisbon"
    out = jiyi("snapshots", "diff", "1", "2").well().out
    assert "From snapshot 1" in out and "~ home: Lisbon -> Porto" in out and "+ allergy: nuts" in out
    assert "nothing has changed" in jiyi("snapshots", "diff").well().out
    changes = jiyi("snapshots", "diff", "1", "--json").json
    assert (changes["older"], changes["newer"]) == (1, 3)
    assert [(one["before"]["value"], one["now"]["value"]) for one in changes["changed"]] == [("Lisbon", "Porto")]
    assert "snapshot" in jiyi("records", "--kind", "snapshot").well().out


def test_in_chinese(jiyi: Run, here: Path) -> None:
    remembered(here / "jiyi.db", "林薇", *CHINESE)
    out = jiyi("snapshots", "show", "2", "--user", "林薇").well().out
    assert "第 2 次快照" in out and "用户" in out and "住址：杭州" in out
    out = jiyi("snapshots", "diff", "1", "2").well().out
    assert "从第 1 次快照" in out and "~ 住址：上海 -> 杭州" in out and "+ 过敏：花生" in out
    assert "没有变化" in jiyi("snapshots", "diff").well().out


def test_taken_when_somebody_asks(jiyi: Run, here: Path) -> None:
    remembered(here / "jiyi.db", "ada", *ENGLISH, recipe=[SlidingWindow(2)])
    assert "no snapshots yet" in jiyi("snapshots").well().out
    remembered(here / "jiyi.db", "ada", *[*ENGLISH, *CHINESE, *ENGLISH], recipe=[SlidingWindow(2)])
    (one,) = jiyi("snapshots", "--json").json
    assert one["number"] == 1 and one["sections"]["profile"][0]["attribute"] == "home"
    remembered(here / "jiyi.db", "bo", *ENGLISH)  # every=1, and the command leaves it so
    assert [one["number"] for one in jiyi("snapshots", "--user", "bo", "--json").json] == [1, 2, 3]


def test_what_is_not_there(jiyi: Run, here: Path) -> None:
    remembered(here / "jiyi.db", "ada", "I live in Lisbon.")
    assert "no snapshots" in jiyi("snapshots").well().out
    assert jiyi("snapshots", "--json").json == []
    for more in (["show"], ["diff"], ["show", "7"]):
        run = jiyi("snapshots", *more)
        assert run.code and "Traceback" not in run.err and "snapshot" in run.err
    remembered(here / "jiyi.db", "ada", "I like jazz.")
    assert "only one snapshot" in jiyi("snapshots", "diff").err
