"""What was tried, with what came of it, within one limit in time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from jiyi.types import JSON

State = Literal["ok", "note", "bad", "skipped"]
"""``note``: Jiyi does with it; ``skipped``: not tried, because of something else that is bad."""

_QUOTED = 60
"""Characters of an answer that are shown."""


class Found(NamedTuple):
    """What came of one try: for people, and for programs."""

    state: State
    what: str
    value: Mapping[str, JSON] = {}


@dataclass(frozen=True, slots=True)
class Tried:
    """One thing that was tried.

    Attributes:
        name: ``address``, ``chat``, ``stream``, ``chinese``, ``schema``, ``thoughts``, ``usage``, ``context``;
            ``embedding``, ``vectors``, ``batch``.
        what: what was seen, and the way out of what is bad.
        seconds: how long it took.
        value: what was measured, by name.
    """

    name: str
    state: State
    what: str
    seconds: float = 0.0
    value: Mapping[str, JSON] = field(default_factory=dict[str, JSON])


class Trial:
    """Does one part after the other within seconds that all share, which begin with the first."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end: float | None = None

    async def part(self, name: str, work: Coroutine[Any, Any, Found]) -> Tried:
        """Does one thing.  Whatever goes wrong is what came of it."""
        now = asyncio.get_running_loop().time
        began = now()
        if self._end is None:
            self._end = began + self.seconds
        try:
            async with asyncio.timeout_at(self._end):
                found = await work
        except TimeoutError:
            found = Found("bad", f"not done within {self.seconds:g} seconds in all; give more with --timeout")
        except Exception as error:  # of a plugin too: to say what is wrong with it is what this is for
            found = Found("bad", str(error) or type(error).__name__)
        return Tried(name, found.state, found.what, now() - began, found.value)


def skipped(*names: str) -> list[Tried]:
    """Parts that were not tried."""
    return [Tried(name, "skipped", "not tried") for name in names]


def quoted(text: str) -> str:
    """An answer on one line, or its beginning."""
    line = " ".join(text.split())
    return f"“{line}”" if len(line) <= _QUOTED else f"“{line[: _QUOTED - 1]}…”"


__all__ = ["Found", "Tried", "State", "Trial", "quoted", "skipped"]
