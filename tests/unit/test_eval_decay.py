from __future__ import annotations

import pytest

from jiyi.eval import Conversation, Label, Question
from jiyi.eval.decay import PLANTED, Chat, Fact, chats, labelled, made_up, measure, share
from jiyi.importing import Entry
from jiyi.text import language
from tests.conftest import OpenMemory


def entry(name: str, role: str, text: str) -> Entry:
    return Entry(1, "u", "s", {"message_id": name, "role": role, "content": text}, conversation_id="c")


@pytest.mark.parametrize("spoken", ["en", "zh"])
def test_a_hundred_facts_come_with_each_language(spoken: str) -> None:
    facts = made_up(spoken)
    assert len(facts) == len({fact.text for fact in facts}) == 100
    assert {language(fact.text) for fact in facts} | {language(fact.question) for fact in facts} == {spoken}
    assert len({fact.question for fact in facts[:20]}) == 20, "equal questions are far from each other"


def test_facts_of_labelled_data_are_short_and_the_users_own() -> None:
    entries = (
        entry("a", "user", "I moved to Lisbon."),
        entry("b", "assistant", "Nice."),
        entry("c", "user", "x" * 400),
    )
    labels = [("a",), ("b",), ("c",), ("a", "c"), ("a",)]
    questions = tuple(Question(f"Where? {n}") for n in range(len(labels)))
    marked = tuple(Label(str(n), "", ids, "message", n != 4) for n, ids in enumerate(labels))
    assert labelled([Conversation("c", entries, questions, marked)]) == [
        Fact("I moved to Lisbon.", "Where? 0", "en", "c")
    ]


def test_chats_are_always_the_same_and_never_answer_for_each_other() -> None:
    talk = [
        Conversation(
            name, tuple(entry(f"{name}{n}", ("user", "assistant")[n % 2], f"{name} says {n}") for n in range(9))
        )
        for name in ("one", "two")
    ]
    facts = [Fact(f"fact {n}", f"question {n % 15}", "en", ("one", "")[n % 2]) for n in range(40)]
    first = list(chats(facts, talk, 30))
    assert first == list(chats(facts, talk, 30)) != list(chats(facts, talk, 30, seed=8))
    for chat in first:
        questions = [fact.question for fact in chat.facts]
        assert 0 < len(questions) == len(set(questions)) <= PLANTED and len(chat.filler) == 30
        assert all("two" in said for said, _ in chat.filler), "no filler from where a fact was taken"


async def test_a_fact_is_kept_by_recall_and_lost_by_a_window(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    filler = tuple((f"Let us talk about the weather, part {n}.", "Sure.") for n in range(40))
    fact = Fact("The code of the garage is 4471.", "Which code has the garage?", "en")
    passed: list[int] = []
    kept = await measure(
        memory, Chat((fact,), filler), [1, 40], ["balanced", "casual"], budget=500, passed=passed.append
    )
    near, far = kept
    assert sum(passed) == 40 and (near.turns, far.turns) == (1, 40)
    assert near.shown == {"balanced": True, "casual": True}
    assert far.shown == {"balanced": True, "casual": False} and far.found
    assert far.full > near.full and far.tokens["balanced"] <= 500 < far.full


@pytest.mark.parametrize(("hits", "of", "low", "high"), [(0, 0, 0, 1), (10, 10, 0.72, 1), (0, 10, 0, 0.28), (50, 100, 0.40, 0.60)])  # fmt: skip
def test_shares_have_their_interval(hits: int, of: int, low: float, high: float) -> None:
    value, lower, upper = share(hits, of)
    assert lower <= value <= upper and (lower, upper) == pytest.approx((low, high), abs=0.005)
