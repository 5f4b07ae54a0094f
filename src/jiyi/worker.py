"""Brings what is derived up to the log, in the background of the process that opened it.

In two lanes, so that what makes messages findable never waits for a chat model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Container, Coroutine, Sequence
from typing import Any, TypeVar

from jiyi.lane import Lane
from jiyi.overtaken import UnderWay
from jiyi.ports import Caching, Clock, Deriver, Store
from jiyi.spending import Spending
from jiyi.types import Progress, Step

T = TypeVar("T")

POLL = 0.05
"""Seconds between looks at the store while another process holds the last leases."""


class Worker:
    """Runs derivers over a store's log.

    Derivers that ask no chat model are served in the order given: an index that makes messages findable comes before a
    slow one.  Those that ask one have a lane to themselves, one call at a time, whoever waits longest first.
    """

    def __init__(
        self, store: Store, derivers: Sequence[Deriver], clock: Clock, spending: Spending | None = None
    ) -> None:
        self._store = store
        self._spending = spending or Spending(store, clock)
        under_way = UnderWay()
        self._own = Lane(store, clock, "jiyi-worker", under_way, fair=False)
        self._asking = Lane(store, clock, "jiyi-worker-llm", under_way, fair=True)
        self._asking.put = self._own.wake  # to have them embedded
        self._lanes = self._own, self._asking
        self._started = False
        for deriver in derivers:
            self._lane(deriver).derivers[deriver.step] = deriver

    def _lane(self, deriver: Deriver) -> Lane:
        return self._asking if deriver.asks_llm else self._own

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps it serves."""
        return tuple(step for lane in self._lanes for step in lane.derivers)

    @property
    def asking(self) -> tuple[Step, ...]:
        """Those that ask a chat model."""
        return tuple(self._asking.derivers)

    async def progress(self, steps: Container[Step] | None = None) -> list[Progress]:
        """How far the steps are, these or all; of those that ask a model also what waits for the next day."""
        chosen = [step for step in self.steps if steps is None or step in steps]
        found = await self._store.progress(chosen)
        return await self._spending.marked(found, {step.name: step for step in self.asking})

    def when_idle(self, chore: Callable[[], Awaitable[object]]) -> None:
        """Has something done each time that there is nothing to derive without a model; at once again where it says
        True.
        """
        self._own.chores.append(chore)

    @property
    def own_steps(self) -> tuple[Step, ...]:
        """Those of them that ask no chat model."""
        return tuple(self._own.derivers)

    async def add(self, deriver: Deriver) -> None:
        """Serves one more deriver from now on, in the place of another of the same name."""
        await self._store.register([deriver.step])
        lane = self._lane(deriver)
        for other in self._lanes:
            if any(step.name == deriver.step.name and step != deriver.step for step in other.derivers):
                # anew, because a lane may be reading it
                other.derivers = {s: d for s, d in other.derivers.items() if s.name != deriver.step.name}
        lane.derivers[deriver.step] = deriver
        if self._started:
            lane.start()

    def clear(self) -> None:
        """See ``Caching.clear``; of all derivers."""
        for lane in self._lanes:
            for deriver in lane.derivers.values():
                if isinstance(deriver, Caching):
                    deriver.clear()

    async def start(self) -> None:
        """Registers the steps and goes to work in the background."""
        await self._store.register(self.steps)
        self._started = True
        for lane in self._lanes:
            lane.start()

    def wake(self) -> None:
        """Says that the log has grown; from any thread."""
        self._own.wake()
        self._asking.wake()

    async def stop(self) -> None:
        """Ends the background work between two commits; what is left is done at the next start."""
        self._started = False
        for lane in self._lanes:
            lane.halt()
        for lane in self._lanes:
            await lane.stop()

    async def drain(
        self, report: Callable[[list[Progress]], None] | None = None, steps: Container[str] | None = None
    ) -> None:
        """Works until every step is at the head of the log, or only failing batches are left, and what waits for the
        next day because its users' limit is reached.

        Args:
            report: called with the progress after each batch.
            steps: names of those that are waited for; None for all.
        """
        chosen = [step for step in self.steps if steps is None or step.name in steps]

        async def run(lane: Lane) -> bool:
            worked = False
            while await lane.work(chosen):
                worked = True
                if report is not None:
                    report(await self.progress(chosen))
            return worked

        while True:
            worked = await _all([run(lane) for lane in self._lanes])
            progress = await self.progress(chosen)
            if report is not None:
                report(progress)
            if any(worked):
                continue
            if all(step.done + step.limited >= step.total or step.errors for step in progress):
                return
            await asyncio.sleep(POLL)

    async def work(self) -> bool:
        """Derives one batch of the first lane that has any waiting; False when there is none."""
        return await self._own.work() or await self._asking.work()


async def _all(works: list[Coroutine[Any, Any, T]]) -> list[T]:
    """Results of all; when one fails, the others are ended first."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            if not task.cancelling():  # one that is tidying up must not be cancelled again: it gives its lease back
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
