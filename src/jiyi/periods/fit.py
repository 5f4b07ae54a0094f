"""How well the time at which something was said fits the periods that a question names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from jiyi.periods.reading import Period
from jiyi.periods.spans import Precision, Recurs, add_months

EDGE = 0.5
"""The most that something said outside of a period fits it; from there it falls evenly to 0."""

EARLIER = 0.7
"""What an earlier occurrence counts where the words leave open which: "in May" means the last one first."""

# days before a period, when plans are made, and after it, when it is told; chosen by hand
_BEFORE: dict[Precision, float] = {"part": 1, "day": 2, "week": 3, "month": 5, "season": 10, "year": 14}
_AFTER: dict[Precision, float] = {"part": 2, "day": 7, "week": 7, "month": 10, "season": 21, "year": 30}
_OCCURRENCES: dict[Recurs, int] = {"week": 8, "month": 6, "year": 12}
_DAY = 86_400.0


class _Stretch(NamedTuple):
    start: float
    end: float
    before: float
    after: float
    weight: float

    def fit(self, said: float) -> float:
        if said < self.start:
            return self.weight * EDGE * max(0.0, 1 - (self.start - said) / self.before)
        if said >= self.end:
            return self.weight * EDGE * max(0.0, 1 - (said - self.end) / self.after)
        return self.weight


def fits(period: Period, said_at: datetime) -> float:
    """How well a time fits one period: 1 inside, at most ``EDGE`` near it, 0 elsewhere.

    Args:
        period: as read from a question.
        said_at: with its time zone.
    """
    return _best(_stretches(period))(said_at)


def fitting(found: Iterable[Period], now: datetime) -> Callable[[datetime], float] | None:
    """The best fit, 0 to 1, of a time to what a question asks for; None where its words say nothing about when.

    What happens is often told some days later, and planned before: outside of a period the fit is at most ``EDGE``,
    and falls to 0 within days that depend on how exact the words are.  Where the words leave the year or month open,
    earlier ones fit too, a little less (``EARLIER``).

    Not every period asks for its time.  Beside a date of the calendar, words that count from now (最近, last week) say
    how things stood then; and of those alone, what is not over yet (today, this week, 最近, next month) mostly speaks
    of the moment of asking.

    Args:
        found: as read from the question, against ``now``.
        now: when it is asked.
    """
    periods = list(found)
    asked = [period for period in periods if not period.relative and period.recurs != "week"]
    asked = asked or [period for period in periods if period.end is None or period.end <= now]
    stretches = list(dict.fromkeys(stretch for period in asked for stretch in _stretches(period)))
    return _best(stretches) if stretches else None


def _best(stretches: Sequence[_Stretch]) -> Callable[[datetime], float]:
    def fit(said_at: datetime) -> float:
        said, best = said_at.timestamp(), 0.0
        for stretch in stretches:
            if stretch.start - stretch.before < said < stretch.end + stretch.after:
                best = max(best, stretch.fit(said))
        return best

    return fit


def _stretches(period: Period) -> list[_Stretch]:
    """The period and what recurs of it, as seconds."""
    before, after = _BEFORE[period.precision] * _DAY, _AFTER[period.precision] * _DAY
    start = period.start.timestamp() if period.start else float("-inf")
    end = period.end.timestamp() if period.end else float("inf")
    stretches = [_Stretch(start, end, before, after, 1.0)]
    if period.recurs and period.start and period.end:
        for number in range(1, _OCCURRENCES[period.recurs]):
            try:
                back = _days_back(period.start, number, period.recurs) * _DAY
            except ValueError:  # a 29 February, or before the first year
                continue
            stretches.append(_Stretch(start - back, end - back, before, after, EARLIER))
    return stretches


def _days_back(start: datetime, number: int, recurs: Recurs) -> int:
    """Days from a beginning to the one so many weeks, months or years earlier."""
    if recurs == "week":
        return 7 * number
    if recurs == "year":
        return start.toordinal() - start.replace(year=start.year - number).toordinal()
    return start.toordinal() - add_months(start, -number).toordinal()
