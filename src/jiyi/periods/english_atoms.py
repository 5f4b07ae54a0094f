"""What an English date, ``last week`` or ``two weeks ago`` means by itself.

A word that is often something else (``may``, ``march``, ``spring``, ``2022``) counts only beside words that make it a
date.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from jiyi.periods.english_words import FEASTS, MONTH, MONTHS, PARTS, SEASONS, counted, month_of, unit_of, weekday_of
from jiyi.periods.feasts import feast
from jiyi.periods.spans import (
    ONE_DAY,
    Span,
    a_date,
    a_day,
    a_month,
    a_season,
    a_week,
    a_weekend,
    a_year,
    ago,
    day_part,
    joined,
    latest,
    months,
    window,
)

# what makes a date of a word that is often something else
_SURE = re.compile(
    r"\b(?:in|since|until|till|during|early|mid|late|back in|between"
    r"|(?:end|beginning|start|middle|half|week|weekend|day) (?:of|in))[ -](?:the )?$"
)
_DAY_CUE = re.compile(r"\b(?:on|since|until|till|by|before|after|of|for)(?: the)? $")
_HABIT = re.compile(r"\b(?:every|each|any|most|all|per|some|good|black|cyber|ash|super|fat|palm|to|through|freaky) $")
_COUNTED = re.compile(r" +[a-z]+(?<!was)(?<!is)(?<!has)(?<!does)(?<!us)(?<!this)(?<!as)s\b")
_VERB = re.compile(r" (?:i|we|you|he|she|it|they|be|have|not|also|well|or may)\b")
_SUBJECT = re.compile(r"\b(?:i|we|you|he|she|it|they|who) $")
_PEOPLE = re.compile(r" (?:people|persons|guests|friends|kids|more|times|of us|of them|or \d)\b")
_NAMES = ("apr", "may", "jun", "aug")


def _is_proper(text: str, begin: int) -> bool:
    return text[begin].isupper() and not text[begin + 1 : begin + 2].isupper()


def _year(word: str | None, now: datetime) -> int | None:
    """A year in digits, or counted from this one: ``last year``, ``two years ago``."""
    if not word or word.isdigit():
        return int(word) if word else None
    first = word.partition(" ")[0]
    if first in ("last", "this", "next"):
        return now.year + ("last", "this", "next").index(first) - 1
    return now.year - int(counted(first)[0])


def _day_range(year: int | None, month: int, days: tuple[str, str | None], now: datetime) -> Span | None:
    span = a_date(year, month, int(days[0]), now)
    if span is None or not days[1]:
        return span
    last = a_date(year, month, int(days[1]), now)
    return last and joined(span, last, now)


def _iso(m: re.Match[str], text: str, now: datetime) -> Span | None:
    if m["sep"] == "-" and m["id"] is None and len(m["im"]) < 2:
        return None
    return a_date(int(m["iy"]), int(m["im"]), int(m["id"]) if m["id"] else None, now)


def _num(m: re.Match[str], text: str, now: datetime) -> Span | None:
    """8.5.2023 has the day first; 5/8/2023 is read only where one of the numbers cannot be a month."""
    day, month = int(m["n1"]), int(m["n2"])
    if m["nsep"] == "/" and day != month:
        if day <= 12 and month <= 12:
            return None
        if month > 12:
            day, month = month, day
    return a_date(int(m["ny"]), month, day, now)


def _dmy(m: re.Match[str], text: str, now: datetime) -> Span | None:
    name = m["dm"][:3]
    sure = m["do"] or m["df"] or m["dy"] or _is_proper(text, m.start("dm"))
    if name in ("may", "mar") and not sure:
        return None
    return _day_range(_year(m["dy"], now), month_of(name), (m["dd"], m["de"]), now)


def _mdy(m: re.Match[str], text: str, now: datetime) -> Span | None:
    name = m["mm"][:3]
    sure = m["mo"] or m["my"] or _DAY_CUE.search(m.string, max(0, m.start() - 12), m.start())
    if name in ("may", "mar") and not sure and not _is_proper(text, m.start()):
        return None
    if not m["mo"] and not m["my"] and _PEOPLE.match(m.string, m.end()):
        return None
    return _day_range(_year(m["my"], now), month_of(name), (m["md"], m["me"]), now)


def _month(m: re.Match[str], text: str, now: datetime) -> Span | None:
    """A month alone: ``may`` and first names need a word before them, and short forms too."""
    word, year = m["lm"].rstrip("."), _year(m["ly"], now)
    if word == "may" and _SUBJECT.search(m.string, max(0, m.start() - 6), m.start()):
        return None
    if year is None:
        before = max(0, m.start() - 14)
        sure = _SURE.search(m.string, before, m.start()) or m.string.endswith(("of ", "in "), before, m.start())
        proper = _is_proper(text, m.start())
        if word in ("may", "march") or word[:3] in _NAMES:
            if not sure and not (proper and _between_months(m, before)):
                return None
            if word in ("may", "march") and not proper and _VERB.match(m.string, m.end()):
                return None
        elif len(word) < 5 and word != "july" and not (proper and sure):
            return None
    return a_date(year, month_of(word), None, now)


_NEAR_MONTH = re.compile(
    rf"\b(?:{MONTH}(?: (?:19|20)\d\d)?(?: (?:to|through|until) | ?[-–] ?)"
    rf"|(?:in|since|during|of|between|early|late) {MONTH}(?: (?:19|20)\d\d)?(?: (?:and|or) |, ))$"
)
_NEXT_MONTH = re.compile(
    rf"(?: (?:to|through|until) | ?[-–] ?){MONTH}"
    r"|(?: (?:and|or) |, )(?:january|february|july|september|october|november|december)\b"
)
_LIMIT = re.compile(r"\b(?:before|after|by) $")


def _between_months(m: re.Match[str], before: int) -> bool:
    """Whether another month stands beside this one, or a limit in time before it."""
    return bool(
        _NEAR_MONTH.search(m.string, max(0, m.start() - 34), m.start())
        or _NEXT_MONTH.match(m.string, m.end())
        or (m["lm"] in ("may", "march") and _LIMIT.search(m.string, before, m.start()))
    )


def _quarter(m: re.Match[str], text: str, now: datetime) -> Span | None:
    year = _year(m["qy0"] or m["qy"], now)
    word = m["qw"]
    number = (
        int(m["qn"]) if m["qn"] else ("first", "second", "third", "fourth").index(word) + 1 if word != "last" else 4
    )
    if m[0] == "last quarter":
        return _of_unit("quarter", -1, now)
    if year is None:
        if word or not _SURE.search(m.string, max(0, m.start() - 12), m.start()):
            return None
        return latest(lambda y: months(y, 3 * number - 2, 3), now)
    return months(year, 3 * number - 2, 3)


_DURING = re.compile(r"\b(?:in|during|over|since|throughout|through) the $|\b(?:during|since) $")


def _season(m: re.Match[str], text: str, now: datetime) -> Span | None:
    year, number = _year(m["sy"], now), SEASONS[m["sn"]]
    if year is not None:
        return a_season(year, number)
    if not _DURING.search(m.string, max(0, m.start() - 16), m.start()):
        return None
    if m.string.startswith((" of", " in", " break", " water", " asleep"), m.end()):
        return None
    return latest(lambda y: a_season(y, number), now)


_RANGE_YEAR = re.compile(r"\b(?:from|between) (?:19|20)\d\d (?:to|and|through|until) $")
_TO_YEAR = re.compile(r" (?:to|and|through|until) (?:19|20)\d\d\b")
_FROM = re.compile(r"\b(?:from|between) $")
_YEAR_CUE = re.compile(
    r"\b(?:in|since|until|till|during|throughout|before|after|by|year|back in|around|early|mid|late|(?:end|beginning"
    r"|start|middle|half|rest) of|christmas|thanksgiving)[ -]$"
)


def _a_year(m: re.Match[str], text: str, now: datetime) -> Span | None:
    """Four digits are a year after a word that says so, and where nothing is counted in them."""
    before = max(0, m.start() - 26)
    whole = _YEAR_CUE.search(m.string, before, m.start()) or _RANGE_YEAR.search(m.string, before, m.start())
    if not whole and not (_FROM.search(m.string, before, m.start()) and _TO_YEAR.match(m.string, m.end())):
        return None
    return None if _COUNTED.match(m.string, m.end()) else a_year(int(m["year"]))._replace(date=None)


def _ago(m: re.Match[str], text: str, now: datetime) -> Span | None:
    unit, times = unit_of(m["au"])
    more = 0.5 if m["ah"] or m["ah2"] else 0.0
    most, least = counted(m["ac"])
    sign = -1 if m["aw"] == "from now" else 1
    return ago(now, (sign * times * (most + more), sign * times * (least + more)), unit)


def _past(m: re.Match[str], text: str, now: datetime) -> Span | None:
    unit, times = unit_of(m["pu"] or "quarter")
    if m["pc"] is None and unit in ("day", "hour"):
        return None  # "the last day" of something
    return window(now, times * counted(m["pc"])[0], unit)


def _next(m: re.Match[str], text: str, now: datetime) -> Span | None:
    unit, times = unit_of(m["nu"])
    return window(now, -times * counted(m["nc"])[0], unit)


def _of_unit(word: str, number: int, now: datetime) -> Span | None:
    """The calendar's week, month, … so many after this one."""
    if word == "week":
        return a_week(now, number, relative=True)
    if word == "weekend":
        return a_weekend(now, number, relative=True)
    if word == "month":
        return a_month(now.year, now.month + number, relative=True)
    if word == "quarter":
        return months(now.year, now.month - (now.month - 1) % 3 + 3 * number, 3)._replace(relative=True)
    return a_year(now.year + number, relative=True)


def _skip(m: re.Match[str], text: str, now: datetime) -> Span | None:
    sign = -1 if m["sw"] in ("before last", "before yesterday") else 1
    if (m["su"] == "day") != (m["sw"] in ("before yesterday", "after tomorrow")):
        return None
    if m["su"] == "day":
        return _on_day(now + timedelta(days=2 * sign), m["sp"])
    return _of_unit(m["su"], 2 * sign, now)


def _on_day(day: datetime, part: str | None) -> Span:
    return day_part(day, PARTS[part], relative=True) if part else a_day(day, relative=True)


def _which(m: re.Match[str], text: str, now: datetime) -> Span | None:
    """``last``, ``this`` and ``next`` something."""
    which, word, part = m["ww"], m["wn"], m["wp"]
    number = {"last": -1, "this past": -1, "this": 0}.get(which, 1)
    if (m["wt"] and (which.startswith("this") or word in PARTS)) or (part and not word.endswith("day")):
        return None  # "the last evening" of something
    if word in PARTS:
        return _which_part(word, which, now)
    if word.endswith("day"):
        return _which_weekday(weekday_of(word), number, which, part, now)
    if word in ("week", "weekend", "month", "year", "quarter"):
        if m["wt"] and which == "last":
            return None if word in ("weekend", "quarter") else window(now, 1, unit_of(word)[0])
        return _of_unit(word, number, now)
    if word in SEASONS:
        return _nth_year(lambda y: a_season(y, SEASONS[word]), number, now)
    if word[:3] in MONTHS:
        return _which_month(m, text, number, now)
    return _nth_year(lambda y: _feast_of(word, y, now), number, now)


def _which_part(word: str, which: str, now: datetime) -> Span | None:
    if which == "last" and word in ("night", "evening"):
        return day_part(now - ONE_DAY, PARTS[word], relative=True)
    return day_part(now, PARTS[word], relative=True) if which == "this" else None


def _which_month(m: re.Match[str], text: str, number: int, now: datetime) -> Span | None:
    """``this may`` is rarely a month, and ``last mar`` neither."""
    word = m["wn"].rstrip(".")
    if word in ("may", "march"):
        doubtful = number == 0 and not _is_proper(text, m.start("wn"))
        if doubtful or _VERB.match(m.string, m.end()):
            return None
    elif len(word) < 4 and not _is_proper(text, m.start("wn")):
        return None
    return _nth_year(lambda y: a_month(y, month_of(word)), number, now)


def _feast_of(word: str, year: int, now: datetime) -> Span:
    span = feast(FEASTS[word], now, year)
    if span is None:
        raise ValueError("no such feast")
    return span


def _which_weekday(weekday: int, number: int, which: str, part: str | None, now: datetime) -> Span:
    today = now.weekday()
    if number < 0:
        days = -((today - weekday) % 7 or 7)
    elif which == "this coming":
        days = (weekday - today) % 7 or 7
    else:
        days = weekday - today + 7 * number
    return _on_day(now + timedelta(days=days), part)


def _nth_year(of: Callable[[int], Span], number: int, now: datetime) -> Span | None:
    """The last one that is over, the one of this year, or the next to begin."""
    if number == 0:
        return of(now.year)._replace(relative=True)
    years = range(now.year + 1, now.year - 3, -1) if number < 0 else range(now.year - 1, now.year + 3)
    for year in years:
        span = of(year)
        assert span.start is not None and span.end is not None
        if (span.end <= now) if number < 0 else (span.start > now):
            return span._replace(relative=True)
    return None


def _named(m: re.Match[str], text: str, now: datetime) -> Span | None:
    word = m["nn"]
    if word == "tonight":
        return day_part(now, PARTS["night"], relative=True) if not m["np"] else None
    return _on_day(now + timedelta(days=("yesterday", "today", "tomorrow").index(word) - 1), m["np"])


def _weekday(m: re.Match[str], text: str, now: datetime) -> Span | None:
    """A weekday alone is the last one before today, as one that comes every week."""
    before = max(0, m.start() - 12)
    if m.string.startswith((" to ", " through ", " and ", "-", "–", " or "), m.end()):
        return None
    if _HABIT.search(m.string, before, m.start()) or m.string.startswith((" addams", " night football"), m.end()):
        return None
    if not (m["wdp"] or _DAY_CUE.search(m.string, before, m.start())):
        return None
    return _which_weekday(weekday_of(m["wdn"]), -1, "last", m["wdp"], now)._replace(relative=False, recurs="week")


def _weekend(m: re.Match[str], text: str, now: datetime) -> Span | None:
    return a_weekend(now, 0 if now.weekday() > 4 else -1)._replace(recurs="week")


def _feast(m: re.Match[str], text: str, now: datetime) -> Span | None:
    return feast(FEASTS[m["fn"]], now, _year(m["fy"], now))


def _recent(m: re.Match[str], text: str, now: datetime) -> Span | None:
    return (
        window(now, 1, "month") if m["recent"] != "the other day" else window(now, 10, "day")._replace(precision="week")
    )


READ: dict[str, Callable[[re.Match[str], str, datetime], Span | None]] = {
    "iso": _iso,
    "num": _num,
    "dmy": _dmy,
    "mdy": _mdy,
    "month": _month,
    "quarter": _quarter,
    "season": _season,
    "year": _a_year,
    "ago": _ago,
    "past": _past,
    "next": _next,
    "skip": _skip,
    "which": _which,
    "named": _named,
    "weekday": _weekday,
    "weekend": _weekend,
    "feast": _feast,
    "recent": _recent,
}
