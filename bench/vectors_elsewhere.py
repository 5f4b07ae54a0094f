"""Jiyi's own vectors beside vector databases: filling, and searching, a message a vector.

    python bench/vectors_elsewhere.py [--vectors 5000] [--size 384]

Random unit vectors; 64 are put at a time, as the worker does.  A search is what a question asks of the vectors: the
nearest 150.  All on one machine in one run; databases that need a server are not here.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from jiyi.indexing import dense_step
from jiyi.ports import VectorIndex
from jiyi.stores.sqlite import SqliteStore
from jiyi.types import Changes, Embedded, Message, Probe, Scope

BATCH, NEAREST, SEARCHES = 64, 150, 100
SCOPE, SPACE, NOW = Scope("ada"), "0" * 32, datetime(2026, 1, 1, tzinfo=UTC)


def unit(size: int) -> list[float]:
    """A random direction."""
    found = [random.gauss(0, 1) for _ in range(size)]
    length = sum(value * value for value in found) ** 0.5
    return [value / length for value in found]


async def timed(
    label: str, count: int, fill: Callable[[], Awaitable[None]], ask: Callable[[], Awaitable[object]]
) -> None:
    """Prints how fast both are."""
    begin = time.perf_counter()
    await fill()
    filled = time.perf_counter() - begin
    await ask()
    took: list[float] = []
    for _ in range(SEARCHES):
        begin = time.perf_counter()
        await ask()
        took.append((time.perf_counter() - begin) * 1000)
    took.sort()
    print(
        f"{label:8} {count / filled:8,.0f} vectors/s   "
        f"search {statistics.median(took):6.1f} ms p50, {took[94]:6.1f} ms p95"
    )


async def own(path: Path, vectors: Sequence[Sequence[float]]) -> None:
    """Vectors in Jiyi's store."""
    store = await SqliteStore.open(path / "jiyi.db")
    messages = [Message(f"m{at}", "s", "user", "x", recorded_at=NOW) for at in range(len(vectors))]
    await store.append(SCOPE, "s", messages)
    step = dense_step("bench")
    await store.register([step])

    async def fill() -> None:
        for start in range(0, len(vectors), BATCH):
            part = [
                Embedded(seq, 0, vectors[seq - 1]) for seq in range(start + 1, min(start + BATCH, len(vectors)) + 1)
            ]
            claim = await store.claim([step], now=NOW, lease=60)
            assert claim is not None
            await store.commit(claim, Changes(cursor=part[-1].seq, vectors=tuple(part)), now=NOW)

    async def ask() -> object:
        return await store.find(SCOPE, Probe(model="bench", vector=unit(len(vectors[0])), best=NEAREST))

    await timed("jiyi", len(vectors), fill, ask)
    await store.close()


async def elsewhere(label: str, index: VectorIndex, vectors: Sequence[Sequence[float]]) -> None:
    """Vectors in a database."""

    async def fill() -> None:
        for start in range(0, len(vectors), BATCH):
            part = vectors[start : start + BATCH]
            await index.put(SPACE, "bench", [Embedded(start + at, 0, one) for at, one in enumerate(part, 1)])

    async def ask() -> object:
        return await index.nearest(SPACE, "bench", unit(len(vectors[0])), limit=NEAREST)

    await timed(label, len(vectors), fill, ask)
    await index.close()


async def main() -> None:
    """Runs them one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=5000)
    parser.add_argument("--size", type=int, default=384)
    given = parser.parse_args()
    random.seed(7)
    vectors = [unit(given.size) for _ in range(given.vectors)]
    print(f"{given.vectors:,} vectors of {given.size} dimensions")
    with tempfile.TemporaryDirectory() as directory:
        from jiyi.vectors.chroma import ChromaVectors
        from jiyi.vectors.milvus import MilvusVectors
        from jiyi.vectors.qdrant import QdrantVectors

        path = Path(directory)
        await own(path, vectors)
        await elsewhere("chroma", ChromaVectors(str(path / "chroma")), vectors)
        await elsewhere("qdrant", QdrantVectors(str(path / "qdrant")), vectors)
        await elsewhere("milvus", MilvusVectors(str(path / "milvus.db")), vectors)


if __name__ == "__main__":
    asyncio.run(main())
