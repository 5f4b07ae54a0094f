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
