"""What is known about a user, and what happened to a record, put in order for people.  Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, TypeAlias, get_args

from jiyi.attributes import ATTRIBUTES
from jiyi.commands import Command, Does, evidence
from jiyi.entities import is_user, names_of, role_of, shown_names, traits_of
from jiyi.mentions import USER
from jiyi.relations import ends_of
from jiyi.text import flat
from jiyi.types import NEVER, Message, Record, Source

Group: TypeAlias = Literal[
    "always", "person", "people", "tastes", "plans", "things", "other", "entities", "relations", "topics", "notes",
    "summaries", "snapshots",
]  # fmt: skip
GROUPS: tuple[Group, ...] = get_args(Group)
"""In their order; ``always`` is what stands in every prompt: pinned, or protected by its attribute."""

_KINDS: Mapping[str, Group] = {
    "entity": "entities", "relation": "relations", "topic": "topics", "note": "notes", "summary": "summaries",
    "snapshot": "snapshots",
}  # fmt: skip

_OF: Mapping[str, Group] = {
    **dict.fromkeys(("name", "age", "birthday", "home", "origin", "employer", "job", "school", "health"), "person"),
    **dict.fromkeys(("partner", "family", "friend", "pet"), "people"),
    **dict.fromkeys(("allergy", "diet", "likes", "dislikes", "habit", "rule"), "tastes"),
    **dict.fromkeys(("goal", "plan", "task", "deadline", "appointment", "event", "decision"), "plans"),
    **dict.fromkeys(("owns", "skill", "budget", "amount", "identifier"), "things"),
}

What: TypeAlias = Literal["said", "again", "closed"] | Does
_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Section:
    """Records that belong together; the most important first."""

    group: Group
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class About:
    """What is known about a user.

    Attributes:
        sections: those that have records, in the order of ``GROUPS``.
        messages: by id, the messages that the records rest on.
        names: what the ends of relations are called now, by the form in which they were said.
    """

    sections: tuple[Section, ...] = ()
    messages: Mapping[str, Message] = field(default_factory=dict[str, Message])
    names: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def records(self) -> tuple[Record, ...]:
        """All of them, in the order of the sections."""
        return tuple(record for section in self.sections for record in section.records)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to a record, or to another value of the same thing.

    Attributes:
        what: ``said``, ``again`` (the same was said again), ``closed``, or what a person ordered.
        at: when; None when nobody knows.
        record: id of the record.
        text: what it said.
        source: where that was said; of an order the message that it is.
        message: the same, as far as it is there.
        by: id of another record: the one that took the place of what was closed, that it was merged into, or that was
            split off; "" for none.
    """

    what: What
    at: datetime | None
    record: str
    text: str
    source: Source | None = None
    message: Message | None = None
    by: str = ""


def about(records: Sequence[Record], messages: Mapping[str, Message]) -> About:
    """The records in groups: current ones that are in doubt come with the rest, and say so in ``data["status"]``.

    Nothing stands there twice: entities and relations that only say what facts say are left out, and so are snapshots
    but the newest, and of two facts in the same words the second.
    """
    grouped: dict[Group, list[Record]] = {}
    for record in _besides(records):
        grouped.setdefault(group_of(record), []).append(record)
    said: set[str] = set()
    sections: list[Section] = []
    for group in GROUPS:
        shown = [one for one in sorted(grouped.get(group, ()), key=_weight, reverse=True) if _first(one, said)]
        sections += [Section(group, tuple(shown))] if shown else []
    return About(tuple(sections), messages, shown_names(one for one in records if one.kind == "entity"))


def _first(record: Record, said: set[str]) -> bool:
    """Whether a fact is the first in these words: "my sister lives in Graz" tells of the sister, and of her home."""
    if record.kind != "fact" or record.data.get("status"):
        return True
    words = flat(record.text)
    new = words not in said
    said.add(words)
    return new or record.pinned


def group_of(record: Record) -> Group:
    """Where a record belongs."""
    attribute = (record.key or "").rpartition(".")[2]
    known = ATTRIBUTES.get(attribute)
    if record.pinned or (record.kind == "fact" and known is not None and known.protected):
        return "always"
    return _KINDS.get(record.kind) or _OF.get(attribute, "other")


def _besides(records: Sequence[Record]) -> list[Record]:
    """What tells something that nothing before it tells: facts, then relations, then entities."""
    texts: dict[str, list[str]] = {}  # of facts, by message
    for record in records:
        for source in record.sources if record.kind == "fact" else ():
            texts.setdefault(source.message_id, []).append(flat(record.text))
    relations = [one for one in records if one.kind == "relation" and not _stated(one, texts)]
    told = "\n".join(flat(one.text) for one in (*(r for r in records if r.kind == "fact"), *relations))
    shown = [one for one in records if one.kind == "entity" and not is_user(one) and _tells(one, told)]
    shown += sorted((one for one in records if one.kind == "snapshot"), key=_weight)[-1:]
    left = {one.id for one in (*relations, *shown)} | {one.id for one in records if one.pinned}
    return [one for one in records if one.id in left or one.kind not in ("relation", "entity", "snapshot")]


def _stated(relation: Record, texts: Mapping[str, Sequence[str]]) -> bool:
    """Whether a fact of one of its messages names both ends."""
    ends = [end for end in ends_of(relation) if end != USER]
    said = (text for source in relation.sources for text in texts.get(source.message_id, ()))
    return any(all(_stands(end, text) for end in ends) for text in said)


def _tells(entity: Record, told: str) -> bool:
    """Whether an entity has a name, or something said of it, that stands in none of the texts."""
    words = (*names_of(entity), role_of(entity), *(said for said, _ in traits_of(entity).values()))
    return any(one and not _stands(one, told) for one in words)


def _stands(words: str, text: str) -> bool:
    """Whether words stand in a ``flat`` text: "Al" not within "also"."""
    low = flat(words)
    at = text.find(low)
    if not low or not low.isascii():
        return at >= 0
    while at >= 0:  # ten times as fast as an expression, which matters for thousands of names
        if not (_is_word(text[at - 1 : at]) or _is_word(text[at + len(low) : at + len(low) + 1])):
            return True
        at = text.find(low, at + 1)
    return False


def _is_word(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _weight(record: Record) -> tuple[bool, float, datetime, str]:
    said = record.said_at or record.recorded_at or NEVER
    return record.pinned, record.importance or 0.0, said, record.id


def events(
    records: Sequence[Record], derived: Sequence[Record], orders: Sequence[Command], messages: Mapping[str, Message]
) -> list[Event]:
    """What happened to records, oldest first; what has no time comes last.

    Args:
        records: as they are now; the first is the one that is asked about.
        derived: the same as they were derived, as far as they are.
        orders: the commands laid over them.
        messages: by id, what they rest on.
    """
    found: dict[tuple[str, str, str], Event] = {}

    def add(event: Event) -> None:
        place = event.source.message_id if event.source else ""
        found.setdefault((event.what if event.what != "again" else "said", event.record, place), event)

    ordered = {one.id for one in orders}
    for record in (*derived, *records):
        for number, source in enumerate(evidence(record)):
            if source.message_id not in ordered:
                add(_said("again" if number else "said", record, source, messages))
    for record in records:
        if record.closed_at is not None:
            closed = record.data.get("closed_by")
            by = closed.get("record") if isinstance(closed, Mapping) else None
            source = record.sources[-1] if isinstance(closed, Mapping) and record.sources else None
            message = messages.get(source.message_id) if source else None
            add(Event("closed", record.closed_at, record.id, record.text, source, message, str(by or "")))
    for one in orders:
        message = messages.get(one.id)
        other = one.other if one.does in ("merge", "split") else ""
        add(Event(one.does, one.at, one.record, one.text, Source(one.id), message, other))
    return sorted(found.values(), key=lambda event: event.at or _NEVER)


def _said(what: What, record: Record, source: Source, messages: Mapping[str, Message]) -> Event:
    message = messages.get(source.message_id)
    at = message.created_at if message else record.said_at
    return Event(what, at, record.id, record.text, source, message)
