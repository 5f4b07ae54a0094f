"""What models really write when they are asked for JSON."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jiyi.extraction import items

ONE = [{"n": 1}]
TWO = [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"list": [{"n": 1}, {"n": 2}]}', TWO),
        ('[{"n": 1}, {"n": 2}]', TWO),
        ('```json\n{"list": [{"n": 1}]}\n```', ONE),
        ('Here you are:\n{"list": [{"n": 1}]} I hope [this] helps!', ONE),
        ('<think>{"list": [{"n": 9}]} hmm</think>{"list": [{"n": 1}]}', ONE),
        ("<think>and so on [", []),
        ('{"n": 1}\n{"n": 2}', TWO),
        ('{"list": [{"n": 1}, {"n": 2}, {"n": ', TWO),
        ('{"list": [{"n": 1}, "x", 3, null, {"n": 2}]}', TWO),
        ('{"list": {"n": 1}}', ONE),
        ('{"list": null}', []),
        ("no", []),
        ("", []),
        ("[" * 5_000, []),
        ('{"a":' * 3_000, []),
    ],
)
def test_the_whole_objects_are_found(reply: str, expected: list[object]) -> None:
    begin = time.perf_counter()
    assert items(reply, "list") == expected
    assert time.perf_counter() - begin < 1


@given(st.text(alphabet='{}[]",:n1 \\ue<think/>', max_size=200))
def test_nothing_raises(reply: str) -> None:
    assert all(isinstance(item, dict) for item in items(reply, "n"))
