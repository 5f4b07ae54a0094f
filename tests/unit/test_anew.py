"""Records are derived anew after an erasure, by ``rebuild`` and by a new version; what failed is listed and retried."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from jiyi import Importance
from jiyi.engine import AsyncMemory
from jiyi.errors import ModelError, ModelUnavailable, StoreError
from jiyi.ports import Batch
from jiyi.testing.clock import FakeClock
from jiyi.testing.scripted import ScriptedLLM
from jiyi.types import Changes, Record, Source, Step
from tests.unit.test_lanes import FILL, rated

RATING = Importance(recent=1, by_model=True)


class Gists:
    """What was said in four messages, with the gist before it: a rolling summary in the small."""

    asks_llm = False
    batch_size = 4

    def __init__(self, version: str = "1") -> None:
        self.step = Step("gists", version, stride=4)
        self.broken = ""
        self.batches: list[str] = []

    async def derive(self, batch: Batch) -> Changes:
        texts = [message.text for message in batch.messages]
        self.batches.append(" ".join(texts))
        if self.broken and self.broken in texts:
            raise ModelError(f"cannot read {self.broken}")
        if not texts:
            return Changes(batch.cursor)
        first, known = batch.messages[0].recorded_at, await batch.records(kind="gist")
        assert first is not None
        before = [gist for gist in known if gist.recorded_at and gist.recorded_at < first][-1:]  # its own may be there
        old = before[0].text if before else ""
        sources = [Source(message.id) for message in batch.messages]
        sources += before[0].sources if before else ()  # it repeats their words
        text = f"{old[-12:]}>{' '.join(texts)} v{self.step.version}"
        record = Record(
            f"gist:{batch.cursor}", "gist", text, self.step.name, self.step.version, tuple(sources),
            recorded_at=batch.messages[-1].recorded_at,
        )  # fmt: skip
        return Changes(batch.cursor, put=(record,))


@pytest.fixture
async def memory(clock: FakeClock, tmp_path: Path) -> AsyncIterator[AsyncMemory]:
    path = tmp_path / "m.db"
    async with await AsyncMemory.open(path, recipe="casual", embedder=None, clock=clock) as memory:
        yield memory


async def say(memory: AsyncMemory, clock: FakeClock, words: str) -> list[str]:
    """Says each word in a message; gives back their ids."""
    chat, ids = memory.session("s", user_id="ada"), list[str]()
    for word in words.split():
        ids.append((await chat.add("user", word)).id)
        clock.advance(1)
        await memory.drain()  # one by one, as people talk
    return ids


async def gists(memory: AsyncMemory) -> list[str]:
    return [record.text for record in await memory.store.records(memory.scope("ada"), kind="gist")]


async def test_batches_are_the_same_however_they_came_and_in_a_rebuild(memory: AsyncMemory, clock: FakeClock) -> None:
    deriver = Gists()
    await memory.worker.add(deriver)
    await say(memory, clock, "a b c d e f g h i")
    first = await gists(memory)
    assert first == [">a b c d v1", ">a b c d v1>e f g h v1"]
    assert deriver.batches == ["a b c d", "e f g h"], "the ninth waits for three more"
    await memory.rebuild(["gists"])
    assert await gists(memory) == first
    assert deriver.batches == ["a b c d", "e f g h"] * 2


async def test_an_erasure_has_what_is_left_derived_again(memory: AsyncMemory, clock: FakeClock) -> None:
    deriver = Gists()
    await memory.worker.add(deriver)
    ids = await say(memory, clock, "a b c d e f g h i j k l")
    await memory.forget(user_id="ada", message_ids=[ids[5]])
    assert await gists(memory) == [">a b c d v1"], "nothing that rests on what is gone, not even through another gist"
    await memory.drain()
    assert deriver.batches[3:] == ["a b c d", "e g h", "i j k l"], "whatever the two that went rested on"
    again = await gists(memory)
    assert len(again) == 3 and "f" not in "".join(again)
    await memory.rebuild(["gists"])
    assert await gists(memory) == again


async def test_a_new_version_takes_the_place_of_the_old_when_it_has_caught_up(
    memory: AsyncMemory, clock: FakeClock
) -> None:
    await memory.worker.add(Gists())
    await say(memory, clock, "a b c d e f g h")
    old, new = await gists(memory), Gists("2")
    seen: list[list[str]] = []
    await memory.worker.stop()
    del memory.worker._own.derivers[Gists().step]  # as a program with the new version has it
    await memory.worker.add(new)
    while await memory.worker.work():
        seen.append(await gists(memory))
    assert seen == [old, [">a b c d v2", ">a b c d v2>e f g h v2"]]


async def test_what_fails_is_listed_blocks_nothing_and_can_be_tried_again(
    memory: AsyncMemory, clock: FakeClock
) -> None:
    deriver = Gists()
    await memory.worker.add(deriver)
    deriver.broken = "c"
    ids = await say(memory, clock, "a b c d e f g h")
    await memory.worker.stop()
    for _ in range(40):
        clock.advance(700)
        await memory.drain()
    (failure,) = await memory.failures()
    assert (failure.scope.user, failure.step, failure.message_id) == ("ada", "gists", ids[2])
    assert failure.reason == "ModelError: cannot read c"
    assert await memory.failures("bob") == []
    (step,) = [step for step in await memory.progress() if step.step.name == "gists"]
    assert (step.done, step.total, step.failed, step.errors) == (8, 8, 1, ())
    assert any("e f g h" in text for text in await gists(memory))
    deriver.broken = ""
    assert await memory.retry(user_id="bob") == 0
    assert await memory.retry(["gists"]) == 1
    await memory.drain()
    assert deriver.batches[-1] == "a b c d" and await memory.failures() == []


async def test_a_rebuild_that_cannot_be_finished_says_so_and_keeps_what_was(
    memory: AsyncMemory, clock: FakeClock
) -> None:
    deriver = Gists()
    await memory.worker.add(deriver)
    await say(memory, clock, "a b c d e f g h")
    before = await gists(memory)
    deriver.broken = "g"
    with pytest.raises(StoreError, match="gists failed: ModelError: cannot read g"):
        await memory.rebuild(["gists"])
    assert await gists(memory) == before
    deriver.broken = ""
    clock.advance(700)
    await memory.drain()
    assert await gists(memory) == before
    with pytest.raises(ValueError, match="there is no 'gist' here"):
        await memory.rebuild(["gist"])


async def test_a_rebuild_gives_the_same_index(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, clock, "copper lamp bridge")
    before = await memory.search("copper", user_id="ada", floor=0)
    await memory.rebuild()
    assert await memory.search("copper", user_id="ada", floor=0) == before
    assert (await memory.stats()).indexed == 3


async def test_ratings_are_rebuilt_and_what_is_rated_is_not_asked_again(clock: FakeClock, tmp_path: Path) -> None:
    down = [ModelUnavailable("down")]
    llm = ScriptedLLM(lambda call: down.pop() if down else rated(call))
    path = tmp_path / "r.db"
    async with await AsyncMemory.open(path, recipe=[RATING], embedder=None, clock=clock, memory_llm=llm) as memory:
        chat = memory.session("s", user_id="ada")
        for at in range(FILL * 2 + 3):
            await chat.add("user", f"The table costs {at} dollars.")
        await memory.drain()
        clock.advance(60)
        await memory.drain()
        records = await memory.store.records(memory.scope("ada"))
        assert len(records) == 2 * FILL and len(llm.calls) == 3, "a call for sixteen messages, and one that failed"
        await memory.rebuild(["importance"])
        assert await memory.store.records(memory.scope("ada")) == records
        calls = len(llm.calls)
        rating = memory.worker._asking.derivers[Step("importance", "1", stride=16)]
        messages = tuple((await chat.messages())[:FILL])
        store, scope = memory.store, memory.scope("ada")

        async def known(**which: object) -> list[Record]:
            return await store.records(scope, **which)  # type: ignore[arg-type]

        fresh = replace(messages[0], id="new")
        changes = await rating.derive(Batch(scope, (*messages, fresh), FILL, known))
        assert [record.id for record in changes.put] == ["importance:new"]
        assert len(llm.calls) == calls + 1 and len(llm.calls[-1].last.splitlines()) == 1


async def test_two_workers_rebuild_each_stride_once(clock: FakeClock, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with (
        await AsyncMemory.open(path, recipe="casual", embedder=None, clock=clock) as one,
        await AsyncMemory.open(path, recipe="casual", embedder=None, clock=clock) as two,
    ):
        derivers = Gists(), Gists()
        for memory, deriver in zip((one, two), derivers, strict=True):
            await memory.worker.stop()
            await memory.worker.add(deriver)
        chat = one.session("s", user_id="ada")
        for at in range(40):
            await chat.add("user", f"w{at}")
            clock.advance(1)
        await asyncio.gather(one.drain(), two.drain())
        before = await gists(one)
        await one.store.rebuild([derivers[0].step])
        await asyncio.gather(one.drain(), two.drain())
        assert await gists(two) == before
        batches = derivers[0].batches + derivers[1].batches
        assert len(batches) == 20 and len(set(batches)) == 10
