"""Derivations that are overtaken: another one changes what a user's records are while they read and think.

Rules and a model derive from the same messages, in two lanes.  Each leaves to the other what is the other's, by what it
has read; so what it has read must still be so when it commits.  A lane then derives again, with the replies it already
has.  This holds within a process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from jiyi.types import Changes, Scope

TRIES = 4
"""Times that an overtaken derivation is done; the last result is written however it is."""


@dataclass(eq=False, slots=True)
class Derivation:
    """One that is under way; ``overtaken`` once records that it may have read have changed."""

    overtaken: bool = False


class UnderWay:
    """The derivations under way in a process.

    Attributes:
        writing: held while one looks whether it was overtaken, and commits.
    """

    def __init__(self) -> None:
        self.writing = asyncio.Lock()
        self._scopes: dict[Scope, list[Derivation]] = {}

    @contextmanager
    def derivation(self, scope: Scope) -> Generator[Derivation, None, None]:
        """One that begins now, and is under way until the end of the block."""
        mine = Derivation()
        there = self._scopes.setdefault(scope, [])
        there.append(mine)
        try:
            yield mine
        finally:
            there.remove(mine)
            if not there:
                del self._scopes[scope]

    def written(self, scope: Scope, changes: Changes, by: Derivation) -> None:
        """Tells the others what was committed."""
        if changes.put or changes.drop or changes.close or changes.stale:
            for other in self._scopes.get(scope, ()):
                other.overtaken = other.overtaken or other is not by
