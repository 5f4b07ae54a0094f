"""What users put right, and what they deny, by rules: in both languages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jiyi import KeyFacts, Memory, SlidingWindow
from jiyi.rules import candidates
from jiyi.types import Message


@pytest.mark.parametrize(
    ("text", "attribute", "old", "new"),
    [
        ("My budget is not 700 dollars, it's 1,200 dollars.", "budget", "700 dollars", "1,200 dollars"),
        ("Sorry, my name isn't Ada, it's Ida.", "name", "Ada", "Ida"),
        ("My name is not Hannah but Anna.", "name", "Hannah", "Anna"),
        ("不好意思，我的名字不是小明，是小红。", "name", "小明", "小红"),
        ("My birthday is not March 5, it's March 6.", "birthday", "March 5", "March 6"),
        ("My age is not 34, but 35", "age", "34", "35"),
        ("预算不是700，是800块。", "budget", "700", "800块"),
        ("我的名字不是小明，而是小红。", "name", "小明", "小红"),
        ("我的订单号不是KX-1，应该是KX-2", "identifier", "KX-1", "KX-2"),
        ("My budget isn't 700.", "budget", "700", ""),
    ],
)
def test_the_old_ends_and_the_new_is_stated(text: str, attribute: str, old: str, new: str) -> None:
    found = [(one.attribute, one.value, one.ends) for one in candidates(Message("m", "s", "user", text))]
    assert found == [(attribute, old, True), *([(attribute, new, False)] if new else [])]


@pytest.mark.parametrize("text", ["My budget isn't 700, is it?", "如果预算不是700，是800呢？", "Is my name not Ada?"])
def test_a_question_puts_nothing_right(text: str) -> None:
    assert not [one for one in candidates(Message("m", "s", "user", text)) if one.ends]


@pytest.mark.parametrize(
    "said",
    [
        ("My budget is 700 dollars.", "My budget is not 700 dollars, it's 800 dollars."),
        ("预算700块。", "预算不是700，是800块。"),
        ("预算700块。", "My budget isn't 700, it's 800."),
    ],
)
def test_one_budget_is_left(said: tuple[str, str]) -> None:
    with Memory.open("memory:", recipe=[KeyFacts(), SlidingWindow(1)], embedder=None) as memory:
        for day, text in enumerate(said, start=1):
            memory.session("s", user_id="ada").add("user", text, created_at=datetime(2026, 3, day, tzinfo=UTC))
        memory.drain()
        (budget,) = memory.records(user_id="ada", key="user.budget")
        assert "800" in str(budget.data["value"])


@pytest.mark.parametrize(
    ("text", "value", "negated", "ends"),
    [
        ("我不对花生过敏。", "花生", True, False),
        ("我并不对海鲜过敏", "海鲜", True, False),
        ("我對花生過敏", "花生", False, False),
        ("我不對花生過敏", "花生", True, False),
        ("我对花生不再过敏了", "花生", False, True),
        ("我已经不对花生过敏了", "花生", False, True),
        ("我不是对花生过敏", "花生", True, False),
    ],
)
def test_an_allergy_that_is_denied_is_none(text: str, value: str, negated: bool, ends: bool) -> None:
    (one,) = candidates(Message("m", "s", "user", text))
    assert (one.attribute, one.value, one.negated, one.ends) == ("allergy", value, negated, ends)


def test_not_here_but_there() -> None:
    found = candidates(Message("m", "s", "user", "我不是住在北京，是住在上海"))
    assert [(one.attribute, one.value, one.negated) for one in found] == [
        ("home", "北京", True),
        ("home", "上海", False),
    ]


@pytest.mark.parametrize("again", ["My birthday is the 6th of March.", "My birthday is 6 March.", "我的生日是3月6日。"])
def test_a_day_is_the_same_in_both_languages(again: str) -> None:
    with Memory.open("memory:", recipe=[KeyFacts(), SlidingWindow(1)], embedder=None) as memory:
        chat = memory.session("s", user_id="ada")
        for day, text in enumerate(["My birthday is March 5.", "My birthday is March 6.", again], start=1):
            chat.add("user", text, created_at=datetime(2026, 3, day, tzinfo=UTC))
        memory.drain()
        (birthday,) = memory.records(user_id="ada", key="user.birthday")
        assert len(birthday.sources) == 2 and "6" in birthday.text and not birthday.data["status"]
