"""Where a quote stands in a text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right

from jiyi.grounding.plain import HAN, lower, plain

_LEAST = 3
"""Letters and digits of a quote, Han counted double: less ("ok", 是) stands in every text and says nothing."""

_JOIN = re.compile(
    r"\s+|\.{2,}|\u2026+|[\u200b-\u200d\u2060\ufeff\ufe0f\u00ad]+"
    r"|[\u00bc-\u00be\u2460-\u24ff\u2100-\u214f\u2150-\u218f\u3200-\u33ff\ufb00-\ufb06]"
)
_HAN_CHAR = re.compile(f"[{HAN}]")
_COUNTED = re.compile(r"[^\W_]")
_TRIES = 1_000  # places that are looked at for a better one


def locate(text: str, quote: str) -> tuple[int, int] | None:
    """The characters [start, end) of ``text`` that a quote is; None where it does not stand there.

    Width, case, white space, and the kind of quote marks, dashes and ellipses do not matter, nor marks at the quote's
    ends.  Where it stands several times, whole words are preferred, then the first.  A number is never found in a
    longer one, and a quote of less than a word or two Han is refused.
    """
    wanted = _bare(_folded(quote)[0])
    if sum(2 if _HAN_CHAR.match(char) else 1 for char in _COUNTED.findall(wanted)) < _LEAST:
        return None
    exact = quote.strip()
    if (found := _search(text, exact)) and found[1] == _WHOLE:
        return found[0], found[0] + len(exact)
    said, steps = _folded(text)
    found = _search(said, wanted)
    return _back(steps, found[0], found[0] + len(wanted)) if found else None


def _search(said: str, wanted: str) -> tuple[int, int] | None:
    """The best place, and how good it is."""
    spare: int | None = None
    at = -1
    for _ in range(_TRIES):
        at = said.find(wanted, at + 1)
        if at < 0:
            break
        fit = min(_fit(said, at), _fit(said, at + len(wanted)))
        if fit == _WHOLE:
            return at, fit
        if fit == _PART and spare is None:
            spare = at
    return None if spare is None else (spare, _PART)


def _bare(quote: str) -> str:
    """Without marks at its ends, except those that belong to a number."""
    start, end = 0, len(quote)
    while start < end and not (quote[start].isalnum() or quote[start] in "$€£¥#+-"):
        start += 1
    while start < end and not (quote[end - 1].isalnum() or quote[end - 1] in "%°+#"):
        end -= 1
    return quote[start:end]


_CUT, _PART, _WHOLE = range(3)


def _fit(said: str, at: int) -> int:
    """How well a quote may begin or end there: not within a number, and better not within a word."""
    if at in (0, len(said)):
        return _WHOLE
    left, right = said[at - 1], said[at]
    if right.isdigit() and (left.isdigit() or (left in ".," and said[at - 2 : at - 1].isdigit())):
        return _CUT
    if left.isdigit() and right in ".," and said[at + 1 : at + 2].isdigit():
        return _CUT
    inner = all(char.isalnum() and not _HAN_CHAR.match(char) for char in (left, right))
    return _PART if inner else _WHOLE


Steps = tuple[list[int], list[int], list[int]]
"""Where stretches begin that went over one for one: in the folded text, in the original, and in that where the one
before ends."""


def _folded(text: str) -> tuple[str, Steps]:
    """The text without what does not matter, and how to get back."""
    simple = lower(plain(text))
    pieces: list[str] = []
    folded, original, before = [0], [0], [0]
    length = at = 0
    for found in _JOIN.finditer(simple):
        start, end = found.span()
        piece = simple[at:start]
        pieces.append(piece)
        length += len(piece)
        mark = _replaced(simple, start, end)
        if mark:
            folded.append(length)
            original.append(start)
            before.append(start)
            pieces.append(mark)
            length += len(mark)
        folded.append(length)
        original.append(end)
        before.append(end if mark else start)
        at = end
    pieces.append(simple[at:])
    return "".join(pieces), (folded, original, before)


def _replaced(text: str, start: int, end: int) -> str:
    """What stands for white space, an ellipsis, or a character that means several."""
    mark = text[start]
    if mark.isspace():
        inside = start > 0 and end < len(text)
        if not inside or not _is_latin(text[end]):
            return ""
        return " " if _is_latin(text[start - 1]) or (text[start - 1] in ".,:" and text[end].isdigit()) else ""
    if mark in ".\u2026":
        return "\u2026"
    return unicodedata.normalize("NFKC", text[start:end]).lower().strip("\u200b\u200c\u200d\u2060\ufeff\ufe0f\u00ad")


def _is_latin(char: str) -> bool:
    return char.isalnum() and not _HAN_CHAR.match(char)


def _back(steps: Steps, start: int, end: int) -> tuple[int, int]:
    folded, original, before = steps
    first = bisect_right(folded, start) - 1
    last = bisect_right(folded, end) - 1
    begin = original[first] + start - folded[first]
    if folded[last] == end:
        while last and folded[last - 1] == end:
            last -= 1
        return begin, before[last] if last else end
    stop = original[last] + end - folded[last]
    return begin, min(stop, original[last + 1] if last + 1 < len(original) else stop)


__all__ = ["locate"]
