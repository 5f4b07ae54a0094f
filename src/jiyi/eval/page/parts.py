"""What a page is made of: tables, bars and plots, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text; all columns after the first ``words`` are numbers.

    Attributes:
        marked: numbers of the rows that stand out.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1
    marked: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Bar:
    """A share, 0..1, with what it says; ``low`` and ``high`` are the ends of its interval, where it has one."""

    name: str
    value: float
    note: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Bars:
    """Shares beside each other."""

    title: str
    bars: Sequence[Bar]


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a plot; y is a share with its interval, where it has one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """Points that belong together; a single one is a mark."""

    name: str
    points: Sequence[Point]


@dataclass(frozen=True, slots=True)
class Plot:
    """Lines over two axes; the upright one is a share.

    Attributes:
        x, y: what the axes say.
        share: x is a share too.
        log: x grows by factors.
    """

    title: str
    x: str
    y: str
    lines: Sequence[Line]
    share: bool = False
    log: bool = False


Part: TypeAlias = Table | Bars | Plot


@dataclass(frozen=True, slots=True)
class Section:
    """One measurement on a page.

    Attributes:
        said: paragraphs before the parts.
        advice: what to take from it, "" for nothing.
    """

    title: str
    said: Sequence[str]
    parts: Sequence[Part]
    advice: str = ""
