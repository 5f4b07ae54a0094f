"""A picture of a graph as one page that needs nothing else: no network, no fonts, no packages.  Pure.

The page lays itself out.  Everything that was said is data in it, never markup, and its policy lets only its own
script run.
"""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from jiyi.graph.answering import answers
from jiyi.graph.values import Entity, Quote, Relation
from jiyi.graph.whole import EntityGraph
from jiyi.text import mostly

_TITLES = {"en": "What is related in the memory of {user}", "zh": "{user} 的记忆：人与事物的关系"}


def page(graph: EntityGraph, user: str) -> str:
    """The page as text.

    Args:
        graph: what is drawn; what it was read for is lit.
        user: whose memory it is, for the title.
    """
    spoken = mostly(relation.text for relation in graph.relations)
    title = _TITLES[spoken].format(user=user)
    asked = graph.query or graph.about or graph.to
    paths, said = answers(graph) if asked else ([], False)
    numbers = {entity.id: number for number, entity in enumerate(graph.entities)}
    places = {relation.id: number for number, relation in enumerate(graph.relations)}
    data = {
        "language": spoken,
        "asked": graph.query,
        "nodes": [_node(entity, spoken) for entity in graph.entities],
        "edges": [_edge(relation, numbers) for relation in graph.relations],
        "path": [places[one.id] for path in paths[:1] for one in path.relations if said and one.id in places],
    }
    script, style, body = _parts()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_digest(script)}'"
    return (
        f'<!doctype html>\n<html lang="{"zh-CN" if spoken == "zh" else "en"}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"{body.replace('TITLE', escape(title))}"
        f'<script type="application/json" id="data">{_data(data)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _node(entity: Entity, spoken: str) -> dict[str, object]:
    return {
        "name": entity.called(spoken),
        "type": entity.type,
        "also": list(entity.aliases),
        "traits": [[one.attribute, one.text] for one in entity.traits],
        "facts": [fact.text for fact in entity.facts],
        "quotes": [_quote(quote) for quote in entity.quotes[-5:]],
        "sure": entity.confidence,
    }


def _edge(relation: Relation, numbers: dict[str, int]) -> dict[str, object]:
    return {
        "from": numbers[relation.head.id],
        "to": numbers[relation.tail.id],
        "label": relation.label,
        "not": relation.negated,
        "over": relation.closed_at is not None,
        "quotes": [_quote(quote) for quote in relation.quotes],
        "sure": relation.confidence,
    }


def _quote(quote: Quote) -> list[str]:
    return [quote.text, quote.said_at.date().isoformat() if quote.said_at else "", quote.session_id, quote.message_id]


def _data(value: object) -> str:
    """JSON that cannot end the element that it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _digest(script: str) -> str:
    return b64encode(sha256(script.encode()).digest()).decode()


@cache
def _parts() -> tuple[str, str, str]:
    """Script, style and body of the page."""
    folder = files(__package__ or "")
    script, style, body = ((folder / f"page.{kind}").read_text(encoding="utf-8") for kind in ("js", "css", "html"))
    return script, style, body
