"""From records to entities and relations.  Pure.

An end of a relation is found by its name.  Of namesakes it is the one that the same message mentions; where none or
several do, the relation is left out: nothing is guessed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from jiyi.commands import PERSON
from jiyi.entities import form_of, is_user, messages_of, name_of, names_of, role_of, type_of
from jiyi.graph.then import told_by
from jiyi.graph.values import Entity, Evidence, Relation, stated_quotes
from jiyi.relations import ends_of, is_negated
from jiyi.relations import name_of as relation_of
from jiyi.types import NEVER, Record

HELD = NEVER
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


def entity_of(record: Record, ground: Ground) -> Entity:
    """The entity of a record."""
    said = _said(record)
    facts = {fact.id: fact for link in record.links for fact in ground.facts.get(link, ())}
    traits = record.data.get("traits")
    return Entity(
        id=record.id,
        name=name_of(record) or record.text,
        shown=str(record.data.get("value") or name_of(record) or record.text),
        type=type_of(record),
        role=role_of(record),
        aliases=names_of(record)[1:],
        description=str(traits.get("", "")) if isinstance(traits, Mapping) else "",
        facts=tuple(facts.values()),
        confidence=said.confidence(record, ground),
        since=record.said_at,
        said_at=said.last or record.said_at,
        user=is_user(record),
        record=record,
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """How often a record is said, and when last; read without its quotes, because a graph may have thousands."""

    says: float
    last: datetime | None

    def confidence(self, record: Record, ground: Ground) -> float:
        if record.data.get("by") == PERSON:
            return 1.0
        return confidence(self.says, ground.newest - self.last if ground.newest and self.last else None)


def _said(record: Record, messages: frozenset[str] | None = None) -> _Said:
    said = record.data.get("said")
    weights: dict[str, float] = {}
    last = ""
    for one in said if isinstance(said, list) else ():
        message = str(one.get("message")) if isinstance(one, dict) else ""
        if not isinstance(one, dict) or one.get("ends") or (messages is not None and message not in messages):
            continue
        weights[message] = 1.0 if one.get("speaker", "user") == "user" else 0.5
        if one.get("dated") is not False:
            last = str(one.get("at", "")) or last  # in order
    return _Said(sum(weights.values()), datetime.fromisoformat(last) if last else None)


def relations_of(records: Iterable[Record], entities: Iterable[Record], ground: Ground) -> list[Relation]:
    """The relations of which both ends are there, oldest first; what says the same under other aliases is one."""
    made = _Making(entities, ground)
    for record in sorted(records, key=lambda one: (one.said_at or one.recorded_at or NEVER, one.id)):
        made.take(record)
    return made.relations()


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
        self._found: dict[tuple[str, str, str, bool], list[Evidence]] = defaultdict(list)

    def take(self, record: Record) -> None:
        """One record: as many relations as the namesakes whom its messages mean."""
        heads, tails = (self._by_name.get(form_of(name), []) for name in ends_of(record))
        if not heads or not tails:
            return
        if len(heads) == len(tails) == 1:
            self._add(heads[0], record, tails[0], None)
            return
        between: dict[tuple[str, str], set[str]] = defaultdict(set)
        for quote in stated_quotes(Evidence(record)):
            head, tail = self._meant(heads, quote.message_id), self._meant(tails, quote.message_id)
            if head and tail:
                between[head, tail].add(quote.message_id)
        for (head, tail), messages in between.items():
            self._add(head, record, tail, frozenset(messages))

    def _add(self, head: str, record: Record, tail: str, messages: frozenset[str] | None) -> None:
        if head != tail:
            self._found[head, relation_of(record), tail, is_negated(record)].append(Evidence(record, messages))

    def _meant(self, named: Sequence[str], message: str) -> str | None:
        """Id of the entity, of those of one name, that the message means."""
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
        return [self._relation(*which, told) for which, told in self._found.items()]

    def _relation(self, head: str, relation: str, tail: str, negated: bool, told: Sequence[Evidence]) -> Relation:
        closed = [_closed_at(one.record, self._ground) for one in told]
        open_ = [one.record for one, at in zip(told, closed, strict=True) if at is None]
        shown = open_ or [one.record for one in told]
        said = [_said(one.record, one.messages) for one in told]
        return Relation(
            ids=tuple(dict.fromkeys(record.id for record in (*shown, *(one.record for one in told)))),
            head=self._entity(head),
            relation=relation,
            tail=self._entity(tail),
            said_at=min((one.record.said_at for one in told if one.record.said_at), default=None),
            valid_from=next((one.valid_from for one in shown if one.valid_from), None),
            valid_to=next((one.valid_to for one in reversed(shown) if one.valid_to), None),
            closed_at=None if open_ else max((at for at in closed if at), default=None),
            negated=negated,
            confidence=_together(told, said, self._ground),
            evidence=tuple(told),
        )


def _together(told: Sequence[Evidence], said: Sequence[_Said], ground: Ground) -> float:
    """Confidence of what several records say."""
    last = max((one.last for one in said if one.last), default=None)
    both = _Said(sum(one.says for one in said), last)
    return max(both.confidence(one.record, ground) for one in told)


def _closed_at(record: Record, ground: Ground) -> datetime | None:
    """When it ended, as seen from then."""
    if record.closed_at is None or (ground.as_of is not None and record.closed_at > ground.as_of):
        return None
    return record.closed_at


def _then(records: Iterable[Record], as_of: datetime) -> list[Record]:
    found = (told_by(record, lambda one: not one.dated or one.at <= as_of) for record in records)
    return [record for record in found if record is not None]


def graph_parts(
    entities: Sequence[Record], relations: Sequence[Record], ground: Ground
) -> tuple[tuple[Entity, ...], tuple[Relation, ...]]:
    """Entities and relations of records; each entity is one and the same value wherever it stands.

    As of a time they are as they had been told by then.
    """
    if ground.as_of is not None and ground.as_of != HELD:
        entities, relations = _then(entities, ground.as_of), _then(relations, ground.as_of)
    made = relations_of(relations, entities, ground)
    known = {end.id: end for one in made for end in (one.head, one.tail)}
    return tuple(known.get(one.id) or entity_of(one, ground) for one in entities), tuple(made)
