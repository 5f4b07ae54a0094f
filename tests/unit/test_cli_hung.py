"""Lines that hang beside their head, in both languages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from jiyi.cli.output import hung


def test_english_breaks_between_words_and_hangs() -> None:
    assert hung("  12345678  ", "one two three four", 24) == "  12345678  one two\n            three four"


def test_chinese_breaks_anywhere_but_before_a_mark() -> None:
    assert hung("  id  ", "青鸾由李建国负责。", 16) == "  id  青鸾由李建\n      国负责。"
    assert hung("  id  ", "青鸾由李建，负责", 16) == "  id  青鸾由李\n      建，负责"


def test_a_word_longer_than_a_line_stays_whole() -> None:
    assert hung("  ", "abcdefghij", 6) == "  abcdefghij"


@given(st.text(alphabet="ab 青鸾，。“”", max_size=60), st.integers(8, 30))
def test_nothing_is_lost_and_only_a_long_piece_goes_over(text: str, width: int) -> None:
    lines = hung("  ", text, width).split("\n")
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(line == line.rstrip() for line in lines)
    assert all(cell_len(line) <= width or len(line.split()) <= 1 for line in lines)
