"""Entities and relations in the background: erased, rebuilt, caught up by a model, by both at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta

import pytest

from jiyi import AsyncMemory, Entities, Graph, Message, Record
from jiyi.entities import ENTITY, names_of
from jiyi.errors import ModelUnavailable
from jiyi.ports import Batch
from jiyi.relations import RELATION, ends_of, name_of
from jiyi.strategies.entities_model import ModelEntities
from jiyi.strategies.entities_rules import RuleEntities
from jiyi.testing import FakeClock, ScriptedLLM
from jiyi.testing.scripted import Call
from jiyi.testing.strategy import conversation
from jiyi.types import Scope
from tests import talking
from tests.conftest import OpenMemory

TALK = [
    "I work at Northwind Traders.", "Nightjar uses Rust.", "Meridian Grid Authority (MGA) runs it.", "Thanks!",
    "MGA approved the budget.", "Nightjar uses Rust, still.", "I no longer work at Northwind Traders.",
    "I work at Alder Labs.", "Norr acquired Kestrel.",
]  # fmt: skip
TELLS: dict[str, dict[str, object]] = {
    "I work at Northwind Traders.": {"head": "user", "relation": "works_at", "tail": "Northwind Traders"},
    "Nightjar uses Rust": {"head": "Nightjar", "head_type": "project", "relation": "uses", "tail": "Rust"},
    "Meridian Grid Authority (MGA)": {"head": "MGA", "relation": "also_called", "tail": "Meridian Grid Authority"},
    "I no longer work at Northwind Traders": {"head": "user", "relation": "works_at", "tail": "Northwind Traders"},
    "I work at Alder Labs": {"head": "user", "relation": "works_at", "tail": "Alder Labs"},
    "Norr acquired Kestrel": {"head": "Kestrel", "relation": "acquired", "tail": "Norr"},
}


def tell(call: Call) -> str:
    items: list[object] = []
    for line in call.last.splitlines():
        number, _, said = line.partition(". user: ")
        text = json.loads(said)
        items += [{"number": int(number), "quote": words, **item} for words, item in TELLS.items() if words in text]
    return json.dumps({"relations": items})


def model() -> ScriptedLLM:
    return ScriptedLLM(tell)


async def everything(memory: AsyncMemory) -> list[Record]:
    return await talking.everything(memory, ENTITY, RELATION)


async def edges(memory: AsyncMemory, *, current: bool | None = True) -> set[tuple[str, str, str]]:
    found = await memory.store.records(memory.scope("ada"), kind=RELATION, current=current)
    return {(ends_of(record)[0], name_of(record), ends_of(record)[1]) for record in found}


async def talk(memory: AsyncMemory, clock: FakeClock, lines: Sequence[str] = TALK) -> list[Message]:
    return await talking.talk(memory, clock, lines)


def recipe(every: int = 4) -> list[object]:
    return [Entities(every=every), Graph(every=every)]


NOW = {("Nightjar", "uses", "Rust"), ("user", "works_at", "Alder Labs"), ("Norr", "acquired", "Kestrel")}


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_erased_is_what_it_closed_open_again_and_what_it_joined_apart(
    open_memory: OpenMemory, clock: FakeClock, by: str
) -> None:
    memory = await open_memory(recipe=recipe(1), memory_llm=model() if by == "model" else None)
    said = await talk(memory, clock)
    assert await edges(memory) >= NOW
    assert ("user", "works_at", "Northwind Traders") in await edges(memory, current=False)
    grid = [names_of(record) for record in await everything(memory) if "mga" in record.links]
    assert grid == [("Meridian Grid Authority", "MGA")]
    await memory.forget(user_id="ada", message_ids=[said[2].id, said[6].id, said[7].id])
    await memory.drain()
    assert ("user", "works_at", "Northwind Traders") in await edges(memory)
    found = await everything(memory)
    assert [names_of(record) for record in found if "mga" in record.links] == [("MGA",)]
    assert not any(name in repr(found) for name in ("Meridian", "Alder", said[2].id, said[6].id, said[7].id))
    before = found
    await memory.rebuild()
    await memory.drain()
    assert await everything(memory) == before


@pytest.mark.parametrize("by", ["rules", "model"])
@pytest.mark.parametrize("every", [1, 4])
async def test_a_rebuild_gives_the_same(open_memory: OpenMemory, clock: FakeClock, by: str, every: int) -> None:
    memory = await open_memory(recipe=recipe(every), memory_llm=model() if by == "model" else None)
    more = ["MGA is late.", "Nightjar no longer uses Rust.", "I work at Birch Labs.", "MGA uses Pylon."]
    await talk(memory, clock, [*TALK, *more])
    before = await everything(memory)
    assert len(before) >= 10
    for _ in range(2):
        await memory.rebuild()
        await memory.drain()
        assert await everything(memory) == before


async def test_one_batch_gives_what_many_give(open_memory: OpenMemory, clock: FakeClock, tmp_path) -> None:
    known: list[list[str]] = []
    for name, at_once in (("one", True), ("many", False)):
        memory = await open_memory(str(tmp_path / name), recipe=recipe(4), memory_llm=model())
        chat = memory.session("s", user_id="ada")
        for number, text in enumerate(TALK):
            at = clock.now().replace(minute=number, second=0)
            await chat.add("user", text, created_at=at, message_id=f"m{number}")
            if not at_once:
                await memory.drain()
        await memory.drain()
        known.append([f"{r.id} {r.text} {r.sources} {r.closed_at} {r.strategy}" for r in await everything(memory)])
    assert known[0] == known[1]


async def test_a_model_catches_up_and_takes_over(open_memory: OpenMemory, clock: FakeClock, tmp_path) -> None:
    path = str(tmp_path / "m.db")
    memory = await open_memory(path, recipe=recipe())
    await talk(memory, clock)
    assert {record.strategy for record in await everything(memory)} == {"entities:rules"}
    await memory.close()
    down = ScriptedLLM([ModelUnavailable("down")] * 4)
    memory = await open_memory(path, recipe=recipe(), memory_llm=down)
    await memory.drain()
    assert await edges(memory) >= NOW
    await memory.close()
    clock.advance(timedelta(hours=1).total_seconds())
    llm = model()
    memory = await open_memory(path, recipe=recipe(), memory_llm=llm)
    while any(step.errors for step in await memory.progress()):  # the worker may be at it already
        await memory.drain()
    await memory.drain()
    found = await everything(memory)
    assert len(llm.calls) == 2 and await edges(memory) >= NOW
    (nightjar,) = [record for record in found if "nightjar" in record.links and record.kind == ENTITY]
    assert (nightjar.strategy, nightjar.data["by"], nightjar.data["type"]) == ("entities", "model", "project")
    (kestrel,) = [record for record in found if "kestrel" in record.links and record.kind == ENTITY]
    assert kestrel.strategy == "entities:rules", "what fills no stride yet has the rules"


async def test_an_old_history_that_is_imported_late(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=recipe(1))
    await talk(memory, clock, ["I work at Alder Labs."])
    chat = memory.session("old", user_id="ada")
    await chat.add("user", "I work at Northwind Traders.", created_at=clock.now() - timedelta(days=900))
    await memory.drain()
    assert await edges(memory) == {("user", "works_at", "Alder Labs")}
    assert await edges(memory, current=False) == {("user", "works_at", "Northwind Traders")}


async def test_what_a_batch_reads_does_not_grow_with_the_history(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=recipe(1))
    chat = memory.session("s", user_id="ada")
    for n in range(150):
        await chat.add(
            "user", f"I met Nina{chr(97 + n % 26)}{n} Holm. Norr{n} acquired Kestrel{n}. Nightjar uses Rust."
        )
    await memory.drain()
    read: list[int] = []

    async def counted(**which: object) -> list[Record]:
        found = await memory.store.records(memory.scope("ada"), **which)  # type: ignore[arg-type]
        read.append(len(found))
        return found

    message = await chat.add("user", "Norr7 acquired Kestrel7. Nightjar uses Rust.")
    await RuleEntities().derive(Batch(Scope("ada"), (message,), message.seq, counted))
    assert sum(read) < 40, read


async def test_nothing_said_reads_and_writes_nothing() -> None:
    batch = Batch(Scope("ada"), tuple(conversation(("user", "hello there"), ("assistant", "Norr bought Kestrel."))), 2)
    for deriver in (RuleEntities(), ModelEntities(ScriptedLLM([]))):
        changes = await deriver.derive(batch)
        assert (changes.put, changes.drop, changes.cursor) == ((), (), 2)


async def test_another_user_is_another_user(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=recipe(1))
    await talk(memory, clock, ["Norr acquired Kestrel."])
    await memory.session("s", user_id="bob").add("user", "Kestrel uses Rust.")
    await memory.drain()
    bobs = await memory.store.records(memory.scope("bob"))
    assert "Norr" not in repr(bobs) and "Rust" not in repr(await everything(memory))
