"""Qdrant, in a directory and in memory, keeps Jiyi's vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from jiyi.ports import VectorIndex
from jiyi.testing.vectors import VectorIndexConformance
from jiyi.vectors.qdrant import QdrantVectors

pytestmark = pytest.mark.integration("qdrant-client", "langchain-qdrant")


class TestOnDisk(VectorIndexConformance):
    many = 60  # a transaction for each point

    async def open(self, path: Path) -> VectorIndex:
        return QdrantVectors(str(path / "qdrant"))


class TestInMemory(VectorIndexConformance):
    durable = False

    async def open(self, path: Path) -> VectorIndex:
        return QdrantVectors(":memory:")
