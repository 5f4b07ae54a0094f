"""An embedding model, tried as a memory uses it: size, length, the same vector for the same text, a full batch."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator

from jiyi.errors import ModelError
from jiyi.ports import Embedder
from jiyi.trying.parts import Found, Trial, Tried, skipped
from jiyi.types import Vector

TEXTS = ("明天上午九点在图书馆见面。", "Ada lives in Lisbon.")
BATCH = 32
"""Texts at once, for embedders that do not say how many they take."""

_SAME = 0.999
"""Cosine of two vectors of one text at least: a batch may round otherwise than a text alone."""


async def try_embedder(embedder: Embedder, trial: Trial, *, dimensions: int = 0) -> AsyncGenerator[Tried, None]:
    """Tries an embedding model; four requests.

    Args:
        dimensions: that its documentation names; 0 for none.
    """
    asked = _Asked(embedder, dimensions)
    first = await trial.part("embedding", asked.embedding())
    yield first
    if first.state == "bad":
        for part in skipped("vectors", "batch"):
            yield part
        return
    yield await trial.part("vectors", asked.again())
    yield await trial.part("batch", asked.batch())


class _Asked:
    """What came so far."""

    def __init__(self, embedder: Embedder, dimensions: int) -> None:
        self._embedder = embedder
        self._dimensions = dimensions
        self._vectors: list[Vector] = []

    async def embedding(self) -> Found:
        self._vectors = list(await self._embedder.embed(TEXTS))
        size, length = len(self._vectors[0]), math.sqrt(_dot(self._vectors[0], self._vectors[0]))
        value = {"name": self._embedder.name, "dimensions": size, "length": round(length, 4)}
        if abs(length - 1) > 0.01:
            raise ModelError(f"{self._embedder.name} gives vectors of length {length:.3f}; an Embedder gives length 1")
        what = f"{self._embedder.name}: {size:,} dimensions, length 1"
        if self._dimensions and size != self._dimensions:
            what += f"; its documentation says {self._dimensions:,} dimensions: is it the same model?"
            return Found("note", what, value)
        return Found("ok", what, value)

    async def again(self) -> Found:
        alone = [vector for text in TEXTS for vector in await self._embedder.embed([text])]
        least = min(_dot(one, two) for one, two in zip(self._vectors, alone, strict=True))
        value = {"least_cosine": round(least, 5)}
        if least < _SAME:
            return Found("bad", f"the same text gives another vector the next time (cosine {least:.3f})", value)
        if _dot(*self._vectors) > _SAME:
            return Found("bad", "two different texts give the same vector; is it an embedding model?", value)
        return Found("ok", "the same text gives the same vector, alone and beside others", value)

    async def batch(self) -> Found:
        wanted: int = getattr(self._embedder, "batch", BATCH)
        await self._embedder.embed([f"{TEXTS[at % 2]} {at}" for at in range(wanted)])
        taken: int = getattr(self._embedder, "batch", wanted)
        value = {"asked": wanted, "taken": taken}
        if taken < wanted:
            return Found("note", f"takes {taken} texts at once, not {wanted}; the smaller batch is used", value)
        return Found("ok", f"{wanted} texts at once", value)


def _dot(one: Vector, two: Vector) -> float:
    return math.fsum(a * b for a, b in zip(one, two, strict=True))


__all__ = ["TEXTS", "try_embedder"]
