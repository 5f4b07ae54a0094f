"""Milvus Lite, in a file, keeps Jiyi's vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from jiyi.ports import VectorIndex
from jiyi.testing.vectors import VectorIndexConformance
from jiyi.vectors.milvus import MilvusVectors

pytestmark = pytest.mark.integration("milvus-lite", "pymilvus", "langchain-milvus")


class TestLite(VectorIndexConformance):
    many = 1000

    async def open(self, path: Path) -> VectorIndex:
        return MilvusVectors(str(path / "milvus.db"))
