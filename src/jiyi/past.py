"""The facts of a user at any place of the log, and the snapshots that are made of them.  Pure.

What is stored of a snapshot is a mark: its number, and the place.  What it says is worked out of the facts when it is
read, so it follows whatever becomes of them: a model that reads on, old messages that come in late, a person's word.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from jiyi.attributes import ATTRIBUTES, Attribute
from jiyi.commands import Command, evidence, listed
from jiyi.snapshots import ProfileSnapshot, SnapshotEntry
from jiyi.statements import Statement, statements_of
from jiyi.types import JSON, NEVER, Record, Source

SNAPSHOT, STEP = "snapshot", "snapshots"
LIMIT = 100
"""Entries of a snapshot, at most: those of the most important facts."""

Place: TypeAlias = tuple[datetime, int]
"""A place of the log: when something was said, and its seq."""
Fields: TypeAlias = Mapping[str, Sequence[Attribute]]
"""Section -> what stands in it, in order."""

_SECTIONS = {
    "profile": (
        "name", "age", "birthday", "home", "origin", "job", "employer", "school", "partner", "family", "friend", "pet",
        "allergy", "health", "diet", "likes", "dislikes", "habit", "skill", "owns", "identifier", "rule", "event",
    ),
    "task": ("goal", "decision", "task", "deadline", "plan", "appointment", "budget", "amount"),
}  # fmt: skip
SECTIONS: Fields = {name: tuple(ATTRIBUTES[one] for one in names) for name, names in _SECTIONS.items()}
"""The sections that every snapshot has."""


class Past:
    """The facts of one user at any place of the log.

    Args:
        facts: as people want them now, closed ones too.
        derived: the same as they were derived; only needed where there are orders.
        orders: what people ordered.
    """

    def __init__(
        self, facts: Iterable[Record], derived: Iterable[Record] = (), orders: Iterable[Command] = ()
    ) -> None:  # fmt: skip
        given = {one.id: (one.at, one.number) for one in orders}
        before = {record.id: _span(record, given) for record in derived}
        sure = sorted((one for one in facts if one.data.get("status") != "unverified"), key=_weight, reverse=True)
        self._facts = [_Lasting(one, _span(one, given), _ordered(one, given), before.get(one.id)) for one in sure]
        # in order: (place, number of a fact, whether it holds from there on)
        self._events = sorted(event for at, fact in enumerate(self._facts) for event in fact.events(at))
        self._next = 0
        self._asked: Place | None = None
        self._held: list[int] = []
        self._said: dict[str, list[Statement]] = {}
        self._begin: dict[str, Place] = {}
        self._instead_of: dict[str, tuple[str, ...]] = {}
        self._before = defaultdict[str, list[str]](list)
        for fact in self._facts:
            closed = fact.record.data.get("closed_by")
            if isinstance(closed, Mapping) and closed.get("record"):
                self._before[str(closed["record"])].append(fact.record.id)

    def at(self, place: Place) -> list[Record]:
        """The facts that had been said by then and still held, without unverified ones, the most important first.

        Places that are asked for in order are cheap: what lies between two of them is gone through once.
        """
        if self._asked is None or place < self._asked:
            self._next = 0
            self._held.clear()
        self._asked = place
        while self._next < len(self._events) and self._events[self._next][0] <= place:
            _, number, holds = self._events[self._next]
            at = bisect_left(self._held, number)
            there = at < len(self._held) and self._held[at] == number
            if holds and not there:
                self._held.insert(at, number)
            elif there and not holds:
                del self._held[at]
            self._next += 1
        return [self._facts[number].record for number in self._held]

    def said(self, fact: Record) -> list[Statement]:
        """The statements that one of them rests on; read once."""
        if fact.id not in self._said:
            self._said[fact.id] = statements_of(fact)
        return self._said[fact.id]

    def begin(self, fact: Record) -> Place:
        """Where one of them was said first."""
        if fact.id not in self._begin:
            self._begin[fact.id] = begin_of(fact)
        return self._begin[fact.id]

    def instead_of(self, record: str) -> tuple[str, ...]:
        """Ids of the facts that one has taken the place of, also of those before these."""
        if record not in self._instead_of:
            self._instead_of[record] = self._all_before(record)
        return self._instead_of[record]

    def _all_before(self, record: str) -> tuple[str, ...]:
        found: dict[str, None] = {}
        left = [record]
        while left:
            before = [name for name in self._before.get(left.pop(), ()) if name not in found and name != record]
            found.update(dict.fromkeys(before))
            left += before
        return tuple(found)


@dataclass(frozen=True, slots=True)
class _Span:
    begin: Place
    end: Place | None

    def ends(self) -> Iterator[tuple[Place, bool]]:
        """Where it begins and ends; nothing where it is empty."""
        if self.end is None or self.begin < self.end:
            yield self.begin, True
            if self.end is not None:
                yield self.end, False

    def has(self, place: Place) -> bool:
        return self.begin <= place and (self.end is None or place < self.end)


@dataclass(frozen=True, slots=True)
class _Lasting:
    """A fact, when it held, and how that was before people said anything about it."""

    record: Record
    span: _Span
    ordered: Place | None
    before: _Span | None

    def events(self, number: int) -> Iterator[tuple[Place, int, bool]]:
        """The places from which on it holds, or no longer, under its number."""
        if self.before is None or self.ordered is None:
            yield from ((place, number, holds) for place, holds in self.span.ends())
            return
        yield from ((place, number, holds) for place, holds in self.before.ends() if place < self.ordered)
        yield from ((place, number, holds) for place, holds in self.span.ends() if place > self.ordered)
        yield self.ordered, number, self.span.has(self.ordered)


def begin_of(record: Record, given: Mapping[str, Place] | None = None) -> Place:
    """Where a fact was said first; a correction where it was given.  ``given``: command -> place."""
    said = record.data.get("said")
    first = said[0] if isinstance(said, Sequence) and said else None  # the earliest: they are kept in order
    if isinstance(first, Mapping) and isinstance(at := first.get("at"), str):
        seq = first.get("seq")
        return datetime.fromisoformat(at), seq if isinstance(seq, int) else 0
    if given and (place := given.get(str(record.data.get("corrected")))) is not None:
        return place
    return record.said_at or record.recorded_at or NEVER, 0


def place_of(mark: Record) -> Place:
    """The place that a mark is of."""
    at, seq = mark.data.get("at"), mark.data.get("seq")
    moment = datetime.fromisoformat(at) if isinstance(at, str) else mark.said_at or mark.recorded_at or NEVER
    return moment, seq if isinstance(seq, int) else 0


def number_of(mark: Record) -> int:
    """The number of a mark."""
    number = mark.data.get("number")
    return number if isinstance(number, int) else 0


def all_sections(fields: Fields) -> Fields:
    """All sections: those of every snapshot, and the user's own.  An attribute stands where it is named last."""
    moved = {one.name for some in fields.values() for one in some}
    found = {name: tuple(one for one in some if one.name not in moved) for name, some in SECTIONS.items()}
    for name, some in fields.items():
        found[name] = (*found.get(name, ()), *some)
    return found


def kept_fields(fields: Fields) -> JSON:
    """The user's own fields as a mark keeps them."""
    return {name: [[one.name, one.values, one.asked.get("zh", "")] for one in some] for name, some in fields.items()}


def fields_of(mark: Record) -> Fields:
    """The user's own fields that a mark was made with."""
    kept = mark.data.get("fields")
    found: dict[str, list[Attribute]] = {}
    for section, some in kept.items() if isinstance(kept, Mapping) else ():
        for one in some if isinstance(some, Sequence) and not isinstance(some, str) else ():
            if isinstance(one, Sequence) and not isinstance(one, str) and len(one) == 3:
                name, values, label = map(str, one)
                kind = "one" if values == "one" else "fixed" if values == "fixed" else "many"
                found.setdefault(section, []).append(Attribute(name, kind, 0.5, asked={"zh": label} if label else {}))
    return found


def snapshot_of(mark: Record, past: Past) -> ProfileSnapshot:
    """What a mark stands for."""
    place, sections = place_of(mark), all_sections(fields_of(mark))
    order = {one.name: (at, section, one) for at, (section, one) in enumerate(_each(sections))}
    known = [fact for fact in past.at(place) if fact.data.get("attribute") in order]
    chosen = known[:LIMIT]
    there = {fact.id for fact in known}
    entries: list[tuple[tuple[int, bool, str, Place], SnapshotEntry]] = []
    for fact in chosen:
        at, section, attribute = order[str(fact.data["attribute"])]
        said = [one for one in past.said(fact) if one.order[:2] <= place]
        entry = _entry(fact, said, past.begin(fact), (section, attribute), there)
        entry = replace(entry, instead_of=past.instead_of(fact.id))
        entries.append(((at, entry.subject != "user", entry.subject, past.begin(fact)), entry))
    entries.sort(key=lambda one: (one[0], one[1].record))
    return ProfileSnapshot(
        mark.id, number_of(mark), place[0], tuple(entry for _, entry in entries), len(known) - len(chosen)
    )


def entry_of(
    fact: Record,
    section: str,
    attribute: Attribute,
    place: Place | None = None,
    there: Iterable[str] = (),
    messages: Container[str] | None = None,
) -> SnapshotEntry:
    """A fact as an entry: as it had been put by then, in the words that its text is of where there are such.

    Args:
        fact: as people want it.
        section, attribute: where it stands.
        place: the moment; None for now.
        there: ids of the facts that held then, for conflicts.
        messages: ids of those that may be quoted; None for all.
    """
    said = [one for one in statements_of(fact) if place is None or one.order[:2] <= place]
    said = [one for one in said if messages is None or one.message in messages]
    return _entry(fact, said, begin_of(fact), (section, attribute), there)


def _entry(
    fact: Record, said: Iterable[Statement], begin: Place, where: tuple[str, Attribute], there: Iterable[str]
) -> SnapshotEntry:
    """A fact as an entry of a section: as these statements put it."""
    section, attribute = where
    told = max(said, key=lambda one: (one.text == fact.text, one.order), default=None)
    data, proof = fact.data, evidence(fact)
    return SnapshotEntry(
        section=section,
        attribute=attribute.name,
        subject=str(data.get("subject") or "user"),
        value=told.value if told else str(data.get("value") or ""),
        text=told.text if told else fact.text,
        record=fact.id,
        source=told.source if told else proof[0] if proof else Source(""),
        said_at=(told.at if told.dated else None) if told else fact.said_at,
        since=begin[0],
        until=fact.closed_at,
        negated=bool(data.get("negated")),
        conflict=not set(listed(fact, "conflicts")).isdisjoint(there),
        single=attribute.values != "many",
        label=attribute.asked.get("zh", ""),
    )


def told_record(mark: Record, snapshot: ProfileSnapshot) -> Record:
    """A mark with what it stands for: text, sources, and the entries by section."""
    sources = {(entry.message_id, entry.source.start): entry.source for entry in snapshot.entries}
    sections: dict[str, JSON] = {
        name: [entry_json(entry) for entry in entries] for name, entries in snapshot.sections.items()
    }
    data: dict[str, JSON] = {"number": snapshot.number, "at": snapshot.at.isoformat(), "sections": sections}
    return replace(mark, text=snapshot.text, sources=tuple(sources.values()), data={**mark.data, **data})


def entry_json(entry: SnapshotEntry) -> dict[str, JSON]:
    """An entry as JSON."""
    said: dict[str, JSON] = {
        "attribute": entry.attribute,
        "subject": entry.subject,
        "value": entry.value,
        "text": entry.text,
        "record": entry.record,
        "message": entry.message_id,
        "quote": entry.quote,
        "said_at": entry.said_at.isoformat() if entry.said_at else None,
        "until": entry.until.isoformat() if entry.until else None,
    }
    return said | {name: True for name in ("negated", "conflict") if getattr(entry, name)}


def _span(record: Record, given: Mapping[str, Place]) -> _Span:
    closed = record.data.get("closed_by")
    if record.closed_at is None:
        return _Span(begin_of(record, given), None)
    seq = closed.get("seq") if isinstance(closed, Mapping) else None
    if isinstance(closed, Mapping) and not isinstance(seq, int):
        seq = given.get(str(closed.get("message")), (record.closed_at, 0))[1]
    return _Span(begin_of(record, given), (record.closed_at, seq if isinstance(seq, int) else 0))


def _ordered(record: Record, given: Mapping[str, Place]) -> Place | None:
    """Where the last order about it was given."""
    return max((given[name] for name in listed(record, "commands") if name in given), default=None)


def _each(fields: Fields) -> Iterator[tuple[str, Attribute]]:
    return ((section, one) for section, some in fields.items() for one in some)


def _weight(record: Record) -> tuple[bool, float, Place, str]:
    return record.pinned, record.importance or 0.0, begin_of(record), record.id
