"""Periods in English words.

An expression finds what can stand alone.  What stands before it (``early``, ``the Monday before``, ``since``) and
between two of them (``to``) is read from its ends outwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from jiyi.periods.english_atoms import READ
from jiyi.periods.english_words import ATOM, COUNT, PART, PARTS, SIDE, UNIT, WEEKDAY, counted, unit_of, weekday_of
from jiyi.periods.spans import (
    ONE_DAY,
    Span,
    Words,
    a_week,
    adjoining,
    beside,
    day_part,
    half,
    joined,
    nth_week,
    nth_weekday,
    third,
    weekday_beside,
    within,
)

# -- what stands before and between ----------------------------------------------------------------------------------

_EARLY = re.compile(
    r"\b(?:(?P<early>early|(?:the )?(?:beginning|start) of)|(?P<mid>mid|(?:the )?middle of)"
    r"|(?P<late>late|(?:the )?end of)|(?P<first>(?:the )?first half of)|(?P<second>(?:the )?second half of))"
    r"(?: in)?[ -](?:the )?$"
)
_NTH = re.compile(
    rf"\b(?:the )?(?P<n>first|second|third|fourth|last|1st|2nd|3rd|4th) (?P<w>week|weekend|{WEEKDAY}) (?:of|in) $"
)
_WEEK_OF = re.compile(r"\bthe week of (?:the )?$")
_BESIDE = re.compile(
    rf"(?:\b(?P<c>{COUNT}) (?P<u>{UNIT})"
    rf"|\b(?:the |last |previous )?(?P<w>week|weekend|month|year|day|{PART}|{WEEKDAY})(?: (?:right|just))?)"
    rf" (?P<s>before|preceding|prior to|after|following) $"
)
_OPEN = re.compile(r"\b(?:ever )?(?P<s>since|after|before|prior to|until|till|by|from) (?:the )?$")
_ONWARDS = re.compile(r" (?:on|onwards?|until now|till now|to now|up to now)\b(?! the)")
_TO = re.compile(r" (?:to|through|until|till) (?:the )?| ?[-–—] ?")
_AND = re.compile(r" and (?:the )?")
_BETWEEN = re.compile(r"\bbetween (?:the )?$")
_FROM_TO = re.compile(r"\bfrom (?:the )?$")
_NTHS = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3, "last": -1}


def _part_of(found: re.Match[str], span: Span) -> Span | None:
    if found.lastgroup in ("first", "second"):
        return half(span, 0 if found["first"] else 1)
    return third(span, 0 if found["early"] else 1 if found["mid"] else 2)


def _nth_of(found: re.Match[str], span: Span) -> Span | None:
    nth, word = _NTHS[found["n"]], found["w"]
    if word == "week":
        return nth_week(span, nth)
    return nth_weekday(span, nth, 5, 2) if word == "weekend" else nth_weekday(span, nth, weekday_of(word))


def _week_of(found: re.Match[str], span: Span) -> Span | None:
    if span.precision != "day" or span.start is None:
        return None
    return a_week(span.start)._replace(relative=span.relative, recurs=span.recurs)


def _beside(found: re.Match[str], span: Span) -> Span | None:
    side, word = SIDE[found["s"]], found["w"]
    if not word:
        unit, times = unit_of(found["u"])
        most, least = counted(found["c"])
        return beside(span, (times * most, times * least), unit, side)
    if word == "weekend":
        return weekday_beside(span, 5, side, 2)
    if word in PARTS or word == "day":
        edge = beside(span, (1, 1), "day", side)
        if edge is None or edge.start is None or word == "day":
            return edge
        return day_part(edge.start, PARTS[word])._replace(relative=span.relative, recurs=span.recurs)
    if word[-3:] == "day":
        return weekday_beside(span, weekday_of(word), side)
    return adjoining(span, 1, unit_of(word)[0], side)


_LEADS = frozenset(["early", "mid", "late", "of", "in", "the", "before", "preceding", "to", "after", "following"])
_STEPS = ((_EARLY, _part_of), (_NTH, _nth_of), (_WEEK_OF, _week_of), (_BESIDE, _beside))


def _widened(words: Words, low: str) -> Words:
    """A span with what stands before it taken in, as long as it changes anything."""
    for _ in range(3):
        if low[max(0, words.begin - 12) : words.begin - 1].rpartition(" ")[2] not in _LEADS:
            return words
        for pattern, read in _STEPS:
            found = pattern.search(low, max(0, words.begin - 40), words.begin)
            span = found and read(found, words.span)
            if found and span:
                words = Words(found.start(), words.stop, span)
                break
        else:
            return words
    return words


def _opened(words: Words, low: str) -> Words:
    """``since``, ``before``, ``after`` and their like leave one side open."""
    found = _OPEN.search(low, max(0, words.begin - 14), words.begin)
    if found is None:
        return words
    side, span, stop = found["s"], words.span, words.stop
    if side in ("from", "after", "since"):
        if side == "from":
            onwards = _ONWARDS.match(low, stop)
            if onwards is None:
                return words
            stop = onwards.end()
        start = span.end if side == "after" else span.start
        return Words(found.start(), stop, span._replace(start=start, end=None, recurs=None, date=None))
    end = span.end if side in ("until", "till", "by") else span.start
    return Words(found.start(), stop, span._replace(start=None, end=end, recurs=None, date=None))


_SAME_DAY = re.compile(r",? (?:the )?")
_WITHIN = re.compile(r"(?:'s|,)? (?:(?:in|on|at|over|during|of) )?(?:the )?")


def _one_day(items: list[Words], low: str) -> list[Words]:
    """What was taken in by the next, and a weekday beside its own date, left out; a day within its week or year."""
    kept: list[Words] = []
    for words in items:
        while kept and words.begin <= kept[-1].begin:
            kept.pop()
        if kept and words.begin < kept[-1].stop:
            continue
        dated = words.span.date and words.span.date[2]
        if dated and kept and kept[-1].span.recurs == "week" and _SAME_DAY.fullmatch(low, kept[-1].stop, words.begin):
            words = Words(kept.pop().begin, words.stop, words.span)
        elif kept and _WITHIN.fullmatch(low, kept[-1].stop, words.begin):
            span = within(kept[-1].span, words.span) or within(words.span, kept[-1].span)
            if span:
                words = Words(kept.pop().begin, words.stop, span)
        kept.append(words)
    return kept


def _ranges(items: list[Words], low: str, now: datetime) -> Iterator[Words]:
    """Neighbours with ``to`` or ``between … and`` as one."""
    at = 0
    while at < len(items):
        one = items[at]
        at += 1
        if at < len(items):
            two = items[at]
            link = _TO.fullmatch(low, one.stop, two.begin)
            before = _BETWEEN.search(low, max(0, one.begin - 14), one.begin)
            if before:
                link = link or _AND.fullmatch(low, one.stop, two.begin)
            span = joined(one.span, two.span, now) if link else None
            if span:
                before = before or _FROM_TO.search(low, max(0, one.begin - 14), one.begin)
                yield Words(before.start() if before else one.begin, two.stop, span)
                at += 1
                continue
        yield one


def _found(m: re.Match[str], text: str, now: datetime) -> Words | None:
    """One period, with what stands before it: of the year before where it is to come in this one (late May)."""
    for moment in (now, now - 365 * ONE_DAY):
        span = READ[m.lastgroup or ""](m, text, moment)
        if span is None:
            return None
        if m.string.endswith((" year", " ago"), m.start(), m.end()):
            span = span._replace(relative=True)
        words = _widened(Words(m.start(), m.end(), span), m.string)
        start = words.span.start
        if not words.span.recurs or start is None or start <= now:
            return words
    return None


def english(text: str, low: str, now: datetime) -> list[Words]:
    """All periods in a text, in order; ``low`` is the same in lower case, character by character."""
    items: list[Words] = []
    for m in ATOM.finditer(low):
        try:
            words = _found(m, text, now)
        except (ValueError, OverflowError):
            continue
        if words:
            items.append(words)
    found: list[Words] = []
    for words in _ranges(_one_day(items, low), low, now):
        try:
            found.append(_opened(words, low))
        except (ValueError, OverflowError):
            found.append(words)
    return found
