"""D04: a summary that fails leaves everything as it was, and is tried again."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

import pytest

from jiyi.engine import AsyncMemory
from jiyi.errors import ModelUnavailable
from jiyi.session import AsyncSession
from jiyi.strategies.rolling_summary import RollingSummary
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.testing.clock import FakeClock
from jiyi.testing.scripted import Answer, Call, ScriptedLLM, Streamed
from jiyi.testing.strategy import check_context
from jiyi.types import Record, Reply, Step

S1 = "User is planning a kitchen refit, budget 8,400 EUR."
S2 = "The tiles are green."
SECRET = "sk-trace-of-an-exception"

FAILURES: dict[str, Answer] = {
    "timeout": TimeoutError(SECRET),
    "429": ModelUnavailable(f"429 {SECRET}"),
    "empty": "",
    "white space": " \n\t ",
    "half a sentence": Reply("User is planning a kit", finish="length"),
    "half an object": Reply('{"summaries": [{"number": 1, "summary": "User is plan', finish="length"),
    "cut": Streamed('{"summaries": [{"number": 1, "summary": "User is planning a kitchen refit', error=OSError(SECRET)),
    "invented": json.dumps({"summaries": [{"number": 1, "summary": "The budget is 9,999 EUR."}]}),
    "empty text": json.dumps({"summaries": [{"number": 1, "summary": "  "}]}),
    "another form": json.dumps({"summary": 7}),
}


@dataclass
class Talk:
    memory: AsyncMemory
    chat: AsyncSession
    clock: FakeClock
    answer: Answer = ""
    said: int = 0
    calls: list[Call] = field(default_factory=list[Call])

    def script(self, call: Call) -> Answer:
        self.calls.append(call)
        return self.answer

    async def say(self, messages: int, words: str) -> None:
        for _ in range(messages):
            self.said += 1
            await self.chat.add("user" if self.said % 2 else "assistant", f"{words} Line {self.said} of the talk.")

    async def summarised(self) -> tuple[list[Record], int]:
        """The model's summaries, and how far they go."""
        scope = self.memory.scope("ada")
        found = await self.memory.store.records(scope, kind="summary")
        cursors = await self.memory.store.cursors(scope, [Step("summary", "1", stride=10)])
        found = [replace(record, used=0, used_at=None) for record in found if record.strategy == "summary"]
        return found, cursors["summary"]

    async def context(self) -> str:
        """What the next context says; every message is in it, or told of."""
        context = await self.chat.context(max_tokens=2000)
        check_context(context, await self.chat.messages(), self.memory.counter)
        assert not context.dropped
        return json.dumps(context.messages, ensure_ascii=False) + context.explain()


@pytest.fixture
async def talk(clock: FakeClock) -> AsyncIterator[Talk]:
    llm = ScriptedLLM(lambda call: made.script(call))
    recipe = [RollingSummary(recent=2, after=1, every=10), SlidingWindow(2)]
    async with await AsyncMemory.open("memory:", recipe=recipe, embedder=None, memory_llm=llm, clock=clock) as memory:
        made = Talk(memory, memory.session("s", user_id="ada"), clock)
        yield made


@pytest.mark.parametrize("failure", FAILURES, ids=lambda name: name.replace(" ", "_"))
async def test_a_failure_changes_nothing_and_the_next_try_succeeds_once(talk: Talk, failure: str) -> None:
    talk.answer = json.dumps({"summaries": [{"number": 1, "summary": S1}]})
    await talk.say(10, "My kitchen refit has a budget of 8,400 EUR.")
    await talk.memory.drain()
    (first,), cursor = await talk.summarised()
    assert first.text == S1 and cursor == 10 and S1 in await talk.context()

    talk.answer = FAILURES[failure]
    await talk.say(10, "The tiles are green.")
    await talk.memory.drain()  # the failure is nobody's error
    assert await talk.summarised() == ([first], 10)
    said = await talk.chat.messages()
    assert len(said) == 20
    text = await talk.context()
    assert S1 in text and "green" in text and SECRET not in text and "Error" not in text
    progress = {one.step.name: one for one in await talk.memory.progress()}
    assert progress["summary"].errors and progress["summary"].done == 10

    talk.answer = json.dumps({"summaries": [{"number": 1, "summary": S2}]})
    talk.clock.advance(60)
    before = len(talk.calls)
    await talk.memory.drain()
    found, cursor = await talk.summarised()
    assert [record.text for record in found] == [S1, S2] and cursor == 20
    assert len(talk.calls) == before + 1, "and succeeds once"
    assert not await talk.memory.failures() and S2 in await talk.context()
    assert SECRET not in json.dumps(
        [record.text for record in await talk.memory.store.records(talk.memory.scope("ada"))]
    )


async def test_a_model_that_hangs_is_in_nobodys_way(talk: Talk) -> None:
    talk.answer = Streamed(hangs=True)
    await talk.say(10, "My kitchen refit has a budget of 8,400 EUR.")
    await talk.memory.drain(steps=["lexical", "summary:rules"])
    assert "8,400 EUR" in await talk.context()
