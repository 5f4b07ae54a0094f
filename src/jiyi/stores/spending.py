"""What models were used for, counted in SQLite by scope, day and purpose.  Plain functions on a connection."""

from __future__ import annotations

import sqlite3
from datetime import date

from jiyi.stores.log import scope_key
from jiyi.types import Scope, Spent, Usage


def spend(db: sqlite3.Connection, new: Spent) -> None:
    """``Store.spend``."""
    key = scope_key(db, new.scope)
    if key is None:
        return
    usage = new.usage
    db.execute(
        "INSERT INTO spent VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET calls = calls + excluded.calls,"
        " prompt = prompt + excluded.prompt, completion = completion + excluded.completion,"
        " saved = saved + excluded.saved",
        (key, new.day.isoformat(), new.purpose, usage.calls, usage.prompt_tokens, usage.completion_tokens, new.saved),
    )


def spent(db: sqlite3.Connection, scope: Scope | None, since: date | None) -> list[Spent]:
    """``Store.spent``."""
    key = None if scope is None else scope_key(db, scope)
    if scope is not None and key is None:
        return []
    found = db.execute(
        "SELECT s.user, s.tenant, s.agent, t.day, t.purpose, t.calls, t.prompt, t.completion, t.saved"
        f" FROM spent t JOIN scope s ON s.id = t.scope WHERE t.day >= ?1{'' if key is None else ' AND t.scope = ?2'}"
        " ORDER BY t.day, s.tenant, s.user, s.agent, t.purpose",
        ("" if since is None else since.isoformat(), *(() if key is None else (key,))),
    )
    return [
        Spent(Scope(user, tenant, agent), date.fromisoformat(day), purpose, Usage(calls, prompt, completion), saved)
        for user, tenant, agent, day, purpose, calls, prompt, completion, saved in found
    ]
