"""A store whose vectors lie in an index outside finds and keeps apart what every store does."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from jiyi.indexable import DENSE_STEPS
from jiyi.outside import Outside
from jiyi.ports import Store
from jiyi.stores.memory import MemoryStore
from jiyi.stores.sqlite import SqliteStore
from jiyi.testing.store.given import Given
from jiyi.testing.store.look import Look
from jiyi.types import Step
from jiyi.vectors.memory import MemoryVectors


class Everything(Outside):
    """Takes the vectors of every step, under the names that the suite has for them."""

    def _model(self, step: Step) -> str | None:
        return step.name.removeprefix(DENSE_STEPS) if step.name.startswith(DENSE_STEPS) else None


class TestMemory(Look, Given):
    durable = False

    async def open(self, path: Path) -> Store:
        return cast("Store", Everything(await MemoryStore.open(), MemoryVectors()))


class TestSqlite(Look, Given):
    durable = False  # what the index holds is gone

    async def open(self, path: Path) -> Store:
        return cast("Store", Everything(await SqliteStore.open(path / "jiyi.db"), MemoryVectors()))
