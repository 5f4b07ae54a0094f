"""Days that have a name in either language, and when they are in a year."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta

from jiyi.periods.spans import ONE_DAY, Span, a_day, latest, midnight

_FIRST = 1990


def _table(days: str) -> list[str]:
    """Month and day of each year from 1990 to 2050; two independent calendar packages agree on all of them."""
    return days.split()


_NEW_YEAR = _table(
    "0127 0215 0204 0123 0210 0131 0219 0207 0128 0216 0205 0124 0212 0201 0122 0209 0129 0218 0207 0126 0214 "
    "0203 0123 0210 0131 0219 0208 0128 0216 0205 0125 0212 0201 0122 0210 0129 0217 0206 0126 0213 0203 0123 "
    "0211 0131 0219 0208 0128 0215 0204 0124 0212 0201 0122 0210 0130 0217 0206 0126 0214 0202 0123"
)
_DRAGON_BOAT = _table(
    "0528 0616 0605 0624 0613 0602 0620 0609 0530 0618 0606 0625 0615 0604 0622 0611 0531 0619 0608 0528 0616 "
    "0606 0623 0612 0602 0620 0609 0530 0618 0607 0625 0614 0603 0622 0610 0531 0619 0609 0528 0616 0605 0624 "
    "0612 0601 0620 0610 0530 0618 0607 0527 0614 0603 0622 0611 0531 0619 0608 0529 0615 0604 0623"
)
_MID_AUTUMN = _table(
    "1003 0922 0911 0930 0920 0909 0927 0916 1005 0924 0912 1001 0921 0911 0928 0918 1006 0925 0914 1003 0922 "
    "0912 0930 0919 0908 0927 0915 1004 0924 0913 1001 0921 0910 0929 0917 1006 0925 0915 1003 0922 0912 1001 "
    "0919 0908 0927 0916 1004 0924 0913 1002 0920 0910 0928 0917 1005 0925 0915 1004 0922 0911 0930"
)

Feast = Callable[[int], Span]


def _lunar(table: Sequence[str], shift: int = 0, length: int = 1) -> Feast:
    def of(year: int) -> Span:
        if not 0 <= year - _FIRST < len(table):
            raise ValueError("outside of the table")
        day = table[year - _FIRST]
        return _days(date(year, int(day[:2]), int(day[2:])) + timedelta(days=shift), length)

    return of


def _days(day: date, length: int) -> Span:
    start = midnight(day)
    return a_day(day) if length == 1 else Span(start, start + length * ONE_DAY, "day" if length < 4 else "week")


def _fixed(month: int, day: int, length: int = 1) -> Feast:
    return lambda year: _days(date(year, month, day), length)


def _nth(month: int, nth: int, weekday: int) -> Feast:
    def of(year: int) -> Span:
        first = date(year, month, 1)
        return a_day(first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1)))

    return of


def _easter(year: int) -> Span:
    """Gregorian computus, the anonymous algorithm."""
    century, rest = divmod(year, 100)
    golden = year % 19
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    week = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (golden + 11 * epact + 22 * week) // 451
    month, day = divmod(epact + week - 7 * late + 114, 31)
    return _days(date(year, month, day + 1) - ONE_DAY * 2, 4)


def _qingming(year: int) -> Span:
    """The solar term by its usual formula for this century, which is right for 2000 to 2099."""
    short = year - 2000
    if not 0 <= short < 100:
        raise ValueError("outside of the formula")
    return a_day(date(year, 4, int(short * 0.2422 + 4.81) - short // 4))


_MOVABLE = frozenset(("spring", "eve", "lantern", "boat", "moon", "easter"))
_FEASTS: dict[str, Feast] = {
    "spring": _lunar(_NEW_YEAR, -1, 8),
    "eve": _lunar(_NEW_YEAR, -1),
    "lantern": _lunar(_NEW_YEAR, 14),
    "boat": _lunar(_DRAGON_BOAT, 0, 3),
    "moon": _lunar(_MID_AUTUMN, 0, 3),
    "easter": _easter,
    "qingming": _qingming,
    "new year": _fixed(1, 1),
    "valentine": _fixed(2, 14),
    "women": _fixed(3, 8),
    "may day": _fixed(5, 1, 5),
    "children": _fixed(6, 1),
    "independence": _fixed(7, 4),
    "teachers": _fixed(9, 10),
    "national": _fixed(10, 1, 7),
    "halloween": _fixed(10, 31),
    "singles": _fixed(11, 11),
    "thanksgiving": _nth(11, 4, 3),
    "mother": _nth(5, 2, 6),
    "father": _nth(6, 3, 6),
    "christmas eve": _fixed(12, 24),
    "christmas": _fixed(12, 25, 2),
    "new year's eve": _fixed(12, 31),
}


def feast(name: str, now: datetime, year: int | None = None) -> Span | None:
    """A feast of a year, or the latest that has begun: one that moves is that one only, others come every year."""
    of = _FEASTS[name]
    return of(year) if year is not None else latest(of, now, recurs=None if name in _MOVABLE else "year")
