"""Facts and notes that were neither said nor used for long go; pinned ones and what people touched stay."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from jiyi import AsyncMemory, SlidingWindow
from jiyi.errors import InvalidInput
from jiyi.ports import LLM, Batch, Request
from jiyi.testing import FakeClock
from jiyi.types import Block, Changes, Item, Record, Source, Step
from tests.conftest import OpenMemory

DAY = 24 * 3600


class Facts:
    """A strategy with a record for each message: of the kind that its first word names; ``pin`` pins it."""

    name = "plain"
    window = False

    def derivers(self, llm: LLM | None) -> Sequence[Facts]:
        return [self]

    step = Step("plain", "1")
    batch_size = 4
    asks_llm = False

    async def derive(self, batch: Batch) -> Changes:
        made = tuple(
            Record(
                f"r:{message.text.split()[1]}",
                message.text.split()[0],
                message.text,
                self.step.name,
                self.step.version,
                (Source(message.id),),
                pinned="pin" in message.text,
                recorded_at=message.recorded_at,
                said_at=message.created_at,
            )
            for message in batch.messages
            if message.text.split()[0] in ("fact", "note", "summary")
        )
        return Changes(batch.cursor, put=made)

    async def recall(self, request: Request) -> list[Block]:
        """Shows the records that the question names."""
        found = [r for r in await request.reader.records() if r.id.removeprefix("r:") in request.query]
        items = tuple(Item((), text=record.text, records=(record.id,)) for record in found)
        return [Block(self.name, "memory", items)] if items else []


async def talk(open_memory: OpenMemory, *texts: str, **options: object) -> AsyncMemory:
    memory = await open_memory(recipe=[Facts(), SlidingWindow(2)], **options)
    for text in texts:
        await memory.session("s", user_id="ada").add("user", text)
    await memory.drain()
    await memory.worker.stop()
    return memory


async def left(memory: AsyncMemory, user: str = "ada") -> list[str]:
    return sorted(record.id for record in await memory.store.records(memory.scope(user), current=None))


def ids(records: Sequence[Record]) -> list[str]:
    return sorted(record.id for record in records)


async def test_what_nobody_said_or_used_for_long_goes(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await talk(open_memory, "fact old", "note old2", "summary stays", "fact pin stays")
    clock.advance(170 * DAY)
    await memory.session("s", user_id="ada").add("user", "fact new")
    await memory.drain()
    clock.advance(11 * DAY)
    there = await left(memory)
    assert ids(await memory.expire("ada", days=180, dry_run=True)) == ["r:old", "r:old2"]
    assert await left(memory) == there, "a dry run changes nothing"
    assert await memory.expire("bob", days=180) == []
    assert ids(await memory.expire(days=180)) == ["r:old", "r:old2"]
    assert await left(memory) == sorted(set(there) - {"r:old", "r:old2"})
    assert len(await memory.messages(user_id="ada")) == 5, "no message goes"
    assert await memory.expire(days=180) == []


async def test_what_a_context_showed_is_used(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await talk(open_memory, "fact budget", "fact other")
    clock.advance(100 * DAY)
    context = await memory.session("t", user_id="ada").context("what about the budget?")
    assert context.records == ["r:budget"]
    (record,) = await memory.store.records(memory.scope("ada"), ids=["r:budget"])
    assert record.used == 0, "nothing is written while a context is made"
    clock.advance(100 * DAY)
    assert ids(await memory.expire(days=180)) == ["r:other"]
    (record,) = await memory.store.records(memory.scope("ada"))
    assert (record.used, record.used_at) == (1, clock.now() - timedelta(days=100))


async def test_use_is_written_when_the_memory_closes(open_memory: OpenMemory, url: str) -> None:
    if url == "memory:":
        pytest.skip("is gone with the process")
    memory = await talk(open_memory, "fact budget")
    for _ in range(3):
        await memory.session("t", user_id="ada").context("the budget")
    await memory.close()
    again = await talk(open_memory)
    (record,) = await again.store.records(again.scope("ada"))
    assert record.used == 3


async def test_what_was_imported_lately_is_not_old(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=[Facts(), SlidingWindow(2)])
    ago = clock.now() - timedelta(days=900)
    await memory.session("s", user_id="ada").add("user", "fact old", created_at=ago)
    await memory.drain()
    assert await memory.expire(days=180) == []
    clock.advance(181 * DAY)
    assert ids(await memory.expire(days=180)) == ["r:old"]


async def test_said_again_stays(open_memory: OpenMemory, clock: FakeClock) -> None:
    """A record that rests on an old message and on a new one."""
    memory = await talk(open_memory, "fact budget")
    clock.advance(179 * DAY)
    new = await memory.session("s", user_id="ada").add("user", "the budget again")
    (record,) = await memory.store.records(memory.scope("ada"))

    class Confirms:
        step = Step("confirms", "1")
        batch_size = 10
        asks_llm = False

        async def derive(self, batch: Batch) -> Changes:
            again = Record(
                record.id, record.kind, record.text, "confirms", "1", (*record.sources, Source(new.id)),
                recorded_at=record.recorded_at, said_at=record.said_at,
            )  # fmt: skip
            return Changes(batch.cursor, put=(again,))

    await memory.worker.add(Confirms())
    await memory.drain()
    clock.advance(2 * DAY)
    assert await memory.expire(days=180) == []


async def test_after_a_rebuild_it_goes_again_and_use_is_kept(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await talk(open_memory, "fact old", "fact budget")
    clock.advance(170 * DAY)
    await memory.session("t", user_id="ada").context("the budget")
    clock.advance(20 * DAY)
    assert ids(await memory.expire(days=180)) == ["r:old"]
    await memory.rebuild()
    assert await left(memory) == ["r:budget", "r:old"]
    assert ids(await memory.expire(days=180)) == ["r:old"]


async def test_what_a_person_ordered_anything_about_stays(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await talk(open_memory, "fact old", "fact confirmed", "note pinned", "fact wrong")
    await memory.confirm("r:confirmed", user_id="ada")
    await memory.pin("r:pinned", user_id="ada")
    await memory.correct("r:wrong", "fact right", user_id="ada")
    clock.advance(181 * DAY)
    assert ids(await memory.expire(days=180)) == ["r:old"]


async def test_the_worker_does_it_once_a_day(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await talk(open_memory, "fact old", expire_days=180)
    for user in ("bob", "eve"):
        await memory.session("s", user_id=user).add("user", "fact old")
    await memory.drain()
    clock.advance(180 * DAY + 1)
    looked = 0
    while await memory._expire_next():  # pyright: ignore[reportPrivateUsage]
        looked += 1
    assert looked == 2, "one user at a time, so that nothing waits long"
    assert [await left(memory, user) for user in ("ada", "bob", "eve")] == [[], [], []]
    await memory.rebuild()
    assert not await memory._expire_next()  # pyright: ignore[reportPrivateUsage]
    assert await left(memory) == ["r:old"], "not twice on one day"
    clock.advance(DAY)
    while await memory._expire_next():  # pyright: ignore[reportPrivateUsage]
        pass
    assert await left(memory) == []


@pytest.mark.parametrize("days", [800_000, 10**12])
async def test_more_days_than_there_were_are_never(open_memory: OpenMemory, clock: FakeClock, days: int) -> None:
    memory = await talk(open_memory, "fact tea", expire_days=days)
    clock.advance(900 * DAY)
    assert await memory.expire() == []
    assert await left(memory) == ["r:tea"]


async def test_it_is_off_unless_days_are_given(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await talk(open_memory, "fact old")
    clock.advance(9_000 * DAY)
    assert not await memory._expire_next()  # pyright: ignore[reportPrivateUsage]
    assert await left(memory) == ["r:old"]
    with pytest.raises(InvalidInput, match="JIYI_EXPIRE_DAYS") as caught:
        await memory.expire("ada")
    assert caught.value.field == "days"


@pytest.mark.parametrize("wrong", [0, -1, "many", True])
async def test_wrong_days_are_refused(open_memory: OpenMemory, wrong: object) -> None:
    memory = await open_memory()
    with pytest.raises(InvalidInput) as caught:
        await memory.expire("ada", days=wrong)  # type: ignore[arg-type]
    assert caught.value.field == "days"
