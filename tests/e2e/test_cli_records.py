"""``jiyi records`` and ``jiyi about``: what is remembered, seen and corrected on the command line, in both languages."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jiyi import AsyncMemory, SlidingWindow
from tests.e2e.conftest import Run
from tests.stating import Facts

DAY = datetime(2026, 3, 1, 9, tzinfo=UTC)


def remembered(path: Path, user: str, *said: str) -> None:
    """A database with what a user said, a day after the other."""

    async def work() -> None:
        memory = await AsyncMemory.open(path, recipe=[Facts(), SlidingWindow(2)], embedder=None, tokenizer="estimate")
        async with memory:
            for number, text in enumerate(said):
                at = DAY + timedelta(days=number)
                await memory.session(f"会话{number}", user_id=user).add("user", text, created_at=at)
            await memory.drain()

    asyncio.run(work())


@pytest.fixture
def ada(jiyi: Run, here: Path) -> Run:
    remembered(here / "jiyi.db", "ada", "I live in Lisbon.", "I have two cats.", "I am called Ada.")
    return jiyi


def ids(run: Run, *more: str) -> dict[str, str]:
    """Key -> id of what is listed."""
    return {str(record["key"]): record["id"].partition(":")[2][:6] for record in run("records", *more, "--json").json}


def test_listed_shown_and_corrected(ada: Run) -> None:
    out = ada("records", "--user", "ada").well().out
    assert "I live in Lisbon" in out and "2026-03-01" in out and "会话0" in out
    home = ids(ada)["user.home"]
    assert ada("records", "show", home).well().out.count("I live in Lisbon") == 2
    assert "I live in Braga (corrected)" in ada("records", "edit", home, "I live in Braga").well().out
    assert "Lisbon" not in ada("records").well().out
    assert [record["text"] for record in ada("records", "--key", "user.home", "--json").json] == ["I live in Braga"]
    assert "Braga" in ada("records", "--query", "where does Ada live, Braga?").well().out
    assert "Lisbon" in ada("records", "--user", "ada", "--as-of", "2026-03-05").well().out
    said = ada("records", "history", home, "--json").well().json
    assert [event["what"] for event in said] == ["said", "correct"]
    out = ada("records", "history", home).well().out
    assert "said" in out and "correct" in out and "会话0" in out


def test_pinned_hidden_deleted_recovered(ada: Run) -> None:
    names = ids(ada)
    assert "(pinned)" in ada("records", "pin", names["user.pet"]).well().out
    assert "pinned" not in ada("records", "unpin", names["user.pet"]).well().out
    assert "(hidden)" in ada("records", "hide", names["user.pet"]).well().out
    assert "cats" not in ada("records").out and "hidden" in ada("records", "--all").well().out
    assert ada("records", "rm", names["user.home"]).well().out.startswith("deleted")
    assert "Lisbon" not in ada("records", "--all").out
    assert ada("records", "rm", names["user.home"]).code == 3
    assert "Lisbon" in ada("records", "recover", names["user.home"]).well().out
    assert "Lisbon" in ada("records", "confirm", names["user.home"]).well().out


def test_what_is_known_in_the_users_language(jiyi: Run, here: Path) -> None:
    remembered(here / "jiyi.db", "李雪", "我叫李雪。", "我住在里斯本。", "我养了两只猫。")
    out = jiyi("about", "李雪").well().out
    assert out.startswith("关于李雪，记得这些\n\n始终记着\n") and "我叫李雪" in out
    assert "个人情况" in out and "2026-03-02说过，会话会话1" in out
    home = next(record for record in jiyi("records", "--json").json if record["key"] == "user.home")
    jiyi("records", "edit", home["id"], "我住在波尔图").well()
    out = jiyi("about").well().out
    assert "我住在波尔图" in out and "更正" in out and "里斯本" not in out
    assert list(jiyi("about", "--json").json) == ["always", "person", "people"]


def test_what_is_known_in_english(ada: Run) -> None:
    out = ada("about", "ada").well().out
    assert out.startswith("What is known about ada\n\nAlways kept in mind\n")
    assert "said 2026-03-02, 会话1" in out and "Family, friends, animals" in out


def test_what_is_wrong_is_said(ada: Run, here: Path) -> None:
    failed = ada("records", "show", "nothing")
    assert failed.code == 3 and "`jiyi records --user ada --all`" in failed.err and "()" not in failed.err
    assert ada("about", "bob").code == 3
    failed = ada("records", "show", "")
    assert failed.code == 2 and "could be" in failed.err
    remembered(here / "jiyi.db", "bob", "I live in Faro.")
    failed = ada("records")
    assert failed.code == 2 and "ada, bob" in failed.err
    assert "Faro" in ada("records", "--user", "bob").well().out
    assert ada("records", "edit", ids(ada, "--user", "ada")["user.home"], " ", "--user", "ada").code == 2
    assert ada("records", "--help").well().out.startswith("Usage: jiyi records [OPTIONS] COMMAND")


def test_in_a_chat(ada: Run) -> None:
    home = ids(ada)["user.home"]
    lines = f"/about\n/pin {home}\n/wrong {home} I live in Braga\n/不对 {ids(ada)['user.pet']}\n/关于我\n"
    ran = ada("chat", "--user", "ada", "--llm", "tests.e2e.talker:Talker", stdin=lines).well()
    assert "What is known about ada" in ran.out and "is pinned" in ran.err and "I live in Braga" in ran.err
    assert "cats" not in ran.out.rpartition("What is known")[2]


def test_as_of_in_search_and_context(ada: Run) -> None:
    day = ("--as-of", "2026-03-01T12:00")
    found = ada("search", "cats Lisbon", "--user", "ada", "--floor", "0", "--json", *day).well().json
    assert [hit["text"] for hit in found] == ["I live in Lisbon."]
    assert "cats" not in ada("context", "cats", "--user", "ada", "--session", "会话0", *day).well().out


def test_much_that_is_known_is_cut_short(jiyi: Run, here: Path) -> None:
    remembered(here / "jiyi.db", "ada", " ".join(f"I have a pet{chr(97 + n)}kind." for n in range(23)))
    assert "… and 3 more" in jiyi("about").well().out
    assert len(jiyi("about", "--json").json["people"]) == 23


def test_every_summary_has_an_id_of_its_own(jiyi: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [{"role": "user", "content": f"The budget of trip {at} is {at}00 dollars."} for at in range(40)]
    (here / "trips.json").write_text(json.dumps(lines))
    monkeypatch.setenv("JIYI_RECIPE", "rolling_summary")
    jiyi("import", "trips.json", "--user", "ada", "--session", "monday").well()
    jiyi("rebuild").well()
    whole = [record["id"] for record in jiyi("records", "--json").well().json]
    listed = re.findall(r"^ (\S+) +summary ", jiyi("records").well().out, re.M)
    assert listed == [name.removeprefix("summary:rules:") for name in whole] and len(set(listed)) == 2
    for short, name in zip(listed, whole, strict=True):
        assert jiyi("records", "show", short, "--json").well().json["id"] == name


def test_a_context_says_where_its_parts_come_from(jiyi: Run, here: Path) -> None:
    said = "My name is Ada. The certification is still open. I live in Lisbon."
    remembered(here / "jiyi.db", "ada", said)
    whole = jiyi("context", "--user", "ada", "--recipe", "key_facts", "Hello").well().out
    assert " tokens from 1 message: " in whole
    known = jiyi("entities").well().out
    assert "I live in Lisbon" in known and "certification" not in known  # of the user what is known, not all they said
    for record in jiyi("records", "--kind", "fact", "--json").json:
        jiyi("records", "edit", record["id"], record["text"].replace("Lisbon", "Braga")).well()
    out = jiyi("context", "--user", "ada", "--recipe", "key_facts", "Hello").well().out
    assert "tokens, in the words of a correction" in out


def test_what_became_of_a_record_stands_on_one_line(ada: Run) -> None:
    said = "I live in Braga, " + "in the street behind the old market hall that has the green door, " * 3 + "since May"
    assert len(ada("records", "edit", ids(ada)["user.home"], said).well().out.splitlines()) == 1
