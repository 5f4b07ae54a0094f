"""What could be asked about a history, in both languages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from jiyi.eval.drafting import draft
from jiyi.types import Message

BEGAN = datetime(2026, 3, 1, 9, tzinfo=UTC)


def history(*said: tuple[str, str, str]) -> list[Message]:
    return [
        Message(f"m{n}", session, role, text, seq=n + 1, created_at=BEGAN + timedelta(days=n))  # type: ignore[arg-type]
        for n, (session, role, text) in enumerate(said)
    ]


HISTORY = history(
    ("s1", "user", "Hello there"), ("s1", "assistant", "Hi! How can I help you?"),
    ("s1", "user", "My rent is 900 euros a month"), ("s1", "assistant", "That is 10,800 euros a year."),
    ("s1", "user", "How much is that in dollars, for 12 months?"),
    ("s2", "user", "好的"), ("s2", "assistant", "还有什么吗？"), ("s2", "user", "我对花生过敏，别给我放花生酱"),
    ("s2", "user", "我妈妈的生日是5月12日"), ("s2", "assistant", "记下了。"),
    ("s3", "user", "I prefer window seats on trains"), ("", "user", "My passport number is X4471193"),
)  # fmt: skip


def test_it_picks_what_can_be_asked_in_both_languages() -> None:
    rows = draft(HISTORY, 20)
    assert [row["evidence"] for row in rows] == [["m2"], ["m7"], ["m8"], ["m10"], ["m11"]]
    assert [row["category"] for row in rows] == ["amount", "prohibition", "date", "preference", "id"]
    first = rows[0]
    assert (first["question"], first["quote"], first["said"]) == (
        "",
        "My rent is 900 euros a month",
        "2026-03-03 09:00",
    )
    assert first["before"] == "assistant: Hi! How can I help you?" and first["evidence_level"] == "message"
    assert rows[-1]["before"] is None and rows[-1]["after"] is None  # a statement stands alone


def test_few_rows_are_spread_over_time_and_sessions() -> None:
    many = history(*[(f"s{n // 20}", "user", f"Order number {n}4711 costs {n} euros in May") for n in range(100)])
    rows = draft(many, 5)
    places = [int(str(row["question_id"]).removeprefix("q-m")) for row in rows]
    assert [place // 20 for place in places] == [0, 1, 2, 3, 4]


def test_a_weak_signal_alone_is_not_worth_a_question() -> None:
    said = history(
        ("s", "user", "今天天气真好啊"), ("s", "user", "好的，那就这么决定了"), ("s", "user", "我周五去医院看妈妈")
    )
    assert [row["evidence"] for row in draft(said, 5)] == [["m2"]]


def test_nothing_to_ask_gives_no_rows() -> None:
    assert draft([], 5) == draft(HISTORY[:2], 5) == []


@given(st.lists(st.tuples(st.sampled_from(["a", "b", ""]), st.sampled_from(["user", "assistant"]), st.text(max_size=40))),
       st.integers(1, 12))  # fmt: skip
def test_any_history_can_be_drafted(said: list[tuple[str, str, str]], count: int) -> None:
    rows = draft(history(*said), count)
    assert len(rows) <= count and len({row["question_id"] for row in rows}) == len(rows)
