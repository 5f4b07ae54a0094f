"""Any text at all: what holds for every rating."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from jiyi.importance import importance
from jiyi.types import Message

WORDS = st.lists(
    st.sampled_from(
        [
            "remember",
            "never",
            "I'll",
            "love",
            "500",
            "dollars",
            "Friday",
            "not",
            "my",
            "AB-123",
            "?",
            ".",
            "。",
            "？",
            "吗",
            "记住",
            "千万",
            "我会",
            "喜欢",
            "五百块",
            "明天",
            "不是",
            "我的",
            "好的",
            "谢谢",
            "ok",
            "thanks",
            "\n《三体》",
        ]
    ),
    max_size=12,
).map(" ".join)
TEXTS = st.one_of(WORDS, st.text(max_size=200))
ROLES = st.sampled_from(["user", "assistant", "tool"])


@given(TEXTS, ROLES)
def test_the_parts_add_up_to_a_score_between_0_and_1(text: str, role: str) -> None:
    message = Message("m", "s", role, text)  # type: ignore[arg-type]
    found = importance(message)
    assert 0 <= found.score <= 1
    assert math.isclose(sum(found.parts.values()), found.score, abs_tol=1e-9)
    assert all(part >= 0 for part in found.parts.values())
    assert importance(message) == found


@given(TEXTS, ROLES)
def test_the_user_never_weighs_less(text: str, role: str) -> None:
    by_user = importance(Message("m", "s", "user", text))
    assert importance(Message("m", "s", role, text)).score <= by_user.score + 1e-9  # type: ignore[arg-type]


@given(TEXTS)
def test_a_request_to_remember_never_lowers(text: str) -> None:
    asked = importance(Message("m", "s", "user", f"记住。 {text}"))
    assert asked.score >= importance(Message("m", "s", "user", text)).score - 1e-9
