"""Strategies bring derivers, and read the records those made."""

from __future__ import annotations

from collections.abc import Sequence

from jiyi.engine import AsyncMemory
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
