"""The store in memory, which is the reference, keeps the contract of every store."""

from __future__ import annotations

from pathlib import Path

from jiyi.stores.memory import MemoryStore
from jiyi.testing import StoreConformance


class TestMemory(StoreConformance):
    durable = False

    async def open(self, path: Path) -> MemoryStore:
        return await MemoryStore.open()
