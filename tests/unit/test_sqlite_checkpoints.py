"""Checkpoints in the SQLite file: one made before there were any, and the bytes after an erasure."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import pytest

from jiyi.stores import database
from jiyi.stores.sqlite import SqliteStore
from jiyi.types import Checkpoint, Message, Scope

NOW = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
ADA, BOB = Scope("ada"), Scope("bob")


def said(message_id: str) -> Message:
    return Message(message_id, "s", "user", "hello", digest=message_id, recorded_at=NOW)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "jiyi.db"


def content(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in (path, path.with_name("jiyi.db-wal")) if file.exists())


def leave_as_a_crash_does(path: Path, copy: Path) -> None:
    """The file and its write-ahead log, nothing closed."""
    for end in ("", "-wal"):
        copy.with_name(copy.name + end).write_bytes(path.with_name(path.name + end).read_bytes())


def make_first_schema(path: Path) -> None:
    """A file as version 1 of the schema has it, with a session of two messages."""
    with closing(sqlite3.connect(path)) as db:
        db.executescript(files("jiyi.stores").joinpath("sqlite.sql").read_text("utf-8"))
        db.execute("INSERT INTO scope VALUES (1, 'default', 'default', 'ada', x'00', 2, 2, 0, 0)")
        db.execute("INSERT INTO session (id, scope, name, head) VALUES (1, 1, 's', 2)")
        for seq in (1, 2):
            db.execute(
                "INSERT INTO message (key, session, active, position, parent, flags, id, content, digest, chain)"
                " VALUES ((1 << 32) + ?1, 1, 1, ?1, ?2, 2, 'm' || ?1, 'old words', 'd', 'c')",
                (seq, seq - 1 or None),
            )
        db.execute(f"PRAGMA application_id = {database.APPLICATION_ID}")
        db.execute("PRAGMA user_version = 1")
        db.commit()


async def test_a_file_of_the_first_schema_gets_checkpoints_and_keeps_all_else(path: Path) -> None:
    make_first_schema(path)
    stores = await asyncio.gather(*(SqliteStore.open(path) for _ in range(4)))  # whoever is first migrates
    store = stores[0]
    assert [m.text for m in await store.messages(ADA)] == ["old words"] * 2
    assert await store.checkpoints(ADA, "s") == []
    put = await store.put_checkpoint(ADA, Checkpoint("cp", "s", "m1", created_at=NOW))
    assert await stores[3].checkpoints(ADA, "s") == [put]
    for each in stores:
        await each.close()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(database.MIGRATIONS),)


async def test_a_migration_that_breaks_leaves_the_file_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_first_schema(path)
    with monkeypatch.context() as broken:
        broken.setattr(database, "MIGRATIONS", (*database.MIGRATIONS, "missing.sql"))
        with pytest.raises(FileNotFoundError):
            await SqliteStore.open(path)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
        assert db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'checkpoint'").fetchone() == (0,)
    store = await SqliteStore.open(path)
    assert len(await store.messages(ADA)) == 2
    await store.close()


@pytest.mark.parametrize("session_id", ["s", None])
async def test_erased_names_and_states_are_in_no_byte_of_the_files(path: Path, session_id: str | None) -> None:
    store = await SqliteStore.open(path)
    for scope, secret in ((ADA, "Quasimodo"), (BOB, "Zyxwvut")):
        await store.append(scope, "s", [said("m1")])
        for size in (1, 2_000):  # beside others in a page, and in pages of its own
            state = {"plan": secret * size}
            await store.put_checkpoint(scope, Checkpoint(f"{secret}{size}", "s", "m1", created_at=NOW, state=state))
    await store.put_checkpoint(ADA, Checkpoint("Quasimodo1", "s", created_at=NOW), overwrite=True)
    await store.delete_checkpoints(ADA, "s", ["Quasimodo2000"])
    assert b"Quasimodo" in content(path)
    await store.forget(ADA, session_id=session_id, everything=session_id is None)
    assert b"quasimodo" not in content(path).lower()
    assert b"Zyxwvut" in content(path)
    assert len(await store.checkpoints(BOB, "s")) == 2
    await store.close()


async def test_what_was_saved_is_there_for_a_process_that_starts_afterwards(path: Path) -> None:
    store = await SqliteStore.open(path)
    put = await store.put_checkpoint(ADA, Checkpoint("方案", "s", created_at=NOW, state={"步": 1}))
    copy = path.with_name("copy.db")
    leave_as_a_crash_does(path, copy)
    await store.close()
    again = await SqliteStore.open(copy)
    assert await again.checkpoints(ADA, "s") == [put]
    await again.close()
