"""Periods that only a text about what is to come means: "in three days", 两周后, "on the 20th".

They are apart from the others because the same words tell of the past in a story ("three days later"), and whether a
text looks ahead, only its reader knows.
"""

from __future__ import annotations

import re
from datetime import datetime

from jiyi.errors import InvalidInput
from jiyi.periods import chinese_words, english_words
from jiyi.periods.reading import Period, plain
from jiyi.periods.spans import Span, a_day, ago

_IN = re.compile(
    rf"\b(?:in|within) (?:(?:about|exactly|another) )?(?P<c>{english_words.COUNT}) (?P<u>{english_words.UNIT})"
    r"(?:' time|'s time)?(?=$|[\s,.;:!)])(?! (?:ago|later|before|or|old|long|straight|in a row))",
    re.ASCII,
)
_ON_THE = re.compile(
    r"\b(?:on|by|until|before|from) the (?P<d>3[01]|[12]?\d)(?:st|nd|rd|th)\b"
    r"(?! (?:of|floor|row|page|century|street|avenue|time|place|day|week|birthday|grade))"
)
_AFTER = re.compile(
    r"(?P<more>再过)?(?<![第\d.几数零一二三四五六七八九十百千万])"
    rf"(?P<c>{chinese_words.COUNT})\ ?(?P<u>{chinese_words.UNIT})"
    r"(?:(?:之|以)?后(?![来面悔])|(?(more)(?=[^多]|$)|(?!)))"
)
_THE_DAY = re.compile(
    r"(?<![\d.月第每个至到~-])(?P<d>3[01]|[12]?\d)[号日](?=之?前|以前|要|得|会|去|上午|下午|早上|晚上|中午|到|交|坐|开|截止|来|在|我)"
)


def coming(text: str, now: datetime) -> tuple[Period, ...]:
    """The periods after ``now`` that a text about the future names beside those of ``periods``, in order.

    Never fails on any text.  Takes time in proportion to its length.

    Raises:
        InvalidInput: ``now`` has no time zone.
    """
    if now.tzinfo is None:
        raise InvalidInput("now", "has no time zone; days begin at midnight somewhere, so give one, such as UTC")
    low, local = plain(text), now.replace(tzinfo=None)
    found: list[Period] = []
    for pattern in (_IN, _ON_THE, _AFTER, _THE_DAY):
        for words in pattern.finditer(low):
            try:
                span = _day_of_month(int(words["d"]), local) if "d" in words.re.groupindex else _later(words, local)
            except (ValueError, OverflowError):
                continue
            if span and span.start and span.end:
                begin, stop = words.span()
                start, end = span.start.replace(tzinfo=now.tzinfo), span.end.replace(tzinfo=now.tzinfo)
                found.append(Period(start, end, begin, stop, text[begin:stop], span.precision, True, None))
    return tuple(sorted(found, key=lambda period: period.begin))


def _later(words: re.Match[str], now: datetime) -> Span | None:
    of = english_words if words.re is _IN else chinese_words
    unit, times = of.unit_of(words["u"])
    most, least = of.counted(words["c"])
    return ago(now, (-times * least, -times * most), unit) if most == least else None


def _day_of_month(day: int, now: datetime) -> Span:
    """The next day with this number, today counted in."""
    month = now.year * 12 + now.month - 1 + (day < now.day)
    return a_day(now.replace(year=month // 12, month=month % 12 + 1, day=day), relative=True)
