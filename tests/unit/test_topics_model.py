"""Topics by the model: what is taken of its reply, what is refused, and what it costs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from jiyi.engine import AsyncMemory
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.strategies.topics import Topics
from jiyi.testing.clock import FakeClock
from jiyi.testing.scripted import Call, Script, ScriptedLLM
from jiyi.topics import TOPIC
from jiyi.types import Record
from tests.topics import BOTH, NAMES, say, tell, texts_of, topics


def told(*points: tuple[int, str, str, str, str]) -> str:
    """Number, topic, kind, text, quote."""
    names = ("number", "topic", "kind", "text", "quote")
    return json.dumps({"points": [dict(zip(names, point, strict=True)) for point in points]}, ensure_ascii=False)


@asynccontextmanager
async def opened(clock: FakeClock, script: Script, *, every: int = 4) -> AsyncIterator[tuple[AsyncMemory, list[Call]]]:
    llm = ScriptedLLM(script)
    recipe = [Topics(every=every), SlidingWindow(1)]
    async with await AsyncMemory.open("memory:", recipe=recipe, embedder=None, memory_llm=llm, clock=clock) as memory:
        yield memory, llm.calls


async def found(memory: AsyncMemory) -> dict[str, tuple[list[str], list[str], list[str]]]:
    return {name: texts_of(topic) for name, topic in (await topics(memory)).items()}


async def records(memory: AsyncMemory) -> list[Record]:
    every = await memory.store.records(memory.scope("ada"), current=None)
    return sorted((replace(one, seq=0) for one in every), key=lambda one: one.id)


ENGLISH = [
    "I think the bird thing should use Postgres, so let's do that.",
    "OK.",
    "And a logo is what I lack.",
    "Sure.",
]
CHINESE = ["那个观鸟软件我看还是 Postgres 好，就它吧。", "好的。", "图标我这边缺一个。", "嗯。"]


@pytest.mark.parametrize(
    ("texts", "points", "name", "expected"),
    [
        (ENGLISH, [(1, "bird thing", "decision", "The bird thing uses Postgres", "the bird thing should use Postgres"),
                   (2, "bird thing", "open", "A logo is lacking", "a logo is what I lack")],
         "bird thing", (["The bird thing uses Postgres"], ["A logo is lacking"], ["s"])),
        (CHINESE, [(1, "观鸟软件", "decision", "观鸟软件用 Postgres", "观鸟软件我看还是 Postgres 好"),
                   (2, "观鸟软件", "open", "缺一个图标", "图标我这边缺一个")],
         "观鸟软件", (["观鸟软件用 Postgres"], ["缺一个图标"], ["s"])),
    ],
)  # fmt: skip
async def test_the_models_topics_take_the_place_of_the_rules(
    clock: FakeClock, texts: list[str], points: list[tuple[int, str, str, str, str]], name: str, expected: object
) -> None:
    async with opened(clock, [told(*points)]) as (memory, calls):
        await say(memory, "s", texts)
        assert await found(memory) == {name: expected}
        (record,) = await memory.store.records(memory.scope("ada"), kind=TOPIC)
        assert record.data["by"] == "model" and record.strategy == "topics" and len(calls) == 1
        assert {source.quote for source in record.sources if source.quote} >= {points[0][4], points[1][4]}
        assert "1. user: " in calls[0].last and "2. user: " in calls[0].last and "assistant: " in calls[0].last
        before = await records(memory)
        await memory.rebuild(["topics:rules"])
        await memory.drain()
        assert await records(memory) == before


@pytest.mark.parametrize(
    "point",
    [
        (1, "garden", "decision", "The budget is 900", "the budget for it is 900"),  # not said
        (1, "garden", "decision", "We use roses", "Should we take roses?"),  # asked
        (2, "garden", "decision", "Take tulips", "I would take tulips"),  # the assistant's words
        (1, "garden", "decision", "The neighbour said to sell", "sell it all, now and for good"),  # somebody else's
    ],
)
async def test_what_was_not_said_is_refused(clock: FakeClock, point: tuple[int, str, str, str, str]) -> None:
    text = (
        "The garden project is huge and the budget for it is 500. Should we take roses? "
        'My neighbour wrote: "sell it all, now and for good, you know".'
    )
    async with opened(clock, [told(point)], every=2) as (memory, _):
        await say(memory, "s", [text, "I would take tulips."])
        (topic,) = (await topics(memory)).values()
        assert not topic.decisions and all(one.by == "rules" for one in topic.summary)


async def test_other_values_than_the_words_become_the_words(clock: FakeClock) -> None:
    point = (1, "garden", "decision", "The garden gets 6 roses", "we'll take five roses")
    async with opened(clock, [told(point)], every=2) as (memory, _):
        await say(memory, "s", ["For the garden project we'll take five roses.", "OK."])
        assert (await found(memory))["garden"][0] == ["For the garden project we'll take five roses"]


async def test_a_name_that_nobody_said_is_not_taken(clock: FakeClock) -> None:
    point = (1, "Operation Overlord", "decision", "We take five roses", "we'll take five roses")
    async with opened(clock, [told(point)], every=2) as (memory, _):
        await say(memory, "s", ["For the garden project we'll take five roses.", "OK."])
        assert list(await found(memory)) == ["garden"]


async def test_the_model_sees_the_known_topics_and_rules_go_on_with_its_names(clock: FakeClock) -> None:
    def script(call: Call) -> str:
        if "paint" in call.last:
            return told((1, "bird thing", "open", "The paint of the boxes is open", "paint for the boxes, maybe green"))
        return told((1, "bird thing", "note", "The bird thing counts birds", "The bird thing will count birds"))

    async with opened(clock, script) as (memory, calls):
        await say(
            memory, "a", ["The bird thing will count birds near the feeder.", "OK.", "It has a camera too.", "OK."]
        )
        assert list(await found(memory)) == ["bird thing"]
        await say(memory, "b", ["I need paint for the boxes, maybe green.", "OK.", "Also brushes are missing.", "OK."])
        assert "known: bird thing" in calls[-1].last
        assert (await found(memory))["bird thing"][2] == ["a", "b"]
        await say(memory, "b", ["The brushes still need to be washed."])
        assert "The brushes still need to be washed" in (await found(memory))["bird thing"][1]


@pytest.mark.parametrize("language", BOTH)
async def test_without_a_usable_reply_the_rules_topics_stay(clock: FakeClock, language: str) -> None:
    async with opened(clock, lambda _: told()) as (memory, calls):
        await tell(memory, BOTH[language])
        assert set(await found(memory)) == set(NAMES[language]) and calls
        before = await records(memory)
        await memory.rebuild()
        await memory.drain()
        assert await records(memory) == before


async def test_an_erasure_asks_nothing_again(clock: FakeClock) -> None:
    def script(call: Call) -> str:
        said = [json.loads(line.partition(": ")[2]) for line in call.last.splitlines() if line[:1].isdigit()]
        return told(*((n, "garden", "decision", text, text) for n, text in enumerate(said, start=1)))

    async with opened(clock, script, every=2) as (memory, calls):
        for n in range(8):
            await say(memory, f"s{n}", [f"In the garden we'll take rose number {n}.", "OK."])
        asked = len(calls)
        await memory.forget(user_id="ada", message_ids=["s30"])
        await memory.drain()
        (topic,) = (await topics(memory)).values()
        assert len(topic.decisions) == 7 and not any("number 3" in one.text for one in topic.decisions)
        assert len(calls) == asked, "what the model said of the others is there"


async def test_greetings_cost_no_call(clock: FakeClock) -> None:
    async with opened(clock, []) as (memory, calls):
        await say(memory, "s", ["Hi!", "Hello, how can I help you?", "谢谢", "不客气"])
        assert not calls and not await topics(memory)


async def test_what_the_rules_found_behind_the_stride_follows_the_models_names(clock: FakeClock) -> None:
    def script(_: Call) -> str:
        return told((1, "bird thing", "note", "The bird thing counts birds", "The bird thing will count birds"))

    async with opened(clock, script) as (memory, _):
        await memory.worker.stop()
        texts = ["The bird thing will count birds near the feeder.", "OK.", "It has a camera too.", "OK."]
        await say(memory, "a", [*texts, "The lens still needs to be cleaned."], drain=False)
        await memory.worker.drain(steps=["topics:rules"])
        (before,) = (await found(memory)).items()
        assert before[0] != "bird thing" and "The lens still needs to be cleaned" in before[1][1]
        await memory.drain()
        assert list(await found(memory)) == ["bird thing"]
        assert "The lens still needs to be cleaned" in (await found(memory))["bird thing"][1]
        left = await records(memory)
        await memory.rebuild()
        await memory.drain()
        assert await records(memory) == left


async def test_an_erased_session_leaves_no_bytes_of_what_a_model_said(clock: FakeClock, tmp_path: Path) -> None:
    def script(call: Call) -> str:
        said = [json.loads(line.partition(": ")[2]) for line in call.last.splitlines() if line[:1].isdigit()]
        return told(*((n, "garden", "decision", f"In short: {text}", text) for n, text in enumerate(said, start=1)))

    recipe = [Topics(every=2), SlidingWindow(1)]
    llm = ScriptedLLM(script)
    async with await AsyncMemory.open(
        tmp_path / "jiyi.db", recipe=recipe, embedder=None, memory_llm=llm, clock=clock
    ) as memory:
        await say(memory, "a", ["In the garden we'll plant Falkenberg roses.", "OK."])
        await say(memory, "b", ["In the garden we'll build a pond.", "OK."])
        assert "Falkenberg" in str(await topics(memory))
        await memory.forget(user_id="ada", session_id="a")
        await memory.drain()
        (topic,) = (await topics(memory)).values()
        assert len(topic.decisions) == 1 and [one.session_id for one in topic.sessions] == ["b"]
    assert not any(b"Falkenberg" in content for content in _bytes(tmp_path))


def _bytes(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in folder.iterdir()]
