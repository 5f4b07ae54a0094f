"""The SQLite store keeps the contract of every store."""

from __future__ import annotations

from pathlib import Path

from jiyi.stores.sqlite import SqliteStore
from jiyi.testing import StoreConformance


class TestSqlite(StoreConformance):
    async def open(self, path: Path) -> SqliteStore:
        return await SqliteStore.open(path / "jiyi.db")
