"""Texts made of their own most important sentences."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jiyi.extractive import both_ends, clipped, extract, extract_again
from jiyi.testing.strategy import conversation
from jiyi.text import flat
from jiyi.tokens import Estimate

ENGLISH = conversation(
    ("system", "You never talk about prices."),
    ("user", "Hi there!"),
    ("assistant", "Hello! How can I help you today?"),
    ("user", "The gift is for my niece in first grade, and the budget is 500 dollars. She loves dinosaurs."),
    ("assistant", "Nice! Dinosaurs are extinct reptiles."),
    ("user", "Please do not send anything made of wool, she is allergic. Thanks!"),
    ("user", "ok"),
)
CHINESE = conversation(
    ("user", "你好"),
    ("user", "订单号是 KX-20931-07，总价 12,480.50 元。千万不要在周五发货！"),
    ("assistant", "好的，已记下。"),
    ("user", "我对青霉素过敏。哈哈"),
)


def test_what_matters_stands_in_it_with_its_speaker() -> None:
    assert extract(ENGLISH, 60).splitlines() == [
        "user: The gift is for my niece in first grade, and the budget is 500 dollars.",
        "user: She loves dinosaurs.",
        "user: Please do not send anything made of wool, she is allergic.",
    ]
    assert extract(CHINESE, 200).splitlines() == [
        "用户：订单号是 KX-20931-07，总价 12,480.50 元。",
        "用户：千万不要在周五发货！",
        "用户：我对青霉素过敏。",
    ]


@pytest.mark.parametrize("said", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_every_line_is_a_whole_sentence_that_was_said(said: list[object]) -> None:
    words = flat("\n".join(message.text for message in said))  # type: ignore[attr-defined]
    for tokens in range(0, 120, 10):
        text = extract(said, tokens)  # type: ignore[arg-type]
        assert Estimate().count(text) <= tokens
        assert all(flat(line.split(": ", 1)[-1].split("：", 1)[-1]) in words for line in text.splitlines())


def test_an_extract_of_extracts_keeps_the_speakers() -> None:
    again = extract_again([extract(ENGLISH, 200), extract(CHINESE, 200)], 60)
    assert set(again.splitlines()) < {*extract(ENGLISH, 200).splitlines(), *extract(CHINESE, 200).splitlines()}
    assert "用户：千万不要在周五发货！" in again and "user: She loves dinosaurs." in again


def test_the_same_is_said_once_but_another_number_or_a_not_is_something_else() -> None:
    said = conversation(
        ("user", "My budget for the trip is 500 dollars."),
        ("user", "My budget for the trip is 500 dollars."),
        ("user", "My budget for the trip is 900 dollars."),
        ("user", "I want the window seat on the plane."),
        ("user", "I do not want the window seat on the plane."),
        ("user", "我喜欢靠窗的座位。"),
        ("user", "我不喜欢靠窗的座位。"),
    )
    lines = extract(said, 400).splitlines()
    assert len(lines) == 6 and len(set(lines)) == 6


def test_small_talk_alone_gives_nothing() -> None:
    assert extract(conversation(("user", "Hi!"), ("assistant", "Hello!"), ("user", "谢谢")), 100) == ""
    assert extract([], 100) == extract_again([], 100) == extract_again(["", "\n"], 100) == ""


@pytest.mark.parametrize(
    ("text", "length", "short"),
    [
        ("I like tea.", 20, "I like tea."),
        ("My budget is 1,200.50 dollars, but no more than that", 30, "My budget is 1,200.50 […]"),
        ("My budget is 1,200.50 dollars, but no more than that", 40, "My budget is 1,200.50 dollars […]"),
        ("我的预算是五百元，最多不超过1200块，给侄女买礼物", 20, "我的预算是五百元 […]"),
        ("我的预算是五百元整没有更多了的意思", 10, "我的预算是 […]"),
        ("1234567890" * 9, 40, ""),
    ],
)
def test_a_text_is_cut_behind_a_clause_and_never_within_a_number(text: str, length: int, short: str) -> None:
    assert clipped(text, length) == short


@given(st.text(alphabet="ab 12.,五百元。é👍🏽", max_size=80), st.integers(8, 60))
def test_no_cut_parts_a_number(text: str, length: int) -> None:
    short = clipped(text, length)
    assert len(short) <= length
    whole, kept = " ".join(text.split()), short.removesuffix("[…]").rstrip()
    if short.endswith("[…]"):
        assert whole.startswith(kept)
        assert not (kept[-1:].isdigit() and whole[len(kept) : len(kept) + 1].isdigit())


def test_of_a_very_long_message_no_number_is_cut() -> None:
    for shift in range(12):
        long = "a" * shift + " The price is 1234567 euros" * 900
        for text in (both_ends(long, 200), extract(conversation(("user", long.replace("euros", "euros."))), 2000)):
            assert text and set(re.findall(r"\d+", text)) == {"1234567"}
        assert len(both_ends(long, 200)) <= 210
        han = "字" * shift + "，价格是1234567元" * 900
        assert set(re.findall(r"\d+", both_ends(han, 200))) == {"1234567"}
    assert both_ends("7" * 5000, 100) == ""


def test_a_very_long_message_takes_no_time() -> None:
    long = conversation(("user", "word " * 200_000), ("user", "数" * 1_000_000), ("user", "a. " * 300_000))
    start = time.perf_counter()
    assert extract(long, 100) is not None
    assert time.perf_counter() - start < 20  # would take hours if it were quadratic
