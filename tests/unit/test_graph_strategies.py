"""What the strategies ``entities`` and ``graph`` put into a context."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from jiyi import AsyncMemory, InvalidInput, SlidingWindow
from jiyi.embedders.hashing import HashingEmbedder
from jiyi.entities import entity, named_of
from jiyi.mentions import USER
from jiyi.ports import Strategy
from jiyi.strategies.entities import Entities
from jiyi.strategies.graph import Graph
from jiyi.types import Vector
from tests.graphs import START, Planted, Told, pen_name, pen_name_zh, remembered

QUESTION = "Which backend does the project that Moyu started use?"


async def shown(told: Told, strategy: Strategy, query: str, **options: Any) -> str:
    memory = await remembered(told, recipe=[Planted(told), SlidingWindow(turns=1)])
    memory.strategies = [strategy, SlidingWindow(turns=1)]
    context = await memory.session("new", user_id="ada").context(query, max_tokens=1500, **options)
    await memory.close()
    return "\n".join(str(message["content"]) for message in context.messages)


async def test_the_words_of_each_hop_stand_under_their_date() -> None:
    text = await shown(pen_name(), Graph(), QUESTION)
    assert "[2026-03-03 Tue]\n[user] Moyu started the project Starfinch last spring" in text
    assert "[2026-03-04 Wed]\n[user] Starfinch uses FastAPI as its backend" in text
    one = await shown(pen_name(), Graph(k=2), QUESTION)
    assert "last spring" in one and "FastAPI" in one and "Alder Labs" not in one, "the best path first"


async def test_in_chinese() -> None:
    text = await shown(pen_name_zh(), Graph(), "墨鱼发起的项目后端是什么？")
    assert "[2026-03-03 周二]\n[用户] 墨鱼去年发起了星雀项目" in text and "星雀的后端用的是FastAPI" in text


async def test_so_many_hops() -> None:
    question = "How is FastAPI connected to Alder Labs?"
    assert "Alder Labs" in await shown(pen_name(), Graph(hops=1), question)
    assert "Chen Mo writes" not in await shown(pen_name(), Graph(hops=1), "What has FastAPI for a backend?")
    with pytest.raises(InvalidInput):
        Graph(hops=4)


async def test_an_unrelated_question_brings_nothing() -> None:
    for strategy in (Graph(), Entities()):
        for question in ("What is the capital of France?", "今天天气怎么样？"):
            assert "Moyu" not in await shown(pen_name(), strategy, question)


async def test_cited_lines_name_their_message() -> None:
    memory = await remembered(pen_name())
    second = (await memory.messages(user_id="ada"))[1]
    chat = memory.session("new", user_id="ada")
    memory.strategies = [Graph(cited=True), SlidingWindow(turns=1)]
    assert f"#{second.id[-8:]}] Moyu started" in str((await chat.context(QUESTION, max_tokens=1500)).messages)
    memory.strategies = [Entities(cited=True), SlidingWindow(turns=1)]
    text = str((await chat.context(QUESTION, max_tokens=1500)).messages)
    assert "[entity] Moyu (person) (2026-03-02 #" in text and '"Chen Mo writes under the pen name Moyu"' in text
    await memory.close()


async def test_a_relation_that_is_over_is_not_shown() -> None:
    told = Told()
    one, two = told.message("Ines works at Alder Labs."), told.message("Ines left Alder Labs.")
    told.entity("Ines", one, two)
    told.entity("Alder Labs", one, two)
    told.relation("Ines", "works_at", "Alder Labs", one, closed_at=START + timedelta(days=1))
    question = "Where does Ines work?"
    assert "Ines works at" not in await shown(told, Graph(), question)
    assert "Ines works at" in await shown(told, Graph(), question, as_of=START + timedelta(hours=5))


async def test_who_the_question_names_comes_first_with_what_was_said_of_them() -> None:
    told = Told()
    one = told.message("My insurer is Northwind Mutual (NM), a small mutual insurer.")
    two = told.message("Dr. Osei is my cardiologist.")
    told.entity("Northwind Mutual", one, also=["NM"], type="organisation", traits={"": "a small mutual insurer"})
    told.entity("Dr. Osei", two, type="person", role="my cardiologist")
    text = await shown(told, Entities(), "Does NM cover the stay?")
    assert "[entity] Northwind Mutual (organisation), also called NM: a small mutual insurer" in text
    assert "Osei" not in text
    assert "Osei" in await shown(told, Entities(), "What was my cardiologist's name?")
    assert "Osei" not in await shown(told, Entities(types=["organisation"]), "What was my cardiologist's name?")


async def test_a_bare_name_is_no_line() -> None:
    told = Told()
    told.entity("Zed", told.message("Zed came by."))
    assert "[entity]" not in await shown(told, Entities(), "Who is Zed?")
    told.entity(USER, told.message("I came too."), type="person")
    assert "[entity]" not in await shown(told, Entities(), "Where was I?"), "that the user is a person tells nothing"


async def test_facts_about_an_entity_stand_beside_it() -> None:
    told = Told()
    one, two = told.message("My sister is called Mia."), told.message("Mia is allergic to walnuts.")
    told.entity("Mia", one, two, type="person", role="My sister")
    told.fact("Mia", "Mia is allergic to walnuts", two)
    memory = await remembered(told)
    (mia,) = await memory.entities(user_id="ada", query="What must Mia not eat?")
    assert [fact.text for fact in mia.facts] == ["Mia is allergic to walnuts"]
    await memory.close()
    text = await shown(told, Entities(), "What should I bring Mia?")
    assert "[entity] Mia (person): My sister; Mia is allergic to walnuts" in text


async def test_by_name() -> None:
    memory = await AsyncMemory.open("memory:", embedder=None, recipe="graph")
    assert [one.name for one in memory.strategies][:1] == ["graph"]
    await memory.use_recipe([Entities(), Graph(), SlidingWindow(turns=1)])
    await memory.close()


async def test_of_the_user_only_what_fits_the_question() -> None:
    told = Told()
    one, two = told.message("I work at Alder Labs."), told.message("I use Redis.")
    told.entity(USER, one, two)
    told.entity("Alder Labs", one, type="organisation")
    told.entity("Redis", two, type="technology")
    told.relation(USER, "works_at", "Alder Labs", one)
    told.relation(USER, "uses", "Redis", two)
    text = await shown(told, Graph(), "Which company do I work for?")
    assert "Alder Labs" in text and "Redis" not in text
    assert "Redis" not in await shown(told, Graph(), "I had a long day")
    assert "Redis" not in await shown(told, Graph(), "I am thinking about Alder Labs")
    assert "Alder Labs" not in await shown(told, Graph(), "Who is my editor?")


class Counting(HashingEmbedder):
    """Counts the questions that it embeds."""

    asked = 0

    async def embed_query(self, text: str) -> Vector:
        self.asked += 1
        return await super().embed_query(text)


async def test_one_embedding_for_a_read() -> None:
    embedder = Counting()
    told = pen_name()
    memory = await remembered(told, embedder=embedder)
    memory.strategies = [Graph(), Entities(), SlidingWindow(turns=1)]
    await memory.session("new", user_id="ada").context("Who writes under a pen name?", max_tokens=1500)
    assert embedder.asked == 1
    await memory.close()


@pytest.mark.parametrize("made", [Graph, Entities])
def test_settings_are_checked(made: Any) -> None:
    for wrong in ({"k": 0}, {"share": 0}, {"floor": 2}, {"every": 0}):
        with pytest.raises(InvalidInput):
            made(**wrong)


async def test_as_of_a_day_only_what_had_been_said_by_then() -> None:
    told = Told()
    one = told.message("Northwind is an insurer.")
    two = told.message("Northwind, also known as NW, is our largest customer. Northwind uses Redis.")
    told.entity("Northwind", one, type="organisation")
    told.entity("Redis", one, two)
    told.relation("Northwind", "uses", "Redis", one, two)
    id_ = next(id_ for id_, record in told.entities.items() if record.data["name"] == "Northwind")
    first = told.entities[id_]
    later = named_of(told.entity_of("NW", two, traits={"": "our largest customer"}, also=("Northwind",)))
    told.entities[id_] = entity(id_, [*named_of(first), *later], strategy="entities:rules", version="1")
    then = START + timedelta(hours=1)
    text = await shown(told, Entities(), "Who is Northwind?")
    assert "largest customer" in text and "NW" in text
    text = await shown(told, Entities(), "Who is Northwind?", as_of=then)
    assert "[entity] Northwind (organisation)" in text and "NW" not in text and "largest" not in text
    memory = await remembered(told)
    graph = await memory.graph(about="Northwind", user_id="ada", as_of=then)
    (found,) = [one for one in graph.entities if one.name == "Northwind"]
    assert (found.aliases, found.description, len(graph.relations[0].quotes)) == ((), "", 1)
    await memory.close()
