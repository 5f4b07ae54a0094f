"""What a message says of somebody, as evidence of a fact: kept in the fact's record, so that facts can be worked out
again from what was said whenever something older, or something newer, comes in.  Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from jiyi.candidates import Candidate
from jiyi.importance import importance
from jiyi.likeness import Words, words
from jiyi.types import JSON, NEVER, Message, Record, Source

FACT = "fact"
RETRACTION = "retraction"
"""A record of this kind says that something is no longer so, for what was said before and comes in later.  It has no
text and stands in no prompt."""

_BY_TEXT = frozenset(("amount", "deadline", "appointment"))
"""Attributes of which the value alone does not say what it is of."""

_TIMES = ("event_from", "event_to", "valid_from", "valid_to")


@dataclass(frozen=True)
class Statement:
    """One thing that one message says.

    Attributes:
        at, seq: when it was said, as far as that is known, and its place in the log; both order it.
        dated: ``at`` is when it was said.  Otherwise nobody knows that, and it is when the store took it.
        source: the words of the message.
        step: name of the step that found it.
        maker: ``rules`` or ``model``.
        made: the model and the prompt, where a model did.
        subject, attribute, value, text, negated, ends, importance and times: as in ``Candidate``.
        asked: the person wants it kept: a pinned message, a stored statement, "remember this".
        speaker: role of who said it.
        record: id of the record that it is kept in; "" for a new one.
    """

    at: datetime
    seq: int
    dated: bool
    recorded_at: datetime | None
    source: Source
    step: str
    maker: str
    subject: str
    attribute: str
    value: str
    text: str
    made: Mapping[str, JSON] = field(default_factory=dict[str, JSON])
    negated: bool = False
    ends: bool = False
    importance: float = 0.5
    asked: bool = False
    speaker: str = "user"
    event_from: datetime | None = None
    event_to: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    record: str = ""

    @property
    def message(self) -> str:
        """Id of the message."""
        return self.source.message_id

    @property
    def order(self) -> tuple[datetime, int, int]:
        """Sorts by when it was said; within a message by place."""
        return self.at, self.seq, self.source.start or 0

    @property
    def key(self) -> str | None:
        """What the record is addressed by."""
        return key_of(self.subject, self.attribute)

    @cached_property
    def value_words(self) -> Words:
        """What the value says."""
        return words(self.value)

    @cached_property
    def text_words(self) -> Words:
        """What the whole text says."""
        return words(self.text)

    @property
    def says(self) -> Words:
        """What it is compared by: the value, or the whole text where there is none, or where a value needs it."""
        return self.text_words if self.attribute in _BY_TEXT or not self.value_words else self.value_words


def key_of(subject: str, attribute: str) -> str | None:
    """``subject.attribute``; None where there is no attribute."""
    return f"{subject}.{attribute}".lower() if attribute else None


def forgotten_key(subject: str) -> str:
    """Of retractions that name no attribute."""
    return f"{subject}.*".lower()


def asks_to_remember(message: Message) -> bool:
    """Whether whoever said it wanted it kept."""
    return message.pinned or not importance(message).parts.keys().isdisjoint(("remember", "pinned"))


def stated(candidate: Candidate, step: str, maker: str, made: Mapping[str, JSON], *, asked: bool) -> Statement:
    """A candidate as a statement of its message; ``asked`` is what ``asks_to_remember`` says of that."""
    message = candidate.message
    return Statement(
        at=message.moment,
        seq=message.seq,
        dated=message.created_at is not None,
        recorded_at=message.recorded_at,
        source=Source(message.id, candidate.start, candidate.end, candidate.quote),
        step=step,
        maker=maker,
        made=made,
        subject=" ".join(candidate.subject.lower().split()) or "user",
        attribute=candidate.attribute.lower(),
        value=candidate.value,
        text=candidate.text,
        negated=candidate.negated,
        ends=candidate.ends,
        importance=candidate.importance,
        asked=asked,
        speaker=message.role,
        event_from=candidate.event_from,
        event_to=candidate.event_to,
        valid_from=candidate.valid_from,
        valid_to=candidate.valid_to,
    )


def kept(statement: Statement) -> JSON:
    """A statement as it is kept in ``data`` of its record; subject, attribute and quote stand there already."""
    entry: dict[str, JSON] = {
        "message": statement.message,
        "at": statement.at.isoformat(),
        "seq": statement.seq,
        "step": statement.step,
        "by": statement.maker,
        "value": statement.value,
        "text": statement.text,
        "importance": statement.importance,
    }
    if not statement.dated:
        entry["dated"] = False
    if statement.recorded_at is not None and statement.recorded_at != statement.at:
        entry["recorded"] = statement.recorded_at.isoformat()
    if statement.asked:
        entry["asked"] = True
    if statement.made:
        entry["made"] = statement.made
    for name in _TIMES:
        if (time := getattr(statement, name)) is not None:
            entry[name] = time.isoformat()
    return entry


def statements_of(record: Record) -> list[Statement]:
    """The statements that a fact or a retraction rests on, as they were kept; none of what somebody else made."""
    said, data = record.data.get("said"), record.data
    sources = {source.message_id: source for source in reversed(record.sources)}
    found: list[Statement] = []
    for entry in said if isinstance(said, list) else ():
        if not isinstance(entry, Mapping) or (source := sources.get(str(entry.get("message")))) is None:
            continue
        at = _time(entry.get("at")) or NEVER
        made, seq, weight = entry.get("made"), entry.get("seq"), entry.get("importance")
        found.append(
            Statement(
                at=at,
                seq=seq if isinstance(seq, int) else 0,
                dated=entry.get("dated") is not False,
                recorded_at=_time(entry.get("recorded")) or at,
                source=source,
                step=str(entry.get("step")),
                maker=str(entry.get("by")),
                made=made if isinstance(made, Mapping) else {},
                subject=str(data.get("subject", "user")),
                attribute=str(data.get("attribute", "")),
                value=str(entry.get("value", "")),
                text=str(entry.get("text", "")),
                negated=bool(data.get("negated")),
                ends=record.kind == RETRACTION,
                importance=weight if isinstance(weight, float | int) else 0.5,
                asked=bool(entry.get("asked")),
                speaker=str(data.get("speaker", "user")),
                record=record.id,
                **{name: _time(entry.get(name)) for name in _TIMES},
            )
        )
    return found


def _time(value: JSON) -> datetime | None:
    return datetime.fromisoformat(value) if isinstance(value, str) else None
