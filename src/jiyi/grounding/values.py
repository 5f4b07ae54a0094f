"""The values of a text: what must not change when it is said in other words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, TypeAlias

from jiyi import numbers
from jiyi.grounding.moments import Date, dates, times, weekdays
from jiyi.grounding.names import names
from jiyi.grounding.negations import negations
from jiyi.grounding.plain import HAN, lower, plain
from jiyi.grounding.units import BEFORE, BEHIND, COUNTERS, UNITS

Kind: TypeAlias = Literal["number", "date", "weekday", "time", "code", "name", "negation"]


@dataclass(frozen=True, slots=True)
class Value:
    """A value that a text states.

    Attributes:
        value: comparable: a number, a ``Date``, the minutes of a day, a weekday, or a word in small letters.
        start, end: where it stands in the text.
        unit: of a number: under one name in both languages; "" without one.
        of: of a number: the word behind it, which it may count.
        word: of a number: it is written as a word.
    """

    kind: Kind
    value: Decimal | Date | frozenset[int] | int | str
    start: int
    end: int
    unit: str = ""
    of: str = ""
    word: bool = False


Reader: TypeAlias = Callable[[str], Iterator[Value]]

_SPACES = re.compile(r"\s{2,}|[^\S \n]")
_WEB = re.compile(
    r"(?:https?://|www\.)[^\s\u3000-\u9fff<>\"')\]]+|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+", re.ASCII
)
_CODE = re.compile(
    r"(?<![A-Za-z0-9\u00c0-\u024f])(?:(?=[A-Za-z0-9_/#-]{0,64}?[A-Za-z][_/#-]{0,2}\d)[A-Za-z0-9]+(?:[_/#-]+[A-Za-z0-9]+)*"
    r"|\+?\d{2,}(?:[- ]\d{2,}){2,}|\d+(?:\.\d+){2,})(?![A-Za-z0-9\u00c0-\u024f])"
)
ORDINAL = "th"
"""The unit of 第三 and 3rd."""

_PER = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}
_HALVED = "个?(?:小时|钟头|年|天|个月|月|斤|公斤|米|公里|块)"
_NUMBER = re.compile(
    rf"(?:(?P<money>{BEFORE})\ ?)?(?P<minus>(?<![\w)%])-(?=[\d$])|\bminus\ |负|零下)?"
    rf"(?:百分之\ ?(?P<percent>{numbers.HAN}|{numbers.DIGITS})"
    rf"|(?P<ordinal>第)?(?:(?<![a-z0-9_])(?<!\d[.,])(?P<digits>{numbers.DIGITS})(?P<th>st|nd|rd|th)?"
    rf"|(?P<han>{numbers.HAN})|(?P<english>{numbers.ENGLISH}))"
    rf"[多几来余]?(?P<halves>个半(?=小时|钟头|月|星期))?(?:[ -]?(?P<unit>{BEHIND}))?"
    r"(?P<half>(?<=[年月天时块斤米个])半(?![夜天]))?)"
    rf"|(?:\b(?:an?|per|each|every|one)\ |每一?)(?P<single>{BEHIND})|\b(?P<adverb>hourly|daily|weekly|monthly|yearly)\b"
    rf"|半(?P<halfunit>{_HALVED})|\bhalf\ an?\ (?P<halfword>hour|day|year|mile|kilo|kg)\b",
    re.ASCII,  # Han may stand on both sides
)
_LATIN_NOUN = re.compile(r"[ -]+([a-z][a-z']+)")
_HAN_NOUN = re.compile(rf"[{COUNTERS}]?([{HAN}]{{1,2}})")
_MILLIONS = re.compile(r"(?<=\d)[MB](?![A-Za-z])")  # a small m is a metre
_NOT_NUMBERS = re.compile(
    "千万(?=别|不|要|记|得|小心|注意)|十分(?!钟|之)|十足|万一|一一|百分百|三明治|四川|三亚|七夕|八卦|五官|三国|四季"
)


def values(text: str) -> tuple[Value, ...]:
    """The numbers, dates, times, names, codes and negations of a text, in order.

    The same number is the same value in digits, words, Chinese and English; what counts or measures has its unit.
    Reads what is sure: a word that is seldom a number (一起) is none.
    """
    simple, back = _squeezed(plain(text))
    found: list[Value] = []
    for reader in _READERS:
        read = list(reader(simple))
        found += read
        simple = _blanked(simple, read)
    return tuple(sorted((_moved(value, back) for value in found), key=lambda value: value.start))


def _squeezed(text: str) -> tuple[str, tuple[list[int], list[int]]]:
    """The text with one blank for many; and places in it after which as many characters lack."""
    pieces: list[str] = []
    places, lacking = [0], [0]
    at = length = 0
    for found in _SPACES.finditer(text):
        pieces += (text[at : found.start()], "\n" if "\n" in found[0] else " ")
        length += found.start() - at + 1
        at = found.end()
        places.append(length)
        lacking.append(at - length)
    return "".join(pieces) + text[at:], (places, lacking)


def _moved(value: Value, back: tuple[list[int], list[int]]) -> Value:
    places, lacking = back
    if len(places) == 1:
        return value
    start = value.start + lacking[bisect_right(places, value.start) - 1]
    end = value.end - 1 + lacking[bisect_right(places, value.end - 1) - 1] + 1
    return replace(value, start=start, end=end)


def _blanked(text: str, found: list[Value]) -> str:
    pieces: list[str] = []
    at = 0
    for value in found:
        if value.start < at:
            continue
        pieces += (text[at : value.start], "\0" * (value.end - value.start))
        at = value.end
    return "".join(pieces) + text[at:]


def _web(simple: str) -> Iterator[Value]:
    for found in _WEB.finditer(simple):
        said = found[0].rstrip(".,;:!?")
        yield Value("code", said.lower(), found.start(), found.start() + len(said))


def _dates(simple: str) -> Iterator[Value]:
    for date, start, end in dates(simple):
        yield Value("date", date, start, end)


def _times(simple: str) -> Iterator[Value]:
    for minutes, start, end in times(lower(simple)):
        yield Value("time", minutes, start, end)


def _weekdays(simple: str) -> Iterator[Value]:
    for day, start, end in weekdays(lower(simple)):
        yield Value("weekday", day, start, end)


def _codes(simple: str) -> Iterator[Value]:
    for found in _CODE.finditer(simple):
        said = found[0].lower()
        bare = re.sub(r"[-+ ]", "", said)
        yield Value("code", bare if bare.isdecimal() else said, found.start(), found.end())


def _numbers(simple: str) -> Iterator[Value]:
    low = lower(_MILLIONS.sub(lambda found: "\1" if found[0] == "M" else "\2", simple))
    low = _NOT_NUMBERS.sub(lambda found: "\0" * len(found[0]), low)
    for found in _NUMBER.finditer(low):
        yield from _number(found, low)


def _number(found: re.Match[str], low: str) -> Iterator[Value]:
    start, end = found.span()
    if unit := found["single"] or _PER.get(found["adverb"]):
        yield Value("number", Decimal(1), start, end, UNITS[unit], word=True)
        return
    if halved := found["halfunit"] or found["halfword"]:
        unit = UNITS.get(halved) or UNITS[halved.removeprefix("个")]
        yield Value("number", Decimal("0.5"), start, end, unit, word=True)
        return
    said = found["percent"] or found["digits"] or found["han"] or found["english"]
    unit = "%" if found["percent"] else UNITS.get(found["unit"] or found["money"] or "", "")
    if not unit and (found["ordinal"] or found["th"] or said in numbers.ORDINALS):
        unit = ORDINAL
    behind = low[end : end + 1]
    alone = said == found["han"] and len(said) == 1 and not unit
    if alone and (not behind or behind not in COUNTERS or low[start : end + 1] == "一点"):
        return
    noun = None if unit else (_HAN_NOUN if behind >= "\u3000" else _LATIN_NOUN).match(low, end)
    of = "" if noun is None else noun[1].rstrip("s")
    for value in _worth(said):
        half = Decimal("0.5") if found["halves"] or found["half"] else 0
        factor = Decimal("0.1") if unit == "jiao" else 1
        signed = (value + half) * factor * (-1 if found["minus"] else 1)
        named = "CNY" if unit == "jiao" else unit
        yield Value("number", signed, start, end, named, of, word=found["digits"] is None)


def _worth(said: str) -> Iterator[Decimal]:
    if said[0].isascii() and said[0].isdecimal():
        yield numbers.digits(said)
    elif said[0].isascii():
        yield numbers.english(said)
    else:
        yield from numbers.han(said)


def _names(simple: str) -> Iterator[Value]:
    for name, start, end in names(simple):
        yield Value("name", name, start, end)


def _negations(simple: str) -> Iterator[Value]:
    for start, end in negations(lower(simple)):
        yield Value("negation", simple[start:end].lower(), start, end)


_READERS: tuple[Reader, ...] = (_web, _times, _dates, _weekdays, _codes, _numbers, _names, _negations)
"""In this order: what one has read is blank for the next."""

__all__ = ["Kind", "Value", "values"]
