"""Vectors in SQLite: each one as two planes of signed bytes.

A component is ``(254 * high + low) * scale / 254`` with one scale a vector.  The high plane alone is what a scan reads
(error of a cosine about 0.0004); with the low plane the value is nearer than as a half float (the error is at most
1/508 of the scale) in the same 16 bits.  The high planes of a user lie together in segments of up to 256 vectors; low
planes are rows of their own, fetched for the candidates only.  A commit writes a segment of what it has; when the small
ones hold 256 together, they are merged into full ones.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from jiyi.errors import InvalidInput
from jiyi.indexable import RECORD_STEPS
from jiyi.stores.checks import check_finite
from jiyi.stores.numeric import numpy
from jiyi.types import Embedded, Vector

FULL = 256
STEP = 254  # values of the low plane within one of the high plane


@dataclass(frozen=True, slots=True)
class Space:
    """The vectors of one scope and model; those of records are spaces of their own, ``records:<model>``."""

    id: int
    size: int
    vectors: int
    loose: int
    newest: int
    last: int
    generation: int


@dataclass(slots=True)
class Segment:
    """Some vectors: parallel arrays, and their high planes one behind the other."""

    rows: array[int]
    seqs: array[int]
    scales: array[float]
    high: bytearray

    def entries(self) -> bytes:
        """The arrays as stored."""
        return self.rows.tobytes() + self.seqs.tobytes() + self.scales.tobytes()


ROW, SEQ, SCALE = "I", "I", "f"  # four bytes each


# -- spaces ----------------------------------------------------------------------------------------------------------


def find(db: sqlite3.Connection, scope: int, model: str) -> Space | None:
    """The space of a scope and model, None when nothing was embedded."""
    row = db.execute(
        "SELECT id, size, vectors, loose, newest, last, generation FROM space WHERE scope = ? AND model = ?",
        (scope, model),
    ).fetchone()
    return Space(*row) if row else None


def spaces(db: sqlite3.Connection, scope: int, *, of_records: bool) -> list[Space]:
    """Those of a scope, for messages or for records."""
    found = db.execute(
        "SELECT id, size, vectors, loose, newest, last, generation FROM space"
        " WHERE scope = ? AND (substr(model, 1, ?) = ?) = ?",
        (scope, len(RECORD_STEPS), RECORD_STEPS, of_records),
    )
    return [Space(*row) for row in found.fetchall()]


def _make(db: sqlite3.Connection, scope: int, model: str, size: int) -> Space:
    space = find(db, scope, model)
    if space is None:
        db.execute("INSERT INTO space (scope, model, size) VALUES (?, ?, ?)", (scope, model, size))
        space = find(db, scope, model)
        assert space is not None
    if space.size != size and not space.vectors:
        db.execute("UPDATE space SET size = ? WHERE id = ?", (size, space.id))
    elif space.size != size:
        raise InvalidInput(
            "vectors", f"{model} has vectors of {space.size} dimensions here, not {size}; reset the step to change it"
        )
    return space


# -- writing ---------------------------------------------------------------------------------------------------------


def put(db: sqlite3.Connection, scope: int, model: str, vectors: Sequence[Embedded]) -> None:
    """Stores vectors of messages that are there, in place of what these messages had from this model."""
    if not vectors:
        return
    size = len(vectors[0].vector)
    if not size or any(len(entry.vector) != size for entry in vectors):
        raise InvalidInput("vectors", "must all have the same number of dimensions, at least one")
    check_finite(vectors)
    space = _make(db, scope, model, size)
    ordered = sorted(vectors, key=lambda entry: (entry.seq, entry.chunk))
    if ordered[0].seq <= space.newest:
        remove(db, space, {entry.seq for entry in ordered})
    scales, high, low = planes([entry.vector for entry in ordered])
    db.executemany(
        "INSERT INTO low VALUES (?, ?)",
        ((None, low[at * size : (at + 1) * size]) for at in range(len(ordered))),
    )
    last: int = db.execute("SELECT last_insert_rowid()").fetchone()[0]
    first = last - len(ordered) + 1
    new = Segment(
        array(ROW, range(first, last + 1)), array(SEQ, [entry.seq for entry in ordered]), scales, bytearray(high)
    )
    db.execute(
        "UPDATE space SET last = ?, newest = max(newest, ?), vectors = vectors + ? WHERE id = ?",
        (last, ordered[-1].seq, len(ordered), space.id),
    )
    _add(db, space.id, size, new)


def _add(db: sqlite3.Connection, space: int, size: int, new: Segment) -> None:
    """Writes vectors behind the others, merged with the segments that are not full when that fills one."""
    loose: int = db.execute("SELECT loose FROM space WHERE id = ?", (space,)).fetchone()[0]
    if loose > 0 and loose + len(new.rows) >= FULL:
        small = db.execute(
            "SELECT id, count, entries, high FROM segment WHERE space = ? AND count < ? ORDER BY last", (space, FULL)
        ).fetchall()
        merged = Segment(array(ROW), array(SEQ), array(SCALE), bytearray())
        for _, count, entries, high in small:
            _extend(merged, read(count, entries, high))
        _extend(merged, new)
        db.executemany("DELETE FROM segment WHERE id = ?", [row[:1] for row in small])
        new, loose = merged, 0
    for start in range(0, len(new.rows), FULL):
        part = slice(start, start + FULL)
        piece = Segment(
            new.rows[part], new.seqs[part], new.scales[part], new.high[start * size : (start + FULL) * size]
        )
        _insert(db, space, piece)
        loose += len(piece.rows) if len(piece.rows) < FULL else 0
    db.execute("UPDATE space SET loose = ? WHERE id = ?", (loose, space))


def _insert(db: sqlite3.Connection, space: int, segment: Segment) -> None:
    db.execute(
        "INSERT INTO segment (space, last, count, entries, high) VALUES (?, ?, ?, ?, ?)",
        (space, max(segment.rows), len(segment.rows), segment.entries(), segment.high),
    )


def _extend(segment: Segment, more: Segment) -> None:
    segment.rows.extend(more.rows)
    segment.seqs.extend(more.seqs)
    segment.scales.extend(more.scales)
    segment.high += more.high


def remove(db: sqlite3.Connection, space: Space, seqs: Collection[int]) -> int:
    """Takes out the vectors of these messages; returns how many there were."""
    removed, loose = list[tuple[int]](), space.loose
    wanted = set(seqs)
    for id_, count, entries in db.execute(
        "SELECT id, count, entries FROM segment WHERE space = ?", (space.id,)
    ).fetchall():
        stored = array(SEQ, entries[4 * count : 8 * count])
        if wanted.isdisjoint(stored):
            continue
        high = db.execute("SELECT high FROM segment WHERE id = ?", (id_,)).fetchone()[0]
        old = read(count, entries, high)
        keep = [at for at, seq in enumerate(old.seqs) if seq not in wanted]
        removed += [(row,) for row, seq in zip(old.rows, old.seqs, strict=True) if seq in wanted]
        loose += len(keep) - (count if count < FULL else 0)
        db.execute("DELETE FROM segment WHERE id = ?", (id_,))
        if keep:
            _insert(db, space.id, _pick(old, keep, space.size))
    if removed:
        db.executemany("DELETE FROM low WHERE row = ?", removed)
        db.execute(
            "UPDATE space SET vectors = vectors - ?, loose = ?, generation = generation + 1 WHERE id = ?",
            (len(removed), loose, space.id),
        )
    return len(removed)


def _pick(segment: Segment, places: Sequence[int], size: int) -> Segment:
    return Segment(
        array(ROW, [segment.rows[at] for at in places]),
        array(SEQ, [segment.seqs[at] for at in places]),
        array(SCALE, [segment.scales[at] for at in places]),
        bytearray(b"".join(segment.high[at * size : (at + 1) * size] for at in places)),
    )


def drop(db: sqlite3.Connection, space: int) -> int:
    """Takes out a whole space; returns how many vectors it had."""
    count = 0
    for n, entries in db.execute("SELECT count, entries FROM segment WHERE space = ?", (space,)).fetchall():
        db.executemany("DELETE FROM low WHERE row = ?", ((row,) for row in array(ROW, entries[: 4 * n])))
        count += n
    db.execute("DELETE FROM segment WHERE space = ?", (space,))
    db.execute("DELETE FROM space WHERE id = ?", (space,))
    return count


# -- reading ---------------------------------------------------------------------------------------------------------


def read(count: int, entries: bytes, high: bytes) -> Segment:
    """A stored segment."""
    return Segment(
        array(ROW, entries[: 4 * count]),
        array(SEQ, entries[4 * count : 8 * count]),
        array(SCALE, entries[8 * count :]),
        bytearray(high),
    )


def stored(db: sqlite3.Connection, space: int, after: int) -> Iterator[tuple[int, bytes, bytes]]:
    """(count, entries, high plane) of all segments that have a row beyond ``after``, in order."""
    return db.execute(
        "SELECT count, entries, high FROM segment WHERE space = ? AND last > ? ORDER BY last", (space, after)
    )


def seqs(db: sqlite3.Connection, space: int) -> list[int]:
    """What the vectors of a space are of, ascending."""
    found = db.execute("SELECT count, entries FROM segment WHERE space = ?", (space,))
    return sorted({seq for count, entries in found for seq in array(SEQ, entries[4 * count : 8 * count])})


def low(db: sqlite3.Connection, rows: Sequence[int]) -> dict[int, bytes]:
    """Low planes by row; without those that are gone."""
    found = db.execute("SELECT row, data FROM low WHERE row IN (SELECT value FROM json_each(?))", (json.dumps(rows),))
    return dict(found.fetchall())


# -- planes ----------------------------------------------------------------------------------------------------------


def planes(vectors: Sequence[Vector]) -> tuple[array[float], bytes, bytes]:
    """Scales, and the high and low planes of all vectors, one behind the other."""
    np = numpy()
    if np is None:
        return _planes_plain(vectors)
    values = np.asarray(vectors, dtype=np.float32)
    scales = np.maximum(values.max(axis=1), -values.min(axis=1)) / np.float32(127)
    scales[~(scales > 0)] = 1.0
    values = values / scales[:, None]  # a copy of ours; the rest happens in it
    high = np.rint(values)
    values -= high
    values *= STEP
    low_plane = np.rint(values, out=values)
    return array(SCALE, scales.tobytes()), high.astype(np.int8).tobytes(), low_plane.astype(np.int8).tobytes()


def _planes_plain(vectors: Sequence[Vector]) -> tuple[array[float], bytes, bytes]:
    scales, high, low_plane = array(SCALE), array("b"), array("b")
    for vector in vectors:
        scales.append(max(map(abs, vector)) / 127)
        scale = scales[-1] = scales[-1] or 1.0  # also where it is too small for four bytes
        scaled = [value / scale for value in vector]
        whole = [max(-127, min(127, round(value))) for value in scaled]
        high.extend(whole)
        low_plane.extend(
            max(-127, min(127, round((value - near) * STEP))) for value, near in zip(scaled, whole, strict=True)
        )
    return scales, high.tobytes(), low_plane.tobytes()
