"""Erasing from SQLite: everything that came from a message, in one transaction; and the counts of what is there."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence, Set

from jiyi.history import link
from jiyi.indexable import RECORD_STEPS
from jiyi.stores import anew, log, postings, records, rows, segments
from jiyi.stores.rows import SEQ_MASK, key_of
from jiyi.types import Erased, Scope, Stats

_SYSTEM = (rows.ROLE_NUMBER["system"], rows.ROLE_NUMBER["developer"])


def forget(
    db: sqlite3.Connection,
    scope: Scope,
    session_id: str | None,
    message_ids: Sequence[str] | None,
    upto: int | None,
) -> Erased:
    """Erases the messages named (those up to a seq), a session, or with neither the whole scope."""
    key = log.scope_key(db, scope)
    if key is None:
        return Erased()
    if message_ids is not None:
        return _messages(db, key, message_ids, SEQ_MASK if upto is None else upto)
    return _whole(db, key) if session_id is None else _session(db, key, session_id)


def _messages(db: sqlite3.Connection, scope: int, ids: Iterable[str], upto: int) -> Erased:
    found = [
        db.execute(
            "SELECT key, session FROM message WHERE id = ? AND key >> 32 = ?", (rows.pack(name), scope)
        ).fetchone()
        for name in dict.fromkeys(ids)
    ]
    there = [row for row in found if row is not None and row[0] & SEQ_MASK <= upto]
    gone = {key & SEQ_MASK for key, _ in there}
    erased = _derived(db, scope, sorted(gone))
    for session in sorted({session for _, session in there if session is not None}):
        _mend(db, scope, session, gone)
    db.executemany("DELETE FROM message WHERE key = ?", [(key,) for key, _ in there])
    return erased


def _session(db: sqlite3.Connection, scope: int, name: str) -> Erased:
    row = db.execute("SELECT id FROM session WHERE scope = ? AND name = ?", (scope, name)).fetchone()
    if row is None:
        return Erased()
    found = db.execute("SELECT key FROM message WHERE session = ?", row).fetchall()
    vectors = _vectors(db, scope)
    left = db.execute("SELECT id FROM record WHERE scope = ? AND session = ?", (scope, name)).fetchall()
    gone = records.delete(db, left)
    erased = _derived(db, scope, [key & SEQ_MASK for (key,) in found])
    db.execute("DELETE FROM message WHERE session = ?", row)  # whole paths: there is none to mend
    checkpoints = db.execute("DELETE FROM checkpoint WHERE scope = ? AND session = ?", (scope, *row)).rowcount
    db.execute("DELETE FROM session WHERE id = ?", row)
    lost = vectors - _vectors(db, scope)
    return Erased(erased.messages, 1, erased.records + gone, lost, erased.indexed, checkpoints)


def _whole(db: sqlite3.Connection, scope: int) -> Erased:
    span = (key_of(scope, 0), key_of(scope, SEQ_MASK))
    indexed = postings.remove(db, scope)
    spaces = db.execute("SELECT id FROM space WHERE scope = ?", (scope,)).fetchall()
    vectors = sum(segments.drop(db, space) for (space,) in spaces)
    gone = records.delete(db, db.execute("SELECT id FROM record WHERE scope = ?", (scope,)).fetchall())
    messages = db.execute("DELETE FROM message WHERE key BETWEEN ? AND ?", span).rowcount
    checkpoints = db.execute("DELETE FROM checkpoint WHERE scope = ?", (scope,)).rowcount
    sessions = db.execute("DELETE FROM session WHERE scope = ?", (scope,)).rowcount
    for table in ("gap", "failure", "cursor", "spent"):
        db.execute(f"DELETE FROM {table} WHERE scope = ?", (scope,))
    db.execute("DELETE FROM scope WHERE id = ?", (scope,))
    return Erased(messages, sessions, gone, vectors, indexed, checkpoints)


def _derived(db: sqlite3.Connection, scope: int, seqs: list[int]) -> Erased:
    """Removes all that came from messages and counts them out; the messages and their paths are left to the caller.

    The errors of the scope's steps go as well: their text may quote a message.  What other messages have lost is
    derived anew.
    """
    if not seqs:
        return Erased()
    keys = json.dumps([key_of(scope, seq) for seq in seqs])
    indexed = postings.remove(db, scope, seqs)
    vectors = _vectors(db, scope)
    for space in segments.spaces(db, scope, of_records=False):
        segments.remove(db, space, seqs)
    resting = db.execute(
        "SELECT DISTINCT record FROM source WHERE message IN (SELECT value FROM json_each(?))", (keys,)
    ).fetchall()
    anew.lose(db, scope, resting, gone={key_of(scope, seq) for seq in seqs})
    anew.forget_failures(db, scope, seqs)
    db.execute("UPDATE scope SET messages = messages - ? WHERE id = ?", (len(seqs), scope))
    db.execute("UPDATE cursor SET error = NULL WHERE scope = ?", (scope,))
    anew.begin_again(db, scope)
    lost = vectors - _vectors(db, scope)
    return Erased(messages=len(seqs), records=len(resting), vectors=lost, indexed=indexed)


def _vectors(db: sqlite3.Connection, scope: int) -> int:
    return db.execute("SELECT coalesce(sum(vectors), 0) FROM space WHERE scope = ?", (scope,)).fetchone()[0]


def _mend(db: sqlite3.Connection, scope: int, session: int, gone: Set[int]) -> None:
    """Parents, positions without gap and chains of what is left, on every branch; the session's head and checkpoints.

    In seq order, because a parent is older than its children: one pass, however many are gone.
    """
    places: dict[int | None, tuple[int | None, int, str]] = {None: (None, 0, "")}  # of one that is gone, its parent's
    changed: list[tuple[int | None, int, bytes | str, int]] = []
    found = db.execute(
        "SELECT key, parent, position, flags & 7, digest, chain FROM message WHERE session = ? ORDER BY key", (session,)
    )
    for key, parent, position, role, digest, chain in found:
        seq, (before, place, above) = key & SEQ_MASK, places[parent]
        if seq in gone:
            places[seq] = places[parent]
            continue
        linked = above if role in _SYSTEM else link(above, rows.unpack(digest))
        places[seq] = seq, place + 1, linked
        if (before, place + 1, linked) != (parent, position, rows.unpack(chain)):
            changed.append((before, place + 1, rows.pack(linked), key))
    db.executemany("UPDATE message SET parent = ?, position = ?, chain = ? WHERE key = ?", changed)
    head: int | None = db.execute("SELECT head FROM session WHERE id = ?", (session,)).fetchone()[0]
    if head in gone:
        db.execute("UPDATE session SET head = ? WHERE id = ?", (places[head][0], session))
    saved = db.execute("SELECT id, head FROM checkpoint WHERE scope = ? AND session = ?", (scope, session)).fetchall()
    moved = [(places[head][0], id_) for id_, head in saved if head in gone]
    db.executemany("UPDATE checkpoint SET head = ? WHERE id = ?", moved)


# -- counts ----------------------------------------------------------------------------------------------------------


def stats(db: sqlite3.Connection, scope: Scope | None, size: int) -> Stats:
    """``Store.stats``; ``size`` is that of the files."""
    if scope is None:
        key, low, high = None, 0, (1 << 63) - 1
    else:
        key = log.scope_key(db, scope)
        if key is None:
            return Stats(bytes=size)
        low, high = key_of(key, 0), key_of(key, SEQ_MASK)
    statements, commands = db.execute(
        "SELECT coalesce(sum(flags & ?1 = ?1), 0), coalesce(sum(flags & ?2 = ?2), 0)"
        " FROM message WHERE session IS NULL AND key BETWEEN ?3 AND ?4",
        (rows.STATEMENT, rows.COMMAND, low, high),
    ).fetchone()

    def total(what: str, table: str, column: str = "scope") -> int:
        sql = f"SELECT coalesce({what}, 0) FROM {table} WHERE {column} = coalesce(?1, {column})"
        return db.execute(sql, (key,)).fetchone()[0]

    return Stats(
        scopes=total(f"sum({log.HOLDS})", "scope", "id"),
        sessions=total("count(*)", "session"),
        messages=total("sum(messages)", "scope", "id") - statements - commands,
        statements=statements,
        records=total("sum(fresh = 0)", "record"),
        indexed=total("sum(documents)", "scope", "id"),
        vectors=total("sum(vectors)", "space"),
        bytes=size,
        checkpoints=total("count(*)", "checkpoint"),
        commands=commands,
    )


def models(db: sqlite3.Connection, scope: Scope | None) -> dict[str, tuple[int, int]]:
    """``Store.models``."""
    key = None if scope is None else log.scope_key(db, scope)
    if scope is not None and key is None:
        return {}
    found = db.execute(
        "SELECT iif(substr(model, 1, ?2) = ?3, substr(model, ?2 + 1), model) AS name, max(size), sum(vectors)"
        " FROM space WHERE vectors > 0 AND (?1 IS NULL OR scope = ?1) GROUP BY name ORDER BY name",
        (key, len(RECORD_STEPS), RECORD_STEPS),
    )
    return {model: (size, vectors) for model, size, vectors in found}
