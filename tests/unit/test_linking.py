"""``memory.entities`` and ``memory.graph`` over records in a store."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from jiyi import AsyncMemory, InvalidInput
from jiyi.graph import Path
from jiyi.mentions import USER
from tests.graphs import START, Told, pen_name, pen_name_zh, remembered

QUESTION = "Which backend does the project that Moyu started use?"


async def test_a_question_over_two_hops() -> None:
    memory = await remembered(pen_name())
    graph = await memory.graph(QUESTION, user_id="ada")
    best = graph.paths()[0]
    assert str(best) == "Moyu —created→ Starfinch —has the backend→ FastAPI"
    assert [quote.text for quote in best.quotes] == [
        "Moyu started the project Starfinch last spring",
        "Starfinch uses FastAPI as its backend",
    ]
    said = {message.id: message for message in await memory.messages(user_id="ada")}
    for quote in best.quotes:
        assert said[quote.message_id].text[quote.start : quote.end] == quote.text
        assert quote.said_at == said[quote.message_id].created_at and quote.session_id == "s"
    assert not (await memory.graph(QUESTION, user_id="bob")).paths()
    await memory.close()


async def test_in_chinese() -> None:
    memory = await remembered(pen_name_zh())
    graph = await memory.graph("墨鱼发起的项目后端是什么？", user_id="ada")
    assert str(graph.paths()[0]) == "墨鱼 —创建→ 星雀 —后端→ FastAPI"
    assert [quote.text for quote in graph.paths()[0].quotes] == ["墨鱼去年发起了星雀项目", "星雀的后端用的是FastAPI"]
    await memory.close()


async def test_only_what_lies_so_near_is_read() -> None:
    memory = await remembered(pen_name())
    near = await memory.graph(about="FastAPI", user_id="ada", hops=1)
    assert {entity.name for entity in near.entities} == {"FastAPI", "Starfinch"}
    assert len((await memory.graph(user_id="ada")).entities) == 5
    far = await memory.graph(about="FastAPI", to="Chen Mo", user_id="ada", hops=3)
    assert str(far.paths()[0]) == "FastAPI ←has the backend— Starfinch ←created— Moyu ←has the pen name— Chen Mo"
    assert not (await memory.graph(about="FastAPI", to="Chen Mo", user_id="ada", hops=2)).paths()
    await memory.close()


async def test_a_question_that_names_nobody_is_answered_by_what_is_found() -> None:
    memory = await remembered(pen_name())
    graph = await memory.graph("Who writes under a pen name?", user_id="ada")
    assert str(graph.paths()[0]) == "Chen Mo —has the pen name→ Moyu"
    assert not await memory.graph("What is the weather like?", user_id="ada")
    await memory.close()


async def test_what_was_deleted_or_hidden_is_not_there() -> None:
    told = pen_name()
    memory = await remembered(told)
    (relation,) = [one for one in (await memory.graph(user_id="ada")).relations if one.relation == "backend"]
    await memory.delete(relation.id, user_id="ada")
    assert [path.end.name for path in (await memory.graph(QUESTION, user_id="ada")).paths()][0] != "FastAPI"
    (moyu,) = await memory.entities(user_id="ada", query="Moyu")
    await memory.hide(moyu.id, user_id="ada")
    assert not await memory.graph(about="Moyu", user_id="ada")
    assert len((await memory.graph(user_id="ada")).relations) == 1
    await memory.close()


async def test_what_was_forgotten_is_not_there() -> None:
    memory = await remembered(pen_name())
    second = (await memory.messages(user_id="ada"))[1]
    await memory.forget(user_id="ada", message_ids=[second.id])
    assert "last spring" not in str(await memory.graph(user_id="ada"))
    await memory.close()


def ends(paths: list[Path]) -> set[str]:
    return {path.end.name for path in paths}


async def test_as_of() -> None:
    told = pen_name()
    told.relations = {
        name: replace(one, closed_at=START + timedelta(days=10)) if one.data["relation"] == "works_at" else one
        for name, one in told.relations.items()
    }
    memory = await remembered(told)
    question = "Where does Chen Mo work?"
    assert "Alder Labs" not in ends((await memory.graph(question, user_id="ada")).paths())
    then = await memory.graph(question, user_id="ada", as_of=START + timedelta(days=5))
    assert then.paths()[0].end.name == "Alder Labs"
    before = await memory.graph(question, user_id="ada", as_of=START + timedelta(days=1))
    assert "Alder Labs" not in ends(before.paths()) and {one.name for one in before.entities} >= {"Chen Mo", "Moyu"}
    await memory.close()


async def test_entities() -> None:
    told = Told()
    one = told.message("My insurer is Northwind Mutual (NM).")
    two = told.message("NM covers physiotherapy.")
    told.entity("Northwind Mutual", one, two, also=["NM"], type="organisation", traits={"": "insurer"})
    told.entity(USER, one)
    memory = await remembered(told)
    (found,) = await memory.entities(user_id="ada", query="what does nm do?")
    assert (found.name, found.type, found.aliases) == ("Northwind Mutual", "organisation", ("NM",))
    assert found.description == "insurer" and found.traits[0].quote is not None
    assert found.traits[0].quote.text == "My insurer is Northwind Mutual (NM)"
    assert {quote.message_id for quote in found.quotes} == {m.id for m in await memory.messages(user_id="ada")}
    assert found.confidence == 0.85 and (found.since, found.said_at) == (START, START + timedelta(days=1))
    assert [entity.name for entity in await memory.entities(user_id="ada")] == ["Northwind Mutual", "user"]
    assert len(await memory.entities(user_id="ada", limit=1)) == 1
    assert [entity.user for entity in await memory.entities(user_id="ada", query="我的保险公司")] == [True]
    assert await memory.entities(user_id="ada", type="project") == []
    assert len(await memory.entities(user_id="ada", type="organisation")) == 1
    await memory.close()


async def test_what_is_wrong_is_said() -> None:
    memory = await AsyncMemory.open("memory:", embedder=None)
    for field, given in {"hops": {"hops": 4}, "query": {"query": " "}, "about": {"about": ""}}.items():
        with pytest.raises(InvalidInput) as error:
            await memory.graph(user_id="ada", **given)  # type: ignore[arg-type]
        assert error.value.field == field
    with pytest.raises(InvalidInput):
        await memory.entities(user_id="ada", limit=-1)
    await memory.close()
