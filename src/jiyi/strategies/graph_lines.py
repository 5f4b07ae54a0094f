"""Relations as lines of a context: the words that state them, dated, with their message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from jiyi.entities import is_user
from jiyi.graph import EntityGraph, Path, Quote, Relation
from jiyi.graph.building import HELD, Ground, graph_parts
from jiyi.graph.paths import BY_ITS_END
from jiyi.graph.walking import Course, named_in, walk
from jiyi.ports import Reader, Request
from jiyi.relations import RELATION
from jiyi.strategies.reading import nearly_whole, standing
from jiyi.types import Item, Record, Source

_PATHS = 60  # looked at, the best ones


@dataclass(frozen=True, slots=True)
class Line:
    """A relation that is wanted in a context, with the reason and how much."""

    relation: Relation
    score: float = 0.0
    why: str = ""


async def lines_for(request: Request, *, hops: int, most: int, floor: float | None) -> list[Line]:
    """The relations that a question is about, best first: around what it names, or else what a search brings back."""
    starts = await named_in(request.reader.records, request.query)
    if starts:
        return (await _around(request, starts, hops))[:most]
    return await _found(request, most, floor)


async def _around(request: Request, starts: Sequence[Record], hops: int) -> list[Line]:
    """Relations on the paths that fit the question, and those of others that it names than the user anyway.

    That the user says "I" calls for nobody: their brother is no answer to "who is my editor?".
    """
    course = Course.of(request.query, starts, hops)
    walked = await walk(request.reader.records, {one.id: one for one in starts}, course)
    parts = graph_parts(list(walked.entities.values()), list(walked.relations.values()), Ground(as_of=HELD))
    graph = EntityGraph(*parts, query=request.query, hops=hops)
    others = {one.id for one in starts if not is_user(one)}
    lines: dict[str, Line] = {}
    for path in graph.paths(limit=_PATHS):
        named = path.start.id in others or path.end.id in others
        if path.fit > (0 if named else BY_ITS_END) or (named and len(path.relations) == 1):
            for relation in path.relations:
                if relation.id not in lines:
                    lines[relation.id] = Line(relation, path.fit, _why(path))
    return list(lines.values())


async def _found(request: Request, most: int, floor: float | None) -> list[Line]:
    """Relations that a search brings back."""
    reader = request.reader
    hits = await reader.find_records(request.query, kind=RELATION, limit=most, floor=floor)
    if not hits:
        return []
    found = {hit.record.id: hit for hit in hits}
    records = [hit.record for hit in hits]
    entities = (await walk(reader.records, {}, Course(1), records)).entities
    made = graph_parts(list(entities.values()), records, Ground(as_of=HELD))[1]
    lines = [Line(one, found[one.id].score, found[one.id].why) for one in made]
    return sorted(lines, key=lambda line: line.score, reverse=True)


def _why(path: Path) -> str:
    return f"{path}, fit {path.fit:.2f}" if path.fit else str(path)


async def items_of(reader: Reader, lines: Sequence[Line]) -> list[Item]:
    """The newest quote of each relation whose message still stands, in order; in one look.

    A short message of which nearly all is quoted stands there itself, and the same words stand there once.
    """
    there = await standing(reader, (quote.message_id for line in lines for quote in line.relation.quotes))
    shown = [
        (line, next((one for one in line.relation.quotes[::-1] if one.message_id in there), None)) for line in lines
    ]
    quoted = [(there[one.message_id], one.start or 0, one.end or 0) for _, one in shown if one]
    whole = nearly_whole(one for one in quoted if one[0].kind != "command")
    found: dict[tuple[str, int | None], Item] = {}
    for line, quote in shown:
        if quote is None:
            continue
        message = there[quote.message_id]
        text, place = ("", None) if message.id in whole else (quote.text, quote.start or 0)
        quotes = (_source_of(quote),) if text else ()
        item = Item((message,), text, line.score, line.why, records=line.relation.ids, quotes=quotes)
        known = found.get((message.id, place))
        if known is not None:
            item = replace(known, records=tuple(dict.fromkeys((*known.records, *line.relation.ids))))
        found[message.id, place] = item
    return list(found.values())


def _source_of(quote: Quote) -> Source:
    """A quote as a source."""
    return Source(quote.message_id, quote.start, quote.end, quote.text)
