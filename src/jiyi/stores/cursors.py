"""Derivation in SQLite: how far each step is in each scope, and who works on it.  Plain functions on a connection.

A cursor's ``due`` is the one thing that says whether work can be taken: NULL means nothing to do, a time in the future
means later (after a failure) or leased until then.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime

from jiyi.errors import Conflict
from jiyi.indexable import DENSE_STEPS, LEXICAL_STEP, RECORD_STEPS, follows_records
from jiyi.stores import anew, postings, records, segments
from jiyi.stores.due import LONG_AGO, gaps, set_gaps, settle
from jiyi.stores.log import scope_key
from jiyi.stores.rows import SEQ_MASK, key_of, micros
from jiyi.types import Changes, Claim, Embedded, Failure, Progress, Scope, Step

_MESSAGES = "SELECT coalesce(sum(messages), 0) FROM scope WHERE ?1 IS NULL OR id = ?1"
_RECORDS = "SELECT count(*) FROM record WHERE seq IS NOT NULL AND (?1 IS NULL OR scope = ?1)"
_PENDING = (
    "SELECT coalesce(sum((SELECT count(*) FROM message WHERE key > (c.scope << 32) + c.after"
    " AND key <= (c.scope << 32) + (SELECT head - head % c.stride FROM scope WHERE id = c.scope)) +"
    " (SELECT count(*) FROM gap g JOIN message ON key > (g.scope << 32) + g.after"
    " AND key <= (g.scope << 32) + g.upto WHERE g.scope = c.scope AND g.step = c.step)), 0),"
    " (SELECT count(*) FROM failure WHERE step = ?1 AND (?2 IS NULL OR scope = ?2))"
    " FROM cursor c WHERE step = ?1 AND due IS NOT NULL AND (?2 IS NULL OR scope = ?2)"
)
_UNEMBEDDED = (
    "SELECT coalesce(sum("
    "(SELECT count(*) FROM record r WHERE r.scope = c.scope AND r.seq > c.after)), 0), 0"
    " FROM cursor c WHERE step = ?1 AND due IS NOT NULL AND (?2 IS NULL OR scope = ?2)"
)


def register(db: sqlite3.Connection, steps: Sequence[Step]) -> None:
    """``Store.register``."""
    for step in steps:
        row = db.execute("SELECT id, version, stride FROM step WHERE name = ?", (step.name,)).fetchone()
        values = step.version, step.stride
        if row is None:
            insert = "INSERT INTO step (version, stride, name, follows_records) VALUES (?, ?, ?, ?)"
            number = db.execute(insert, (*values, step.name, follows_records(step.name))).lastrowid
            db.execute(
                "INSERT INTO cursor (scope, step, token, stride, follows_records, due)"
                " SELECT id, ?1, id << 32, ?2, ?4, iif(iif(?4, record_head, head) >= ?2, ?3, NULL) FROM scope",
                (number, step.stride, LONG_AGO, follows_records(step.name)),
            )
        elif row[1:] != values:
            db.execute("UPDATE step SET version = ?, stride = ? WHERE id = ?", (*values, row[0]))
            anew.restart(db, row[0], None, keep=True)


def registered(db: sqlite3.Connection, steps: Sequence[Step]) -> bool:
    """Whether ``register`` would change nothing."""
    return all(_step(db, step) is not None for step in steps)


def _step(db: sqlite3.Connection, step: Step) -> int | None:
    row = db.execute(
        "SELECT id FROM step WHERE name = ? AND version = ? AND stride = ?", (step.name, step.version, step.stride)
    ).fetchone()
    return row and row[0]


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
        "SELECT s.user, s.tenant, s.agent, iif(c.follows_records, s.record_head, s.head), c.after, c.token, c.attempts"
        " FROM cursor c JOIN scope s ON s.id = c.scope WHERE c.scope = ? AND c.step = ?",
        (key, number),
    ).fetchone()
    gap = next(iter(gaps(db, key, number)), None)
    after, upto = (after, None) if gap is None else gap
    return Claim(Scope(user, tenant, agent), step, after, head, token, attempts, upto)


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
    batch = records.Batch(claim.after, changes.cursor, claim.step.name if anew.anew(db, scope, step) else None)
    if changes.drop:
        records.drop(db, scope, changes.drop, batch, claim.step.name)
    if changes.stale:
        stale = records.resting(db, scope, changes.stale, claim.step.name)
        anew.begin_again(db, scope, anew.lose(db, scope, stale, maker=claim.step.name))
    records.put(db, scope, changes.put, batch)
    records.close(db, scope, changes.close, batch)
    postings.put(db, scope, changes.index)
    if changes.put:
        _more_records(db, scope, now)
    if changes.vectors:
        _put_vectors(db, scope, claim.step.name, changes.vectors)
    failed = dict[int, str]() if follows_records(claim.step.name) else changes.failed
    anew.note_failures(db, scope, step, (claim.after, changes.cursor), failed, now)
    _move(db, claim, changes.cursor, scope, step)
    waits = settle(db, scope, step, micros(now))
    anew.finish(db, scope, step, waits=waits)


def _move(db: sqlite3.Connection, claim: Claim, cursor: int, scope: int, step: int) -> None:
    """Moves the cursor, or the beginning of the gap that was claimed, and ends the lease."""
    left = gaps(db, scope, step)
    if claim.upto is not None:
        left[0] = max(claim.after, cursor), claim.upto
    db.execute(
        "UPDATE cursor SET after = iif(?3, ?4, after), token = token + 1, attempts = 0, error = NULL"
        " WHERE scope = ?1 AND step = ?2",
        (scope, step, claim.upto is None, cursor),
    )
    set_gaps(db, scope, step, left)


def _more_records(db: sqlite3.Connection, scope: int, now: datetime) -> None:
    """Steps that work through the records have something to do."""
    db.execute(
        "UPDATE cursor SET due = ?2 WHERE scope = ?1 AND follows_records AND due IS NULL"
        " AND after < (SELECT record_head FROM scope WHERE id = ?1)",
        (scope, micros(now)),
    )


def _put_vectors(db: sqlite3.Connection, scope: int, step: str, vectors: Sequence[Embedded]) -> None:
    """Stores the vectors of messages, or of records, that are still there."""
    first, last = min(entry.seq for entry in vectors), max(entry.seq for entry in vectors)
    if follows_records(step):
        space, span = step, (scope, first, last)
        found = db.execute("SELECT seq FROM record WHERE scope = ? AND seq BETWEEN ? AND ?", span)
    else:
        space, span = step.removeprefix(DENSE_STEPS), (key_of(scope, first), key_of(scope, last))
        found = db.execute(f"SELECT key & {SEQ_MASK} FROM message WHERE key BETWEEN ? AND ?", span)
    there = {seq for (seq,) in found}
    segments.put(db, scope, space, [entry for entry in vectors if entry.seq in there])


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
            "UPDATE cursor SET token = token + 1, attempts = attempts + ?3, error = coalesce(?4, error)"
            " WHERE scope = ?1 AND step = ?2",
            (*held, int(error is not None), error),
        )
        settle(db, *held, micros(due))


# -- how far ---------------------------------------------------------------------------------------------------------


def progress(db: sqlite3.Connection, steps: Sequence[Step], scope: Scope | None) -> list[Progress]:
    """``Store.progress``."""
    key = None if scope is None else scope_key(db, scope)
    if scope is not None and key is None:
        return [Progress(step, 0, 0) for step in steps]
    return [_progress(db, step, key) for step in steps]


def begun(db: sqlite3.Connection) -> list[Step]:
    """``Store.begun``."""
    any_scope = "EXISTS (SELECT 1 FROM cursor WHERE step = step.id AND after > 0)"
    rows = db.execute(f"SELECT name, version, stride FROM step WHERE {any_scope} ORDER BY name")
    return [Step(*row) for row in rows]


def _progress(db: sqlite3.Connection, step: Step, scope: int | None) -> Progress:
    of_records = follows_records(step.name)
    total: int = db.execute(_RECORDS if of_records else _MESSAGES, (scope,)).fetchone()[0]
    number = _step(db, step)
    if number is None:
        return Progress(step, 0, total)
    pending, failed = db.execute(_UNEMBEDDED if of_records else _PENDING, (number, scope)).fetchone()
    errors = db.execute(
        "SELECT error FROM cursor WHERE step = ?1 AND error IS NOT NULL AND (?2 IS NULL OR scope = ?2) ORDER BY scope",
        (number, scope),
    )
    return Progress(step, total - pending, total, tuple(row[0] for row in errors), failed)


def cursors(db: sqlite3.Connection, scope: Scope, steps: Sequence[Step]) -> dict[str, int]:
    """``Store.cursors``."""
    key = scope_key(db, scope)
    return {step.name: 0 if key is None else after(db, key, step) for step in steps}


def after(db: sqlite3.Connection, scope: int, step: Step) -> int:
    """Derived up to this seq; 0 for a step that never ran in this version."""
    row = db.execute("SELECT after FROM cursor WHERE scope = ? AND step = ?", (scope, _step(db, step))).fetchone()
    return row[0] if row else 0


# -- starting over ---------------------------------------------------------------------------------------------------


def failures(db: sqlite3.Connection, scope: Scope | None) -> list[Failure]:
    """``Store.failures``."""
    return [] if (keys := _keys(db, scope)) == [] else anew.failures(db, keys[0] if scope else None)


def retry(db: sqlite3.Connection, steps: Sequence[Step], scope: Scope | None) -> int:
    """``Store.retry``."""
    numbers = [number for step in steps if (number := _step(db, step)) is not None]
    if scope is None:
        return sum(anew.retry(db, None, number) for number in numbers)
    return sum(anew.retry(db, key, number) for key in _keys(db, scope) for number in numbers)


def rebuild(db: sqlite3.Connection, steps: Sequence[Step], scope: Scope | None) -> None:
    """``Store.rebuild``."""
    for step in steps:
        number = _step(db, step)
        if number is not None:
            for key in _keys(db, scope):
                anew.restart(db, number, key, keep=True)


def reset(db: sqlite3.Connection, steps: Sequence[Step], scope: Scope | None) -> None:
    """``Store.reset``."""
    for step in steps:
        row = db.execute("SELECT id FROM step WHERE name = ?", (step.name,)).fetchone()
        for key in _keys(db, scope):
            _clear(db, step.name, key)
            if row is not None:
                anew.restart(db, row[0], key, keep=False)


def _keys(db: sqlite3.Connection, scope: Scope | None) -> list[int]:
    """Number of the scope, if it is there; of all."""
    if scope is None:
        return [row[0] for row in db.execute("SELECT id FROM scope")]
    key = scope_key(db, scope)
    return [] if key is None else [key]


def _clear(db: sqlite3.Connection, step: str, scope: int) -> None:
    if step == LEXICAL_STEP:
        postings.remove(db, scope)
    elif step.startswith((DENSE_STEPS, RECORD_STEPS)):
        space = segments.find(db, scope, step.removeprefix(DENSE_STEPS))
        if space is not None:
            segments.drop(db, space.id)
    found = db.execute("SELECT id FROM record WHERE scope = ? AND strategy = ?", (scope, step)).fetchall()
    records.delete(db, found)
