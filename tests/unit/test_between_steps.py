"""What a model derives survives a death between any two steps, is never derived by two at once, and a rebuild is equal."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest

from jiyi import AsyncMemory
from jiyi.config import Settings
from jiyi.eval.cost import asking
from jiyi.lane import LEASE
from jiyi.ports import Strategy
from jiyi.stores.sqlite import SqliteStore
from jiyi.testing import FakeClock, ScriptedLLM
from jiyi.testing.scripted import Call
from jiyi.types import Changes, Claim, Filter, Record, Scope

STRIDE = 4
"""Of what lets one choose; the importance of messages has sixteen."""

ADA = Scope("ada")
STEPS = ("claim", "messages", "records", "commit", "release", "renew", "progress", "spend", "use", "register")


def derived(call: Call) -> str:
    """What follows from the text alone, so that every order of calls gives the same: all that was said, word for word.

    Whatever is asked for, in its form: the list's fields are filled by their names.
    """
    assert call.schema is not None
    ((field, form),) = cast("dict[str, Any]", call.schema["properties"]).items()
    lines = re.findall(r'^(?:(\d+)\. )?.*?: (".*")$', call.last, re.MULTILINE)
    said = [(int(number or 0), json.loads(text)) for number, text in lines]
    if "summary" in form["items"]["properties"]:
        said = [(1, said[0][1])]
    return json.dumps({field: [_filled(form["items"]["properties"], number or 1, text) for number, text in said]})


def _filled(fields: dict[str, Any], number: int, text: str) -> dict[str, object]:
    given: dict[str, object] = {"number": number, "importance": len(text) % 11, "note": text[:100]}
    given |= {name: text for name in ("quote", "text", "summary")}
    given |= {"head": "user", "relation": "owns", "tail": (re.findall(r"own (\d+ tables)", text) or [""])[0]}
    empty = {
        name: "user" if name == "subject" else False if form.get("type") == "boolean" else ""
        for name, form in fields.items()
    }
    return {name: given.get(name, empty[name]) for name in fields}


@cache
def small() -> dict[str, Strategy]:
    """Every strategy that asks a model, with strides that are as short as it lets one make them."""
    found = asking()
    for strategy in found.values():
        for option, value in {"every": STRIDE, "recent": 1, "after": 1}.items():
            if hasattr(strategy, option):
                setattr(strategy, option, value)
    return found


def two_strides(strategy: str) -> int:
    """Messages of two strides and a rest."""
    return 2 * STRIDE + 1 if hasattr(small()[strategy], "every") else 36


async def opened(path: Path, clock: FakeClock, llm: ScriptedLLM, strategy: str = "importance") -> AsyncMemory:
    memory = await AsyncMemory.open(
        path, recipe=[small()[strategy]], embedder=None, memory_llm=llm, clock=clock, settings=Settings()
    )
    await memory.worker.stop()
    return memory


async def say(memory: AsyncMemory, messages: int = 36) -> None:
    chat = memory.session("s", user_id="ada")
    before = len(await chat.messages())
    await chat.add_many(
        [
            {
                "role": "user",
                "content": f"I own {n} tables, and the room{' y' * n} has {n} doors.",
                "message_id": f"m{n}",
            }
            for n in range(before, before + messages)
        ]
    )


async def state(store: SqliteStore) -> dict[str, object]:
    records = await store.records(ADA, current=None)
    return {
        "log": [message.text for message in await store.messages(ADA, Filter(active=None))],
        "records": sorted(map(_shown, records)),
        "failures": await store.failures(),
    }


def _shown(record: Record) -> str:
    return repr(replace(record, seq=0, used=0, used_at=None, recorded_at=None))


class Killed(BaseException):
    """The process is gone: nothing that comes after is done."""


def mortal(store: SqliteStore, steps: int, *, after: bool) -> Callable[[], bool]:
    """Lets so many calls of the store through, then none; the last one is done, or not.  Whether it came to that."""
    left = steps

    def dying(call: Any) -> Any:
        async def counted(*given: Any, **more: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0 or (left == 0 and not after):
                raise Killed
            found = await call(*given, **more)
            if left == 0:
                raise Killed
            return found

        return counted

    for name in STEPS:
        setattr(store, name, dying(getattr(store, name)))
    return lambda: left <= 0


@pytest.fixture(params=small())
def strategy(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
async def expected(tmp_path: Path, clock: FakeClock, strategy: str) -> dict[str, object]:
    async with await opened(tmp_path / "whole.db", clock, ScriptedLLM(derived), strategy) as memory:
        await say(memory, two_strides(strategy))
        await memory.drain()
        assert isinstance(memory.store, SqliteStore)
        found = await state(memory.store)
        await memory.rebuild()
        assert await state(memory.store) == found, "a rebuild is equal"
    assert "scripted" in str(found["records"]), "a model made some of it"
    return found


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True], ids=["before a step", "after a step"])
async def test_a_death_between_any_two_steps_loses_nothing(
    tmp_path: Path, expected: dict[str, object], strategy: str, after: bool
) -> None:
    deaths, alive = 0, False
    for steps in range(1, 500):
        path, clock, llm = tmp_path / f"{steps}.db", FakeClock(), ScriptedLLM(derived)
        memory = await opened(path, clock, llm, strategy)
        await say(memory, two_strides(strategy))
        assert isinstance(memory.store, SqliteStore)
        died = mortal(memory.store, steps, after=after)
        try:
            await memory.drain()
        except Killed:
            deaths += 1
        await SqliteStore.close(memory.store)
        clock.advance(LEASE + 1)  # of those who died
        async with await opened(path, clock, llm, strategy) as again:
            await again.drain()
            assert isinstance(again.store, SqliteStore)
            assert await state(again.store) == expected, f"killed at step {steps}"
            spent = sum(one.usage.calls for one in await again.spent("ada"))
            assert spent >= 1 and 0 <= len(llm.calls) - spent <= 1, "the one under way may not be counted"
        if alive := not died():
            break
    assert deaths > 4 and alive, "there was no step left to die at"


async def test_two_workers_never_commit_the_same_stretch(tmp_path: Path, clock: FakeClock) -> None:
    path, done = tmp_path / "jiyi.db", list[tuple[int, int]]()

    def watched(memory: AsyncMemory) -> AsyncMemory:
        commit = memory.store.commit

        async def noted(claim: Claim, changes: Changes, **more: Any) -> None:
            await commit(claim, changes, **more)
            if claim.step.name == "importance":
                done.append((claim.after, changes.cursor))

        memory.store.commit = noted  # type: ignore[method-assign]
        return memory

    models = [ScriptedLLM(derived, name=f"model {n}") for n in range(4)]
    memories = [watched(await opened(path, clock, llm)) for llm in models]
    for _ in range(5):
        await say(memories[0])
        async with asyncio.timeout(60):
            await asyncio.gather(*(memory.drain() for memory in memories))
    stretches = sorted(done)
    assert stretches == [(start, start + 16) for start in range(0, 5 * 36 // 16 * 16, 16)], "each once"
    assert sum(len(llm.calls) for llm in models) == len(stretches), "nothing was asked twice"
    makers = {
        record.sources[0].message_id: str(record.data["model"]) for record in await memories[0].store.records(ADA)
    }
    messages = await memories[0].store.messages(ADA, Filter(active=None))
    for start in range(0, len(makers), 16):
        assert len({makers[message.id] for message in messages[start : start + 16]}) == 1, "a stretch has one maker"
    for memory in memories:
        await memory.close()
