"""What is particular to the SQLite store: the file, its errors, erased bytes, shared commits, vectors on disk."""

from __future__ import annotations

import asyncio
import logging
import math
import random
import sqlite3
import time
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from jiyi.errors import Conflict, InvalidInput, StoreBusy, StoreCorrupt, StoreError, StoreTooNew
from jiyi.opening import file_of
from jiyi.stores import database, numeric
from jiyi.stores.sqlite import SqliteStore
from jiyi.types import Changes, Dense, Embedded, Filter, Indexed, Message, Probe, Record, Scope, Source, Step

NOW = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
ADA, BOB = Scope("ada"), Scope("bob")
LEXICAL, DENSE = Step("lexical", "1"), Step("dense:toy", "1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "jiyi.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(path, timeout=0.3)
    await store.register([LEXICAL, DENSE])
    yield store
    await store.close()


def said(message_id: str, text: str = "hello", **more: object) -> Message:
    more.setdefault("recorded_at", NOW)
    return Message(message_id, "s", "user", text, digest=message_id, **more)  # type: ignore[arg-type]


async def index(store: SqliteStore, *entries: Indexed, scope: Scope = ADA) -> None:
    claim = await store.claim([LEXICAL], now=NOW, lease=10, scope=scope)
    assert claim is not None
    await store.commit(claim, Changes(claim.head, index=entries), now=NOW)


async def embed(store: SqliteStore, *entries: Embedded, scope: Scope = ADA) -> None:
    claim = await store.claim([DENSE], now=NOW, lease=10, scope=scope)
    assert claim is not None
    await store.commit(claim, Changes(claim.head, vectors=entries), now=NOW)


def unit(rng: random.Random, size: int = 24) -> list[float]:
    values = [rng.gauss(0, 1) for _ in range(size)]
    length = math.sqrt(sum(value * value for value in values))
    return [value / length for value in values]


def dot(left: list[float], right: list[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def content(path: Path) -> bytes:
    files = (path, path.with_name(path.name + "-wal"))
    return b"".join(file.read_bytes() for file in files if file.exists())


def write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


# -- the file --------------------------------------------------------------------------------------------------------


async def test_a_file_that_is_no_database(path: Path) -> None:
    write(path, b"this is not a database, only text\n" * 100)
    with pytest.raises(StoreCorrupt, match="not a database"):
        await SqliteStore.open(path)
    assert content(path).startswith(b"this is not")


async def test_a_database_of_another_program(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE theirs (x)")
    db.close()
    with pytest.raises(StoreCorrupt, match="another program"):
        await SqliteStore.open(path)


async def test_a_database_of_a_newer_version(path: Path) -> None:
    await (await SqliteStore.open(path)).close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(StoreTooNew, match="pip install"):
        await SqliteStore.open(path)


async def test_a_directory_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="directory"):
        await SqliteStore.open(tmp_path / "nowhere" / "jiyi.db")


async def test_an_empty_file_becomes_a_database(path: Path) -> None:
    write(path, b"")
    await (await SqliteStore.open(path)).close()
    assert content(path).startswith(b"SQLite format 3")


async def test_many_open_a_new_file_at_once(path: Path) -> None:
    stores = await asyncio.gather(*(SqliteStore.open(path) for _ in range(6)))
    await asyncio.gather(*(each.append(ADA, "s", [said(f"m{at}")]) for at, each in enumerate(stores)))
    assert len(await stores[0].messages(ADA)) == 6
    for each in stores:
        await each.close()


async def test_a_foreign_lock_ends_in_store_busy(store: SqliteStore, path: Path) -> None:
    foreign = sqlite3.connect(path, isolation_level=None)
    foreign.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match="locked by another program") as caught:
        await store.append(ADA, "s", [said("m1")])
    assert isinstance(caught.value.__cause__, sqlite3.OperationalError)
    assert await store.messages(ADA) == []
    foreign.execute("ROLLBACK")
    foreign.close()
    assert len(await store.append(ADA, "s", [said("m1")])) == 1


async def test_a_full_disk_writes_nothing_by_halves(store: SqliteStore) -> None:
    await store.append(ADA, "s", [said("before")])
    db = store._writer._db  # pyright: ignore[reportPrivateUsage]
    pages = db.execute("PRAGMA page_count").fetchone()[0]
    db.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError, match="no room left"):
        await store.append(ADA, "s", [said(f"m{at}", "x" * 900) for at in range(100)])
    several = [store.append(ADA, "s", [said(f"n{at}", "y" * 9_000)]) for at in range(5)]
    failed = await asyncio.gather(*several, return_exceptions=True)
    assert any(isinstance(each, StoreError) for each in failed)
    stored = [at for at, each in enumerate(failed) if not isinstance(each, BaseException)]
    expected = ["before", *(f"n{at}" for at in stored)]
    assert [message.id for message in await store.messages(ADA)] == expected
    db.execute("PRAGMA max_page_count = 1000000")
    assert (await store.append(ADA, "s", [said("after")]))[0].position == len(expected) + 1


@pytest.mark.parametrize(
    ("code", "kind", "hint"),
    [
        (sqlite3.SQLITE_READONLY, StoreError, "writable"),
        (sqlite3.SQLITE_IOERR, StoreError, "Check the disk"),
        (sqlite3.SQLITE_CORRUPT, StoreCorrupt, "backup"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, StoreBusy, "timeout"),
    ],
)
def test_driver_errors_say_the_way_out(code: int, kind: type[Exception], hint: str) -> None:
    error = sqlite3.OperationalError("driver words")
    error.sqlite_errorcode = code
    ours = database.wrap(error, Path("x.db"))
    assert type(ours) is kind and hint in str(ours)


async def test_text_that_cannot_be_stored(store: SqliteStore) -> None:
    with pytest.raises(InvalidInput, match="surrogate"):
        await store.append(ADA, "s", [said("m1", "half \ud800")])
    assert await store.messages(ADA) == []


async def test_a_closed_store_says_so(path: Path) -> None:
    store = await SqliteStore.open(path)
    await store.close()
    await store.close()
    with pytest.raises(StoreError, match="closed"):
        await store.append(ADA, "s", [said("m1")])
    with pytest.raises(StoreError, match="closed"):
        await store.messages(ADA)
    assert not path.with_name("jiyi.db-wal").exists()


async def test_times_keep_their_zone(store: SqliteStore) -> None:
    at = datetime(2024, 2, 29, 23, 59, 59, 123456, timezone(timedelta(hours=5, minutes=45)))
    old = datetime(1931, 1, 1, tzinfo=timezone(-timedelta(hours=3, minutes=30)))
    await store.append(ADA, "s", [said("m1", created_at=at), said("m2", created_at=old), said("m3")])
    found = [message.created_at for message in await store.messages(ADA)]
    assert found == [at, old, None]
    assert [time and time.utcoffset() for time in found] == [at.utcoffset(), old.utcoffset(), None]


# -- commits together ------------------------------------------------------------------------------------------------


async def test_one_bad_request_fails_alone(store: SqliteStore) -> None:
    await store.append(ADA, "s", [said("taken")])
    clash = Message("taken", "s", "user", "other", digest="other", recorded_at=NOW)
    good = [store.append(ADA, f"s{at % 3}", [said(f"m{at}")]) for at in range(40)]
    good.insert(20, store.append(ADA, "s", [said("lost"), clash]))
    results = await asyncio.gather(*good, return_exceptions=True)
    assert [type(result) for result in results].count(list) == 40 and isinstance(results[20], Conflict)
    stored = await store.messages(ADA, Filter(active=None))
    assert [message.seq for message in stored] == list(range(1, 42))
    assert "lost" not in {message.id for message in stored}


async def test_a_cancelled_caller_harms_nobody(store: SqliteStore) -> None:
    tasks = [asyncio.create_task(store.append(ADA, "s", [said(f"m{at}")])) for at in range(20)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(result, list) for result in results[1::2])
    stored = await store.messages(ADA)
    assert {f"m{at}" for at in range(1, 20, 2)} <= {message.id for message in stored}
    assert [message.position for message in stored] == list(range(1, len(stored) + 1))


# -- erasure ---------------------------------------------------------------------------------------------------------


async def fill(store: SqliteStore, secret: str, scope: Scope = ADA) -> None:
    """A secret in every place that words can stand in, among other things."""
    extra = {"metadata": {"note": secret}, "category": secret, "name": secret}
    await store.append(scope, "s", [said("m1"), said(secret, f"it is {secret}", **extra), said("m3")])  # type: ignore[arg-type]
    await index(store, Indexed(1, {"hello": 1}), Indexed(2, {secret.lower(): 2}), Indexed(3, {"hello": 1}), scope=scope)
    claim = await store.claim([DENSE], now=NOW, lease=10, scope=scope)
    assert claim is not None
    record = Record(f"r{secret}", "fact", secret, "facts", "1", (Source(secret, 0, 3, secret),), recorded_at=NOW)
    await store.commit(claim, Changes(claim.head, put=(record,), vectors=(Embedded(2, 0, [0.6, 0.8]),)), now=NOW)


@pytest.mark.parametrize("how", ["message", "session", "scope"])
async def test_erased_words_are_in_no_byte_of_the_files(store: SqliteStore, path: Path, how: str) -> None:
    await fill(store, "Zyxwvut", BOB)
    await fill(store, "Quasimodo")
    assert b"quasimodo" in content(path) and b"Quasimodo" in content(path)
    erased = await {
        "message": lambda: store.forget(ADA, message_ids=["Quasimodo", "nobody"]),
        "session": lambda: store.forget(ADA, session_id="s"),
        "scope": lambda: store.forget(ADA, everything=True),
    }[how]()
    assert erased.messages == (1 if how == "message" else 3)
    assert (erased.records, erased.vectors) == (1, 1)
    assert b"quasimodo" not in content(path).lower()
    assert b"zyxwvut" in content(path)
    assert (await store.find(BOB, Probe(["zyxwvut"]))).lexical.frequency == {"zyxwvut": 1}
    assert (await store.find(ADA, Probe(["quasimodo"]))).words == {}


async def test_a_reader_delays_the_bytes_and_it_is_said(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("jiyi.stores.sqlite._TRIES", 3)
    store = await SqliteStore.open(path)
    await store.register([LEXICAL, DENSE])
    await fill(store, "Quasimodo")
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM message").fetchone() == (3,)
    with caplog.at_level(logging.WARNING, "jiyi.stores"):
        await store.forget(ADA, everything=True)
    assert "another connection is reading" in caplog.text
    assert await store.messages(ADA) == []
    reader.execute("ROLLBACK")
    await store.append(BOB, "s", [said("m1")])
    await store.close()
    reader.close()
    assert b"quasimodo" not in content(path).lower()


async def test_adding_and_deleting_does_not_grow_the_file(store: SqliteStore, path: Path) -> None:
    sizes: list[int] = []
    for turn in range(100):
        first = turn * 3 + 1
        await store.append(ADA, "s", [said(f"m{at}", "word " * 50) for at in range(first, first + 3)])
        await index(store, *(Indexed(at, {f"w{number}": 1 for number in range(40)}) for at in range(first, first + 3)))
        await embed(store, *(Embedded(at, 0, [0.6, 0.8]) for at in range(first, first + 3)))
        await store.forget(ADA, message_ids=[f"m{at}" for at in range(first, first + 3)])
        sizes.append(len(content(path)))
    assert sizes[-1] == sizes[5]
    stats = await store.stats(ADA)
    assert (stats.messages, stats.indexed, stats.vectors) == (0, 0, 0)


async def test_erasing_the_newest_gives_its_number_to_nobody(store: SqliteStore) -> None:
    await store.append(ADA, "s", [said("m1"), said("m2")])
    await store.forget(ADA, message_ids=["m2"])
    (third,) = await store.append(ADA, "s", [said("m3")])
    assert (third.seq, third.position, third.parent_id) == (3, 2, "m1")


@pytest.mark.parametrize("whole", [True, False])
async def test_forgetting_much_of_a_long_session_takes_no_time(store: SqliteStore, whole: bool) -> None:
    await store.append(ADA, "s", [said(f"m{number}") for number in range(8000)])
    began = time.perf_counter()
    if whole:
        await store.forget(ADA, session_id="s")
    else:
        await store.forget(ADA, message_ids=[f"m{number}" for number in range(0, 8000, 2)])
    assert time.perf_counter() - began < 2  # seven seconds when every message looks for its children


# -- address -------------------------------------------------------------------------------------------------------


async def test_the_url_has_the_absolute_path_and_opens_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = await SqliteStore.open("x y%20.db")
    assert store.url == f"sqlite:///{tmp_path / 'x y%20.db'}"
    assert file_of(store.url) == tmp_path / "x y%20.db"
    await store.close()


# -- backup ----------------------------------------------------------------------------------------------------------


async def test_backup_while_writing(store: SqliteStore, path: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    write(target, b"an older backup")
    await store.append(ADA, "s", [said("m0")])
    writes = [store.append(ADA, "s", [said(f"m{at}")]) for at in range(1, 60)]
    await asyncio.gather(store.backup(target), *writes)
    copy = await SqliteStore.open(target)
    kept = await copy.messages(ADA)
    assert [message.position for message in kept] == list(range(1, len(kept) + 1)) and kept
    await copy.close()
    assert names(tmp_path) == ["copy.db", "jiyi.db", "jiyi.db-shm", "jiyi.db-wal"]


async def test_backup_replaces_nothing_that_is_in_use(store: SqliteStore, path: Path, tmp_path: Path) -> None:
    await store.append(ADA, "s", [said("m1")])
    with pytest.raises(InvalidInput, match="itself"):
        await store.backup(path)
    other = await SqliteStore.open(tmp_path / "other.db")
    await other.append(BOB, "s", [said("m1")])
    with pytest.raises(InvalidInput, match="in use"):
        await store.backup(tmp_path / "other.db")
    await other.close()
    with pytest.raises(StoreError, match="directory"):
        await store.backup(tmp_path / "nowhere" / "copy.db")


# -- vectors ---------------------------------------------------------------------------------------------------------


async def many(store: SqliteStore, count: int, seed: int = 1) -> dict[int, list[float]]:
    """Messages 1 to ``count`` with vectors, committed in uneven pieces."""
    rng = random.Random(seed)
    await store.append(ADA, "s", [said(f"m{at}") for at in range(1, count + 1)])
    vectors = {at: unit(rng) for at in range(1, count + 1)}
    start = 1
    while start <= count:
        stop = min(count + 1, start + rng.randint(1, 300))
        claim = await store.claim([DENSE], now=NOW, lease=10, scope=ADA)
        assert claim is not None
        entries = tuple(Embedded(at, 0, vectors[at]) for at in range(start, stop))
        await store.commit(claim, Changes(stop - 1, vectors=entries), now=NOW)
        start = stop
    return vectors


async def nearest(
    store: SqliteStore, query: list[float], *, scope: Scope = ADA, limit: int = 300, seqs: Sequence[int] | None = None
) -> Dense:
    where = Filter(seqs=None if seqs is None else tuple(seqs))
    probe = Probe(model="toy", vector=query, where=where, best=limit if seqs is None else len(seqs))
    return (await store.find(scope, probe)).dense


async def agree(store: SqliteStore, vectors: dict[int, list[float]], query: list[float]) -> None:
    exact = {seq: dot(vector, query) for seq, vector in vectors.items()}
    best = sorted(exact, key=lambda seq: (-exact[seq], seq))
    found = await nearest(store, query, limit=30)
    assert found.scanned == len(vectors)
    assert list(found.hits) == best[:30]
    assert all(abs(score - exact[seq]) < 1e-4 for seq, score in found.hits.items())
    mean = sum(exact.values()) / len(exact)
    assert abs(found.mean - mean) < 1e-3
    assert abs(found.deviation - math.sqrt(sum((x - mean) ** 2 for x in exact.values()) / len(exact))) < 1e-3
    some = await nearest(store, query, seqs=[*best[::7], 10**6, 0])
    assert some.hits.keys() == set(best[::7])
    assert all(abs(score - exact[seq]) < 1e-4 for seq, score in some.hits.items())


@pytest.mark.parametrize("kind", ["cached", "large", "streamed", "numpy alone", "plain"])
async def test_the_scan_finds_the_nearest(path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    if kind == "plain":
        monkeypatch.setattr("jiyi.stores.scan.numpy", lambda: None)
        monkeypatch.setattr("jiyi.stores.segments.numpy", lambda: None)
    if kind == "numpy alone":
        monkeypatch.setattr("jiyi.stores.scan.numkong", lambda: None)
    if kind == "large":
        monkeypatch.setattr("jiyi.stores.scan._HUGE", 1)
    store = await SqliteStore.open(path, cache_bytes=1_000 if kind == "streamed" else 1 << 20)
    await store.register([DENSE])
    vectors, rng = await many(store, 1_500), random.Random(2)
    await agree(store, vectors, unit(rng))
    await store.forget(ADA, message_ids=[f"m{at}" for at in range(100, 1_400, 3)])
    for at in range(100, 1_400, 3):
        del vectors[at]
    await agree(store, vectors, unit(rng))
    await store.close()


async def test_what_another_store_wrote_or_erased_is_seen(store: SqliteStore, path: Path) -> None:
    other = await SqliteStore.open(path)
    await store.append(ADA, "s", [said(f"m{at}") for at in range(1, 4)])
    await embed(other, Embedded(1, 0, [1.0, 0.0]))
    assert (await nearest(store, [1.0, 0.0])).hits.keys() == {1}
    await store.append(ADA, "s", [said("m4")])
    await embed(other, Embedded(2, 0, [0.0, 1.0]), Embedded(3, 0, [0.6, 0.8]))
    assert (await nearest(store, [1.0, 0.0])).hits.keys() == {1, 2, 3}
    await other.forget(ADA, message_ids=["m3"])
    assert (await nearest(store, [1.0, 0.0])).hits.keys() == {1, 2}
    await other.forget(ADA, everything=True)
    await other.append(ADA, "s", [said("m9")])
    await embed(other, Embedded(1, 0, [0.0, 1.0]))
    assert (await nearest(store, [1.0, 0.0])).hits[1] == pytest.approx(0.0, abs=1e-5)
    await other.close()


async def test_a_message_has_its_best_piece(store: SqliteStore) -> None:
    await store.append(ADA, "s", [said(f"m{at}") for at in range(1, 4)])
    pieces = [Embedded(2, 1, [0.8, 0.6]), Embedded(1, 0, [0.6, -0.8]), Embedded(2, 0, [0.0, 1.0])]
    await embed(store, *pieces, Embedded(7, 0, [1.0, 0.0]))
    found = await nearest(store, [1.0, 0.0])
    assert list(found.hits) == [2, 1] and found.scanned == 2
    assert found.hits[2] == pytest.approx(0.8, abs=1e-4)
    assert await store.models() == {"toy": (2, 3)}
    await store.reset([DENSE])
    await embed(store, Embedded(2, 0, [-1.0, 0.0]))
    assert (await nearest(store, [1.0, 0.0])).hits == {2: pytest.approx(-1.0, abs=1e-4)}


async def test_vectors_of_the_wrong_size(store: SqliteStore) -> None:
    await store.append(ADA, "s", [said("m1")])
    await embed(store, Embedded(1, 0, [1.0, 0.0]))
    with pytest.raises(InvalidInput, match="3 dimensions"):
        await nearest(store, [1.0, 0.0, 0.0])


async def test_the_cache_keeps_to_its_limit(path: Path) -> None:
    store = await SqliteStore.open(path, cache_bytes=30_000)
    await store.register([DENSE])
    rng = random.Random(4)
    for user in range(12):
        scope = Scope(f"u{user}")
        await store.append(scope, "s", [said(f"m{at}") for at in range(1, 51)])
        await embed(store, *(Embedded(at, 0, unit(rng)) for at in range(1, 51)), scope=scope)
        assert len((await nearest(store, unit(rng), scope=scope, limit=5)).hits) == 5
    assert 0 < store._scanner.bytes <= 30_000  # pyright: ignore[reportPrivateUsage]
    await store.close()


def test_numpy_is_optional() -> None:
    assert numeric.numpy() is not None and numeric.numkong() is not None
