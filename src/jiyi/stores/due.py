"""What there is to do for each step, in SQLite: gaps, and from when.  Plain functions on a connection.

Whatever changes what there is to do ends in ``settle``: a cursor is due exactly when there is something.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable

from jiyi.indexable import is_index
from jiyi.stores.gaps import Gap, joined, stretch_of

LONG_AGO = -(1 << 62)  # due before everything that has a time


def settle(db: sqlite3.Connection, scope: int, step: int, due: int | None) -> bool:
    """Makes the cursor due then, or not at all when there is nothing to do; whether there is."""
    db.execute(
        "UPDATE cursor SET due = (SELECT iif("
        "iif(cursor.follows_records, s.record_head, s.head - s.head % cursor.stride) > cursor.after OR EXISTS"
        " (SELECT 1 FROM gap g WHERE g.scope = cursor.scope AND g.step = cursor.step), ?3, NULL)"
        " FROM scope s WHERE s.id = cursor.scope) WHERE scope = ?1 AND step = ?2",
        (scope, step, due),
    )
    row = db.execute("SELECT due FROM cursor WHERE scope = ? AND step = ?", (scope, step)).fetchone()
    return row is not None and row[0] is not None


def free(db: sqlite3.Connection, scope: int, step: int) -> None:
    """Takes the claim on a cursor away; what there is to do may be taken at once."""
    db.execute("UPDATE cursor SET token = token + 1 WHERE scope = ? AND step = ?", (scope, step))
    settle(db, scope, step, LONG_AGO)


def gaps(db: sqlite3.Connection, scope: int, step: int) -> list[Gap]:
    """Those of a cursor, in order."""
    return db.execute(
        "SELECT after, upto FROM gap WHERE scope = ? AND step = ? ORDER BY after", (scope, step)
    ).fetchall()


def set_gaps(db: sqlite3.Connection, scope: int, step: int, wanted: Iterable[Gap]) -> None:
    """These and no others, as far as the cursor is."""
    old = gaps(db, scope, step)
    after: int = db.execute("SELECT after FROM cursor WHERE scope = ? AND step = ?", (scope, step)).fetchone()[0]
    new = joined(wanted, after)
    if new != old:
        db.execute("DELETE FROM gap WHERE scope = ? AND step = ?", (scope, step))
        db.executemany("INSERT INTO gap VALUES (?, ?, ?, ?)", [(scope, step, *gap) for gap in new])


def turned(db: sqlite3.Connection, scope: int, seqs: Collection[int]) -> None:
    """Messages have come to the active path, or left it: what is derived from them is derived anew, and who is at it
    begins again.
    """
    cursors = db.execute(
        "SELECT t.name, c.step, c.stride FROM cursor c JOIN step t ON t.id = c.step WHERE c.scope = ?", (scope,)
    ).fetchall()
    for name, step, stride in cursors if seqs else ():
        if not is_index(name):
            set_gaps(db, scope, step, [*gaps(db, scope, step), *{stretch_of(seq, stride) for seq in seqs}])
            free(db, scope, step)
