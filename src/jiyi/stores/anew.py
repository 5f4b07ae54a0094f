"""What is derived anew in SQLite: lost records, failures, rebuilds.  Plain functions on a connection."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from datetime import datetime

from jiyi.indexable import is_index
from jiyi.stores import records, rows
from jiyi.stores.due import LONG_AGO, free, gaps, set_gaps
from jiyi.stores.gaps import Gap, kept_of, makes_instead, stretch_of
from jiyi.types import Failure, Scope

_ALL = (1 << 63) - 1


def lose(
    db: sqlite3.Connection, scope: int, resting: Sequence[tuple[int]], *, gone: Set[int] = frozenset(), maker: str = ""
) -> set[str]:
    """Deletes records, by row number; where messages that one rests on stay, whatever may make it again is a gap: the
    batch it was put in last, and the strides of all these messages; these too of steps named after its own.

    Args:
        db: inside a transaction.
        scope: its number.
        resting: the records.
        gone: keys of messages that do not stay.
        maker: the step that says so, which does not derive anew.

    Returns:
        The steps that have something to derive anew.
    """
    numbers = json.dumps([number for (number,) in resting])
    found = db.execute(
        "SELECT r.strategy, r.after, r.upto, s.message FROM record r JOIN source s ON s.record = r.id"
        " WHERE r.id IN (SELECT value FROM json_each(?))",
        (numbers,),
    ).fetchall()
    records.delete(db, resting)
    batches, messages = defaultdict[str, set[Gap]](set), defaultdict[str, set[int]](set)  # by strategy
    for strategy, after, upto, key in found:
        if key not in gone:
            batches[strategy].add((after, upto))
            messages[strategy].add(key & rows.SEQ_MASK)
    if not messages:
        return set()
    cursors = db.execute(
        "SELECT t.name, c.step, c.stride FROM cursor c JOIN step t ON t.id = c.step WHERE c.scope = ?", (scope,)
    ).fetchall()
    again = set[str]()
    for name, step, stride in cursors:
        lost = [messages[other] for other in messages if other == name or makes_instead(name, other)]
        if lost and name != maker and not is_index(name):
            again.add(name)
            strides = {stretch_of(seq, stride) for seq in set[int]().union(*lost)}
            set_gaps(db, scope, step, [*gaps(db, scope, step), *batches.get(name, ()), *strides])
    return again


def begin_again(db: sqlite3.Connection, scope: int, names: Collection[str] | None = None) -> None:
    """Whoever derives records in the scope, or these steps, begins again: what they are at may rest on what is gone."""
    for number, name in db.execute("SELECT id, name FROM step").fetchall():
        if not is_index(name) and (names is None or name in names):
            free(db, scope, number)


# -- failures --------------------------------------------------------------------------------------------------------


def note_failures(
    db: sqlite3.Connection, scope: int, step: int, span: Gap, failed: Mapping[int, str], now: datetime
) -> None:
    """Lists what was passed over in the range, and nothing else of it."""
    db.execute("DELETE FROM failure WHERE scope = ? AND step = ? AND seq > ? AND seq <= ?", (scope, step, *span))
    db.executemany(
        "INSERT OR REPLACE INTO failure SELECT ?1, ?2, ?3, ?4, ?5, ?6"
        " WHERE EXISTS (SELECT 1 FROM message WHERE key = (?1 << 32) + ?3)",
        [(scope, step, seq, why, rows.micros(now), rows.zone(now)) for seq, why in failed.items()],
    )


def forget_failures(db: sqlite3.Connection, scope: int, seqs: Iterable[int]) -> None:
    """Those of erased messages go, and the words of the others: an error may quote a message."""
    db.executemany("DELETE FROM failure WHERE scope = ? AND seq = ?", [(scope, seq) for seq in seqs])
    found = db.execute("SELECT DISTINCT reason FROM failure WHERE scope = ?", (scope,)).fetchall()
    db.executemany(
        "UPDATE failure SET reason = ? WHERE scope = ? AND reason = ?", [(kept_of(why), scope, why) for (why,) in found]
    )


def failures(db: sqlite3.Connection, scope: int | None) -> list[Failure]:
    """``Store.failures``."""
    found = db.execute(
        "SELECT s.user, s.tenant, s.agent, t.name, m.id, f.reason, f.at, f.at_zone, f.seq"
        " FROM failure f JOIN scope s ON s.id = f.scope JOIN step t ON t.id = f.step"
        " JOIN message m ON m.key = (f.scope << 32) + f.seq WHERE ?1 IS NULL OR f.scope = ?1",
        (scope,),
    ).fetchall()
    found.sort(key=lambda row: (row[1], row[0], row[2], row[8], row[3]))
    return [Failure(Scope(*row[:3]), row[3], rows.unpack(row[4]), row[5], _moment(row[6], row[7])) for row in found]


def _moment(at: int, zone: int | None) -> datetime:
    found = rows.moment(at, zone)
    assert found is not None  # the column is
    return found


def retry(db: sqlite3.Connection, scope: int | None, step: int) -> int:
    """``Store.retry`` of one step."""
    found = db.execute(
        "SELECT f.scope, f.seq, c.stride FROM failure f JOIN cursor c ON c.scope = f.scope AND c.step = f.step"
        " WHERE f.step = ?1 AND (?2 IS NULL OR f.scope = ?2)",
        (step, scope),
    ).fetchall()
    for owner in {row[0] for row in found}:
        again = [stretch_of(seq, stride) for key, seq, stride in found if key == owner]
        set_gaps(db, owner, step, [*gaps(db, owner, step), *again])
        db.execute("DELETE FROM failure WHERE scope = ? AND step = ?", (owner, step))
        free(db, owner, step)
    return len(found)


# -- rebuilds --------------------------------------------------------------------------------------------------------


def restart(db: sqlite3.Connection, step: int, scope: int | None, *, keep: bool) -> None:
    """Cursors to 0, gaps and failures forgotten; whoever has a lease has lost it.

    Args:
        db: inside a transaction.
        step: its number.
        scope: None for all.
        keep: the step's records stay visible until the cursor is where it was.
    """
    name, stride = db.execute("SELECT name, stride FROM step WHERE id = ?", (step,)).fetchone()
    low, high = (0, _ALL) if scope is None else (scope, scope)
    for table in ("gap", "failure"):
        db.execute(f"DELETE FROM {table} WHERE step = ? AND scope BETWEEN ? AND ?", (step, low, high))
    db.execute(
        "UPDATE cursor SET goal = iif(?4, coalesce(goal, after), NULL), after = 0, token = token + 1, attempts = 0,"
        " error = NULL, stride = ?5, due = (SELECT iif(iif(follows_records, record_head, head) >= ?5, ?6, NULL)"
        " FROM scope WHERE id = cursor.scope)"
        " WHERE step = ?1 AND scope BETWEEN ?2 AND ?3",
        (step, low, high, keep, stride, LONG_AGO),
    )
    records.delete(db, db.execute(
        "SELECT id FROM record WHERE fresh = 1 AND strategy = ? AND scope BETWEEN ? AND ?", (name, low, high)
    ).fetchall())  # fmt: skip


def anew(db: sqlite3.Connection, scope: int, step: int) -> bool:
    """Whether the step is being rebuilt."""
    return db.execute("SELECT goal FROM cursor WHERE scope = ? AND step = ?", (scope, step)).fetchone()[0] is not None


def finish(db: sqlite3.Connection, scope: int, step: int, *, waits: bool) -> None:
    """Where a rebuild is at its goal, or nothing is left to do, what was made anew takes the place of the old."""
    row = db.execute(
        "SELECT t.name FROM cursor c JOIN step t ON t.id = c.step WHERE c.scope = ?1 AND c.step = ?2"
        " AND c.goal IS NOT NULL AND (c.after >= c.goal OR NOT ?3)"
        " AND NOT EXISTS (SELECT 1 FROM gap WHERE scope = ?1 AND step = ?2)",
        (scope, step, waits),
    ).fetchone()
    if row is not None:
        again = _left_over(db, scope, step, row[0])
        records.show_fresh(db, scope, row[0])
        db.execute("UPDATE cursor SET goal = NULL WHERE scope = ? AND step = ?", (scope, step))
        begin_again(db, scope, again)


def _left_over(db: sqlite3.Connection, scope: int, step: int, name: str) -> set[str]:
    """Messages behind the cursor that a step's old records rest on: a step named after it has told of them there, and
    does so again.  Returns the steps that have something to derive anew.
    """
    found = db.execute(
        "SELECT DISTINCT s.message FROM record r JOIN source s ON s.record = r.id"
        " WHERE r.scope = ?1 AND r.fresh = 0 AND r.strategy = ?3"
        " AND s.message > (?1 << 32) + (SELECT after FROM cursor WHERE scope = ?1 AND step = ?2)",
        (scope, step, name),
    ).fetchall()
    if not found:
        return set()
    again = set[str]()
    sql = "SELECT t.name, c.step, c.stride FROM cursor c JOIN step t ON t.id = c.step WHERE c.scope = ?"
    for other, number, stride in db.execute(sql, (scope,)).fetchall():
        if makes_instead(other, name):
            again.add(other)
            strides = {stretch_of(key & rows.SEQ_MASK, stride) for (key,) in found}
            set_gaps(db, scope, number, [*gaps(db, scope, number), *strides])
    return again
