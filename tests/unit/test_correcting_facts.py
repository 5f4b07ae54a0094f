"""What people order about facts, with the facts that are really derived, by rules: in both languages."""

from __future__ import annotations

import pytest

from jiyi import AsyncMemory, KeyFacts, SlidingWindow
from jiyi.testing import FakeClock
from tests.conftest import OpenMemory
from tests.stating import texts

TALK = {
    "en": ("I live in Lisbon.", "I am allergic to penicillin.", "I live in Braga", "I live in Lisbon."),
    "zh": ("我住在里斯本。", "我对青霉素过敏。", "我住在波尔图", "我住在里斯本。"),
}


async def say(memory: AsyncMemory, clock: FakeClock, *said: str) -> None:
    for text in said:
        clock.advance(60)
        await memory.session("s1", user_id="ada").add("user", text)
    await memory.drain()


async def prompt(memory: AsyncMemory) -> str:
    chat = memory.session("new", user_id="ada")
    if not await chat.messages():
        await chat.add("user", "hello")
    return str((await chat.context()).messages)


@pytest.mark.parametrize("language", TALK)
async def test_corrected_deleted_and_said_again(open_memory: OpenMemory, clock: FakeClock, language: str) -> None:
    home, allergy, corrected, again = TALK[language]
    memory = await open_memory(recipe=[KeyFacts(), SlidingWindow(2)])
    await say(memory, clock, home, allergy)
    (record,) = await memory.records(user_id="ada", key="user.home")
    clock.advance(60)
    await memory.correct(record.id, corrected, user_id="ada")
    for _ in range(2):
        assert corrected in await prompt(memory) and home.strip(".。") not in await prompt(memory)
        assert texts(await memory.records(user_id="ada", query=corrected))[:1] == [corrected]
        await memory.rebuild()
    clock.advance(60)
    await memory.delete(record.id, user_id="ada")
    for _ in range(2):
        assert corrected not in await prompt(memory) and home.strip(".。") not in await prompt(memory)
        await memory.rebuild()
        assert await memory.retry() == 0
    await say(memory, clock, again)
    (record,) = await memory.records(user_id="ada", key="user.home")
    assert record.text == again.strip(".。")
    assert [section.group for section in (await memory.about("ada")).sections] == ["always", "person"]


@pytest.mark.parametrize("order", ["confirm other again", "other confirm again", "other again confirm"])
async def test_what_is_said_again_after_a_confirmation_holds_once(
    open_memory: OpenMemory, clock: FakeClock, order: str
) -> None:
    memory = await open_memory(recipe=[KeyFacts(), SlidingWindow(1)])
    await say(memory, clock, "I live in Lisbon.")
    (first,) = await memory.records(user_id="ada", key="user.home")
    for what in order.split():
        clock.advance(86_400)
        if what == "confirm":
            await memory.confirm(first.id, user_id="ada")
        else:
            await say(memory, clock, "I live in Faro." if what == "other" else "I live in Lisbon.")
    (home,) = await memory.records(user_id="ada", key="user.home")
    assert home.text == "I live in Lisbon"
