"""Derivation in the SQLite file: one made before there were gaps and failures, and the bytes after an erasure."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from jiyi.stores import database
from jiyi.stores.sqlite import SqliteStore
from jiyi.types import Changes, Message, Record, Scope, Source, Step

NOW = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
ADA = Scope("ada")
NOTES = Step("notes", "1")


def make_third_schema(path: Path) -> None:
    """A file as version 3 of the schema has it: two messages, a record of each, a step that is done."""
    with closing(sqlite3.connect(path)) as db:
        for script in database.MIGRATIONS[:3]:
            db.executescript(files("jiyi.stores").joinpath(script).read_text("utf-8"))
        db.execute("INSERT INTO scope VALUES (1, 'default', 'default', 'ada', x'00', 2, 2, 0, 0, 0)")
        db.execute("INSERT INTO session (id, scope, name, head) VALUES (1, 1, 's', 2)")
        db.execute("INSERT INTO step (id, name, version) VALUES (1, 'notes', '1')")
        db.execute("INSERT INTO cursor (scope, step, after, token) VALUES (1, 1, 2, 4294967300)")
        for seq in (1, 2):
            db.execute(
                "INSERT INTO message (key, session, active, position, parent, flags, id, content, digest, chain)"
                " VALUES ((1 << 32) + ?1, 1, 1, ?1, ?2, 2, 'm' || ?1, 'old words', 'd', 'c')",
                (seq, seq - 1 or None),
            )
            db.execute(
                "INSERT INTO record (id, scope, name, kind, strategy, version, text, pinned, recorded, recorded_zone,"
                " closed, closed_zone, data) VALUES (?1 + 5, 1, 'r' || ?1, 'note', 'notes', '1', 'kept', 1, ?1, 60,"
                " iif(?1 = 2, 7, NULL), iif(?1 = 2, 0, NULL), '{\"a\": 1}')",
                (seq,),
            )
            db.execute("INSERT INTO source VALUES (?1 + 5, 0, (1 << 32) + ?1, 0, 3, 'old')", (seq,))
        db.execute(f"PRAGMA application_id = {database.APPLICATION_ID}")
        db.execute("PRAGMA user_version = 3")
        db.commit()


async def test_a_file_of_the_third_schema_keeps_its_records_and_cursors(tmp_path: Path) -> None:
    path = tmp_path / "jiyi.db"
    make_third_schema(path)
    store = await SqliteStore.open(path)
    await store.register([NOTES])
    assert await store.cursors(ADA, [NOTES]) == {"notes": 2}
    assert await store.claim([NOTES], now=NOW, lease=9) is None
    first, second = await store.records(ADA, current=None)
    assert (first.id, first.text, first.pinned, first.data, first.closed_at) == ("r1", "kept", True, {"a": 1}, None)
    assert first.sources == (Source("m1", 0, 3, "old"),) and second.sources[0].message_id == "m2"
    assert second.closed_at is not None and first.recorded_at is not None
    assert str(first.recorded_at.tzinfo) == "UTC+01:00"
    assert (await store.forget(ADA, message_ids=["m2"])).records == 1
    assert await store.claim([NOTES], now=NOW, lease=9) is None
    await store.rebuild([NOTES])
    claim = await store.claim([NOTES], now=NOW, lease=9)
    assert claim is not None and claim.token > 4294967300
    await store.commit(claim, Changes(2), now=NOW)
    assert await store.records(ADA, current=None) == []
    await store.close()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(database.MIGRATIONS),)


async def test_what_was_being_made_and_why_it_failed_is_in_no_byte_after_an_erasure(tmp_path: Path) -> None:
    path = tmp_path / "jiyi.db"
    store = await SqliteStore.open(path)
    await store.register([NOTES])
    said = [Message(f"m{n}", "s", "user", "hello", digest=f"{n}", recorded_at=NOW) for n in range(2)]
    await store.append(ADA, "s", said)
    for rebuilt in (False, True):
        if rebuilt:
            await store.rebuild([NOTES])
        claim = await store.claim([NOTES], now=NOW, lease=9)
        assert claim is not None
        record = Record("r", "note", "Quasimodo", "notes", "1", (Source("m0"),), recorded_at=NOW)
        await store.commit(claim, Changes(1, put=(record,), failed={1: "ModelError: Quasimodo"}), now=NOW)
    claim = await store.claim([NOTES], now=NOW, lease=9)
    assert claim is not None
    await store.commit(claim, Changes(2, failed={2: "ModelError: after Quasimodo"}), now=NOW)
    await store.forget(ADA, message_ids=["m0"])
    found = b"".join(file.read_bytes() for file in (path, path.with_name("jiyi.db-wal")) if file.exists())
    assert b"Quasimodo" not in found
    assert [failure.reason for failure in await store.failures()] == ["ModelError"]
    await store.close()
