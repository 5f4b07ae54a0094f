"""Items of LangGraph's store exported from one database and imported into another."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from jiyi import Memory
from jiyi.cli import app
from jiyi.integrations.langgraph import JiyiStore
from jiyi.testing import FakeClock

pytestmark = pytest.mark.integration("langgraph", "langgraph-checkpoint")

PLACE = ("memories", "小李")


def jiyi(*words: str | Path) -> None:
    ran = CliRunner().invoke(app, [str(word) for word in words])
    assert ran.exit_code == 0, ran.output


def opened(path: Path, clock: FakeClock) -> Memory:
    return Memory.open(path, embedder=None, tokenizer="estimate", clock=clock)


def test_items_come_back_from_a_file_and_last_as_long_as_before(tmp_path: Path) -> None:
    clock, minute = FakeClock(datetime(2026, 1, 1, tzinfo=UTC)), 60
    old, new, file = tmp_path / "old.db", tmp_path / "new.db", tmp_path / "all.jsonl"
    with closing(opened(old, clock)) as memory:
        memory.session("s", user_id="小李").add("user", "我们的船九点开。")  # other places in the log than there
        store = JiyiStore(memory, user_id=1, ttl={"default_ttl": 10})
        store.put(PLACE, "diet", {"text": "对花生过敏", "sure": True})
        store.put(PLACE, "count", {"n": 1}, index=False)  # no text at all
        store.put(PLACE, "count", {"n": 2}, index=False, ttl=None)
        clock.advance(9 * minute)
        assert store.get(PLACE, "diet")  # which puts its end off
        there = store.search(("memories",), limit=10)
    jiyi("export", "--db", old, "--user", "小李", file)
    with closing(opened(new, clock)) as memory:
        memory.remember("Something else.", user_id="小李")
    jiyi("import", "--db", new, file)
    jiyi("import", "--db", new, file)  # and once more, which adds nothing
    with closing(opened(new, clock)) as memory:
        store = JiyiStore(memory, user_id=1, ttl={"default_ttl": 10})
        assert store.search(("memories",), limit=10) == there and len(there) == 2
        clock.advance(9 * minute)  # longer than it lasted when it was written, not than since it was read
        assert store.search(PLACE, filter={"sure": True}, refresh_ttl=False)
        clock.advance(3 * minute)
        assert store.get(PLACE, "diet") is None
        store.put(PLACE, "count", {"n": 3})
        assert [item.value for item in store.search(PLACE)] == [{"n": 3}]
