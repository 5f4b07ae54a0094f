"""What a model's reply lists: JSON as models really write it, with fences, talk around it, or cut off in the middle.

Nothing is guessed: what is not whole, or cannot be read for sure, is not given.  Pure, and linear in the reply.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from jiyi.thinking import TAGS
from jiyi.types import JSON

_READ = 200_000  # characters of a reply that are looked at
_TRIES = 500  # brackets at which a value may begin
_DEEP = 30  # values within values: nothing that a model was asked for has more
_DIGITS = 40  # of a number

_CLOSES = dict(TAGS)
_BEGIN = re.compile("|".join(re.escape(tag) for pair in TAGS for tag in pair) + r"|[{\[]")
_SPACE = re.compile(r"\s*+")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_SINGLE = re.compile(r"'((?:[^'\\]|\\.)*+)'", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*+")
_NUMBER = re.compile(rf"-?\d{{1,{_DIGITS}}}(?:\.\d{{1,{_DIGITS}}})?(?:[eE][+-]?\d{{1,3}})?(?![\w.])")
_WORDS: Mapping[str, JSON] = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\", "/": "/"}
_FENCE = re.compile(r"```\w*")
_TALK = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Listed:
    """What a reply lists.

    Attributes:
        items: the values that are whole, in order; whatever they are.
        found: there is a list at all, perhaps an empty one.
        whole: nothing was cut off, and everything that looks like a value could be read.
    """

    items: tuple[JSON, ...] = ()
    found: bool = False
    whole: bool = True


def listed(reply: str, name: str) -> Listed:
    """The list in a reply.

    Args:
        reply: an object with the list under ``name`` (null is an empty one, an object a list of one), or the list
            alone, or objects one after the other; around it anything, such as a thought or a fence.  Where there are
            several with talk between them, the last.  Quotes may be single, names may have none, a comma may stand
            before a bracket that closes, and a backslash that escapes nothing stands for itself.
        name: the list's name.
    """
    values = list(_values(reply[:_READ], name))
    usable = [value for value in values if value.items is not None]
    run = [value for value in usable if value.named] or usable
    items = tuple(item for value in run if value.run == run[-1].run for item in value.items or ())
    return Listed(items, bool(run), len(reply) <= _READ and all(value.whole for value in values))


@dataclass(frozen=True, slots=True)
class _Value:
    """An outermost value of a reply.

    Attributes:
        items: what it lists; None where it lists nothing.
        named: it is an object with the list in it.
        whole: it was read to its end.
        run: number of the stretch without talk in which it stands.
    """

    items: list[JSON] | None
    named: bool
    whole: bool
    run: int


def _values(reply: str, name: str) -> Iterator[_Value]:
    """The outermost values, in order; not those of a thought, which ends at a tag, or with the reply."""
    found: list[_Value] = []
    at = end = run = 0
    for _ in range(_TRIES):
        begin = _BEGIN.search(reply, at)
        if begin is None:
            break
        if begin[0] in _CLOSES:
            close = reply.find(_CLOSES[begin[0]], begin.end())
            at = len(reply) if close < 0 else close + len(_CLOSES[begin[0]])
            continue
        if len(begin[0]) > 1:  # a thought that the prompt has opened
            found, at = [], begin.end()
            continue
        reader = _Reader(reply, begin.start())
        whole = reader.read()
        if whole or reader.anything:
            run += bool(_TALK.search(_FENCE.sub("", reply[end : begin.start()])))
            found.append(_Value(*_items(reader, name, whole=whole), whole, run))
            end = reader.at
        at = max(reader.at, begin.end())
    yield from found


def _items(reader: _Reader, name: str, *, whole: bool) -> tuple[list[JSON] | None, bool]:
    """What a value lists as far as it was read, and whether by name."""
    outer = reader.open[0]
    if isinstance(outer, list):
        return outer, False
    inner: JSON | None = outer.get(name)
    if name not in outer:
        if reader.name != name or whole or len(reader.open) < 2:
            return ([outer], False) if whole else (None, False)
        inner = reader.open[1] if isinstance(reader.open[1], list) else "cut off"
    if inner is None or isinstance(inner, list):
        return inner or [], True
    return ([inner] if isinstance(inner, Mapping) else None), True


class _Unreadable(Exception):
    """The value ends here, before its end."""


class _Reader:
    """Reads one value.

    Attributes:
        at: how far it came.
        open: the objects and lists that it is in, each with what is whole in it; the outermost stays.
        name: what the outermost object was about to get.
    """

    def __init__(self, text: str, at: int) -> None:
        self.at = at
        self.open: list[dict[str, JSON] | list[JSON]] = []
        self.name = ""
        self._text = text

    def read(self) -> bool:
        """Whether the value is whole."""
        try:
            self._container()
        except _Unreadable:
            return False
        return True

    @property
    def anything(self) -> bool:
        """Whether something in it could be read: otherwise it was just a bracket."""
        return len(self.open) > 1 or bool(self.open[0] or self.name)

    def _peek(self) -> str:
        self.at = _SPACE.match(self._text, self.at).end()  # type: ignore[union-attr]
        if self.at >= len(self._text):
            raise _Unreadable
        return self._text[self.at]

    def _value(self) -> JSON:
        match self._peek():
            case "{" | "[":
                return self._container()
            case '"' | "'":
                return self._string()
            case _:
                return self._word()

    def _container(self) -> JSON:
        if len(self.open) >= _DEEP:
            raise _Unreadable
        filled = self._object() if self._text[self.at] == "{" else self._list()
        if len(self.open) > 1:
            self.open.pop()
        return filled

    def _object(self) -> dict[str, JSON]:
        filled: dict[str, JSON] = {}
        self.open.append(filled)
        depth = len(self.open)
        self.at += 1
        while self._peek() != "}":
            name = self._string() if self._peek() in "\"'" else self._match(_NAME)
            self._step(":")
            if depth == 1:
                self.name = name
            filled[name] = self._value()
            if self._peek() != "}":
                self._step(",")
        self.at += 1
        return filled

    def _list(self) -> list[JSON]:
        filled: list[JSON] = []
        self.open.append(filled)
        self.at += 1
        while self._peek() != "]":
            filled.append(self._value())
            mark = self._peek()
            if mark != "]" and not (mark == "{" and isinstance(filled[-1], dict)):  # a comma between objects may lack
                self._step(",")
        self.at += 1
        return filled

    def _step(self, mark: str) -> None:
        if self._peek() != mark:
            raise _Unreadable
        self.at += 1

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self.at)
        if found is None:
            raise _Unreadable
        self.at = found.end()
        return found[pattern.groups]

    def _string(self) -> str:
        text = self._match(_DOUBLE if self._text[self.at] == '"' else _SINGLE)
        return text if "\\" not in text else _joined(_ESCAPE.sub(_plain, text))

    def _word(self) -> JSON:
        if (word := _NAME.match(self._text, self.at)) is not None:
            if word[0] not in _WORDS:
                raise _Unreadable
            self.at = word.end()
            return _WORDS[word[0]]
        number = self._match(_NUMBER)
        if number.lstrip("-").isdecimal():
            return int(number)
        return value if math.isfinite(value := float(number)) else None


def _plain(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return _ESCAPES.get(escape[2], escape[0])


def _joined(text: str) -> str:
    """With the halves of characters joined, where both are there."""
    if not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


__all__ = ["Listed", "listed"]
