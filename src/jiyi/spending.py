"""What chat models are used for, counted for each user, day and purpose; and how much of a day's limit is left.

A day is one of the clock in UTC, whatever the user's zone: providers count so, and it never repeats an hour.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from jiyi.errors import LimitReached, StoreError
from jiyi.ports import Clock, Store
from jiyi.types import Progress, Scope, Usage

log = logging.getLogger("jiyi.spending")

ANSWER = "answer"
"""What a call is for that answers a user; other calls are for the step whose name they bear."""


class _Key(NamedTuple):
    scope: Scope
    purpose: str
    day: date


class Spending:
    """Counts in memory, and writes to the store what has gathered.

    Args:
        store: where it is kept.
        clock: says which day it is.
        limit: tokens a user and day, prompts and answers together; 0 for none.
    """

    def __init__(self, store: Store, clock: Clock, limit: int = 0) -> None:
        self.limit = limit
        self._store = store
        self._clock = clock
        self._unwritten: dict[_Key, tuple[Usage, int]] = {}
        self._counted: dict[Scope, dict[str, Usage]] = {}  # by this process, on this day
        self._counted_on = date.min
        self._writing = asyncio.Lock()
        self._under_way: dict[Scope, int] = {}  # tokens of calls that have not ended

    def counted(self, scope: Scope) -> dict[str, Usage]:
        """Purpose -> what this process has spent on it today; nothing is read for it."""
        self._turn_page()
        return dict(self._counted.get(scope, {}))

    async def admit(self, scope: Scope, expected: Callable[[], int]) -> int:
        """Lets one call begin, and reserves what it is expected to take, until ``add`` gives that back.

        Raises:
            LimitReached: the day's tokens are used up.
        """
        if not self.limit:
            return 0
        spent = await self._spent(scope)
        if spent + self._under_way.get(scope, 0) >= self.limit:
            raise LimitReached(scope.user, spent, self.limit, self.tomorrow())
        reserved = expected()
        self._under_way[scope] = self._under_way.get(scope, 0) + reserved
        return reserved

    def add(self, scope: Scope, purpose: str, usage: Usage, *, saved: int = 0, reserved: int = 0) -> None:
        """Counts one call that has ended; ``write`` stores it."""
        self._turn_page()
        self._keep({_Key(scope, purpose, self.today()): (usage, saved)})
        counted = self._counted.setdefault(scope, {})
        counted[purpose] = counted.get(purpose, Usage()) + usage
        if left := self._under_way.pop(scope, 0) - reserved:
            self._under_way[scope] = left

    async def write(self) -> None:
        """Stores what has gathered, and waits for what is being stored.  A store that is busy gets it with the next."""
        async with self._writing:
            await self._write()

    async def _write(self) -> None:
        gathered, self._unwritten = self._unwritten, {}
        while gathered:
            key, (usage, saved) = gathered.popitem()
            try:  # one that was begun is written to its end, or a cancelled one would count twice, or never
                await asyncio.shield(self._store.spend(key.scope, key.purpose, key.day, usage, saved=saved))
            except StoreError as error:
                self._keep({key: (usage, saved), **gathered})
                log.warning("what models were used for is written later: %s", error)
                return
            except BaseException:
                self._keep(gathered)
                raise

    def _keep(self, unwritten: Mapping[_Key, tuple[Usage, int]]) -> None:
        for key, (usage, saved) in unwritten.items():
            late, late_saved = self._unwritten.get(key, (Usage(), 0))
            self._unwritten[key] = late + usage, late_saved + saved

    async def marked(self, progress: Sequence[Progress], names: Mapping[str, object]) -> list[Progress]:
        """The progress of steps, with what of those named waits because its users' limit is reached."""
        if not self.limit or not any(step.step.name in names and step.done < step.total for step in progress):
            return list(progress)
        asking = [step.step for step in progress if step.step.name in names]
        waiting: dict[str, int] = {}
        for scope in await self._over():
            for step in await self._store.progress(asking, scope):
                waiting[step.step.name] = waiting.get(step.step.name, 0) + step.total - step.done
        return [replace(step, limited=waiting.get(step.step.name, 0)) for step in progress]

    def forget(self, scope: Scope) -> None:
        """Knows nothing of a user any more."""
        self._counted.pop(scope, None)
        self._unwritten = {key: value for key, value in self._unwritten.items() if key.scope != scope}

    def tomorrow(self) -> datetime:
        """When the next day begins."""
        return datetime.combine(self.today() + timedelta(days=1), time(), UTC)

    def today(self) -> date:
        """The day now, in UTC."""
        return self._clock.now().astimezone(UTC).date()

    def _turn_page(self) -> None:
        if (today := self.today()) != self._counted_on:
            self._counted_on = today
            self._counted.clear()

    async def _spent(self, scope: Scope) -> int:
        """Tokens of today, other processes' included.  What is not stored, because the user has no log, counts too."""
        stored = await self._store.spent(scope, since=self.today())
        unwritten = sum(
            usage.tokens for key, (usage, _) in self._unwritten.items() if (key.scope, key.day) == (scope, self.today())
        )
        counted = sum(usage.tokens for usage in self.counted(scope).values())
        return max(sum(one.usage.tokens for one in stored) + unwritten, counted)

    async def _over(self) -> list[Scope]:
        """Those who have reached the limit today."""
        totals = {scope: sum(usage.tokens for usage in found.values()) for scope, found in self._counted.items()}
        stored: dict[Scope, int] = {}
        for one in await self._store.spent(since=self.today()):
            stored[one.scope] = stored.get(one.scope, 0) + one.usage.tokens
        self._turn_page()
        return [
            scope for scope in {**totals, **stored} if max(stored.get(scope, 0), totals.get(scope, 0)) >= self.limit
        ]
