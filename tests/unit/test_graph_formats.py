"""A graph for other programs, read back by them."""

from __future__ import annotations

import io
import re

import networkx
import pytest

from jiyi.graph import EntityGraph
from jiyi.graph.formats import graphml, mermaid
from jiyi.graph.page import page
from tests.graphs import Told, pen_name, pen_name_zh

EVIL = '"]; A --> B\n%% <script>alert("1")</script> `end` #35; & 😀\u0007\u2028'


def evil() -> EntityGraph:
    told = Told()
    first = told.message(f"{EVIL} uses Redis.")
    told.entity(EVIL, first, type="<b>")
    told.entity("Redis", first)
    told.relation(EVIL, "uses", "Redis", first)
    told.relation("Redis", 'rel "x" <y>', EVIL, first)
    return told.graph()


@pytest.mark.parametrize("told", [pen_name, pen_name_zh])
def test_graphml_is_read_by_networkx(told: type) -> None:
    graph = told().graph()
    read = networkx.read_graphml(io.BytesIO(graphml(graph).encode()), force_multigraph=True)
    assert read.is_directed() and (len(read), read.number_of_edges()) == (5, 4)
    names = dict(read.nodes(data="label"))
    edges = sorted(read.edges(keys=True, data=True), key=lambda edge: edge[2])
    for one, (head, tail, _, data) in zip(graph.relations, edges, strict=True):
        assert (names[head], data["relation"], names[tail]) == (one.head.name, one.relation, one.tail.name)
        assert (data["label"], data["quote"], data["message"]) == (one.label, one.quote.text, one.quote.message_id)
        assert data["said_at"] == one.said_at.isoformat() and data["confidence"] == one.confidence
        assert data["negated"] is False


def test_graphml_takes_whatever_stands_in_names() -> None:
    read = networkx.read_graphml(io.BytesIO(graphml(evil()).encode()), force_multigraph=True)
    (name,) = [name for _, name in read.nodes(data="label") if name != "Redis"]
    assert name == EVIL.replace("\u0007", "\ufffd") and {label for *_, label in read.edges(data="label")} >= {"uses"}


def test_no_graph() -> None:
    assert len(networkx.read_graphml(io.BytesIO(graphml(EntityGraph()).encode()))) == 0
    assert mermaid(EntityGraph()) == "graph LR\n"
    assert "<svg" in page(EntityGraph(), "ada")


def test_mermaid() -> None:
    assert mermaid(pen_name_zh().graph()) == (
        "graph LR\n"
        '    n0(["陈默"])\n    n1(["墨鱼"])\n    n2{{"星雀"}}\n    n3["FastAPI"]\n    n4[["青木实验室"]]\n'
        '    n0 -->|"笔名"| n1\n    n1 -->|"创建"| n2\n    n2 -->|"后端"| n3\n    n0 -->|"就职于"| n4\n'
    )


def test_mermaid_takes_whatever_stands_in_names() -> None:
    lines = mermaid(evil()).splitlines()
    assert len(lines) == 1 + 2 + 2
    for line in lines[1:]:
        assert re.fullmatch(r'    n\d(\W{1,2}"[^"<>`&\[\]{}]*"\W{1,2}| -->\|"[^"<>`&\[\]{}]*"\| n\d)', line), line
    assert "#60;script#62;" in lines[1] and "#35;35#59;" in lines[1]


def test_the_page_needs_nothing_else() -> None:
    text = page(evil(), '<i>"ada"</i>')
    assert "<i>" not in text and "&lt;i&gt;" in text
    assert text.count("<script") == 2 and "alert" not in text.partition("<svg")[0]
    data = text.partition('id="data">')[2].partition("</script>")[0]
    assert "<" not in data and ">" not in data and "\\u003cscript" in data
    assert not re.findall(r"(?:src|href)=|@import|url\(http", text)
    assert "default-src 'none'" in text.replace("&#x27;", "'")
