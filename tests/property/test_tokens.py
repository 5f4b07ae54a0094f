from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi.ports import TokenCounter
from jiyi.text import cut_point
from jiyi.tokens import count_message, counter

texts = st.text(max_size=80) | st.text("aB 1.\n中，🎉\u200d👍🏽\u0301é\ud83d", max_size=80)
make = cache(counter)


@pytest.mark.parametrize("name", ["estimate", "o200k", "qwen3"])
@given(text=texts, limit=st.integers(-1, 60))
@settings(deadline=None)
def test_cut_fits_and_parts_no_character(name: str, text: str, limit: int) -> None:
    counting: TokenCounter = make(name)
    cut = counting.cut(text, limit)
    assert text.startswith(cut)
    assert counting.count(cut) <= max(0, limit)
    assert cut_point(text, len(cut)) == len(cut)
    if limit >= counting.count(text):
        assert cut == text


@pytest.mark.parametrize("name", ["estimate", "o200k", "cl100k", "qwen3", "llama3"])
@given(text=texts)
@settings(deadline=None)
def test_only_the_empty_text_has_no_tokens(name: str, text: str) -> None:
    counting = make(name)
    assert (counting.count(text) == 0) == (text == "")
    assert counting.count(text) == counting.count(text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.fixed_dictionaries(
        {},
        optional={key: json_values for key in ("role", "content", "name", "tool_calls", "tool_call_id", "other")},
    )
)
def test_odd_messages_are_counted(message: dict[str, object]) -> None:
    assert count_message(make("estimate"), message) >= 3
