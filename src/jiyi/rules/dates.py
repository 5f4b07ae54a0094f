"""Dates beside the words that mean them, and the times that a statement is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from jiyi.periods import Period, periods
from jiyi.periods.coming import coming
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
    r"|expires?|runs out|scheduled|booked|upcoming|next|coming|tickets?|flight|(?:fly|leave"
    r"|travel|meet|drive|move)(?:ing)?)\b|要|会(?!议)|将|打算"
    r"|计划|准备|得去|截止|截至|到期|提醒|记得|之前|别忘|约|预|订|门票|航班|机票|明天|后天|下周|下个月"
)
_OVER = re.compile(
    r"\b(?:was|were|did|didn't|had|went|got|saw|bought|came|left|took|made|met|began|born|ago|broke"
    r"|lost|sold|gave|told|said|ate|drank|ran|won|flew|drove|wrote|read|quit|(?!tired|excited"
    r"|bored|worried|interested|scared|need|indeed|speed|feed|married|used)\w{2,}ed)\b"
    r"|了(?!吗)"
    r"|过(?!去|来|年|生日)|刚|已经|出生|曾|是.{1,20}的$"
)
_VAGUE = frozenset(
    ["最近", "近来", "近期", "近日", "recently", "lately", "the other day", "这阵子", "这段时间", "前阵子", "前段时间"]
)
"""What says "not long ago" and no date."""
_AHEAD = re.compile(r"[后號号日]|再过|\b(?:in|within|the) ", re.IGNORECASE)
_DIGIT = re.compile(r"[\d一二三四五六七八九十]")


def named(text: str, start: int, end: int, said_at: datetime | None) -> list[Period]:
    """The periods that characters [start, end) of a text name, their offsets those of the text.

    A message without a time names none that anybody could know.
    """
    if said_at is None or said_at.tzinfo is None:
        return []
    try:
        found = list(periods(text[start:end], said_at))
        if _AHEAD.search(text, start, end) and _COMING.search(text[start:end].lower()):
            found = _apart(found, coming(text[start:end], said_at))
    except (ValueError, OverflowError):
        return []
    resolved: list[Period] = []
    for period in found:
        if period.quote.lower() in _VAGUE:
            continue
        there = replace(period, begin=period.begin + start, stop=period.stop + start)
        if one := _resolved(there, text, (start, end), said_at) if period.recurs else there:
            resolved.append(one)
    return resolved


def _apart(found: list[Period], more: Sequence[Period]) -> list[Period]:
    """Both in order; what overlaps one of the first is left out."""
    free = [one for one in more if all(one.stop <= other.begin or other.stop <= one.begin for other in found)]
    return sorted([*found, *free], key=lambda period: period.begin) if free else found


def dated(text: str, start: int, end: int, there: Sequence[Period]) -> tuple[str, Times]:
    """Characters [start, end) of a text with the dates beside, and the times, by the periods that stand there."""
    found = [period for period in there if start <= period.begin and period.stop <= end]
    if not found:
        return text[start:end], Times()
    pieces: list[str] = []
    before = start
    for period in found:
        if period.relative or period.recurs:
            pieces += [text[before : period.stop], _beside(period, text[start:end])]
            before = period.stop
    pieces.append(text[before:end])
    return "".join(pieces), _times(found)


_TODAY_IS = re.compile(r"(?:\btoday|\bit|今天)\s?(?:is|'s|是)\s?$", re.IGNORECASE)
_BREAK = re.compile("[，。；,;！？]")


def _resolved(period: Period, text: str, span: tuple[int, int], said_at: datetime) -> Period | None:
    """A period with what its words leave open ("on Friday") read from the rest of the clause, if that tells."""
    if period.start is None or period.end is None:
        return period
    if period.recurs == "week" and _TODAY_IS.search(text, max(0, period.begin - 32), period.begin):
        return None  # "today is Sunday" says no other day
    before = text[max(span[0], period.begin - 60) : period.begin]
    after = _BREAK.split(text[period.stop : min(span[1], period.stop + 60)], maxsplit=1)[0]
    near = f"{_BREAK.split(before)[-1]}{period.quote}{after}".lower()
    coming, over = bool(_COMING.search(near)), bool(_OVER.search(near))
    if over and not coming:
        return period if period.recurs == "week" or _DIGIT.search(period.quote) else None
    if not coming and period.recurs != "week":
        return None
    recurs = period.recurs or "week"
    start, end = _next(period.start, recurs), _next(period.end, recurs)
    if period.end > said_at or start is None or end is None:
        return period
    if start.date() == said_at.date():
        return None  # said on a Friday, "on Friday" is hardly today, and not surely in a week
    return replace(period, start=start, end=end)


def past(said: str) -> bool:
    """Whether a statement tells of what was, and not also of what will be."""
    low = said.lower()
    return bool(_OVER.search(low)) and not _COMING.search(low)


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
