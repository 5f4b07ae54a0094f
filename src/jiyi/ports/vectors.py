"""Where vectors of messages are kept when they do not lie in the store."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from jiyi.types import Embedded, Vector


class VectorIndex(Protocol):
    """Keeps vectors of messages elsewhere than in the store, and finds the nearest.

    It holds numbers and nothing else: no text, and nobody's name.  A ``space`` is a scope's messages: 32 hexadecimal
    digits, a keyed hash that nobody can turn back, and another one when a scope was forgotten and comes again.  A
    ``model`` is who made the vectors: any text (``openai:BAAI/bge-m3@http://…``, 中文 too).  A vector belongs to a
    space, a model, a message's ``seq`` (from 1) and a ``chunk`` of it (from 0); all of one model have the same number
    of dimensions, those of two models need not.  Unit vectors go in, as they come from an ``Embedder``.

    Every method sees what ended before it was called, and touches nothing outside its space.  When one returns, a crash
    of this process loses nothing of it; when it raises, it may be half done: it is called again.  An index that is down
    raises whatever its client raises, a wrong address or key as well: the engine waits, tries again and loses
    nothing.  Methods are awaited from many tasks at once, and never block the event loop; two processes may use the
    same index where its product lets them.  Spaces, models and seqs that are not there are no error, nor are empty
    collections; collections may have thousands of entries.

    Attributes:
        name: short, part of a step's name, for example ``chroma`` or ``qdrant:jiyi``.  The vectors are made anew for
            a place with another name, so it tells places apart; it holds no key.
    """

    name: str

    async def put(self, space: str, model: str, entries: Sequence[Embedded]) -> None:
        """Stores vectors, in place of all that this model has of the same seqs, also where those were more chunks.
        Doing it twice changes nothing.

        Raises:
            InvalidInput: the place cannot hold vectors of so many dimensions; names ``vectors``.
        """
        ...

    async def nearest(self, space: str, model: str, vector: Vector, *, limit: int) -> dict[int, float]:
        """The messages nearest to a unit vector: seq -> the best cosine of its chunks, within 0.002 of the exact one;
        best first, ties by seq; ``limit`` of them where there are as many, however many chunks they have.  An
        approximate index may miss some.
        """
        ...

    async def cosines(self, space: str, model: str, vector: Vector, seqs: Collection[int]) -> dict[int, float]:
        """The same of these seqs, as far as they have vectors; none is missed."""
        ...

    async def held(self, space: str, model: str, seqs: Collection[int]) -> set[int]:
        """Those of these seqs that have vectors of this model."""
        ...

    async def drop(self, space: str, seqs: Collection[int] | None, *, model: str | None = None) -> None:
        """Deletes vectors of these seqs, None for all of the space; those of one model, None for those of all models.
        When it returns none of them is found any more.
        """
        ...

    async def close(self) -> None:
        """Lets go of connections and files; a second call does nothing."""
        ...
