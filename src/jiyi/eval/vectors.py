"""Keeps vectors while evaluating: those of passages in a file for the next run, those of questions in memory."""

from __future__ import annotations

import time
from array import array
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from jiyi.ports import Embedder
from jiyi.types import Vector

KEY = 16
"""Bytes of the hash that names a passage."""


class KeptVectors:
    """An embedder whose passages are looked up in a file first.  Questions are always embedded, so that times are true.

    The file only grows: a hash and a float32 vector for each passage.  A record that was cut off by a kill is
    overwritten.

    Args:
        inner: who embeds what is not there.
        directory: where the file lies; its name has the model's name and size in it.
    """

    def __init__(self, inner: Embedder, directory: Path) -> None:
        self.name = inner.name
        self.size = inner.size
        self._inner = inner
        directory.mkdir(parents=True, exist_ok=True)
        safe = "".join(char if char.isalnum() or char in "-._" else "-" for char in inner.name)
        self._record = KEY + 4 * inner.size
        self._path = directory / f"vectors-{safe}-{inner.size}.bin"
        self._places: dict[bytes, int] = {}
        self._file: BinaryIO = self._path.open("a+b")
        self._load()

    def _load(self) -> None:
        count = self._path.stat().st_size // self._record
        self._file.truncate(count * self._record)
        self._file.seek(0)
        for place in range(count):
            self._places[self._file.read(self._record)[:KEY]] = place

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """See ``Embedder.embed``."""
        keys = [blake2b(text.encode(), digest_size=KEY).digest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._places}
        if missing:
            made = await self._inner.embed(list(missing.values()))
            self._file.seek(0, 2)
            for key, vector in zip(missing, made, strict=True):
                self._file.write(key + array("f", (float(value) for value in vector)).tobytes())
                self._places[key] = len(self._places)
            self._file.flush()
        return [self._vector(self._places[key]) for key in keys]

    def _vector(self, place: int) -> Vector:
        self._file.seek(place * self._record + KEY)
        vector = array("f")
        vector.frombytes(self._file.read(4 * self.size))
        return vector

    async def embed_query(self, text: str) -> Vector:
        """See ``Embedder.embed_query``."""
        return await self._inner.embed_query(text)

    def split(self, text: str) -> Sequence[str]:
        """See ``Embedder.split``."""
        return self._inner.split(text)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


class QuestionsOnce:
    """An embedder that embeds a question once, however many configurations ask it, and says how long that took.

    Args:
        inner: who embeds; its owner closes it.

    Attributes:
        spent: seconds that all questions took.
    """

    def __init__(self, inner: Embedder) -> None:
        self.name = inner.name
        self.size = inner.size
        self.spent = 0.0
        self._inner = inner
        self._known: dict[str, tuple[Vector, float]] = {}

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """See ``Embedder.embed``."""
        made = await self._inner.embed(texts)
        self.size = self._inner.size
        return made

    async def embed_query(self, text: str) -> Vector:
        """See ``Embedder.embed_query``."""
        if text not in self._known:
            began = time.perf_counter()
            vector = await self._inner.embed_query(text)
            took = time.perf_counter() - began
            self.spent += took
            self._known[text] = vector, took
        return self._known[text][0]

    def seconds(self, text: str) -> float | None:
        """How long a question took when it was embedded; None when it never was."""
        return self._known[text][1] if text in self._known else None

    def split(self, text: str) -> Sequence[str]:
        """See ``Embedder.split``."""
        return self._inner.split(text)
