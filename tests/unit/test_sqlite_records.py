"""Records and commands in the SQLite file: one made before schema 5 or 6, what answers a question, what is erased."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from importlib.resources import files
from pathlib import Path

import pytest

from jiyi.stores import database, filters, records
from jiyi.stores.sqlite import SqliteStore
from jiyi.types import Changes, Filter, Message, Record, Scope, Source, Step, Usage, Which

NOW = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
ADA = Scope("ada")
NOTES = Step("notes", "1", stride=2)


def make_fourth_schema(path: Path) -> None:
    """A file as version 4 of the schema has it: four messages, a record that rests on two strides, one made anew."""
    with closing(sqlite3.connect(path)) as db:
        for script in database.MIGRATIONS[:4]:
            db.executescript(files("jiyi.stores").joinpath(script).read_text("utf-8"))
        db.execute("INSERT INTO scope VALUES (1, 'default', 'default', 'ada', x'00', 4, 4, 0, 0, 0)")
        db.execute("INSERT INTO session (id, scope, name, head) VALUES (1, 1, 's', 4)")
        db.execute("INSERT INTO step (id, name, version, stride) VALUES (1, 'notes', '1', 2)")
        db.execute("INSERT INTO cursor (scope, step, after, token, stride) VALUES (1, 1, 4, 4294967300, 2)")
        for seq in range(1, 5):
            db.execute(
                "INSERT INTO message (key, session, active, position, parent, flags, id, content, digest, chain)"
                " VALUES ((1 << 32) + ?1, 1, 1, ?1, ?2, 2, 'm' || ?1, 'old words', 'd', 'c')",
                (seq, seq - 1 or None),
            )
        db.execute(
            "INSERT INTO record (id, scope, name, kind, strategy, version, text, pinned, importance, recorded,"
            " recorded_zone, fresh, after, upto) VALUES (7, 1, 'r', 'note', 'notes', '1', 'kept', 1, 0.5, 1, 60, 0, 2, 4)"
        )
        for place, seq in enumerate((1, 4)):
            db.execute("INSERT INTO source VALUES (7, ?, (1 << 32) + ?, 0, 3, 'old')", (place, seq))
        db.execute(f"PRAGMA application_id = {database.APPLICATION_ID}")
        db.execute("PRAGMA user_version = 4")
        db.commit()


def content(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in (path, path.with_name("jiyi.db-wal")) if file.exists())


def told(message_id: str, **more: object) -> Message:
    return replace(Message(message_id, "s", "user", "hello", digest=message_id, recorded_at=NOW), **more)  # type: ignore[arg-type]


async def test_a_file_of_the_fourth_schema_keeps_its_records(tmp_path: Path) -> None:
    path = tmp_path / "jiyi.db"
    make_fourth_schema(path)
    store = await SqliteStore.open(path)
    await store.register([NOTES])
    (old,) = await store.records(ADA, kind="note", important=True, limit=3)
    assert (old.id, old.text, old.pinned, old.importance, old.used) == ("r", "kept", True, 0.5, 0)
    assert (old.said_at, old.event_from, old.event_to, old.used_at) == (None, None, None, None)
    assert [source.message_id for source in old.sources] == ["m1", "m4"]
    await store.use(ADA, ["r"], at=NOW)
    await store.append(ADA, "", [told("pin", kind="command", content=None)])
    await store.spend(ADA, "answer", date(2025, 3, 1), Usage(1, 2, 3))
    assert (await store.forget(ADA, message_ids=["m4"])).records == 1
    claim = await store.claim([NOTES], now=NOW, lease=9)
    assert claim is not None and (claim.after, claim.upto) == (0, 4), "the stride of what stays, and its batch"
    assert len(await store.spent()) == 1 and (await store.stats()).commands == 1
    await store.close()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(database.MIGRATIONS),)


async def test_a_file_of_the_fifth_schema_gets_links(tmp_path: Path) -> None:
    path = tmp_path / "jiyi.db"
    make_fourth_schema(path)
    with closing(sqlite3.connect(path)) as db:
        db.executescript(files("jiyi.stores").joinpath(database.MIGRATIONS[4]).read_text("utf-8"))
        db.execute("UPDATE record SET data = ?, used = 3", ('{"subject":"user"}',))
        db.execute("PRAGMA user_version = 5")
        db.commit()
    store = await SqliteStore.open(path)
    (old,) = await store.records(ADA)
    assert (old.id, old.text, old.data, old.used, old.seq) == ("r", "kept", {"subject": "user"}, 3, 7)
    assert old.links == () and await store.records(ADA, links=["user"]) == []
    assert [source.message_id for source in old.sources] == ["m1", "m4"]
    await store.register([NOTES])
    await store.append(ADA, "s", [told("m5"), told("m6")])
    claim = await store.claim([NOTES], now=NOW, lease=9)
    assert claim is not None
    await store.commit(claim, Changes(6, put=(replace(old, links=("user", "用户")),)), now=NOW)
    (new,) = await store.records(ADA, links=["用户"])
    assert (new.links, new.used, new.seq) == (("user", "用户"), 3, 7)
    await store.close()


async def test_links_are_in_no_byte_after_an_erasure(tmp_path: Path) -> None:
    path = tmp_path / "jiyi.db"
    store = await SqliteStore.open(path)
    await store.register([NOTES])
    await store.append(ADA, "s", [told("m1"), told("m2")])
    for names in (("Quasimodo", "Esmeralda"), ("Quasimodo",)):  # the second time other ones
        claim = await store.claim([NOTES], now=NOW, lease=9)
        assert claim is not None
        made = Record("n", "entity", "", "notes", "1", (Source("m1"),), links=names)
        await store.commit(claim, Changes(0, put=(made,)), now=NOW)
    assert b"Quasimodo" in content(path)
    await store.forget(ADA, message_ids=["m1"])
    assert b"Quasimodo" not in content(path) and b"Esmeralda" not in content(path)
    await store.close()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM link").fetchone() == (0,)


async def test_what_is_dropped_stale_or_ordered_is_in_no_byte_after_an_erasure(tmp_path: Path) -> None:
    path = tmp_path / "jiyi.db"
    store = await SqliteStore.open(path)
    others = Step("others", "1")
    await store.register([NOTES, others])
    await store.append(ADA, "s", [told("m1"), told("m2")])
    secret = told("fix", kind="command", content="Quasimodo", metadata={"command": "correct", "record": "Quasimodo"})
    await store.append(ADA, "", [secret])
    for step, changes in [
        (others, Changes(1, put=(Record("o", "note", "Quasimodo", "others", "1", (Source("m1"),)),))),
        (NOTES, Changes(1, put=(Record("n", "note", "Quasimodo", "notes", "1", (Source("m1"),)),))),
        (NOTES, Changes(2, drop=("n",), stale=("m1",))),
    ]:
        claim = await store.claim([step], now=NOW, lease=9)
        assert claim is not None
        await store.commit(claim, changes, now=NOW)
    assert await store.records(ADA) == []
    await store.forget(ADA, message_ids=["fix"])
    assert b"Quasimodo" not in content(path)
    await store.close()


# -- what answers a question -----------------------------------------------------------------------------------------


class Watched(sqlite3.Connection):
    """Says by which index each statement is answered."""

    plans: list[str]

    def execute(self, sql: str, *values: object) -> sqlite3.Cursor:  # type: ignore[override]
        if sql.startswith("SELECT"):
            self.plans += [row[3] for row in super().execute(f"EXPLAIN QUERY PLAN {sql}", *values)]  # type: ignore[arg-type]
        return super().execute(sql, *values)  # type: ignore[arg-type]


@pytest.fixture
async def filled(tmp_path: Path) -> Path:
    """A user with records, messages and a few commands."""
    store = await SqliteStore.open(tmp_path / "jiyi.db")
    await store.register([NOTES])
    await store.append(ADA, "s", [told(f"m{n}") for n in range(200)])
    await store.append(ADA, "", [told("pin", kind="command", content=None)])
    claim = await store.claim([NOTES], now=NOW, lease=9)
    assert claim is not None
    made = [
        Record(
            f"r{n}", "fact", "x", "notes", "1", (Source(f"m{n}"),), importance=n % 7 / 7, links=(f"n{n}",),
            recorded_at=NOW + timedelta(seconds=n),
        )
        for n in range(200)
    ]  # fmt: skip
    await store.commit(claim, Changes(200, put=tuple(made)), now=NOW)
    await store.close()
    return tmp_path / "jiyi.db"


@pytest.mark.parametrize(
    ("which", "index"),
    [
        ({"kind": "fact", "important": True, "limit": 5}, "record_weight"),
        ({"kind": "fact", "newest": True, "limit": 5}, "record_order"),
        ({"kind": "fact", "sources": ["m1", "m2"]}, "source_message"),
        ({"kind": "fact", "ids": ["r1"]}, "sqlite_autoindex_record_"),
        ({"key": "k"}, "record_key"),
        ({"kind": "fact", "links": ["n1", "n2"]}, "link USING PRIMARY KEY"),
        ({"links": ["n1"], "current": None}, "link USING PRIMARY KEY"),
    ],
)
async def test_records_are_found_by_an_index_and_sorted_by_it(filled: Path, which: Which, index: str) -> None:
    with closing(sqlite3.connect(filled, factory=Watched)) as db:
        db.plans = []
        records.records(db, ADA, which)
        (place,) = [place for place, plan in enumerate(db.plans) if index in plan and "SEARCH" in plan]
        assert not any(plan.startswith("SCAN record") for plan in db.plans), db.plans
        if "limit" in which:  # the few are put in order again, the many never
            assert db.plans[place + 1].startswith("SCAN (subquery"), db.plans


async def test_commands_are_found_without_the_log(filled: Path) -> None:
    with closing(sqlite3.connect(filled, factory=Watched)) as db:
        db.plans = []
        (found,) = filters.messages(db, ADA, Filter(kinds=("command",), active=None), None, False)
        assert found.id == "pin" and any("message_command" in plan for plan in db.plans), db.plans


async def test_what_was_spent_by_somebody_without_messages_is_in_no_byte_either(tmp_path: Path) -> None:
    path = tmp_path / "jiyi.db"
    store = await SqliteStore.open(path)
    someone = Scope("Quasimodo")
    await store.append(someone, "", [told("m1", kind="statement")])
    await store.spend(someone, "answer", date(2025, 3, 1), Usage(1))
    await store.forget(someone, message_ids=["m1"])
    assert len(await store.spent(someone)) == 1
    await store.forget(someone, everything=True)
    assert await store.spent() == []
    assert b"Quasimodo" not in content(path)
    await store.close()
