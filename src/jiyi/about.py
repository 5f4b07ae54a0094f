"""What is known about a user, and what happened to a record, put in order for people.  Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from jiyi.attributes import ATTRIBUTES
from jiyi.commands import Command, evidence
from jiyi.types import Message, Record, Source

Group: TypeAlias = Literal["always", "person", "people", "tastes", "plans", "things", "other", "notes", "summaries"]
GROUPS: tuple[Group, ...] = (
    "always", "person", "people", "tastes", "plans", "things", "other", "notes", "summaries",
)  # fmt: skip
"""In their order; ``always`` is what stands in every prompt: pinned, or protected by its attribute."""

_OF: Mapping[str, Group] = {
    **dict.fromkeys(("name", "age", "birthday", "home", "origin", "employer", "job", "school", "health"), "person"),
    **dict.fromkeys(("partner", "family", "friend", "pet"), "people"),
    **dict.fromkeys(("allergy", "diet", "likes", "dislikes", "habit", "rule"), "tastes"),
    **dict.fromkeys(("goal", "plan", "task", "deadline", "appointment", "event", "decision"), "plans"),
    **dict.fromkeys(("owns", "skill", "budget", "amount", "identifier"), "things"),
}

What: TypeAlias = Literal[
    "said", "again", "closed", "correct", "pin", "unpin", "hide", "confirm", "delete", "recover"
]  # fmt: skip
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
    """

    sections: tuple[Section, ...] = ()
    messages: Mapping[str, Message] = field(default_factory=dict[str, Message])

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
        by: of what was closed, the id of the record that took its place, "" for none.
    """

    what: What
    at: datetime | None
    record: str
    text: str
    source: Source | None = None
    message: Message | None = None
    by: str = ""


def about(records: Sequence[Record], messages: Mapping[str, Message]) -> About:
    """The records in groups: current ones that are in doubt come with the rest, and say so in ``data["status"]``."""
    grouped: dict[Group, list[Record]] = {}
    for record in records:
        grouped.setdefault(group_of(record), []).append(record)
    sections = (
        Section(group, tuple(sorted(grouped[group], key=_weight, reverse=True))) for group in GROUPS if group in grouped
    )
    return About(tuple(sections), messages)


def group_of(record: Record) -> Group:
    """Where a record belongs."""
    attribute = (record.key or "").rpartition(".")[2]
    known = ATTRIBUTES.get(attribute)
    if record.pinned or (record.kind == "fact" and known is not None and known.protected):
        return "always"
    if record.kind in ("note", "summary"):
        return "notes" if record.kind == "note" else "summaries"
    return _OF.get(attribute, "other")


def _weight(record: Record) -> tuple[bool, float, datetime, str]:
    said = record.said_at or record.recorded_at or datetime.min.replace(tzinfo=UTC)
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
        add(Event(one.does, one.at, one.record, one.text, Source(one.id), message))
    return sorted(found.values(), key=lambda event: event.at or _NEVER)


def _said(what: What, record: Record, source: Source, messages: Mapping[str, Message]) -> Event:
    message = messages.get(source.message_id)
    at = message.created_at if message else record.said_at
    return Event(what, at, record.id, record.text, source, message)
