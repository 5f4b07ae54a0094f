"""Chroma on disk keeps Jiyi's vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from jiyi.ports import VectorIndex
from jiyi.testing.vectors import VectorIndexConformance

pytestmark = pytest.mark.integration("chromadb", "langchain-chroma")


class TestChroma(VectorIndexConformance):
    async def open(self, path: Path) -> VectorIndex:
        from jiyi.vectors.chroma import ChromaVectors

        return ChromaVectors(str(path / "chroma"))
