"""What a topic's record says, read for people and for whoever composes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, get_args

from jiyi.text import fingerprint, flat
from jiyi.types import JSON, NEVER, Record, Source

TOPIC, PART = "topic", "topic_part"
"""Kinds of records."""

Kind: TypeAlias = Literal["summary", "decisions", "open", "done"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""What a point may be; also the names of the lists in ``data`` of a topic."""


@dataclass(frozen=True, slots=True)
class TopicPoint:
    """One thing that was said about a topic, with its words.

    Attributes:
        text: what it says: the words themselves, or a model's for them.
        message_id, start, end, quote: where it was said; characters of the message's text.
        at: when; None when nobody knows.
        seq: place of the message in the log.
        importance: 0..1.
        by: ``rules`` or ``model``.
    """

    text: str
    message_id: str
    start: int
    end: int
    quote: str
    at: datetime | None = None
    seq: int = 0
    importance: float = 0.5
    by: str = "rules"

    @property
    def order(self) -> tuple[datetime, int, int]:
        """Sorts by when it was said."""
        return self.at or NEVER, self.seq, self.start

    @property
    def source(self) -> Source:
        """Where it was said."""
        return Source(self.message_id, self.start, self.end, self.quote)


@dataclass(frozen=True, slots=True)
class TopicSession:
    """A session that spoke of a topic.

    Attributes:
        session_id: "" for what was stored outside any.
        first, last: ids of its first and last message that did.
        since, until: when these were said; None when nobody knows.
        count: how many did, as far as they are kept.
    """

    session_id: str
    first: str
    last: str
    since: datetime | None = None
    until: datetime | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Topic:
    """A project or subject, and where it stands.

    Attributes:
        id: of its record.
        name: as it was first written, or as a person named it.
        names: how else it was called.
        summary: what was said, in its most important sentences, in order of time.
        decisions, open: what was decided, and what is left open; in order of time.
        sessions: those that spoke of it, the one that did last at the end.
        since, said_at: when it was spoken of first and last, as far as that is kept; None when nobody knows.
        chosen: ids of the sessions that a person said are about it.
    """

    id: str
    name: str
    names: tuple[str, ...] = ()
    summary: tuple[TopicPoint, ...] = ()
    decisions: tuple[TopicPoint, ...] = ()
    open: tuple[TopicPoint, ...] = ()
    sessions: tuple[TopicSession, ...] = ()
    since: datetime | None = None
    said_at: datetime | None = None
    chosen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """A topic's name as it was written, and where; the earliest message first, by ``seq``."""

    name: str
    source: Source
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Content:
    """What a topic's record is composed of.

    Attributes:
        terms: index terms that tell it from other topics, the most frequent first.
        count: messages that speak of it.
    """

    written: Sequence[Written]
    points: Mapping[Kind, Sequence[TopicPoint]]
    sessions: Sequence[TopicSession]
    terms: Sequence[str] = ()
    count: int = 0


def topic_id(name: str) -> str:
    """The id of the topic of this name, in any writing."""
    return f"{TOPIC}:{fingerprint(flat(name))}"


def name_of(record: Record) -> str:
    """A topic's name."""
    return str(record.data.get("name", ""))


def names_of(record: Record) -> list[str]:
    """All its names, the one that it goes by first, each once."""
    once: dict[str, str] = {}
    for name in (name_of(record), *(one.name for one in written_of(record))):
        once.setdefault(flat(name), name)
    return [name for name in once.values() if name]


def written_of(record: Record) -> list[Written]:
    """The names of a topic, or the one of a part, as they were written."""
    return [
        Written(
            str(entry.get("name", "")),
            Source(str(entry.get("message")), _place(entry, "start"), _place(entry, "end"), str(entry.get("quote"))),
            _number(entry.get("seq")),
        )
        for entry in _entries(record, "names")
    ]


def points_of(record: Record, kind: Kind) -> list[TopicPoint]:
    """What a topic, or a part, keeps of one kind, in order of time."""
    return [
        TopicPoint(
            str(entry.get("text", "")),
            str(entry.get("message", "")),
            _number(entry.get("start")),
            _number(entry.get("end")),
            str(entry.get("quote", "")),
            _time(entry.get("at")),
            _number(entry.get("seq")),
            _weight(entry.get("importance")),
            str(entry.get("by", "rules")),
        )
        for entry in _entries(record, kind)
    ]


def sessions_of(record: Record) -> list[TopicSession]:
    """The sessions that spoke of a topic, the one that did last at the end."""
    return [
        TopicSession(
            str(entry.get("session", "")),
            str(entry.get("first", "")),
            str(entry.get("last", "")),
            _time(entry.get("since")),
            _time(entry.get("until")),
            _number(entry.get("count")),
        )
        for entry in _entries(record, "sessions")
    ]


def topic_of(record: Record) -> Topic:
    """A topic's record for people."""
    sessions = sessions_of(record)
    times = [at for one in sessions for at in (one.since, one.until) if at]
    return Topic(
        record.id,
        name_of(record),
        tuple(names_of(record)[1:]),
        tuple(points_of(record, "summary")),
        tuple(points_of(record, "decisions")),
        tuple(points_of(record, "open")),
        tuple(sessions),
        min(times, default=record.said_at),
        max(times, default=record.said_at),
        tuple(_texts(record.data.get("chosen"))),
    )


def _texts(value: JSON) -> list[str]:
    return [str(one) for one in value] if isinstance(value, Sequence) and not isinstance(value, str) else []


def content_of(record: Record) -> Content:
    """What a topic's record is composed of."""
    return Content(
        written_of(record),
        {kind: points_of(record, kind) for kind in KINDS},
        sessions_of(record),
        _texts(record.data.get("terms")),
        _number(record.data.get("count")),
    )


# -- as data ---------------------------------------------------------------------------------------------------------


def kept_point(point: TopicPoint) -> dict[str, JSON]:
    """A point as it is kept in ``data``."""
    return {
        "text": point.text,
        "message": point.message_id,
        "start": point.start,
        "end": point.end,
        "quote": point.quote,
        "at": _iso(point.at),
        "seq": point.seq,
        "importance": point.importance,
        "by": point.by,
    }


def kept_session(one: TopicSession) -> dict[str, JSON]:
    """A session as it is kept in ``data``."""
    return {
        "session": one.session_id,
        "first": one.first,
        "last": one.last,
        "since": _iso(one.since),
        "until": _iso(one.until),
        "count": one.count,
    }


def kept_name(one: Written) -> dict[str, JSON]:
    """A name as it is kept in ``data``."""
    place = one.source
    quote = place.quote or ""
    return {
        "name": one.name,
        "message": place.message_id,
        "start": place.start,
        "end": place.end,
        "quote": quote,
        "seq": one.seq,
    }


def _entries(record: Record, name: str) -> list[Mapping[str, JSON]]:
    listed = record.data.get(name)
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        return []
    return [entry for entry in listed if isinstance(entry, Mapping)]


def _number(value: JSON | None) -> int:
    return value if isinstance(value, int) else 0


def _place(entry: Mapping[str, JSON], name: str) -> int | None:
    value = entry.get(name)
    return value if isinstance(value, int) else None


def _weight(value: JSON | None) -> float:
    return float(value) if isinstance(value, int | float) else 0.5


def _time(value: JSON | None) -> datetime | None:
    return datetime.fromisoformat(value) if isinstance(value, str) and value else None


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
