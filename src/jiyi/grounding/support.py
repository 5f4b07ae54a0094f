"""What a derived text states and its sources lack."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import cast

from jiyi.grounding import negations
from jiyi.grounding.moments import Date
from jiyi.grounding.parts import sentences
from jiyi.grounding.plain import lower, plain
from jiyi.grounding.units import UNITS, WORD
from jiyi.grounding.values import ORDINAL, Value, values

_WORD = re.compile(r"[a-z0-9\u00c0-\u024f]+(?:['-][a-z0-9\u00c0-\u024f]+)*")

_ALIKE = {ORDINAL: {"", ORDINAL}, "age": {"", "age", "year"}, "year": {"age", "year"}}
"""Units that mean the same as another, or that may go without saying."""


def unsupported(derived: str, sources: Sequence[str], known: Sequence[str] = ()) -> tuple[str, ...]:
    """The words of a derived text that state a value which its sources lack, in order; empty when all is grounded.

    A value is a number, an amount with its unit, a date, weekday or time, a name, a code, an address on the net, or
    that something is not so.  What is said in other words or in the other language is the same value (500元 = five
    hundred yuan, 下午两点 = 14:00); a rounded number, another unit or currency, a date that was worked out, and a
    negation that came in or was lost are not.

    Args:
        sources: what was said, whole messages: a negation may stand beside the quote.
        known: further texts whose values count as said, such as the names of the speakers, and the dates that relative
            words mean; what they deny does not count.
    """
    return Sources(sources, known).unsupported(derived)


class Sources:
    """What was said, for several derived texts: it is read once, when a value of it is first asked for."""

    def __init__(self, sources: Sequence[str], known: Sequence[str] = ()) -> None:
        self._sources = sources
        self._said = _Said([*sources, *known])
        self._clauses: list[list[negations.Clause]] | None = None

    @cached_property
    def _verbatim(self) -> frozenset[str]:
        """Whole sentences, and whole texts: what is said word for word is said, however odd it is."""
        parts = (source[start:end] for source in self._sources for start, end in sentences(source))
        return frozenset(parts) | {source.strip() for source in self._sources}

    def unsupported(self, derived: str) -> tuple[str, ...]:
        """See ``unsupported``."""
        if derived.strip() in self._verbatim:
            return ()
        if self._clauses is None:
            self._clauses = [negations.read(source) for source in self._sources]
        spans = [
            (value.start, value.end)
            for value in values(derived)
            if value.kind != "negation" and not self._said.has(value)
        ]
        spans += negations.changed(negations.read(derived), self._clauses)
        return tuple(dict.fromkeys(derived[start:end] for start, end in sorted(spans)))


class _Said:
    """The values of the sources, kind by kind."""

    def __init__(self, sources: Sequence[str]) -> None:
        self._sources = sources
        self._texts = [lower(plain(source)) for source in sources]

    @cached_property
    def _values(self) -> Mapping[str, Sequence[Value]]:
        found: dict[str, list[Value]] = {}
        for source in self._sources:
            for value in values(source):
                found.setdefault(value.kind, []).append(value)
        return found

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word for text in self._texts for word in _spoken(text))

    @cached_property
    def _units(self) -> frozenset[str]:
        return frozenset(UNITS[found[0]] for text in self._texts for found in WORD.finditer(text))

    def has(self, stated: Value) -> bool:
        """Whether a value was said."""
        if stated.kind == "name":
            return self._has_name(cast("str", stated.value))
        said = self._values.get(stated.kind, ())
        match stated.kind:
            case "number":
                return self._has_number(stated, said)
            case "date":
                date = cast("Date", stated.value)
                if any(date.covers(cast("Date", other.value)) for other in said):
                    return True
                year = date.year
                return year is not None and any(other.value == year for other in self._values.get("number", ()))
            case "weekday":
                return any(stated.value == other.value for other in said)
            case "time":
                minutes = cast("frozenset[int]", stated.value)
                return any(minutes & cast("frozenset[int]", other.value) for other in said)
            case _:
                return self._has_code(cast("str", stated.value), said)

    def _has_number(self, stated: Value, said: Iterable[Value]) -> bool:
        same: list[Value] = []
        counted = False  # what it counts was counted, as something else
        for other in said:
            if other.value == stated.value:
                same.append(other)
            counted = counted or bool(stated.of and other.of == stated.of)
        if stated.value == 1 and stated.word and not stated.unit:
            return not counted or any(other.of == stated.of for other in same)
        if stated.unit:
            same_unit = _ALIKE.get(stated.unit, {stated.unit})
            return any(other.unit in same_unit or (not other.unit and self._names(stated.unit)) for other in same)
        if self._has_year(cast("Decimal", stated.value)):
            return True
        return (
            bool(same)
            and (not counted or any(other.of in ("", stated.of) for other in same))
            or self._has_digits(stated)
        )

    def _has_year(self, number: Decimal) -> bool:
        dates = (cast("Date", other.value) for other in self._values.get("date", ()))
        return any(not date.yearless and not date.relative and date.start.year == number for date in dates)

    def _has_digits(self, stated: Value) -> bool:
        """A number such as that of a telephone, which was said with dashes in it."""
        number = cast("Decimal", stated.value)
        return number >= 10**5 and any(str(number) == other.value for other in self._values.get("code", ()))

    def _names(self, unit: str) -> bool:
        """Whether a unit is named anywhere, perhaps apart from its number."""
        return unit in self._units

    def _has_code(self, code: str, said: Iterable[Value]) -> bool:
        if any(code == other.value for other in said):
            return True
        if code.isdecimal():
            return any(str(other.value) == code for other in self._values.get("number", ()))
        return any(re.search(rf"(?<![a-z0-9]){re.escape(code)}(?![a-z0-9])", text) for text in self._texts)

    def _has_name(self, name: str) -> bool:
        if not name.isascii() and not name[0].isalpha() or name[0] >= "\u3000":
            return any(name in text for text in self._texts)
        if name in self._words or name.rstrip("s") in self._words or self._words.issuperset(name.split("-")):
            return True
        return any(re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", text) for text in self._texts)


def _spoken(text: str) -> Iterable[str]:
    for word in _WORD.findall(text):
        yield word
        yield word.removesuffix("'s").removesuffix("'").rstrip("s")
        yield from word.split("-")
