"""Whatever is related to whatever: paths join, repeat nothing, and no text breaks an export."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st

from jiyi.graph import EntityGraph
from jiyi.graph.formats import graphml, mermaid
from jiyi.graph.names import named, stretches
from jiyi.graph.page import page
from jiyi.graph.questions import question_of
from jiyi.mentions import USER
from tests.graphs import START, Told

NAMES = st.sampled_from(["Ada", "Bo", "林薇", "星雀", "Redis", "X1", USER])
RELATIONS = st.sampled_from(["uses", "created", "works_at", "mentors"])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@st.composite
def graphs(draw: st.DrawFn) -> EntityGraph:
    edges = draw(st.lists(st.tuples(NAMES, RELATIONS, NAMES, st.booleans(), st.booleans()), max_size=14))
    told = Told()
    for name in ["Ada", "Bo", "林薇", "星雀", "Redis", "X1", USER]:
        told.entity(name, told.message(f"{name}."))
    for head, relation, tail, negated, closed in edges:
        if head != tail:
            more = {"closed_at": START} if closed else {}
            told.relation(head, relation, tail, told.message(f"{head} {relation} {tail}."), negated=negated, **more)
    return told.graph()


@given(graphs(), st.integers(1, 3), NAMES, st.none() | NAMES)
def test_paths_join_and_repeat_nothing(graph: EntityGraph, hops: int, about: str, to: str | None) -> None:
    for path in graph.paths(about=about, to=to, hops=hops, limit=500):
        assert 1 <= len(path.relations) <= hops and len(path.entities) == len(path.relations) + 1
        assert len({entity.id for entity in path.entities}) == len(path.entities)
        for one, first, second, forward in zip(
            path.relations, path.entities[:-1], path.entities[1:], path.forward, strict=True
        ):
            assert (one.head, one.tail) == ((first, second) if forward else (second, first))
            assert one.closed_at is None and (not one.negated or len(path.relations) == 1)
            assert one.quotes and all(quote.text for quote in one.quotes)
        assert about in path.start.names and (to is None or to in path.end.names)
        assert 0 < path.confidence <= 1


@given(graphs(), st.integers(1, 3))
def test_nothing_is_invented(graph: EntityGraph, hops: int) -> None:
    stated = {(one.head.name, one.relation, one.tail.name) for one in graph.relations}
    for question in ("What does Ada use?", "星雀是谁创建的？", "How is Bo related to 林薇?", "Where do I work?"):
        found = graph.paths(question, hops=hops)
        assert found == graph.paths(question, hops=hops)
        for path in found:
            assert {(one.head.name, one.relation, one.tail.name) for one in path.relations} <= stated
            assert 0 <= path.fit <= 1


@given(TEXTS, st.lists(TEXTS.filter(str.strip), max_size=5))
def test_any_question_is_read(question: str, names: list[str]) -> None:
    found = named(question, {name: [name] for name in names})
    assert all(one.start < one.end for one in found)
    assert all(one.end <= other.start for one, other in zip(found, found[1:], strict=False))
    asked = question_of(question, {name: [name] for name in names})
    assert all(0 < sure <= 1 for sure in asked.relations.values())
    assert len(stretches(question)) <= 20 * len(question) + 5


@given(TEXTS.filter(str.strip), TEXTS.filter(str.strip), TEXTS)
def test_any_text_can_be_exported(name: str, relation: str, said: str) -> None:
    told = Told()
    first = told.message(said or "x")
    told.entity("Redis", first)
    told.entity(f"Z {name}", first, type=name)
    told.relation("Redis", relation, f"Z {name}", first)
    graph = told.graph()
    root = ElementTree.parse(io.BytesIO(graphml(graph).encode())).getroot()
    assert len(root.findall(".//{*}edge")) == len(graph.relations) == 1
    assert len(mermaid(graph).splitlines()) == 4
    text = page(graph, name)
    assert text.count("</script>") == 2 and text.rstrip().endswith("</html>")
