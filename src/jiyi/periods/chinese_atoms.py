"""What a Chinese date, 上周 or 三天前 means by itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from jiyi.periods.chinese_words import (
    DAYS,
    FEASTS,
    PARTS,
    SEASONS,
    VALUE,
    WITH_YEAR,
    YEARS,
    counted,
    number_of,
    unit_of,
    weekday_of,
)
from jiyi.periods.feasts import feast
from jiyi.periods.spans import (
    ONE_DAY,
    Span,
    a_date,
    a_day,
    a_month,
    a_season,
    a_week,
    a_weekday,
    a_weekend,
    a_year,
    ago,
    day_part,
    joined,
    latest,
    months,
    third,
    window,
)


def _year(m: re.Match[str], now: datetime) -> int | None:
    if m["ry"]:
        return now.year + YEARS[m["ry"]]
    if m["yn"]:
        return now.year - number_of(m["yn"])
    word = m["y"]
    if not word:
        return None
    if not word.isdecimal() or not word.isascii():
        word = "".join(str(VALUE[char]) for char in word)
    return int(word) if len(word) == 4 else 2000 + int(word)


def _marked(span: Span | None, m: re.Match[str]) -> Span | None:
    """A span as relative where its year was (去年)."""
    return span and span._replace(relative=bool(m["ry"] or m["yn"]))


def _iso(m: re.Match[str], now: datetime) -> Span | None:
    return a_date(int(m["iy"]), int(m["im"]), int(m["id"]), now)


def _date(m: re.Match[str], now: datetime) -> Span | None:
    """A month or a day, a range of either; 三月前 may be three months ago as well and says nothing."""
    year, month = _year(m, now), number_of(m["m"])
    other = m["m0"] or m["m1"]
    bare = year is None and not other and not m["d"]
    if bare and not m["m"].isdecimal() and _EITHER.match(m.string, m.end()):
        return None
    if not m["d"] and _NO_DAY.match(m.string, m.end()):
        return None
    if not m["d"]:
        span = a_date(year, month, None, now)
        return _marked(_up_to(a_date(year, number_of(other), None, now), span, now) if other else span, m)
    span = a_date(year, month, number_of(m["d"]), now)
    if m["d0"]:
        span = _up_to(a_date(year, month, number_of(m["d0"]), now), span, now)
    elif m["d1"]:
        span = _up_to(span, a_date(year, month, number_of(m["d1"]), now), now)
    elif other:
        return None
    return _marked(span, m)


_NO_DAY = re.compile(r"\d{2} ?[日号]")  # 5月32日
_EITHER = re.compile("[前后](?![来面天])|.次|[三五十廿]")


def _up_to(first: Span | None, last: Span | None, now: datetime) -> Span | None:
    if first is None or last is None or last.date is None:
        return None
    return joined(first, last._replace(date=(None, *last.date[1:])), now)


_NAME = re.compile("[李王张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董程曹袁邓许沈曾彭吕苏卢蒋蔡贾丁魏叶]$")


def _feast(m: re.Match[str], now: datetime) -> Span | None:
    year, word = _year(m, now), m["f"]
    if word in WITH_YEAR and year is None:
        return None
    if year is None and word in ("国庆", "元旦", "中秋") and _NAME.search(m.string, max(0, m.start() - 1), m.start()):
        return None
    return _marked(feast((FEASTS | WITH_YEAR)[word], now, year), m)


def _yearly(m: re.Match[str], now: datetime) -> Span | None:
    """Halves, quarters, school holidays and seasons, of a year that is named; a bare 夏天 is no date."""
    year = _year(m, now)

    def of(year: int) -> Span:
        if m["half"]:
            return months(year, 1 if m["half"] == "上" else 7, 6)
        if m["q"] or m["q1"]:
            return months(year, 3 * number_of(m["q"] or m["q1"]) - 2, 3)
        if m["vac"]:
            return months(year, 7 if m["vac"] == "暑假" else 1, 2)
        return a_season(year, SEASONS[m["s"]])

    if year is not None:
        return _marked(of(year), m)
    if m["half"]:
        return of(now.year)._replace(relative=True)
    return latest(of, now) if m["q"] or m["vac"] else None


def _years(m: re.Match[str], now: datetime) -> Span | None:
    return joined(a_year(int(m["ya"])), a_year(int(m["yb"])), now)


def _a_year(m: re.Match[str], now: datetime) -> Span | None:
    year = _year(m, now)
    if year is None:
        return None
    return _marked(a_day(now.replace(year=year)) if m["today"] else a_year(year), m)


def _far(word: str) -> int:
    return {"上上": -2, "上": -1, "下": 1, "下下": 2}.get(word, 0)


def _month(m: re.Match[str], now: datetime) -> Span | None:
    span = a_month(now.year, now.month + _far(m["rm"]), relative=True)
    if not m["rd"] or span.start is None:
        return span
    return a_day(span.start.replace(day=number_of(m["rd"])), relative=True)


def _week(m: re.Match[str], now: datetime) -> Span | None:
    weeks = _far(m["rw"])
    if m["we"]:
        return a_weekend(now, weeks, relative=True)
    if not m["wd"]:
        return a_week(now, weeks, relative=True)
    span = a_weekday(now, weekday_of(m["wd"]), weeks, relative=True)
    return joined(span, a_weekday(now, weekday_of(m["wd2"]), weeks, relative=True), now) if m["wd2"] else span


def _bare(m: re.Match[str], now: datetime) -> Span | None:
    """A weekday alone is the last one before today, as one that comes every week."""
    back = (now.weekday() - weekday_of(m["b0"] or m["b1"])) % 7 or 7
    return a_day(now - back * ONE_DAY)._replace(recurs="week")


def _weekend(m: re.Match[str], now: datetime) -> Span | None:
    return a_weekend(now, 0 if now.weekday() > 4 else -1)._replace(recurs="week")


def _ago(m: re.Match[str], now: datetime) -> Span | None:
    unit, times = unit_of(m["u"])
    most, least = counted(m["c"])
    more = 0.5 if m["ch"] or m["more"] else 0.0
    return ago(now, (times * (most + more), times * (least + more)), unit)


def _past(m: re.Match[str], now: datetime) -> Span | None:
    if m["while"]:
        return window(now, 2, "month")
    unit, times = unit_of(m["pu"])
    most, least = counted(m["pc"])
    vague = m["pc"] in ("几", "两")
    if m["pw"] == "近" and unit == "hour":
        return None  # nearly so long
    if m["pw"] == "前":
        if not vague or unit == "hour" or (unit == "month" and m["pc"] == "两"):
            return None
        return ago(now, (most + (m["pc"] == "两"), max(1.0, least - 1)), unit)
    return None if m["pw"] == "这" and not vague else window(now, times * most, unit)


def _day(m: re.Match[str], now: datetime) -> Span | None:
    day = now + DAYS[m["dd"]] * ONE_DAY
    return day_part(day, PARTS[m["dp"]], relative=True) if m["dp"] else a_day(day, relative=True)


def _eve(m: re.Match[str], now: datetime) -> Span | None:
    day = now + DAYS[m["ed"]] * ONE_DAY
    return a_day(day, relative=True) if m["ep"] == "儿" else day_part(day, PARTS[m["ep"]], relative=True)


def _recent(m: re.Match[str], now: datetime) -> Span | None:
    return window(now, 1, "month")


def _edge(m: re.Match[str], now: datetime) -> Span | None:
    """年底 and 月初 of the latest year or month in which they have begun."""
    which = 0 if m["ee"] == "初" else 2
    spans = (
        [a_year(now.year), a_year(now.year - 1)]
        if m["eu"] == "年"
        else [a_month(now.year, now.month - k) for k in (0, 1)]
    )
    parts = [part for span in spans if (part := third(span, which)) and part.start and part.start <= now]
    return parts[0]._replace(recurs="year" if m["eu"] == "年" else "month") if parts else None


READ: dict[str, Callable[[re.Match[str], datetime], Span | None]] = {
    "iso": _iso,
    "date": _date,
    "feast": _feast,
    "yearly": _yearly,
    "years": _years,
    "year": _a_year,
    "month": _month,
    "week": _week,
    "bare": _bare,
    "weekend": _weekend,
    "ago": _ago,
    "past": _past,
    "day": _day,
    "eve": _eve,
    "recent": _recent,
    "edge": _edge,
}
