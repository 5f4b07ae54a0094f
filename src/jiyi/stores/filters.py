"""Reading the log in SQLite: a ``Filter`` as SQL.  Values only ever go in as parameters."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import TypeAlias

from jiyi.stores import rows
from jiyi.stores.log import scope_key
from jiyi.stores.rows import SEQ_MASK, key_of
from jiyi.text import asks
from jiyi.types import KINDS, Filter, Message, Scope

_Conditions: TypeAlias = "list[tuple[str, tuple[object, ...]]]"


def messages(db: sqlite3.Connection, scope: Scope, where: Filter, limit: int | None, newest: bool) -> list[Message]:
    """``Store.messages``."""
    key = scope_key(db, scope)
    return [] if key is None else matching(db, key, where, limit, newest=newest)


def matching(
    db: sqlite3.Connection, scope: int, where: Filter, limit: int | None, *, newest: bool
) -> list[Message]:  # fmt: skip
    """The messages of a scope that match, in path order or that of the log; the first ones, or the newest."""
    condition, values = _conditions(scope, where)
    by_path = bool(where.session_id) and where.active is True
    sql = (
        f"SELECT {rows.MESSAGE_COLUMNS} {rows.MESSAGE_FROM} WHERE {condition}"
        f" ORDER BY {'m.position' if by_path else 'm.key'}{' DESC' if newest else ''} LIMIT ?"
    )
    found = [rows.message(row) for row in db.execute(sql, (*values, -1 if limit is None else max(0, limit)))]
    return found[::-1] if newest else found


def places(
    db: sqlite3.Connection, scope: int, seqs: Iterable[int]
) -> tuple[list[tuple[int, int, int, int, bool]], list[int]]:  # fmt: skip
    """Seq, session, parent, size and whether it asks of these messages (``types.Standing``), and the seqs of those that
    lend no support: on no active path, not ``indexable``, or a command.
    """
    keys = json.dumps([key_of(scope, seq) for seq in seqs])
    sql = (
        "SELECT key, session, parent, active, flags, content FROM message WHERE key IN (SELECT value FROM json_each(?))"
    )
    found: list[tuple[int, int, int, int, bool]] = []
    aside: list[int] = []
    for key, session, parent, active, flags, content in db.execute(sql, (keys,)):
        seq, text = key & SEQ_MASK, rows.text(flags, content)
        found.append((seq, session or 0, parent or 0, len(text.encode()), asks(text)))
        if not active or flags & 7 < rows.SYSTEMS or flags & rows.COMMAND or not text.strip():
            aside.append(seq)
    return found, aside


def seqs(db: sqlite3.Connection, scope: int, where: Filter) -> list[int]:
    """``Store.seqs``."""
    condition, values = _conditions(scope, where)
    found = db.execute(f"SELECT m.key & {SEQ_MASK} FROM message m WHERE {condition} ORDER BY m.key", values)
    return [seq for (seq,) in found.fetchall()]


def _conditions(scope: int, where: Filter) -> tuple[str, list[object]]:
    """All of the filter as one condition, and its values."""
    conditions = [*_place(scope, where), *_named(scope, where), *_kinds(where), *_said(where)]
    return " AND ".join(text for text, _ in conditions), [value for _, more in conditions for value in more]


def _place(scope: int, where: Filter) -> _Conditions:
    """Where in the log: session, branch, seq.  A ``+`` keeps SQLite from walking the log instead of the session."""
    span = key_of(scope, max(0, min(where.after_seq, SEQ_MASK))), key_of(scope, SEQ_MASK)
    found: _Conditions = []
    if where.session_id:
        named = "m.session = (SELECT id FROM session WHERE scope = ? AND name = ?)"
        found += [(named, (scope, where.session_id)), ("+m.key > ? AND +m.key <= ?", span)]
    else:
        found.append(("m.key > ? AND m.key <= ?", span))
    if where.session_id == "":
        found.append(("m.session IS NULL", ()))
    if where.active is not None:
        found.append((f"m.active = {int(where.active)}", ()))  # spelt out, so that a partial index serves
    return found


def _named(scope: int, where: Filter) -> _Conditions:
    """Exactly these messages."""
    found: _Conditions = []
    if where.seqs is not None:
        keys = [key_of(scope, seq) for seq in where.seqs if 0 < seq <= SEQ_MASK]
        found.append(("m.key IN (SELECT value FROM json_each(?))", (json.dumps(keys),)))
    if where.ids is not None:
        marks = ", ".join("?" * len(where.ids))
        packed = map(rows.pack, where.ids)
        found.append((f"m.key IN (SELECT key FROM message WHERE key >> 32 = ? AND id IN ({marks}))", (scope, *packed)))
    if where.stretches is not None:
        active = "0, 1" if where.active is None else int(where.active)
        found.append(
            (
                "m.key IN (SELECT n.key FROM json_each(?) AS w"
                " CROSS JOIN session AS s ON s.scope = ? AND s.name = json_extract(w.value, '$[0]')"
                f" CROSS JOIN message AS n ON n.session = s.id AND n.active IN ({active})"
                " AND n.position BETWEEN json_extract(w.value, '$[1]') AND json_extract(w.value, '$[2]'))",
                (json.dumps(where.stretches), scope),
            )
        )
    return found


def _kinds(where: Filter) -> _Conditions:
    """What kind of entry."""
    if where.kinds is None:
        return [] if where.session_id else [(f"m.flags & {rows.COMMAND} = 0", ())]  # a session has no commands
    kinds = set(where.kinds)
    if kinds == {"command"}:
        return [(f"m.flags & {rows.COMMAND} = {rows.COMMAND}", ())]  # spelt out, for the partial index
    if kinds == set(KINDS):
        return []
    flags = ", ".join(str(rows.KIND[kind]) for kind in kinds)
    return [(f"m.flags & {rows.KIND_BITS} IN ({flags})", ())]


def _said(where: Filter) -> _Conditions:
    """Who said it, under which category, and when."""
    found: _Conditions = []
    if where.roles is not None:
        numbers = [rows.ROLE_NUMBER[role] for role in where.roles]
        if numbers and max(numbers) < rows.SYSTEMS:
            found.append((f"m.flags & 7 < {rows.SYSTEMS}", ()))  # spelt out, for the partial index
        found.append(("m.flags & 7 IN (SELECT value FROM json_each(?))", (json.dumps(numbers),)))
    if where.category is not None:
        found.append(("m.category = ?", (where.category,)))
    if where.since is not None:
        found.append(("m.created >= ?", (rows.micros(where.since),)))
    if where.until is not None:
        found.append(("m.created < ?", (rows.micros(where.until),)))
    return found
