"""Field case D08: what is said again in other words confirms, and does not pile up."""

from __future__ import annotations

import pytest

from jiyi import KeyFacts, SlidingWindow
from tests.cases.facts import facts, playing, say
from tests.conftest import OpenMemory

STATEMENT = "I have two cats and I'm allergic to shellfish."
PARAPHRASES = [
    "As I said, two cats at home.",
    "shellfish gives me a rash, I'm allergic",
    "My 2 cats woke me up again.",
    "Remember: no shellfish for me, allergic.",
]
TELLS = {
    "two cats and": [
        {"quote": "I have two cats", "text": "The user has two cats.", "attribute": "pet", "value": "two cats"}
    ],
    "I'm allergic to": [{"quote": "I'm allergic to shellfish", "attribute": "allergy", "value": "shellfish"}],
    "at home": [
        {
            "quote": "two cats at home",
            "text": "User keeps two cats at home.",
            "attribute": "pet",
            "value": "two cats at home",
        }
    ],
    "rash": [
        {
            "quote": PARAPHRASES[1],
            "text": "Shellfish gives the user a rash.",
            "attribute": "allergy",
            "value": "shellfish",
        }
    ],
    "My 2 cats": [
        {
            "quote": "My 2 cats woke me up",
            "text": "The user's 2 cats woke them up.",
            "attribute": "pet",
            "value": "2 cats",
        }
    ],
    "no shellfish": [
        {
            "quote": "no shellfish for me, allergic",
            "text": "The user is allergic: no shellfish.",
            "attribute": "allergy",
            "value": "shellfish",
        }
    ],
}
CHINESE = ["我养了两只猫，对花生过敏。", "我家有2只猫", "花生我过敏，别放", "我的两只猫又吵醒我了"]


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_paraphrases_confirm(open_memory: OpenMemory, by: str) -> None:
    llm = playing(TELLS) if by == "model" else None
    memory = await open_memory(recipe=[KeyFacts(every=1), SlidingWindow(1)], memory_llm=llm)
    ids = {"pet": [], "allergy": []}  # type: ignore[var-annotated]
    for session, text in enumerate([STATEMENT, STATEMENT, *PARAPHRASES]):
        said = await say(memory, text, session=f"s{session}")
        for name, word in (("pet", "cats"), ("allergy", "shellfish")):
            if word in text:
                ids[name].append(said)
        current = {record.key: record for record in await facts(memory)}
        assert set(current) == {"user.pet", "user.allergy"}, "one of each, at every point"
    assert len(await facts(memory, current=None)) == 2
    for record in await facts(memory):
        assert record.key is not None
        assert [source.message_id for source in record.sources] == ids[record.key.rpartition(".")[2]]
    context = await memory.session("new", user_id="ada").context("What do you know about me?", max_tokens=500)
    assert str(context.messages).lower().count("two cats") + str(context.messages).count("2 cats") <= 2


async def test_paraphrases_in_chinese_confirm(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=[KeyFacts(), SlidingWindow(1)])
    for text in CHINESE:
        await say(memory, text)
    current = await facts(memory)
    assert len([record for record in current if record.key == "user.pet"]) == 1
    assert len([record for record in current if record.key == "user.allergy"]) == 1


async def test_the_same_message_many_times(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=[KeyFacts(), SlidingWindow(1)])
    for _ in range(40):
        await say(memory, "I live in Lisbon.")
    (record,) = await facts(memory, current=None)
    assert 2 < len(record.sources) <= 12
