"""Derivation in SQLite: how far each step is in each scope, and who works on it.  Plain functions on a connection.

A cursor's ``due`` is the one thing that says whether work can be taken: NULL means nothing to do, a time in the future
means later (after a failure) or leased until then.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime

from jiyi.errors import Conflict
from jiyi.stores import postings, records, segments
from jiyi.stores.log import LONG_AGO, scope_key
from jiyi.stores.rows import SEQ_MASK, key_of, micros
from jiyi.types import Changes, Claim, Progress, Scope, Step

LEXICAL = "lexical"
DENSE = "dense:"
"""Names of the steps whose derivations are index entries; a model's name follows the second."""


def register(db: sqlite3.Connection, steps: Sequence[Step]) -> None:
    """``Store.register``."""
    for step in steps:
        row = db.execute("SELECT id, version FROM step WHERE name = ?", (step.name,)).fetchone()
        if row is None:
            number = db.execute("INSERT INTO step (name, version) VALUES (?, ?)", (step.name, step.version)).lastrowid
            db.execute(
                "INSERT INTO cursor (scope, step, token, due)"
                " SELECT id, ?, id << 32, iif(head > 0, ?, NULL) FROM scope",
                (number, LONG_AGO),
            )
        elif row[1] != step.version:
            db.execute("UPDATE step SET version = ? WHERE id = ?", (step.version, row[0]))
            _restart(db, row[0], None)


def registered(db: sqlite3.Connection, steps: Sequence[Step]) -> bool:
    """Whether ``register`` would change nothing."""
    return all(_step(db, step) is not None for step in steps)


def _step(db: sqlite3.Connection, step: Step) -> int | None:
    row = db.execute("SELECT id FROM step WHERE name = ? AND version = ?", (step.name, step.version)).fetchone()
    return row and row[0]


def _restart(db: sqlite3.Connection, step: int, scope: int | None) -> None:
    """Cursor to 0; whoever has a lease has lost it."""
    db.execute(
        "UPDATE cursor SET after = 0, token = token + 1, attempts = 0, error = NULL,"
        " due = (SELECT iif(head > 0, ?3, NULL) FROM scope WHERE id = cursor.scope)"
        " WHERE step = ?1 AND (?2 IS NULL OR scope = ?2)",
        (step, scope, LONG_AGO),
    )


# -- leases ----------------------------------------------------------------------------------------------------------


def due(
    db: sqlite3.Connection, steps: Iterable[Step], now: datetime, scope: Scope | None
) -> tuple[int, int, Step] | None:
    """Scope, step number and step of the longest waiting pair that is due."""
    key = None if scope is None else scope_key(db, scope)
    if scope is not None and key is None:
        return None
    best: tuple[int, int, int, Step] | None = None
    for step in steps:
        number = _step(db, step)
        where = "step = ? AND due <= ?" + ("" if key is None else " AND scope = ?")
        values = (number, micros(now)) if key is None else (number, micros(now), key)
        row = db.execute(f"SELECT due, scope FROM cursor WHERE {where} ORDER BY due, scope LIMIT 1", values).fetchone()
        if row is not None and number is not None and (best is None or row[0] < best[0]):
            best = row[0], row[1], number, step
    return best and best[1:]


def claim(
    db: sqlite3.Connection, steps: Sequence[Step], now: datetime, lease: float, scope: Scope | None
) -> Claim | None:
    """``Store.claim``."""
    found = due(db, steps, now, scope)
    if found is None:
        return None
    key, number, step = found
    until = (micros(now) or 0) + round(lease * 1e6)
    db.execute("UPDATE cursor SET token = token + 1, due = ? WHERE scope = ? AND step = ?", (until, key, number))
    user, tenant, agent, head, after, token, attempts = db.execute(
        "SELECT s.user, s.tenant, s.agent, s.head, c.after, c.token, c.attempts"
        " FROM cursor c JOIN scope s ON s.id = c.scope WHERE c.scope = ? AND c.step = ?",
        (key, number),
    ).fetchone()
    return Claim(Scope(user, tenant, agent), step, after, head, token, attempts)


def _held(db: sqlite3.Connection, claim: Claim) -> tuple[int, int] | None:
    """Scope and step number when the claim is still the newest."""
    key, number = scope_key(db, claim.scope), _step(db, claim.step)
    row = db.execute("SELECT token FROM cursor WHERE scope = ? AND step = ?", (key, number)).fetchone()
    if key is None or number is None or row is None or row[0] != claim.token:
        return None
    return key, number


def commit(db: sqlite3.Connection, claim: Claim, changes: Changes, now: datetime) -> None:
    """``Store.commit``."""
    held = _held(db, claim)
    if held is None:
        raise Conflict(
            f"the lease on {claim.step.name} of user {claim.scope.user!r} was lost; nothing was written, "
            "the work will be done by whoever has it now"
        )
    scope, step = held
    records.put(db, scope, changes.put)
    records.close(db, scope, changes.close)
    postings.put(db, scope, changes.index)
    if changes.vectors:
        there = _there(db, scope, [entry.seq for entry in changes.vectors])
        kept = [entry for entry in changes.vectors if entry.seq in there]
        segments.put(db, scope, claim.step.name.removeprefix(DENSE), kept)
    db.execute(
        "UPDATE cursor SET after = ?3, token = token + 1, attempts = 0, error = NULL,"
        " due = (SELECT iif(head > ?3, ?4, NULL) FROM scope WHERE id = ?1) WHERE scope = ?1 AND step = ?2",
        (scope, step, changes.cursor, micros(now)),
    )


def _there(db: sqlite3.Connection, scope: int, seqs: Sequence[int]) -> set[int]:
    if not seqs:
        return set()
    found = db.execute(
        "SELECT key FROM message WHERE key BETWEEN ? AND ?", (key_of(scope, min(seqs)), key_of(scope, max(seqs)))
    )
    return {key & SEQ_MASK for (key,) in found}


def renew(db: sqlite3.Connection, claim: Claim, now: datetime, lease: float) -> bool:
    """``Store.renew``."""
    held = _held(db, claim)
    if held is not None:
        until = (micros(now) or 0) + round(lease * 1e6)
        db.execute("UPDATE cursor SET due = ?3 WHERE scope = ?1 AND step = ?2", (*held, until))
    return held is not None


def release(db: sqlite3.Connection, claim: Claim, error: str | None, due: datetime) -> None:
    """``Store.release``."""
    held = _held(db, claim)
    if held is not None:
        db.execute(
            "UPDATE cursor SET token = token + 1, due = (SELECT iif(head > after, ?3, NULL) FROM scope WHERE id = ?1),"
            " attempts = attempts + ?4, error = coalesce(?5, error) WHERE scope = ?1 AND step = ?2",
            (*held, micros(due), int(error is not None), error),
        )


# -- how far ---------------------------------------------------------------------------------------------------------


def progress(db: sqlite3.Connection, steps: Sequence[Step], scope: Scope | None) -> list[Progress]:
    """``Store.progress``."""
    key = None if scope is None else scope_key(db, scope)
    if scope is not None and key is None:
        return [Progress(step, 0, 0) for step in steps]
    total: int = db.execute(
        "SELECT coalesce(sum(messages), 0) FROM scope WHERE ?1 IS NULL OR id = ?1", (key,)
    ).fetchone()[0]
    return [_progress(db, step, key, total) for step in steps]


def _progress(db: sqlite3.Connection, step: Step, scope: int | None, total: int) -> Progress:
    number = _step(db, step)
    if number is None:
        return Progress(step, 0, total)
    pending: int = db.execute(
        "SELECT coalesce(sum((SELECT count(*) FROM message WHERE key > (c.scope << 32) + c.after"
        " AND key <= (c.scope << 32) + 4294967295)), 0)"
        " FROM cursor c WHERE step = ?1 AND due IS NOT NULL AND (?2 IS NULL OR scope = ?2)",
        (number, scope),
    ).fetchone()[0]
    errors = db.execute(
        "SELECT error FROM cursor WHERE step = ?1 AND error IS NOT NULL AND (?2 IS NULL OR scope = ?2) ORDER BY scope",
        (number, scope),
    )
    return Progress(step, total - pending, total, tuple(row[0] for row in errors))


def cursors(db: sqlite3.Connection, scope: Scope, steps: Sequence[Step]) -> dict[str, int]:
    """``Store.cursors``."""
    key = scope_key(db, scope)
    return {step.name: 0 if key is None else after(db, key, step) for step in steps}


def after(db: sqlite3.Connection, scope: int, step: Step) -> int:
    """Derived up to this seq; 0 for a step that never ran in this version."""
    row = db.execute(
        "SELECT after FROM cursor WHERE scope = ? AND step = (SELECT id FROM step WHERE name = ? AND version = ?)",
        (scope, step.name, step.version),
    ).fetchone()
    return row[0] if row else 0


# -- starting over ---------------------------------------------------------------------------------------------------


def reset(db: sqlite3.Connection, steps: Sequence[Step], scope: Scope | None) -> None:
    """``Store.reset``."""
    if scope is None:
        keys = [row[0] for row in db.execute("SELECT id FROM scope")]
    else:
        key = scope_key(db, scope)
        keys = [] if key is None else [key]
    for step in steps:
        for key in keys:
            _clear(db, step.name, key)
        row = db.execute("SELECT id FROM step WHERE name = ?", (step.name,)).fetchone()
        for key in keys if row else ():
            _restart(db, row[0], key)


def _clear(db: sqlite3.Connection, step: str, scope: int) -> None:
    if step == LEXICAL:
        postings.remove(db, scope)
    elif step.startswith(DENSE):
        space = segments.find(db, scope, step.removeprefix(DENSE))
        if space is not None:
            segments.drop(db, space.id)
    found = db.execute("SELECT id FROM record WHERE scope = ? AND strategy = ?", (scope, step)).fetchall()
    records.delete(db, found)
