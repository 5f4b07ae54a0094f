from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from jiyi import JiyiError, Memory
from jiyi.types import Progress
from jiyi.waiting import elsewhere


def test_many_threads_share_one_memory(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", embedder=None) as memory:
        chat = memory.session("s", user_id="ada")
        threads = [
            threading.Thread(target=lambda n=n: [chat.add("user", f"{n}-{i}") for i in range(20)]) for n in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [m.seq for m in chat.messages()] == list(range(1, 161))


async def test_it_works_inside_a_running_loop(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", embedder=None) as memory:
        memory.session("s", user_id="ada").add("user", "hello")
        assert asyncio.get_running_loop() is not None
        assert len(memory.messages(user_id="ada")) == 1


async def test_its_inside_can_be_awaited_from_any_loop(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", embedder=None) as memory:
        inner = memory.session("s", user_id="ada").inner

        async def say(text: str) -> None:
            await elsewhere(inner.add("user", text))

        await asyncio.gather(say("one"), *(asyncio.to_thread(asyncio.run, say(text)) for text in ("二", "three")))
        assert sorted(m.text for m in memory.messages(user_id="ada")) == ["one", "three", "二"]


async def test_what_is_given_up_outside_is_cancelled_inside() -> None:
    began, ended = threading.Event(), threading.Event()

    async def long() -> None:
        began.set()
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()

    task = asyncio.ensure_future(elsewhere(long()))
    await asyncio.to_thread(began.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(ended.wait, 60)


def test_a_call_from_inside_says_so_instead_of_waiting_for_ever(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", embedder=None) as memory:
        memory.session("s", user_id="ada").add("user", "hello")

        def ask(_: list[Progress]) -> None:
            memory.users()

        with pytest.raises(JiyiError, match="AsyncMemory"):
            memory.drain(ask)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_opens_its_own(tmp_path: Path) -> None:
    script = (
        "import os, sys, warnings; warnings.simplefilter('ignore')\n"
        "from jiyi import Memory\n"
        "m = Memory.open(sys.argv[1], embedder=None); m.remember('parent', user_id='ada'); m.close()\n"
        "pid = os.fork()\n"
        "m = Memory.open(sys.argv[1], embedder=None); m.remember(f'from {pid == 0}', user_id='ada'); m.close()\n"
        "if pid == 0: os._exit(0)\n"
        "os.waitpid(pid, 0)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "m.db")], check=True, timeout=30)
    with Memory.open(tmp_path / "m.db", embedder=None) as memory:
        assert sorted(m.text for m in memory.messages(user_id="ada")) == ["from False", "from True", "parent"]


def test_a_script_that_forgets_to_close_still_ends(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom jiyi import Memory\nMemory.open(sys.argv[1], embedder=None).remember('x', user_id='ada')\n"
    )
    start = time.monotonic()
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "m.db")], check=True, timeout=30)
    assert time.monotonic() - start < 20
