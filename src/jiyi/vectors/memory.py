"""An index in memory: the reference, exact, gone with the process."""

from __future__ import annotations

import asyncio
from array import array
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from operator import mul

from jiyi.errors import InvalidInput
from jiyi.types import Embedded, Vector

_Chunks = Sequence[Vector]


class MemoryVectors:
    """Keeps vectors in this process, for tests and as the shortest example of the port; a look goes through all of a
    space, about 10 microseconds a vector of 384 dimensions.

    Args:
        name: see ``VectorIndex``.
    """

    def __init__(self, name: str = "memory") -> None:
        self.name = name
        self._spaces: dict[str, dict[str, dict[int, _Chunks]]] = {}

    async def put(self, space: str, model: str, entries: Sequence[Embedded]) -> None:
        """See ``VectorIndex.put``."""
        chunks = defaultdict[int, list[Vector]](list)
        for entry in sorted(entries, key=lambda entry: (entry.seq, entry.chunk)):
            chunks[entry.seq].append(array("f", entry.vector))
        if not chunks:
            return
        held = self._of(space, model)
        sizes = {len(vector) for found in (held, chunks) for vectors in found.values() for vector in vectors}
        if len(sizes) > 1:
            raise InvalidInput("vectors", f"of {model} have {' and '.join(map(str, sorted(sizes)))} dimensions")
        self._spaces.setdefault(space, {})[model] = {**held, **chunks}  # anew: a look may be reading the old one

    async def nearest(self, space: str, model: str, vector: Vector, *, limit: int) -> dict[int, float]:
        """See ``VectorIndex.nearest``."""
        found = await asyncio.to_thread(_cosines, self._of(space, model), vector)
        return dict(sorted(found.items(), key=lambda one: (-one[1], one[0]))[: max(0, limit)])

    async def cosines(self, space: str, model: str, vector: Vector, seqs: Collection[int]) -> dict[int, float]:
        """See ``VectorIndex.cosines``."""
        held = self._of(space, model)
        return await asyncio.to_thread(_cosines, {seq: held[seq] for seq in seqs if seq in held}, vector)

    async def held(self, space: str, model: str, seqs: Collection[int]) -> set[int]:
        """See ``VectorIndex.held``."""
        held = self._of(space, model)
        return {seq for seq in seqs if seq in held}

    async def drop(self, space: str, seqs: Collection[int] | None, *, model: str | None = None) -> None:
        """See ``VectorIndex.drop``."""
        models = self._spaces.get(space, {})
        gone = None if seqs is None else set(seqs)
        for name in [name for name in models if model in (None, name)]:
            left = {} if gone is None else {seq: one for seq, one in models[name].items() if seq not in gone}
            models[name] = left
            if not left:
                del models[name]
        if not models:
            self._spaces.pop(space, None)

    async def close(self) -> None:
        """See ``VectorIndex.close``."""
        self._spaces = {}

    def _of(self, space: str, model: str) -> Mapping[int, _Chunks]:
        return self._spaces.get(space, {}).get(model, {})


def _cosines(held: Mapping[int, _Chunks], vector: Vector) -> dict[int, float]:
    """The best of each message's chunks; of unit vectors the product is the cosine."""
    query = [float(value) for value in vector]
    return {seq: max(sum(map(mul, chunk, query)) for chunk in chunks) for seq, chunks in held.items()}
