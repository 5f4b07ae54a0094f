"""Cuts long texts for models with a short window: fast, by characters, at sentence ends where there are some."""

from __future__ import annotations

import re
from itertools import accumulate

from jiyi.text import cut_point

BUDGET = 128
"""Model tokens that a piece has at most, roughly: 450 Latin or 160 Han characters."""
MOST = 32
"""Pieces of one text at most.  Of a longer one the first 31 and the end are kept; full text still has all of it."""

# tokens a character costs, measured on chats and rounded up: Latin 3.5 a token, other alphabets 2.2, Han and emoji 1.25
_LATIN, _ALPHABET, _WIDE = 0.284, 0.45, 0.8
_SENTENCE = re.compile(r"(?:[.!?…](?=\s)|[。！？；\n])[\"'”’」』）)\s]*")
_CLAUSE = re.compile(r"[,;:，、：]\s*|\s+")
_EDGE = re.compile(r"\b")  # of a word or number


def split(text: str, budget: int = BUDGET) -> list[str]:
    """Pieces of at most ``budget`` tokens' worth, in order; a short text gives itself alone.

    Together the pieces are the text, but for blank pieces and, of a text that would give more than ``MOST`` pieces, its
    middle.
    """
    pieces: list[str] = []
    start = 0
    while start < len(text):
        if len(pieces) == MOST - 1:
            pieces.append(_ending(text[start:], budget))
            break
        end = _reach(text, start, budget)
        if end < len(text):
            if _reach(text, end, budget) == len(text):  # two are left: about equal, not a long one and a stub
                end = min(end, start + (len(text) - start) * 5 // 8)
            end = stop(text, start, end)
        piece = text[start:end]
        start = end
        if piece.strip():
            pieces.append(piece)
    return pieces or [clip(text)]


def clip(text: str) -> str:
    """The text, or of one of more than two pieces' worth its beginning and its end: where people put what they ask."""
    if _reach(text, 0, 2 * BUDGET) == len(text):
        return text
    return f"{text[: _reach(text, 0, BUDGET)]}\n{_ending(text, BUDGET)}"


def _cost(char: str) -> float:
    return _LATIN if char < "\u0250" else _ALPHABET if char < "\u2e80" else _WIDE


def _reach(text: str, start: int, budget: float) -> int:
    """The largest end so that ``text[start:end]`` costs no more than the budget; at least one character on."""
    window = text[start : start + int(budget / _LATIN) + 1]
    if len(window) * _WIDE <= budget:
        return start + len(window)
    within = sum(1 for cost in accumulate(map(_cost, window)) if cost <= budget)
    return start + max(1, within)


def _ending(text: str, budget: float) -> str:
    """The longest end of the text within the budget."""
    backwards = text[-int(budget / _LATIN) - 1 :][::-1]
    return text[len(text) - _reach(backwards, 0, budget) :]


def stop(text: str, start: int, end: int) -> int:
    """The last good place to cut in the second half of ``text[start:end]``."""
    half = start + (end - start) // 2
    for mark in (_SENTENCE, _CLAUSE, _EDGE):
        for place in reversed([found.end() for found in mark.finditer(text, half, end + 1)]):
            if half < place <= end and cut_point(text, place) == place:
                return place
    return max(cut_point(text, end), half + 1)
