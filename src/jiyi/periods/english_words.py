"""The English words of time, and the expression that finds what can stand alone."""

from __future__ import annotations

import re

from jiyi.periods.spans import Unit

MONTH = (
    r"(?:(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
SEASONS = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
SEASON = r"(?:spring|summer|autumn|fall|winter)"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?!\d)"
_ORD = r"(?:st|nd|rd|th)"
_YEAR = r"(?:19|20)\d\d(?![\d%]|[.,:/]\d)"
_SAID = (
    rf"(?:{_YEAR}|(?:last|this|next)\ year|(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{{1,2}})"
    r"\ years?\ ago)"
)
UNIT = r"(?:hours?|days?|weeks?|fortnights?|months?|years?)"
COUNT = (
    r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half\ an?|(?:a\ )?couple(?:\ of)?"
    r"|(?:a\ )?few|several)"
)
COUNTS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip
FEASTS = {
    "christmas eve": "christmas eve",
    "christmas": "christmas",
    "xmas": "christmas",
    "new year's eve": "new year's eve",
    "new years eve": "new year's eve",
    "new year's day": "new year",
    "new year's": "new year",
    "halloween": "halloween",
    "thanksgiving": "thanksgiving",
    "valentine's day": "valentine",
    "valentines day": "valentine",
    "easter": "easter",
    "the fourth of july": "independence",
    "independence day": "independence",
    "mother's day": "mother",
    "father's day": "father",
    "chinese new year": "spring",
    "lunar new year": "spring",
    "spring festival": "spring",
    "mid-autumn festival": "moon",
    "dragon boat festival": "boat",
    "lantern festival": "lantern",
}
PARTS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30)}
PART = "(?:morning|afternoon|evening|night)"
SIDE = {"before": -1, "preceding": -1, "prior to": -1, "after": 1, "following": 1}

_NAMES = "|".join(sorted(map(re.escape, FEASTS), key=len, reverse=True))
_WHICH = rf"""(?:week(?:end)?|month|year|quarter|{PART}|{SEASON}|{WEEKDAY}|{MONTH}
    |christmas|thanksgiving|halloween|easter|new\ year's(?:\ eve)?)"""

# how everything below begins: most words of a text go no further
_FIRST = (
    r"\d|q[1-4]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|one|two|thr|fou|fiv|six|eig"
    r"|nin|ten|ele|twe|an?\ |half|coup|few|the\ |last|this\ |next|yest|tod|ton|tom|spr|sum|aut|fal|win|fir|sec|thi"
    r"|xmas|chr|new\ y|hal|tha|val|eas|ind|mot|fat|chi|lun|mid-|dra|lan|rec|lat"
)

ATOM = re.compile(
    rf"""(?<![\w.#/$€£¥\u00c0-\u024f])(?<!\d[-,])(?={_FIRST})(?:
    (?P<iso>(?P<iy>(?:19|20)\d\d)(?P<sep>[-/])(?P<im>1[0-2]|0?[1-9])(?:(?P=sep)(?P<id>3[01]|[12]\d|0?[1-9]))?
        (?:t\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)?)?(?![\w/-]))
    |(?P<num>(?P<n1>\d\d?)(?P<nsep>[./])(?P<n2>\d\d?)(?P=nsep)(?P<ny>(?:19|20)\d\d)(?![\w/-]|\.\d))
    |(?P<dmy>(?P<dd>{_DAY})(?P<do>{_ORD})?(?:\ ?(?:-|–|to|and)\ ?(?P<de>{_DAY}){_ORD}?)?(?P<df>\ of)?
        [\ -](?P<dm>{MONTH})(?:(?:,\ ?|[\ -])(?P<dy>{_SAID}))?)
    |(?P<mdy>(?P<mm>{MONTH})\ (?:the\ )?(?P<md>{_DAY})(?P<mo>{_ORD})?
        (?:\ ?(?:-|–|to|through|and)\ ?(?P<me>{_DAY}){_ORD}?(?![\w%$:]|\ ?[ap]\.?m\b))?
        (?![\w%$:]|[./]\d|,\d(?!\d{{3}}\b)|-\d|\ ?[ap]\.?m\b)(?:(?:,\ ?|\ )(?P<my>{_SAID}))?)
    |(?P<month>(?P<lm>{MONTH})(?:(?:,|\ of|\ in)?\ (?P<ly>{_SAID}))?)
    |(?P<quarter>(?:(?P<qy0>{_YEAR})\ )?
        (?:q(?P<qn>[1-4])|(?:the\ )?(?P<qw>first|second|third|fourth|last)\ quarter(?:\ of|\ in)?)
        (?![\w.])(?:(?:,|\ of|\ in)?\ (?P<qy>{_SAID}))?)
    |(?P<season>(?P<sn>{SEASON})(?:(?:,|\ of|\ in)?\ (?P<sy>{_SAID}))?\b)
    |(?P<year>{_YEAR})
    |(?P<ago>(?P<ac>{COUNT})\ (?P<ah>and\ a\ half\ )?(?P<au>{UNIT})(?P<ah2>\ and\ a\ half)?
        \ (?P<aw>ago|back\b(?!\ (?:to|from|in|at|and))|from\ now))
    |(?P<past>the\ (?:last|past|previous)\ (?:(?P<pc>{COUNT})\ )?(?P<pu>{UNIT}|quarter))
    |(?P<next>the\ (?:next|coming)\ (?:(?P<nc>{COUNT})\ )(?P<nu>{UNIT}))
    |(?P<skip>the\ (?P<su>week|weekend|month|year|day)
        \ (?P<sw>before\ last|after\ next|before\ yesterday|after\ tomorrow)(?:\ (?P<sp>{PART}))?)
    |(?P<which>(?:(?P<wt>the)\ )?(?P<ww>last|this\ past|this\ coming|this|next)\ (?P<wn>{_WHICH})(?:\ (?P<wp>{PART}))?)
    |(?P<named>(?P<nn>yesterday|today|tonight|tomorrow)(?:\ (?P<np>{PART}))?)
    |(?P<weekday>(?P<wdn>{WEEKDAY})(?:\ (?P<wdp>{PART}))?)
    |(?P<weekend>the\ weekend)
    |(?P<feast>(?P<fn>{_NAMES})(?:(?:,|\ of|\ in)?\ (?P<fy>{_SAID}))?)
    |(?P<recent>recently|lately|the\ other\ day)
    )(?![\w@])""",
    re.VERBOSE | re.ASCII,  # Han may stand on both sides
)


def month_of(word: str) -> int:
    return MONTHS.index(word[:3]) + 1


def weekday_of(word: str) -> int:
    return WEEKDAYS.index(word[:3])


def counted(word: str | None) -> tuple[float, float]:
    """Most and least that a number word means."""
    word = word or "one"
    if word.isdigit():
        return float(word), float(word)
    if word.startswith("half"):
        return 0.5, 0.5
    if "couple" in word:
        return 3.0, 2.0
    if "few" in word or word == "several":
        return 5.0, 2.0
    number = COUNTS.get(word, 1)
    return number, number


def unit_of(word: str) -> tuple[Unit, int]:
    """A unit, and how many of it."""
    word = word.rstrip("s")
    if word == "fortnight":
        return "week", 2
    if word == "quarter":
        return "month", 3
    units: dict[str, Unit] = {"hour": "hour", "day": "day", "week": "week", "month": "month", "year": "year"}
    return units[word], 1
