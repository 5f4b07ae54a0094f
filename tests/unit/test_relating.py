"""Relations: said again, the other way round, ended, replaced, denied."""

from __future__ import annotations

from datetime import timedelta

import pytest

from jiyi.mentions import USER
from jiyi.relations import RELATION, ends_of, is_negated, name_of, stated_of
from jiyi.testing.strategy import START
from jiyi.types import Record
from tests.mentioning import Book, edge, message

Line = tuple[str, str, str]


async def told(*lines: tuple[Line, str], days: list[float] | None = None) -> Book:
    """A book of messages that each state one relation: head, words, tail; and how: "", negated, ends."""
    book = Book()
    for seq, ((head, words, tail), how) in enumerate(lines, start=1):
        of = message(f"{head} {words} {tail} {how}", seq, day=days[seq - 1] if days else None)
        await book.derive([(of, edge(of, head, words, tail, negated=how == "negated", ends=how == "ends"))])
    return book


def shown(records: list[Record]) -> list[tuple[str, str, str]]:
    return [(ends_of(record)[0], name_of(record), ends_of(record)[1]) for record in records]


async def test_both_ways_to_say_it_are_one_with_two_pieces_of_evidence() -> None:
    book = await told((("蓝湾物流", "收购", "灰雀机器人"), ""), (("灰雀机器人", "被收购", "蓝湾物流"), ""))
    (record,) = book.of(RELATION, current=False)
    assert shown([record]) == [("蓝湾物流", "acquired", "灰雀机器人")]
    assert [source.message_id for source in record.sources] == ["m1", "m2"] and record.data["count"] == 2
    assert (record.key, record.links) == ("蓝湾物流.acquired", ("蓝湾物流", "灰雀机器人"))


@pytest.mark.parametrize("days", [[1, 2, 3], [3, 1, 2], [2, 3, 1]])
async def test_one_at_a_time_by_when_it_was_said(days: list[float]) -> None:
    tails = [name for _, name in sorted(zip(days, ("Alder", "Birch", "Cedar"), strict=True))]
    book = await told(
        *(((USER, "works at", name), "") for name in ("Alder", "Birch", "Cedar")), days=days
    )  # fmt: skip
    (current,) = book.of(RELATION)
    assert ends_of(current) == (USER, tails[-1])
    first, second = sorted(
        (r for r in book.of(RELATION, current=False) if r.closed_at), key=lambda r: r.closed_at or START
    )
    assert [ends_of(one)[1] for one in (first, second)] == tails[:2]
    assert (first.closed_at, second.closed_at) == (START + timedelta(days=2), START + timedelta(days=3))
    assert first.data["closed_by"]["record"] == second.id  # type: ignore[index,call-overload]
    assert first.sources[-1].message_id == second.sources[0].message_id


async def test_many_stand_side_by_side() -> None:
    book = await told((("Jiyi", "uses", "Rust"), ""), (("Jiyi", "uses", "Python"), ""))
    assert len(book.of(RELATION)) == 2


async def test_an_end_closes_and_what_is_said_again_is_open_again() -> None:
    lines = [(("Ann", "uses", "Rust"), ""), (("Ann", "uses", "Rust"), "ends"), (("Ann", "uses", "Rust"), "")]
    book = await told(*lines[:2])
    (closed,) = book.of(RELATION, current=False)
    assert closed.closed_at == START + timedelta(days=2) and closed.text.endswith("Rust")
    assert [one.ends for one in stated_of(closed)] == [False, True]
    (record,) = (await told(*lines)).of(RELATION)
    assert record.id == closed.id and record.valid_to is None and record.data["count"] == 2


async def test_an_end_of_what_was_never_said_is_kept_for_what_comes_in_later() -> None:
    book = await told((("Ann", "uses", "Rust"), "ends"), (("Ann", "uses", "Rust"), ""), days=[5, 2])
    (record,) = book.of(RELATION, current=False)
    assert record.closed_at == START + timedelta(days=5) and book.of(RELATION) == []


async def test_what_is_not_so_stands_apart_and_closes_the_contrary() -> None:
    book = await told((("Ann", "reports to", "Bob"), ""), (("Ann", "reports to", "Bob"), "negated"))
    (record,) = book.of(RELATION)
    assert is_negated(record) and len(book.of(RELATION, current=False)) == 2
    book = await told((("Ann", "reports to", "Bob"), "negated"), (("Ann", "reports to", "Bob"), ""))
    (record,) = book.of(RELATION)
    assert not is_negated(record)


async def test_erased_is_what_closed_it_and_it_is_open_again() -> None:
    book = await told(((USER, "works at", "Alder"), ""), ((USER, "works at", "Birch"), ""))
    await book.erase("m2")
    (record,) = book.of(RELATION, current=False)
    assert ends_of(record)[1] == "Alder" and record.closed_at is None
    assert "Birch" not in repr(book.records) and "m2" not in repr(book.records)


async def test_what_is_kept_is_bounded() -> None:
    book = await told(*[(("Ann", "works at", "Alder"), "")] * 60)
    (record,) = book.of(RELATION)
    first, *_, last = [source.message_id for source in record.sources]
    assert len(record.sources) <= 12 and (first, last) == ("m1", "m60")
