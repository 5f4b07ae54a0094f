"""Erasing the newest places that name something does not lose it where older messages name it."""

from __future__ import annotations

from pathlib import Path

import pytest

from jiyi import AsyncMemory, Entities, Facts, Graph, SlidingWindow
from jiyi.testing import FakeClock


async def known(memory: AsyncMemory) -> list[tuple[str, str, int]]:
    found = await memory.records(user_id="ada", current=None)
    return sorted((one.id, one.text, len(one.sources)) for one in found)


@pytest.mark.parametrize("store", ["memory:", "jiyi.db"])
@pytest.mark.parametrize("by", ["session", "messages"])
async def test_what_only_older_messages_still_say_is_found_again(
    clock: FakeClock, tmp_path: Path, store: str, by: str
) -> None:
    path = store if store == "memory:" else str(tmp_path / store)
    recipe = [Entities(), Graph(), SlidingWindow(2)]
    async with await AsyncMemory.open(path, recipe=recipe, embedder=None, clock=clock) as memory:
        for name, count in (("first", 1), ("middle", 30), ("last", 30)):
            chat = memory.session(name, user_id="ada")
            for number in range(count):
                clock.advance(60)
                await chat.add("user", f"Bob Miller works at Alder, day {number}. I live in Porto.")
        await memory.drain()
        for name in ("last", "first"):
            if by == "session":
                await memory.forget(user_id="ada", session_id=name)
            else:
                ids = [one.id for one in await memory.session(name, user_id="ada").messages()]
                await memory.forget(user_id="ada", message_ids=ids)
            await memory.drain()
        found = await known(memory)
        assert {"Bob Miller", "Alder"} <= {one.name for one in await memory.entities(user_id="ada")}
        await memory.rebuild()
        await memory.drain()
        assert await known(memory) == found, "as if it had never been said"


@pytest.mark.parametrize("order", [("last", "first"), ("first", "last")])
@pytest.mark.parametrize("text", ["I live in Porto.", "我住在波尔图。"])
async def test_a_fact_that_only_older_messages_still_say_is_found_again(
    clock: FakeClock, text: str, order: tuple[str, str]
) -> None:
    async with await AsyncMemory.open("memory:", recipe=[Facts()], embedder=None, clock=clock) as memory:
        for name, count in (("first", 1), ("middle", 50), ("last", 49)):
            chat = memory.session(name, user_id="ada")
            for _ in range(count):
                clock.advance(60)
                await chat.add("user", text)
            await memory.drain()
        for name in order:
            await memory.forget(user_id="ada", session_id=name)
            await memory.drain()
        assert [(one.text, len(one.sources)) for one in await memory.records(user_id="ada")] == [(text[:-1], 12)]
