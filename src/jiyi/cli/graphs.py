"""``graph`` and ``entities``: people and things that messages name, what relates them, and what answers a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC
from pathlib import Path
from typing import Any

import click

from jiyi.cli.app import State, opened, run, shared
from jiyi.cli.indexing import brought_up
from jiyi.cli.output import clean, console, say, short, show_table, when, write_json
from jiyi.cli.records import WHOSE, short_id, whose
from jiyi.cli.values import record_json
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput
from jiyi.graph import MOST_HOPS, Entity, EntityGraph, Quote, Relation
from jiyi.graph import Path as Chain
from jiyi.graph.answering import answers
from jiyi.graph.formats import graphml, mermaid
from jiyi.importing import moment
from jiyi.strategies.entities import Entities
from jiyi.text import language, mostly

_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "none": "No relations are known yet. They are found in what the user says: “Moyu started Starfinch.”",
        "nobody": "The question names nobody and nothing that is known; `jiyi entities` lists what is.",
        "unknown": "“{name}” is no name that is known; `jiyi entities` lists them.",
        "unanswered": "Nothing that was said answers this. What is known around it:",
        "nothing": "Nothing that was said answers this.",
        "said": "“{quote}” — {when}, {where}, message {message}",
        "session": "session {session}",
        "statement": "stated",
        "undated": "without a date",
        "sure": "fit {fit:.2f}, confidence {confidence:.2f}",
        "confidence": "confidence {confidence:.2f}",
        "more": "… and {count} more; --limit N shows them",
        "since": "since {when}",
        "until": "until {when}",
    },
    "zh": {
        "none": "还不知道任何关系。关系来自用户说过的话，例如“墨鱼发起了星雀。”",
        "nobody": "问题里没有提到已知的人或事物；`jiyi entities` 列出已知的。",
        "unknown": "没有叫“{name}”的；`jiyi entities` 列出已知的。",
        "unanswered": "说过的话里没有答案。与之有关的是：",
        "nothing": "说过的话里没有答案。",
        "said": "“{quote}”——{when}，{where}，消息 {message}",
        "session": "会话 {session}",
        "statement": "单独陈述",
        "undated": "日期不详",
        "sure": "契合度 {fit:.2f}，可信度 {confidence:.2f}",
        "confidence": "可信度 {confidence:.2f}",
        "more": "……另有 {count} 条；用 --limit N 查看",
        "since": "{when}起",
        "until": "至{when}",
    },
}
_PATHS, _RELATIONS = 5, 50  # shown, where nobody says how many


@click.command()
@click.argument("question", required=False)
@WHOSE
@click.option("--about", metavar="NAME", help="Where the paths begin, instead of at what the question names.")
@click.option("--to", metavar="NAME", help="Where they end.")
@click.option("--hops", type=click.IntRange(1, MOST_HOPS), default=2, show_default=True, metavar="N",
              help=f"Relations of a path, 1 to {MOST_HOPS}.")  # fmt: skip
@click.option("--as-of", "as_of", metavar="TIME", help="As it was known then (ISO 8601; UTC unless it says otherwise).")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Paths, or relations, at most.")
@click.option("--format", "form", type=click.Choice(["text", "json", "graphml", "mermaid"]), default="text",
              show_default=True, help="What is written.")  # fmt: skip
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a page with a picture of it.")
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to this file.")
@shared
@click.pass_obj
def graph(state: State, question: str | None, user: str | None, html: Path | None, **given: Any) -> None:
    """Show what relates people and things, with the words that say so.

    With a QUESTION, the paths over one to three relations that answer it, best first; without, all relations.
    """
    output, form = given.pop("output"), "json" if state.json else given.pop("form")
    limit = given.pop("limit")
    for field, path in (("html", html), ("output", output)):
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise InvalidInput(field, f"{path} must be a file to write in a directory that exists")
    found, title = run(_read(state, question, user, given))
    if html is not None:
        from jiyi.graph.page import page

        html.write_text(page(found, title), encoding="utf-8")
        say(f"{html.absolute()} is written")
    if form == "text":
        if html is None:
            _show(found, limit)
    elif form == "json" and output is None:
        write_json(graph_json(found, limit))
    else:
        _write(output, _text(found, form, limit))


async def _read(
    state: State, question: str | None, user: str | None, given: dict[str, Any]
) -> tuple[EntityGraph, str]:  # fmt: skip
    as_of = given.pop("as_of")
    asked = {name: given[name] for name in ("about", "to", "hops")}
    if as_of is not None:
        asked["as_of"] = moment("as_of", as_of, UTC)
    async with _opened(state, question) as memory:
        await _brought_up(memory)
        name = await whose(memory, user)
        return await memory.graph(question, user_id=name, **asked), name


def _opened(state: State, query: str | None) -> AbstractAsyncContextManager[AsyncMemory]:
    """The memory, with its embedder only where a question may have to be searched for."""
    return opened(state) if query else opened(state, embedder=None)


async def _brought_up(memory: AsyncMemory) -> None:
    """Finds entities and relations by rules also where the recipe does not read them."""
    if not any(one.name in ("entities", "graph") for one in memory.strategies):
        await memory.use_recipe([*memory.strategies, Entities()])
    await brought_up(memory)


def _text(found: EntityGraph, form: str, limit: int | None) -> str:
    import json

    if form == "graphml":
        return graphml(found)
    if form == "mermaid":
        return mermaid(found)
    return json.dumps(graph_json(found, limit), ensure_ascii=False, indent=2, default=str) + "\n"


def _write(output: Path | None, text: str) -> None:
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
        say(f"{output.absolute()} is written")


# -- for people


def _show(found: EntityGraph, limit: int | None) -> None:
    words, out = _WORDS[_language(found)], console()
    if found.query or found.about or found.to:
        _show_paths(found, limit, words)
        return
    if not found.relations:
        out.print(f"{_WORDS['en']['none']}\n{_WORDS['zh']['none']}", soft_wrap=True)
        return
    shown = found.relations[-(limit or _RELATIONS) :]
    for relation in shown:
        _line(str(Chain((relation.head, relation.tail), (relation,))), "bold")
        _said(relation, words)
    if len(shown) < len(found.relations):
        _line(words["more"].format(count=len(found.relations) - len(shown)), "dim")


def _show_paths(found: EntityGraph, limit: int | None, words: Mapping[str, str]) -> None:
    for name in filter(None, (found.about, found.to)):
        if not found.named(name):
            _line(words["unknown"].format(name=name))
            return
    paths, said = answers(found)
    if not paths:
        nobody = found.query and not found.entities
        _line(words["nobody"] if nobody else words["nothing"])
        return
    if not said:
        _line(words["unanswered"])
    shown = paths[: limit or _PATHS]
    for path in shown:
        sure = words["sure" if said and path.fit else "confidence"].format(fit=path.fit, confidence=path.confidence)
        _line(f"{path}   ({sure})", "bold")
        for relation in path.relations:
            _said(relation, words)
    if len(shown) < len(paths):
        _line(words["more"].format(count=len(paths) - len(shown)), "dim")


def _said(relation: Relation, words: Mapping[str, str]) -> None:
    """The newest words that say so, and since when it holds."""
    quote = relation.quote
    where = words["session"].format(session=quote.session_id) if quote.session_id else words["statement"]
    line = words["said"].format(
        quote=short(quote.text),
        when=when(quote.said_at)[:10] or words["undated"],
        where=where,
        message=quote.message_id,
    )
    holds = [words[name].format(when=when(at)[:10])
             for name, at in (("since", relation.valid_from), ("until", relation.valid_to)) if at]  # fmt: skip
    _line(f"    {line}" + (f" ({', '.join(holds)})" if holds else ""), "dim")


def _line(text: str, style: str = "") -> None:
    from rich.text import Text

    console().print(Text(clean(text), style=style), soft_wrap=True)


def _language(found: EntityGraph) -> str:
    """Of what was asked; without that, of most quotes."""
    asked = found.query or found.to or found.about
    return language(asked) if asked else mostly(relation.text for relation in found.relations)


# -- for programs


def quote_json(quote: Quote) -> dict[str, object]:
    """Words of a message, and where they stand."""
    return {
        "text": quote.text,
        "message_id": quote.message_id,
        "start": quote.start,
        "end": quote.end,
        "said_at": quote.said_at,
        "session_id": quote.session_id or None,
        "speaker": quote.speaker,
    }


def entity_json(entity: Entity) -> dict[str, object]:
    """An entity, with what was said of it and where."""
    return {
        "id": entity.id,
        "name": entity.name,
        "shown": entity.shown,
        "type": entity.type or None,
        "aliases": list(entity.aliases),
        "description": entity.description or None,
        "user": entity.user,
        "traits": [
            {"attribute": one.attribute, "text": one.text, "quote": one.quote and quote_json(one.quote)}
            for one in entity.traits
        ],
        "facts": [record_json(fact) for fact in entity.facts],
        "quotes": [quote_json(quote) for quote in entity.quotes],
        "confidence": entity.confidence,
        "since": entity.since,
        "said_at": entity.said_at,
    }


def relation_json(relation: Relation) -> dict[str, object]:
    """A relation, with the words that say so."""
    return {
        "id": relation.id,
        "head": relation.head.id,
        "relation": relation.relation,
        "tail": relation.tail.id,
        "label": relation.label,
        "negated": relation.negated,
        "quotes": [quote_json(quote) for quote in relation.quotes],
        "said_at": relation.said_at,
        "valid_from": relation.valid_from,
        "valid_to": relation.valid_to,
        "closed_at": relation.closed_at,
        "confidence": relation.confidence,
    }


def path_json(path: Chain) -> dict[str, object]:
    """A path, as a line and as what it is made of."""
    return {
        "text": str(path),
        "fit": path.fit,
        "confidence": round(path.confidence, 4),
        "entities": [entity.id for entity in path.entities],
        "relations": [relation.id for relation in path.relations],
        "forward": list(path.forward),
        "quotes": [quote_json(quote) for quote in path.quotes],
    }


def graph_json(found: EntityGraph, limit: int | None = None) -> dict[str, object]:
    """A graph, and the paths that answer what was asked."""
    asked = found.query or found.about or found.to
    return {
        "entities": [entity_json(entity) for entity in found.entities],
        "relations": [relation_json(relation) for relation in found.relations],
        "paths": [path_json(path) for path in found.paths(limit=limit or 20)] if asked else [],
    }


@click.command()
@click.argument("query", required=False)
@WHOSE
@click.option("--type", "type", metavar="TYPE", help="Only this type: person, organisation, project, technology…")
@click.option("--as-of", "as_of", metavar="TIME", help="As it was known then (ISO 8601; UTC unless it says otherwise).")
@click.option(
    "--limit", type=click.IntRange(0), metavar="N", help="At most so many: the first, or those last spoken of."
)
@shared
@click.pass_obj
def entities(state: State, query: str | None, user: str | None, as_of: str | None, **which: Any) -> None:
    """List people, organisations, projects and other things; with QUERY those that it names, or that answer it."""
    until = None if as_of is None else moment("as_of", as_of, UTC)

    async def work() -> tuple[list[Entity], list[Entity]]:
        async with _opened(state, query) as memory:
            await _brought_up(memory)
            name = await whose(memory, user)
            found = await memory.entities(user_id=name, query=query, as_of=until, **which)
            return found, found or await memory.entities(user_id=name, as_of=until)

    found, known = run(work())
    if state.json:
        write_json([entity_json(entity) for entity in found])
    elif not found:
        _line(_none(query, which["type"], known))
    else:
        rows = [_row(entity) for entity in found]
        show_table(["id", "name", "type", "since", "sure", "what is known"], rows, whole=["id", "since", "sure"])


def _none(query: str | None, kind: str | None, known: Sequence[Entity]) -> str:
    """Why there are none, and what there is."""
    if not known:
        return "no entities; they are found in what users say of people and things that have a name"
    types = sorted({one.type for one in known if one.type})
    if kind is not None and kind not in types:
        return f"no entities of type {kind!r}; there are {', '.join(types) or 'none that have one'}"
    return f"no entities answer {query!r}; `jiyi entities` lists all"


def _row(entity: Entity) -> Sequence[str]:
    also = f"({', '.join(entity.aliases)})" if entity.aliases else ""
    said = [f"{one.attribute}: {one.text}" if one.attribute else one.text for one in entity.traits]
    # of the user not what they only said, which is everything
    said += [fact.text for fact in [one for one in entity.facts if one.key or not entity.user][-3:]]
    known = " ".join(part for part in (also, "; ".join(dict.fromkeys(said))) if part)
    since, sure = when(entity.since)[:10], f"{entity.confidence:.2f}"
    return [short_id(entity.id), entity.called("en"), entity.type, since, sure, short(known)]
