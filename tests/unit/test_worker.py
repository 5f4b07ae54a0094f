from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from jiyi.clock import SystemClock
from jiyi.errors import Conflict, InvalidInput, StoreBusy
from jiyi.ports import Batch, Store
from jiyi.stores.memory import MemoryStore
from jiyi.stores.sqlite import SqliteStore
from jiyi.testing.clock import FakeClock
from jiyi.types import Changes, Claim, Filter, Message, Scope, Step
from jiyi.worker import Worker

SCOPE = Scope("ada")


class Recorder:
    """A deriver that notes what it is given, and fails where it is told to."""

    asks_llm = False

    def __init__(self, batch_size: int = 10, bad: frozenset[str] = frozenset(), name: str = "notes") -> None:
        self.step = Step(name, "1")
        self.batch_size = batch_size
        self.bad = bad
        self.seen: list[str] = []
        self.hold: asyncio.Event | None = None

    async def derive(self, batch: Batch) -> Changes:
        if self.hold is not None:
            await self.hold.wait()
        if any(message.text in self.bad for message in batch.messages):
            raise RuntimeError("cannot read this")
        self.seen += [message.text for message in batch.messages]
        return Changes(cursor=batch.cursor)


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path):
    store: Store = await (MemoryStore.open() if request.param == "memory" else SqliteStore.open(tmp_path / "w.db"))
    yield store
    await store.close()


async def write(store: Store, clock: FakeClock, count: int) -> list[str]:
    texts = [f"line {i}" for i in range(count)]
    messages = [
        Message(f"m{i}", "s", "user", t, digest=f"{i:032x}", recorded_at=clock.now()) for i, t in enumerate(texts)
    ]
    await store.append(SCOPE, "s", messages)
    return texts


async def test_drain_derives_everything_in_order_once(store: Store, clock: FakeClock) -> None:
    deriver = Recorder(batch_size=3)
    worker = Worker(store, [deriver], clock)
    await worker.start()
    texts = await write(store, clock, 10)
    await worker.drain()
    assert deriver.seen == texts
    await worker.drain()
    assert deriver.seen == texts
    await worker.stop()


@pytest.mark.parametrize("bad", ["line 0", "line 4", "line 9"])
async def test_one_bad_message_is_passed_over_and_blocks_nothing(store: Store, clock: FakeClock, bad: str) -> None:
    deriver = Recorder(batch_size=8, bad=frozenset([bad]))
    worker = Worker(store, [deriver], clock)
    await store.register([deriver.step])
    texts = await write(store, clock, 10)
    for _ in range(60):
        while await worker.work():
            pass
        clock.advance(600)
    assert deriver.seen == [text for text in texts if text != bad]
    assert (await store.cursors(SCOPE, [deriver.step]))[deriver.step.name] == 10


async def test_an_outage_passes_nothing_over(store: Store, clock: FakeClock) -> None:
    deriver = Recorder(batch_size=1)
    worker, derive = Worker(store, [deriver], clock), deriver.derive
    await store.register([deriver.step])
    texts = await write(store, clock, 3)

    async def down(batch: Batch) -> Changes:
        raise ConnectionError("no route to the model")

    deriver.derive = down  # type: ignore[method-assign]
    for _ in range(40):
        await worker.work()
        clock.advance(700)
    deriver.derive = derive  # type: ignore[method-assign]
    while await worker.work():
        pass
    assert deriver.seen == texts


async def test_a_commit_that_fails_is_a_failure_like_any_other(store: Store, clock: FakeClock) -> None:
    deriver = Recorder()
    worker, commit = Worker(store, [deriver], clock), store.commit
    await store.register([deriver.step])
    await write(store, clock, 3)

    async def refuse(*args: object, **options: object) -> None:
        raise InvalidInput("vectors", "384 dimensions were stored, not 3")

    store.commit = refuse  # type: ignore[method-assign]
    assert await worker.work()
    assert "384" in (await store.progress([deriver.step]))[0].errors[0]
    await worker.start()
    await asyncio.sleep(0.02)
    await worker.stop()
    store.commit = commit  # type: ignore[method-assign]
    clock.advance(700)
    await worker.drain()
    assert (await store.cursors(SCOPE, [deriver.step]))[deriver.step.name] == 3


async def test_a_failure_waits_and_is_reported(store: Store, clock: FakeClock) -> None:
    deriver = Recorder(batch_size=8, bad=frozenset(["line 1"]))
    worker = Worker(store, [deriver], clock)
    await store.register([deriver.step])
    await write(store, clock, 3)
    assert await worker.work()
    assert not await worker.work(), "not due yet"
    progress = (await store.progress([deriver.step]))[0]
    assert progress.done == 0 and "cannot read this" in progress.errors[0]
    await worker.drain()


async def test_stop_gives_the_lease_back_at_once(store: Store, clock: FakeClock) -> None:
    slow = Recorder()
    slow.hold = asyncio.Event()
    worker = Worker(store, [slow], clock)
    await worker.start()
    texts = await write(store, clock, 5)
    worker.wake()
    await asyncio.sleep(0.05)
    await asyncio.wait_for(worker.stop(), 5)
    quick = Recorder()
    await asyncio.wait_for(Worker(store, [quick], clock).drain(), 5)
    assert quick.seen == texts and slow.seen == []


async def test_a_cancelled_drain_gives_the_lease_back(store: Store, clock: FakeClock) -> None:
    for pause in (0.0, 0.001, 0.003, 0.01):
        slow = Recorder(name=f"slow {pause}")
        slow.hold = asyncio.Event()
        await store.register([slow.step])
        await store.append(
            SCOPE, "s", [Message(f"x{pause}", "s", "user", "x", digest="0" * 32, recorded_at=clock.now())]
        )
        draining = asyncio.create_task(Worker(store, [slow], clock).drain())
        await asyncio.sleep(pause)
        draining.cancel()
        await asyncio.gather(draining, return_exceptions=True)
        claim = await store.claim([slow.step], now=clock.now(), lease=60)
        assert claim is not None, pause


async def test_a_lane_that_ends_first_leaves_the_other_the_time_to_tidy_up(store: Store, clock: FakeClock) -> None:
    quick, slow = Recorder(name="quick"), Recorder(name="slow")
    slow.asks_llm = True
    quick.hold = slow.hold = asyncio.Event()
    worker, release = Worker(store, [quick, slow], clock), store.release
    await store.register(worker.steps)
    await write(store, clock, 3)

    async def slowly(claim: Claim, **options: Any) -> None:
        await asyncio.sleep(0.05 if claim.step == slow.step else 0)
        await release(claim, **options)

    store.release = slowly  # type: ignore[method-assign]
    draining = asyncio.create_task(worker.drain())
    await asyncio.sleep(0.2)
    draining.cancel()
    await asyncio.gather(draining, return_exceptions=True)
    for step in worker.steps:
        assert await store.claim([step], now=clock.now(), lease=60) is not None, step.name


async def test_stopping_right_after_a_write_never_hangs(store: Store, clock: FakeClock) -> None:
    for i in range(30):
        worker = Worker(store, [Recorder()], clock)
        await worker.start()
        await store.append(SCOPE, "s", [Message(f"y{i}", "s", "user", "y", digest="0" * 32, recorded_at=clock.now())])
        worker.wake()
        await asyncio.sleep(0.0005 * (i % 4))
        await asyncio.wait_for(worker.stop(), 5)
    assert len(await store.messages(SCOPE, Filter())) == 30


async def test_two_workers_derive_each_message_once(store: Store, clock: FakeClock) -> None:
    one, two = Recorder(batch_size=2), Recorder(batch_size=2)
    await store.register([one.step])
    texts = await write(store, clock, 40)
    await asyncio.gather(Worker(store, [one], clock).drain(), Worker(store, [two], clock).drain())
    assert sorted(one.seen + two.seen) == sorted(texts)


async def test_a_slow_batch_is_derived_once_by_two_workers(store: Store, clock: FakeClock, monkeypatch) -> None:
    monkeypatch.setattr("jiyi.lane.LEASE", 0.4)
    monkeypatch.setattr("jiyi.lane.RENEWED", 0.1)

    class Slow(Recorder):
        async def derive(self, batch: Batch) -> Changes:
            await asyncio.sleep(1.2)
            return await super().derive(batch)

    one, two = Slow(), Slow()
    await store.register([one.step])
    texts = await write(store, clock, 3)
    real = SystemClock()
    await asyncio.wait_for(
        asyncio.gather(Worker(store, [one], real).drain(), Worker(store, [two], real).drain()), timeout=20
    )
    assert one.seen + two.seen == texts


async def test_a_program_that_ends_without_closing_is_told_nothing(
    store: Store, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    class Ending(Recorder):
        async def derive(self, batch: Batch) -> Changes:
            raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    worker = Worker(store, [Ending()], clock)
    await write(store, clock, 3)
    await worker.start()
    (task,) = (task for task in asyncio.all_tasks() if task.get_name() == "jiyi-worker")
    await asyncio.wait_for(task, 10)
    assert not caplog.records
    (progress,) = await store.progress(worker.steps)
    assert progress.done < progress.total and not progress.errors
    await worker.stop()
    later = Recorder()
    again = Worker(store, [later], clock)
    await again.start()
    await again.drain()
    assert len(later.seen) == 3, "nobody waits for a lease that the ended program held"
    await again.stop()


async def test_giving_a_message_up_without_the_lease_ends_no_drain(store: Store, clock: FakeClock) -> None:
    worker, commit = Worker(store, [Recorder(batch_size=1, bad=frozenset(["line 0"]))], clock), store.commit
    await store.register(worker.steps)
    await write(store, clock, 1)

    async def lost(claim: Claim, changes: Changes, **options: Any) -> None:
        if changes.failed:
            given_up.append(claim)
            raise Conflict("an erasure took the lease")
        await commit(claim, changes, **options)

    given_up: list[Claim] = []
    store.commit = lost  # type: ignore[method-assign]
    while not given_up:
        await worker.work()
        clock.advance(3600)


async def test_a_deriver_that_cancels_itself_has_failed(store: Store, clock: FakeClock) -> None:
    class Odd(Recorder):
        async def derive(self, batch: Batch) -> Changes:
            raise asyncio.CancelledError

    worker = Worker(store, [Odd()], clock)
    await store.register(worker.steps)
    await write(store, clock, 1)
    async with asyncio.timeout(5):
        await worker.drain()
    (progress,) = await store.progress(worker.steps)
    assert progress.done == 0 and "cancelled itself" in progress.errors[0]


async def test_a_renewal_that_fails_once_is_tried_again(store: Store, clock: FakeClock, monkeypatch) -> None:
    monkeypatch.setattr("jiyi.lane.RENEWED", 0.01)
    slow, renew, calls = Recorder(), store.renew, list[Claim]()
    slow.hold = asyncio.Event()

    async def busy(claim: Claim, **options: Any) -> bool:
        calls.append(claim)
        if len(calls) == 1:
            raise StoreBusy("locked")
        if len(calls) == 3:
            assert slow.hold is not None
            slow.hold.set()
        return await renew(claim, **options)

    store.renew = busy  # type: ignore[method-assign]
    worker = Worker(store, [slow], clock)
    await store.register(worker.steps)
    texts = await write(store, clock, 1)
    async with asyncio.timeout(5):
        await worker.drain()
    assert slow.seen == texts


async def test_who_lost_the_lease_ends_what_it_derives(store: Store, clock: FakeClock, monkeypatch) -> None:
    monkeypatch.setattr("jiyi.lane.RENEWED", 0.01)
    ended: list[str] = []

    class Asks(Recorder):
        async def derive(self, batch: Batch) -> Changes:
            if len(batch.messages) == 1:
                return await super().derive(batch)
            try:
                await store.forget(SCOPE, message_ids=["m0"])  # the renewal may notice before this returns
                await asyncio.sleep(60)  # a model reads what was erased
            except asyncio.CancelledError:
                ended.extend(message.id for message in batch.messages)
                raise
            return Changes(batch.cursor)

    deriver = Asks()
    worker = Worker(store, [deriver], clock)
    await store.register(worker.steps)
    await write(store, clock, 2)
    async with asyncio.timeout(5):
        await worker.drain()
    assert ended == ["m0", "m1"] and deriver.seen == ["line 1"]
