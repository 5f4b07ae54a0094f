"""Periods in Chinese words; traditional characters and full-width digits were made plain before.

An expression finds what can stand alone; what stands behind it (初, 前两周, 以前, 到) is read from its end on.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from jiyi.periods.chinese_atoms import READ
from jiyi.periods.chinese_words import (
    ATOM,
    COUNT,
    LONG_PART,
    PARTS,
    UNIT,
    WEEK,
    counted,
    number_of,
    unit_of,
    weekday_of,
)
from jiyi.periods.spans import (
    ONE_DAY,
    Precision,
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
    within,
)

# -- what stands behind and between ----------------------------------------------------------------------------------

_THIRD = re.compile(
    "的?(?:(?P<year>年)|月)?(?:(?P<early>初(?![中级恋步一二三])|上旬)|(?P<mid>中旬|中(?![国文午秋医学考途心间餐级介期外等华]))"
    "|(?P<late>下旬|底(?![下层部板])|末))"
)
_HALF = re.compile("的?(?:(?P<first>[前上])|[后下])半(?:个?月|年)")
_NTH = re.compile(f"的?(?:第(?P<n>[一二三四1-4])|(?P<l>最后)一?)个?(?:(?P<we>周末)|{WEEK}(?P<wd>[一二三四五六日天])?)")
_ITS_WEEK = re.compile(f"的?(?:那|当|这|所在的?那?)一?个?{WEEK}(?![一二三四五六日天末])")
_PART = re.compile(f"(?:的|那天|当天|那日|当日)?(?P<p>{LONG_PART}|[早晚](?![饭餐点安班会期市场年到退]))")
_AROUND = re.compile("前后|左右|前夕")
_ADJOINING = re.compile(rf"的?(?:之|以)?(?P<s>[前后])的?(?P<c>{COUNT})\ ?(?P<u>{UNIT})(?![前后])")
_BESIDE = re.compile(rf"的?(?P<c>{COUNT})\ ?(?P<u>{UNIT})(?:之|以)?(?P<s>[前后])(?![面几])")
_OPEN = re.compile(
    "(?P<before>之前|以前|前(?![后面往台夕半]))|(?P<after>之后|以后|后(?![来面悔天期台者续半]))|(?P<since>以来|至今|到现在|起(?!来))"
    "|(?P<begun>开始)|(?P<until>为止)"
)
_FROM = re.compile("(?:自从|自|从)$")
_SINCE = re.compile("自从$")
_UP_TO = re.compile("(?:截至|截止到?|直?到)$")
_LINK = re.compile(r"的? ?(?:到|至|[-~—]) ?")
_AND = re.compile("[和与跟]")
_SLACK: dict[Precision, int] = {"part": 1, "day": 3, "week": 4, "month": 10, "season": 20, "year": 60}


def _follows(m: re.Match[str], span: Span) -> Span | None:
    unit, times = unit_of(m["u"])
    most, least = counted(m["c"])
    side = -1 if m["s"] == "前" else 1
    if m.re is _ADJOINING:
        return adjoining(span, times * most, unit, side)
    return beside(span, (times * most, times * least), unit, side) if span.precision == "day" else None


def _of_third(m: re.Match[str], span: Span) -> Span | None:
    if m["year"] and span.precision != "year":
        return None
    return third(span, 0 if m["early"] else 1 if m["mid"] else 2)


def _half(m: re.Match[str], span: Span) -> Span | None:
    return half(span, 0 if m["first"] else 1)


def _nth(m: re.Match[str], span: Span) -> Span | None:
    nth = -1 if m["l"] else number_of(m["n"]) - 1
    if m["we"]:
        return nth_weekday(span, nth, 5, 2)
    return nth_weekday(span, nth, weekday_of(m["wd"])) if m["wd"] else nth_week(span, nth)


def _its_week(m: re.Match[str], span: Span) -> Span | None:
    if span.precision != "day" or span.start is None:
        return None
    return a_week(span.start)._replace(relative=span.relative, recurs=span.recurs)


def _its_part(m: re.Match[str], span: Span) -> Span | None:
    if span.precision != "day" or span.start is None or span.end != span.start + ONE_DAY:
        return None
    return day_part(span.start, PARTS[m["p"]])._replace(relative=span.relative, recurs=span.recurs)


def _around(m: re.Match[str], span: Span) -> Span | None:
    if m[0] == "前夕":
        return adjoining(span, 1, "week", -1)
    if span.start is None or span.end is None:
        return None
    slack = timedelta(days=_SLACK[span.precision])
    return span._replace(start=span.start - slack, end=span.end + slack, date=None)


_STEPS = (
    (_THIRD, _of_third),
    (_HALF, _half),
    (_NTH, _nth),
    (_ITS_WEEK, _its_week),
    (_PART, _its_part),
    (_AROUND, _around),
    (_ADJOINING, _follows),
    (_BESIDE, _follows),
)


def _widened(words: Words, low: str) -> Words:
    """A span with what stands behind it taken in, as long as it changes anything."""
    for _ in range(3):
        for pattern, read in _STEPS:
            found = pattern.match(low, words.stop)
            span = found and read(found, words.span)
            if found and span:
                words = Words(words.begin, found.end(), span)
                break
        else:
            return words
    return words


def _opened(words: Words, low: str) -> Words:
    """以前, 以后, 以来 and their like leave one side open."""
    found = _OPEN.match(low, words.stop)
    if found is None:
        since = _SINCE.search(low, max(0, words.begin - 2), words.begin)
        if since is None:
            return words
        return Words(since.start(), words.stop, words.span._replace(end=None, recurs=None, date=None))
    span, begin, kind = words.span, words.begin, found.lastgroup
    start, end = span.start, span.end
    before = _FROM.search(low, max(0, begin - 2), begin)
    if kind == "begun" and before is None:
        return words
    if kind == "until":
        before = _UP_TO.search(low, max(0, begin - 3), begin)
        if before is None:
            return words
    if kind in ("before", "until"):
        start, end = None, start if kind == "before" else end
    else:
        start, end = end if kind == "after" else start, None
    begin = before.start() if before else begin
    return Words(begin, found.end(), span._replace(start=start, end=end, recurs=None, date=None))


def _link(one: Words, two: Words, low: str) -> bool:
    if _LINK.fullmatch(low, one.stop, two.begin):
        return True
    return bool(_AND.fullmatch(low, one.stop, two.begin)) and low.startswith(("之间", "间"), two.stop)


def _together(one: Words, two: Words, low: str, now: datetime) -> Span | None:
    """Two neighbours as one: a range, or the weekday of a week (上周的周三)."""
    if _link(one, two, low):
        return joined(one.span, two.span, now)
    return within(one.span, two.span) if low[one.stop : two.begin] in ("", "的") else None


def _found(m: re.Match[str], now: datetime) -> Words | None:
    """One period, with what stands behind it: of the year before where it is to come in this one (5月底)."""
    stop = m.start() + len(m[0].rstrip(" 的"))
    for moment in (now, now - 365 * ONE_DAY):
        span = READ[m.lastgroup or ""](m, moment)
        if span is None or m.lastgroup in ("ago", "past", "recent"):
            return span and Words(m.start(), stop, span)
        words = _widened(Words(m.start(), stop, span), m.string)
        start = words.span.start
        if not words.span.recurs or start is None or start <= now:
            return _opened(words, m.string)
    return None


def chinese(low: str, now: datetime) -> list[Words]:
    """All periods in a text of plain digits and simplified characters, in order."""
    items: list[Words] = []
    for m in ATOM.finditer(low):
        last = items[-1] if items else None
        if last and (m.start() < last.stop or (m.lastgroup == "bare" and last.span.date and m.start() < last.stop + 2)):
            continue  # taken in by the last one, or the weekday of its date
        try:
            words = _found(m, now)
            if words is None:
                continue
            span = last and _together(last, words, low, now)
        except (ValueError, OverflowError):
            continue
        if last and span:
            words = Words(items.pop().begin, words.stop, span)
        items.append(words)
    return items
