from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from jiyi import JiyiError, Memory, StoreError, inline, lane
from jiyi.stores import log
from jiyi.stores.sqlite import SqliteStore
from jiyi.stores.writer import Writer


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """One whose worker does not write meanwhile."""
    monkeypatch.setattr(lane, "LINGER", 60)
    with Memory.open(tmp_path / "m.db", embedder=None) as memory:
        while memory.inner.worker._own._asleep is None:  # pyright: ignore[reportPrivateUsage]
            time.sleep(0.001)
        yield memory


def writer_of(memory: Memory) -> Writer:
    store = memory.inner.store  # pyright: ignore[reportPrivateUsage]
    assert isinstance(store, SqliteStore)
    return store._writer  # pyright: ignore[reportPrivateUsage]


def texts(path: Path) -> list[str]:
    with Memory.open(path, embedder=None) as memory:
        return [message.text for message in memory.messages(user_id="ada")]


def test_a_message_is_committed_on_the_thread_that_adds_it(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []
    append = log.append

    def noted(*given: Any) -> Any:
        threads.append(threading.get_ident())
        return append(*given)

    monkeypatch.setattr(log, "append", noted)
    chat = memory.session("s", user_id="ada")
    chat.add("user", "hello")
    chat.add_many([{"role": "user", "content": "more"}])
    memory.remember("most", user_id="ada")
    assert threads == [threading.get_ident()] * 3


def test_it_waits_for_those_who_came_before(memory: Memory) -> None:
    begun, go = threading.Event(), threading.Event()

    def slow(_: sqlite3.Connection) -> None:
        begun.set()
        go.wait(10)

    writer = writer_of(memory)
    before = writer.submit(slow)
    assert begun.wait(10)
    adding = threading.Thread(target=lambda: memory.remember("after", user_id="ada"))
    adding.start()
    adding.join(0.1)
    assert adding.is_alive() and not memory.messages(user_id="ada")
    go.set()
    adding.join(10)
    before.result(10)
    assert [message.text for message in memory.messages(user_id="ada")] == ["after"]
    threads: list[int] = []
    writer.run(lambda _: threads.append(threading.get_ident()))  # the queue is empty again
    assert threads == [threading.get_ident()]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_ctrl_c_in_the_middle_leaves_nothing_open(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    append = log.append

    def interrupted(*given: Any) -> Any:
        if moment == "after":
            append(*given)
        raise KeyboardInterrupt

    chat = memory.session("s", user_id="ada")
    chat.add("user", "one")
    with monkeypatch.context() as patch:
        patch.setattr(log, "append", interrupted)
        with pytest.raises(KeyboardInterrupt):
            chat.add("user", "never said")
    other = sqlite3.connect(tmp_path / "m.db", timeout=0.1)
    other.execute("BEGIN IMMEDIATE")  # nobody holds the lock
    other.execute("ROLLBACK")
    other.close()
    chat.add("user", "two")
    assert [(message.seq, message.text) for message in chat.messages()] == [(1, "one"), (2, "two")]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")  # interrupted before its first step
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # one that hits a finalizer goes nowhere
def test_ctrl_c_at_any_time_loses_nothing_acknowledged(tmp_path: Path) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    acknowledged: list[str] = []
    interruptions = 0
    memory = Memory.open(tmp_path / "m.db", embedder=None)
    chat = memory.session("s", user_id="ada")
    usual = signal.signal(signal.SIGALRM, interrupt)
    try:
        until, at = time.monotonic() + 1, 0
        while time.monotonic() < until and interruptions < 60:
            try:
                # again and again: an interrupt that hits a finalizer is swallowed by Python
                signal.setitimer(signal.ITIMER_REAL, 0.0003 + at % 17 * 0.0002, 0.05)
                while time.monotonic() < until:
                    text = f"m{(at := at + 1)}"
                    chat.add("user", text)
                    acknowledged.append(text)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                interruptions += 1
            signal.setitimer(signal.ITIMER_REAL, 0)
            other = sqlite3.connect(tmp_path / "m.db", timeout=5)
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")
            other.close()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)
    assert not inline.here()
    threads: list[int] = []  # no lock is left behind either
    while threading.get_ident() not in threads:
        assert len(threads) < 500
        writer_of(memory).run(lambda _: threads.append(threading.get_ident()))
        time.sleep(0.01)
    memory.close()
    stored = texts(tmp_path / "m.db")
    assert interruptions > 3
    assert set(acknowledged) <= set(stored)
    assert len(stored) == len(set(stored))


@pytest.mark.parametrize("call", [lambda memory: memory.remember("x", user_id="ada"), lambda memory: memory.close()])
def test_a_signal_handler_that_uses_the_memory_is_told_so(tmp_path: Path, call: Callable[[Memory], object]) -> None:
    class Interrupting:
        def now(self) -> datetime:
            if inline.here():
                call(memory)
            return datetime.now(UTC)

    with Memory.open(tmp_path / "m.db", embedder=None, clock=Interrupting()) as memory:
        chat = memory.session("s", user_id="ada")
        with pytest.raises(JiyiError, match="signal handler"):
            chat.add("user", "hello")
        assert not inline.here() and chat.messages() == []


def test_work_that_needs_a_loop_is_refused() -> None:
    class Never:
        def __await__(self) -> Any:
            yield

    async def waits() -> None:
        await Never()

    with pytest.raises(RuntimeError, match="waits"):
        inline.run(waits())
    assert not inline.here()


def test_closing_while_others_add_loses_nothing_acknowledged(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path / "m.db", embedder=None)
    acknowledged: list[str] = []
    wrong: list[BaseException] = []

    def add(name: int) -> None:
        chat = memory.session(f"s{name}", user_id="ada")
        try:
            for at in range(10_000):
                acknowledged.append(chat.add("user", f"{name}-{at}").text)
        except StoreError as error:
            assert "was closed" in str(error)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=add, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    while len(acknowledged) < 20:
        time.sleep(0.001)
    memory.close()
    for thread in threads:
        thread.join(10)
    assert not wrong
    assert set(acknowledged) <= set(texts(tmp_path / "m.db"))


def test_the_worker_hears_of_it(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane, "LINGER", 0.01)
    chat = memory.session("s", user_id="ada")
    time.sleep(0.3)  # asleep by now
    chat.add("user", "hello")
    until = time.monotonic() + 10
    while any(step.done < step.total for step in memory.progress()):
        assert time.monotonic() < until
        time.sleep(0.02)


def test_threads_share_what_is_off_the_record(memory: Memory) -> None:
    chat = memory.session("s", user_id="ada", off_record=True)
    threads = [
        threading.Thread(target=lambda n=n: [chat.add("user", f"{n}-{i}") for i in range(200)]) for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [message.position for message in chat.messages()] == list(range(1, 801))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_is_told_to_open_its_own(tmp_path: Path) -> None:
    script = (
        "import os, sys, warnings; warnings.simplefilter('ignore')\n"
        "from jiyi import Memory, StoreError\n"
        "m = Memory.open(sys.argv[1], embedder=None); chat = m.session('s', user_id='ada'); chat.add('user', 'one')\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    try: chat.add('user', 'two')\n"
        "    except StoreError as error: os._exit(0 if 'forked' in str(error) else 1)\n"
        "    os._exit(2)\n"
        "assert os.waitpid(pid, 0)[1] == 0\n"
        "chat.add('user', 'three'); m.close()\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "m.db")], check=True, timeout=30)
    assert texts(tmp_path / "m.db") == ["one", "three"]
