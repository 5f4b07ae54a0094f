"""What the command line says of cost, of a reached limit, and of what expired."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from jiyi import AsyncMemory, Importance, LimitReached
from jiyi.clock import SystemClock
from jiyi.eval.cost import StandIn
from jiyi.testing import FakeClock, ScriptedLLM, echo
from jiyi.types import Changes, Record, Source, Step
from tests.e2e.conftest import Run


def run(work: Coroutine[Any, Any, None]) -> None:
    """Fills the database as a program would."""
    asyncio.run(work)


async def talk(*, limit: int = 0) -> None:
    recipe = [Importance(by_model=True)]
    async with await AsyncMemory.open(
        "jiyi.db", recipe=recipe, llm=ScriptedLLM(echo), memory_llm=StandIn("en"), daily_tokens=limit
    ) as memory:
        chat = memory.session("s", user_id="ada")
        for at in range(10):
            try:
                await chat.send(f"The table number {at} costs 300 dollars.")
            except LimitReached:
                await chat.add("assistant", "Tomorrow.")
        await memory.drain()


def test_stats_tell_what_models_were_asked_for(jiyi: Run, here: Path) -> None:
    run(talk())
    out = jiyi("stats").well().out
    assert "answering" in out and "deriving: importance" in out and "in all" in out
    found = jiyi("stats", "--user", "ada", "--json").well().json
    today, whole = found["spent"]["today"], found["spent"]["all"]
    assert today == whole and whole["answering"]["calls"] == 10 and whole["answering"]["saved"] <= 0
    assert whole["deriving"]["importance"]["calls"] == 1 and whole["deriving"]["importance"]["prompt_tokens"] > 0
    assert (found["limited"], found["daily_tokens"]) == (0, 0)
    nobody = jiyi("stats", "--user", "bob", "--json").well().json["spent"]
    assert nobody["all"] == {"answering": {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "saved": 0},
                             "deriving": {}}  # fmt: skip


def test_a_reached_limit_is_seen(jiyi: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(talk(limit=100))
    monkeypatch.setenv("JIYI_DAILY_TOKENS", "100")
    monkeypatch.setenv("JIYI_RECIPE", "tests.e2e.test_cli_cost:Rated")
    monkeypatch.setenv("JIYI_MEMORY_LLM", "tests.e2e.test_cli_cost:English")
    found = jiyi("stats", "--json").well().json
    assert (found["limited"], found["daily_tokens"]) == (16, 100), "what fills a stride"
    (check,) = [check for check in jiyi("doctor", "--json").well().json["checks"] if check["name"] == "database"]
    assert check["state"] == "note" and "16 messages wait until" in check["what"] and "daily_tokens" in check["what"]
    refused = jiyi("rebuild", "importance")
    assert refused.code == 4 and "daily_tokens are used up" in refused.err
    monkeypatch.setenv("JIYI_DAILY_TOKENS", "many")
    assert jiyi("stats").code == 2


class Rated(Importance):
    """As a recipe that can be named."""

    def __init__(self) -> None:
        super().__init__(by_model=True)


class English(StandIn):
    """As a model that can be named."""

    def __init__(self) -> None:
        super().__init__("en")


class Facts:
    """Makes a fact of each message."""

    step = Step("plain", "1")
    batch_size = 10
    asks_llm = False

    async def derive(self, batch: Any) -> Changes:
        return Changes(
            batch.cursor,
            put=tuple(
                Record(f"r{m.seq}", "fact", m.text, "plain", "1", (Source(m.id),), recorded_at=m.recorded_at,
                       said_at=m.created_at)
                for m in batch.messages
            ),
        )  # fmt: skip


async def long_ago() -> None:
    for days in (200, 100):
        clock = FakeClock(SystemClock().now() - timedelta(days=days))
        async with await AsyncMemory.open("jiyi.db", clock=clock) as memory:
            await memory.worker.add(Facts())
            await memory.session("s", user_id="ada").add("user", f"预算是{days}元。")
            await memory.drain()


def test_expire(jiyi: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JIYI_RECIPE", "casual")  # which derives nothing else
    run(long_ago())
    asked = jiyi("expire")
    assert asked.code == 2 and "JIYI_EXPIRE_DAYS" in asked.err
    would = jiyi("expire", "--days", "180", "--dry-run").well().out
    assert "预算是200元" in would and "预算是100元" not in would and "1 record would go" in would
    gone = jiyi("expire", "--days", "180", "--user", "ada", "--json").well().json
    assert (gone["days"], gone["dry_run"], [one["text"] for one in gone["expired"]]) == (180, False, ["预算是200元。"])
    assert "0 records went" in jiyi("expire", "--days", "180").well().out
    assert jiyi("stats", "--json").json["records"] == 1


def test_eval_cost(jiyi: Run) -> None:
    found = jiyi("eval", "cost", "--strategy", "importance", "--turns", "16", "--json").well().json
    assert [(row["language"], row["per_100"]["calls"]) for row in found["costs"]] == [("en", 12), ("zh", 12)]
    assert "importance" in jiyi("eval", "cost", "--strategy", "importance", "--turns", "8").well().out
    whole = jiyi("eval", "cost", "--recipe", "preferences", "--recipe", "casual", "--turns", "16", "--json").well().json
    assert {(row["strategy"], row["step"]) for row in whole["costs"]} == {("preferences", "facts")}, (
        "casual asks nothing"
    )
    assert "no recipe" in jiyi("eval", "cost", "--recipe", "nope").err
    assert "either" in jiyi("eval", "cost", "--recipe", "casual", "--strategy", "notes").err
    wrong = jiyi("eval", "cost", "--strategy", "recall")
    assert wrong.code == 3 and "importance" in wrong.err


def test_a_model_that_does_not_answer_is_seen(jiyi: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [{"role": "user", "content": f"The table number {at} costs 300 dollars."} for at in range(32)]
    (here / "tables.json").write_text(json.dumps(lines))
    jiyi("import", "tables.json", "--user", "ada").well()
    monkeypatch.setenv("JIYI_RECIPE", "notes")
    monkeypatch.setenv("JIYI_MEMORY_LLM", "openai:m@http://127.0.0.1:9/v1")
    assert jiyi("rebuild").code != 0
    shown = jiyi("stats")
    assert "notes waits, 0 of 32 messages are done" in shown.err
    assert "notes waits" in jiyi("doctor").out
