"""Keeps vectors while evaluating: in a file for the next run, and those of questions in memory for this one."""

from __future__ import annotations

import time
from array import array
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from jiyi.ports import Embedder
from jiyi.types import Vector

KEY = 16
"""Bytes of the hash that names a text."""

TIMED = 10
"""Questions of a conversation that are embedded although they are kept, so that times are true."""


class KeptVectors:
    """An embedder whose passages are looked up in a file first.  Questions are embedded, and kept for ``known_query``.

    The file only grows: a hash and a float32 vector for each text.  A record that was cut off by a kill is
    overwritten; several processes may add to it at once.

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
        self._file = self._path.open("a+b", buffering=0)  # a buffer would not know what others add
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
            self._keep(list(missing), await self._inner.embed(list(missing.values())))
        return [self._vector(self._places[key]) for key in keys]

    def _keep(self, keys: Sequence[bytes], vectors: Sequence[Vector]) -> None:
        """Adds records in one write, which lands whole at the end of the file, wherever that is by now."""
        records = [
            key + array("f", (float(value) for value in vector)).tobytes()
            for key, vector in zip(keys, vectors, strict=True)
        ]
        self._file.write(b"".join(records))
        first = self._file.tell() // self._record - len(records)
        self._places.update((key, first + at) for at, key in enumerate(keys))

    def _vector(self, place: int) -> Vector:
        self._file.seek(place * self._record + KEY)
        vector = array("f")
        vector.frombytes(self._file.read(4 * self.size))
        return vector

    async def embed_query(self, text: str) -> Vector:
        """See ``Embedder.embed_query``."""
        key = _question(text)
        made = await self._inner.embed_query(text)
        if key not in self._places:
            self._keep([key], [made])
        return self._vector(self._places[key])

    def known_query(self, text: str) -> Vector | None:
        """A question's vector, if it is kept."""
        place = self._places.get(_question(text))
        return None if place is None else self._vector(place)

    def split(self, text: str) -> Sequence[str]:
        """See ``Embedder.split``."""
        return self._inner.split(text)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def _question(text: str) -> bytes:
    """The key of a question; models embed it otherwise than a passage of the same words."""
    return blake2b(text.encode(), digest_size=KEY, person=b"question").digest()


class QuestionsOnce:
    """An embedder that embeds a question once, however many configurations ask it, and says how long that took.

    What ``KeptVectors`` has kept is taken from there, but for the first questions.

    Args:
        inner: who embeds; its owner closes it.
        timed: so many questions are embedded whether they are kept or not.

    Attributes:
        spent: seconds that all questions took.
    """

    def __init__(self, inner: Embedder, *, timed: int = 0) -> None:
        self.name = inner.name
        self.size = inner.size
        self.spent = 0.0
        self._inner = inner
        self._timed = timed
        self._known: dict[str, tuple[Vector, float | None]] = {}

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """See ``Embedder.embed``."""
        made = await self._inner.embed(texts)
        self.size = self._inner.size
        return made

    async def embed_query(self, text: str) -> Vector:
        """See ``Embedder.embed_query``."""
        if text not in self._known:
            began = time.perf_counter()
            kept = self._inner.known_query(text) if isinstance(self._inner, KeptVectors) else None
            lookup = kept is not None and len(self._known) >= self._timed
            vector = kept if lookup and kept is not None else await self._inner.embed_query(text)
            took = time.perf_counter() - began
            self.spent += took
            self._known[text] = vector, None if lookup else took
        return self._known[text][0]

    def seconds(self, text: str) -> float | None:
        """How long a question took when it was embedded; None when it was not."""
        return self._known[text][1] if text in self._known else None

    def split(self, text: str) -> Sequence[str]:
        """See ``Embedder.split``."""
        return self._inner.split(text)
