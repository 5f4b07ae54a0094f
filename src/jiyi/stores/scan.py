"""The scan over one user's vectors: the high planes in memory, integer products, exact values for the best.

The whole plane of a user is scanned for every query; an approximate index would lose results and gain nothing at
this size.  The scan ranks by products of signed bytes (error of a cosine about 0.001); the best ``limit`` and a few
more are then computed from both planes, so what is returned is exact to five digits.  Low planes come to memory as they
are needed.
"""

from __future__ import annotations

import mmap
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Set
from typing import Any, Protocol

from jiyi.errors import InvalidInput
from jiyi.stores import scan_plain, segments
from jiyi.stores.numeric import numkong, numpy
from jiyi.stores.segments import STEP, Space
from jiyi.types import Dense, Vector

_MARGIN = 50  # more candidates than asked for, because the scan's order is approximate
_ENTRY = 17  # bytes kept beside the planes: row, seq and scale as 4, the order when it is needed, a flag
_BLOCK = 4_096  # vectors widened at once where numkong is missing
_MAPPED = 1 << 30  # bytes of the file mapped while a plane is loaded
_HUGE = 1 << 22  # bytes from which NumPy asks Linux for pages of 2 MB
_FEW = 1_024  # up to here the query need not be made bytes: widening the vectors takes microseconds


class Scan(Protocol):
    """One pass over a space: the nearest messages, and a look at any others."""

    dense: Dense

    def cosines(self, seqs: Iterable[int]) -> dict[int, float]:
        """The cosines of these messages, as far as they have a vector."""
        ...


class Scanner:
    """Searches spaces; keeps the planes of those used last, up to ``cache_bytes``.

    Safe for several threads.  What other processes wrote is seen, because each query compares the space's row.
    """

    def __init__(self, cache_bytes: int) -> None:
        self._limit = cache_bytes
        self._planes: OrderedDict[int, _Plane] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def bytes(self) -> int:
        """Memory held by cached planes."""
        return sum(plane.bytes for plane in self._planes.values())

    def clear(self) -> None:
        """Lets go of everything: after an erasure no copy stays."""
        with self._lock:
            self._planes.clear()

    def search(
        self,
        db: sqlite3.Connection,
        space: Space,
        query: Vector,
        limit: int,
        among: Set[int] | None,
        barred: Set[int],
    ) -> Scan | None:
        """Scans a space inside a read transaction; None when it is empty.

        Args:
            db: reads the space, and what is not in memory.
            space: what is scanned.
            query: a unit vector.
            limit: hits at most.
            among: seqs that may be hits, None for all.
            barred: seqs that may not.
        """
        if not space.vectors:
            return None
        if len(query) != space.size:
            raise InvalidInput("query", f"has {len(query)} dimensions, the stored vectors have {space.size}")
        if numpy() is None:
            return scan_plain.PlainScan(db, space, query, limit, among, barred)
        return _Scan(db, self._view(db, space), query, limit, among, barred)

    def _view(self, db: sqlite3.Connection, space: Space) -> _View | _Streamed:
        if space.vectors * (2 * space.size + _ENTRY) > self._limit:
            return _Streamed(db, space)
        with self._lock:
            plane = self._planes.pop(space.id, None)
            if plane is None or plane.generation != space.generation:
                plane = _Plane(space)
            if plane.last < space.last:
                plane.load(db, space)
            self._planes[space.id] = plane
            while len(self._planes) > 1 and self.bytes > self._limit:
                self._planes.popitem(last=False)
            return plane.view()


# -- planes in memory ------------------------------------------------------------------------------------------------


class _Plane:
    """One growing array of high planes, with rows, seqs and scales beside it."""

    def __init__(self, space: Space) -> None:
        self._size, self._space = space.size, space.id
        self.generation = space.generation
        self.last = 0
        self._count = 0
        self._view: _View | None = None
        self._reserve(space.vectors)

    @property
    def bytes(self) -> int:
        return self._high.nbytes + self._low.nbytes + len(self._seqs) * _ENTRY

    def _reserve(self, vectors: int) -> None:
        """Room for ``vectors`` and a part more; views handed out keep the old arrays."""
        np = numpy()
        room = vectors + max(64, vectors // 8)
        kept: dict[str, Any] = {} if not self._count else dict(vars(self))
        self._high, self._low = np.empty((room, self._size), np.int8), _scattered(room, self._size)
        self._known = np.zeros(room, bool)
        self._rows, self._seqs = np.empty(room, np.uint32), np.empty(room, np.uint32)
        self._scales = np.empty(room, np.float32)
        for name in ("_high", "_low", "_known", "_rows", "_seqs", "_scales") if kept else ():
            getattr(self, name)[: self._count] = kept[name][: self._count]

    def load(self, db: sqlite3.Connection, space: Space) -> None:
        """Reads what was written since the last time.

        A merged segment may begin with vectors that are here already: rows grow with time, so those are told apart.
        """
        np = numpy()
        if space.vectors > len(self._seqs):
            self._reserve(space.vectors)
        many = space.vectors - self._count > _FEW
        if many:  # thousands of pages: mapped, they cost half of what reading them one by one does
            db.execute(f"PRAGMA mmap_size = {_MAPPED}")
        for count, entries, high in segments.stored(db, space.id, self.last):
            block = np.frombuffer(high, np.int8).reshape(count, self._size)
            rows, seqs = np.frombuffer(entries, np.uint32, 2 * count).reshape(2, count)
            scales = np.frombuffer(entries, np.float32, count, 8 * count)
            if rows[0] <= self.last:
                new = rows > self.last
                block, rows, seqs, scales = block[new], rows[new], seqs[new], scales[new]
            part = slice(self._count, self._count + len(rows))
            self._high[part], self._rows[part], self._seqs[part], self._scales[part] = block, rows, seqs, scales
            self._count = part.stop
        if many:
            db.execute("PRAGMA mmap_size = 0")  # memory is the cache's alone
        self.last, self._view = space.last, None

    def view(self) -> _View:
        """What is loaded now; loading more does not change it."""
        if self._view is None:
            part = slice(self._count)
            planes = self._high[part], self._low[part], self._known[part]
            self._view = _View(planes, self._rows[part], self._seqs[part], self._scales[part])
        return self._view


def _scattered(rows: int, size: int) -> Any:
    """Room that is filled here and there: in small pages, for of a huge one all is cleared when a byte is touched."""
    np = numpy()
    if rows * size < _HUGE:
        return np.empty((rows, size), np.int8)
    return np.frombuffer(mmap.mmap(-1, rows * size), np.int8).reshape(rows, size)


class _View:
    """Vectors in memory.

    Attributes:
        rows, seqs, scales: of each vector.
        chunks: see ``_chunks``.
    """

    def __init__(self, planes: tuple[Any, Any, Any], rows: Any, seqs: Any, scales: Any) -> None:
        self._high, self._low, self._known = planes
        self.rows, self.seqs, self.scales, self.chunks = rows, seqs, scales, _chunks(seqs)

    def low(self, db: sqlite3.Connection, places: Any) -> Any:
        """Some low planes; each is read once."""
        missing = places[~self._known[places]]
        if len(missing):
            self._low[missing] = _low(db, self.rows[missing], self._low.shape[1])
            self._known[missing] = True
        return self._low.take(places, 0)

    def products(self, query: Any) -> Any:
        """Products of all high planes with a query that is scaled to -127..127."""
        return _products(self._high, query)

    def take(self, places: Any) -> Any:
        """Some high planes."""
        return self._high.take(places, 0)  # half again as fast as [places]


class _Streamed:
    """Vectors that would not fit the cache: read segment by segment for every query."""

    def __init__(self, db: sqlite3.Connection, space: Space) -> None:
        np = numpy()
        self._db, self._space = db, space
        found = db.execute("SELECT id, count, entries FROM segment WHERE space = ? ORDER BY last", (space.id,))
        self._ids, counts, entries = zip(*found.fetchall(), strict=True)
        self._starts = np.concatenate([[0], np.cumsum(counts)])
        parts = [np.frombuffer(data, np.uint32).reshape(3, -1) for data in entries]
        self.rows = np.concatenate([part[0] for part in parts])
        self.seqs = np.concatenate([part[1] for part in parts])
        self.scales = np.concatenate([part[2].view(np.float32) for part in parts])
        self.chunks = _chunks(self.seqs)

    def low(self, db: sqlite3.Connection, places: Any) -> Any:
        """Some low planes."""
        return _low(db, self.rows[places], self._space.size)

    def products(self, query: Any) -> Any:
        """Products of all high planes with a query that is scaled to -127..127."""
        np = numpy()
        blocks = (
            np.frombuffer(high, np.int8).reshape(count, self._space.size)
            for count, _, high in segments.stored(self._db, self._space.id, 0)
        )
        return np.concatenate([_products(block, query) for block in blocks])

    def take(self, places: Any) -> Any:
        """Some high planes."""
        np, size = numpy(), self._space.size
        owners = np.searchsorted(self._starts, places, side="right") - 1
        pieces = [
            self._db.execute(
                "SELECT substr(high, ?, ?) FROM segment WHERE id = ?",
                (int(place - self._starts[owner]) * size + 1, size, self._ids[owner]),
            ).fetchone()[0]
            for place, owner in zip(places, owners, strict=True)
        ]
        return np.frombuffer(b"".join(pieces), np.int8).reshape(len(pieces), size)


# -- the search ------------------------------------------------------------------------------------------------------


def _products(high: Any, query: Any) -> Any:
    np, nk = numpy(), numkong()
    if nk is not None and len(high) > _FEW:
        return np.asarray(nk.dot(high, np.rint(query).astype(np.int8)))
    blocks = (high[start : start + _BLOCK] for start in range(0, len(high), _BLOCK))
    return np.concatenate([block.astype(np.float32) @ query for block in blocks])


class _Scan:
    """``Scan`` with NumPy."""

    def __init__(
        self,
        db: sqlite3.Connection,
        view: _View | _Streamed,
        query: Vector,
        limit: int,
        among: Set[int] | None,
        barred: Set[int],
    ) -> None:
        np = numpy()
        self._db, self._view = db, view
        self._query = np.asarray(query, dtype=np.float32)
        unit = float(np.abs(self._query).max()) / 127 or 1.0
        scores = view.products(self._query / np.float32(unit)) * view.scales
        self._chunks = view.chunks
        self._seqs = view.seqs
        if self._chunks is not None:
            order, starts, self._seqs = self._chunks
            scores = np.maximum.reduceat(scores[order], starts)
        mean, deviation = float(scores.mean()) * unit, float(scores.std()) * unit
        allowed = _allowed(self._seqs, among, barred)
        hits = self._refine(_largest(scores, limit + _MARGIN, allowed)) if limit > 0 else {}
        ranked = sorted(hits.items(), key=lambda hit: (-hit[1], hit[0]))
        self.dense = Dense(dict(ranked[: max(0, limit)]), len(self._seqs), mean, deviation)

    def cosines(self, seqs: Iterable[int]) -> dict[int, float]:
        """See ``Scan``."""
        np = numpy()
        asked = np.asarray(sorted({seq for seq in seqs if 0 < seq < 1 << 32}), np.uint32)
        places = np.searchsorted(self._seqs, asked)
        places, asked = places[places < len(self._seqs)], asked[places < len(self._seqs)]
        return self._refine(places[self._seqs[places] == asked])

    def _refine(self, messages: Any) -> dict[int, float]:
        """Seq -> cosine of the best of the message's vectors, from both planes."""
        np, view = numpy(), self._view
        if not len(messages):
            return {}
        places = messages
        if self._chunks is not None:
            order, starts, _ = self._chunks
            ends = np.append(starts[1:], len(order))
            places = np.concatenate([order[starts[at] : ends[at]] for at in messages])
        low = view.low(self._db, places).astype(np.float32) @ self._query
        high = view.take(places).astype(np.float32) @ self._query
        cosines = (high + low * np.float32(1 / STEP)) * view.scales[places]
        seqs = view.seqs[places].tolist()
        if self._chunks is None:
            return dict(zip(seqs, cosines.tolist(), strict=True))
        best: dict[int, float] = {}
        for seq, cosine in zip(seqs, cosines.tolist(), strict=True):
            if cosine > best.get(seq, -2.0):
                best[seq] = cosine
        return best


def _chunks(seqs: Any) -> tuple[Any, Any, Any] | None:
    """For messages of several vectors, or embedded out of order: the vectors in seq order, where each message begins
    among them, and the seqs of the messages.  None where the vectors are the messages, in order.
    """
    np = numpy()
    if len(seqs) < 2 or (seqs[1:] > seqs[:-1]).all():
        return None
    order = np.argsort(seqs, kind="stable")
    ordered = seqs[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return order, starts, ordered[starts]


def _allowed(seqs: Any, among: Set[int] | None, barred: Set[int]) -> Any:
    """Which of these ascending seqs may be hits; None for all."""
    np = numpy()
    if among is None and not barred:
        return None
    named = np.asarray([seq for seq in (barred if among is None else among) if 0 < seq < 1 << 32], np.uint32)
    places = np.searchsorted(seqs, named)
    places, named = places[places < len(seqs)], named[places < len(seqs)]
    allowed = np.full(len(seqs), among is None)
    allowed[places[seqs[places] == named]] = among is not None
    return allowed


def _largest(scores: Any, count: int, allowed: Any) -> Any:
    """Places of the largest scores among those allowed."""
    np = numpy()
    if allowed is not None:
        places = np.flatnonzero(allowed)
        return places[_largest(scores[places], count, None)]
    return np.arange(len(scores)) if count >= len(scores) else np.argpartition(scores, -count)[-count:]


def _low(db: sqlite3.Connection, rows: Any, size: int) -> Any:
    """Low planes of these rows from the file; of one erased since the high plane was read, nothing but zeros."""
    np, asked = numpy(), rows.tolist()
    found, erased = segments.low(db, asked), bytes(size)
    return np.frombuffer(b"".join([found.get(row, erased) for row in asked]), np.int8).reshape(len(asked), size)
