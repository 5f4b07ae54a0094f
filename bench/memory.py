"""Speed of the whole memory through its public API, one part a process; ``bench/run.py`` starts it.

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
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np
from results import Row

from jiyi import Memory, Session
from jiyi.config import Settings

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


def raw_commit(folder: Path, texts: list[str], name: str) -> float:
    """A plain durable insert of the same text, one commit each; median ms."""
    db = sqlite3.connect(folder / name, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute(
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, user TEXT, session TEXT, role TEXT, content TEXT, at INTEGER)"
    )

    def insert(i: int) -> None:
        db.execute("BEGIN IMMEDIATE")
        db.execute("INSERT INTO messages VALUES (NULL, 'ada', 's', 'user', ?, ?)", (texts[i % len(texts)], i))
        db.execute("COMMIT")

    median, _ = milliseconds(insert, 200)
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
    searching = cpu(search, 200)
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


def add(name: str, what: str, value: float, unit: str, ratio: float | None = None) -> None:
    """Prints a row."""
    print(json.dumps(asdict(Row(name, what, value, unit, ratio))), flush=True)


def cpu(call: Callable[[int], object], rounds: int) -> float:
    """Milliseconds of processor time a call, in all threads; the least of three passes."""
    spent: list[float] = []
    for _ in range(3):
        start = time.process_time()
        for i in range(rounds):
            call(i)
        spent.append((time.process_time() - start) / rounds * 1e3)
    return min(spent)


def filled(path: Path, texts: list[str], users: int = 1) -> tuple[Memory, float]:
    """A memory with these texts in sessions of 100, shared out among users; and CPU ms for each."""
    start = time.process_time()
    memory = Memory.open(path, embedder=GivenVectors(), tokenizer="estimate")
    for index in range(0, len(texts), 100):
        user = index // 100 * users * 100 // len(texts)
        part = enumerate(texts[index : index + 100])
        chat = memory.session(f"s{index // 100}", user_id=f"u{user}")
        chat.add_many([{"role": "assistant" if i % 2 else "user", "content": text} for i, text in part])
    memory.drain()
    return memory, (time.process_time() - start) / len(texts) * 1e3


def told(count: int, seed: int = 7) -> tuple[list[str], list[str]]:
    """Texts, and questions of six words from one of them."""
    rng = random.Random(seed)
    texts = [sentence(rng) for _ in range(count)]
    return texts, [" ".join(rng.sample(texts[rng.randrange(count)].split(), 6)) for _ in range(200)]


def search(folder: Path, count: int) -> None:
    """One user of 10,000 messages: search and context, and the same by hand."""
    texts, queries = told(count)
    plain = plain_script(folder, texts, queries)
    memory, adding = filled(folder / "jiyi.db", texts)

    def ask(i: int) -> object:
        return memory.search(queries[i % 200], user_id="u0", floor=0)

    add("cpu_add", "CPU to add one message, in batches", adding, "ms", adding / plain["add"])
    p50, p95 = milliseconds(ask, 400)
    add("search_p50", f"search among {count:,} messages, p50", p50, "ms")
    add("search_p95", f"search among {count:,} messages, p95", p95, "ms")
    spent = cpu(ask, 200)
    add("cpu_search", f"CPU to search {count:,} messages", spent, "ms", spent / plain["search"])
    chats = [memory.session(f"s{i}", user_id="u0") for i in range(count // 100)]
    p50, _ = milliseconds(lambda i: chats[i % len(chats)].context(max_tokens=2000), 300)
    add("context", f"building a context, balanced, {count:,} messages", p50, "ms")
    memory.close()


def users(folder: Path, count: int) -> None:
    """200 users of 100 messages, asked in turn; and a script with one table and a column for whose."""
    number = 200 if count == 10_000 else 20
    texts, queries = told(number * 100)
    plain = plain_users(folder, texts, queries, number)
    memory, _ = filled(folder / "jiyi.db", texts, number)
    spent = cpu(lambda i: memory.search(queries[i % 200], user_id=f"u{i * 7 % number}", floor=0), 400)
    add("cpu_search_users", f"CPU to search one of {number} users x 100", spent, "ms", spent / plain)
    memory.close()


def plain_users(folder: Path, texts: list[str], queries: list[str], number: int) -> float:
    """CPU ms of a search among one user's 100 messages by hand: FTS5 joined with the owner, and NumPy."""
    db = sqlite3.connect(folder / "plainusers.db", isolation_level=None)
    db.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, user INTEGER, content TEXT)")
    db.execute("CREATE INDEX owner ON messages (user)")
    db.execute("CREATE VIRTUAL TABLE search USING fts5(content, user UNINDEXED)")
    db.execute("BEGIN")
    for at, text in enumerate(texts):
        db.execute("INSERT INTO messages VALUES (?, ?, ?)", (at + 1, at // 100, text))
        db.execute("INSERT INTO search (rowid, content, user) VALUES (?, ?, ?)", (at + 1, text, at // 100))
    db.execute("COMMIT")
    vectors = np.random.default_rng(1).standard_normal((len(texts), 384)).astype(np.float32)

    def ask(i: int) -> None:
        user = i * 7 % number
        match = " OR ".join(queries[i % 200].split())
        sql = "SELECT rowid FROM search WHERE search MATCH ? AND user = ? ORDER BY rank LIMIT 50"
        lexical = db.execute(sql, (match, user)).fetchall()
        own = vectors[user * 100 : user * 100 + 100]
        dense = np.argpartition(-(own @ vectors[i % len(vectors)]), 50)[:50].tolist()
        ids = {row[0] for row in lexical} | {user * 100 + index + 1 for index in dense}
        db.execute(f"SELECT id, content FROM messages WHERE id IN ({','.join(map(str, ids))})").fetchall()

    spent = cpu(ask, 400)
    db.close()
    return spent


def writing(folder: Path, count: int) -> None:
    """One caller, one message a commit, through ``chat.add``."""
    texts, _ = told(count)
    memory = Memory.open(folder / "jiyi.db", embedder=None, tokenizer="estimate")
    chat = memory.session("single", user_id="bo")
    pairs = []
    for turn in range(5):
        yard = raw_commit(folder, texts, f"raw{turn}.db")
        took, _ = milliseconds(lambda i: chat.add("user", texts[i % count]), 200)
        pairs.append((yard, took))
    yard, took = (statistics.median(column) for column in zip(*pairs, strict=True))
    add("append", "durable append of one message through chat.add", took, "ms", yard / took)
    memory.close()


def start(folder: Path, count: int) -> None:
    """The import, and opening."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, "-c", "import jiyi"], check=True, env=env)  # compiled once, as an installed one is
    code = "import time; s=time.perf_counter(); import jiyi; print((time.perf_counter()-s)*1e3)"
    timings = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout)
        for _ in range(9)
    ]
    add("import", "import jiyi", statistics.median(timings), "ms")
    texts, queries = told(count // 10)
    filled(folder / "jiyi.db", texts)[0].close()
    spent = []
    for _ in range(7):
        begun = time.perf_counter()
        memory = Memory.open(folder / "jiyi.db", embedder=None, tokenizer="estimate")
        memory.search(queries[0], user_id="u0")
        spent.append((time.perf_counter() - begun) * 1e3)
        memory.close()
    add("open_memory", "open to first query, Memory", statistics.median(spent), "ms")


def graph(folder: Path, count: int) -> None:
    """One user of half as many relations, a fifth of them of two names: contexts of the strategies, and an answer."""
    rng, names = random.Random(3), [word.capitalize() for word in random.Random(4).sample(WORDS, count // 7)]
    verbs = ("uses", "depends on", "acquired", "owns")
    said = [
        f"{names[number % 10 // 9] if number % 5 == 0 else rng.choice(names)} {rng.choice(verbs)} {rng.choice(names)}."
        for number in range(count // 2)
    ]
    memory = Memory.open(folder / "jiyi.db", embedder=None, tokenizer="estimate", recipe="graph")
    for index in range(0, len(said), 100):
        chat = memory.session(f"s{index // 100}", user_id="u0")
        chat.add_many([{"role": "user", "content": text} for text in said[index : index + 100]])
    memory.drain()
    known = len(memory.records(user_id="u0", kind="relation"))
    for recipe in ("graph", "entities"):
        memory.use_recipe(recipe)
        memory.drain()
        chat = memory.session("new", user_id="u0")

        def ask(i: int, asked: list[str], chat: Session = chat) -> None:
            chat.context(asked[i % len(asked)], max_tokens=2000)

        for near, of in (("busy", names[:2]), ("usual", names[2:100])):
            asked = [f"What does {name} use?" for name in of]
            p50, p95 = milliseconds(partial(ask, asked=asked), 100)
            what = f"a context of {recipe}, {known:,} relations of one user, about a {near} name"
            add(f"{recipe}_{near}", f"{what}, p50", p50, "ms")
            add(f"{recipe}_{near}_p95", f"{what}, p95", p95, "ms")
    memory.close()


def peak(path: str, megabytes: int, rounds: int) -> None:
    """Prints the most memory this process took for searches of 20 users, in MB."""
    import resource

    _, queries = told(1_000)
    settings = Settings(cache_mb=megabytes)
    memory = Memory.open(path, embedder=GivenVectors(), tokenizer="estimate", settings=settings)
    for i in range(rounds):
        memory.search(queries[i % 200], user_id=f"u{i % 20}", floor=0)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def cache(folder: Path, count: int) -> None:
    """Peak memory while 20 users are searched, beyond that of one search, against the limit set."""
    texts, _ = told(count * 2)
    filled(folder / "jiyi.db", texts, 20)[0].close()

    def grown_to(megabytes: int, rounds: int) -> float:
        call = f"peak({str(folder / 'jiyi.db')!r}, {megabytes}, {rounds})"
        command = [sys.executable, "-c", f"from memory import peak; {call}"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parent)
        return float(done.stdout)

    limit = 8
    grown = grown_to(limit, 600) - grown_to(limit, 1)
    add("memory", f"memory grown over 600 searches of 20 users, limit {limit} MB", grown, "MB", grown / limit)


def main() -> None:
    """Prints a row a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("search", "users", "writing", "graph", "start", "cache"))
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        globals()[given.part](Path(folder), 1_000 if given.quick else 10_000)


if __name__ == "__main__":
    main()
