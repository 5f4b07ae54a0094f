"""Field case D20: several processes and threads write one SQLite file, and one is killed in the middle."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from jiyi.stores.sqlite import SqliteStore
from jiyi.types import Filter
from tests.e2e.test_kill import check, lines, wait_for_more
from tests.e2e.writing import SCOPE, write


def process(path: Path, name: str, *more: str) -> subprocess.Popen[bytes]:
    acknowledged = path.with_name(f"{name}.txt")
    command = [sys.executable, "-m", "tests.e2e.writing", str(path), name, str(acknowledged), *more]
    return subprocess.Popen(command, stderr=subprocess.PIPE)


async def test_processes_and_threads_share_one_session(tmp_path: Path) -> None:
    path = tmp_path / "jiyi.db"
    store = await SqliteStore.open(path)
    writers = [process(path, name, "--count", "200") for name in ("a", "b")]
    reads = 0
    while any(writer.poll() is None for writer in writers):  # the third process: this one
        seen = await store.messages(SCOPE, Filter(session_id="shared"))
        assert [message.position for message in seen] == list(range(1, len(seen) + 1))
        reads += 1
        await asyncio.sleep(0.001)
    for writer in writers:
        _, errors = writer.communicate()
        assert writer.returncode == 0 and b"locked" not in errors, errors.decode()
    assert reads > 10

    threads = tmp_path / "threads.txt"
    acknowledged = os.open(threads, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def eight(number: int) -> None:
        asyncio.run(write(store, f"t{number}", ["shared"], 50, acknowledged))

    with ThreadPoolExecutor(8) as pool:
        await asyncio.gather(*(asyncio.get_running_loop().run_in_executor(pool, eight, at) for at in range(8)))
    os.close(acknowledged)
    stored = await store.messages(SCOPE, Filter(session_id="shared"))
    await store.close()
    assert len(stored) == len({message.id for message in stored}) == 800
    await check(path, [line for name in ("a", "b", "threads") for line in lines(tmp_path / f"{name}.txt")])


async def test_a_killed_writer_leaves_a_sound_file(tmp_path: Path) -> None:
    path = tmp_path / "jiyi.db"
    writer = process(path, "victim")
    wait_for_more(tmp_path / "victim.txt", 40, writer)
    writer.kill()
    writer.communicate()
    await check(path, lines(tmp_path / "victim.txt"))
