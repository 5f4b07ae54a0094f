"""``jiyi topics`` on the command line, in both languages."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from jiyi import AsyncMemory, SlidingWindow, Topics
from tests.e2e.conftest import Run
from tests.topics import BOTH, NAMES, tell


def remembered(path: Path, language: str) -> None:
    """Two projects over four sessions."""

    async def work() -> None:
        recipe = [Topics(), SlidingWindow(2)]
        async with await AsyncMemory.open(path, recipe=recipe, embedder=None, tokenizer="estimate") as memory:
            await tell(memory, BOTH[language])

    asyncio.run(work())


@pytest.mark.parametrize("language", BOTH)
def test_listed_and_shown(jiyi: Run, here: Path, language: str) -> None:
    remembered(here / "jiyi.db", language)
    first, second = NAMES[language]
    out = jiyi("topics").well().out
    assert first in out and second in out and "decided" in out
    listed = jiyi("topics", "--json").json
    assert [one["name"] for one in listed] == [second, first]
    assert len(listed[1]["decisions"]) == 2 and len(listed[1]["open"]) == 1
    out = jiyi("topics", "show", first).well().out
    assert ("Decided" if language == "en" else "已定") in out and ("Open" if language == "en" else "待定") in out
    assert "Postgres" in out and ("login page" if language == "en" else "登录页") in out and "(a0)" in out
    one = jiyi("topics", "show", listed[1]["id"][6:14], "--json").json
    assert one["open"][0]["quote"] == one["open"][0]["text"] and one["sessions"][0]["session"] == "a"
    found = jiyi("topics", "--query", BOTH[language]["b"][4], "--json").json
    assert found[0]["name"] == second
    assert jiyi("topics", "--as-of", "2020-01-01", "--json").json == []
    run = jiyi("topics", "show", "nothing of it")
    assert run.code and first in run.err and "Traceback" not in run.err


def test_a_session_is_about_what_a_person_says(jiyi: Run, here: Path) -> None:
    remembered(here / "jiyi.db", "en")
    assert "d is about Starling" in jiyi("topics", "use", "d", "starling").well().out
    assert "  d  you said that it is about this" in jiyi("topics", "show", "starling").well().out
    context = jiyi("context", "Where are we?", "--user", "ada", "--session", "d", "--recipe", "topics").well().out
    assert "login page" in context
    assert jiyi("topics", "use", "d", "--none", "--json").json == {"session": "d", "topic": None}
    assert (
        "login page"
        not in jiyi("context", "Where are we?", "--user", "ada", "--session", "d", "--recipe", "topics").well().out
    )
    assert "d 的主题是 花园" in jiyi("topics", "use", "d", "花园").well().out
    assert "花园" in jiyi("topics").well().out
    assert jiyi("topics", "use", "nowhere", "Starling").code and jiyi("topics", "use", "d").code


def test_a_topic_is_renamed_and_merged(jiyi: Run, here: Path) -> None:
    remembered(here / "jiyi.db", "zh")
    second, first = [one["id"] for one in jiyi("topics", "--json").json]
    jiyi("records", "rename", first, "鸟巢").well()
    jiyi("records", "merge", second, first).well()
    (one,) = jiyi("topics", "--json").json
    assert one["name"] == "鸟巢" and len(one["decisions"]) == 4
    jiyi("rebuild").well()
    assert jiyi("topics", "show", "厨房装修", "--json").json == one


def test_nothing_yet(jiyi: Run, here: Path) -> None:
    assert jiyi("add", "hello", "--user", "ada").code == 0
    assert "no topics" in jiyi("topics").well().out
    assert jiyi("topics", "--json").json == []
    jiyi("add", "For the Falcon project we decided to use Rust.", "--user", "ada").well()
    assert [one["name"] for one in jiyi("topics", "--json").json] == ["Falcon"], "whatever the recipe"
