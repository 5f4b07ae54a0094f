from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from jiyi.eval import Conversation, Label, Question
from jiyi.eval.recipes import FEW, Brought, Scored, advice, contexts, scored, table
from jiyi.importing import Entry
from jiyi.types import Hit
from tests.conftest import OpenMemory


def rows(setting: tuple[str, int], evidence: list[float], tokens: int, full: int = 10_000) -> list[Scored]:
    return [Scored(f"q{at}", setting, part, tokens, full) for at, part in enumerate(evidence)]


def said(number: int, session: str, text: str) -> Entry:
    return Entry(1, "u", session, {"message_id": f"m{number}", "role": "user", "content": text}, conversation_id="c")


TALK = Conversation(
    "c",
    (
        said(0, "one", "My cat is called Miso."),
        said(1, "one", "I live in Lisbon."),
        said(2, "two", "My cat is called Tofu now."),
    ),
    (Question("What is my cat called?", before="m2"), Question("What is my cat called?")),
    (Label("q0", "", ("m0",), "message", True), Label("q1", "", ("one", "two"), "session", True)),
)


async def test_questions_are_asked_in_a_new_session_of_the_past_alone(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    await memory.worker.stop()
    settings = [("balanced", 1000), ("casual", 1000), ("full_history", 1000)]
    found = await contexts(memory, TALK, settings)
    by = {(one.index, one.setting[0]): one for one in found}
    assert "m0" in by[0, "balanced"].sources and "m2" not in by[0, "balanced"].sources
    assert {"m0", "m2"} <= by[1, "balanced"].sources
    for name in ("casual", "full_history"):
        assert not by[1, name].sources & {"m0", "m1", "m2"}, "a session that has just begun has no past of its own"
    assert by[0, "balanced"].full < by[1, "balanced"].full
    assert all(0 < one.tokens <= 1000 for one in found)
    assert (await memory.stats("replayed")).messages == 3, "no question stays"
    shares = [one.evidence for one in scored(found, TALK.labels, TALK.session_of) if one.setting[0] == "balanced"]
    assert shares == [1, 1]


async def test_a_question_is_asked_at_its_time(open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = await open_memory()
    await memory.worker.stop()
    times: list[datetime] = []
    search = memory.searcher.search

    async def noting(*args: Any) -> list[Hit]:
        times.append(memory.searcher.clock.now())
        return await search(*args)

    monkeypatch.setattr(memory.searcher, "search", noting)
    usual = memory.searcher.clock
    talk = replace(
        TALK,
        entries=tuple(
            replace(entry, fields={**entry.fields, "created_at": datetime(2024, 5, 1 + at, tzinfo=UTC)})
            for at, entry in enumerate(TALK.entries)
        ),
        questions=(TALK.questions[0], Question("What did I say last week?", asked_at="2024-06-30")),
    )
    await contexts(memory, talk, [("recall", 1000)])
    assert times == [datetime(2024, 5, 3, tzinfo=UTC), datetime(2024, 6, 30, 23, 59, 59, tzinfo=UTC)]
    assert memory.searcher.clock is usual


async def test_no_label_reaches_a_context(open_memory: OpenMemory) -> None:
    memory, other = await open_memory("memory:"), await open_memory("memory:")
    wrong = (Label("q0", "x", ("m1",), "message", True), Label("q1", "y", ("m1",), "message", True))
    changed = Conversation(TALK.id, TALK.entries, TALK.questions, wrong)
    settings = [("balanced", 500)]
    assert [one.tokens for one in await contexts(memory, TALK, settings)] == [
        one.tokens for one in await contexts(other, changed, settings)
    ]


def test_only_questions_with_evidence_and_an_answer_count() -> None:
    labels = [
        Label("a", "", ("m0", "m1"), "message", True),
        Label("b", "", ("s",), "session", True),
        Label("c", "", ("m0",), "message", False),
        Label("d", "", (), "message", True),
    ]
    brought = [Brought(at, ("r", 1), frozenset({"m0", "m5"}), 10, 20) for at in range(4)]
    found = scored(brought, labels, {"m0": "r", "m5": "s"})
    assert [(one.question, one.evidence) for one in found] == [("a", 0.5), ("b", 1)]


def test_the_table_counts_tokens_and_what_they_cost() -> None:
    (row,) = table(rows(("r", 500), [1, 0.5, 0, 1], 400), price=2.5)
    assert row["evidence"][0] == 0.625 and row["all"][0] == 0.5  # type: ignore[index]
    assert (row["tokens"], row["full_history_tokens"], row["saved"]) == (400, 10_000, 0.96)
    assert row["cost_of_1000"] == pytest.approx(1.0), "1,000 questions of 400 tokens, at 2.5 a million"
    assert "cost_of_1000" not in table(rows(("r", 500), [1], 400), price=None)[0]


def test_the_cheapest_that_is_near_the_best_is_recommended() -> None:
    best, near, far = [1.0] * 100, [1.0] * 99 + [0.0], [1.0] * 80 + [0.0] * 20
    found = advice(rows(("a", 4000), best, 4000) + rows(("a", 1000), near, 1000) + rows(("a", 500), far, 500))
    assert found["setting"] == {"recipe": "a", "max_tokens": 1000} and found["enough"] is True
    assert "99.0% of the evidence" in str(found["text"]) and "90% less" in str(found["text"])
    assert found["best"] == {"recipe": "a", "max_tokens": 4000}


def test_what_cannot_be_told_apart_is_said() -> None:
    found = advice(rows(("a", 2000), [1.0] * 40, 2000) + rows(("b", 500), [1.0] * 38 + [0.0] * 2, 500))
    assert found["setting"] == {"recipe": "a", "max_tokens": 2000} and found["enough"] is False
    assert "tell it from" in str(found["text"]) and "b with max_tokens=500" in str(found["text"])


def test_too_few_questions_are_a_hint_only() -> None:
    found = advice(rows(("a", 500), [1.0] * (FEW - 1), 500))
    assert found["enough"] is False and "hint" in str(found["text"])


@pytest.mark.parametrize("given", [[], rows(("a", 500), [0.0] * 50, 20)])
def test_of_nothing_nothing_is_recommended(given: list[Scored]) -> None:
    found = advice(given)
    assert found["setting"] is None and "nothing can be recommended" in str(found["text"])


def test_a_context_longer_than_the_past_is_said_to_be() -> None:
    assert "no less than the whole past" in str(advice(rows(("a", 500), [1.0] * 40, 300, full=200))["text"])
