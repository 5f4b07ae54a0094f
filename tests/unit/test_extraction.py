"""What models really write when they are asked for JSON."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jiyi.extraction import Listed, listed

ONE = [{"n": 1}]
TWO = [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"list": [{"n": 1}, {"n": 2}]}', TWO),
        ('[{"n": 1}, {"n": 2}]', TWO),
        ('```json\n{"list": [{"n": 1}]}\n```', ONE),
        ('Here you are:\n{"list": [{"n": 1}]} I hope [this] and {that} helps!', ONE),
        ('<think>{"list": [{"n": 9}]} hmm</think>{"list": [{"n": 1}]}', ONE),
        ('Well. <thinking>{"list": [{"n": 9}]}</thinking>{"list": [{"n": 1}]}', ONE),
        ('so {"list": [{"n": 9}]}\n</think>\n{"list": [{"n": 1}]}', ONE),
        ('[THINK][{"n": 9}][/THINK][{"n": 1}]', ONE),
        ('{"n": 1}\n{"n": 2}', TWO),
        ('```\n{"list": [{"n": 1}]}\n```\n```json\n{"list": [{"n": 2}]}\n```', TWO),
        ('For example {"list": [{"n": 9}]}. Mine: {"list": [{"n": 1}]}', ONE),
        ('{"list": [{"n": 1},{"n": 2},],}', TWO),
        ('{"list": [{"n": 1} {"n": 2}]}', TWO),
        ("{'list': [{'n': 1}, {'n': 2}]}", TWO),
        ("{list: [{n: 1}, {n: 2}]}", TWO),
        ('{"list": [{"n": 1}, "x", 3, null, {"n": 2}]}', [{"n": 1}, "x", 3, None, {"n": 2}]),
        ('{"list": {"n": 1}}', ONE),
        ('{"list": null}', []),
        ('{"list": []}', []),
        ("I found nothing: []", []),
        ("{'list': [{'n': None, 'b': True}]}", [{"n": None, "b": True}]),
        ('{"list": [{"t": "a \\"b\\" \\u4f60 \\ud83c\\udf81 C:\\\\x \\d\\\'"}]}', [{"t": 'a "b" 你 🎁 C:\\x \\d\''}]),
        ('{"list": [{"t": "line\nline", "n": -1.5e3}]}', [{"t": "line\nline", "n": -1500.0}]),
        ('{"list": [{"t": "uses <think> and </think> tags, ```x``` too"}]}', [{"t": "uses <think> and </think> tags, ```x``` too"}]),
        ('{"list": [{"n": 1e999}]}', [{"n": None}]),
        ('{"a": [1, {"list": [7]}], "list": [{"n": 1}]}', ONE),
    ],
)  # fmt: skip
def test_a_whole_list_is_read(reply: str, expected: list[object]) -> None:
    assert listed(reply, "list") == Listed(tuple(expected), found=True, whole=True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"list": [{"n": 1}, {"n": 2}, {"n": ', TWO),
        ('{"list": [{"n": 1}, {"n": 2}, {"n": 3', TWO),
        ('{"list": [{"n": 1}, {"n": 2}', TWO),
        ('[{"n": 1}, {"n": 2}, {"m": [{"n": 3}]', TWO),
        ('{"n": 1}\n{"n": 2}\n{"n": ', TWO),
        ('{"list": [{"n": 1}, {"n": 2}, {"t": "he said "hi""}, {"n": 3}]}', TWO),
        ('{"list": [{"n": 1}, {"n": 2}], "more": [', TWO),
        ("{'list': [{'n': 1}, {'n': 2}, {'t': 'I don't'}]}", TWO),
        ('{"list": [{"t": "Lives in', []),
    ],
)
def test_what_is_whole_is_kept_where_the_rest_is_not(reply: str, expected: list[object]) -> None:
    assert listed(reply, "list") == Listed(tuple(expected), found=True, whole=False)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "no",
        "null",
        "<think>and so on [",
        '<think>{"list": [{"n": 9}]}',
        'Well <think> {"list": [{"n": 9}]}',
        '{"list": "none"}',
        '{"list": 3}',
        '{"list": {"n": ',
        "See [notes] and {x}.",
        "[" * 5_000,
        '{"a":' * 3_000,
        '{"' * 100_000,
        '{"\\' * 60_000,
    ],
)
def test_where_there_is_no_list_none_is_found(reply: str) -> None:
    begin = time.perf_counter()
    assert not listed(reply, "list").items
    assert time.perf_counter() - begin < 5


@given(st.text(alphabet="{}[]\"',:n1 \\ue<think/>`", max_size=200))
def test_nothing_raises(reply: str) -> None:
    listed(reply, "n")


@given(
    st.lists(st.dictionaries(st.text(max_size=5), st.text() | st.integers(-(10**30), 10**30) | st.booleans() | st.none())),
    st.data(),
)  # fmt: skip
def test_a_reply_cut_anywhere_gives_items_of_the_whole_one(items: list[dict[str, object]], data: st.DataObject) -> None:
    whole = json.dumps({"list": items}, ensure_ascii=data.draw(st.booleans()))
    assert listed(whole, "list").items == tuple(items)
    cut = listed(whole[: data.draw(st.integers(0, len(whole) - 1))], "list")
    assert not cut.whole or not cut.found
    assert list(cut.items) == items[: len(cut.items)]
