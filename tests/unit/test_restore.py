from __future__ import annotations

from pathlib import Path

import pytest

from jiyi import InvalidInput, JiyiError, Memory, NotFound, StoreCorrupt


def fill(path: Path, text: str) -> None:
    with Memory.open(path, embedder=None) as memory:
        memory.remember(text, user_id="ada")


def texts(path: Path) -> list[str]:
    with Memory.open(path, embedder=None) as memory:
        return [message.text for message in memory.messages(user_id="ada")]


def test_a_backup_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    db, copy = tmp_path / "a.db", tmp_path / "copy.db"
    fill(db, "one")
    with Memory.open(db, embedder=None) as memory:
        memory.backup(copy)
        memory.remember("two", user_id="ada")
    assert texts(db) == ["one", "two"]
    Memory.restore(copy, db)
    assert texts(db) == ["one"]
    Memory.restore(copy, tmp_path / "new.db")
    assert texts(tmp_path / "new.db") == ["one"]


def test_a_damaged_database_can_be_restored(tmp_path: Path) -> None:
    db, copy = tmp_path / "a.db", tmp_path / "copy.db"
    fill(db, "one")
    with Memory.open(db, embedder=None) as memory:
        memory.backup(copy)
    db.write_bytes(b"not a database at all" * 500)
    Memory.restore(copy, db)
    assert texts(db) == ["one"]


def test_a_database_in_use_is_left_alone(tmp_path: Path) -> None:
    db, copy = tmp_path / "a.db", tmp_path / "copy.db"
    fill(db, "one")
    with Memory.open(db, embedder=None) as memory:
        memory.backup(copy)
        memory.remember("two", user_id="ada")
        with pytest.raises(InvalidInput, match="in use"):
            Memory.restore(copy, db)
    assert texts(db) == ["one", "two"]


@pytest.mark.parametrize(("content", "error"), [(None, NotFound), (b"text" * 1000, StoreCorrupt), (b"", StoreCorrupt)])
def test_what_is_no_backup_is_refused(tmp_path: Path, content: bytes | None, error: type[JiyiError]) -> None:
    db, copy = tmp_path / "a.db", tmp_path / "copy.db"
    fill(db, "one")
    if content is not None:
        copy.write_bytes(content)
    with pytest.raises(error):
        Memory.restore(copy, db)
    assert texts(db) == ["one"]
    for url in ("memory:", "postgres://localhost/x"):
        with pytest.raises(InvalidInput):
            Memory.restore(copy, url)
