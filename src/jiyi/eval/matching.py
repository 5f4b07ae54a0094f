"""Whether an answer says what the reference says, by rules alone.  Pure; Chinese and English."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

CLOSE = 0.6
"""Token F1 from which an answer counts as right, where it has all numbers and dates of the reference."""

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
           "december")  # fmt: skip
_MONTH = "|".join(f"{name}|{name[:3]}" for name in _MONTHS) + "|sept"
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_DATES = [
    re.compile(text)
    for text in (
        r"(?<!\d)(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)",
        r"(?:(?P<y>\d{4})\s*年\s*)?(?P<m>\d{1,2})\s*月(?:份|\s*(?P<d>\d{1,2})\s*[日号])?",
        rf"\b{_DAY}\s*(?:of\s+)?(?P<m>{_MONTH})\b\.?,?(?:\s*(?P<y>\d{{4}})\b)?",
        rf"\b(?P<m>{_MONTH})\b\.?\s+{_DAY}\b(?!\d),?(?:\s*(?P<y>\d{{4}})\b)?",
        rf"\b(?P<m>{_MONTH})\b\.?,?\s+(?P<y>\d{{4}})\b",
        r"(?<![\d.,=])(?P<y>(?:19|20)\d\d)(?:年|(?![\d.,]*\d))",
    )
]

_ONES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
         "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBERS = {word: at for at, word in enumerate(_ONES)} | {word: 10 * at for at, word in enumerate(_TENS, 2)}
_WORDS = re.compile(
    rf"\b(?P<tens>{'|'.join(_TENS)})[- ](?P<ones>{'|'.join(_ONES[1:10])})\b|\b(?P<word>{'|'.join(_NUMBERS)})\b"
)

_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
_MEASURES = "年月日号天周岁个只次元块点分秒片条本件家层楼名位号公里米斤杯瓶张套度"
_CHINESE = re.compile(rf"[{''.join((*_DIGITS, *_POWERS))}]{{2,}}|[{''.join((*_DIGITS, '十'))}](?=[{_MEASURES}])")
_LARGE = re.compile(r"(\d+(?:\.\d+)?)\s*([千万亿])")
_TOKEN = re.compile(r"[ymd]=\d+|\d+(?:\.\d+)?|%|[\u3400-\u9fff]|[^\W\d_\u3400-\u9fff]+")
_PASSED_OVER = frozenset(("a", "an", "the", "的", "了"))

_DECLINES = re.compile(
    r"(?:do(?:n't| not)|cannot|can't|could not|couldn't) (?:know|recall|remember|answer|determine|tell|find)"
    r"|(?:not|never|n't) (?:been )?(?:mention|state|specif|say|said|provid|discuss|record|known)"
    r"|no (?:information|mention|record|details?)\b|\bunknown\b|unable to (?:answer|determine|tell)"
    r"|not enough information|不知道|不清楚|不了解|不确定|无法(?:回答|确定|得知|判断)|没有.{0,6}信息"
    r"|(?:没有?|未|并未)(?:被)?(?:提到|提及|提过|说过|说明|谈到|记录|相关|找到)",
)


@dataclass(frozen=True, slots=True)
class Match:
    """How an answer compares with the reference.

    Attributes:
        right: the verdict.
        exact: the same, but for case, punctuation, articles, and the form of numbers and dates.
        contains: the reference stands in the answer as it is.
        f1: of the tokens both have; Chinese by characters.
        declined: the answer says that it does not know.
    """

    right: bool
    exact: bool
    contains: bool
    f1: float
    declined: bool


def compare(answer: str, reference: str) -> Match:
    """Compares an answer with the reference of a question that can be answered.

    Right is what is exact; what contains the reference and is not much longer; and what has a token F1 of at least
    ``CLOSE`` with every number and date of the reference.  An answer that declines is never right.
    """
    said, wanted = tokens(answer), tokens(reference)
    exact = said == wanted and bool(wanted)
    contains = _stands_in(wanted, said)
    f1 = _f1(said, wanted)
    short = len(said) <= 20 + 4 * len(wanted)  # one that says everything says nothing
    declined = declines(answer) and not declines(reference)
    close = f1 >= CLOSE and not Counter(filter(_counts, wanted)) - Counter(filter(_counts, said))
    return Match(not declined and (exact or (contains and short) or close), exact, contains, f1, declined)


def chosen(answer: str, option: str, choices: Mapping[str, str]) -> Match:
    """Whether the answer takes the right one of the choices (letter -> text)."""
    taken = _taken(answer, choices)
    declined = taken is None and declines(answer)
    right = taken == option
    return Match(right, right, right, float(right), declined)


def declined(answer: str) -> Match:
    """For a question that cannot be answered: right is to say so."""
    said = declines(answer)
    return Match(said, said, said, float(said), said)


def declines(answer: str) -> bool:
    """Whether the answer says that it does not know."""
    return bool(_DECLINES.search(unicodedata.normalize("NFKC", answer).casefold().replace("’", "'")))


def tokens(text: str) -> list[str]:
    """Words, Chinese characters and numbers; dates as year, month, day, whatever their form."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("percent", "%").replace("per cent", "%")
    text = _WORDS.sub(_of_words, text)
    text = _CHINESE.sub(lambda found: str(_of_chinese(found[0])), text)
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    for date in _DATES:
        text = date.sub(_parts, text)
    text = _LARGE.sub(_multiplied, text)
    return [token for token in _TOKEN.findall(text) if token not in _PASSED_OVER]


def _of_words(found: re.Match[str]) -> str:
    if found["word"]:
        return str(_NUMBERS[found["word"]])
    return str(_NUMBERS[found["tens"]] + _NUMBERS[found["ones"]])


def _of_chinese(text: str) -> int:
    if not any(char in _POWERS for char in text):  # read digit by digit, as years are
        return int("".join(str(_DIGITS[char]) for char in text))
    whole, part, digit = 0, 0, 0
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char == "万":
            whole, part, digit = (part + digit or 1) * 10_000, 0, 0
        else:
            part, digit = part + (digit or 1) * _POWERS[char], 0
    return whole + part + digit


def _parts(found: re.Match[str]) -> str:
    given = found.groupdict()
    month = given.get("m")
    if month and not month.isdigit():
        month = str(1 + next(at for at, name in enumerate(_MONTHS) if name.startswith(month[:3])))
    parts = (("y", given.get("y")), ("m", month), ("d", given.get("d")))
    return " " + " ".join(f"{name}={int(value)}" for name, value in parts if value) + " "


def _multiplied(found: re.Match[str]) -> str:
    value = float(found[1]) * {"千": 1e3, "万": 1e4, "亿": 1e8}[found[2]]
    return f" {value:.10g} "


def _counts(token: str) -> bool:
    """Whether a token is a number or a part of a date, which must be the same; one is as often an article."""
    return any(char.isdigit() for char in token) and token != "1"


def _stands_in(inner: Sequence[str], outer: Sequence[str]) -> bool:
    size = len(inner)
    return size > 0 and any(list(outer[at : at + size]) == list(inner) for at in range(len(outer) - size + 1))


def _f1(said: Sequence[str], wanted: Sequence[str]) -> float:
    common = sum((Counter(said) & Counter(wanted)).values())
    return 2 * common / (len(said) + len(wanted)) if common else 0.0


def _taken(answer: str, choices: Mapping[str, str]) -> str | None:
    """The letter the answer is or begins with, else the one choice whose text stands in it, else the one letter in it;
    None when nothing is clear.
    """
    letters = "".join(map(re.escape, choices))
    text = unicodedata.normalize("NFKC", answer).strip()
    alone = text.strip(" ().:;,。、\"'*")
    if alone.upper() in choices:
        return alone.upper()
    if found := re.match(rf"\W*([{letters}])[.:),、。]", text):
        return found[1]
    said = tokens(answer)
    named = [letter for letter, choice in choices.items() if _stands_in(tokens(choice), said)]
    if len(named) == 1:
        return named[0]
    letter = set(re.findall(rf"(?<![a-zA-Z])([{letters}])(?![a-zA-Z'])", text))
    return letter.pop() if len(letter) == 1 and not named else None
