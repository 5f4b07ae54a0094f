"""Speed and size of the SQLite store against the yardsticks of design/performance: ``python bench/store.py``.

Every ratio is taken against a yardstick in the same process: numpy float32 ``dot`` + ``argpartition`` over 100,000 x
384 on one thread, or a plain ``sqlite3`` insert at ``synchronous=FULL``.  Medians of several runs.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import platform
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from jiyi.stores.sqlite import SqliteStore
from jiyi.text import terms
from jiyi.types import Changes, Embedded, Filter, Indexed, Message, Scope, Step

# one thread for the yardstick, and no slower kernel than the machine has: both are read when NumPy is imported
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
os.environ.pop("OPENBLAS_CORETYPE", None)
np = importlib.import_module("numpy")

LEXICAL, DENSE = Step("lexical", "1"), Step("dense:bench", "1")
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
    def __init__(self, folder: Path, messages: int, users: int) -> None:
        self.folder, self.count, self.users = folder, messages, users
        self.rows: list[dict[str, object]] = []
        self.loop = asyncio.new_event_loop()
        self.texts, self.vectors = texts(messages), vectors(messages)
        full = self.vectors if messages == 100_000 else vectors(100_000)
        query = full[7]
        self.yardstick = median(lambda: np.argpartition(full @ query, -10)[-10:])
        self.add("numpy yardstick, 100,000 x 384", self.yardstick, "ms")

    def add(self, name: str, value: float, unit: str, ratio: float | None = None, reach: str = "") -> None:
        self.rows.append({"what": name, "value": value, "unit": unit, "ratio": ratio, "reach": reach})
        shown = "" if ratio is None else f"{ratio:8.3f} x"
        print(f"{name:58} {value:10.3f} {unit:6} {shown:12} {reach}", flush=True)

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
        self.add("raw durable insert", by_hand, "ms")
        self.add("durable append, one caller", took, "ms", by_hand / took, ">= 0.7 (through the sync API)")
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
        self.add("raw bulk insert of row and vector", raw, "us/msg")
        for name, seconds in spent.items():
            self.add(f"  bulk: {name}", seconds / self.count * 1e6, "us/msg")
        self.add("bulk import, all", total / self.count * 1e6, "us/msg", raw / (total / self.count * 1e6), ">= 0.20")
        self.run(store.close())
        size = (self.folder / "big.db").stat().st_size - sum(len(text.encode()) for text in self.texts)
        self.add("disk a message beside its text", size / self.count, "B", None, "<= 1434")

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
        start = time.perf_counter()
        store = self.open("big.db")
        scope, ratio = Scope("ada"), self.yardstick * self.count / 100_000
        self.run(store.messages(scope, limit=1))
        self.add("open and first query", (time.perf_counter() - start) * 1e3, "ms", None, "<= 5 ms")
        queries = vectors(64, 2)
        cold = median(lambda: self.run(store.dense(scope, "bench", queries[0])), 1)
        self.add("dense top 300, first query after open", cold, "ms", cold / ratio, "<= 1.5")
        asked = iter(np.tile(queries, (9, 1)))
        warm = median(lambda: self.run(store.dense(scope, "bench", next(asked))), 41)
        self.add("dense top 300, warm", warm, "ms", warm / ratio, "<= 0.5")
        found = 0
        for query in queries[:20]:
            exact = set((np.argpartition(self.vectors @ query, -10)[-10:] + 1).tolist())
            hits = self.run(store.dense(scope, "bench", query, limit=10)).hits
            found += len(exact & hits.keys())
        self.add("recall@10 against exact search", found / 200, "", None, ">= 0.99")
        self.reading(store, scope)
        self.run(store.close())

    def reading(self, store: SqliteStore, scope: Scope) -> None:
        self.lexical(store, scope, f"lexical, {self.count:,} messages of one user", "")
        where = Filter(seqs=tuple(range(1, self.count, self.count // 1000)))
        took = median(lambda: self.run(store.messages(scope, where)))
        self.add("1,000 messages by seq", took, "ms", None, "4 us each")
        took = median(lambda: self.run(store.messages(scope, Filter(session_id="s5"), limit=20, newest=True)))
        self.add("last 20 messages of a session", took, "ms")

    def lexical(self, store: SqliteStore, scope: Scope, name: str, reach: str) -> None:
        rng, spent = random.Random(5), []
        for _ in range(60):
            wanted = list(dict.fromkeys(rng.choices(list(terms(rng.choice(self.texts))), k=6)))
            start = time.perf_counter()
            self.run(store.lexical(scope, wanted))
            spent.append((time.perf_counter() - start) * 1e3)
        spent.sort()
        self.add(f"{name}, p50", spent[30], "ms", None, reach)
        self.add(f"{name}, p95", spent[57], "ms")

    def many(self) -> None:
        """One user of 10,000 and many of 100 in one file."""
        store = self.open("many.db")

        async def fill() -> None:
            await self.fill(store, Scope("big"), 0, min(10_000, self.count))
            for user in range(self.users):
                await self.fill(store, Scope(f"u{user}"), user * 100, 100)

        self.run(fill())
        total = 10_000 + self.users * 100
        queries = iter(vectors(2_000, 3))
        scopes = iter(range(1, 10_000))
        cold = median(lambda: self.run(store.dense(Scope(f"u{next(scopes)}"), "bench", next(queries))), 41)
        self.add(
            f"dense, 100 among {total:,}, never asked before", cold, "ms", cold / self.yardstick, "<= 0.1, <= 1 ms"
        )
        warm = median(lambda: self.run(store.dense(Scope("u3"), "bench", next(queries))), 101)
        self.add(f"dense, 100 among {total:,}, again", warm, "ms", warm / self.yardstick, "<= 0.1, <= 1 ms")
        self.lexical(store, Scope("u3"), f"lexical, 100 among {total:,}", "<= 1 ms")
        self.lexical(store, Scope("big"), "lexical, 10,000 messages of one user", "<= 3 ms with dense")
        start = time.perf_counter()
        self.run(store.forget(Scope("u3"), everything=True))
        self.add("forget a user of 100 (rows and bytes)", (time.perf_counter() - start) * 1e3, "ms")
        self.run(store.close())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000, help="messages of the one large user")
    parser.add_argument("--users", type=int, default=300, help="users of 100 messages")
    parser.add_argument("--only", nargs="*", choices=("append", "bulk", "dense", "many"))
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), options.messages, options.users)
        for name in ("append", "bulk", "dense", "many"):
            if not options.only or name in options.only:
                getattr(bench, name)()
    if options.json:
        machine = {"python": sys.version, "sqlite": sqlite3.sqlite_version, "machine": platform.platform()}
        options.json.write_text(json.dumps({"machine": machine, "rows": bench.rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
