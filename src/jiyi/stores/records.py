"""Derived records in SQLite, with the messages they rest on.  Plain functions on a connection."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from jiyi.indexable import FINDS, as_message, index_text, record_text
from jiyi.stores import rows, segments
from jiyi.stores.log import find, scope_key
from jiyi.types import Message, Record, Scope, Source, Which

_INSERT = (
    f"INSERT INTO record (scope, {rows.RECORD_COLUMNS}, fresh, after, upto, seq, {rows.USE_COLUMNS})"
    f" VALUES ({', '.join('?' * 33)})"
)
_FINDS = f"json_extract(data, '$.{FINDS}')"
_OLD = f"SELECT id, seq, text, said, said_zone, {_FINDS}, {rows.USE_COLUMNS} FROM record"
_BY_SEQ = "FROM (SELECT value FROM json_each(?)) CROSS JOIN record ON scope = ? AND seq = value ORDER BY seq"
_UNUSED = (0, None, None)
_Conditions: TypeAlias = "list[tuple[str, tuple[object, ...]]]"


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
    conditions = [*_place(db, key, which), *_named(key, which), *_held(which)]
    where = " AND ".join(text for text, _ in conditions)
    values = [value for _, more in conditions for value in more]
    limit, most = which.get("limit"), which.get("important")
    sql = f"SELECT id, {rows.STORED_COLUMNS} FROM record WHERE {where}"
    if most or which.get("newest"):
        first = f"{'pinned DESC, importance DESC, ' if most else ''}recorded DESC, name DESC"
        sql = f"SELECT * FROM ({sql} ORDER BY {first} LIMIT ?) ORDER BY recorded, name"
    else:
        sql += " ORDER BY recorded, name LIMIT ?"
    return _read(db, sql, (*values, -1 if limit is None else max(0, limit)), bare=which.get("bare", False))


def after(db: sqlite3.Connection, scope: Scope, seq: int, limit: int) -> list[Record]:
    """``Store.records_after``."""
    sql = f"SELECT id, {rows.STORED_COLUMNS} FROM record WHERE scope = ? AND seq > ? ORDER BY seq LIMIT ?"
    return _read(db, sql, (scope_key(db, scope), seq, max(0, limit)))


def by_seq(db: sqlite3.Connection, scope: int, seqs: Iterable[int]) -> dict[int, Record]:
    """Seq -> record, in order."""
    sql = f"SELECT id, {rows.STORED_COLUMNS} {_BY_SEQ}"
    return {record.seq: record for record in _read(db, sql, (json.dumps(list(seqs)), scope))}


def texts(db: sqlite3.Connection, scope: int, seqs: Sequence[int]) -> Iterator[Message]:
    """What the indexes see of these records (``indexable.as_message``), in seq order."""
    if seqs:
        for row in db.execute(f"SELECT seq, text, said, said_zone, {_FINDS} {_BY_SEQ}", (json.dumps(seqs), scope)):
            yield _as_message(*row)


def _as_message(seq: int, text: str, said: int | None, zone: int | None, finds: str | None) -> Message:
    return Message("", "", "user", record_text(text, finds), created_at=rows.moment(said, zone), seq=seq)


def _read(db: sqlite3.Connection, sql: str, values: Sequence[object], *, bare: bool = False) -> list[Record]:
    found = db.execute(sql, values).fetchall()
    sources = {} if bare else _sources(db, [row[0] for row in found])
    return [rows.record(row[1:], sources.get(row[0], ())) for row in found]


def _place(db: sqlite3.Connection, scope: int, which: Which) -> _Conditions:
    """Whose, of what kind, and whether made anew.  A ``+`` keeps SQLite from walking all records of the scope where few
    are named.
    """
    elsewhere = which.get("sources") is not None or which.get("links") is not None
    plus = "+" if elsewhere or which.get("ids") is not None else ""
    found: _Conditions = [("+scope = ?" if elsewhere else "scope = ?", (scope,))]
    for column, value in (
        ("kind", which.get("kind")), ("session", which.get("session_id")), ("key", which.get("key"))
    ):  # fmt: skip
        if value is not None:
            found.append((f"{plus}{column} = ?", (value,)))
    maker = which.get("maker")
    found.append(("fresh = (strategy = ?)", (maker,)) if _rebuilds(db, scope, maker) else ("fresh = 0", ()))
    return found


def _named(scope: int, which: Which) -> _Conditions:
    """Exactly these records, those that rest on these messages, or are linked to these names."""
    found: _Conditions = []
    if (ids := which.get("ids")) is not None:
        found.append(("name IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),)))
    if (sources := which.get("sources")) is not None:
        marks = ", ".join("?" * len(sources))
        resting = (
            "id IN (SELECT s.record FROM message m CROSS JOIN source s ON s.message = m.key"
            f" WHERE m.key >> 32 = ? AND m.id IN ({marks}))"
        )
        found.append((resting, (scope, *map(rows.pack, sources))))
    if (links := which.get("links")) is not None:
        linked = "id IN (SELECT record FROM link WHERE scope = ? AND name IN (SELECT value FROM json_each(?)))"
        found.append((linked, (scope, json.dumps(list(links)))))
    return found


def _held(which: Which) -> _Conditions:
    """Whether it is current, or was at a time."""
    if (at := which.get("as_of")) is not None:
        moment = rows.micros(at)
        return [("coalesce(said, recorded, ?) <= ? AND (closed IS NULL OR closed > ?)", (moment, moment, moment))]
    current = which.get("current", True)
    return [] if current is None else [(f"closed IS {'' if current else 'NOT '}NULL", ())]


def _rebuilds(db: sqlite3.Connection, scope: int, maker: str | None) -> bool:
    """Whether the step of this name is being rebuilt."""
    row = (
        maker
        and db.execute(
            "SELECT goal FROM cursor WHERE scope = ? AND step = (SELECT id FROM step WHERE name = ?)", (scope, maker)
        ).fetchone()
    )
    return bool(row) and row[0] is not None


def _sources(db: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, tuple[Source, ...]]:
    """The sources of records, by row number."""
    found = db.execute(
        "SELECT s.record, m.id, s.start, s.stop, s.quote FROM source s CROSS JOIN message m ON m.key = s.message"
        " WHERE s.record IN (SELECT value FROM json_each(?)) ORDER BY s.record, s.place",
        (json.dumps(numbers),),
    )
    sources: dict[int, tuple[Source, ...]] = {}
    for number, name, start, stop, quote in found:
        source = Source(name if isinstance(name, str) else name.hex(), start, stop, quote)
        sources[number] = (*sources[number], source) if number in sources else (source,)
    return sources


def put(db: sqlite3.Connection, scope: int, new: Iterable[Record], batch: Batch) -> None:
    """Stores records, in place of those with the same id; one that rests on a missing message is left out."""
    for record in new:
        keys = [find(db, scope, source.message_id) for source in record.sources]
        if None in keys:
            continue
        fresh = record.strategy == batch.anew
        row = db.execute(_OLD + " WHERE scope = ? AND name = ? AND fresh = ?", (scope, record.id, fresh)).fetchone()
        old, seq, used = _replaced(row) if row else (None, None, _UNUSED)
        if old is not None and index_text(as_message(record)) == old:
            _remove(db, [row[:1]])  # it says the same: its vectors stay
        else:
            delete(db, [row[:1]] if row else [])
            seq = _next(db, scope) if record.text.strip() else None
        values = (*rows.record_row(record, scope), fresh, batch.after, batch.upto, seq, *used)
        number = db.execute(_INSERT, values).lastrowid
        db.executemany(
            "INSERT INTO source VALUES (?, ?, ?, ?, ?, ?)",
            [
                (number, place, key, source.start, source.end, source.quote)
                for place, (key, source) in enumerate(zip(keys, record.sources, strict=True))
            ],
        )
        db.executemany("INSERT INTO link VALUES (?, ?, ?)", [(scope, name, number) for name in {*record.links}])


def _replaced(row: rows.Row) -> tuple[str, int | None, rows.Row]:
    """Of a row of ``_OLD``: what is indexed, under which seq, and how it was used."""
    _, seq, text, said, zone, finds, *used = row
    return index_text(_as_message(seq or 0, text, said, zone, finds)), seq, tuple(used)


def _next(db: sqlite3.Connection, scope: int) -> int:
    """The next seq of a record."""
    sql = "UPDATE scope SET record_head = record_head + 1 WHERE id = ? RETURNING record_head"
    return db.execute(sql, (scope,)).fetchall()[0][0]


def drop(db: sqlite3.Connection, scope: int, names: Iterable[str], batch: Batch, maker: str) -> None:
    """Deletes records by id; of the maker's own, while it is rebuilt, those made anew."""
    found = db.execute(
        "SELECT id FROM record WHERE scope = ?1 AND name IN (SELECT value FROM json_each(?2))"
        " AND (strategy <> ?3 OR fresh = ?4)",
        (scope, json.dumps(list(names)), maker, batch.anew is not None),
    ).fetchall()
    delete(db, found)


def expire(db: sqlite3.Connection, scope: Scope, names: Iterable[str]) -> None:
    """``Store.drop``."""
    which = "SELECT id FROM record WHERE scope = ? AND name IN (SELECT value FROM json_each(?))"
    delete(db, db.execute(which, (scope_key(db, scope), json.dumps(list(names)))).fetchall())


def resting(db: sqlite3.Connection, scope: int, message_ids: Iterable[str], maker: str) -> list[tuple[int]]:
    """Row numbers of the records without links, of other strategies, that rest on one of these messages."""
    packed = [rows.pack(name) for name in message_ids]
    return db.execute(
        "SELECT DISTINCT r.id FROM message m CROSS JOIN source s ON s.message = m.key"
        f" CROSS JOIN record r ON r.id = s.record WHERE m.key >> 32 = ? AND m.id IN ({', '.join('?' * len(packed))})"
        " AND r.strategy <> ? AND r.links IS NULL",
        (scope, *packed, maker),
    ).fetchall()


def use(db: sqlite3.Connection, scope: Scope, record_ids: Sequence[str], at: datetime) -> None:
    """``Store.use``."""
    key = scope_key(db, scope)
    moment, zone = rows.micros(at), rows.zone(at)
    db.executemany(
        "UPDATE record SET used = used + ?1, used_at_zone = iif(used_at >= ?2, used_at_zone, ?3),"
        " used_at = iif(used_at >= ?2, used_at, ?2) WHERE scope = ?4 AND name = ?5 AND fresh = 0",
        [(times, moment, zone, key, name) for name, times in Counter(record_ids).items()],
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
    db.execute(
        f"UPDATE record AS r SET ({rows.USE_COLUMNS}) = (SELECT {rows.USE_COLUMNS} FROM record"
        " WHERE scope = ?1 AND name = r.name AND fresh = 0) WHERE scope = ?1 AND fresh = 1 AND strategy = ?2"
        " AND EXISTS (SELECT 1 FROM record WHERE scope = ?1 AND name = r.name AND fresh = 0)",
        (scope, strategy),
    )
    delete(db, old)
    db.execute("UPDATE record SET fresh = 0 WHERE scope = ? AND fresh = 1 AND strategy = ?", (scope, strategy))


def delete(db: sqlite3.Connection, numbers: Sequence[tuple[int]]) -> int:
    """Deletes records by row number, and the vectors that they have; returns how many."""
    seqs = defaultdict[int, list[int]](list)
    for scope, seq in db.execute(
        "SELECT scope, seq FROM record WHERE seq IS NOT NULL AND id IN (SELECT value FROM json_each(?))",
        (json.dumps([number for (number,) in numbers]),),
    ):
        seqs[scope].append(seq)
    for scope, gone in seqs.items():
        for space in segments.spaces(db, scope, of_records=True):
            segments.remove(db, space, gone)
    return _remove(db, numbers)


def _remove(db: sqlite3.Connection, numbers: Sequence[tuple[int]]) -> int:
    db.executemany("DELETE FROM source WHERE record = ?", numbers)
    db.executemany("DELETE FROM link WHERE record = ?", numbers)
    db.executemany("DELETE FROM record WHERE id = ?", numbers)
    return len(numbers)
