"""From records to entities and relations.  Pure.

An end of a relation is found by its name.  Of namesakes it is the one that the same message mentions; where none or
several do, the relation is left out: nothing is guessed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from jiyi.commands import PERSON
from jiyi.entities import form_of as form
from jiyi.entities import is_user, messages_of, name_of, named_of, names_of, role_of, traits_of, type_of
from jiyi.graph.values import Entity, Quote, Relation, Trait
from jiyi.relations import ends_of, is_negated, stated_of
from jiyi.relations import name_of as relation_of
from jiyi.sayings import Saying
from jiyi.types import Record, Source

_NEVER = datetime.min.replace(tzinfo=UTC)
HELD = _NEVER
"""``Ground.as_of`` for records that were read as of some time: all of them held."""


def confidence(says: float, age: timedelta | None) -> float:
    """What speaks for something, 0..1: never a model's own number.

    ``(1 - 0.3 * 0.5 ** (says - 1)) * (0.8 + 0.2 * 0.5 ** (age / 1 year))``: said once just now 0.7, twice 0.85, three
    times 0.93; what was last said a year ago counts nine tenths of that, and nothing less than eight tenths.

    Args:
        says: messages that say it: 1 for each of the user, a half for each of anybody else.
        age: from when it was said last to the newest message; None where that is not known.
    """
    fresh = 1.0 if age is None else 0.5 ** (max(age, timedelta()) / timedelta(days=365))
    return round((1 - 0.3 * 0.5 ** (max(says, 0.5) - 1)) * (0.8 + 0.2 * fresh), 4)


@dataclass(frozen=True, slots=True)
class Ground:
    """What entities and relations are read against.

    Attributes:
        newest: when the user's newest message was said.
        as_of: what was closed later holds.
        facts: facts about entities, by the names in their ``links``.
    """

    newest: datetime | None = None
    as_of: datetime | None = None
    facts: Mapping[str, Sequence[Record]] = field(default_factory=dict[str, Sequence[Record]])

    def age(self, last: datetime | None) -> timedelta | None:
        """How long before the newest message."""
        return self.newest - last if self.newest and last else None


def entity_of(record: Record, ground: Ground) -> Entity:
    """The entity of a record."""
    quotes = _quotes(record, [one.saying for one in named_of(record)])
    times = [quote.said_at for quote in quotes if quote.said_at]
    first, last = min(times, default=record.said_at), max(times, default=record.said_at)
    told = traits_of(record)
    by_place = {(one.message_id, one.start): one for one in quotes}
    traits = tuple(
        Trait(name, words, by_place.get((source.message_id, source.start))) for name, (words, source) in told.items()
    )
    facts = {fact.id: fact for link in record.links for fact in ground.facts.get(link, ())}
    sure = 1.0 if record.data.get("by") == PERSON else confidence(_says(quotes), ground.age(last))
    return Entity(
        id=record.id,
        name=name_of(record) or record.text,
        shown=str(record.data.get("value") or name_of(record) or record.text),
        type=type_of(record),
        role=role_of(record),
        aliases=names_of(record)[1:],
        description=told[""][0] if "" in told else "",
        traits=traits,
        facts=tuple(facts.values()),
        quotes=quotes,
        confidence=sure,
        since=first,
        said_at=last,
        user=is_user(record),
    )


def _quotes(record: Record, said: Iterable[Saying]) -> tuple[Quote, ...]:
    """The clauses that say so, oldest first, each once; what a person wrote of it comes last."""
    found = {(one.message, one.source.start): _quote(one.source, one) for one in said}
    if record.data.get("by") == PERSON:
        own = record.data.get("corrected")
        found |= {(one.message_id, one.start): _quote(one, None) for one in record.sources if one.message_id == own}
    return tuple(found.values())


def _quote(source: Source, said: Saying | None) -> Quote:
    return Quote(
        source.quote or "",
        source.message_id,
        source.start,
        source.end,
        said.at if said and said.dated else None,
        said.session_id if said else "",
        said.speaker if said else "user",
    )


def _says(quotes: Iterable[Quote]) -> float:
    """Messages that say it, those of the user in full."""
    return sum({quote.message_id: 1.0 if quote.speaker == "user" else 0.5 for quote in quotes}.values())


def relations_of(records: Iterable[Record], entities: Iterable[Record], ground: Ground) -> list[Relation]:
    """The relations of which both ends are there, oldest first; what says the same under other aliases is one."""
    made = _Making(entities, ground)
    for record in sorted(records, key=lambda one: (one.said_at or one.recorded_at or _NEVER, one.id)):
        made.take(record)
    return made.relations()


@dataclass(frozen=True, slots=True)
class _Said:
    """What one record says of two entities."""

    record: Record
    quotes: tuple[Quote, ...]


class _Making:
    """Relations between the entities of these records."""

    def __init__(self, entities: Iterable[Record], ground: Ground) -> None:
        self._ground = ground
        self._records = {record.id: record for record in entities}
        self._entities: dict[str, Entity] = {}
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for record in self._records.values():
            for name in dict.fromkeys(record.links):
                self._by_name[name].append(record.id)
        self._mentioned: dict[str, Mapping[str, Sequence[str]]] = {}
        self._found: dict[tuple[str, str, str, bool], list[_Said]] = defaultdict(list)

    def take(self, record: Record) -> None:
        """One record: as many relations as the namesakes whom its messages mean."""
        head, tail = map(form, ends_of(record))
        between: dict[tuple[str, str], list[Quote]] = defaultdict(list)
        for quote in _quotes(record, [one.saying for one in stated_of(record) if not one.ends]):
            first, second = self._end(head, quote.message_id), self._end(tail, quote.message_id)
            if first and second and first != second:
                between[first, second].append(quote)
        for (first, second), quotes in between.items():
            self._found[first, relation_of(record), second, is_negated(record)].append(_Said(record, tuple(quotes)))

    def _end(self, name: str, message: str) -> str | None:
        """Id of the entity of this name that the message means."""
        named = self._by_name.get(name, ())
        if len(named) > 1:
            named = [id_ for id_ in named if message in self._messages(id_)]
        return named[0] if len(named) == 1 else None

    def _messages(self, id_: str) -> Mapping[str, Sequence[str]]:
        if id_ not in self._mentioned:
            self._mentioned[id_] = messages_of(self._records[id_])
        return self._mentioned[id_]

    def _entity(self, id_: str) -> Entity:
        """The entity, made once."""
        if id_ not in self._entities:
            self._entities[id_] = entity_of(self._records[id_], self._ground)
        return self._entities[id_]

    def relations(self) -> list[Relation]:
        """What was taken."""
        return [self._relation(*which, said) for which, said in self._found.items()]

    def _relation(self, head: str, relation: str, tail: str, negated: bool, said: Sequence[_Said]) -> Relation:
        open_ = [one for one in said if _closed_at(one.record, self._ground) is None]
        shown = [one.record for one in open_ or said]
        quotes = {(one.message_id, one.start): one for told in said for one in told.quotes}
        ordered = sorted(quotes.values(), key=lambda one: (one.said_at or _NEVER, one.message_id, one.start or 0))
        times = [one.said_at for one in ordered if one.said_at]
        sure = any(one.record.data.get("by") == PERSON for one in said)
        ended = [at for one in said if (at := _closed_at(one.record, self._ground))]
        return Relation(
            ids=tuple(dict.fromkeys(record.id for record in (*shown, *(one.record for one in said)))),
            head=self._entity(head),
            relation=relation,
            tail=self._entity(tail),
            quotes=tuple(ordered),
            said_at=min(times, default=None),
            valid_from=next((one.valid_from for one in shown if one.valid_from), None),
            valid_to=next((one.valid_to for one in reversed(shown) if one.valid_to), None),
            closed_at=None if open_ else max(ended),
            negated=negated,
            confidence=1.0 if sure else confidence(_says(ordered), self._ground.age(max(times, default=None))),
        )


def _closed_at(record: Record, ground: Ground) -> datetime | None:
    """When it ended, as seen from then."""
    if record.closed_at is None or (ground.as_of is not None and record.closed_at > ground.as_of):
        return None
    return record.closed_at


def graph_parts(
    entities: Sequence[Record], relations: Sequence[Record], ground: Ground
) -> tuple[tuple[Entity, ...], tuple[Relation, ...]]:
    """Entities and relations of records; each entity is one and the same value wherever it stands."""
    made = relations_of(relations, entities, ground)
    known = {end.id: end for one in made for end in (one.head, one.tail)}
    return tuple(known.get(one.id) or entity_of(one, ground) for one in entities), tuple(made)
