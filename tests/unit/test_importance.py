"""What the rules take for important, in both languages."""

from __future__ import annotations

import time

import pytest

from jiyi.importance import SMALL_TALK, WEIGHTS, importance
from jiyi.types import Message


def said(text: str, role: str = "user", **rest: object) -> Message:
    return Message("m", "s", role, text, **rest)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ["ok", "Thanks so much!", "Good morning!", "Haha, nice", "Yes, that's right.", "好的", "好的，谢谢你！", "哈哈哈哈", "嗯嗯，明白了", "早上好", "👍", "……"],
)  # fmt: skip
def test_small_talk_is_next_to_nothing(text: str) -> None:
    assert importance(said(text)).score <= SMALL_TALK


@pytest.mark.parametrize(
    ("text", "signal"),
    [
        ("Remember: the gate code is 4417.", "remember"),
        ("Please keep in mind that mornings are bad.", "remember"),
        ("记住，门禁密码是4417", "remember"),
        ("别忘了带伞", "remember"),
        ("I'm allergic to peanuts.", "prohibition"),
        ("Never use my work address.", "prohibition"),
        ("Please don't call me at work.", "prohibition"),
        ("千万不要放香菜", "prohibition"),
        ("我对花生过敏", "prohibition"),
        ("I'll bring the contract.", "commitment"),
        ("The report must be done soon.", "commitment"),
        ("我答应过她一起去", "commitment"),
        ("这份报告必须交", "commitment"),
        ("I prefer window seats.", "preference"),
        ("She can't stand noise.", "preference"),
        ("我喜欢靠窗的座位", "preference"),
        ("他讨厌吵闹", "preference"),
        ("The budget is $500.", "amount"),
        ("It takes 3 hours.", "amount"),
        ("预算是五百块", "amount"),
        ("大概３公斤", "amount"),
        ("It starts at 10:30.", "date"),
        ("We leave on Tuesday.", "date"),
        ("大后天出发", "date"),
        ("5月3日到", "date"),
        ("The order is AB-88401.", "id"),
        ("Write to ada@example.org.", "id"),
        ("My name is Ada.", "identity"),
        ("我叫李雪", "identity"),
        ("We met with Charles in town.", "name"),
        ("我在看《三体》", "name"),
        ("That is not the right one.", "negation"),
        ("这个不是我的", "negation"),
        ("My sister moved.", "life"),
        ("女儿上一年级了", "life"),
    ],
)
def test_signals_in_both_languages(text: str, signal: str) -> None:
    found = importance(said(text))
    assert signal in found.parts
    assert found.score >= WEIGHTS[signal] * 0.9
    assert signal in found.why


@pytest.mark.parametrize(
    ("text", "signal"),
    [
        ("I'll never forget that day.", "prohibition"),
        ("不要担心，没事的", "prohibition"),
        ("Do you remember the film?", "remember"),
        ("还记得那部电影吗？", "remember"),
        ("These moments remind me of home.", "remember"),
        ("I'll try.", "commitment"),
        ("我会考虑的", "commitment"),
        ("Hey Gina!", "name"),
        ("See you on Friday.", "name"),
    ],
)
def test_what_only_looks_like_a_signal(text: str, signal: str) -> None:
    assert signal not in importance(said(text)).parts


def test_a_question_weighs_less_than_the_statement() -> None:
    for statement, question in [
        ("The budget is 500 dollars.", "Is the budget 500 dollars?"),
        ("预算是500元。", "预算是500元吗？"),
        ("你的预算是500元", "你的预算是500元吗"),
    ]:
        assert importance(said(question)).score < importance(said(statement)).score * 0.7
    mixed = importance(said("The budget is 500 dollars. What do you suggest?")).score
    assert importance(said("Is the budget 500 dollars?")).score < mixed
    assert mixed < importance(said("The budget is 500 dollars. I trust you.")).score


def test_the_assistant_weighs_less_except_for_what_it_promises() -> None:
    assert (
        importance(said("The price is 40 dollars.", "assistant")).score
        < importance(said("The price is 40 dollars.")).score
    )
    promise = "I'll ship it."
    assert importance(said(promise, "assistant")).parts["commitment"] == importance(said(promise)).parts["commitment"]
    assert importance(said("Remember to take breaks!", "assistant")).score < 0.1, "advice is not a request"
    assert importance(said('{"parcel": "88-401"}', "tool")).score > 0.1


def test_what_was_given_wins() -> None:
    assert importance(said("ok", pinned=True)).score == 1.0
    assert importance(said("I'm allergic to peanuts.", importance=0.1)).parts == {"given": 0.1}
    assert importance(said("ok", pinned=True, importance=0.1)).score == 1.0
    assert importance(said("The gate is green", kind="statement")).score > 0.7


def test_nothing_said_is_nothing() -> None:
    for content in (None, "", " \n", ({"type": "image_url", "image_url": {"url": "u"}},)):
        assert importance(said(content)).score == 0.0  # type: ignore[arg-type]


def test_very_long_texts_are_looked_at_from_both_ends() -> None:
    filler = "lorem ipsum dolor " * 20_000
    for text in (f"记住这个。{filler}", f"{filler} Remember this."):
        begin = time.perf_counter()
        assert "remember" in importance(said(text)).parts
        assert time.perf_counter() - begin < 0.2


@pytest.mark.parametrize("text", ["啊" * 79 + "x", "好的" * 39 + "x", "了了解" * 26 + "x", "谢" * 79 + "的"])
def test_repeated_sounds_take_no_time(text: str) -> None:
    begin = time.perf_counter()
    importance(said(text))
    assert time.perf_counter() - begin < 0.05
