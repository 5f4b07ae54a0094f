"""Dates, weekdays and times of day that a text names, as values that can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from jiyi import numbers
from jiyi.periods import Period, periods

_NOW = datetime(2015, 7, 14, 12, tzinfo=UTC)
"""A moment to read relative words against: only the distance from it is compared.  In the middle of week, month and
year, so that 下周 and 下个月 are different stretches."""

_YEAR = re.compile(r"(?:19|20)\d\d|年")

_DAY_CHARS = tuple("一二三四五六日天")
_WEEKDAYS = re.compile(
    r"(?:周|星期|礼拜)([一二三四五六日天末1-6](?![年月]))|\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(weekend)s?\b",
    re.ASCII,
)
_NAMES = {"mon": 0, "tues": 1, "wednes": 2, "thurs": 3, "fri": 4, "satur": 5, "sun": 6, "weekend": 7}

_EARLY = "凌晨|清晨|清早|早晨|早上|一早|上午|今早|明早|早"
_LATE = "下午|傍晚|晚上|晚间|夜里|今晚|明晚|昨晚|当晚|晚|pm"
_HOUR = r"[01]?\d|2[0-4]|二十[一二三四]?|十[一二三四五六七八九]?|[一二两三四五六七八九]"
_TIME = re.compile(
    rf"(?:(?P<part>{_EARLY}|{_LATE}|中午|半夜|深夜|午夜)\ ?)?(?<![\da-z.:第零一二三四五六七八九十百千])"
    rf"(?:(?P<h>{_HOUR})(?:点钟?|时(?=\d|[一二三四五六七八九十]+分|整))"
    r"(?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<min>[0-5]?\d|[二三四五]?十[一二三四五六七八九]?|零[一二三四五六七八九])分?)?"
    r"(?!\d|建议|意见|原因|要求|理由|好处|想法|问题|[儿都也]?不|左右脑|五?公|[零一二三四五六七八九])"
    r"|(?P<c>[01]?\d|2[0-3]):(?P<cm>[0-5]\d)(?::[0-5]\d)?(?!\d)(?:\ ?(?P<cap>[ap])(?:m\b|\.\ ?m\b\.?))?"
    r"|(?P<ah>1[0-2]|0?[1-9])(?:\.(?P<am>[0-5]\d))?\ ?(?P<ap>[ap])(?:m\b|\.\ ?m\b\.?))"
    r"|\b(?:(?P<past>half|quarter)\ (?P<rel>past|to)\ (?=\w+)|(?=\w+\ o'clock))"
    r"(?P<eh>1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b(?:\ o'clock)?"
    r"(?:\ (?:in\ the\ )?(?P<ep>morning|afternoon|evening|at\ night))?"
    r"|\bat\ (?P<word>noon|midnight)\b",
    re.ASCII,  # Han may stand on both sides
)


@dataclass(frozen=True, slots=True)
class Date:
    """A date, as a stretch from ``_NOW``'s reading.

    Attributes:
        start, end: the stretch [start, end).
        relative: counted from when it was said.
        yearless: any year's.
    """

    start: datetime
    end: datetime
    relative: bool
    yearless: bool

    @property
    def year(self) -> int | None:
        """Where it is a whole year."""
        whole = self.start.replace(year=self.start.year + 1) == self.end and self.start.timetuple().tm_yday == 1
        return self.start.year if whole and not (self.relative or self.yearless) else None

    def covers(self, other: Date) -> bool:
        """Whether whoever says the other date has also said this one: it is the same, or less exact."""
        if self.relative != other.relative or (other.yearless and not self.yearless):
            return False
        start, end = other.start, other.end
        if self.yearless and self.start.year != start.year:
            try:
                years = self.start.year - start.year
                start, end = start.replace(year=start.year + years), end.replace(year=end.year + years)
            except ValueError:
                return False
        return self.start <= start and end <= self.end


def dates(text: str) -> Iterator[tuple[Date, int, int]]:
    """The dates of a text and where they stand; weekdays without a week are left to ``weekdays``."""
    for period in periods(text, _NOW):
        if period.recurs == "week":
            continue
        if text[period.stop - 1] in "周期拜" and text[period.stop : period.stop + 1] in _DAY_CHARS:  # 下周三到
            inner = periods(text[period.begin : period.stop + 1], _NOW)
            if len(inner) == 1 and len(inner[0].quote) == len(period.quote) + 1:
                yield from _dated(inner[0], period.begin, period.stop + 1)
                continue
        yield from _dated(period, period.begin, period.stop)


def _dated(period: Period, begin: int, stop: int) -> Iterator[tuple[Date, int, int]]:
    named = _closed(period)
    if named is not None and named.start and named.end and named.recurs != "week":
        any_year = named.recurs == "year" or not (period.relative or _YEAR.search(period.quote))
        yield Date(named.start, named.end, period.relative, any_year), begin, stop


def _closed(period: Period) -> Period | None:
    """The period itself, and of "before May" or 四月底前 the one that is named."""
    said = period.quote
    if period.start and period.end:
        return period
    shorter = (said.partition(" ")[2], said[:-1], said[:-2], said[1:], said[2:])
    found = (periods(part, _NOW) for part in shorter)
    return next((inner[0] for inner in found if len(inner) == 1 and inner[0].start and inner[0].end), None)


def weekdays(text: str) -> Iterator[tuple[int, int, int]]:
    """Weekdays, 0 for Monday, 7 for the weekend, and where they stand, of a text in small letters."""
    for found in _WEEKDAYS.finditer(text):
        char = found[1]
        day = _NAMES[found[2] or found[3]] if not char else "一二三四五六日末".find(char.replace("天", "日"))
        yield (int(char) - 1 if day < 0 else day), found.start(), found.end()


def times(text: str) -> Iterator[tuple[frozenset[int], int, int]]:
    """Times of day and where they stand: the minutes since midnight that may be meant, of a text in small letters."""
    for found in _TIME.finditer(text):
        if found["h"] == "一" and not (found["part"] or found["half"] or found["min"] or "钟" in found[0]):
            continue  # 一点: a little
        yield frozenset(_minutes(found)), found.start(), found.end()


def _minutes(found: re.Match[str]) -> Iterator[int]:
    if word := found["word"]:
        yield 720 if word == "noon" else 0
        return
    hour, minute = _clock(found)
    late = _late(found)
    base = hour * 60 + minute
    if late is None:
        yield base % 1440
        if 0 < hour <= 12 and not (found["c"] and len(found["c"]) == 2 and hour < 10):
            yield (base + 720) % 1440
    elif hour > 12:
        yield base % 1440
    else:
        yield (hour % 12 * 60 + minute + 720 * late) % 1440


def _clock(found: re.Match[str]) -> tuple[int, int]:
    hour = _number(found["h"] or found["c"] or found["ah"] or found["eh"])
    if found["half"]:
        return hour, 30
    if found["quarter"]:
        return hour, 15 if found["quarter"] == "一" else 45
    if found["past"]:
        minutes = 30 if found["past"] == "half" else 15
        return (hour, minutes) if found["rel"] == "past" else ((hour - 1) % 12, 60 - minutes)
    return hour, _number(found["min"] or found["cm"] or found["am"] or "0")


def _late(found: re.Match[str]) -> int | None:
    """1 after noon, 0 before, None where it is not said."""
    if half := found["ap"] or found["cap"]:
        return int(half == "p")
    if part := found["ep"]:
        return int(part != "morning")
    match found["part"]:
        case None:
            return None
        case "中午":
            return int(_clock(found)[0] not in (10, 11))
        case "半夜" | "深夜" | "午夜":
            return int(6 <= _clock(found)[0] < 12)
        case part if re.fullmatch(_EARLY, part):
            return 0
        case "晚上" | "夜里" | "晚" if _clock(found)[0] == 12:
            return 0
        case _:
            return 1


def _number(text: str) -> int:
    if text.isdecimal():
        return int(text)
    if text.isascii():
        return int(numbers.english(text))
    return int(next(numbers.han(text.lstrip("零") or "零")))
