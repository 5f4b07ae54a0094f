"""Field case D10: what the memory brings back never becomes something that was said."""

from __future__ import annotations

import copy

import pytest

from jiyi import Facts, KeyFacts, Recall, SlidingWindow
from jiyi.testing.scripted import ScriptedLLM, echo
from tests.cases.facts import facts, playing
from tests.conftest import OpenMemory

SEED = "I prefer window seats."
TELLS = {"window seats": [{"quote": "I prefer window seats", "attribute": "likes", "value": "window seats"}]}


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_recalled_memory_becomes_no_fact(open_memory: OpenMemory, by: str) -> None:
    llm = ScriptedLLM(echo)
    memory = await open_memory(
        recipe=[KeyFacts(every=2), Facts(floor=0, every=2), Recall(floor=0), SlidingWindow(1)],
        llm=llm,
        memory_llm=playing(TELLS) if by == "model" else None,
    )
    chat = memory.session("seed", user_id="ada")
    await chat.add("user", SEED)
    await chat.add("assistant", "Noted.")
    await memory.drain()
    other = memory.session("s", user_id="ada")
    asked = [f"What is the capital of region {at}?" for at in range(10)]
    for question in asked:
        await other.send(question)
        await memory.drain()
    assert len(await facts(memory, current=None)) == 1
    assert llm.calls[-1].all_text.count("prefer window seats") == 1, "once, however many parts bring it"
    said = [message.content for message in await other.messages() if message.role == "user"]
    assert said == asked, "no memory in what is stored"


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_a_context_that_a_client_sends_back_becomes_no_fact(open_memory: OpenMemory, by: str) -> None:
    tells = {**TELLS, "Earlier": TELLS["window seats"], "What is known": TELLS["window seats"]}
    memory = await open_memory(
        recipe=[KeyFacts(every=2), SlidingWindow(1)], memory_llm=playing(tells) if by == "model" else None
    )
    chat = memory.session("seed", user_id="ada")
    await chat.add("user", SEED)
    await chat.add("assistant", "Noted.")
    await memory.drain()
    (seed,) = await facts(memory)
    sent = (await memory.session("s", user_id="ada").context("Which seat?", max_tokens=400)).messages
    before = copy.deepcopy(sent)
    other = memory.session("s", user_id="ada")
    for message in sent:
        await other.add("user", message["content"])  # type: ignore[arg-type]
        await other.add("assistant", "You prefer window seats.")
        await other.add("system", "The user prefers window seats and has a dog.")
    await memory.drain()
    assert sent == before, "what the caller holds is not touched"
    assert [(one.id, one.sources) for one in await facts(memory, current=None)] == [(seed.id, seed.sources)]
