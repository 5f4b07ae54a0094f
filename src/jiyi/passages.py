"""The parts of a long message that matter to a question, by the index's own terms.  Pure, and linear in the text.

A text is parted at its sentences, lines, list items and table rows.  First comes the part that has most of what was
asked; then the beginning, which says what it is all about (and in chats often the answer as well); then what follows
the first, and what adds words of the question.  A text that was found by its meaning alone, without such a word, is
represented by its beginning and by what has numbers in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from jiyi.text import cut_point, terms

Span: TypeAlias = tuple[int, int]
"""The characters [start, end) of a text."""

LONG = 720
"""UTF-8 bytes above which a message may be quoted in part: about 180 tokens, in English as in Chinese."""

SIZE = 360
"""UTF-8 bytes of the parts together, about.  Of 240, 360, 480 and 720 the one that kept most answers inside 1,000 and
2,000 tokens on beam_100k and realmem together."""

MARK = "[…]"
"""Stands where something was left out."""

_READ = 20_000  # characters that are looked at: at most some milliseconds
_WORD = 64  # characters in a row without a place to cut: what is longer is no word or number
_BEST = 16  # parts chosen one by one by what they add; few more would ever fit

_END = re.compile(
    r"[\r\n]+"
    r"|(?<![.!?…])[.!?…]+[\"'”’)\]*_]*(?=\s)\s*"
    r"|[。！？；…]+[”’」』）】\"']*\s*"
)
_ABBREVIATION = re.compile(r"(?:^|[^\w.])(?:[A-Za-z]|(?:\w\.)+\w|[MD]rs?|Ms|Prof|St|[Nn]o|[Ff]ig|approx|vs|etc)$")
_PAUSE = re.compile(r"(?:[,;:|](?=\s)|(?:(?<!\d)[，、：—]|[，、：—](?!\d)))\s*")
_SPACE = re.compile(r"(?<!\d)\s+|\s+(?!\d)")
_INNER = re.compile(r"(?:[^\W\u2e80-\U0003ffff][\w'’.,:/@&%+\-]|['’.,:/@&+\-]\w)")
_NUMBER = re.compile(r"\d")


def passages(text: str, tells: Mapping[str, float], size: int = SIZE, *, end: bool = False) -> list[Span]:
    """The parts of a text that matter to a question, in order, apart from each other; all of it when it is short.

    Args:
        text: a message's text.
        tells: the question's index terms (one that ends in ``*`` stands for all that begin so) -> what each tells.
        size: UTF-8 bytes of the parts together, about.  None is cut within a word, a number or a character.
        end: the end matters most, as it does of a message that the next one answers.
    """
    if _bytes(text) <= max(LONG, size):
        return [(0, len(text))]
    units = list(_units(text, _read(text, end=end), size))
    sizes = [_bytes(text[start:stop]) for start, stop in units]
    said = [_said(text[start:stop], tells) for start, stop in units]
    chosen, room = set[int](), size
    for at in _wanted(sizes, said, [bool(_NUMBER.search(text, *unit)) for unit in units], size, end=end):
        if at not in chosen and (sizes[at] <= room or not chosen):
            chosen.add(at)
            room -= sizes[at]
    found = (_trimmed(text, span) for span in _joined(units[at] for at in sorted(chosen)))
    return [span for span in found if span[0] < span[1]]


def quoted(text: str, spans: Sequence[Span]) -> str:
    """Parts of a text word for word, with marks where something is left out."""
    pieces: list[str] = []
    before = 0
    for start, end in spans:
        gap = text[before:start]
        if gap.strip():
            apart = "\n" if "\n" in gap and before else " "
            pieces.append(f"{apart}{MARK}{apart}" if before else f"{MARK} ")
        pieces.append(text[start:end])
        before = end
    if (gap := text[before:]).strip():
        pieces.append(f"\n{MARK}" if gap[:1] in "\r\n" else f" {MARK}")
    return "".join(pieces)


def _wanted(
    sizes: Sequence[int], said: Sequence[Mapping[str, float]], numbers: Sequence[bool], size: int, *, end: bool
) -> Iterator[int]:
    """Places of the units, most wanted first; some more than once."""
    last = len(sizes) - 1
    if end:
        yield last
    left = {at for at, values in enumerate(said) if values}
    known = dict[str, float]()
    best = 0
    for turn in range(min(_BEST, len(left)) or 1):
        best = max(left, key=lambda at: (_gain(said[at], known), -at), default=0)
        left.discard(best)
        known |= said[best]
        yield best
        if turn == 0:
            yield from _beginning(sizes, size // 2)
        if known:
            yield min(last, best + 1)
    if not known:
        yield from (at for at, number in enumerate(numbers) if number)
    yield from range(best, len(sizes))


def _beginning(sizes: Sequence[int], room: int) -> Iterator[int]:
    """Places of the first units that fit."""
    for at, size in enumerate(sizes):
        room -= size
        if room < 0:
            return
        yield at


def _gain(said: Mapping[str, float], known: Mapping[str, float]) -> float:
    """What a unit adds: what its words tell, and of those that were said already a quarter."""
    return sum(value if term not in known else value / 4 for term, value in said.items())


def _said(text: str, tells: Mapping[str, float]) -> dict[str, float]:
    """The question's terms that stand in a text, with what they tell."""
    found = terms(text)
    said = {term: tells[term] for term in found if term in tells}
    for term, value in tells.items():
        if term.endswith("*") and any(other.startswith(term[:-1]) for other in found):
            said[term] = value
    return said


# -- parting a text --------------------------------------------------------------------------------------------------


def _read(text: str, *, end: bool) -> Span:
    """What of a text is looked at: all, unless it is very long."""
    if len(text) <= _READ:
        return 0, len(text)
    return (_between(text, 0, len(text) - _READ, len(text)), len(text)) if end else (0, _between(text, 0, _READ, _READ))


def _units(text: str, read: Span, size: int) -> Iterator[Span]:
    """A part of a text in pieces of at most ``size`` bytes, if that can be: sentences, lines, else what pauses part."""
    start = read[0]
    for end in sentence_ends(text, *read):
        if _bytes(text[start:end]) <= size:
            yield start, end
        else:
            yield from _smaller(text, start, end, size)
        start = end


def sentence_ends(text: str, start: int, stop: int) -> Iterator[int]:
    """Where sentences and lines end, white space behind them counted in."""
    for found in _END.finditer(text, start, stop):
        end = found.end()
        if found[0].startswith(".") and _goes_on(text, start, found.start(), end):
            continue
        if cut_point(text, end) == end:
            yield end
            start = end
    if start < stop:
        yield stop


def _goes_on(text: str, start: int, point: int, end: int) -> bool:
    """Whether a full stop ends no sentence: ``2. Pack``, ``e.g. rice``, ``Dr. Li``, ``approx. 20``."""
    before = text[max(start, point - 8) : point]
    return text[end : end + 1].islower() or before.strip().isdigit() or bool(_ABBREVIATION.search(before))


def _smaller(text: str, start: int, end: int, size: int) -> Iterator[Span]:
    """A piece that is too long, cut at its pauses; what has none, between words or the characters a reader sees."""
    while start < end:
        # so many characters as have that many bytes
        upto = start + len(
            text[start : min(end, start + size)].encode("utf-8", "replace")[:size].decode("utf-8", "ignore")
        )
        cut = end if upto >= end else _pause(text, start, upto) or _between(text, start, upto, end)
        yield start, cut
        start = cut


def _pause(text: str, start: int, upto: int) -> int:
    """The end of the last pause in the second half of a piece; 0 for none."""
    half = (start + upto) // 2
    for pauses in (_PAUSE, _SPACE):
        ends = [found.end() for found in pauses.finditer(text, half, upto)]
        if cuts := [end for end in ends if cut_point(text, end) == end]:
            return cuts[-1]
    return 0


def _between(text: str, start: int, upto: int, end: int) -> int:
    """Where to cut a piece without a pause: before the word or number that stands there, if that is not too long."""
    cut = cut_point(text, upto)
    for at in range(cut, max(start, cut - _WORD), -1):
        if not _INNER.match(text, at - 1) and cut_point(text, at) == at:
            return at
    ahead = upto - start
    while cut <= start:  # one character that is longer than the piece
        ahead *= 2
        if start + ahead >= end:
            return end
        cut = cut_point(text, start + ahead)
    return cut


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    """Spans in order, those that touch made one."""
    before: Span | None = None
    for start, end in spans:
        if before is not None and before[1] == start:
            before = before[0], end
        else:
            if before is not None:
                yield before
            before = start, end
    if before is not None:
        yield before


def _trimmed(text: str, span: Span) -> Span:
    """Without white space at its ends."""
    part = text[slice(*span)]
    start, end = span[0] + len(part) - len(part.lstrip()), span[1] - len(part) + len(part.rstrip())
    return start if cut_point(text, start) == start else span[0], end if cut_point(text, end) == end else span[1]


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
