"""The index in memory, which is the reference, keeps the contract of every index of vectors."""

from __future__ import annotations

from pathlib import Path

from jiyi.testing import VectorIndexConformance
from jiyi.vectors.memory import MemoryVectors


class TestMemoryVectors(VectorIndexConformance):
    durable = False
    recall = 1.0

    async def open(self, path: Path) -> MemoryVectors:
        return MemoryVectors()
