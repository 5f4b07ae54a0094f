"""Summaries survive kills: every place of the tree has one node, of the messages that are left, and no other."""

from __future__ import annotations

import asyncio
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from jiyi.stores.sqlite import SqliteStore
from jiyi.strategies.summary_tree import Place, place_of
from jiyi.types import Filter
from tests.e2e.summing import EVERY, SCOPE, worker
from tests.e2e.test_kill import lines, wait_for_more

KILLS = 6


@pytest.mark.slow
async def test_kills_while_summarising_lose_nothing_and_leave_one_node_a_place(tmp_path: Path) -> None:
    path, rng = tmp_path / "jiyi.db", random.Random(5)
    files: list[Path] = []

    def launch() -> tuple[subprocess.Popen[bytes], Path]:
        files.append(tmp_path / f"{len(files)}.txt")
        command = [sys.executable, "-m", "tests.e2e.summing", str(path), f"p{len(files)}", str(files[-1])]
        return subprocess.Popen([*command, str(len(files))], stderr=subprocess.PIPE), files[-1]

    running = [launch(), launch()]
    try:
        for _ in range(KILLS):
            for process, file in running:
                wait_for_more(file, len(lines(file)) + 10, process)
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
        await worker(store).drain()
        assert said - erased <= {message.id for message in await store.messages(SCOPE, Filter(active=None))}
        await check(store)
        await store.rebuild(worker(store).steps)
        await worker(store).drain()
        await check(store)
    finally:
        await store.close()


async def check(store: SqliteStore) -> None:
    """The model's nodes are those that the log has now, whoever was killed when."""
    step = worker(store).steps[-1]
    end = (await store.cursors(SCOPE, [step]))[step.name]
    wanted: dict[str, set[str]] = {}
    groups: dict[tuple[Place, str], set[Place]] = {}
    for message in await store.messages(SCOPE, Filter(active=True)):
        if message.seq > end:
            continue
        place = place_of(message.seq, EVERY)
        wanted.setdefault(f"summary:{place.key}:{message.session_id}", set()).add(message.id)
        groups.setdefault((place.parent, message.session_id), set()).add(place)
    for (place, session), children in groups.items():
        if len(children) > 1 and place.last(EVERY) <= end:
            ids = [wanted[f"summary:{child.key}:{session}"] for child in children]
            wanted[f"summary:{place.key}:{session}"] = set().union(*ids)
    found = [record for record in await store.records(SCOPE, kind="summary") if record.strategy == step.name]
    low = {r.id: {source.message_id for source in r.sources} for r in found if str(r.key)[0] in "01"}
    assert low == wanted
    for record in found:
        ids = {source.message_id for source in record.sources}
        assert set(re.findall(r"(\w+-\d+)n", record.text)) <= ids and record.data["count"] == len(ids)
