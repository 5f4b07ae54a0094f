"""Checkpoints outlive their process: read by the next one, whole after a kill, given once to two who want one name."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jiyi import AsyncMemory
from jiyi.config import Settings

RUN = [sys.executable, "-m", "tests.e2e.saving"]
RESUME = """
import sys
from jiyi import Memory
with Memory.open(sys.argv[1], embedder=None, tokenizer="estimate") as memory:
    chat = memory.session("s", user_id="李雪")
    print(chat.restore("第一版").state["预算"])
    chat.add("user", "改成坐火车")
    print(len(chat.messages()))
"""


async def opened(path: Path) -> AsyncMemory:
    return await AsyncMemory.open(path, embedder=None, tokenizer="estimate", settings=Settings())


async def test_another_process_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "jiyi.db"
    async with await opened(path) as memory:
        chat = memory.session("s", user_id="李雪")
        await chat.add("user", "去里斯本")
        await chat.checkpoint("第一版", state={"预算": 500})
        await chat.add("user", "坐飞机")
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", RESUME, str(path)], capture_output=True, timeout=60, check=True
    )
    assert done.stdout.split() == [b"500", b"2"]
    async with await opened(path) as memory:
        chat = memory.session("s", user_id="李雪")
        assert [message.text for message in await chat.messages()] == ["去里斯本", "改成坐火车"]
        found = await chat.diff("第一版")
        assert [message.text for message in found.only_b] == ["改成坐火车"]


async def test_of_two_processes_one_gets_each_name(tmp_path: Path) -> None:
    path, notes, names = tmp_path / "jiyi.db", tmp_path / "got.txt", 40
    async with await opened(path) as memory:
        await memory.session("s", user_id="李雪").add("user", "hello")
    both = [
        subprocess.Popen([*RUN, str(path), str(notes), str(names)], stderr=subprocess.PIPE)  # noqa: ASYNC220
        for _ in range(2)
    ]
    for process in both:
        assert (await asyncio.to_thread(process.communicate, timeout=60))[1] == b""
    got = [line.split() for line in notes.read_text(encoding="utf-8").splitlines()]
    assert sorted(name for _, name in got) == sorted(f"方案{number}" for number in range(names))
    async with await opened(path) as memory:
        found = await memory.session("s", user_id="李雪").checkpoints()
        assert {(str(c.state["pid"]), c.name) for c in found} == {(pid, name) for pid, name in got}


@pytest.mark.slow
async def test_a_kill_leaves_checkpoints_whole(tmp_path: Path) -> None:
    path, notes = tmp_path / "jiyi.db", tmp_path / "acknowledged.txt"
    for round_ in range(6):
        process = subprocess.Popen([*RUN, str(path), str(notes)], stderr=subprocess.PIPE)  # noqa: ASYNC220
        until, before = time.monotonic() + 20, _lines(notes)
        while len(_lines(notes)) < len(before) + 8:
            assert process.poll() is None and time.monotonic() < until
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.013 * round_)
        process.kill()
        assert (await asyncio.to_thread(process.communicate))[1] == b""
    async with await opened(path) as memory:
        chat = memory.session("s", user_id="李雪")
        stored = {message.id for message in await chat.messages(all_branches=True)}
        found = {c.name: c for c in await chat.checkpoints()}
        for name, (number, message_id) in {a: (int(b), c) for a, b, c in map(str.split, _lines(notes))}.items():
            checkpoint = found[name]  # acknowledged, or what was being put in its place when the kill came
            assert checkpoint.state["n"] in (number, number + 5)
            assert checkpoint.state["n"] != number or checkpoint.message_id == message_id
            assert checkpoint.state["long"] == "词" * 3000
        for checkpoint in found.values():
            assert checkpoint.message_id in stored
            await chat.restore(checkpoint.name)
            assert len(await chat.messages()) == checkpoint.messages
        for session in await memory.sessions(user_id="李雪"):  # a fork has all its messages, or there is none
            if session.id != "s":
                copies = await memory.session(session.id, user_id="李雪").messages()
                assert copies[-1].role == "assistant" and [m.position for m in copies] == [*range(1, len(copies) + 1)]


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []
