"""Entities and topics as people grouped them: merged, split, renamed, chosen for a session.  Pure.

Such an order reaches the record of its id; only where nothing has that id, the one that says the same and rests on one
of the same messages.  It is laid over again at each reading, so what was merged or split grows with what is said.  What
was ordered about a record that went into another sleeps as long as it is there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from jiyi import entities, topics
from jiyi.commands import PERSON, Command, listed, mark
from jiyi.entities import ENTITY
from jiyi.text import flat
from jiyi.topics import KINDS, TOPIC, TopicSession
from jiyi.types import Record, Source

GROUPED = frozenset((ENTITY, TOPIC))
"""Kinds of records that can be merged and renamed."""


@dataclass(frozen=True, slots=True)
class Group:
    """A record as people grouped it, and the orders about it, in order of arrival."""

    record: Record
    orders: list[Command]


def grouped(records: Iterable[Record], orders: Sequence[Command], salt: bytes) -> dict[str, Group]:
    """The records by their ids, as people grouped them; those that an order makes come last.

    Args:
        records: as derived, of the kinds ``GROUPED``; those that orders were laid over already stay as they are.
        orders: of the same scope, in order of arrival.
        salt: the scope's.
    """
    groups = _Groups(records, [one for one in orders if one.kind in GROUPED], salt)
    undone = {one.other for one in orders if one.does == "undo"}
    there = [order for order in groups.orders if order.id not in undone]
    chosen = list({order.session_id: order for order in there if order.does == "topic" and order.session_id}.values())
    for order in chosen:
        groups.make(order)
    for order in there:
        if order.does == "merge":
            groups.merge(order)
        elif order.does == "split":
            groups.split(order)
        elif order.does not in ("topic", "undo"):
            groups.later.append(order)
    for order in sorted(chosen, key=lambda one: one.number):
        groups.choose(order)
    return groups.all()


class _Groups:
    def __init__(self, records: Iterable[Record], orders: Sequence[Command], salt: bytes) -> None:
        self.orders = orders
        self.later: list[Command] = []
        """Orders about one record, which it gets in the end."""
        self._salt = salt
        self._here = {record.id: record for record in records}
        self._over = {name: record.id for record in self._here.values() for name in listed(record, "joined")}
        self._laid = {name for name, record in self._here.items() if listed(record, "commands")}
        self._made = {one.other for one in orders if one.does == "split"}
        self._known = {*self._here, *self._over, *self._made}
        self._about = defaultdict[str, list[Command]](list)
        self._marks: dict[str, list[Record]] | None = None

    def merge(self, order: Command) -> None:
        """Puts a record into another, with all that is in it."""
        one, into = self._top(order.record, order), self._top(order.other, order, other=True)
        if one is None or into is None or one.id == into.id or one.kind != into.kind:
            return
        both = (entities.joined if one.kind == ENTITY else topics.joined)(into, one)
        inside = dict.fromkeys((*listed(into, "joined"), one.id, *listed(one, "joined")))
        self._here[into.id] = replace(both, data={**both.data, "joined": list(inside)})
        del self._here[one.id]
        self._over[one.id] = into.id
        self._about[into.id] += [order, *self._about.pop(one.id, ())]

    def split(self, order: Command) -> None:
        """Takes what some messages say of an entity out of it, as an entity of its own."""
        record = self._top(order.record, order)
        if record is None or record.kind != ENTITY:
            return
        rest, part = entities.parted(record, order.sources)
        if not part.sources:
            return
        if rest.sources:
            self._here[record.id] = rest
        else:
            del self._here[record.id]
        data = {name: value for name, value in part.data.items() if name != "joined"}
        self._here[order.other] = replace(part, id=order.other, data={**data, "parted": record.id})
        self._over.pop(order.other, None)
        self._about[record.id].append(order)
        self._about[order.other].append(order)

    def make(self, order: Command) -> None:
        """Makes the topic that a session was said to belong to, where nobody spoke of it yet."""
        if order.text and self._lead(order.record) not in self._laid and self._top(order.record, order) is None:
            self._here[order.record] = _made(order)

    def choose(self, order: Command) -> None:
        """Says that a session belongs to a topic."""
        record = self._top(order.record, order)
        if record is None or record.kind != TOPIC:
            return
        chosen = [*listed(record, "chosen"), order.session_id]
        self._here[record.id] = replace(record, data={**record.data, "chosen": chosen})
        self._about[record.id].append(order)

    def all(self) -> dict[str, Group]:
        """What came of it."""
        for order in self.later:
            record = self._exactly(order.record, order.mark, order)
            if record is not None:
                self._about[record.id].append(order)
        found: dict[str, Group] = {}
        for name, record in self._here.items():
            about = {one.id: one for one in self._about.get(name, ())}
            found[name] = Group(record, sorted(about.values(), key=lambda one: one.number))
        return found

    def _top(self, name: str, order: Command, *, other: bool = False) -> Record | None:
        """The record that is meant by an id, or that it went into."""
        found = self._exactly(self._lead(name), order.other_mark if other else order.mark, None if other else order)
        return None if found is not None and found.id in self._laid else found

    def _lead(self, name: str) -> str:
        """The id that an id leads to."""
        while name not in self._here and name in self._over:
            name = self._over[name]
        return name

    def _exactly(self, name: str, sign: str, order: Command | None) -> Record | None:
        if name in self._here or name in self._known or not sign:
            return self._here.get(name)
        if self._marks is None:
            self._marks = defaultdict(list)
            for record in self._here.values():
                self._marks[mark(self._salt, record)].append(record)
        found = [self._here[record.id] for record in self._marks.get(sign, ()) if record.id in self._here]
        if order is not None:
            said = set(order.sources)
            found = [record for record in found if any(source.message_id in said for source in record.sources)]
        return found[0] if len(found) == 1 else None


def _made(order: Command) -> Record:
    """A topic that a person named and nobody spoke of yet."""
    return Record(
        order.record, TOPIC, order.text, PERSON, "1", (Source(order.id, 0, len(order.text), order.text),),
        recorded_at=order.at, links=(flat(order.text),),
        data={"name": order.text, "value": order.text, "by": PERSON, "count": 0},
    )  # fmt: skip


def renamed(record: Record, order: Command) -> Record:
    """A record under the name that a person gave it; it keeps the old ones beside it."""
    if record.kind not in GROUPED:
        return record
    other = (entities.renamed if record.kind == ENTITY else topics.renamed)(record, order.text)
    return replace(other, data={**other.data, "renamed": order.id})


def said_since(record: Record, moment: datetime) -> Record | None:
    """What was said of an entity or topic after a moment; None when nothing was."""
    if record.kind == ENTITY:
        before = [one.saying for one in entities.named_of(record)]
        rest, _ = entities.parted(record, [one.message for one in before if not one.dated or one.at <= moment])
        return rest if rest.sources else None
    content = topics.content_of(record)
    sessions = [_last(one, moment) for one in content.sessions if one.until and one.until > moment]
    points = {kind: [point for point in content.points[kind] if point.at and point.at > moment] for kind in KINDS}
    if not sessions and not any(points.values()):
        return None
    left = replace(content, points=points, sessions=sessions, count=sum(one.count for one in sessions))
    return topics.composed(record, left)


def _last(one: TopicSession, moment: datetime) -> TopicSession:
    """A session as far as it is known to have spoken of a topic after a moment."""
    if one.since and one.since > moment:
        return one
    return TopicSession(one.session_id, one.last, one.last, one.until, one.until)
