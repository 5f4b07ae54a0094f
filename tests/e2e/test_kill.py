"""Nothing acknowledged is lost: processes are killed while they write, and the file is looked at afterwards."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from jiyi.clock import SystemClock
from jiyi.stores.sqlite import SqliteStore
from jiyi.types import Filter, Probe
from jiyi.worker import Worker
from tests.e2e.deriving import STEP, Gists
from tests.e2e.writing import LEXICAL, SCOPE, index, text_of

KILLS = 25


def start(path: Path, name: str, acknowledged: Path, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.e2e.writing", str(path), name, str(acknowledged), "--threads", "4"]
    return subprocess.Popen([*command, "--own-sessions", *more], stderr=subprocess.PIPE)


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def wait_for_more(file: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    """Until this process has written again; it must not have ended by itself."""
    until = time.monotonic() + 20
    while len(lines(file)) <= count:
        assert process.poll() is None, process.stderr and process.stderr.read().decode()
        assert time.monotonic() < until, "no message was acknowledged for 20 seconds"
        time.sleep(0.005)


@pytest.mark.slow
@pytest.mark.parametrize("api", [(), ("--sync",)], ids=["async", "sync"])
async def test_25_kills_lose_nothing(tmp_path: Path, api: tuple[str, ...]) -> None:
    path, rng = tmp_path / "jiyi.db", random.Random(7)
    names = iter(f"p{number}" for number in range(1_000))
    running: list[tuple[subprocess.Popen[bytes], Path]] = []
    files: list[Path] = []

    def launch() -> None:
        name = next(names)
        files.append(tmp_path / f"{name}.txt")
        running.append((start(path, name, files[-1], *api), files[-1]))

    launch()
    launch()
    try:
        for kill in range(KILLS):
            process, file = running[rng.randrange(2)]
            for other, its_file in running:
                wait_for_more(its_file, len(lines(its_file)), other)
            await asyncio.sleep(rng.random() * 0.2)
            process.kill()
            assert process.communicate()[1] == b""
            running.remove((process, file))
            if kill < KILLS - 1:
                launch()
    finally:
        for process, _ in running:
            process.kill()
        for process, _ in running:
            process.communicate()
    acknowledged = [line for file in files for line in lines(file)]
    assert len(acknowledged) > 500
    await check(path, acknowledged)


async def check(path: Path, acknowledged: list[str]) -> None:
    """The file is sound; log, paths and index agree; everything acknowledged is there as it was said."""
    store = await SqliteStore.open(path)
    try:
        stored = await store.messages(SCOPE, Filter(active=None))
        ids = Counter(message.id for message in stored)
        assert max(ids.values()) == 1
        assert set(acknowledged) <= ids.keys()
        assert all(message.text == text_of(message.id) for message in stored)
        assert [message.seq for message in stored] == list(range(1, len(stored) + 1))
        for session in await store.sessions(SCOPE):
            mine = await store.messages(SCOPE, Filter(session_id=session.id))
            assert [message.position for message in mine] == list(range(1, session.messages + 1))
            assert [message.parent_id for message in mine] == [None, *(message.id for message in mine[:-1])]
        await caught_up(store, len(stored))
    finally:
        await store.close()
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    db.execute("INSERT INTO postings (postings) VALUES ('integrity-check')")
    db.close()


async def caught_up(store: SqliteStore, messages: int) -> None:
    """After the leases of the killed are over, the index has every message once."""
    until = time.monotonic() + 30
    while (await store.cursors(SCOPE, [LEXICAL]))["lexical"] < messages:
        assert time.monotonic() < until
        await index(store)
    found = (await store.find(SCOPE, Probe(["note"]))).lexical
    assert found.documents == found.frequency["note"] == messages


@pytest.mark.slow
async def test_kills_while_deriving_lose_nothing_and_derive_nothing_twice(tmp_path: Path) -> None:
    path, rng = tmp_path / "jiyi.db", random.Random(11)
    files: list[Path] = []

    def launch() -> tuple[subprocess.Popen[bytes], Path]:
        files.append(tmp_path / f"{len(files)}.txt")
        name = f"p{len(files)}"
        command = [sys.executable, "-m", "tests.e2e.deriving", str(path), name, str(files[-1]), str(len(files))]
        return subprocess.Popen(command, stderr=subprocess.PIPE), files[-1]

    running = [launch(), launch()]
    try:
        for _ in range(8):
            for process, file in running:
                wait_for_more(file, len(lines(file)), process)
            await asyncio.sleep(rng.random() * 0.3)
            process, _ = running.pop(rng.randrange(2))
            process.kill()
            assert process.communicate()[1] == b""
            running.append(launch())
    finally:
        for process, _ in running:
            process.kill()
            process.communicate()
    notes = [line.split() for file in files for line in lines(file)]
    said, erased = ({name for what, name in notes if what == kind} for kind in ("said", "erasing"))
    assert len(said) > 100 and erased
    store = await SqliteStore.open(path)
    try:
        await Worker(store, [Gists()], SystemClock()).drain()
        stored = await store.messages(SCOPE, Filter(active=None))
        assert said - erased <= {message.id for message in stored}
        assert len(erased & {message.id for message in stored}) <= len(files), "at most the last one of each process"
        await check_gists(store)
        await store.rebuild([STEP])
        await Worker(store, [Gists()], SystemClock()).drain()
        await check_gists(store)
    finally:
        await store.close()


async def check_gists(store: SqliteStore) -> None:
    """Each stride that is full has one record, of the messages that are left of it."""
    stored = await store.messages(SCOPE, Filter(active=None))
    (progress,) = await store.progress([STEP], SCOPE)
    assert progress.done == progress.total and not progress.failed
    end = (await store.cursors(SCOPE, [STEP]))[STEP.name]
    expected: dict[str, str] = {}
    for message in stored:
        if message.seq <= end:
            key = str(-(-message.seq // STEP.stride) * STEP.stride)
            expected[key] = f"{expected[key]} {message.text}" if key in expected else message.text
    records = await store.records(SCOPE)
    assert len(records) == len(expected)
    assert {record.key: record.text for record in records} == expected
