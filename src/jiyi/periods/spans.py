"""The calendar that both languages count with: stretches of local time without a zone, from a day part to a year.

A function that gives None, or raises ``ValueError`` or ``OverflowError``, says that there is no such date.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Literal, NamedTuple

Precision = Literal["part", "day", "week", "month", "season", "year"]
"""How exact the words are: part of a day, …, season (also a quarter or half of a year), year."""

Recurs = Literal["week", "month", "year"]
"""What the words leave open: "on Tuesday" which week, 月底 which month, "in May" which year."""

Unit = Literal["hour", "day", "week", "month", "year"]

ONE_DAY = timedelta(days=1)
_INSTANT = timedelta(microseconds=1)
_FINEST_FIRST: tuple[Precision, ...] = ("part", "day", "week", "month", "season", "year")
_AROUND: dict[Unit, tuple[timedelta, Precision]] = {
    "hour": (timedelta(hours=1), "part"),
    "day": (timedelta(0), "day"),
    "week": (timedelta(days=3), "week"),
    "month": (timedelta(days=15), "month"),
    "year": (timedelta(days=182), "year"),
}


class Span(NamedTuple):
    """A stretch of local time, half open.

    Attributes:
        start, end: without zone; None where it is open.
        relative: counted from now.
        date: year or None, month, day or None, where the words were such a date: ranges complete each other with it.
    """

    start: datetime | None
    end: datetime | None
    precision: Precision
    relative: bool = False
    recurs: Recurs | None = None
    date: tuple[int | None, int, int | None] | None = None


class Words(NamedTuple):
    """Some characters of a text, and the span that they mean."""

    begin: int
    stop: int
    span: Span


def midnight(day: date) -> datetime:
    """The beginning of a day."""
    return datetime(day.year, day.month, day.day)


def add_months(moment: datetime, months: int) -> datetime:
    """The same day so many months later, or the last of a shorter month."""
    total = moment.year * 12 + moment.month - 1 + months
    year, month = divmod(total, 12)
    for day in (moment.day, 30, 29, 28):
        try:
            return moment.replace(year=year, month=month + 1, day=day)
        except ValueError:
            if day <= 28:
                raise
    raise ValueError("no such month")


def later(moment: datetime, count: float, unit: Unit) -> datetime:
    """A moment so many units later; halves of a month count 15 days."""
    if unit == "hour":
        return moment + timedelta(hours=count)
    if unit == "day":
        return moment + timedelta(days=int(count))
    if unit == "week":
        return moment + timedelta(days=round(7 * count))
    months = count * (12 if unit == "year" else 1)
    return add_months(moment, int(months)) + timedelta(days=round(30 * (months - int(months))))


def a_day(day: date, *, relative: bool = False) -> Span:
    """One day."""
    start = midnight(day)
    return Span(start, start + ONE_DAY, "day", relative)


def day_part(day: date, hours: tuple[int, int], *, relative: bool = False) -> Span:
    """Some hours of a day; those past 24 belong to the night after it."""
    start = midnight(day)
    return Span(start + timedelta(hours=hours[0]), start + timedelta(hours=hours[1]), "part", relative)


def a_week(day: date, weeks: int = 0, *, relative: bool = False) -> Span:
    """The week, Monday to Sunday, so many weeks after the one of this day."""
    start = midnight(day) + timedelta(days=7 * weeks - day.weekday())
    return Span(start, start + timedelta(days=7), "week", relative)


def a_weekday(day: date, weekday: int, weeks: int = 0, *, relative: bool = False) -> Span:
    """A weekday (0 = Monday) of the week so many weeks after the one of this day."""
    start = midnight(day) + timedelta(days=7 * weeks - day.weekday() + weekday)
    return Span(start, start + ONE_DAY, "day", relative)


def a_weekend(day: date, weeks: int = 0, *, relative: bool = False) -> Span:
    """Saturday and Sunday of the week so many weeks after the one of this day."""
    start = midnight(day) + timedelta(days=7 * weeks - day.weekday() + 5)
    return Span(start, start + timedelta(days=2), "day", relative)


def a_month(year: int, month: int, *, relative: bool = False) -> Span:
    """One month; months before 1 and after 12 are those of other years."""
    more, index = divmod(month - 1, 12)
    start = datetime(year + more, index + 1, 1)
    return Span(start, add_months(start, 1), "month", relative)


def months(year: int, first: int, count: int, precision: Precision = "season") -> Span:
    """So many months from one of a year on."""
    start = a_month(year, first).start
    assert start is not None
    return Span(start, add_months(start, count), precision)


def a_year(year: int, *, relative: bool = False) -> Span:
    """One year."""
    start = datetime(year, 1, 1)
    return Span(start, add_months(start, 12), "year", relative)


def a_season(year: int, season: int) -> Span:
    """Spring (0) March to May, … winter (3) December to February, named by the year in which it begins."""
    return months(year, 3 + 3 * season, 3)


def a_date(year: int | None, month: int, day: int | None, now: datetime) -> Span | None:
    """A month or a day of one; without a year the latest that has begun, as one that comes every year."""
    if not 1 <= month <= 12:
        return None

    def of(year: int) -> Span:
        return a_month(year, month) if day is None else a_day(date(year, month, day))

    found = of(year) if year is not None else latest(of, now)
    return found and found._replace(date=(year, month, day))


def latest(of: Callable[[int], Span], now: datetime, *, recurs: Recurs | None = "year") -> Span | None:
    """The latest year's that has begun; none within nine years (a 29 February) is no such date."""
    for year in range(now.year + 1, max(0, now.year - 9), -1):
        try:
            span = of(year)
        except (ValueError, OverflowError):
            continue
        if span.start is not None and span.start <= now:
            return span._replace(recurs=recurs)
    return None


def ago(now: datetime, count: tuple[float, float], unit: Unit) -> Span:
    """So many units before now (or after: negative): from the largest count to the least, and what people round off."""
    if unit == "year" and count[0] < 1:
        count, unit = (12 * count[0], 12 * count[1]), "month"
    around, precision = _AROUND[unit]
    far, near = sorted((later(now, -count[0], unit), later(now, -count[1], unit)))
    if unit == "hour":
        return Span(far - around, near + around, precision, True)
    return Span(midnight(far) - around, midnight(near) + around + ONE_DAY, precision, True)


def window(now: datetime, count: float, unit: Unit) -> Span:
    """From so many units ago until now, or from now on for a negative count."""
    other = later(now, -count, unit)
    precision = _AROUND[unit][1]
    if unit != "hour":
        other = midnight(other) if count > 0 else midnight(other) + ONE_DAY
    # half open, and now belongs to it: "the past month" is not over
    start, end = (other, now + _INSTANT) if count > 0 else (now, max(other, now + _INSTANT))
    return Span(start, end, precision, True)


def beside(span: Span, count: tuple[float, float], unit: Unit, side: int) -> Span | None:
    """So many units before (-1) or after (1) a span, with what people round off."""
    edge = span.start if side < 0 else (span.start if span.precision in ("day", "part") else span.end)
    if edge is None:
        return None
    found = ago(edge, (-side * count[0], -side * count[1]), unit)
    return found._replace(relative=span.relative, recurs=span.recurs)


def adjoining(span: Span, count: float, unit: Unit, side: int) -> Span | None:
    """The so many units that end where a span begins (-1), or begin where it ends (1)."""
    precision = _AROUND[unit][1]
    if side < 0:
        if span.start is None:
            return None
        edge = midnight(span.start)
        return Span(later(edge, -count, unit), edge, precision, span.relative, span.recurs)
    if span.end is None:
        return None
    edge = span.end
    return Span(edge, later(edge, count, unit), precision, span.relative, span.recurs)


def third(span: Span, which: int) -> Span | None:
    """The early (0), middle (1) or late (2) part of a month, year, season or week; None of a day."""
    start, end = span.start, span.end
    if start is None or end is None or span.precision in ("part", "day"):
        return None
    precision: Precision
    if span.precision == "month":
        edges, precision = (start, start + 10 * ONE_DAY, start + 20 * ONE_DAY, end), "week"
    elif span.precision == "year":
        # 年初 is January to March, the middle May to August, 年底 November and December
        first, last = ((0, 3), (4, 8), (10, 12))[which]
        return Span(add_months(start, first), add_months(start, last), "season", span.relative, span.recurs)
    elif span.precision == "season":
        length = (end - start) / 3
        edges, precision = (start, midnight(start + length), midnight(start + 2 * length), end), "month"
    else:
        edges, precision = (start, start + 2 * ONE_DAY, end - 3 * ONE_DAY, end), "day"
    begin, stop = edges[which : which + 2]
    return Span(begin, stop, precision, span.relative, span.recurs)


def half(span: Span, which: int) -> Span | None:
    """The first (0) or second (1) half of a month or a year."""
    start, end = span.start, span.end
    if start is None or end is None or span.precision not in ("month", "year"):
        return None
    middle = add_months(start, 6) if span.precision == "year" else start + timedelta(days=15)
    precision: Precision = "season" if span.precision == "year" else "week"
    begin, stop = ((start, middle), (middle, end))[which]
    return Span(begin, stop, precision, span.relative, span.recurs)


def nth_week(span: Span, nth: int) -> Span | None:
    """The n-th seven days of a month, from 0; -1 the last."""
    start, end = span.start, span.end
    if start is None or end is None or span.precision != "month":
        return None
    begin = end - timedelta(days=7) if nth < 0 else start + timedelta(days=7 * nth)
    return Span(begin, min(end, begin + timedelta(days=7)), "week", span.relative, span.recurs)


def nth_weekday(span: Span, nth: int, weekday: int, length: int = 1) -> Span | None:
    """The n-th such weekday of a month or year, from 0; -1 the last; ``length`` 2 from Saturday on is a weekend."""
    start, end = span.start, span.end
    if start is None or end is None or span.precision not in ("month", "year"):
        return None
    if nth < 0:
        last = end - ONE_DAY
        begin = last - timedelta(days=(last.weekday() - weekday) % 7)
    else:
        begin = start + timedelta(days=(weekday - start.weekday()) % 7 + 7 * nth)
    if not start <= begin < end:
        return None
    return Span(begin, begin + length * ONE_DAY, "day", span.relative, span.recurs)


def weekday_beside(span: Span, weekday: int, side: int, length: int = 1) -> Span | None:
    """The nearest such weekday that lies whole before (-1) or after (1) a span."""
    edge = span.start if side < 0 else span.end
    if edge is None:
        return None
    edge = midnight(edge)
    if side < 0:
        last = edge - length * ONE_DAY
        begin = last - timedelta(days=(last.weekday() - weekday) % 7)
    else:
        begin = edge + timedelta(days=(weekday - edge.weekday()) % 7)
    return Span(begin, begin + length * ONE_DAY, "day", span.relative, span.recurs)


def joined(first: Span, last: Span, now: datetime) -> Span | None:
    """From the one to the end of the other, each taking from the other the year it lacks."""
    if first.date and last.date:
        (year, month, day), (other, other_month, other_day) = first.date, last.date
        if year is None and other is not None:
            year = other - (month > other_month)
            first = a_date(year, month, day, now) or first
        elif (other is None and year is not None) or (year is None and first.start is not None):
            assert first.start is not None
            begins = first.start.year
            last = a_date(begins + (other_month < month), other_month, other_day, now) or last
    if first.start is None or last.end is None or first.start >= last.end:
        return None
    coarser = _FINEST_FIRST.index(first.precision) > _FINEST_FIRST.index(last.precision)
    precision = first.precision if coarser else last.precision
    return Span(first.start, last.end, precision, first.relative or last.relative, first.recurs and "year")


def within(outer: Span, inner: Span) -> Span | None:
    """A weekday in a week, or a yearly span in a year, that is counted from now: ``Friday last week``."""
    if not outer.relative or outer.recurs or outer.start is None or outer.end is None or inner.start is None:
        return None
    if inner.end is None or inner.relative:
        return None
    if outer.precision == "week" and inner.recurs == "week":
        moved = timedelta(days=(inner.start.weekday() - outer.start.weekday()) % 7)
        start = midnight(outer.start) + moved + (inner.start - midnight(inner.start))
    elif outer.precision == "year" and inner.recurs == "year":
        start = inner.start.replace(year=(outer.start + (outer.end - outer.start) / 2).year)
    else:
        return None
    return Span(start, start + (inner.end - inner.start), inner.precision, True)
