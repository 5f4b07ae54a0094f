"""Indexing in the foreground: with a progress bar, or quietly after a single message."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jiyi.cli.output import progress_bars
from jiyi.engine import AsyncMemory
from jiyi.indexable import is_index
from jiyi.types import Progress

LITTLE = 64
"""Messages that may wait for an index and still be done at once by a command that only adds one."""

NAMES = {"lexical": "full text", "dense": "vectors"}


def pending(progress: Sequence[Progress]) -> int:
    """Messages that the furthest behind of the indexes still lacks."""
    return max((step.total - step.done for step in progress if is_index(step.step.name)), default=0)


async def catch_up(memory: AsyncMemory) -> None:
    """Indexes what was just added, unless so much waits that it would take long."""
    if 0 < pending(await memory.progress()) <= LITTLE:
        await index(memory)


async def index(memory: AsyncMemory, report: Callable[[list[Progress]], None] | None = None) -> None:
    """Brings both indexes up to the log; what a chat model derives is not waited for."""
    await memory.drain(report, steps=[step.name for step in memory.worker.steps if is_index(step.name)])


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
