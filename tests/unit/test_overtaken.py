"""Two derivations of the same messages at once: what one changes, the other has read before it commits."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from jiyi import AsyncMemory, SlidingWindow
from jiyi.overtaken import TRIES
from jiyi.ports import LLM, Batch, Request
from jiyi.testing import ScriptedLLM
from jiyi.types import Block, Changes, Record, Source, Step
from tests.conftest import OpenMemory


class Rules:
    """A record for each message of which there is none of the model."""

    step = Step("plain:rules", "1")
    batch_size = 10
    asks_llm = False

    def __init__(self) -> None:
        self.may_go = asyncio.Event()
        self.tries = 0

    async def derive(self, batch: Batch) -> Changes:
        self.tries += 1
        records = await batch.records(sources=[message.id for message in batch.messages])
        done = {source.message_id for record in records for source in record.sources}
        await self.may_go.wait()
        made = (
            Record(f"rules:{m.id}", "fact", m.text, self.step.name, "1", (Source(m.id),), recorded_at=m.recorded_at)
            for m in batch.messages
            if m.id not in done
        )
        return Changes(batch.cursor, put=tuple(made))


class Model:
    """Asks, then takes the place of what the rules have made."""

    step = Step("plain", "1")
    batch_size = 10
    asks_llm = True

    def __init__(self, llm: LLM, rules: Rules) -> None:
        self.llm, self.rules = llm, rules
        self.read = asyncio.Event()
        self.may_go = asyncio.Event()
        self.replies: list[str] = []

    async def derive(self, batch: Batch) -> Changes:
        reply = await self.llm.complete([{"role": "user", "content": "?"}])
        again = await self.llm.complete([{"role": "user", "content": "?"}])
        self.replies += [reply.text, again.text]
        there = await batch.records(sources=[message.id for message in batch.messages])
        self.read.set()
        await self.may_go.wait()
        made = (
            Record(f"model:{m.id}", "fact", reply.text, self.step.name, "1", (Source(m.id),), recorded_at=m.recorded_at)
            for m in batch.messages
        )
        return Changes(batch.cursor, put=tuple(made), drop=tuple(r.id for r in there if r.strategy != self.step.name))


class Both:
    name = "both"
    window = False

    def __init__(self) -> None:
        self.rules = Rules()
        self.model: Model | None = None

    def derivers(self, llm: LLM | None) -> Sequence[Rules | Model]:
        assert llm is not None
        self.model = Model(llm, self.rules)
        return [self.rules, self.model]

    async def recall(self, request: Request) -> list[Block]:
        return []


async def opened(open_memory: OpenMemory, llm: ScriptedLLM) -> tuple[AsyncMemory, Both]:
    both = Both()
    memory = await open_memory(recipe=[both, SlidingWindow()], memory_llm=llm)
    await memory.worker.stop()
    await memory.session("s", user_id="ada").add("user", "I live in Lisbon.", message_id="m")
    return memory, both


async def held(memory: AsyncMemory) -> list[tuple[str, str]]:
    return [(record.id, record.text) for record in await memory.store.records(memory.scope("ada"))]


@pytest.mark.parametrize("first", ["rules", "model"])
async def test_whoever_is_overtaken_derives_again(open_memory: OpenMemory, first: str) -> None:
    llm = ScriptedLLM(["one", "two"])
    memory, both = await opened(open_memory, llm)
    assert both.model is not None
    draining = asyncio.create_task(memory.drain())
    await both.model.read.wait()  # the model has read that there is nothing of the rules; they have read nothing of it
    while not both.rules.tries:  # noqa: ASYNC110 - what another task does
        await asyncio.sleep(0)
    (both.rules if first == "rules" else both.model).may_go.set()
    while not await held(memory):  # noqa: ASYNC110 - what another task does
        await asyncio.sleep(0)
    both.rules.may_go.set()
    both.model.may_go.set()
    await draining
    assert await held(memory) == [("model:m", "one")]
    assert len(llm.calls) == 2, "nothing was asked twice"
    assert both.model.replies[:2] == ["one", "two"] == both.model.replies[-2:], "the same replies, in their order"
    assert both.rules.tries == (1 if first == "rules" else 2)


async def test_who_is_overtaken_again_and_again_commits_in_the_end(open_memory: OpenMemory) -> None:
    llm = ScriptedLLM(["one", "two"])
    memory, both = await opened(open_memory, llm)
    model = both.model
    assert model is not None
    model.may_go.set()
    both.rules.may_go.set()
    under_way = memory.worker._asking._under_way  # pyright: ignore[reportPrivateUsage]
    derive, tries = model.derive, 0

    async def overtaken(batch: Batch) -> Changes:
        nonlocal tries
        tries += 1
        changes = await derive(batch)
        with under_way.derivation(batch.scope) as other:
            under_way.written(batch.scope, Changes(0, drop=("x",)), other)
        return changes

    model.derive = overtaken  # type: ignore[method-assign]
    await memory.drain()
    assert tries == TRIES and len(llm.calls) == 2
    assert ("model:m", "one") in await held(memory)


async def test_others_users_and_indexes_are_not_concerned(open_memory: OpenMemory) -> None:
    memory, both = await opened(open_memory, ScriptedLLM(["one", "two"]))
    assert both.model is not None
    both.model.may_go.set()
    draining = asyncio.create_task(memory.drain())
    while not both.rules.tries:  # noqa: ASYNC110 - what another task does
        await asyncio.sleep(0)
    under_way = memory.worker._own._under_way  # pyright: ignore[reportPrivateUsage]
    with under_way.derivation(memory.scope("bob")) as other:
        under_way.written(memory.scope("bob"), Changes(0, drop=("x",)), other)
    while not await held(memory):  # noqa: ASYNC110 - what another task does
        await asyncio.sleep(0)
    assert both.rules.tries == 1
    both.rules.may_go.set()
    await draining
    assert both.rules.tries == 2, "the model had committed"
