"""What holds for the rules on any text."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi.attributes import ATTRIBUTES
from jiyi.rules import candidates
from jiyi.rules.reading import READ
from jiyi.types import Message

_PIECES = (
    "I my we don't like have allergic to two cats 500 yuan $12,480.50 never not no longer live in Oslo yesterday on Monday at 3pm if maybe ? . , ! \" ' \n > - ``` "
    "我 我妈 不 喜欢 讨厌 对 花生 过敏 住在 上海 昨天 下周三 大后天 3月20日 预算 500块 记得 别 忘掉 把 叫 李雪 如果 可能 吗 ？ ， 。 「 」 “ ” 改喝 美式 了 歲 號 "
    "remind me to because and but Anna Alder Labs started worked since 2019 RX-5503 a@b.co 13800138000 🐱  İ ß ﬀ １２ \u200b \ufffc \t"
)
PIECES = st.sampled_from(_PIECES.split(" "))
texts = st.one_of(
    st.text(max_size=120), st.lists(PIECES, max_size=40).map(" ".join), st.lists(PIECES, max_size=40).map("".join)
)
moments = st.one_of(
    st.none(),
    st.datetimes(
        datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.sampled_from([UTC, timezone(timedelta(hours=8))])
    ),
)
NUMBERS = re.compile(r"\d+")
DATED = re.compile(r"（[^（）]*\d{4}[^（）]*）| \([^()]*\d{4}[^()]*\)")
DENIALS = re.compile(r"\b(?:not|never|no|don't|can't|won't|nothing)\b|[不没别]")


def said(text: str, at: datetime | None) -> Message:
    return Message("m", "s", "user", text, created_at=at)


@settings(max_examples=600)
@given(texts, moments)
def test_every_candidate_stands_in_its_message(text: str, at: datetime | None) -> None:
    for one in candidates(said(text, at)):
        assert 0 <= one.start < one.end <= len(text)
        assert one.quote == text[one.start : one.end]
        assert one.attribute == "" or one.attribute in ATTRIBUTES
        assert 0 <= one.importance <= 1
        assert one.subject
        assert one.text.strip()


@settings(max_examples=600)
@given(texts, moments)
def test_a_text_is_its_words_and_dates_beside_them(text: str, at: datetime | None) -> None:
    for one in candidates(said(text, at)):
        if at is None:
            assert one.text == one.quote
            assert (one.event_from, one.event_to, one.valid_from, one.valid_to) == (None, None, None, None)
            continue
        bare = DATED.sub("", one.text)
        assert set(NUMBERS.findall(bare)) <= set(NUMBERS.findall(one.quote))
        assert len(DENIALS.findall(one.text)) == len(DENIALS.findall(one.quote))
        assert not (one.event_from and one.event_to) or one.event_from < one.event_to
        if one.attribute != "birthday":
            assert "".join(one.value.split()) in "".join(text.split())


@given(texts, st.sampled_from(["assistant", "tool", "system", "developer"]))
def test_others_state_nothing_of_the_user(text: str, role: str) -> None:
    assert candidates(Message("m", "s", role, text)) == []  # type: ignore[arg-type]


@given(texts)
def test_a_text_in_code_or_quotes_states_nothing(text: str) -> None:
    inside = text.replace("`", " ").replace("~", " ")
    assert candidates(said(f"```\n{inside}\n```", None)) == []


@settings(max_examples=100)
@given(texts, texts)
def test_of_a_very_long_message_both_ends_are_read(first: str, last: str) -> None:
    text = f"{first}\n{'.' * 2 * READ}\n{last}"
    for one in candidates(said(text, None)):
        assert one.quote == text[one.start : one.end] and one.quote.strip(".")


def test_a_megabyte_of_anything_is_read_in_the_time_of_its_ends() -> None:
    for piece in (
        "我对",
        "I like ",
        "if ",
        "\n",
        "> ",
        '"',
        "「",
        "my my ",
        "1.",
        "a@",
        "（",
        "translate ",
        "把",
        "不",
        "- \t",
    ):
        candidates(said(piece * (1_000_000 // len(piece)), datetime(2026, 3, 13, tzinfo=UTC)))
