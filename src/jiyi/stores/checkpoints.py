"""Checkpoints in SQLite: names for places on the paths that ``log`` keeps.  Plain functions on a connection."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from jiyi.stores import log, rows
from jiyi.stores.checks import check_free
from jiyi.types import Checkpoint, Scope


def put(db: sqlite3.Connection, scope: Scope, checkpoint: Checkpoint, *, overwrite: bool) -> Checkpoint:
    """``Store.put_checkpoint``."""
    key = log.make_scope(db, scope)
    at = rows.micros(checkpoint.created_at), rows.zone(checkpoint.created_at)
    session = _session(db, key, checkpoint.session_id)
    head = None
    if checkpoint.message_id is not None:
        head = log.find_in_session(db, key, session, checkpoint.message_id)
    elif session is None:
        session = db.execute(
            "INSERT INTO session (scope, name, created, created_zone, updated, updated_zone) VALUES (?, ?, ?, ?, ?, ?)",
            (key, checkpoint.session_id, *at, *at),
        ).lastrowid
    there = db.execute("SELECT 1 FROM checkpoint WHERE scope = ? AND session = ? AND name = ?",
                       (key, session, checkpoint.name)).fetchone()  # fmt: skip
    check_free(checkpoint, taken=there is not None and not overwrite)
    db.execute(
        "INSERT OR REPLACE INTO checkpoint (scope, session, name, head, automatic, created, created_zone, state)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (key, session, checkpoint.name, head, checkpoint.automatic, *at, rows.dump_map(checkpoint.state)),
    )
    return find(db, key, checkpoint.session_id, checkpoint.name)[0]


def find(db: sqlite3.Connection, scope: int, session_id: str, name: str | None = None) -> list[Checkpoint]:
    """``Store.checkpoints``."""
    found = db.execute(
        "SELECT c.name, m.id, coalesce(m.position, 0), c.created, c.created_zone, c.automatic, c.state"
        " FROM session s JOIN checkpoint c ON c.scope = s.scope AND c.session = s.id"
        " LEFT JOIN message m ON m.key = (c.scope << 32) + c.head"
        " WHERE s.scope = ?1 AND s.name = ?2 AND (?3 IS NULL OR c.name = ?3) ORDER BY c.created, c.name",
        (scope, session_id, name),
    )
    return [
        Checkpoint(
            its_name, session_id, None if head is None else rows.unpack(head), messages, rows.moment(created, zone),
            automatic != 0, rows.load_map(state),
        )
        for its_name, head, messages, created, zone, automatic, state in found
    ]  # fmt: skip


def delete(db: sqlite3.Connection, scope: Scope, session_id: str, names: Sequence[str]) -> int:
    """``Store.delete_checkpoints``."""
    key = log.scope_key(db, scope)
    session = None if key is None else _session(db, key, session_id)
    return db.execute(
        "DELETE FROM checkpoint WHERE scope = ? AND session = ? AND name IN (SELECT value FROM json_each(?))",
        (key, session, json.dumps(list(names))),
    ).rowcount


def _session(db: sqlite3.Connection, scope: int, name: str) -> int | None:
    row = db.execute("SELECT id FROM session WHERE scope = ? AND name = ?", (scope, name)).fetchone()
    return row and row[0]
