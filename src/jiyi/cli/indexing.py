"""Deriving in the foreground: with a progress bar, or quietly after a single message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from jiyi.cli.output import progress_bars
from jiyi.engine import AsyncMemory
from jiyi.indexable import is_index
from jiyi.types import Progress

LITTLE = 64
"""Messages that may wait and still be done at once by a command that only adds one."""

NAMES = {"lexical": "full text", "dense": "vectors", "records": "vectors of records"}


def pending(progress: Sequence[Progress]) -> int:
    """Messages that the furthest behind of these steps still lacks."""
    return max((step.total - step.done for step in progress), default=0)


def unindexed(progress: Sequence[Progress]) -> int:
    """Messages that the furthest behind of the indexes still lacks."""
    return pending([step for step in progress if is_index(step.step.name)])


async def waiting(memory: AsyncMemory) -> int:
    """Messages that an index, or what is derived by rules, still lacks."""
    return pending(await memory.store.progress(memory.worker.own_steps))


async def catch_up(memory: AsyncMemory) -> None:
    """Derives what was just added, unless so much waits that it would take long."""
    if 0 < await waiting(memory) <= LITTLE:
        await derive(memory)


async def brought_up(memory: AsyncMemory) -> None:
    """Derives whatever waits, with bars where it takes long: before somebody looks at what was derived."""
    if await waiting(memory) > LITTLE:
        await with_bars(partial(derive, memory))
    else:
        await catch_up(memory)


async def derive(memory: AsyncMemory, report: Callable[[list[Progress]], None] | None = None) -> None:
    """Brings both indexes, and what is derived by rules, up to the log; what a chat model derives is not waited for."""
    await memory.drain(report, steps=[step.name for step in memory.worker.own_steps])


async def with_bars(work: Callable[[Callable[[list[Progress]], None]], object]) -> list[Progress]:
    """Runs ``drain``, ``reindex`` or ``rebuild`` with a bar for each step; gives back the last progress."""
    last: list[Progress] = []
    with progress_bars() as bars:
        tasks: dict[str, object] = {}

        def report(steps: list[Progress]) -> None:
            last[:] = steps
            for step in steps:
                name = step.step.name
                if name not in tasks:
                    label = NAMES.get(name.partition(":")[0], name)
                    doing = "indexing" if is_index(step.step.name) else "deriving"
                    tasks[name] = bars.add_task(f"{doing} ({label})", total=step.total)
                bars.update(tasks[name], completed=step.done, total=step.total)  # type: ignore[arg-type]

        await work(report)  # type: ignore[misc]
    return last
