"""Random long texts: what holds for every passage."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi.passages import LONG, MARK, passages, quoted
from jiyi.text import cut_point

PIECES = st.sampled_from([
    "word", "kiwi", "12,480.50", "3.14", "2024-05-08", "e.g.", "Dr.", " ", " ", " ", ". ", "! ", "? ", ", ", "\n", "\r\n",
    "\n\n- ", "| a | b |\n", "```\n", "中文", "猕猴桃", "。", "，", "？", "！", "…", "\u3000", "\u0301", "👨‍👩‍👧‍👦", "👍🏽", "🇩🇪", "\u200d",
    "\u00a0", "“", "”", "한국어", "ภาษา", "x" * 90, "好" * 90,
])  # fmt: skip
TEXTS = st.lists(PIECES, max_size=150).map("".join)
TELLS = st.dictionaries(st.sampled_from(["kiwi", "word", "猕猴", "中*", "12480.50"]), st.floats(0, 9), max_size=4)


@settings(deadline=None, max_examples=80)
@given(TEXTS, TELLS, st.integers(1, 900), st.booleans())
def test_passages_are_verbatim_apart_and_whole(text: str, tells: dict[str, float], size: int, end: bool) -> None:
    spans = passages(text, tells, size, end=end)
    assert spans == passages(text, tells, size, end=end)
    long = len(text.encode()) > max(LONG, size)
    if not long:
        assert spans == [(0, len(text))]
        return
    assert spans or not text.strip()
    before = -1
    for start, stop in spans:
        assert before < start < stop <= len(text)
        assert cut_point(text, start) == start and cut_point(text, stop) == stop
        before = stop
    parts = [text[start:stop] for start, stop in spans]
    assert all(part in quoted(text, spans) for part in parts)
    assert quoted(text, spans).count(MARK) <= len(spans) + 1
    assert sum(len(part.encode()) for part in parts) <= size or len(spans) == 1
    for edge in (edge for span in spans for edge in span):
        around = text[max(0, edge - 1) : edge + 1]
        if size >= 200 and len(around) == 2 and around.isascii() and around.isalnum():
            assert "x" * 64 in text[max(0, edge - 90) : edge + 90], "only what is no word is cut"
