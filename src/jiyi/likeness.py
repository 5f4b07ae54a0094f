"""Whether two values, or two statements, say the same: numbers apart from words, in Chinese and English.  Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from jiyi.numbers import han
from jiyi.text import flat, terms

_READ = 2_000  # characters of a value that are compared
_SMALL = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBER_OF = {word: str(at) for at, word in enumerate(_SMALL, start=1)}
_SAYS_LITTLE = frozenset(
    word
    for line in (
        "i'm user have has got had get now current currently still also again really some any one at home say said",
        "about more live work name call like year years old",
    )
    for word in line.split()
)
"""Beside the index's stop words: what changes nothing about a value that is known by its attribute."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY_OF_YEAR = re.compile(
    rf"\b{_MONTH} (\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.,]?\d)"
    rf"|\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}(?![a-z])"
    r"|(?<!\d)(\d{1,2})月(\d{1,2})[日号號]?(?!\d)"
)
"""A day of the year, the same in both languages."""

_NUMBER = re.compile(
    r"(?<![a-z0-9_./:-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:\s?(万|亿|千|百|k(?![a-z])|m(?![a-z])))?"
    r"(?![a-z0-9_/:-]|\.\d)"
)
"""Not a part of an identifier, a time or a date: those are words, compared as they stand."""
_MEASURES = "只个條条位名杯块元口头匹辆套台间份件本张双瓶盒次岁年月天周号日点分折斤公里米平层楼人家颗粒辈"
_HAN_NUMBER = re.compile(f"([零〇一二两三四五六七八九十百千万亿]+)(?=[{_MEASURES}])")
_COUNTED = re.compile(f"#(?: ?[{_MEASURES}])?")
_UNITS = re.compile(r"\b(?:usd|rmb|cny|eur|dollars?|bucks|euros?|yuan)\b|人民币|美元|欧元|元|块钱?|[$€£¥￥]")
_HAN_STOP = re.compile("[的了吗呢吧啊呀嘛]|我们家?|我家?|用户|现在|目前|(?<![没拥所])有")
_TIMES = {"万": 10_000, "亿": 100_000_000, "千": 1_000, "百": 100, "k": 1_000, "m": 1_000_000}


@dataclass(frozen=True, slots=True)
class Words:
    """What a value says.

    Attributes:
        numbers: in plain digits.
        words: everything else that tells something, as index terms.
    """

    numbers: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.numbers or self.words)

    def text(self) -> str:
        """The same for what says the same."""
        return " ".join([*sorted(self.numbers), *sorted(self.words)])


def words(text: str) -> Words:
    """What a text says: "2 cats", "two cats" and "My two cats" are the same, and so are 两只猫 and 2只猫."""
    plain = _HAN_STOP.sub(" ", _DAY_OF_YEAR.sub(_day, flat(text[:_READ])))
    numbers: set[str] = set()

    def digits(found: re.Match[str]) -> str:
        numbers.add(_plain(found))
        return "#"

    def numeral(found: re.Match[str]) -> str:
        values = [format(value.normalize(), "f") for value in han(found[1])]
        numbers.update(values)
        return "#" if values else found[1]

    plain = _UNITS.sub(" ", _HAN_NUMBER.sub(numeral, _NUMBER.sub(digits, plain)))
    plain = _COUNTED.sub(" ", plain)
    found: set[str] = set()
    for term in _terms(plain):
        if term in _NUMBER_OF:
            numbers.add(_NUMBER_OF[term])
        elif term not in _SAYS_LITTLE:
            found.add(term)
    return Words(frozenset(numbers), frozenset(found))


def same(one: Words, other: Words, *, loosely: bool = False) -> bool:
    """Whether both say the same; loosely also when one only says more than the other ("Alder", "Alder Labs")."""
    if one == other:
        return bool(one)
    if one.numbers and other.numbers and one.numbers != other.numbers:
        return False
    if one.words == other.words:
        return bool(one.words) and (loosely or one.numbers == other.numbers)
    return loosely and (within(one, other) or within(other, one))


def within(less: Words, more: Words) -> bool:
    """Whether one says nothing, but something, of what the other does not say as well."""
    return (
        bool(less.words or (less.numbers and not more.words))
        and less.numbers <= more.numbers
        and all(_in(word, more.words) for word in less.words)
    )


def alike(one: Words, other: Words) -> bool:
    """Whether two whole statements say the same: the same numbers, and all words of one, nearly all of the other."""
    less, more = sorted((one.words, other.words), key=len)
    return one.numbers == other.numbers and less <= more and len(less) * 4 >= 3 * max(1, len(more))


def other_number(one: Words, other: Words) -> bool:
    """Whether they count the same things differently: two cats, three cats."""
    return bool(one.numbers and other.numbers) and one.numbers != other.numbers and one.words == other.words


def _in(word: str, among: Iterable[str]) -> bool:
    """Whether a word is there; a lone Chinese character also as the end of one: 猫, 橘猫."""
    return word in among or (len(word) == 1 and not word.isascii() and any(one.endswith(word) for one in among))


def _terms(text: str) -> list[str]:
    """Index terms without the last character of a Chinese run that has others."""
    found = list(terms(text))
    pairs = {term[-1] for term in found if len(term) == 2 and not term.isascii()}
    return [term for term in found if not (len(term) == 1 and term in pairs)]


def _day(found: re.Match[str]) -> str:
    """A day of the year as month and day: "March 5th", 3月5日."""
    month, day = (found[1] or found[4], found[2] or found[3]) if found[5] is None else (found[5], found[6])
    number = int(month) if month.isdecimal() else _MONTHS.index(month[:3]) + 1
    return f" {number:02}-{int(day):02} "


def _plain(found: re.Match[str]) -> str:
    """A number in digits, without separators and trailing zeros."""
    times = _TIMES.get(found[1] or "", 1)
    digits = found[0][: found.start(1) - found.start()] if found[1] else found[0]
    try:
        value = Decimal(digits.replace(",", "").strip()) * times
    except InvalidOperation:
        return digits
    return format(value.normalize(), "f")
