"""The log in SQLite: scopes, sessions, messages and the paths through them.  Plain functions on a connection.

Every function runs inside a transaction of its caller; those that write, inside one that began IMMEDIATE.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from jiyi.errors import NotFound
from jiyi.history import digest, link
from jiyi.stores import rows
from jiyi.stores.checks import check_known
from jiyi.stores.due import LONG_AGO, turned
from jiyi.stores.kept import State
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
_TOGETHER = 1_000  # ids looked up by one statement
_LOOK = (
    "SELECT s.id, s.salt, s.head, EXISTS (SELECT 1 FROM cursor WHERE scope = s.id AND due IS NULL"
    " AND NOT follows_records),"
    " (SELECT key FROM message WHERE id = ?5 AND key >> 32 = s.id), e.id, m.key, m.id, m.position, m.chain"
    " FROM scope s LEFT JOIN session e ON e.scope = s.id AND e.name = ?4"
    " LEFT JOIN message m ON m.key = (s.id << 32) + e.head WHERE s.tenant = ?1 AND s.user = ?2 AND s.agent = ?3"
)
_INSERT = f"INSERT INTO message VALUES ({', '.join('?' * 17)})"


# -- scopes ----------------------------------------------------------------------------------------------------------


def scope_key(db: sqlite3.Connection, scope: Scope) -> int | None:
    """The scope's number, None when it holds nothing."""
    row = db.execute(
        "SELECT id FROM scope WHERE tenant = ? AND user = ? AND agent = ?", (scope.tenant, scope.user, scope.agent)
    ).fetchone()
    return row and row[0]


def state(db: sqlite3.Connection, scope: Scope) -> State | None:
    """The scope's row, None when it holds nothing."""
    row = db.execute(
        "SELECT id, generation, head, documents, terms, record_head, record_generation FROM scope"
        " WHERE tenant = ? AND user = ? AND agent = ?",
        (scope.tenant, scope.user, scope.agent),
    ).fetchone()
    return row and State(*row)


def make_scope(db: sqlite3.Connection, scope: Scope) -> int:
    """The scope's number; a new scope gets its salt and a cursor for every step."""
    key = scope_key(db, scope)
    if key is None:
        key = db.execute(
            "INSERT INTO scope (tenant, agent, user, salt) VALUES (?, ?, ?, ?)",
            (scope.tenant, scope.agent, scope.user, secrets.token_bytes(16)),
        ).lastrowid
        assert key is not None
        db.execute(
            "INSERT INTO cursor (scope, step, token, stride, follows_records)"
            " SELECT ?, id, ?, stride, follows_records FROM step",
            (key, first_token(key)),
        )
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


@dataclass(slots=True)
class _End:
    """Where the log of a scope stands when something is appended.

    Attributes:
        key, head, salt: the scope's number, newest seq and salt.
        idle: some step had nothing to do until now.
        session: number of the session, None when it is new.
        path: the end of the session's current path.
    """

    key: int
    salt: bytes
    head: int = 0
    idle: bool = True
    session: int | None = None
    path: _Path = field(default_factory=_Path)


def append(
    db: sqlite3.Connection, scope: Scope, session_id: str, messages: Sequence[Message], after: str | None
) -> list[Message]:
    """``Store.append``."""
    if not messages:
        return []
    end, known = _look(db, scope, session_id, messages)
    session, head, new = end.session, end.head, dict[str, Message]()
    path = end.path if after == "head" else _start(db, end.key, session, after)
    inserts: list[rows.Row] = []
    for message in messages:
        stored = known.get(message.id) or new.get(message.id)
        home = session_id if message.kind == "message" else ""
        fingerprint = message.digest or digest(end.salt, message)
        if stored is not None:
            check_known(stored, message, fingerprint, home)
            if after != "head" and home and stored.parent_id == path.parent_id:
                path = _Path(stored.seq, stored.id, stored.position, stored.chain)  # sent again: go on behind it
            continue
        head += 1
        new[message.id] = stored = _place(message, fingerprint, home, head, path)
        if not home:
            inserts.append(rows.message_row(stored, end.key, None, None))
            continue
        if session is None:
            session = _make_session(db, end.key, session_id, message.recorded_at)
        inserts.append(rows.message_row(stored, end.key, session, path.parent))
        if after != "head":  # once; then the path goes on at its end
            activate(db, end.key, session, path.parent)
            after = "head"
        path = _Path(head, stored.id, stored.position, stored.chain)
    if inserts:
        db.executemany(_INSERT, inserts)
        last = next(reversed(new.values()))
        _arrived(db, end, len(inserts), last.recorded_at)
        if session is not None and any(stored.session_id for stored in new.values()):
            _touch(db, session, path.parent, last.recorded_at)
        known = _known(db, end.key, messages) if known else known  # their branch may have changed
    return [new.get(message.id) or known[message.id] for message in messages]


def _look(
    db: sqlite3.Connection, scope: Scope, session_id: str, messages: Sequence[Message]
) -> tuple[_End, dict[str, Message]]:
    """Where the log stands, and which of the messages it has; for one message told by one statement."""
    row = db.execute(_LOOK, (scope.tenant, scope.user, scope.agent, session_id, rows.pack(messages[0].id))).fetchone()
    if row is None:
        return _End(make_scope(db, scope), make_salt(db, scope)), {}
    key, salt, head, idle, same, session, seq, id_, position, chain = row
    path = _Path() if seq is None else _Path(seq & SEQ_MASK, rows.unpack(id_), position, rows.unpack(chain))
    known = {} if same is None and len(messages) == 1 else _known(db, key, messages)
    return _End(key, salt, head, idle, session, path), known


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


def _place(message: Message, fingerprint: str, session_id: str, seq: int, path: _Path) -> Message:
    """The message as it is stored: at the end of ``path``, or outside any session."""
    position, parent_id, chain = 0, None, ""
    if session_id:
        position, parent_id, chain = path.position + 1, path.parent_id, path.chain
        if message.role not in ("system", "developer"):
            chain = link(chain, fingerprint)
    return message.but(
        session_id=session_id, seq=seq, position=position, parent_id=parent_id, chain=chain, digest=fingerprint,
        active=True,
    )  # fmt: skip


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
    """The place behind the message ``after``, None for the very beginning."""
    if after is None:
        return _Path()
    seq = find_in_session(db, scope, session, after)
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


def _arrived(db: sqlite3.Connection, end: _End, count: int, at: datetime | None) -> None:
    """Moves the log's head; every step that had nothing to do and now has is due."""
    db.execute("UPDATE scope SET head = head + ?1, messages = messages + ?1 WHERE id = ?2", (count, end.key))
    if end.idle:
        due = LONG_AGO if at is None else rows.micros(at)
        db.execute(
            "UPDATE cursor SET due = ?1 WHERE scope = ?2 AND due IS NULL AND NOT follows_records"
            " AND ?3 - ?3 % stride > after",
            (due, end.key, end.head + count),
        )


def _touch(db: sqlite3.Connection, session: int, head: int | None, at: datetime | None) -> None:
    db.execute(
        "UPDATE session SET head = ?, updated = ?, updated_zone = ? WHERE id = ?",
        (head, rows.micros(at), rows.zone(at), session),
    )


# -- paths -----------------------------------------------------------------------------------------------------------


def activate(db: sqlite3.Connection, scope: int, session: int, head: int | None) -> None:
    """Makes the path from the beginning to ``head`` the active one."""
    row = head and db.execute("SELECT active, position FROM message WHERE key = ?", (key_of(scope, head),)).fetchone()
    stays = row[1] if row and row[0] else 0  # of a path that goes on from there only the end goes
    left = db.execute(
        "UPDATE message SET active = 0 WHERE session = ? AND active = 1 AND position > ? RETURNING key",
        (session, stays),
    ).fetchall()
    came = [] if stays else db.execute(
        "WITH RECURSIVE path (seq) AS (SELECT ?2 WHERE ?2 IS NOT NULL UNION ALL"
        " SELECT m.parent FROM path JOIN message m ON m.key = (?1 << 32) + path.seq WHERE m.parent IS NOT NULL)"
        " UPDATE message SET active = 1 WHERE key IN (SELECT (?1 << 32) + seq FROM path) RETURNING key",
        (scope, head),
    ).fetchall()  # fmt: skip
    turned(db, scope, [key & SEQ_MASK for (key,) in set(left) ^ set(came)])
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
