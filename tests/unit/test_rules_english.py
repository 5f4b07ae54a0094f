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
        ("My wife's name is Clara.", ("wife", "name", "Clara")),
        ("My name is not Hannah but Anna.", ("user", "name", "Anna")),
        ("My address is 12 Elm Street, Springfield.", ("user", "home", "12 Elm Street")),
        ("My email is ada@example.org.", ("user", "identifier", "ada@example.org")),
        ("My order number is A-10293.", ("user", "identifier", "A-10293")),
        ("I have asthma.", ("user", "health", "asthma")),
        ("I take insulin every morning.", ("user", "health", "insulin every morning")),
        ("I'm vegetarian.", ("user", "diet", "vegetarian")),
        ("My birthday is March 5.", ("user", "birthday", "March 5")),
        ("I have three kids.", ("user", "family", "three kids")),
        ("My son is 5 years old.", ("son", "age", "5")),
        ("My daughter goes to Linden Hill Primary.", ("daughter", "school", "Linden Hill Primary")),
        ("I speak fluent Japanese.", ("user", "skill", "fluent Japanese")),
        ("I need to renew my passport by July.", ("user", "task", "renew my passport by July")),
        ("Don't forget to water the plants.", ("user", "task", "water the plants")),
        ("My budget for the laptop is around 1500 euros.", ("user", "budget", "1500 euros")),
        ("I don't want to spend more than 500 on the gift.", ("user", "budget", "500")),
        ("We've decided on Lisbon.", ("user", "decision", "on Lisbon")),
        ("From now on, never suggest pork.", ("user", "rule", "never suggest pork")),
        ("We adopted a kitten named Miso.", ("user", "pet", "kitten named Miso")),
        ("My favourite colour is green.", ("user", "likes", "green")),
        ("I hate flying.", ("user", "dislikes", "flying")),
        ("I get up at six every day.", ("user", "habit", "up at six every day")),
    ],
)  # fmt: skip
def test_a_plain_statement_is_found(text: str, fact: tuple[str, str, str]) -> None:
    assert fact in said(text)


@pytest.mark.parametrize(
    "text", ["I'm tired.", "I'm Italian.", "Call me back at ten.", "Call me later.", "I'm on my way.", "I am sure."]
)
def test_what_looks_like_a_name_is_none(text: str) -> None:
    assert not [fact for fact in said(text) if fact[1] == "name"]


@pytest.mark.parametrize(
    "text",
    [
        "The hinge of my laptop has snapped off.",
        "I left my phone in the cloakroom of the opera.",
        "The spare key hangs behind the drainpipe.",
        "I can't swim.",
    ],
)
def test_a_plain_statement_that_fits_no_attribute_is_kept_word_for_word(text: str) -> None:
    (one,) = candidates(Message("m", "s", "user", text))
    assert (one.attribute, one.value, one.text) == ("", "", text.rstrip("."))
    assert one.importance <= 0.5
