"""The scan over one user's vectors: the high planes in memory, integer products, exact values for the best.

The whole plane of a user is scanned for every query; an approximate index would lose results and gain nothing at
this size.  The scan ranks by products of signed bytes (error of a cosine about 0.001); the best ``limit`` and a few
more are then computed from both planes, so what is returned is exact to five digits.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from jiyi.errors import InvalidInput
from jiyi.stores import scan_plain, segments
from jiyi.stores.numeric import numkong, numpy
from jiyi.stores.segments import STEP, Space
from jiyi.types import Dense, Vector

_MARGIN = 50  # more candidates than asked for, because the scan's order is approximate
_ENTRY = 16  # bytes kept beside a high plane: row and seq as 4, scale as 4, and the order when it is needed
_BLOCK = 4_096  # vectors widened at once where numkong is missing
_MAPPED = 1 << 30  # bytes of the file mapped while a plane is loaded
_FEW = 1_024  # up to here the query need not be made bytes: widening the vectors takes microseconds


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
        self, db: sqlite3.Connection, space: Space, query: Vector, limit: int, wanted: Sequence[int] | None
    ) -> Dense:
        """``Store.dense`` for one space, inside a read transaction."""
        if not space.vectors:
            return Dense()
        if len(query) != space.size:
            raise InvalidInput("query", f"has {len(query)} dimensions, the stored vectors have {space.size}")
        if numpy() is None:
            return scan_plain.search(db, space, query, limit, wanted)
        return _search(db, self._view(db, space), query, limit, wanted)

    def _view(self, db: sqlite3.Connection, space: Space) -> _View | _Streamed:
        if space.vectors * (space.size + _ENTRY) > self._limit:
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
        self._reserve(space.vectors)

    @property
    def bytes(self) -> int:
        return self._high.nbytes + len(self._seqs) * _ENTRY

    def _reserve(self, vectors: int) -> None:
        """Room for ``vectors`` and a part more; views handed out keep the old arrays."""
        np = numpy()
        room = vectors + max(64, vectors // 8)
        kept: dict[str, Any] = {} if not self._count else dict(vars(self))
        self._high = np.empty((room, self._size), np.int8)
        self._rows, self._seqs = np.empty(room, np.uint32), np.empty(room, np.uint32)
        self._scales = np.empty(room, np.float32)
        for name in ("_high", "_rows", "_seqs", "_scales") if kept else ():
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
        self.last = space.last

    def view(self) -> _View:
        """What is loaded now; loading more does not change it."""
        part = slice(self._count)
        return _View(self._high[part], self._rows[part], self._seqs[part], self._scales[part])


class _View:
    """Vectors in memory."""

    def __init__(self, high: Any, rows: Any, seqs: Any, scales: Any) -> None:
        self._high, self.rows, self.seqs, self.scales = high, rows, seqs, scales

    def products(self, query: Any) -> Any:
        """Products of all high planes with a query that is scaled to -127..127."""
        return _products(self._high, query)

    def take(self, places: Any) -> Any:
        """Some high planes."""
        return self._high[places]


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


def _search(
    db: sqlite3.Connection, view: _View | _Streamed, query: Vector, limit: int, wanted: Sequence[int] | None
) -> Dense:
    np = numpy()
    exact = np.asarray(query, dtype=np.float32)
    unit = float(np.abs(exact).max()) / 127 or 1.0
    scores = view.products(exact / np.float32(unit)) * view.scales
    seqs = view.seqs
    order = starts = None
    if len(seqs) > 1 and not (seqs[1:] > seqs[:-1]).all():  # messages of several chunks, or embedded out of order
        order = np.argsort(seqs, kind="stable")
        ordered = seqs[order]
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        scores, seqs = np.maximum.reduceat(scores[order], starts), ordered[starts]
    mean, deviation = float(scores.mean()) * unit, float(scores.std()) * unit
    if wanted is None:
        chosen = _largest(scores, limit + _MARGIN)
    else:
        asked = np.asarray(sorted({seq for seq in wanted if 0 < seq < 1 << 32}), np.uint32)
        chosen = np.searchsorted(seqs, asked)
        chosen = chosen[chosen < len(seqs)]
        chosen = chosen[np.isin(seqs[chosen], asked)]
    if order is not None and starts is not None:
        ends = np.append(starts[1:], len(order))
        places = [order[starts[at] : ends[at]] for at in chosen]
        chosen = np.concatenate(places) if places else chosen
    hits = _refine(db, view, exact, chosen)
    ranked = sorted(hits.items(), key=lambda hit: (-hit[1], hit[0]))
    return Dense(dict(ranked if wanted is not None else ranked[:limit]), len(seqs), mean, deviation)


def _largest(scores: Any, count: int) -> Any:
    np = numpy()
    return np.arange(len(scores)) if count >= len(scores) else np.argpartition(scores, -count)[-count:]


def _refine(db: sqlite3.Connection, view: _View | _Streamed, query: Any, places: Any) -> dict[int, float]:
    """Seq -> cosine of the best of these vectors of it, from both planes."""
    np = numpy()
    if not len(places):
        return {}
    rows, size = view.rows[places].tolist(), len(query)
    lows, erased = segments.low(db, rows), bytes(size)  # erased since the plane was read: the high plane must do
    low = np.frombuffer(b"".join([lows.get(row, erased) for row in rows]), np.int8).reshape(len(rows), size)
    values = view.take(places).astype(np.float32) + low.astype(np.float32) / np.float32(STEP)
    cosines = ((values @ query) * view.scales[places]).tolist()
    best: dict[int, float] = {}
    for seq, cosine in zip(view.seqs[places].tolist(), cosines, strict=True):
        if cosine > best.get(seq, -2.0):
            best[seq] = cosine
    return best
