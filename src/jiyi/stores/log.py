"""The log in SQLite: scopes, sessions, messages and the paths through them.  Plain functions on a connection.

Every function runs inside a transaction of its caller; those that write, inside one that began IMMEDIATE.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from jiyi.errors import NotFound
from jiyi.history import link
from jiyi.stores import rows
from jiyi.stores.checks import check_known
from jiyi.stores.rows import SEQ_MASK, key_of
from jiyi.types import JSON, Message, Scope, SessionInfo

_SESSION = (
    "SELECT s.name, s.title, s.metadata,"
    " (SELECT count(*) FROM message WHERE session = s.id AND active = 1), h.id,"
    " s.created, s.created_zone, s.updated, s.updated_zone"
    " FROM session s LEFT JOIN message h ON h.key = (s.scope << 32) + s.head WHERE s.scope = ?"
)
HOLDS = (
    "(scope.messages > 0 OR EXISTS (SELECT 1 FROM session WHERE scope = scope.id)"
    " OR EXISTS (SELECT 1 FROM record WHERE scope = scope.id))"
)
LONG_AGO = -(1 << 62)  # due before everything that has a time
_TOGETHER = 1_000  # ids looked up by one statement
_INSERT = f"INSERT INTO message VALUES ({', '.join('?' * 17)})"


# -- scopes ----------------------------------------------------------------------------------------------------------


def scope_key(db: sqlite3.Connection, scope: Scope) -> int | None:
    """The scope's number, None when it holds nothing."""
    row = db.execute(
        "SELECT id FROM scope WHERE tenant = ? AND user = ? AND agent = ?", (scope.tenant, scope.user, scope.agent)
    ).fetchone()
    return row and row[0]


def make_scope(db: sqlite3.Connection, scope: Scope) -> int:
    """The scope's number; a new scope gets its salt and a cursor for every step."""
    key = scope_key(db, scope)
    if key is None:
        key = db.execute(
            "INSERT INTO scope (tenant, agent, user, salt) VALUES (?, ?, ?, ?)",
            (scope.tenant, scope.agent, scope.user, secrets.token_bytes(16)),
        ).lastrowid
        assert key is not None
        db.execute("INSERT INTO cursor (scope, step, token) SELECT ?, id, ? FROM step", (key, first_token(key)))
    return key


def first_token(scope: int) -> int:
    """Fencing tokens of a scope count from here: a lease on an erased user is worth nothing for the one after."""
    return scope << 32


def salt(db: sqlite3.Connection, scope: Scope) -> bytes | None:
    """The scope's salt, None when it is new."""
    row = db.execute(
        "SELECT salt FROM scope WHERE tenant = ? AND user = ? AND agent = ?", (scope.tenant, scope.user, scope.agent)
    ).fetchone()
    return row and row[0]


def make_salt(db: sqlite3.Connection, scope: Scope) -> bytes:
    """The scope's salt, made when it is new."""
    make_scope(db, scope)
    found = salt(db, scope)
    assert found is not None
    return found


def scopes(db: sqlite3.Connection, tenant: str | None) -> list[Scope]:
    """All scopes that hold a session, message or record."""
    found = db.execute(
        f"SELECT user, tenant, agent FROM scope WHERE (?1 IS NULL OR tenant = ?1) AND {HOLDS}", (tenant,)
    )
    return sorted((Scope(*row) for row in found), key=lambda scope: (scope.tenant, scope.user, scope.agent))


# -- appending -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Path:
    """Where the next message of a session goes: behind ``parent`` (seq and id; None at the very beginning)."""

    parent: int | None = None
    parent_id: str | None = None
    position: int = 0
    chain: str = ""


def append(
    db: sqlite3.Connection, scope: Scope, session_id: str, messages: Sequence[Message], after: str | None
) -> list[Message]:
    """``Store.append``."""
    if not messages:
        return []
    key = make_scope(db, scope)
    known, new = _known(db, key, messages), dict[str, Message]()
    session = _find_session(db, key, session_id)
    path = _start(db, key, session, after)
    head: int = db.execute("SELECT head FROM scope WHERE id = ?", (key,)).fetchone()[0]
    inserts: list[rows.Row] = []
    for message in messages:
        stored = known.get(message.id) or new.get(message.id)
        inside = message.kind != "statement" and session_id != ""
        if stored is not None:
            check_known(stored, message, session_id if inside else "")
            if after != "head" and inside and stored.parent_id == path.parent_id:
                path = _Path(stored.seq, stored.id, stored.position, stored.chain)  # sent again: go on behind it
        else:
            head += 1
            stored = _place(message, session_id if inside else "", head, path)
            if inside and session is None:
                session = _make_session(db, key, session_id, message.recorded_at)
            inserts.append(rows.message_row(stored, key, session if inside else None, path.parent if inside else None))
            if inside and session is not None:
                if after != "head":  # once; then the path goes on at its end
                    activate(db, key, session, path.parent)
                    after = "head"
                path = _Path(head, stored.id, stored.position, stored.chain)
            new[message.id] = stored
    if inserts:
        db.executemany(_INSERT, inserts)
        last = list(new.values())[-1]
        _arrived(db, key, head, len(inserts), last.recorded_at)
        if session is not None and any(message.session_id for message in new.values()):
            _touch(db, session, path.parent, last.recorded_at)
    known = _known(db, key, messages) if known and inserts else known  # their branch may have changed
    return [new.get(message.id) or known[message.id] for message in messages]


def _known(db: sqlite3.Connection, key: int, messages: Sequence[Message]) -> dict[str, Message]:
    """The stored ones among the ids of ``messages``."""
    ids = [rows.pack(message.id) for message in messages]
    found: dict[str, Message] = {}
    for start in range(0, len(ids), _TOGETHER):
        part = ids[start : start + _TOGETHER]
        marks = ", ".join("?" * len(part))
        for (its_key,) in db.execute(
            f"SELECT key FROM message WHERE id IN ({marks}) AND key >> 32 = ?", (*part, key)
        ).fetchall():
            message = by_key(db, its_key)
            found[message.id] = message
    return found


def find(db: sqlite3.Connection, scope: int, message_id: str) -> int | None:
    """Key of the message with this id."""
    row = db.execute(
        "SELECT key FROM message WHERE id = ? AND key >> 32 = ?", (rows.pack(message_id), scope)
    ).fetchone()
    return row and row[0]


def by_key(db: sqlite3.Connection, key: int) -> Message:
    """One message that is there."""
    return rows.message(
        db.execute(f"SELECT {rows.MESSAGE_COLUMNS} {rows.MESSAGE_FROM} WHERE m.key = ?", (key,)).fetchone()
    )


def _place(message: Message, session_id: str, seq: int, path: _Path) -> Message:
    """The message as it is stored: at the end of ``path``, or outside any session."""
    if not session_id:
        return replace(message, session_id="", seq=seq, position=0, parent_id=None, chain="", active=True)
    return replace(
        message,
        session_id=session_id,
        seq=seq,
        position=path.position + 1,
        parent_id=path.parent_id,
        chain=path.chain if message.role in ("system", "developer") else link(path.chain, message.digest),
        active=True,
    )


def _find_session(db: sqlite3.Connection, scope: int, name: str) -> int | None:
    row = db.execute("SELECT id FROM session WHERE scope = ? AND name = ?", (scope, name)).fetchone()
    return row and row[0]


def _make_session(db: sqlite3.Connection, scope: int, name: str, at: datetime | None) -> int:
    session = db.execute(
        "INSERT INTO session (scope, name, created, created_zone) VALUES (?, ?, ?, ?)",
        (scope, name, rows.micros(at), rows.zone(at)),
    ).lastrowid
    assert session is not None
    return session


def _start(db: sqlite3.Connection, scope: int, session: int | None, after: str | None) -> _Path:
    """The place behind ``after``."""
    if after is None or (session is None and after == "head"):
        return _Path()
    if after == "head":
        row = db.execute("SELECT head FROM session WHERE id = ?", (session,)).fetchone()
        seq: int | None = row[0]
    else:
        seq = find_in_session(db, scope, session, after)
    if seq is None:
        return _Path()
    row = db.execute("SELECT id, position, chain FROM message WHERE key = ?", (key_of(scope, seq),)).fetchone()
    return _Path(seq, rows.unpack(row[0]), row[1], rows.unpack(row[2]))


def find_in_session(db: sqlite3.Connection, scope: int, session: int | None, message_id: str) -> int:
    """The seq of a message of this session."""
    key = find(db, scope, message_id)
    if key is not None:
        owner = db.execute("SELECT session FROM message WHERE key = ?", (key,)).fetchone()[0]
        if session is not None and owner == session:
            return key & SEQ_MASK
    raise NotFound(f"message {message_id!r} is not in this session")


def _arrived(db: sqlite3.Connection, scope: int, head: int, count: int, at: datetime | None) -> None:
    """Moves the log's head; every step that had nothing to do is due."""
    db.execute("UPDATE scope SET head = ?, messages = messages + ? WHERE id = ?", (head, count, scope))
    due = LONG_AGO if at is None else rows.micros(at)
    db.execute("UPDATE cursor SET due = ? WHERE scope = ? AND due IS NULL", (due, scope))


def _touch(db: sqlite3.Connection, session: int, head: int | None, at: datetime | None) -> None:
    db.execute(
        "UPDATE session SET head = ?, updated = ?, updated_zone = ? WHERE id = ?",
        (head, rows.micros(at), rows.zone(at), session),
    )


# -- paths -----------------------------------------------------------------------------------------------------------


def activate(db: sqlite3.Connection, scope: int, session: int, head: int | None) -> None:
    """Makes the path from the beginning to ``head`` the active one."""
    row = head and db.execute("SELECT active, position FROM message WHERE key = ?", (key_of(scope, head),)).fetchone()
    if row and row[0]:  # on the path: only its end goes
        db.execute("UPDATE message SET active = 0 WHERE session = ? AND active = 1 AND position > ?", (session, row[1]))
    else:
        db.execute("UPDATE message SET active = 0 WHERE session = ? AND active = 1", (session,))
        db.execute(
            "WITH RECURSIVE path (seq) AS (SELECT ?2 WHERE ?2 IS NOT NULL UNION ALL"
            " SELECT m.parent FROM path JOIN message m ON m.key = (?1 << 32) + path.seq WHERE m.parent IS NOT NULL)"
            " UPDATE message SET active = 1 WHERE key IN (SELECT (?1 << 32) + seq FROM path)",
            (scope, head),
        )
    db.execute("UPDATE session SET head = ? WHERE id = ?", (head, session))


# -- sessions ---------------------------------------------------------------------------------------------------------


def sessions(db: sqlite3.Connection, scope: Scope, session_id: str | None) -> list[SessionInfo]:
    """``Store.sessions``."""
    key = scope_key(db, scope)
    if key is None:
        return []
    values: tuple[object, ...] = (key,)
    sql = _SESSION
    if session_id is not None:
        sql, values = sql + " AND s.name = ?", (key, session_id)
    found = db.execute(sql + " ORDER BY s.updated DESC, s.name", values)
    return [rows.session(row) for row in found]


def update_session(  # noqa: PLR0913 - the fields of the port
    db: sqlite3.Connection,
    scope: Scope,
    session_id: str,
    at: datetime,
    *,
    title: str | None,
    metadata: Mapping[str, JSON] | None,
    head: str | None,
) -> SessionInfo:
    """``Store.update_session``."""
    key = scope_key(db, scope)
    session = None if key is None else _find_session(db, key, session_id)
    if key is None or session is None:
        raise NotFound(f"session {session_id!r} does not exist")
    if head is not None:
        activate(db, key, session, find_in_session(db, key, session, head) if head else None)
    if title is not None:
        db.execute("UPDATE session SET title = ? WHERE id = ?", (title, session))
    if metadata is not None:
        db.execute("UPDATE session SET metadata = ? WHERE id = ?", (rows.dump_map(metadata), session))
    db.execute(
        "UPDATE session SET updated = ?, updated_zone = ? WHERE id = ?", (rows.micros(at), rows.zone(at), session)
    )
    return sessions(db, scope, session_id)[0]
