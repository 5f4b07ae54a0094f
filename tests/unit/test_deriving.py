"""Strategies bring derivers, and read the records those made."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from jiyi import RollingSummary, SummaryBuffer, intake
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput
from jiyi.ports import LLM, Batch, Deriver, Request
from jiyi.recipes import derivers
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.types import Block, Changes, Item, Record, Source, Step


class Shouts:
    """Derives every message in capitals."""

    batch_size = 10
    asks_llm = False

    def __init__(self, step: Step = Step("shouts", "1")) -> None:  # noqa: B008 - frozen
        self.step = step

    async def derive(self, batch: Batch) -> Changes:
        made = [
            Record(
                f"shout:{m.id}", "shout", m.text.upper(), self.step.name, "1", (Source(m.id),), session_id=m.session_id
            )
            for m in batch.messages
        ]
        return Changes(batch.cursor, put=tuple(made))


class Loud:
    name = "loud"
    window = False

    def __init__(self, *steps: Step) -> None:
        self.steps = steps or (Step("shouts", "1"),)
        self.llm: object = "not asked"

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        self.llm = llm
        return [Shouts(step) for step in self.steps]

    async def recall(self, request: Request) -> list[Block]:
        found = await request.reader.records(kind="shout", limit=2)
        return [Block(self.name, "memory", tuple(Item((), text=record.text) for record in found))]


def test_a_step_is_served_once_in_the_order_brought() -> None:
    one, two = Step("one", "1"), Step("two", "1")
    found = derivers([SlidingWindow(), Loud(one, two), Loud(two, one)], None)
    assert [deriver.step for deriver in found] == [one, two]


async def test_a_strategy_reads_what_its_deriver_made() -> None:
    loud = Loud()
    async with await AsyncMemory.open("memory:", recipe=[loud, SlidingWindow(1)], embedder=None) as memory:
        assert loud.llm is None
        for user, text in (("ada", "the gate is green"), ("bob", "secret")):
            await memory.session("s", user_id=user).add("user", text)
        await memory.drain()
        assert {step.step.name: step.done for step in await memory.progress()} == {"lexical": 2, "shouts": 2}
        chat = memory.session("t", user_id="ada")
        await chat.add("user", "hello")
        await memory.drain()
        section = str((await chat.context()).messages[0]["content"])
        assert "THE GATE IS GREEN" in section and "HELLO" in section and "SECRET" not in section
        await memory.forget(user_id="ada", session_id="s")
        assert "GATE" not in str((await chat.context()).messages)


async def test_commands_are_for_the_indexes_alone() -> None:
    async with await AsyncMemory.open("memory:", recipe=[Loud(), SlidingWindow(4)], embedder=None) as memory:
        chat, scope = memory.session("s", user_id="ada"), memory.scope("ada")
        await chat.add("user", "I work at the bakery")
        order = {"command": "correct", "record": "shout:1"}
        for text in ("She works at the foundry", None):
            details: intake.Details = {"metadata": order}
            await memory.append(scope, "", [intake.command(text, details, now=memory.clock.now())])
        await memory.drain()
        assert {step.step.name: (step.done, step.total) for step in await memory.progress()} == {
            "lexical": (3, 3), "shouts": (3, 3)
        }  # fmt: skip
        assert [record.text for record in await memory.store.records(scope)] == ["I WORK AT THE BAKERY"]
        assert [message.text for message in await memory.messages(user_id="ada")] == ["I work at the bakery"]
        said = await memory.search("Who works at the foundry?", user_id="ada", floor=0)
        assert {hit.message.kind for hit in said} <= {"message"}
        (hit,) = await memory.search("Who works at the foundry?", user_id="ada", floor=0, kinds="command")
        assert (hit.text, hit.message.kind) == ("She works at the foundry", "command")
        assert "foundry" not in str((await chat.context("the foundry?")).messages)
        stats = await memory.stats("ada")
        assert (stats.messages, stats.commands, stats.indexed) == (1, 2, 2)
        await memory.rebuild()
        assert [record.text for record in await memory.store.records(scope)] == ["I WORK AT THE BAKERY"]
        synced = await memory.session("t", user_id="ada").sync(
            [{"id": hit.message.id, "role": "user", "content": "hi"}]
        )
        assert [message.text for message in synced.added] == ["hi"], "an id that a command has is taken"
        assert (await memory.forget(user_id="ada", message_ids=[hit.message.id])).messages == 1


async def test_one_step_is_not_derived_in_two_ways() -> None:
    """It would never come to an end: what the one derives the other derives anew."""
    ways = [Loud(Step("shouts", "1")), Loud(Step("shouts", "1", stride=4)), SlidingWindow(1)]
    with pytest.raises(InvalidInput, match="'shouts'.*same settings"):
        await AsyncMemory.open("memory:", recipe=ways, embedder=None)
    with pytest.raises(InvalidInput, match="'summary:rules'"):
        await AsyncMemory.open("memory:", recipe=[RollingSummary(every=8), SummaryBuffer()], embedder=None)
    async with await AsyncMemory.open("memory:", recipe=ways[0:1], embedder=None) as memory:
        with pytest.raises(InvalidInput, match="'shouts'"):
            await memory.use_recipe(ways)
        assert [strategy.name for strategy in memory.strategies] == ["loud", "sliding_window"]


async def test_another_recipe_may_derive_a_step_in_another_way() -> None:
    async with await AsyncMemory.open("memory:", recipe=[Loud()], embedder=None) as memory:
        chat = memory.session("s", user_id="u")
        for number in range(5):
            await chat.add("user", f"line {number}")
        await memory.drain()
        await memory.use_recipe([Loud(Step("shouts", "1", stride=4))])
        assert [step.stride for step in memory.worker.steps if step.name == "shouts"] == [4]
        await asyncio.wait_for(memory.drain(), 20)
        assert [progress.errors for progress in await memory.progress()] == [(), ()]
