"""Snapshots follow from the log alone: whenever it is worked on, derived anew, or has lost messages."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi import AsyncMemory, ProfileSnapshot, SlidingWindow, Snapshot
from jiyi.config import Settings
from jiyi.past import LIMIT
from jiyi.testing import FakeClock
from jiyi.testing.strategy import START
from jiyi.types import Record

T = TypeVar("T")

TEXTS = [
    "I live in Lisbon.", "I moved to Porto.", "我住在上海。", "我搬到杭州了。", "I like jazz.", "I no longer like jazz.", "我喜欢爵士乐。",
    "I have to call the bank.", "I no longer have to call the bank.", "My birthday is 3 May.", "My birthday is 5 May.", "Thanks!",
    "My budget is 500 euros.", "My budget is now 800 euros.",
]  # fmt: skip
lines = st.lists(
    st.tuples(st.sampled_from(TEXTS), st.integers(0, 9) | st.none(), st.booleans()), min_size=1, max_size=14
)  # text, day, whether all is derived after it
Line = tuple[str, int | None, bool]


def remembered(said: Sequence[Line], then: Callable[[AsyncMemory], Awaitable[T]], *, drains: bool) -> T:
    """What a function makes of a memory in which this was said."""

    async def work() -> T:
        memory = await AsyncMemory.open(
            "memory:", recipe=[Snapshot(every=1), SlidingWindow(1)], clock=FakeClock(), embedder=None,
            tokenizer="estimate", settings=Settings(),
        )  # fmt: skip
        async with memory:
            await memory.worker.stop()  # it works when it is told to
            chat = memory.session("s", user_id="ada")
            for number, (text, day, drain) in enumerate(said):
                at = None if day is None else START + timedelta(days=day)
                await chat.add("user", text, created_at=at, message_id=f"m{number}")
                if drain and drains:
                    await memory.drain()
            await memory.drain()
            return await then(memory)

    return asyncio.run(work())


async def marks(memory: AsyncMemory) -> list[Record]:
    return await memory.store.records(memory.scope("ada"), kind="snapshot", current=None)


async def read(memory: AsyncMemory) -> tuple[list[Record], list[ProfileSnapshot]]:
    """The marks and what they stand for, without the ids of facts: these tell what was found first."""
    found = await memory.snapshots(user_id="ada")
    same = [tuple(replace(entry, record="", instead_of=()) for entry in one.entries) for one in found]
    return await marks(memory), [
        replace(one, entries=tuple(sorted(entries, key=repr))) for one, entries in zip(found, same, strict=True)
    ]


@settings(deadline=None, max_examples=40)
@given(lines)
def test_when_it_is_worked_on_makes_no_difference(said: list[Line]) -> None:
    made, found = remembered(said, read, drains=False)
    assert remembered(said, read, drains=True) == (made, found)

    async def anew(memory: AsyncMemory) -> tuple[list[Record], list[ProfileSnapshot]]:
        await memory.rebuild()
        return await read(memory)

    assert remembered(said, anew, drains=True) == (made, found)
    assert len(found) == len(said) // 2
    for one in found:
        assert len(one.entries) <= LIMIT and one.since(one).text == ""
        single = [(entry.subject, entry.attribute) for entry in one.entries if entry.attribute == "home"]
        assert len(single) <= 1, "one home at a time"


@settings(deadline=None, max_examples=40)
@given(lines, st.data())
def test_an_erased_message_leaves_no_trace(said: list[Line], data: st.DataObject) -> None:
    gone = {f"m{n}" for n in data.draw(st.sets(st.integers(0, len(said) - 1), min_size=1))}

    async def erased(memory: AsyncMemory) -> tuple[list[Record], list[ProfileSnapshot], list[ProfileSnapshot]]:
        await memory.forget(user_id="ada", message_ids=sorted(gone))
        await memory.drain()
        made, found = await read(memory)
        await memory.rebuild()
        return made, found, (await read(memory))[1]

    made, found, again = remembered(said, erased, drains=True)
    assert found == again
    assert not gone & {source.message_id for record in made for source in record.sources}
    assert not gone & {entry.message_id for one in found for entry in one.entries}


@settings(deadline=None, max_examples=40)
@given(lines)
def test_a_difference_leads_from_one_to_the_other(said: list[Line]) -> None:
    async def snapshots(memory: AsyncMemory) -> list[ProfileSnapshot]:
        return await memory.snapshots(user_id="ada")

    found = remembered(said, snapshots, drains=False)
    for older, newer in zip(found, found[1:], strict=False):
        changes = newer.since(older)
        left = {entry.record for entry in older.entries}
        left -= {entry.record for entry in changes.removed} | {before.record for before, _ in changes.changed}
        left |= {entry.record for entry in changes.added} | {now.record for _, now in changes.changed}
        assert left == {entry.record for entry in newer.entries}
        assert all(entry.since <= newer.at for entry in newer.entries)
