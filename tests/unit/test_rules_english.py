"""What the rules find in plain English statements."""

from __future__ import annotations

import pytest

from jiyi.rules import candidates
from jiyi.types import Message


def said(text: str) -> list[tuple[str, str, str]]:
    return [(one.subject, one.attribute, one.value) for one in candidates(Message("m", "s", "user", text))]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("My name is Anna.", ("user", "name", "Anna")),
        ("Hi, I'm Anna and I need some help.", ("user", "name", "Anna")),
        ("You can call me Bo.", ("user", "name", "Bo")),
        ("I'm 34 years old.", ("user", "age", "34")),
        ("I live in Lisbon, Portugal.", ("user", "home", "Lisbon")),
        ("I moved to Oslo last week.", ("user", "home", "Oslo")),
        ("I grew up in Stavanger.", ("user", "origin", "Stavanger")),
        ("I work at Northwind as a buyer.", ("user", "employer", "Northwind")),
        ("I work at Northwind as a buyer.", ("user", "job", "buyer")),
        ("I'm a nurse.", ("user", "job", "nurse")),
        ("My niece is in first grade.", ("niece", "school", "first grade")),
        ("My niece is called Maren.", ("niece", "name", "Maren")),
        ("Our dog Fenwick is afraid of thunder.", ("user", "pet", "dog Fenwick")),
        ("I have two cats and I'm allergic to shellfish.", ("user", "pet", "two cats")),
        ("I have two cats and I'm allergic to shellfish.", ("user", "allergy", "shellfish")),
        ("Shellfish gives me a rash.", ("user", "allergy", "Shellfish")),
        ("Remember: no shellfish for me, allergic.", ("user", "allergy", "shellfish")),
        ("I love hiking.", ("user", "likes", "hiking")),
        ("I can't stand coriander.", ("user", "dislikes", "coriander")),
        ("My budget is $1,200.", ("user", "budget", "$1,200")),
        ("The rent is 3,200.", ("user", "amount", "3,200")),
        ("Never call before 10.", ("user", "rule", "Never call before 10")),
        ("Remind me to water the plants.", ("user", "task", "water the plants")),
        ("My locker at the pool is number 118.", ("user", "identifier", "118")),
    ],
)  # fmt: skip
def test_a_plain_statement_is_found(text: str, fact: tuple[str, str, str]) -> None:
    assert fact in said(text)
