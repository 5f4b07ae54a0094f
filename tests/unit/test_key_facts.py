"""Facts in contexts: which ones, in which order, in whose words."""

from __future__ import annotations

from datetime import timedelta

import pytest

from jiyi.facts import RULES
from jiyi.statements import FACT
from jiyi.strategies.facts import Facts
from jiyi.strategies.key_facts import KeyFacts
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.testing.strategy import START, ListReader, context_of, conversation, request
from jiyi.types import JSON, Item, Message, Record, Source

SAID = [
    "I'm allergic to peanuts.",
    "I live in Lisbon. The weather is lovely today, is it not, and I could go on about it for a long time.",
    "I like green tea.",
    "We met at noon.",
]


def fact(at: int, quote: str, *, text: str = "", importance: float = 0.6, attribute: str = "likes",
         by: str = "rules", **details: object) -> Record:  # fmt: skip
    message = STORED[at]
    start = message.text.index(quote)
    data: dict[str, JSON] = {"by": by, "attribute": attribute, "value": quote, "status": "", **details.pop("data", {})}  # type: ignore[dict-item]
    return Record(
        f"f{at}{quote[:4]}",
        FACT,
        text or quote,
        RULES,
        "1",
        (Source(message.id, start, start + len(quote), quote),),
        key=f"user.{attribute}",
        importance=importance,
        said_at=message.created_at,
        recorded_at=message.created_at,
        data=data,
        **details,  # type: ignore[arg-type]
    )


STORED = conversation(*[("user", text) for text in SAID], session="old")


def reader(*records: Record, messages: list[Message] | None = None) -> ListReader:
    return ListReader(messages or conversation(("user", "What now?")), records=records, stored=STORED)


async def items(strategy: KeyFacts | Facts, *records: Record, query: str = "") -> list[Item]:
    blocks = await strategy.recall(request(reader(*records), query=query))
    return [item for block in blocks for item in block.items]


async def test_protected_facts_first_then_by_importance_and_relevance() -> None:
    allergy = fact(0, "I'm allergic to peanuts", attribute="allergy", importance=0.2)
    home = fact(1, "I live in Lisbon", attribute="home", importance=0.8)
    tea = fact(2, "I like green tea", importance=0.6)
    met = fact(3, "We met at noon", attribute="event", importance=0.1)
    found = await items(KeyFacts(), met, tea, home, allergy)
    assert [item.records[0] for item in found] == [allergy.id, home.id, tea.id], "what matters little stays out"
    found = await items(KeyFacts(), met, tea, home, allergy, query="Which tea did I like?")
    assert [item.records[0] for item in found] == [allergy.id, tea.id, home.id]
    assert found[0].why == "protected, importance 0.20" and "relevance" in found[1].why
    found = await items(KeyFacts(), met, query="When did we meet at noon?")
    assert [item.records for item in found] == [(met.id,)], "unless it is asked for"
    assert [i.records for i in await items(KeyFacts(least=0), met)] == [(met.id,)]


@pytest.mark.parametrize("more", [{"pinned": True}, {"data": {"asked": True}}])
async def test_what_people_want_kept_is_protected(more: dict[str, object]) -> None:
    met = fact(3, "We met at noon", importance=0.1, **more)
    home = fact(1, "I live in Lisbon", attribute="home", importance=0.8)
    assert [item.records[0] for item in await items(KeyFacts(), home, met)] == [met.id, home.id]


async def test_at_most_so_many() -> None:
    records = [fact(2, "I like green tea"[: 8 + at], importance=0.5 + at / 100) for at in range(8)]
    for strategy in (KeyFacts(3), Facts(3)):
        context = await context_of([strategy, SlidingWindow()], reader(*records), query="green tea")
        shown = next((block.items for block in context.blocks if block.place == "memory"), ())
        assert len(shown) <= 3


async def test_the_users_own_words_go_by_the_speaker() -> None:
    (item,) = await items(KeyFacts(), fact(2, "I like green tea"))
    assert (item.text, item.messages[0].text) == ("", SAID[2]), "a short message says it itself"
    (item,) = await items(KeyFacts(), fact(1, "I live in Lisbon"))
    assert (item.text, item.label, item.messages[0].id) == ("I live in Lisbon", "", "old-2")


async def test_a_models_words_stand_beside_the_users() -> None:
    one = fact(1, "I live in Lisbon", text="The user lives in Lisbon.", by="model")
    (item,) = await items(KeyFacts(), one)
    assert (item.text, item.label) == ('The user lives in Lisbon. ("I live in Lisbon")', "fact")
    context = await context_of([KeyFacts(), SlidingWindow()], reader(one), query="Where do I live?")
    assert '[fact] The user lives in Lisbon. ("I live in Lisbon")' in str(context.messages[0]["content"])
    assert f"[{START.date()}" in str(context.messages[0]["content"])


async def test_several_facts_of_a_short_message_are_the_message() -> None:
    one, other = fact(0, "I'm allergic"), fact(0, "to peanuts", attribute="health")
    (item,) = await items(KeyFacts(), one, other)
    assert item.text == "" and set(item.records) == {one.id, other.id}


async def test_what_is_over_unsure_or_on_a_path_that_was_left_stays_out() -> None:
    one = fact(2, "I like green tea", closed_at=START + timedelta(days=1))
    unsure = fact(2, "I like green tea", data={"status": "unverified"})
    for record in (one, unsure):
        assert await items(KeyFacts(), record) == [] == await items(Facts(), record, query="green tea")
    gone = ListReader(conversation(("user", "What now?")), records=[fact(2, "I like green tea")])
    assert await KeyFacts().recall(request(gone)) == []


async def test_a_contradiction_is_shown_as_one() -> None:
    texts = [item.text for item in await items(KeyFacts(), fact(2, "I like green tea", data={"status": "conflict"}))]
    assert texts == ["I like green tea (contradicts another statement)"]
    blocks = await KeyFacts().recall(
        request(reader(fact(2, "I like green tea", data={"status": "conflict"})), query="茶")
    )
    assert blocks[0].items[0].text.endswith("（与另一说法矛盾）")


async def test_a_persons_correction_needs_no_message() -> None:
    one = fact(2, "I like green tea", data={"by": "person"})
    (item,) = await items(
        KeyFacts(), Record("c", FACT, "I like black tea", "person", "1", (), data=one.data, importance=0.9)
    )
    assert (item.text, item.messages, item.label) == ("I like black tea", (), "fact")


async def test_what_stands_in_the_window_is_not_said_twice() -> None:
    messages = conversation(("user", "I like green tea."), ("user", "And now?"))
    record = Record(
        "f", FACT, "I like green tea", RULES, "1", (Source("s-1", 0, 16, "I like green tea"),), importance=0.8,
        data={"by": "rules", "attribute": "likes"},
    )  # fmt: skip
    context = await context_of(
        [KeyFacts(), Facts(), SlidingWindow()], ListReader(messages, records=[record]), query="tea"
    )
    assert str(context.messages).count("green tea") == 1


async def test_two_strategies_say_a_fact_once() -> None:
    one = fact(1, "I live in Lisbon", attribute="home", importance=0.8)
    context = await context_of([KeyFacts(), Facts(), SlidingWindow()], reader(one), query="Where do I live? Lisbon?")
    assert str(context.messages[0]["content"]).count("I live in Lisbon") == 1


async def test_facts_come_only_for_a_question() -> None:
    tea, home = fact(2, "I like green tea"), fact(1, "I live in Lisbon")
    assert await items(Facts(), tea, home) == []
    assert [item.records[0] for item in await items(Facts(), tea, home, query="green tea?")] == [tea.id]
