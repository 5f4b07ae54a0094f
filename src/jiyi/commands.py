"""What people order about records, as entries of the log.  Pure.

A command is an entry of the log, so it survives every rebuild; ``jiyi.curation`` lays it over what is derived.  It says
which record is meant by its id, by a fingerprint of what it says (``mark``), and by one of what it is about and where
that was said (``place``): the record may be derived anew in other words.  A deletion holds nothing else.
"""

from __future__ import annotations

import hmac
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, get_args

from jiyi.attributes import ATTRIBUTES
from jiyi.text import flat
from jiyi.types import JSON, Filter, Message, Record, Source

Does: TypeAlias = Literal[
    "correct", "pin", "unpin", "hide", "confirm", "delete", "recover", "merge", "split", "rename", "topic", "undo"
]  # fmt: skip
DOES: tuple[Does, ...] = get_args(Does)
COMMANDS = Filter(kinds=("command",), active=None)
"""Their messages, of ``Store.messages``."""
PERSON = "person"
"""``data["by"]``, and the strategy, of what a person said about a record."""


@dataclass(frozen=True, slots=True)
class Command:
    """A person's order about one record.

    Attributes:
        id: of the message that it is.
        does: what it asks for.
        record: id of the record.
        at: when it was given.
        number: its place among the commands, in order of arrival.
        kind, mark, place: of the record as it was then (``mark``, ``place``).
        sources: messages that it rested on; of ``split`` those that are parted from the record.
        other: of ``merge`` the record that it goes into, of ``split`` the new one, of ``undo`` the command that is
            taken back; "" otherwise.
        other_mark: ``mark`` of the record that it goes into.
        text: what it says now, or what it is called; of a correction alone are the following.
        session_id: of the record; of ``topic`` the session that belongs to it.
        key, importance, opens: of the record; ``opens`` False where it was closed already.
        value, negated, event_from, event_to: of the fact that the text states, as far as rules can tell.
    """

    id: str
    does: Does
    record: str
    at: datetime
    number: int
    kind: str
    mark: str
    place: str = ""
    sources: tuple[str, ...] = ()
    other: str = ""
    other_mark: str = ""
    text: str = ""
    key: str | None = None
    session_id: str | None = None
    importance: float | None = None
    opens: bool = True
    value: str = ""
    negated: bool = False
    event_from: datetime | None = None
    event_to: datetime | None = None


def mark(salt: bytes, record: Record) -> str:
    """Keyed fingerprint of what a record says: kind, key, value or text in any writing, negation; 32 hex digits."""
    value = record.data.get("value")
    said = value if isinstance(value, str) and value else record.text
    return _fingerprint(salt, record.kind, record.key, flat(said), "not" if record.data.get("negated") else "")


def place(salt: bytes, record: Record) -> str:
    """Keyed fingerprint of what a record is about and of the message that it was first said in; "" where several
    records may share both ("I moved from Lisbon to Porto" gives two homes, of which one is closed).
    """
    first = record.sources[0].message_id if record.sources else ""
    if not first or first == _closing(record) or not (single(record) or (record.kind == "note" and record.key is None)):
        return ""
    return _fingerprint(salt, record.kind, record.key, first)


def _fingerprint(salt: bytes, *parts: str | None) -> str:
    said = "\x1f".join("" if part is None else part for part in parts)  # no part has one: ids, and ``flat`` text
    return hmac.digest(salt, said.encode(), "sha256").hex()[:32]


def single(record: Record) -> bool:
    """Whether it is a fact of an attribute that has one value at a time."""
    return record.kind == "fact" and values(record) in ("one", "fixed")


def values(record: Record) -> str:
    """How its values change: ``one``, ``fixed`` or ``many`` (``attributes``)."""
    attribute = ATTRIBUTES.get((record.key or "").rpartition(".")[2])
    return attribute.values if attribute else "many"


def listed(record: Record, name: str) -> list[str]:
    """A list of ids in its data: ``commands`` that were laid over it, records that ``joined`` it, ``conflicts``,
    sessions of which a person has ``chosen`` that they belong to a topic.
    """
    named = record.data.get(name)
    return [str(one) for one in named] if isinstance(named, Sequence) and not isinstance(named, str) else []


def evidence(record: Record) -> tuple[Source, ...]:
    """The sources that say it: without the one that closed it, which is the last."""
    return record.sources[:-1] if _closing(record) else record.sources


def _closing(record: Record) -> str | None:
    """The message that closed it, where one did."""
    closed = record.closed_at is not None and isinstance(record.data.get("closed_by"), Mapping)
    return record.sources[-1].message_id if closed and record.sources else None


def metadata(does: Does, record: Record, salt: bytes, sources: Iterable[str]) -> dict[str, JSON]:
    """What the message of a command says beside its text: ids and fingerprints, and of a correction the key."""
    said: dict[str, JSON] = {
        "command": does,
        "record": record.id,
        "kind": record.kind,
        "mark": mark(salt, record),
        "place": place(salt, record),
        "sources": list(sources),
    }
    if does == "correct":
        said |= {
            "key": record.key,
            "session": record.session_id,
            "importance": record.importance,
            "opens": record.closed_at is None,
        }
    return said


def commands(messages: Iterable[Message], until: datetime | None = None) -> list[Command]:
    """The commands that are written in messages, in their order.

    Args:
        messages: of the kind ``command``, in order of arrival.
        until: only those given by then.  What was deleted or hidden later stays away all the same.
    """
    read = (found for message in messages if (found := _read(message)))
    away = ("delete", "hide", "recover")
    return [command for command in read if until is None or command.at <= until or command.does in away]


def _read(message: Message) -> Command | None:
    said = message.metadata
    does, record, at = said.get("command"), said.get("record"), message.created_at or message.recorded_at
    if does not in DOES or not isinstance(record, str) or at is None:
        return None
    importance, sources = said.get("importance"), said.get("sources")
    return Command(
        id=message.id,
        does=does,
        record=record,
        at=at,
        number=message.seq,
        kind=str(said.get("kind", "")),
        mark=str(said.get("mark", "")),
        place=str(said.get("place", "")),
        sources=tuple(map(str, sources)) if isinstance(sources, Sequence) and not isinstance(sources, str) else (),
        other=_text(said.get("other")) or "",
        other_mark=_text(said.get("other_mark")) or "",
        text=message.text,
        key=_text(said.get("key")),
        session_id=_text(said.get("session")),
        importance=float(importance) if isinstance(importance, int | float) else None,
        opens=bool(said.get("opens", True)),
        value=_text(said.get("value")) or "",
        negated=bool(said.get("negated")),
        event_from=_moment(said.get("event_from")),
        event_to=_moment(said.get("event_to")),
    )


def _moment(value: JSON) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment is not None and moment.utcoffset() is not None else None


def _text(value: JSON) -> str | None:
    return value if isinstance(value, str) else None


def erased_with(orders: Iterable[Command], erased: Iterable[str], there: Container[str]) -> list[str]:
    """Ids of the commands that go when messages are erased: a correction or name with any message that it rests on,
    because its words may tell of it; the others hold ids and fingerprints only, and go with the last one.

    Args:
        orders: all of the scope.
        erased: ids of messages.
        there: ids of the messages that the commands rest on, as far as they are stored.
    """
    gone, left = set(erased), list(orders)
    found: list[str] = []
    while True:
        reached = [
            one.id
            for one in left
            if not gone.isdisjoint(one.sources)
            and (one.text or all(name in gone or name not in there for name in one.sources))
        ]
        if not reached:
            return found
        found += reached
        gone.update(reached)
        left = [one for one in left if one.id not in gone]
