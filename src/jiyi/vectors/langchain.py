"""Any LangChain vector store as the place of the vectors.

It gets numbers only.  Whatever score it reports is not looked at: the vectors come back, and cosines are computed here.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import blake2b
from itertools import islice
from operator import mul
from typing import TYPE_CHECKING, ParamSpec, TypeVar
from uuid import UUID

from jiyi.errors import InvalidInput, JiyiError, VectorsError
from jiyi.types import Embedded, Vector
from jiyi.vectors.product import Entry, Product, product
from jiyi.vectors.written import VectorText

if TYPE_CHECKING:
    from langchain_core.vectorstores import VectorStore

P = ParamSpec("P")
T = TypeVar("T")

_BLOCK = 1024
"""The catalogue of a space says up to which multiple of it there may be seqs; so it is seldom written."""

_SPARE = 8
"""Results asked for beyond the limit: second chunks of the same messages, and the catalogue."""


class LangChainVectors:
    """Keeps Jiyi's vectors in a LangChain ``VectorStore`` (``VectorIndex``).

    Every entry's id follows from space, model, seq and chunk, chunk 0 knows how many there are, and a catalogue in each
    space knows its models: so whatever is put can be found and deleted with ``get_by_ids`` and ``delete`` alone.  What
    writes runs on one thread, in the order of the calls; searches run beside it where the product allows that.

    Args:
        store: a vector store that was built with ``VectorText()`` as its embedding function, and has ``get_by_ids``;
            or a ``Product``.
        name: tells places apart, see ``VectorIndex``; usually the product's name.

    Raises:
        InvalidInput: the store embeds with something else.
    """

    def __init__(self, store: VectorStore | Product, *, name: str = "") -> None:
        self._product = store if isinstance(store, Product) else product(store)
        self.name = name or self._product.label
        self._writing = ThreadPoolExecutor(1, f"jiyi-{self._product.label}")
        parallel = self._product.parallel
        self._reading = ThreadPoolExecutor(parallel, f"jiyi-{self._product.label}") if parallel > 1 else self._writing
        self._closed = False
        self._written: dict[str, Entry] = {}

    async def put(self, space: str, model: str, entries: Sequence[Embedded]) -> None:
        """See ``VectorIndex.put``."""
        chunks = defaultdict[int, list[Vector]](list)
        for entry in sorted(entries, key=lambda entry: (entry.seq, entry.chunk)):
            chunks[entry.seq].append(entry.vector)
        sizes = sorted({len(vector) for vectors in chunks.values() for vector in vectors})
        if len(sizes) > 1:
            raise InvalidInput("vectors", f"have {' and '.join(map(str, sizes))} dimensions; one model's are all equal")
        if sizes:
            await self._run(self._writing, self._put, space, model, chunks, sizes[0])

    async def nearest(self, space: str, model: str, vector: Vector, *, limit: int) -> dict[int, float]:
        """See ``VectorIndex.nearest``."""
        return await self._run(self._reading, self._nearest, _shelf(space, model), vector, limit) if limit > 0 else {}

    async def cosines(self, space: str, model: str, vector: Vector, seqs: Collection[int]) -> dict[int, float]:
        """See ``VectorIndex.cosines``."""
        return await self._run(self._reading, self._cosines, _shelf(space, model), vector, seqs) if seqs else {}

    async def held(self, space: str, model: str, seqs: Collection[int]) -> set[int]:
        """See ``VectorIndex.held``."""
        return await self._run(self._reading, self._held, _shelf(space, model), seqs) if seqs else set()

    async def drop(self, space: str, seqs: Collection[int] | None, *, model: str | None = None) -> None:
        """See ``VectorIndex.drop``."""
        if seqs is None or seqs:
            await self._run(self._writing, self._drop, space, seqs, model)

    async def close(self) -> None:
        """See ``VectorIndex.close``.  A vector store that was given stays open."""
        if self._closed:
            return
        try:
            await self._run(self._writing, self._product.close)
        finally:
            self._closed = True
            for pool in {self._writing, self._reading}:
                await asyncio.to_thread(pool.shutdown)

    async def _run(self, pool: ThreadPoolExecutor, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        def explained() -> T:
            try:
                return work(*args, **kwargs)
            except JiyiError:
                raise
            except Exception as error:
                raise self._product.explain(error) from error

        if self._closed:
            raise VectorsError(f"{self.name} is closed; open the memory again")
        return await asyncio.get_running_loop().run_in_executor(pool, explained)

    def _put(self, space: str, model: str, chunks: dict[int, list[Vector]], size: int) -> None:
        shelf = _shelf(space, model)
        store = self._product.store(size, make=True)
        if store is None:
            raise VectorsError(f"{self.name} has no collection for {size} dimensions")
        self._refuse_two_sizes(space, shelf, size, model)
        written = self._catalogued(store, space, shelf, max(chunks), size)
        extra = [
            _id(shelf, first.seq, chunk)
            for first in self._get(store, (_id(shelf, seq, 0) for seq in chunks), vectors=False)
            for chunk in range(len(chunks[first.seq]), first.chunks)
        ]
        self._delete(store, extra)
        written += [_entry(shelf, seq, 0, chunks[seq]) for seq in chunks]  # they lead to the others: they come first
        written += [_entry(shelf, seq, chunk, chunks[seq]) for seq in chunks for chunk in range(1, len(chunks[seq]))]
        for batch in _batches(written, self._product.batch):
            self._product.add(store, batch)

    def _refuse_two_sizes(self, space: str, shelf: str, size: int, model: str) -> None:
        for other, store in self._product.stores().items():
            if other not in (0, size) and shelf in self._catalogue(store, space).shelves.split():
                raise InvalidInput("vectors", f"of {model} have {other} dimensions there, and now {size}")

    def _catalogue(self, store: VectorStore, space: str, *, vectors: bool = False) -> Entry:
        """What there is of a space: its shelves, and the highest seq there may be.  Where writes show late, with what
        this process knows of it.
        """
        found = self._product.get(store, [_id(space, 0, 0)], vectors=vectors)
        there = found[0] if found else Entry(_id(space, 0, 0), space, 0, 0, 0)
        known = self._written.get(space) if self._product.unseen else None
        if known is None:
            return there
        shelves = " ".join(sorted({*there.shelves.split(), *known.shelves.split()}))
        return replace(known, shelves=shelves, seq=max(there.seq, known.seq))

    def _catalogued(self, store: VectorStore, space: str, shelf: str, seq: int, size: int) -> list[Entry]:
        """The catalogue to be written before a shelf gets entries up to this seq; nothing, where it says so already."""
        known = self._catalogue(store, space)
        shelves = known.shelves.split()
        if shelf in shelves and seq <= known.seq:
            return []
        listed = " ".join(sorted({*shelves, shelf}))
        top = max(known.seq, -(-seq // _BLOCK) * _BLOCK)
        made = Entry(_id(space, 0, 0), space, top, 0, 0, listed, [1.0] + [0.0] * (size - 1))
        if self._product.unseen:
            self._written[space] = made
        return [made]

    def _nearest(self, shelf: str, vector: Vector, limit: int) -> dict[int, float]:
        store = self._product.store(len(vector), make=False)
        asked = min(limit + _SPARE, self._product.most)
        while store is not None:
            found = self._product.search(store, vector, shelf, asked)
            best = _best(vector, _of(shelf, found))
            first = dict(sorted(best.items(), key=lambda one: (-one[1], one[0]))[:limit])
            # Enough when the farthest result is farther than the last that counts: no equal one can be beyond it.
            enough = len(first) == limit and min(best.values()) < min(first.values())
            if enough or len(found) < asked or asked >= self._product.most:
                return first
            asked = min(asked * 4, self._product.most)
        return {}

    def _cosines(self, shelf: str, vector: Vector, seqs: Collection[int]) -> dict[int, float]:
        store = self._product.store(len(vector), make=False)
        if store is None:
            return {}
        entries = _of(shelf, self._get(store, (_id(shelf, seq, 0) for seq in seqs), vectors=True))
        others = (_id(shelf, entry.seq, chunk) for entry in entries for chunk in range(1, entry.chunks))
        return _best(vector, [*entries, *_of(shelf, self._get(store, others, vectors=True))])

    def _held(self, shelf: str, seqs: Collection[int]) -> set[int]:
        held: set[int] = set()
        for store in self._product.stores().values():
            found = self._get(store, (_id(shelf, seq, 0) for seq in seqs), vectors=False)
            held |= {entry.seq for entry in _of(shelf, found)}
        return held

    def _drop(self, space: str, seqs: Collection[int] | None, model: str | None) -> None:
        for store in self._product.stores().values():
            catalogue = self._catalogue(store, space, vectors=seqs is None)
            shelves = catalogue.shelves.split()
            gone = [shelf for shelf in shelves if model is None or shelf == _shelf(space, model)]
            named = range(1, catalogue.seq + 1) if seqs is None else [seq for seq in seqs if seq <= catalogue.seq]
            for shelf in gone:
                for batch in _batches(named, self._product.batch):
                    self._empty(store, shelf, batch)
            if seqs is None and gone:
                left = " ".join(shelf for shelf in shelves if shelf not in gone)
                self._written.pop(space, None)
                self._delete(store, [_id(space, 0, 0)])
                if left:
                    self._product.add(store, [replace(catalogue, id=_id(space, 0, 0), shelves=left)])

    def _empty(self, store: VectorStore, shelf: str, seqs: Sequence[int]) -> None:
        """Deletes all chunks of these seqs; chunk 0 at last, because it leads to the others."""
        firsts = self._product.get(store, [_id(shelf, seq, 0) for seq in seqs], vectors=False)
        chunks = dict.fromkeys(seqs, self._product.unseen) if self._product.unseen else dict[int, int]()
        for one in _of(shelf, firsts):
            chunks[one.seq] = max(one.chunks, chunks.get(one.seq, 0))
        self._delete(store, (_id(shelf, seq, chunk) for seq in chunks for chunk in range(1, chunks[seq])))
        self._delete(store, (_id(shelf, seq, 0) for seq in chunks))

    def _get(self, store: VectorStore, ids: Iterable[str], *, vectors: bool) -> list[Entry]:
        return [
            entry
            for batch in _batches(ids, self._product.batch)
            for entry in self._product.get(store, batch, vectors=vectors)
        ]

    def _delete(self, store: VectorStore, ids: Iterable[str]) -> None:
        for batch in _batches(ids, self._product.batch):
            self._product.delete(store, batch)


def _shelf(space: str, model: str) -> str:
    return blake2b(model.encode("utf-8", "surrogatepass"), key=space.encode(), digest_size=16).hexdigest()


def _id(shelf: str, seq: int, chunk: int) -> str:
    """A UUID, because some databases take nothing else."""
    return str(UUID(bytes=blake2b(f"{shelf}/{seq}/{chunk}".encode(), digest_size=16).digest()))


def _entry(shelf: str, seq: int, chunk: int, chunks: Sequence[Vector]) -> Entry:
    return Entry(_id(shelf, seq, chunk), shelf, seq, chunk, len(chunks), vector=[float(one) for one in chunks[chunk]])


def _of(shelf: str, entries: Iterable[Entry]) -> list[Entry]:
    """Those of a shelf, whatever the database gave."""
    return [entry for entry in entries if entry.shelf == shelf and entry.chunks > 0]


def _best(vector: Vector, entries: Iterable[Entry]) -> dict[int, float]:
    query = [float(value) for value in vector]
    best: dict[int, float] = {}
    for entry in entries:
        cosine = float(sum(map(mul, query, entry.vector)))
        best[entry.seq] = max(cosine, best.get(entry.seq, -2.0))
    return best


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


__all__ = ["LangChainVectors", "VectorText"]
