"""Entities as lines of a context: who they are and the facts about them, dated, with the messages that say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from jiyi.commands import evidence
from jiyi.entities import ENTITY, is_user, named_of, type_of
from jiyi.graph.then import told_by
from jiyi.graph.walking import named_in
from jiyi.ports import Reader, Request
from jiyi.statements import FACT
from jiyi.strategies.reading import standing
from jiyi.text import flat, language
from jiyi.types import Item, Message, Record, Source

LABEL = "entity"
_FACTS = 3  # of an entity, the most important
_QUOTES = 4  # of a line


async def lines_for(request: Request, *, types: Sequence[str], k: int, floor: float | None) -> list[Item]:
    """What a question names, in its order, then what a search for it brings back; of types, where some are given."""
    reader = request.reader
    why = {record.id: (record, "named in the question") for record in await named_in(reader.records, request.query)}
    for hit in await reader.find_records(request.query, kind=ENTITY, limit=k, floor=floor):
        why.setdefault(hit.record.id, (hit.record, hit.why))
    chosen = [record for record, _ in why.values() if not types or type_of(record) in types][: 2 * k]
    facts = await _facts(reader, chosen)
    there = await standing(reader, (source.message_id for one in (*chosen, *facts) for source in evidence(one)))
    items: list[Item] = []
    for place, whole in enumerate(chosen):
        record = told_by(whole, lambda one: one.message in there)  # as of a day less had been said
        if record is None:
            continue
        about = [fact for fact in facts if not is_user(record) and not set(record.links).isdisjoint(fact.links)]
        if item := _item(record, about[-_FACTS:], there):
            items.append(replace(item, score=1 / (1 + place), why=why[record.id][1]))
    return items


async def _facts(reader: Reader, records: Sequence[Record]) -> list[Record]:
    """The facts about entities; about the user there are too many, and other strategies for them."""
    links = list(dict.fromkeys(link for record in records if not is_user(record) for link in record.links))
    if not links:
        return []
    found = await reader.records(kind=FACT, links=links, important=True, limit=_FACTS * len(links))
    return [fact for fact in found if fact.data.get("status") != "unverified"]


def _item(record: Record, facts: Sequence[Record], there: Mapping[str, Message]) -> Item | None:
    """A line about an entity; None where no message stands, or nothing is known but a name."""
    facts = [fact for fact in facts if any(source.message_id in there for source in evidence(fact))]
    quotes = [source for source in _telling(record) if source.message_id in there]
    quotes += [source for fact in facts for source in evidence(fact)[-1:] if source.message_id in there]
    tells = ("aliases", "traits") if is_user(record) else ("type", "role", "aliases", "traits")
    says = any(record.data.get(name) for name in tells) or "corrected" in record.data
    if not quotes or not (says or facts):
        return None
    chosen = list({flat(source.quote or ""): source for source in quotes}.values())[:_QUOTES]
    messages = tuple({source.message_id: there[source.message_id] for source in chosen}.values())
    newest = sorted(messages, key=lambda message: (message.created_at is not None, message.seq), reverse=True)
    ids = (record.id, *(fact.id for fact in facts))
    return Item(tuple(newest), _text(record, facts), records=ids, label=LABEL, quotes=tuple(chosen))


def _telling(record: Record) -> list[Source]:
    """The clauses that say who it is, newest first, before those that only name it."""
    own = record.data.get("corrected")
    said = [source for source in record.sources if source.message_id == own]
    places = named_of(record)[::-1]
    tells = sorted(places, key=lambda one: not (one.traits or one.also or one.role or one.type))
    return said or [one.saying.source for one in tells]


def _text(record: Record, facts: Sequence[Record]) -> str:
    said = [fact.text.rstrip(".。") for fact in facts if flat(fact.text) not in flat(record.text)]
    if not said:
        return record.text
    return f"{record.text}；{'；'.join(said)}" if language(record.text) == "zh" else f"{record.text}; {'; '.join(said)}"
