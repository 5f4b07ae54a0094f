"""A chat model that is slow or silent is in nobody's way: not in that of the indexes, of other users, of ``close``."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import threading
import time
from collections.abc import AsyncIterator

import pytest

from jiyi import Importance, Memory
from jiyi.engine import AsyncMemory
from jiyi.ports import Batch
from jiyi.testing.clock import FakeClock
from jiyi.testing.scripted import Call, ScriptedLLM, Streamed
from jiyi.types import Changes, Step

FILL = 16  # messages that the rating asks about together
RATING = Importance(recent=1, by_model=True)


def rated(call: Call) -> str:
    count = len(call.last.splitlines())
    return json.dumps({"ratings": [{"number": n, "importance": 9} for n in range(1, count + 1)]})


async def say(memory: AsyncMemory, user: str, text: str) -> None:
    """As many messages as are rated together, one of which says this."""
    chat = memory.session("s", user_id=user)
    await chat.add("user", text)
    for at in range(FILL - 1):
        await chat.add("user", f"The table costs {at} dollars.")


class Hanging(ScriptedLLM):
    """Says nothing more once a certain text is asked about."""

    def __init__(self, text: str) -> None:
        super().__init__(lambda call: Streamed(hangs=True) if text in call.last else rated(call))


@pytest.fixture
async def memory(clock: FakeClock) -> AsyncIterator[AsyncMemory]:
    llm = Hanging("velvet")
    async with await AsyncMemory.open("memory:", recipe=[RATING], embedder=None, memory_llm=llm, clock=clock) as memory:
        yield memory


async def done(memory: AsyncMemory) -> dict[str, int]:
    return {step.step.name: step.done for step in await memory.progress()}


async def until(memory: AsyncMemory, **steps: int) -> None:
    async with asyncio.timeout(10):
        while not steps.items() <= (await done(memory)).items():  # noqa: ASYNC110 - what another task does
            await asyncio.sleep(0.01)


async def test_indexing_goes_on_while_the_model_is_silent(memory: AsyncMemory) -> None:
    await say(memory, "ada", "The velvet curtain is for room 12.")
    await until(memory, lexical=FILL)
    await asyncio.sleep(0.3)  # the model is being asked now
    await memory.session("s", user_id="ada").add("user", "The marble table is for room 7.")
    await until(memory, lexical=FILL + 1)
    assert (await done(memory))["importance"] == 1, "the one that waits for fifteen others"
    assert (await memory.search("marble table", user_id="ada", floor=0))[0].message.text.startswith("The marble")


async def test_what_is_waited_for_can_be_chosen(memory: AsyncMemory) -> None:
    await say(memory, "ada", "The velvet curtain is for room 12.")
    async with asyncio.timeout(5):
        await memory.drain(steps=["lexical"])
        await memory.reindex()
    with pytest.raises(ValueError, match="there is no 'vectors' here; there are lexical, importance"):
        await memory.drain(steps=["vectors"])


async def test_close_does_not_wait_for_the_model(clock: FakeClock) -> None:
    llm = Hanging("")
    memory = await AsyncMemory.open("memory:", recipe=[RATING], embedder=None, memory_llm=llm, clock=clock)
    await say(memory, "ada", "My budget is 500.")
    async with asyncio.timeout(10):
        while not llm.calls:  # noqa: ASYNC110 - what another task does
            await asyncio.sleep(0.01)
    began = time.monotonic()
    await memory.close()
    assert time.monotonic() - began < 2
    assert llm.calls[0].ended == "closed"


async def test_another_user_waits_no_longer_than_the_limit(
    memory: AsyncMemory, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jiyi.lane.LIMIT", 0.3)
    await say(memory, "ada", "The velvet curtain costs 300 dollars.")
    clock.advance(1)
    await say(memory, "bob", "My budget is 500 dollars.")
    async with asyncio.timeout(5):
        await memory.drain()
    steps = {
        scope: (await memory.store.progress(memory.worker.steps, memory.scope(scope)))[1] for scope in ("ada", "bob")
    }
    assert (steps["bob"].done, steps["ada"].done) == (FILL, 0)
    assert "not done after" in steps["ada"].errors[0]


async def test_who_waits_longest_is_served_first_whatever_the_step(memory: AsyncMemory, clock: FakeClock) -> None:
    order: list[tuple[str, str]] = []

    class Notes:
        batch_size = 1
        asks_llm = True

        def __init__(self, name: str) -> None:
            self.step = Step(name, "1")

        async def derive(self, batch: Batch) -> Changes:
            order.append((self.step.name, batch.scope.user))
            return Changes(batch.cursor)

    await memory.worker.stop()
    for name in ("notes", "facts"):
        await memory.worker.add(Notes(name))
    for user in ("ada", "bob"):
        await memory.session("s", user_id=user).add("user", "hello")
        clock.advance(1)
    await memory.drain(steps=["notes", "facts"])
    assert order == [("notes", "ada"), ("facts", "ada"), ("notes", "bob"), ("facts", "bob")]


class Stubborn:
    """A deriver that goes on although it is cancelled."""

    step = Step("stubborn", "1")
    batch_size = 1
    asks_llm = True

    def __init__(self) -> None:
        self.free = asyncio.Event()
        self.tasks: list[asyncio.Task[object] | None] = []

    async def derive(self, batch: Batch) -> Changes:
        self.tasks.append(asyncio.current_task())
        until = asyncio.get_running_loop().time() + 3
        while not self.free.is_set() and asyncio.get_running_loop().time() < until:
            try:
                await asyncio.sleep(0.02)
            except asyncio.CancelledError:
                continue
        return Changes(batch.cursor)


@pytest.mark.parametrize("way", ["close", "cancelled drain", "limit"])
async def test_what_does_not_end_when_cancelled_is_left_alone(
    memory: AsyncMemory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, way: str
) -> None:
    monkeypatch.setattr("jiyi.lane.LET_GO", 0.1)
    monkeypatch.setattr("jiyi.lane.LIMIT", 0.2 if way == "limit" else 60)
    caplog.set_level(logging.WARNING)
    stubborn = Stubborn()
    await memory.worker.add(stubborn)
    await memory.session("s", user_id="ada").add("user", "hello")
    async with asyncio.timeout(5):
        if way == "close":
            await asyncio.sleep(0.4)
            await memory.worker.stop()
        else:
            await memory.worker.stop()
            draining = asyncio.create_task(memory.drain())
            await asyncio.sleep(0.1)
            if way != "limit":
                draining.cancel()
            await asyncio.gather(draining, return_exceptions=True)
        assert "left alone" in caplog.text
    progress = (await memory.store.progress([stubborn.step]))[0]
    assert progress.done == 0 and bool(progress.errors) == (way == "limit")
    claim = await memory.store.claim([stubborn.step], now=memory.clock.now(), lease=9)
    assert (claim is None) == (way == "limit"), "the lease was given back; after a failure it is not due yet"
    stubborn.free.set()
    await asyncio.gather(*(task for task in stubborn.tasks if task))
    assert (await memory.store.progress([stubborn.step]))[0].done == 0, "what comes late is not written"


def test_an_interrupt_ends_a_wait_for_the_model() -> None:
    memory = Memory.open("memory:", recipe=[RATING], embedder=None, memory_llm=Hanging(""))
    for at in range(FILL):
        memory.session("s", user_id="ada").add("user", f"My budget is {at}00.")
    main = threading.main_thread().ident
    assert main is not None
    threading.Timer(0.4, signal.pthread_kill, [main, signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        memory.drain()
    began = time.monotonic()
    memory.close()
    assert time.monotonic() - began < 2
