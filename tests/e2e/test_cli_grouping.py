"""What is one thing, and what it is called: said on the command line, and seen there, in both languages."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jiyi import AsyncMemory, SlidingWindow
from tests.e2e.conftest import Run
from tests.naming import Named
from tests.stating import Facts

DAY = datetime(2026, 3, 1, 9, tzinfo=UTC)


def remembered(path: Path, *said: str) -> None:
    """A database with what ada said, a day after the other."""

    async def work() -> None:
        recipe = [Named(), Facts(), SlidingWindow(2)]
        memory = await AsyncMemory.open(path, recipe=recipe, embedder=None, tokenizer="estimate")
        async with memory:
            for number, text in enumerate(said):
                at = DAY + timedelta(days=number)
                await memory.session("s1", user_id="ada").add("user", text, created_at=at, message_id=f"msg{number}")
            await memory.drain()

    asyncio.run(work())


@pytest.fixture
def ada(jiyi: Run, here: Path) -> Run:
    remembered(
        here / "jiyi.db",
        "<Bob:person> works at <Acme:organisation>.",
        "<Robert> is in town.",
        "<Tom> fixed my bike.",
        "<Tom> sent the invoice.",
        "#Atlas 用 Postgres。",
        "<小林> 在 <光合公司>。",
        "I live in Lisbon.",
    )
    return jiyi


def ids(run: Run, kind: str) -> dict[str, str]:
    """Name -> id, as a table shows it."""
    found = run("records", "--kind", kind, "--json").well().json
    return {record["data"]["name"]: record["id"].partition(":")[2][:8] for record in found}


def test_merged_renamed_split_and_back(ada: Run) -> None:
    names = ids(ada, "entity")
    assert "Robert (person), also called Bob (2 merged)" in ada("records", "merge", names["Bob"], names["Robert"]).out
    assert "Bob" not in ids(ada, "entity")
    assert "Robert" in ada("records", "show", names["Bob"]).well().out
    assert "Rob Miller" in ada("records", "rename", names["Robert"], "Rob Miller").well().out
    out = ada("records", "--kind", "entity").well().out
    assert "2 merged, renamed" in out and "Rob Miller" in out
    history = ada("records", "history", names["Robert"]).well().out
    assert "merge" in history and "rename" in history
    assert "Bob (person)" in ada("records", "recover", names["Bob"]).well().out
    out = ada("records", "split", names["Tom"], "msg3", "--name", "Tom Baker").well().out
    assert "Tom Baker, also called Tom (split, renamed)" in out
    assert {"Tom", "Tom Baker", "Bob", "Rob Miller"} <= set(ids(ada, "entity"))
    assert "Tom" in ada("records", "recover", ids(ada, "entity")["Tom Baker"]).well().out
    assert "Tom Baker" not in ids(ada, "entity")


def test_each_kind_is_listed(ada: Run) -> None:
    out = ada("records", "--kind", "relation").well().out
    assert "Bob —works at→ Acme" in out and "小林 —就职于→ 光合公司" in out
    assert "Atlas" in ada("records", "--kind", "topic").well().out
    assert "小林" in ada("records", "--kind", "entity").well().out


def test_relations_go_by_the_names_that_people_gave(ada: Run) -> None:
    names = ids(ada, "entity")
    ada("records", "rename", names["Bob"], "Bob Miller").well()
    for seen in (ada("records", "--kind", "relation"), ada("about"), ada("graph")):
        assert "Bob Miller —works at→ Acme" in seen.well().out and "Bob —works" not in seen.out
    ada("records", "merge", names["Bob"], names["Robert"]).well()
    for seen in (ada("records", "--kind", "relation"), ada("about"), ada("graph")):
        assert "Robert —works at→ Acme" in seen.well().out and "Bob Miller —" not in seen.out


def test_what_is_known_has_groups_of_their_own_and_nothing_twice(ada: Run) -> None:
    out = ada("about").well().out
    assert "How they are related\n" in out and "Topics\n" in out and "People and things that have a name\n" in out
    assert "Robert" in out and "Acme (" not in out  # the relation names it
    assert 'Bob —works at→ Acme\n            said 2026-03-01, s1: "<Bob:person> works at' in out


def test_what_cannot_be_done_names_commands(ada: Run) -> None:
    names = ids(ada, "entity")
    (home,) = [record["id"] for record in ada("records", "--kind", "fact", "--json").json]
    failed = ada("records", "merge", home, names["Tom"])
    assert failed.code == 2 and "a fact, which cannot be merged; entities and topics can" in failed.err
    assert "`jiyi records edit`" in failed.err and "()" not in failed.err
    failed = ada("records", "merge", names["Tom"], "nothing")
    assert failed.code == 3 and "`jiyi records --user ada --all`" in failed.err
    failed = ada("records", "split", names["Tom"], "msg0")
    assert failed.code == 2 and "msg0" in failed.err
    ada("records", "rm", names["Tom"]).well()
    failed = ada("records", "show", names["Tom"])
    assert failed.code == 3 and "`jiyi records recover` brings it back" in failed.err
    assert ada("records", "split", names["Bob"]).code == 2
