"""Dates beside the words that mean them, and the times that a statement is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from jiyi.periods import Period, periods
from jiyi.text import language


class Times(NamedTuple):
    """When what a statement tells of happens, [from, to), and from when it holds."""

    event_from: datetime | None = None
    event_to: datetime | None = None
    since: datetime | None = None


_COMING = re.compile(
    r"\b(?:will|'ll|shall|going to|gonna|must|need(?:s)? to|have to|has to|should|due|deadline"
    r"|appointment|remind|remember to|don't forget|by|until|before|plan(?:ning)?|leaves|starts|arrives"
    r"|comes|can see me"
    r"|expires?|runs out|scheduled|booked|upcoming|next|coming|tickets?|flight)\b|要|会(?!议)|将|打算"
    r"|计划|准备|得去|截止|截至|到期|提醒|记得|之前|别忘|约|预|订|门票|航班|机票|明天|后天|下周|下个月"
)
_OVER = re.compile(
    r"\b(?:was|were|did|didn't|had|went|got|saw|bought|came|left|took|made|met|began|born|ago|broke"
    r"|lost|sold|gave|told|said|ate|drank|ran|won|flew|drove|wrote|read|quit|\w{2,}ed)\b|了(?!吗)"
    r"|过(?!去|来|年|生日)|刚|已经|出生|曾|是.{1,20}的$"
)
_DAYS = "一二三四五六日"


def dated(text: str, start: int, end: int, said_at: datetime | None) -> tuple[str, Times]:
    """Characters [start, end) of a text with the dates beside, and the times.

    A message without a time gives neither.
    """
    part = text[start:end]
    if said_at is None or said_at.tzinfo is None:
        return part, Times()
    try:
        named = periods(part, said_at)
    except (ValueError, OverflowError):
        return part, Times()
    if not named:
        return part, Times()
    low = part.lower()
    found = [resolved for period in named if (resolved := _resolved(period, low, said_at))]
    pieces: list[str] = []
    before = 0
    for period in found:
        if period.relative or period.recurs:
            pieces += [part[before : period.stop], _beside(period, part)]
            before = period.stop
    pieces.append(part[before:])
    return "".join(pieces), _times(found)


def _resolved(period: Period, low: str, said_at: datetime) -> Period | None:
    """A period with what its words leave open ("on Friday") read from the rest of the clause, if that tells."""
    if not period.recurs or period.start is None or period.end is None:
        return period
    near = low[max(0, period.begin - 60) : period.stop + 60]
    coming, over = bool(_COMING.search(near)), bool(_OVER.search(near))
    if over and not coming:
        return period
    if not coming and period.recurs != "week":
        return None
    start, end = _next(period.start, period.recurs), _next(period.end, period.recurs)
    if period.end > said_at or start is None or end is None:
        return period
    return Period(start, end, period.begin, period.stop, period.quote, period.precision, period.relative, period.recurs)


def _next(moment: datetime, recurs: str) -> datetime | None:
    if recurs == "week":
        return moment + timedelta(days=7)
    months = moment.month if recurs == "month" else moment.month - 1
    year = moment.year + (months // 12 if recurs == "month" else 1)
    try:
        return moment.replace(year=year, month=months % 12 + 1)
    except ValueError:
        return None


def _times(found: Sequence[Period]) -> Times:
    since = next((period.start for period in found if period.start and not period.end), None)
    whole = next((period for period in found if period.start and period.end), None)
    if whole is None:
        return Times(since=since)
    return Times(whole.start, whole.end, since)


def _beside(period: Period, part: str) -> str:
    """``（2026-03-12）`` or `` (2026-03-12)``."""
    chinese = not period.quote.isascii() or language(part) == "zh"
    start = period.start
    end = period.end - timedelta(microseconds=1) if period.end else None
    if start and end:
        words = _stretch(start, end, period, chinese=chinese)
    elif start:
        words = f"{start.date()}起" if chinese else f"from {start.date()}"
    elif end:
        words = f"{end.date()}前" if chinese else f"until {end.date()}"
    else:
        return ""
    return f"（{words}）" if chinese else f" ({words})"


def _stretch(start: datetime, end: datetime, period: Period, *, chinese: bool) -> str:
    if period.precision in ("part", "day") and (start.date() == end.date() or period.precision == "part"):
        return str(start.date())
    if period.precision == "month" and (start.year, start.month) == (end.year, end.month):
        return f"{start.year}-{start.month:02}"
    if period.precision == "year" and start.year == end.year:
        return str(start.year)
    return f"{start.date()}至{end.date()}" if chinese else f"{start.date()} to {end.date()}"
