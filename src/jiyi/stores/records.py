"""Derived records in SQLite, with the messages they rest on.  Plain functions on a connection."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from jiyi.stores import rows
from jiyi.stores.log import find, scope_key
from jiyi.types import Record, Scope, Source, Which

_INSERT = f"INSERT INTO record (scope, {rows.RECORD_COLUMNS}, fresh, after, upto) VALUES ({', '.join('?' * 22)})"


@dataclass(frozen=True, slots=True)
class Batch:
    """What a commit derived, (after, upto]; ``anew``: the strategy whose records are fresh, while it is rebuilt."""

    after: int
    upto: int
    anew: str | None


def records(db: sqlite3.Connection, scope: Scope, which: Which) -> list[Record]:
    """``Store.records``."""
    key = scope_key(db, scope)
    if key is None:
        return []
    conditions, values = ["scope = ?"], list[object]([key])
    for column, value in (
        ("kind", which.get("kind")), ("session", which.get("session_id")), ("key", which.get("key"))
    ):  # fmt: skip
        if value is not None:
            conditions.append(f"{column} = ?")
            values.append(value)
    if (current := which.get("current", True)) is not None:
        conditions.append(f"closed IS {'' if current else 'NOT '}NULL")
    if (ids := which.get("ids")) is not None:
        conditions.append("name IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(list(ids)))
    if _rebuilds(db, key, maker := which.get("maker")):
        conditions.append("fresh = (strategy = ?)")
        values.append(maker)
    else:
        conditions.append("fresh = 0")
    order, limit = " DESC" if which.get("newest") else "", which.get("limit")
    found = db.execute(
        f"SELECT id, {rows.RECORD_COLUMNS} FROM record WHERE {' AND '.join(conditions)}"
        f" ORDER BY recorded{order}, name{order} LIMIT ?",
        (*values, -1 if limit is None else max(0, limit)),
    ).fetchall()
    if order:
        found.reverse()
    return [rows.record(row[1:], _sources(db, row[0])) for row in found]


def _rebuilds(db: sqlite3.Connection, scope: int, maker: str | None) -> bool:
    """Whether the step of this name is being rebuilt."""
    row = (
        maker
        and db.execute(
            "SELECT goal FROM cursor WHERE scope = ? AND step = (SELECT id FROM step WHERE name = ?)", (scope, maker)
        ).fetchone()
    )
    return bool(row) and row[0] is not None


def _sources(db: sqlite3.Connection, record: int) -> tuple[Source, ...]:
    found = db.execute(
        "SELECT m.id, s.start, s.stop, s.quote FROM source s JOIN message m ON m.key = s.message"
        " WHERE s.record = ? ORDER BY s.place",
        (record,),
    )
    return tuple(Source(rows.unpack(row[0]), *row[1:]) for row in found)


def put(db: sqlite3.Connection, scope: int, new: Iterable[Record], batch: Batch) -> None:
    """Stores records, in place of those with the same id; one that rests on a missing message is left out."""
    for record in new:
        keys = [find(db, scope, source.message_id) for source in record.sources]
        if None in keys:
            continue
        fresh = record.strategy == batch.anew
        old = "SELECT id FROM record WHERE scope = ? AND name = ? AND fresh = ?"
        delete(db, db.execute(old, (scope, record.id, fresh)).fetchall())
        values = (*rows.record_row(record, scope), fresh, batch.after, batch.upto)
        number = db.execute(_INSERT, values).lastrowid
        db.executemany(
            "INSERT INTO source VALUES (?, ?, ?, ?, ?, ?)",
            [
                (number, place, key, source.start, source.end, source.quote)
                for place, (key, source) in enumerate(zip(keys, record.sources, strict=True))
            ],
        )


def close(db: sqlite3.Connection, scope: int, ended: Mapping[str, datetime], batch: Batch) -> None:
    """Marks records as no longer current; of a strategy that is rebuilt, those made anew."""
    db.executemany(
        "UPDATE record SET closed = ?, closed_zone = ? WHERE scope = ? AND name = ?"
        " AND fresh = coalesce(strategy = ?, 0)",
        [(rows.micros(at), rows.zone(at), scope, name, batch.anew) for name, at in ended.items()],
    )


def show_fresh(db: sqlite3.Connection, scope: int, strategy: str) -> None:
    """What a strategy made anew takes the place of what it made before."""
    old = db.execute(
        "SELECT id FROM record WHERE scope = ?1 AND fresh = 0 AND (strategy = ?2 OR name IN"
        " (SELECT name FROM record WHERE scope = ?1 AND fresh = 1 AND strategy = ?2))",
        (scope, strategy),
    ).fetchall()
    delete(db, old)
    db.execute("UPDATE record SET fresh = 0 WHERE scope = ? AND fresh = 1 AND strategy = ?", (scope, strategy))


def delete(db: sqlite3.Connection, numbers: Sequence[tuple[int]]) -> int:
    """Deletes records by row number; returns how many."""
    db.executemany("DELETE FROM source WHERE record = ?", numbers)
    db.executemany("DELETE FROM record WHERE id = ?", numbers)
    return len(numbers)
