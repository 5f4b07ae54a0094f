"""Where the names that a model gives stand in a message, as names of the user's own words.  Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from jiyi.entities import form_of
from jiyi.grounding import locate
from jiyi.mentions import ONESELF, USER
from jiyi.rules import borrowed
from jiyi.text import flat
from jiyi.types import Message

_LONGEST = 60  # characters of a name
_USER = ONESELF | {"self", "speaker", "说话人", "使用者"}
_NO_NAMES = frozenset(
    word
    for line in (
        "he she it they we you him her them us his its their this that these those here there who what which someone",
        "somebody something anyone everyone everybody nobody one ones people person thing things man woman guy none",
        "null unknown n/a today yesterday tomorrow now",
        "他 她 它 他们 她们 它们 我们 咱们 你 您 你们 这 那 这个 那个 这里 那里 谁 什么 有人 人 大家 自己 对方",
        "今天 昨天 明天 无 未知",
    )
    for word in line.split()
)  # fmt: skip
_ME = re.compile(r"\b(?:i|me|my|mine|myself|we|our|us)\b|[我咱俺]|本人", re.IGNORECASE)
_BEFORE = re.compile(r"(?:(?:the|an?|my|our|his|her|their|its)\s+|我们?的|咱们?的|[他她它]的)+", re.IGNORECASE)
_MARKS = " \t\"'“”‘’「」『』《》〈〉*_`.,，。、:：;；!！?？()（）[]【】"
_SENTENCE = re.compile(r"[。！？!?;；\n]|\.\s")
_PRONOUN = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|this|that|which|who|where)\b|[他她它其该此]|这|那",
    re.IGNORECASE,
)
_HAN = re.compile("[\u3400-\u9fff]")


class Place(NamedTuple):
    """A name in a message.

    Attributes:
        name: as it is written there, or ``USER``.
        start, end: its characters; of the user the word for them, and an empty place where there is none.
    """

    name: str
    start: int
    end: int

    @property
    def form(self) -> str:
        """What it is compared by."""
        return form_of(self.name)


def place_of(name: str, message: Message, quote: tuple[int, int], sentence: tuple[int, int]) -> Place | None:
    """Where a name stands: in the quote, else in its sentence, else before it where a pronoun stands for it; None for
    what is no name, or does not stand there as the user's own word.

    Args:
        name: as a model gives it.
        message: the message.
        quote, sentence: the characters [start, end) of the quote and of the sentences that it stands in.
    """
    if flat(name) in _USER:
        return _user(message.text, quote, sentence)
    if not _is_name(name):
        return None
    for start, end in (quote, sentence):
        if (found := _find(message.text, name, start, end)) is not None:
            return found if not borrowed(message, found.start, found.end) else None
    said = message.text[slice(*quote)]
    if not _PRONOUN.search(said) and not _HAN.search(said):
        return None
    found = _find(message.text, name, 0, quote[0])
    return found if found is not None and not borrowed(message, found.start, found.end) else None


def apart(text: str, one: Place, other: Place, end: int) -> tuple[Place, Place]:
    """Two places in order; of one within the other, as 蓝湾 in 蓝湾物流, the next one before ``end``."""
    if USER in (one.name, other.name) or one.end <= other.start or other.end <= one.start:
        return (one, other) if one.start <= other.start else (other, one)
    short, long = sorted((one, other), key=lambda place: place.end - place.start)
    found = text.find(short.name, long.end, end)
    return (long, Place(short.name, found, found + len(short.name))) if found >= 0 else (one, other)


def words_at(words: str, text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where a few words stand in the characters [start, end) of a text."""
    found = locate(text[start:end], words)
    return (start + found[0], start + found[1]) if found else None


def _is_name(name: str) -> bool:
    form = form_of(name)
    bare = form_of(_BEFORE.sub("", form, count=1)) if _BEFORE.match(form) else form
    if not bare or len(name) > _LONGEST or _SENTENCE.search(name.strip(_MARKS)):
        return False
    return bare not in _NO_NAMES and bare not in _USER and any(char.isalnum() for char in bare) and not bare.isdigit()


def _find(text: str, name: str, start: int, end: int) -> Place | None:
    """A name within the characters [start, end), as a word of its own, without an article or "my"."""
    inside = text[start:end]
    wanted = name.strip(_MARKS)
    found = re.search(rf"(?<![^\W_]){re.escape(wanted)}(?![^\W_])", inside, re.IGNORECASE) if wanted.isascii() else None
    span = found.span() if found else _at(inside, wanted)
    if span is None:
        return None
    first, last = span
    if article := _BEFORE.match(inside, first, last):
        first = article.end()
    while first < last and inside[first] in _MARKS:
        first += 1
    while first < last and inside[last - 1] in _MARKS:
        last -= 1
    return Place(inside[first:last], start + first, start + last) if last > first else None


def _at(text: str, wanted: str) -> tuple[int, int] | None:
    at = text.find(wanted) if not wanted.isascii() else -1
    return (at, at + len(wanted)) if at >= 0 else locate(text, wanted)


def _user(text: str, quote: tuple[int, int], sentence: tuple[int, int]) -> Place:
    for start, end in (quote, sentence):
        if found := _ME.search(text, start, end):
            return Place(USER, *found.span())
    return Place(USER, quote[0], quote[0])
