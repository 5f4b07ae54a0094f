"""A graph for other programs: GraphML and Mermaid.  Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from xml.etree import ElementTree

from jiyi.graph.values import Entity, Relation
from jiyi.graph.whole import EntityGraph

_GRAPHML = "http://graphml.graphdrawing.org/xmlns"
_YED = "http://www.yworks.com/xml/graphml"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_OF_NODE = {"label": "string", "type": "string", "aliases": "string", "description": "string", "since": "string",
            "confidence": "double"}  # fmt: skip
_OF_EDGE = {"label": "string", "relation": "string", "quote": "string", "message": "string", "session": "string",
            "said_at": "string", "valid_from": "string", "valid_to": "string", "closed_at": "string",
            "negated": "boolean", "confidence": "double"}  # fmt: skip


def graphml(graph: EntityGraph) -> str:
    """As GraphML, with names where networkx, Gephi and yEd look for them; an edge has its newest quote."""
    root = ElementTree.Element("graphml", {"xmlns": _GRAPHML, "xmlns:y": _YED})
    for part, names in (("node", _OF_NODE), ("edge", _OF_EDGE)):
        for name, type_ in names.items():
            about = {"id": f"{part}_{name}", "for": part, "attr.name": name, "attr.type": type_}
            ElementTree.SubElement(root, "key", about)
        ElementTree.SubElement(root, "key", {"id": f"{part}_look", "for": part, "yfiles.type": f"{part}graphics"})
    top = ElementTree.SubElement(root, "graph", {"id": "G", "edgedefault": "directed"})
    for entity in graph.entities:
        node = ElementTree.SubElement(top, "node", {"id": _xml(entity.id)})
        _fill(node, "node", _node(entity))
        look = ElementTree.SubElement(node, "data", {"key": "node_look"})
        shape = ElementTree.SubElement(look, "y:ShapeNode")
        ElementTree.SubElement(shape, "y:NodeLabel").text = _xml(entity.shown)
    for number, relation in enumerate(graph.relations):
        ends = {"source": _xml(relation.head.id), "target": _xml(relation.tail.id)}
        edge = ElementTree.SubElement(top, "edge", {"id": f"e{number}", **ends})
        _fill(edge, "edge", _edge(relation))
        look = ElementTree.SubElement(edge, "data", {"key": "edge_look"})
        line = ElementTree.SubElement(look, "y:PolyLineEdge")
        ElementTree.SubElement(line, "y:Arrows", {"source": "none", "target": "standard"})
        ElementTree.SubElement(line, "y:EdgeLabel").text = _xml(relation.label)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _fill(element: ElementTree.Element, part: str, values: Mapping[str, str]) -> None:
    for name, value in values.items():
        if value:
            ElementTree.SubElement(element, "data", {"key": f"{part}_{name}"}).text = value


def _node(entity: Entity) -> dict[str, str]:
    return {
        "label": _xml(entity.shown),
        "type": _xml(entity.type),
        "aliases": _xml("; ".join(entity.aliases)),
        "description": _xml(entity.description),
        "since": _when(entity.since),
        "confidence": str(entity.confidence),
    }


def _edge(relation: Relation) -> dict[str, str]:
    return {
        "label": _xml(relation.label),
        "relation": _xml(relation.relation),
        "quote": _xml(relation.quote.text),
        "message": _xml(relation.quote.message_id),
        "session": _xml(relation.quote.session_id),
        "said_at": _when(relation.quote.said_at),
        "valid_from": _when(relation.valid_from),
        "valid_to": _when(relation.valid_to),
        "closed_at": _when(relation.closed_at),
        "negated": str(relation.negated).lower(),
        "confidence": str(relation.confidence),
    }


def _xml(text: str) -> str:
    """Text without what XML 1.0 cannot hold; the rest is escaped where it is written."""
    return _NOT_XML.sub("\ufffd", text)


def _when(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""


def mermaid(graph: EntityGraph) -> str:
    """As a Mermaid flowchart, for Markdown; an entity's shape tells its type."""
    numbers = {entity.id: number for number, entity in enumerate(graph.entities)}
    lines = ["graph LR"]
    for entity in graph.entities:
        left, right = _SHAPES.get(entity.type, ("[", "]"))
        lines.append(f'    n{numbers[entity.id]}{left}"{_label(entity.shown)}"{right}')
    for relation in graph.relations:
        arrow = "-.->" if relation.negated or relation.closed_at else "-->"
        head, tail = numbers.get(relation.head.id), numbers.get(relation.tail.id)
        lines.append(f'    n{head} {arrow}|"{_label(relation.label)}"| n{tail}')
    return "\n".join(lines) + "\n"


_SHAPES = {"person": ("([", "])"), "organisation": ("[[", "]]"), "project": ("{{", "}}"), "place": ("(", ")")}
_ESCAPED = {sign: f"#{ord(sign)};" for sign in '#"<>&`\\;{}[]()|*_~'}


def _label(text: str) -> str:
    """A name as it may stand in quotes; signs that mean something there by their number."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return "".join(_ESCAPED.get(char, char) for char in line) or "?"
