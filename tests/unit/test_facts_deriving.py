"""Facts in the background: erased, rebuilt, caught up by a model, by both at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta

import pytest

from jiyi import AsyncMemory, Facts, KeyFacts, Message, Record, SlidingWindow
from jiyi.errors import ModelUnavailable
from jiyi.ports import Batch
from jiyi.statements import FACT, RETRACTION
from jiyi.strategies.facts_model import ModelFacts
from jiyi.strategies.facts_rules import RuleFacts
from jiyi.testing import FakeClock, ScriptedLLM
from jiyi.testing.scripted import Call
from jiyi.testing.strategy import conversation
from jiyi.types import Scope
from tests import talking
from tests.conftest import OpenMemory

TALK = [
    "I work at Northwind.", "I have two cats.", "I like green tea.", "Thanks!", "I live in Lisbon.", "my 2 cats are asleep",
    "I no longer work at Northwind.", "I moved to Porto.",
]  # fmt: skip
TELLS = {
    "work at Northwind.": {"text": "The user works at Northwind.", "attribute": "employer", "value": "Northwind"},
    "two cats": {"text": "The user has two cats.", "attribute": "pet", "value": "two cats"},
    "Lisbon": {"text": "The user lives in Lisbon.", "attribute": "home", "value": "Lisbon"},
    "no longer": {
        "text": "The user no longer works there.", "attribute": "employer", "value": "Northwind", "ends": True
    },
    "Porto": {"text": "The user moved to Porto.", "attribute": "home", "value": "Porto"},
}  # fmt: skip


def tell(call: Call) -> str:
    facts: list[object] = []
    for line in call.last.splitlines():
        number, _, said = line.partition(". user: ")
        words = [words for words in TELLS if words in said and (words[0] == "n" or "no longer" not in said)]
        facts += [{"number": int(number), "quote": json.loads(said), **TELLS[one]} for one in words[:1]]
    return json.dumps({"facts": facts})


def model() -> ScriptedLLM:
    return ScriptedLLM(tell)


async def everything(memory: AsyncMemory) -> list[Record]:
    return await talking.everything(memory, FACT, RETRACTION)


async def current(memory: AsyncMemory) -> dict[str | None, object]:
    records = await memory.store.records(memory.scope("ada"), kind=FACT)
    return {record.key: record.data["value"] for record in records}


async def talk(memory: AsyncMemory, clock: FakeClock, lines: Sequence[str] = TALK) -> list[Message]:
    return await talking.talk(memory, clock, lines)


def recipe(every: int = 4) -> list[object]:
    return [KeyFacts(every=every), Facts(every=every), SlidingWindow(1)]


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_erased_is_what_it_closed_open_again(open_memory: OpenMemory, clock: FakeClock, by: str) -> None:
    memory = await open_memory(recipe=recipe(), memory_llm=model() if by == "model" else None)
    said = await talk(memory, clock)
    assert await current(memory) == {"user.pet": "two cats", "user.likes": "green tea", "user.home": "Porto"}
    await memory.forget(user_id="ada", message_ids=[said[6].id, said[7].id])
    await memory.drain()
    found = await current(memory)
    assert found == {
        "user.pet": "two cats", "user.likes": "green tea", "user.home": "Lisbon", "user.employer": "Northwind"
    }  # fmt: skip
    assert not [record for record in await everything(memory) if record.kind == RETRACTION]
    await memory.forget(user_id="ada", message_ids=[said[1].id])
    await memory.drain()
    (pet,) = [record for record in await everything(memory) if record.key == "user.pet"]
    assert [source.message_id for source in pet.sources] == [said[5].id], "what was said again stays"


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_a_rebuild_gives_the_same(open_memory: OpenMemory, clock: FakeClock, by: str) -> None:
    memory = await open_memory(recipe=recipe(), memory_llm=model() if by == "model" else None)
    await talk(memory, clock, [*TALK, "I have a dog.", "I moved to Rome.", "I have two cats."])
    before = await everything(memory)
    assert len(before) >= 8
    for _ in range(2):
        await memory.rebuild()
        await memory.drain()
        assert await everything(memory) == before


async def test_a_model_catches_up_and_takes_over(open_memory: OpenMemory, clock: FakeClock, tmp_path) -> None:
    path = str(tmp_path / "m.db")
    memory = await open_memory(path, recipe=recipe())
    said = await talk(memory, clock)
    assert {record.strategy for record in await everything(memory)} == {"facts:rules"}
    await memory.close()
    down = ScriptedLLM([ModelUnavailable("down")] * 4)
    memory = await open_memory(path, recipe=recipe(), memory_llm=down)
    await memory.drain()
    assert await current(memory) == {"user.pet": "two cats", "user.likes": "green tea", "user.home": "Porto"}
    await memory.close()
    clock.advance(timedelta(hours=1).total_seconds())
    llm = model()
    memory = await open_memory(path, recipe=recipe(), memory_llm=llm)
    while any(step.errors for step in await memory.progress()):  # the worker may be at it already
        await memory.drain()
    await memory.drain()
    found = await everything(memory)
    assert {record.strategy for record in found} == {"facts"} and len(llm.calls) == 2
    assert {(record.key, record.data["by"]) for record in found if record.kind == FACT} == {
        ("user.employer", "model"), ("user.pet", "model"), ("user.home", "model"), ("user.likes", "rules")
    }  # fmt: skip
    (pet,) = [record for record in found if record.key == "user.pet"]
    assert [source.message_id for source in pet.sources] == [said[1].id, said[5].id], "what the rules heard stays"
    assert await current(memory) == {"user.pet": "two cats", "user.likes": "green tea", "user.home": "Porto"}
    clock.advance(60)
    await memory.session("s", user_id="ada").add("user", "I moved to Rome.")
    await memory.drain()
    assert (await current(memory))["user.home"] == "Rome", "what fills no stride yet has the rules"


async def test_an_old_history_that_is_imported_late(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=recipe(), memory_llm=model())
    await talk(memory, clock, ["I live in Porto.", "Thanks!", "ok", "ok"])
    old = clock.now() - timedelta(days=400)
    chat = memory.session("old", user_id="ada")
    for text in ("I live in Lisbon.", "I work at Northwind.", "ok", "ok"):
        await chat.add("user", text, created_at=old)
    await memory.drain()
    found = await current(memory)
    assert (found["user.home"], found["user.employer"]) == ("Porto", "Northwind")
    (lisbon,) = [record for record in await everything(memory) if record.data.get("value") == "Lisbon"]
    assert lisbon.closed_at is not None and lisbon.closed_at > old and lisbon.said_at == old


async def test_another_user_is_another_user(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=recipe())
    await memory.session("s", user_id="ada").add("user", "I live in Lisbon.")
    await memory.session("s", user_id="bob").add("user", "I live in Porto.")
    await memory.drain()
    assert await current(memory) == {"user.home": "Lisbon"}
    context = await memory.session("new", user_id="bob").context("Where do I live?", max_tokens=300)
    assert "Lisbon" not in str(context.messages)


async def test_what_was_said_on_purpose_is_protected(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=recipe())
    await memory.remember("I like jazz.", user_id="ada")
    await memory.drain()
    (record,) = await memory.store.records(memory.scope("ada"), kind=FACT)
    assert record.data["asked"] is True and (record.importance or 0) >= 0.9


async def test_nothing_said_reads_and_writes_nothing() -> None:
    lines = conversation(("user", "thanks!"), ("assistant", "I live in Lisbon."), ("system", "I am Ada."))
    for deriver in (RuleFacts(), ModelFacts(ScriptedLLM([]))):
        changes = await deriver.derive(Batch(Scope("ada"), tuple(lines), 3))
        assert (changes.put, changes.drop, changes.cursor) == ((), (), 3)


async def test_what_a_batch_reads_does_not_grow_with_the_history(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=recipe())
    await talk(memory, clock, [f"I like song number {at} very much." for at in range(40)])
    scope, read = memory.scope("ada"), list[int]()

    async def records(**which: object) -> list[Record]:
        found = await memory.store.records(scope, **which)  # type: ignore[arg-type]
        assert which.get("limit") or which.get("sources")
        read.append(len(found))
        return found

    batch = Batch(scope, tuple(conversation(("user", "I like song number 99."))), 41, records)  # type: ignore[arg-type]
    await RuleFacts().derive(batch)
    assert max(read) <= 200 and len(read) < 10
