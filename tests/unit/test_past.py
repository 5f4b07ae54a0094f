"""The facts at any place of the log: the same in whatever order the places are asked for, each fact read once."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jiyi import past as module
from jiyi.past import Past, snapshot_of
from jiyi.statements import Statement, statements_of
from jiyi.testing.strategy import START
from jiyi.types import Record, Source

Spans = list[tuple[int, int | None]]


def day(number: int) -> datetime:
    return START + timedelta(days=number)


def fact(number: int, begin: int, end: int | None) -> Record:
    """A home that was said on a day and, on another one, no longer held."""
    said = {"message": f"m{number}", "at": day(begin).isoformat(), "seq": number, "step": "facts:rules", "by": "rules"}
    return Record(
        f"fact:{number}", "fact", f"I live in town {number}", "facts:rules", "1",
        (Source(f"m{number}", 0, 4, "town"),), key="user.home", importance=number % 5 / 10,
        closed_at=None if end is None else day(end),
        data={
            "attribute": "home", "subject": "user", "said": [{**said, "value": str(number), "text": ""}],
            **({} if end is None else {"closed_by": {"record": f"fact:{number + 1}", "message": "m", "seq": number}}),
        },
    )  # fmt: skip


def mark(number: int, at: int) -> Record:
    data = {"number": number, "at": day(at).isoformat(), "seq": 1_000 + number}
    return Record(f"snapshot:{number}", "snapshot", "", "snapshots", "1", (), data=data)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.none() | st.integers(0, 9)), max_size=8),
    st.lists(st.integers(-1, 10), min_size=1, max_size=8),
)
def test_places_may_be_asked_for_in_any_order(spans: Spans, asked: list[int]) -> None:
    facts = [fact(number, *span) for number, span in enumerate(spans)]
    past = Past(facts)
    for at in asked:
        held = [one.id for one in past.at((day(at), 5))]
        expected = {
            f"fact:{number}"
            for number, (begin, end) in enumerate(spans)
            if (day(begin), number) <= (day(at), 5) and (end is None or (day(at), 5) < (day(end), number))
        }
        assert set(held) == expected and len(held) == len(expected)
        assert held == [one.id for one in Past(facts).at((day(at), 5))]


def test_many_snapshots_read_each_fact_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(record: Record) -> list[Statement]:
        read.append(record.id)
        return statements_of(record)

    monkeypatch.setattr(module, "statements_of", counted)
    facts = [fact(number, number, number + 1 if number < 199 else None) for number in range(200)]
    past = Past(facts)
    found = [snapshot_of(mark(number, number), past) for number in range(200)]
    assert [len(one.entries) for one in found].count(0) == 0
    assert len(read) == len(set(read)) <= 200
    assert len(found[-1].entries[0].instead_of) == 199
