"""Derived records in SQLite, with the messages they rest on.  Plain functions on a connection."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from jiyi.stores import rows
from jiyi.stores.log import find, scope_key
from jiyi.types import Record, Scope, Source

_INSERT = f"INSERT INTO record (scope, {rows.RECORD_COLUMNS}) VALUES ({', '.join('?' * 19)})"


def records(  # noqa: PLR0913 - the filters of the port
    db: sqlite3.Connection,
    scope: Scope,
    *,
    kind: str | None,
    session_id: str | None,
    current: bool | None,
    ids: Sequence[str] | None,
    limit: int | None,
) -> list[Record]:
    """``Store.records``."""
    key = scope_key(db, scope)
    if key is None:
        return []
    conditions, values = ["scope = ?"], list[object]([key])
    for column, value in (("kind", kind), ("session", session_id)):
        if value is not None:
            conditions.append(f"{column} = ?")
            values.append(value)
    if current is not None:
        conditions.append(f"closed IS {'' if current else 'NOT '}NULL")
    if ids is not None:
        conditions.append("name IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(list(ids)))
    found = db.execute(
        f"SELECT id, {rows.RECORD_COLUMNS} FROM record WHERE {' AND '.join(conditions)}"
        " ORDER BY recorded, name LIMIT ?",
        (*values, -1 if limit is None else limit),
    ).fetchall()
    return [rows.record(row[1:], _sources(db, row[0])) for row in found]


def _sources(db: sqlite3.Connection, record: int) -> tuple[Source, ...]:
    found = db.execute(
        "SELECT m.id, s.start, s.stop, s.quote FROM source s JOIN message m ON m.key = s.message"
        " WHERE s.record = ? ORDER BY s.place",
        (record,),
    )
    return tuple(Source(rows.unpack(row[0]), *row[1:]) for row in found)


def put(db: sqlite3.Connection, scope: int, new: Iterable[Record]) -> None:
    """Stores records, in place of those with the same id; one that rests on a missing message is left out."""
    for record in new:
        keys = [find(db, scope, source.message_id) for source in record.sources]
        if None in keys:
            continue
        delete(db, db.execute("SELECT id FROM record WHERE scope = ? AND name = ?", (scope, record.id)).fetchall())
        number = db.execute(_INSERT, rows.record_row(record, scope)).lastrowid
        db.executemany(
            "INSERT INTO source VALUES (?, ?, ?, ?, ?, ?)",
            [
                (number, place, key, source.start, source.end, source.quote)
                for place, (key, source) in enumerate(zip(keys, record.sources, strict=True))
            ],
        )


def close(db: sqlite3.Connection, scope: int, ended: Mapping[str, datetime]) -> None:
    """Marks records as no longer current."""
    db.executemany(
        "UPDATE record SET closed = ?, closed_zone = ? WHERE scope = ? AND name = ?",
        [(rows.micros(at), rows.zone(at), scope, name) for name, at in ended.items()],
    )


def delete(db: sqlite3.Connection, numbers: Sequence[tuple[int]]) -> int:
    """Deletes records by row number; returns how many."""
    db.executemany("DELETE FROM source WHERE record = ?", numbers)
    db.executemany("DELETE FROM record WHERE id = ?", numbers)
    return len(numbers)
