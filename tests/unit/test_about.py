"""What is known about a user: groups of their own for each kind, and nothing twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from jiyi.about import about
from jiyi.types import Record, Source
from tests.graphs import Told

DAY = datetime(2026, 3, 2, tzinfo=UTC)


def fact(text: str, message: str, key: str = "user.employer") -> Record:
    return Record(f"fact:{text}", "fact", text, "facts", "1", (Source(message),), key=key, data={"value": text})


def groups(*records: Record) -> dict[str, list[str]]:
    return {section.group: [one.text for one in section.records] for section in about(records, {}).sections}


def test_a_relation_that_a_fact_states_is_left_out() -> None:
    told = Told()
    one, two = told.message("I work at Acme."), told.message("Mia works at Initech.")
    mine, hers = told.relation("user", "works_at", "Acme", one), told.relation("Mia", "works_at", "Initech", two)
    relations = told.relations
    found = groups(fact("I work at Acme", one), relations[mine], relations[hers])
    assert found == {"person": ["I work at Acme"], "relations": ["Mia works at Initech"]}
    assert "relations" in groups(fact("I work at Acme", "another message"), relations[mine])


def test_an_entity_that_only_has_a_name_stands_where_nothing_else_names_it() -> None:
    told = Told()
    one, two = told.message("我在光合公司上班。"), told.message("林薇是我的导师。")
    company = told.entities[told.entity("光合公司", one, type="organisation")]
    tutor = told.entities[told.entity("林薇", two, type="person", traits={"": "我的导师"})]
    user = told.entities[told.entity("user", one)]
    assert groups(company, tutor) == {"entities": ["林薇（人物）：我的导师", "光合公司（组织）"]}
    assert groups(fact("在光合公司上班", one), company, tutor, user) == {
        "person": ["在光合公司上班"], "entities": ["林薇（人物）：我的导师"],
    }  # fmt: skip


def test_a_name_within_a_word_tells_nothing_and_what_is_pinned_always_stands() -> None:
    told = Told()
    one = told.message("Al also works.")
    al = told.entities[told.entity("Al", one)]
    assert groups(fact("I also work", one), al)["entities"] == ["Al"]
    assert groups(fact("I work with Al", one), al, replace(al, id="pinned", pinned=True))["always"] == ["Al"]


def test_of_snapshots_the_newest() -> None:
    old = Record("snapshot:1", "snapshot", "I live in Lisbon", "snapshots", "1", (Source("m1"),), said_at=DAY)
    new = replace(old, id="snapshot:2", text="I live in Porto", said_at=DAY.replace(day=9))
    topic = Record("topic:1", "topic", "Atlas: maps.", "topics", "1", (Source("m1"),))
    assert groups(new, old, topic) == {"topics": ["Atlas: maps."], "snapshots": ["I live in Porto"]}


def test_facts_in_the_same_words_stand_there_once() -> None:
    family = fact("My sister Mia lives in Graz", "m1", "user.family")
    home = replace(fact("My sister Mia lives in Graz", "m1", "mia.home"), id="fact:home")

    def shown(*records: Record) -> int:
        return sum(map(len, groups(*records).values()))

    assert shown(family, home) == shown(home, family) == 1
    assert shown(family, replace(home, data={**home.data, "status": None})) == 1
    assert shown(family, replace(home, data={**home.data, "status": "conflict"})) == 2, "what is in doubt is seen"
    assert groups(home, replace(family, pinned=True)) == {"always": ["My sister Mia lives in Graz"]}


def test_what_ends_of_relations_are_called_now() -> None:
    told = Told()
    one = told.message("Rhea wrote it.")
    mara = told.entities[told.entity("Mara", one)]
    mara = replace(mara, links=("mara", "rhea stone"), data={**mara.data, "value": "Mara Stone"})
    toms = [told.entities[told.entity("Tom", one, role=role)] for role in ("my brother", "from accounting")]
    names = about([mara, *toms], {}).names
    assert names["rhea stone"] == names["mara"] == "Mara Stone"
