"""Places of the tree of summaries: what they hold, and which of them tell of a stretch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jiyi.strategies.summary_tree import GROUP, TOP, Place, due, highest, place_of, stretch


@pytest.mark.parametrize(
    ("first", "last", "places"),
    [
        (1, 16, ["0:0"]),
        (1, 21 * 16, ["2:0", "1:4", "0:20"]),
        (20, 30, ["0:1"]),
        (5 * 16 + 3, 9 * 16, ["1:1", "0:8"]),  # before its first message a session says nothing
        (16 * 5000 + 3, 16 * 5003, ["0:5000", "0:5001", "0:5002"]),
    ],
)
def test_few_places_hold_a_stretch(first: int, last: int, places: list[str]) -> None:
    assert [place.key for place in stretch(first, last, 16)] == places


@given(st.integers(1, 200_000), st.integers(0, 200_000), st.integers(1, 40))
def test_places_hold_every_seq_once_and_none_behind_the_last_stride(first: int, more: int, stride: int) -> None:
    last = first + more
    places = stretch(first, last, stride)
    assert places[0].first(stride) <= first
    assert all(one.last(stride) + 1 == two.first(stride) for one, two in zip(places, places[1:], strict=False))
    assert last <= places[-1].last(stride) < last + stride
    top = stride * GROUP**TOP
    assert len(places) <= 2 * GROUP * (TOP + 1) + more // top


def test_a_place_ends_with_the_last_seq_of_its_last_child() -> None:
    assert [place.key for place in due(64, 16)] == ["1:0"]
    assert [place.key for place in due(16 * 64, 16)] == ["1:15", "2:3", "3:0"]
    assert due(48, 16) == due(63, 16) == due(0, 16) == []
    assert place_of(64, 16).parent.parent == place_of(1, 16).parent.parent == Place(2, 0)
    assert {place_of(seq, 16).parent for seq in range(1, 65)} == {Place(1, 0)}


def test_a_node_that_stands_alone_serves_for_the_place_above() -> None:
    nodes = {Place(0, 1): "b", Place(1, 1): "c", Place(0, 4): "under c", Place(0, 15): "d"}
    assert list(highest(Place(2, 0), nodes)) == ["b", "c", "d"]
