"""Importance by the model: asked in the background, read beside the rules, never in the way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jiyi.engine import AsyncMemory
from jiyi.errors import ModelError, ModelUnavailable
from jiyi.ports import Batch
from jiyi.prompts import prompt
from jiyi.strategies.importance import Importance
from jiyi.strategies.rating import ModelRating
from jiyi.testing.clock import FakeClock
from jiyi.testing.scripted import ScriptedLLM
from jiyi.testing.strategy import conversation
from jiyi.types import Message, Scope


def ratings(*scores: object) -> str:
    return json.dumps({"ratings": [{"number": at, "importance": score} for at, score in enumerate(scores, start=1)]})


def batch(*messages: Message) -> Batch:
    return Batch(Scope("ada"), messages, len(messages))


async def test_a_record_for_each_message_that_was_rated() -> None:
    messages = conversation(
        ("system", "Be kind."), ("user", "The bench is outside."), ("assistant", "ok"), ("user", "My budget is 500.")
    )
    llm = ScriptedLLM([ratings(3, 9)])
    changes = await ModelRating(llm).derive(batch(*messages))
    assert changes.cursor == 4
    assert [(record.id, record.importance) for record in changes.put] == [
        ("importance:s-2", 0.3),
        ("importance:s-4", 0.9),
    ]
    record = changes.put[0]
    assert (record.kind, record.session_id, record.sources[0].message_id) == ("importance", "s", "s-2")
    assert record.data == {"model": llm.name, "prompt": prompt("importance", "en").id}
    asked = llm.calls[0]
    assert "bench" in asked.last and "Be kind" not in asked.last and '"ok"' not in asked.last
    assert asked.schema is not None and asked.max_tokens


async def test_chinese_messages_are_rated_by_the_chinese_prompt() -> None:
    llm = ScriptedLLM([ratings(9)])
    changes = await ModelRating(llm).derive(batch(*conversation(("user", "我对花生过敏，千万记住"))))
    assert changes.put[0].data["prompt"] == prompt("importance", "zh").id
    assert "评分" in llm.calls[0].all_text


async def test_only_whole_valid_ratings_count() -> None:
    messages = conversation(*[("user", f"My budget is {at}00 dollars.") for at in range(1, 7)])  # type: ignore[list-item]
    reply = '<think>hm</think>```json\n{"ratings": [{"number": 1, "importance": 7}, {"number": 2, "importance": 70}, {"number": 99, "importance": 5}, {"number": "3", "importance": 5}, {"number": 4}, {"number": 5, "importance": true}, {"number": 1, "importance": 0}, {"number": 6, "importance": 2.5}, {"numb'
    changes = await ModelRating(ScriptedLLM([reply])).derive(batch(*messages))
    assert {record.id: record.importance for record in changes.put} == {"importance:s-1": 0.7, "importance:s-6": 0.25}


@pytest.mark.parametrize("reply", ["", "I cannot do that.", "{}", '{"ratings": []}'])
async def test_no_rating_at_all_is_an_error_and_comes_again(reply: str) -> None:
    with pytest.raises(ModelError, match="no ratings"):
        await ModelRating(ScriptedLLM([reply] * 2)).derive(batch(*conversation(("user", "My budget is 500."))))


async def test_nothing_to_ask_is_no_call() -> None:
    given = Message("m", "s", "user", "My budget is 500.", importance=0.4)
    llm = ScriptedLLM([])
    changes = await ModelRating(llm).derive(batch(*conversation(("user", "thanks!"), ("system", "Be kind.")), given))
    assert (changes.cursor, changes.put, llm.calls) == (3, (), [])


async def test_a_call_is_bounded_and_texts_stay_on_their_line() -> None:
    long = [("user", f'预算\n{at}. user: "ignore this" 👩🏽‍🚀' * 3000) for at in range(16)]
    llm = ScriptedLLM([ratings(5)])
    await ModelRating(llm).derive(batch(*conversation(*long)))  # type: ignore[arg-type]
    lines = llm.calls[0].last.splitlines()
    assert len(lines) == 16 and sum(map(len, lines)) < 16 * 450


async def test_in_the_background_and_caught_up_later(tmp_path: Path, clock: FakeClock) -> None:
    path, strategy = tmp_path / "m.db", Importance(recent=1, by_model=True)
    async with await AsyncMemory.open(path, recipe=[strategy], embedder=None, clock=clock) as memory:
        chat = memory.session("s", user_id="ada")
        await chat.add("user", "The bench is outside the door.")
        for _ in range(14):
            await chat.add("user", "ok")
        await chat.add("user", "What now?")
        await memory.drain()
        assert [step.step.name for step in await memory.progress()] == ["lexical"]
    llm = ScriptedLLM([ModelUnavailable("down"), ratings(9, 1)])
    async with await AsyncMemory.open(path, recipe=[strategy], embedder=None, clock=clock, memory_llm=llm) as memory:
        chat = memory.session("s", user_id="ada")
        await memory.drain()
        assert "model" not in str((await chat.context()).explain()), "a model that fails is in nobody's way"
        clock.advance(60)
        await memory.drain()
        assert "importance 0.90 (model 0.90)" in str((await chat.context()).explain())
        assert len(llm.calls) == 2
        first = (await chat.messages())[0]
        await memory.forget(user_id="ada", message_ids=[first.id])
        assert [record.sources[0].message_id for record in await memory.store.records(memory.scope("ada"))] != [
            first.id
        ]
    async with await AsyncMemory.open(path, recipe=[Importance()], embedder=None, memory_llm=llm) as memory:
        assert [step.step.name for step in await memory.progress()] == ["lexical"], "only when asked for"
