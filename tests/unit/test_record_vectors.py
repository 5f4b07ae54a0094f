"""Records are embedded in the background, whoever made them, and found by what they mean."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from jiyi.embedders.hashing import HashingEmbedder
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput
from jiyi.indexing import DenseIndex, RecordIndex
from jiyi.lane import Lane
from jiyi.overtaken import UnderWay
from jiyi.ports import LLM, Batch, Deriver, Request
from jiyi.search import WantedRecords
from jiyi.stores import database
from jiyi.stores.memory import MemoryStore
from jiyi.stores.sqlite import SqliteStore
from jiyi.testing.clock import FakeClock
from jiyi.types import Block, Changes, Embedded, Message, Record, RecordProbe, Scope, Source, Step, Vector

NOW = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
ADA = Scope("ada")
NOTES, VECTORS = Step("notes", "1"), Step("records:toy", "1")


class Toy(HashingEmbedder):
    """Knows two meanings: money, and everything else."""

    def __init__(self, name: str = "toy") -> None:
        super().__init__()
        self.name, self.size = name, 2
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        self.texts += texts
        if any("unspeakable" in text for text in texts):
            raise ValueError("no vector for that")
        return [_meaning(text) for text in texts]

    async def embed_query(self, text: str) -> Vector:
        return _meaning(text)


def _meaning(text: str) -> Vector:
    return [1.0, 0.0] if any(word in text for word in ("budget", "spend", "预算")) else [0.0, 1.0]


class Takes:
    """Derives a note of what is said to be noted."""

    batch_size = 10

    def __init__(self, *, asks_llm: bool = False) -> None:
        self.step = NOTES
        self.asks_llm = asks_llm

    async def derive(self, batch: Batch) -> Changes:
        made = [
            Record(f"note:{m.id}", "note", m.text.removeprefix("note: "), "notes", "1", (Source(m.id),))
            for m in batch.messages
            if m.text.startswith("note: ")
        ]
        return Changes(batch.cursor, put=tuple(made))


class Noting:
    name = "noting"
    window = False

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        return [Takes()]

    async def recall(self, request: Request) -> list[Block]:
        return []


async def _open(url: str | Path, embedder: Any, clock: FakeClock) -> AsyncMemory:
    return await AsyncMemory.open(url, recipe=[Noting()], embedder=embedder, clock=clock)


async def _say(memory: AsyncMemory, *texts: str) -> None:
    chat = memory.session("s", user_id="ada")
    for text in texts:
        await chat.add("user", text)


LINES = ("note: the budget is 500 yuan", "note: plays the violin", "something else", "note: likes red boats")


async def test_found_by_meaning_once_it_is_embedded(tmp_path: Path, clock: FakeClock) -> None:
    for url in ("memory:", tmp_path / "a.db"):
        async with await _open(url, Toy(), clock) as memory:
            await _say(memory, *LINES)
            await memory.drain()
            hits = await memory.searcher.records(ADA, "how much may I spend", WantedRecords())
            assert [hit.text for hit in hits] == ["the budget is 500 yuan"]
            assert hits[0].words == [] and hits[0].parts["dense"] > 0
            progress = {step.step.name: (step.done, step.total) for step in await memory.progress()}
            assert progress["records:toy"] == (3, 3) and progress["dense:toy"] == (4, 4)


async def test_a_new_embedder_embeds_the_records_too(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "a.db"
    async with await _open(path, Toy("first"), clock) as memory:
        await _say(memory, *LINES)
        await memory.drain()
        assert await memory.store.models() == {"first": (2, 7)}
    async with await _open(path, Toy("second"), clock) as memory:
        assert "jiyi reindex" in memory.warnings[0]
        ask = "the budget, 500 yuan"
        assert (await memory.searcher.records(ADA, ask, WantedRecords()))[0].words == ["budget", "500", "yuan"]
        await memory.reindex()
        assert await memory.store.models() == {"second": (2, 7)}
        hits = await memory.searcher.records(ADA, "what to spend", WantedRecords())
        assert [hit.text for hit in hits] == ["the budget is 500 yuan"]


async def test_what_cannot_be_embedded_stays_to_be_found_by_words(clock: FakeClock) -> None:
    memory = await _open("memory:", Toy(), clock)
    await memory.worker.stop()
    await _say(memory, "something else", *LINES)
    await memory.drain(steps=["lexical", "dense:toy", "notes"])
    await _say(memory, "note: the unspeakable budget")
    for _ in range(60):
        await memory.worker.work()
        clock.advance(601)
    progress = {step.step.name: step for step in await memory.progress()}["records:toy"]
    assert (progress.done, progress.total, progress.errors) == (4, 4, ())
    found = await memory.store.find_records(ADA, RecordProbe(model="toy", vector=[1.0, 0.0]))
    assert found.dense.scanned == 3
    hits = await memory.searcher.records(ADA, "unspeakable", WantedRecords(floor=0.0))
    assert "the unspeakable budget" in [hit.text for hit in hits if hit.terms]
    assert "records:toy" not in {failure.step for failure in await memory.failures()}  # it names messages
    await memory.close()


async def test_a_lane_says_that_records_were_put(clock: FakeClock) -> None:
    store = await MemoryStore.open()
    put: list[str] = []
    lane = Lane(store, clock, "lane", UnderWay(), fair=True)
    lane.put = lambda: put.append("put")
    takes = Takes(asks_llm=True)
    lane.derivers[takes.step] = takes
    await store.register([NOTES])
    for text, times in (("nothing", 0), ("note: likes boats", 1)):
        await store.append(ADA, "s", [Message(text, "s", "user", text, recorded_at=clock.now())])
        assert await lane.work()
        assert len(put) == times


async def test_a_record_put_again_is_not_embedded_again() -> None:
    toy = Toy()
    index, record = RecordIndex(toy), Record("r", "note", "red boats", "notes", "1", (), said_at=NOW, seq=3)
    again = replace(record, id="s", seq=4)
    changes = await index.derive(Batch(ADA, (), 4, put=(record, again, replace(record, id="t", text=" ", seq=5))))
    assert [(entry.seq, entry.chunk) for entry in changes.vectors] == [(3, 0), (4, 0)]
    assert toy.texts == ["1 March 2025: red boats"]
    index.clear()
    assert not index._kept  # pyright: ignore[reportPrivateUsage]


def test_no_embedder_may_take_the_place_of_records() -> None:
    with pytest.raises(InvalidInput, match="records:"):
        DenseIndex(Toy("records:toy"))


# -- the file ----------------------------------------------------------------------------------------------------------


async def _filled(path: Path) -> SqliteStore:
    store = await SqliteStore.open(path)
    await store.register([NOTES, VECTORS])
    await store.append(ADA, "s", [Message(name, "s", "user", "hello", recorded_at=NOW) for name in ("a", "b")])
    claim = await store.claim([NOTES], now=NOW, lease=9)
    assert claim is not None
    put = tuple(Record(f"r{name}", "note", f"text {name}", "notes", "1", (Source(name),)) for name in ("a", "b"))
    await store.commit(claim, Changes(2, put=put), now=NOW)
    claim = await store.claim([VECTORS], now=NOW, lease=9)
    assert claim is not None
    vectors = (Embedded(1, 0, [0.6, 0.8]), Embedded(2, 0, [1.0, 0.0]))
    await store.commit(claim, Changes(2, vectors=vectors), now=NOW)
    return store


async def test_nothing_of_an_erased_record_s_vector_stays(tmp_path: Path) -> None:
    store = await _filled(tmp_path / "a.db")
    probe = RecordProbe(["text"], "toy", [0.6, 0.8])
    assert len((await store.find_records(ADA, probe)).records) == 2
    assert (await store.forget(ADA, message_ids=["a"])).vectors == 1
    assert [one.id for one in (await store.find_records(ADA, probe)).records.values()] == ["rb"]
    with closing(sqlite3.connect(tmp_path / "a.db")) as db:
        assert db.execute("SELECT count(*), sum(count) FROM segment").fetchone() == (1, 1)
        assert db.execute("SELECT count(*) FROM low").fetchone() == (1,)
    await store.close()


async def test_what_another_process_put_or_closed_is_seen(tmp_path: Path) -> None:
    store, other = await _filled(tmp_path / "a.db"), await SqliteStore.open(tmp_path / "a.db")
    probe = RecordProbe(["text", "b"])
    for changes, expected in [
        (Changes(3, put=(Record("rc", "note", "text c", "notes", "1", (Source("a"),)),)), ["ra", "rb", "rc"]),
        (Changes(4, close={"rb": NOW}), ["ra", "rc"]),
        (Changes(5, drop=("ra",)), ["rc"]),
    ]:
        await other.append(ADA, "s", [Message(str(changes.cursor), "s", "user", "more", recorded_at=NOW)])
        claim = await other.claim([NOTES], now=NOW, lease=9)
        assert claim is not None
        await other.commit(claim, changes, now=NOW)
        assert [one.id for one in (await store.find_records(ADA, probe)).records.values()] == expected
    await store.close()
    await other.close()


async def test_a_file_of_the_fourth_schema_has_its_records_embedded(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as db:
        for script in database.MIGRATIONS[:4]:
            db.executescript(files("jiyi.stores").joinpath(script).read_text("utf-8"))
        db.execute("INSERT INTO scope (id, tenant, agent, user, salt) VALUES (1, 'default', 'default', 'ada', x'00')")
        for number, (text, kind) in enumerate([("red boats", "note"), ("", "importance"), ("蓝色", "note")], 7):
            db.execute(
                "INSERT INTO record (id, scope, name, kind, strategy, version, text, pinned, fresh, after, upto)"
                " VALUES (?1, 1, 'r' || ?1, ?2, 'notes', '1', ?3, 0, 0, 0, 0)",
                (number, kind, text),
            )
        db.execute(f"PRAGMA application_id = {database.APPLICATION_ID}")
        db.execute("PRAGMA user_version = 4")
        db.commit()
    store = await SqliteStore.open(path)
    assert [(one.id, one.seq) for one in await store.records_after(ADA, 0, limit=9)] == [("r7", 7), ("r9", 9)]
    found = await store.find_records(ADA, RecordProbe(["boat", "蓝色"]))
    assert [one.id for one in found.records.values()] == ["r7", "r9"]
    await store.register([VECTORS])
    claim = await store.claim([VECTORS], now=NOW, lease=9)
    assert claim is not None and (claim.after, claim.head) == (0, 9)
    await store.close()
