"""Speed and size of the SQLite store, one part a process; ``bench/run.py`` starts it.

Every ratio is taken against a yardstick in the same process: NumPy float32 ``dot`` + ``argpartition`` over 100,000 x
384 on one thread, or a plain ``sqlite3`` insert at ``synchronous=FULL``.  Medians of several runs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from results import Row

from jiyi.stores.sqlite import SqliteStore
from jiyi.text import query_terms, terms
from jiyi.types import Changes, Embedded, Filter, Indexed, Message, Probe, Record, RecordProbe, Scope, Source, Step

LEXICAL, DENSE, FACTS = Step("lexical", "1"), Step("dense:bench", "1"), Step("facts", "1")
SIZE = 384
START = datetime(2025, 1, 1, tzinfo=UTC)
BATCH = 500


# -- made-up conversations -------------------------------------------------------------------------------------------


def words(rng: random.Random) -> tuple[list[str], list[str]]:
    """Invented Latin words and Han characters; drawn by rank they are as uneven as real ones."""
    latin = ["".join(rng.choices("aeioubcdfglmnprst", k=rng.randint(2, 9))) for _ in range(20_000)]
    han = [chr(rng.randint(0x4E00, 0x7FFF)) for _ in range(3_000)]
    return latin, han


def texts(count: int, seed: int = 1) -> list[str]:
    """Half Latin (about 25 words), half Han (about 40 characters)."""
    rng = random.Random(seed)
    latin, han = words(random.Random(0))
    found: list[str] = []
    for at in range(count):
        pool, length, glue = (latin, rng.randint(5, 45), " ") if at % 2 else (han, rng.randint(8, 72), "")
        found.append(glue.join(pool[int(len(pool) ** rng.random()) - 1] for _ in range(length)))
    return found


def vectors(count: int, seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    found = rng.standard_normal((count, SIZE), dtype=np.float32) + rng.standard_normal((1, SIZE), dtype=np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def message(at: int, text: str) -> Message:
    moment = START + timedelta(seconds=at)
    return Message(
        f"{at:032x}", f"s{at // 200}", "user" if at % 2 else "assistant", text, created_at=moment,
        recorded_at=moment, digest=f"{at:032x}",
    )  # fmt: skip


def fact(at: int) -> Record:
    """Rests on one message, every third on two."""
    names = [f"{number:032x}" for number in (at, at + 1)[: 1 + (at % 3 == 0)]]
    made = {"model": "m", "prompt": "facts-0123456789"}
    data = {"by": "model", "made": made, "subject": "ada", "attribute": "likes", "value": f"thing {at}",
            "negated": False, "speaker": "user", "status": ""}  # fmt: skip
    return Record(
        f"{at:032x}", "fact", f"Ada likes thing {at}", FACTS.name, FACTS.version,
        tuple(Source(name, 0, 5, "words") for name in names), key=f"ada.likes{at % 50}", importance=at % 97 / 97,
        recorded_at=START + timedelta(seconds=at), said_at=START + timedelta(seconds=at), data=data,
    )  # fmt: skip


# -- measuring -------------------------------------------------------------------------------------------------------


def median(action: Callable[[], object], runs: int = 15) -> float:
    """Milliseconds."""
    spent: list[float] = []
    for _ in range(runs):
        start = time.perf_counter()
        action()
        spent.append(time.perf_counter() - start)
    return statistics.median(spent) * 1e3


class Bench:
    """A folder with stores, and the yardstick.

    ``quick`` takes a tenth of the data; what is measured against 100,000 vectors is then scaled.
    """

    def __init__(self, folder: Path, quick: bool) -> None:
        self.folder, self.count = folder, 10_000 if quick else 100_000
        self.users = 200 if quick else 10_000
        self.loop = asyncio.new_event_loop()
        self.texts, self.vectors = texts(self.count), vectors(self.count)
        full = self.vectors if self.count == 100_000 else vectors(100_000)
        self.yardstick = median(lambda: np.argpartition(full @ full[7], -10)[-10:])
        self.add("yardstick", "NumPy yardstick, 100,000 x 384", self.yardstick, "ms")

    def again(self) -> float:
        """The yardstick as it is now: other programs come and go."""
        full = np.resize(self.vectors, (100_000, SIZE))
        self.yardstick = median(lambda: np.argpartition(full @ full[7], -10)[-10:])
        return self.yardstick

    def add(self, name: str, what: str, value: float, unit: str, ratio: float | None = None) -> None:
        print(json.dumps(asdict(Row(name, what, value, unit, ratio))), flush=True)

    def run(self, action):
        return self.loop.run_until_complete(action)

    def open(self, name: str) -> SqliteStore:
        return self.run(SqliteStore.open(self.folder / name))

    # -- writing

    def append(self) -> None:
        """One message after the other, each durable; and the same row by hand."""
        db = sqlite3.connect(self.folder / "raw.db", isolation_level=None)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("CREATE TABLE m (id TEXT PRIMARY KEY, user TEXT, session TEXT, role TEXT, content TEXT, at TEXT)")
        numbers = iter(range(1 << 30))

        def raw() -> None:
            at = next(numbers)
            row = (f"{at:032x}", "ada", f"s{at // 200}", "user", self.texts[at % 1000], START.isoformat())
            db.execute("BEGIN IMMEDIATE")
            db.execute("INSERT INTO m VALUES (?, ?, ?, ?, ?, ?)", row)
            db.execute("COMMIT")

        store, scope = self.open("append.db"), Scope("ada")
        self.run(store.register([LEXICAL, DENSE]))
        self.run(store.salt(scope))

        def ours() -> None:
            at = next(numbers)
            new = message(at, self.texts[at % 1000])
            self.run(store.append(scope, new.session_id, [new]))

        pairs = [(median(raw, 100), median(ours, 100)) for _ in range(8)]
        by_hand, took = (statistics.median(column) for column in zip(*pairs, strict=True))
        self.add("raw_append", "raw durable insert", by_hand, "ms")
        self.add("append_store", "durable append, async store, one caller", took, "ms", by_hand / took)
        self.run(store.close())
        db.close()

    def bulk(self) -> None:
        """Rows, full text and given vectors, in batches of 500, each batch durable; and plain inserts of the same."""
        db = sqlite3.connect(self.folder / "rawbulk.db", isolation_level=None)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("CREATE TABLE m (id TEXT PRIMARY KEY, session TEXT, role TEXT, content TEXT, at TEXT, vector BLOB)")
        some = min(20_000, self.count)
        start = time.perf_counter()
        for first in range(0, some, BATCH):
            db.execute("BEGIN IMMEDIATE")
            db.executemany(
                "INSERT INTO m VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (f"{at:032x}", f"s{at // 200}", "user", self.texts[at], "2025-01-01", self.vectors[at].tobytes())
                    for at in range(first, first + BATCH)
                ],
            )  # fmt: skip
            db.execute("COMMIT")
        raw = (time.perf_counter() - start) / some * 1e6
        db.close()
        store = self.open("big.db")
        spent = self.run(self.fill(store, Scope("ada"), 0, self.count))
        total = sum(spent.values())
        self.add("raw_bulk", "raw bulk insert of row and vector", raw, "us/msg")
        each = total / self.count * 1e6
        self.add("bulk", "bulk import: rows, full text, given vectors", each, "us/msg", raw / each)
        for name, seconds in spent.items():
            self.add(f"bulk_{name}", f"  of that, {name}", seconds / self.count * 1e6, "us/msg")
        self.run(store.close())
        size = (self.folder / "big.db").stat().st_size - sum(len(text.encode()) for text in self.texts)
        self.add("disk", "disk a message beside its text", size / self.count, "B")

    async def fill(self, store: SqliteStore, scope: Scope, first: int, count: int) -> dict[str, float]:
        spent = dict.fromkeys(("rows", "terms", "full text", "vectors"), 0.0)
        now = START + timedelta(days=30)
        await store.register([LEXICAL, DENSE])
        for begin in range(first, first + count, BATCH):
            span = range(begin, min(begin + BATCH, first + count))
            marks = [time.perf_counter()]
            for session in sorted({at // 200 for at in span}):
                batch = [message(at, self.texts[at % self.count]) for at in span if at // 200 == session]
                stored = await store.append(scope, f"s{session}", batch)
            marks.append(time.perf_counter())
            last = stored[-1].seq
            seqs = range(last - len(span) + 1, last + 1)
            pairs = list(zip(seqs, span, strict=True))
            index = tuple(Indexed(seq, terms(self.texts[at % self.count])) for seq, at in pairs)
            marks.append(time.perf_counter())
            claim = await store.claim([LEXICAL], now=now, lease=60, scope=scope)
            await store.commit(claim, Changes(last, index=index), now=now)
            marks.append(time.perf_counter())
            claim = await store.claim([DENSE], now=now, lease=60, scope=scope)
            embedded = tuple(Embedded(seq, 0, self.vectors[at % self.count]) for seq, at in pairs)
            await store.commit(claim, Changes(last, vectors=embedded), now=now)
            marks.append(time.perf_counter())
            for name, begun, ended in zip(spent, marks, marks[1:], strict=False):
                spent[name] += ended - begun
        return spent

    # -- reading

    def dense(self) -> None:
        """One user with all the messages."""
        self.bulk()
        scope, share = Scope("ada"), self.count / 100_000
        queries = vectors(64, 2)

        def probe(at: int, best: int = 10) -> Probe:
            return Probe(model="bench", vector=queries[at % 64], best=best)

        firsts, opened = list[float](), list[float]()
        for at in range(5):  # opened anew each time, as after a restart; the file is in the system's cache
            start = time.perf_counter()
            store = self.open("big.db")
            self.run(store.messages(scope, limit=1))
            opened.append((time.perf_counter() - start) * 1e3)
            start = time.perf_counter()
            self.run(store.find(scope, probe(at)))
            firsts.append((time.perf_counter() - start) * 1e3)
            if at < 4:
                self.run(store.close())
        self.add("open_store", "open to first query, store alone", statistics.median(opened), "ms")
        yard = self.again() * share
        first = statistics.median(firsts)
        self.add("dense_first", f"dense top 10 of {self.count:,}, first query after open", first, "ms", first / yard)
        numbers = iter(range(1 << 30))
        warm = median(lambda: self.run(store.find(scope, probe(next(numbers)))), 64)
        self.add("dense_warm", f"dense top 10 of {self.count:,}, warm", warm, "ms", warm / yard)
        found = 0
        for at in range(20):
            exact = set((np.argpartition(self.vectors @ queries[at], -10)[-10:] + 1).tolist())
            found += len(exact & self.run(store.find(scope, probe(at))).dense.hits.keys())
        self.add("dense_recall", "recall@10 of the dense scan against exact search", found / 200, "")
        self.reading(store, scope)
        self.run(store.close())

    def reading(self, store: SqliteStore, scope: Scope) -> None:
        self.lexical(store, scope, "lexical_all", f"lexical, {self.count:,} messages of one user")
        where = Filter(seqs=tuple(range(1, self.count, self.count // 1000)))
        took = median(lambda: self.run(store.messages(scope, where)))
        self.add("rows", "1,000 messages by seq", took, "ms")
        took = median(lambda: self.run(store.messages(scope, Filter(session_id="s5"), limit=20, newest=True)))
        self.add("tail", "last 20 messages of a session", took, "ms")
        self.run(self.derive(store, scope))
        wanted = [fact(at).id for at in range(0, 5_000, 5)]
        took = median(lambda: self.run(store.records(scope, kind="fact", ids=wanted)))
        self.add("records", "1,000 facts with their sources", took, "ms")
        took = median(lambda: self.run(store.records(scope, kind="fact", important=True, limit=30)))
        self.add("records_important", "the 30 most important of 5,000 facts", took, "ms")
        self.found(store, scope)
        took = median(lambda: self.run(store.messages(scope, Filter(kinds=("command",), active=None))))
        self.add("commands", f"20 commands in a log of {self.count:,} messages", took, "ms")

    def found(self, store: SqliteStore, scope: Scope) -> None:
        """Facts looked for by their words; the first look makes the terms of all."""
        started = time.perf_counter()
        self.run(store.find_records(scope, RecordProbe(query_terms(fact(0).text))))
        self.add("found_first", "5,000 facts, first search by words", (time.perf_counter() - started) * 1000, "ms")
        probes = (RecordProbe(query_terms(fact(at).text), kinds=("fact",)) for at in range(1 << 30))
        took = median(lambda: self.run(store.find_records(scope, next(probes))), 64)
        self.add("found", "5,000 facts, search by words, warm", took, "ms")

    async def derive(self, store: SqliteStore, scope: Scope) -> None:
        """Facts, and a few commands."""
        await store.register([FACTS])
        for at in range(0, 5_000, BATCH):
            claim = await store.claim([FACTS], now=START, lease=60, scope=scope)
            put = tuple(fact(at) for at in range(at, at + BATCH))
            await store.commit(claim, Changes(0, put), now=START)
        orders = [replace(message(self.count + at, ""), kind="command", metadata={"record": "f"}) for at in range(20)]
        await store.append(scope, "", orders)

    def lexical(self, store: SqliteStore, scope: Scope, name: str, what: str) -> None:
        """Each question is new: six terms of one message."""
        rng, spent = random.Random(5), []
        for _ in range(60):
            wanted = list(dict.fromkeys(rng.choices(list(terms(rng.choice(self.texts))), k=6)))
            start = time.perf_counter()
            self.run(store.find(scope, Probe(wanted)))
            spent.append((time.perf_counter() - start) * 1e3)
        spent.sort()
        self.add(name, f"{what}, p50", spent[30], "ms")
        self.add(f"{name}_p95", f"{what}, p95", spent[57], "ms")

    def among(self) -> None:
        """Many users of 100 in one file: never asked before, and again."""
        store = self.open("many.db")

        async def fill() -> None:
            for user in range(self.users):
                await self.fill(store, Scope(f"u{user}"), user * 100 % self.count, 100)

        self.run(fill())
        total = self.users * 100
        queries, scopes = iter(vectors(2_000, 3)), iter(range(1, self.users, 3))
        yard = self.again()
        cold = median(lambda: self.run(store.find(Scope(f"u{next(scopes)}"), self._near(next(queries)))), 41)
        self.add("dense_among_first", f"dense, 100 among {total:,}, never asked before", cold, "ms", cold / yard)
        warm = median(lambda: self.run(store.find(Scope("u3"), self._near(next(queries)))), 101)
        self.add("dense_among", f"dense, 100 among {total:,}", warm, "ms", warm / yard)
        self.add("dense_among_ms", f"dense, 100 among {total:,}, in ms", warm, "ms")
        self.lexical(store, Scope("u3"), "lexical_among", f"lexical, 100 among {total:,}")
        start = time.perf_counter()
        self.run(store.forget(Scope("u3"), everything=True))
        self.add("forget", "forget a user of 100 (rows and bytes)", (time.perf_counter() - start) * 1e3, "ms")
        self.run(store.close())

    def _near(self, query: Any) -> Probe:
        return Probe(model="bench", vector=query, best=10)


def main() -> None:
    """Prints a row a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("append", "bulk", "dense", "among"))
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        getattr(Bench(Path(folder), given.quick), given.part)()


if __name__ == "__main__":
    main()
