"""Which names stand in a question.  Pure.

Chinese has no borders between words, so every stretch of a question may be a name; the longest one wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from jiyi.entities import form_of
from jiyi.mentions import USER
from jiyi.text import flat

_LOOKED, _TOKENS = 1_000, 128  # characters of a question that are looked at; words and signs that may be names
_WORDS, _CHARACTERS = 8, 16  # of a name, at most: words with borders, characters without

_HAN = "\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
_TOKEN = re.compile(rf"[{_HAN}]|[^\W{_HAN}]+|[^\s\w]")
_IS_HAN = re.compile(f"[{_HAN}]")
_BEGINS = re.compile(r"[\w.#@]")
_POLITE = re.compile(
    r"\b(?:can|could|would|will) you (?:please )?(?:tell|show|remind|give|help|let) me(?: know)?\b"
    r"|\b(?:tell|show|remind|give|help|let) me(?: know)?\b|\bdo you know\b|\bi(?: want|'d like| would like) to know\b"
    r"|\bi (?:wonder|forgot|forget|think|mean)\b"
    r"|(?:请?(?:告诉|提醒|帮|给|跟|替)我(?:说说?|讲讲?|看看?|查一?查|找一?找)?)|我(?:想(?:知道|问(?:问|一下)?|了解)|忘了|记得|觉得)"
)
_ME = re.compile(r"(?<![\w'])(?:i|me|my|mine|myself|we|us|our|ours)(?!\w)|[我咱](?:们)?|本人")


@dataclass(frozen=True, slots=True)
class Named:
    """A name in a question, in ``flat`` writing: the characters [start, end) of ``flat(question)``."""

    name: str
    start: int
    end: int


def stretches(question: str) -> list[Named]:
    """Every part of a question that may be a name, and ``USER`` where it speaks of oneself; the longest first."""
    text = without_manners(question)
    spans = [match.span() for match in _TOKEN.finditer(text)]
    parts = [spans] if len(spans) <= _TOKENS else [spans[: _TOKENS // 2], spans[-_TOKENS // 2 :]]
    found = [one for part in parts for one in _among(text, part)]
    found += [Named(USER, *match.span()) for match in _ME.finditer(text)]
    return sorted(found, key=lambda one: (one.start - one.end, one.start))


def _among(text: str, tokens: Sequence[tuple[int, int]]) -> Iterator[Named]:
    """What may be a name of these words and signs, which follow each other."""
    for first, (start, _) in enumerate(tokens):
        if not _BEGINS.match(text, start):
            continue
        size = 0.0
        for _, end in tokens[first:]:
            last = text[end - 1]
            size += 1 / _CHARACTERS if _IS_HAN.match(last) or not last.isalnum() else 1 / _WORDS
            if size > 1.0:
                break
            if _is_name(text[start:end]):
                yield Named(text[start:end], start, end)


def _is_name(words: str) -> bool:
    return len(words) > 1 or (words.isalnum() and not _IS_HAN.match(words) and words not in ("a", "i"))


def looked_at(question: str) -> str:
    """The beginning and the end of what is asked: a message may be a pasted book."""
    return question if len(question) <= _LOOKED else f"{question[: _LOOKED // 2]}\n{question[-_LOOKED // 2 :]}"


def without_manners(question: str) -> str:
    """The question in ``flat`` writing, blanks in the place of "can you tell me" and 告诉我: nobody is meant."""
    return _POLITE.sub(lambda match: " " * len(match[0]), flat(looked_at(question)))


def named(question: str, names: Mapping[str, Iterable[str]]) -> list[Named]:
    """The names that stand in a question, in their order there; none within a longer one.

    Args:
        question: as it was asked.
        names: name as it is compared (``entities.form_of``) -> how it is written.  A short one that is a usual word
            too (Go) counts only where a question that has capitals writes it so.
    """
    found: list[Named] = []
    question = looked_at(question)
    taken = set[int]()
    for one in stretches(question):
        if one.name in names and taken.isdisjoint(range(one.start, one.end)):
            if one.name != USER and _is_another_word(one.name, question, names[one.name]):
                continue
            found.append(one)
            taken.update(range(one.start, one.end))
    return sorted(found, key=lambda one: one.start)


def _is_another_word(name: str, question: str, written: Iterable[str]) -> bool:
    if len(name) > 4 or not name.isascii() or not any(char.isupper() for char in question[1:]):
        return False
    forms = [form for form in written if form_of(form) == name]
    return bool(forms) and all(form != form.lower() and form not in question for form in forms)


def rest(question: str, found: Sequence[Named]) -> str:
    """What a question says beside the names, in ``flat`` writing."""
    text = without_manners(question)
    for one in found:
        text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
    return " ".join(re.sub(r"(?<= )'s\b", " ", text).split())
