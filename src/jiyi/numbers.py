"""Numbers as they are written: digits, English and Chinese number words, and both mixed (1.2万)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

_DIGITS = {char: place for place, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2, "仨": 3}
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "亿": 10**8}
_LONGEST = 40  # characters of a number
_ONES = "一二两三四五六七八九"

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_DECADES = "twenty thirty forty fifty sixty seventy eighty ninety"
_PLACES = "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"  # "first", "second" are seldom numbers
_ENGLISH = {word: value for value, word in enumerate(_SMALL.split(" "))} | {
    word: 10 * value for value, word in enumerate(_DECADES.split(" "), start=2)
}
_SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12}
ORDINALS = {word: value for value, word in enumerate(_PLACES.split(" "), start=3)}
_FACTORS = _SCALES | {
    "k": 10**3, "mn": 10**6, "\1": 10**6, "bn": 10**9, "\2": 10**9, "w": 10**4, "百": 100, "千": 1000, "万": 10**4,
    "十万": 10**5, "百万": 10**6, "千万": 10**7, "亿": 10**8, "万亿": 10**12,
}  # fmt: skip

DIGITS = (
    r"(?:\d{1,4}万\d{1,4}[千百]?\d{0,3}(?!\d)|"
    r"(?:\d{1,3}(?:,\d{3})+(?!,?\d)|\d+)(?:\.\d+)?"
    r"(?:\ ?(?:万亿|[十百千]?万|亿|[百千](?![克米瓦字卡分])|(?:hundred|thousand|million|billion|trillion|dozen)\b"
    r"|(?:k|bn|mn)(?![a-z])|w(?![a-z]))|[\1\2])?)"
)
"""A number in digits, in small letters; M and B, which are millions and billions, as the characters 1 and 2."""

_NUMERAL = "零〇一二两三四五六七八九十百千万亿"
HAN = rf"(?:[{_NUMERAL}]+(?:点[零〇一二三四五六七八九]+(?![十百千分]))?|[俩仨])"
"""A number in Han; what is none (万一, 十分) is left to ``han``."""

_WORD = rf"(?:{'|'.join(sorted([*_ENGLISH, *_SCALES], key=len, reverse=True))})"
ENGLISH = (
    rf"(?:\b(?:half\ (?:a\ )?(?=(?:dozen|million|billion|thousand|hundred)\b)|an?\ (?=(?:{'|'.join(_SCALES)})\b))?"
    rf"{_WORD}(?:(?:\ |-|\ and\ (?!a\ )){_WORD})*(?:\ and\ a\ half)?\b|\b(?:{'|'.join(ORDINALS)})\b)"
)
"""A number in English words, in small letters."""

_PARTS = re.compile(rf"{_WORD}|half")


def digits(text: str) -> Decimal:
    """What a match of ``DIGITS`` is worth."""
    if both := re.fullmatch(r"(\d+)万(\d+)([千百]?)(\d*)", text):  # 1万2千, 12万5, 3万5000
        rest = int(both[2]) * (_TENS[both[3]] if both[3] else 10 ** max(0, 4 - len(both[2]))) + int(both[4] or 0)
        return Decimal(int(both[1]) * 10**4 + rest)
    number = re.match(r"[\d,.]*\d", text)
    assert number is not None
    value = Decimal(number[0].replace(",", "")[:60])
    factor = text[number.end() :].strip()
    return value * _FACTORS[factor] if factor else value


def english(text: str) -> Decimal:
    """What a match of ``ENGLISH`` is worth."""
    if text in ORDINALS:
        return Decimal(ORDINALS[text])
    total = current = Decimal(0)
    half = text.startswith("half")
    for word in _PARTS.findall(text.removeprefix("half")):
        if word == "half":
            current += Decimal("0.5")
        elif word in _ENGLISH:
            current += _ENGLISH[word]
        elif _SCALES[word] < 1000:
            current = (current or 1) * _SCALES[word]
        else:
            total += (current or 1) * _SCALES[word]
            current = Decimal(0)
    return (total + current) / 2 if half else total + current


def han(text: str) -> Iterator[Decimal]:
    """What a match of ``HAN`` may be worth: mostly one value, for 三四 and 五六百 two; none for what is no number."""
    whole, _, fraction = text.partition("点")
    if len(whole) > _LONGEST:
        return
    if text in ("俩", "仨"):
        yield Decimal(_DIGITS[text])
    elif all(char in _DIGITS for char in whole):
        figures = "".join(str(_DIGITS[char]) for char in whole)
        if len(figures) == 2 and int(figures[1]) == int(figures[0]) + 1 and not fraction:
            yield from (Decimal(figure) for figure in figures)
        elif len(figures) == 1 or len(figures) > 2 or "0" in figures:
            after = "".join(str(_DIGITS[char]) for char in fraction)
            yield Decimal(f"{figures[:60]}.{after[:60]}" if after else figures[:60])
    elif whole[0] in "百千万亿":
        return  # 百度, 万一, 千万
    elif two := re.fullmatch(rf"([{_ONES}])([{_ONES}])([十百千万亿])", whole):
        yield from (_place(char + two[3]) for char in two.groups()[:2])
    else:
        yield _place(whole) + (Decimal("0." + "".join(str(_DIGITS[char]) for char in fraction)) if fraction else 0)


def _place(text: str) -> Decimal:
    """A number by places, also 一万二 and 三千五."""
    total = section = figure = 0
    last = 1
    zero = False
    for char in text:
        if char in _MYRIADS:
            section = (section + figure or 1) if section or figure else 1
            total = (total + section) * _MYRIADS[char] if char == "亿" else total + section * _MYRIADS[char]
            section = figure = 0
            last, zero = _MYRIADS[char], False
        elif char in _TENS:
            section += (figure or 1) * _TENS[char]
            last, figure, zero = _TENS[char], 0, False
        else:
            figure = figure * 10 + _DIGITS[char]
            zero = zero or not _DIGITS[char]
    if figure and not zero and last >= 100 and figure < 10:
        figure *= last // 10
    return Decimal(total + section + figure)
