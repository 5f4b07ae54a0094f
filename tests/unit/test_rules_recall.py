"""How much of what is said once, in a plain sentence, the rules keep: on the facts that come with the evaluation."""

from __future__ import annotations

import pytest

from jiyi.eval.facts import made_up
from jiyi.rules import candidates
from jiyi.types import Message


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_fact_said_once_in_a_plain_sentence_is_kept_with_its_answer(language: str) -> None:
    facts = made_up(language)
    kept = [
        fact
        for fact in facts
        if any(
            fact.answer.lower() in one.text.lower() and not one.ends
            for one in candidates(Message("m", "s", "user", fact.text))
        )
    ]
    assert len(kept) >= 0.95 * len(facts)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_its_question_is_no_fact(language: str) -> None:
    stated = [fact.question for fact in made_up(language) if candidates(Message("m", "s", "user", fact.question))]
    assert stated == []


@pytest.mark.parametrize(
    ("text", "attribute", "subject"),
    [
        ("礼物是给上一年级的侄女的，预算500块，千万别买带纽扣电池的。", "budget", "user"),
        ("礼物是给上一年级的侄女的，预算500块，千万别买带纽扣电池的。", "rule", "user"),
        ("我侄女上一年级，她的预算是500块。", "budget", "侄女"),
        ("The present is for my niece, a budget of 500, and it must arrive by 20 May.", "budget", "user"),
    ],
)
def test_a_sum_is_that_of_who_speaks(text: str, attribute: str, subject: str) -> None:
    found = candidates(Message("m", "s", "user", text))
    assert [one.subject for one in found if one.attribute == attribute] == [subject]
