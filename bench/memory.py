"""Speed of the whole memory through its public API, as ratios against yardsticks measured in the same run.

    python bench/memory.py [--messages 10000] [--json FILE]

The texts are made up from a fixed vocabulary with a fixed seed, so that runs can be compared.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from jiyi import Memory

SYLLABLES = [a + b for a in "bcdfghjklmnprstvwxyz" for b in "aeiou"][::5]
WORDS = [a + b + c for a in SYLLABLES for b in SYLLABLES for c in SYLLABLES]


def sentence(rng: random.Random) -> str:
    """Fifteen words of 8,000, as often as words of a language are: the n-th about 1/n times as often as the first."""
    return " ".join(WORDS[int(len(WORDS) ** rng.random()) - 1] for _ in range(15)) + f" {rng.randrange(5000)}"


def milliseconds(call: Callable[[int], object], rounds: int) -> tuple[float, float]:
    """Median and 95th percentile of single calls, in ms."""
    times: list[float] = []
    for i in range(rounds):
        start = time.perf_counter()
        call(i)
        times.append((time.perf_counter() - start) * 1e3)
    times.sort()
    return statistics.median(times), times[int(len(times) * 0.95)]


def raw_commit(folder: Path, texts: list[str]) -> float:
    """A plain durable insert of the same text, one commit each; median ms."""
    db = sqlite3.connect(folder / "raw.db", isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute(
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, user TEXT, session TEXT, role TEXT, content TEXT, at INTEGER)"
    )

    def insert(i: int) -> None:
        db.execute("BEGIN IMMEDIATE")
        db.execute("INSERT INTO messages VALUES (NULL, 'ada', 's', 'user', ?, ?)", (texts[i % len(texts)], i))
        db.execute("COMMIT")

    median, _ = milliseconds(insert, 500)
    db.close()
    return median


def plain_script(folder: Path, texts: list[str], queries: list[str]) -> dict[str, float]:
    """CPU of SQLite + FTS5 + numpy doing the same without a library: ms for one add and one search."""
    db = sqlite3.connect(folder / "plain.db", isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, content TEXT)")
    db.execute("CREATE VIRTUAL TABLE search USING fts5(content)")
    rng = np.random.default_rng(1)
    vectors = rng.standard_normal((len(texts), 384)).astype(np.float32)

    def add(i: int) -> None:
        db.execute("BEGIN")
        db.execute("INSERT INTO messages VALUES (NULL, ?)", (texts[i % len(texts)],))
        db.execute("INSERT INTO search VALUES (?)", (texts[i % len(texts)],))
        db.execute("COMMIT")

    def search(i: int) -> None:
        match = " OR ".join(queries[i % len(queries)].split())
        lexical = db.execute(
            "SELECT rowid FROM search WHERE search MATCH ? ORDER BY rank LIMIT 50", (match,)
        ).fetchall()
        dense = np.argpartition(-(vectors @ vectors[i]), 50)[:50].tolist()
        ids = {row[0] for row in lexical} | {index + 1 for index in dense}
        db.execute(f"SELECT id, content FROM messages WHERE id IN ({','.join(map(str, ids))})").fetchall()

    start = time.process_time()
    for i in range(len(texts)):
        add(i)
    adding = (time.process_time() - start) / len(texts) * 1e3
    start = time.process_time()
    for i in range(200):
        search(i)
    searching = (time.process_time() - start) / 200 * 1e3
    db.close()
    return {"add": adding, "search": searching}


class GivenVectors:
    """An embedder that costs nothing, so that only the memory itself is measured."""

    name, size = "given", 384

    def __init__(self) -> None:
        self._rng = np.random.default_rng(2)

    async def embed(self, texts: list[str]) -> list[np.ndarray]:
        return [await self.embed_query(text) for text in texts]

    async def embed_query(self, text: str) -> np.ndarray:
        vector = self._rng.standard_normal(384).astype(np.float32)
        return vector / np.linalg.norm(vector)

    def split(self, text: str) -> list[str]:
        return [text]


def measure(count: int, folder: Path) -> dict[str, dict[str, object]]:
    """All rows: name -> what was measured, the yardstick, their ratio and the reach."""
    rng = random.Random(7)
    texts = [sentence(rng) for _ in range(count)]
    queries = [" ".join(rng.sample(texts[rng.randrange(count)].split(), 6)) for _ in range(200)]
    yard_commit, plain = raw_commit(folder, texts), plain_script(folder, texts, queries)
    rows: dict[str, dict[str, object]] = {}

    def row(name: str, value: float, reach: str, yard: float | None = None) -> None:
        rows[name] = {"value": round(value, 3), "reach": reach}
        if yard is not None:
            rows[name] |= {"yardstick": round(yard, 3), "ratio": round(value / yard, 2)}

    start = time.process_time()
    memory = Memory.open(folder / "jiyi.db", embedder=GivenVectors(), tokenizer="estimate")
    chats = [memory.session(f"s{i}", user_id="ada") for i in range(count // 100)]
    for index, chat in enumerate(chats):
        part = texts[index * 100 : index * 100 + 100]
        chat.add_many([{"role": "assistant" if i % 2 else "user", "content": text} for i, text in enumerate(part)])
    memory.drain()
    row("CPU to add one message, in batches (ms)", (time.process_time() - start) / count * 1e3, "<= 4 x", plain["add"])
    start = time.process_time()
    p50, p95 = milliseconds(lambda i: memory.search(queries[i % 200], user_id="ada", floor=0), 200)
    row("CPU of one search (ms)", (time.process_time() - start) / 200 * 1e3, "<= 3 x", plain["search"])
    row(f"search among {count} messages, p50 (ms)", p50, "<= 3 ms")
    row(f"search among {count} messages, p95 (ms)", p95, "<= 10 ms")
    p50, p95 = milliseconds(lambda i: chats[i % len(chats)].context(max_tokens=2000), 200)
    row("building a context, p50 (ms)", p50, "<= 5 ms")
    chat = memory.session("single", user_id="bo")
    p50, _ = milliseconds(lambda i: chat.add("user", texts[i % count]), 500)
    row("durable append through chat.add (ms)", p50, ">= 0.7 x its speed", yard_commit)
    rows["durable append through chat.add (ms)"]["ratio"] = round(yard_commit / p50, 2)
    memory.drain()
    memory.close()
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, "-c", "import jiyi"], check=True, env=env)  # compiled once, as an installed one is
    code = "import time; t=time.perf_counter(); import jiyi; print((time.perf_counter()-t)*1e3)"
    timings = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout)
        for _ in range(5)
    ]
    row("import jiyi (ms)", statistics.median(timings), "<= 150 ms")
    start = time.perf_counter()
    memory = Memory.open(folder / "jiyi.db", embedder=None, tokenizer="estimate")
    memory.search(queries[0], user_id="ada")
    row("open to first query, full text (ms)", (time.perf_counter() - start) * 1e3, "<= 5 ms")
    memory.close()
    return rows


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(given.messages, Path(folder))
    for name, found in rows.items():
        ratio = f"{found['ratio']} x of {found['yardstick']}" if "ratio" in found else ""
        print(f"{name:50} {found['value']:>9} {ratio:22} reach {found['reach']}")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
