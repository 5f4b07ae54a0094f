"""Periods read out of a text: both languages, the writing made plain first, the zone put on last."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo

from jiyi.errors import InvalidInput
from jiyi.periods.spans import Precision, Recurs, Words


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time that some words of a text mean.

    Attributes:
        start: in the zone of the moment that it was read against; None in "before May".
        end: not included; None in "since May".
        begin: offset of the first character of the words.
        stop: offset after the last one.
        quote: the words.
        precision: how exact they are.
        relative: counted from now (上周, two weeks ago), not a date of the calendar.
        recurs: what the words leave open: of which week, month or year.  ``start`` and ``end`` are then the latest that
            had begun.
    """

    start: datetime | None
    end: datetime | None
    begin: int
    stop: int
    quote: str
    precision: Precision
    relative: bool
    recurs: Recurs | None


# one character for one, so that offsets stay
_PLAIN = str.maketrans(
    {0xFF01 + code: chr(0x21 + code) for code in range(94)}
    | {"\u3000": " ", "\u00a0": " ", "\u2019": "'", "～": "~", "○": "〇", "Ｏ": "〇"}
    | dict(
        zip(
            "週個號後點兩這過內節聖誕慶國從來禮勞動當時間開現舊們說陽歲傍淩華慶幾現會見還個現數剛鐘頭為與總進裡裏後長寒學參聽離處聲證聰黎線樓車書網馬麼農曆",
            "周个号后点两这过内节圣诞庆国从来礼劳动当时间开现旧们说阳岁傍凌华庆几现会见还个现数刚钟头为与总进里里后长寒学参听离处声证聪黎线楼车书网马么农历",
            strict=True,
        )
    )
)
# without one of these there is no period: the languages are not even loaded
_ENGLISH = re.compile(
    r"(?:19|20)[0-9][0-9]|\bq[1-4]"
    r"|\b(?:hour|day|week|fortnight|month|year)s? (?:and a half )?(?:ago|back|from now)\b"
    r"|\b(?:last|this|next|the (?:past|previous|coming|other day)|(?:yester|to|sun|mon|tues|wednes|thurs|fri|satur)day"
    r"|to(?:night|morrow)|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|spring|summer|fall|autumn"
    r"|winter|weekend|quarter|christmas|xmas|new year|halloween|thanksgiving|valentine|easter|chinese new|lunar"
    r"|mid-autumn|dragon|lantern|mother's|father's|independence|the fourth|recently|lately)",
    re.ASCII,  # Han may stand before
)
_CHINESE = re.compile("[年月周天日晚早昨儿近期拜节庆旦夕诞秋午夜前季假圣双宵阵段]|[0-9][-/.][0-9]")


def periods(text: str, now: datetime) -> tuple[Period, ...]:
    """Reads the periods of time that a text names, in order of their words; what is not sure gives none.

    Never fails on any text.  Takes time in proportion to its length.

    Args:
        text: Chinese, English or both.
        now: when it was written or asked, with its time zone: that of the speaker, since days begin there.

    Raises:
        InvalidInput: ``now`` has no time zone.
    """
    zone = now.tzinfo
    if zone is None:
        raise InvalidInput("now", "has no time zone; days begin at midnight somewhere, so give one, such as UTC")
    low = text.lower() if text.isascii() else _plain(text)
    local = now.replace(tzinfo=None)
    found: list[Words] = []
    # imported when a text first has such words: their expressions take some 20 ms to compile
    if not text.isascii() and _CHINESE.search(low):
        from jiyi.periods.chinese import chinese

        found = chinese(low, local)
    if _ENGLISH.search(low):
        from jiyi.periods.english import english

        found = _apart(found, english(text, low, local))
    return tuple(period for words in found if (period := _period(text, words, zone)))


def _plain(text: str) -> str:
    plain = text.translate(_PLAIN)
    low = plain.lower()
    return low if len(low) == len(plain) else "".join(char.lower() if char.isascii() else char for char in plain)


def _apart(chinese: list[Words], english: list[Words]) -> list[Words]:
    """Both in order; where they overlap, the longer."""
    if not chinese or not english:
        return chinese or english
    kept: list[Words] = []
    for words in sorted(chinese + english, key=lambda words: words.begin - words.stop):
        if all(words.stop <= other.begin or other.stop <= words.begin for other in kept):
            kept.append(words)
    return sorted(kept)


def _period(text: str, words: Words, zone: tzinfo) -> Period | None:
    span = words.span
    start = span.start and span.start.replace(tzinfo=zone)
    end = span.end and span.end.replace(tzinfo=zone)
    if start is None and end is None or (start and end and start >= end):
        return None
    return Period(
        start, end, words.begin, words.stop, text[words.begin : words.stop], span.precision, span.relative, span.recurs
    )
