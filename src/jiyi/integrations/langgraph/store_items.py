"""Items of a store as entries of the log, and back.  Pure.

An item is a statement of the assistant: its text is what is indexed, its value stands in the metadata.  Each key has
two ids that take turns, so that a new version is there before the old one is erased; a reader sees the one with the
higher seq.  How long an item lasts is put off by entries of their own, which say nothing: the value is not written
again, nor indexed.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from langgraph.store.base import Item, SearchItem

from jiyi.types import JSON, NEVER, Message

CATEGORY = "langgraph"
"""Marks what belongs to a store among a user's statements, and in the metadata where the rest stands."""

_VERSIONS, _TERMS = ("a", "b"), ("y", "z")
_TENTH = 10

Namespace = tuple[str, ...]


def name_of(namespace: Namespace, key: str) -> str:
    """What the ids of an item begin with; it follows from where the item is, whoever writes it."""
    place = json.dumps([*namespace, key], ensure_ascii=False).encode()
    return f"lg-{hashlib.sha256(place).hexdigest()[:32]}"


def ids_of(name: str) -> list[str]:
    """All ids that entries of an item can have."""
    return [f"{name}-{turn}" for turn in (*_VERSIONS, *_TERMS)]


@dataclass(frozen=True, slots=True)
class Put:
    """What is to be kept.

    Attributes:
        text: what is indexed; None for nothing.
        ttl: how long it lasts after it was written or read last; None for ever.
    """

    namespace: Namespace
    key: str
    value: Mapping[str, JSON]
    text: str | None = None
    ttl: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """All that the log has of one item.

    Attributes:
        message: the newest version.
        others: what is to go with the next write: older versions, and terms of these.
        terms: entries that put off its end, oldest first.
        expires: when it ends; None for never.
    """

    message: Message
    others: tuple[Message, ...] = ()
    terms: tuple[Message, ...] = ()
    expires: datetime | None = None

    def is_over(self, now: datetime) -> bool:
        """Whether its time is up."""
        return self.expires is not None and self.expires <= now

    @property
    def entries(self) -> list[Message]:
        """Everything of it."""
        return [self.message, *self.others, *self.terms]

    @property
    def namespace(self) -> Namespace:
        return tuple(self._said["namespace"])

    @property
    def key(self) -> str:
        return self._said["key"]

    @property
    def value(self) -> dict[str, Any]:
        return self._said["value"]

    @property
    def created(self) -> datetime:
        return datetime.fromisoformat(self._said["created"]).astimezone(UTC)

    @property
    def updated(self) -> datetime:
        return (self.message.created_at or NEVER).astimezone(UTC)

    @property
    def ttl(self) -> timedelta | None:
        seconds = self._said.get("ttl")
        return None if seconds is None else timedelta(seconds=seconds)

    @property
    def _said(self) -> dict[str, Any]:
        return _said(self.message)

    def as_item(self) -> Item:
        """As ``get`` gives it; the value is the caller's own copy."""
        return Item(
            value=_copy(self.value),
            key=self.key,
            namespace=self.namespace,
            created_at=self.created,
            updated_at=self.updated,
        )

    def as_found(self, score: float | None) -> SearchItem:
        """As ``search`` gives it."""
        return SearchItem(self.namespace, self.key, _copy(self.value), self.created, self.updated, score)

    def term(self, now: datetime) -> Message | None:
        """The entry that puts off its end because it was read; None where that is not worth one.

        It gives a tenth more, so that one that is read all the time is not written before that tenth is over, and none
        ends early.
        """
        ttl = self.ttl
        if ttl is None or self.expires is None or now + ttl <= self.expires:
            return None
        newest = self.terms[-1].id if self.terms else ""
        name = self.message.id.rpartition("-")[0]
        given = (f"{name}-{turn}" for turn in _TERMS)
        until = now + ttl + ttl / _TENTH
        said: dict[str, JSON] = {"of": _mark(self.message), "expires": until.isoformat()}
        return _entry(next(one for one in given if one != newest), None, said, now)


def version(put: Put, kept: Kept | None, now: datetime) -> Message:
    """The entry of a new version.

    Args:
        put: what is to be kept.
        kept: what is there.
        now: the time to record.
    """
    name = name_of(put.namespace, put.key)
    turn = _VERSIONS[0] if kept is None or kept.message.id.endswith(_VERSIONS[1]) else _VERSIONS[1]
    created = now if kept is None or kept.is_over(now) else kept.created
    said: dict[str, JSON] = {
        "namespace": list(put.namespace),
        "key": put.key,
        "value": put.value,
        "created": created.isoformat(),
    }
    if put.ttl is not None:
        said |= {"ttl": put.ttl.total_seconds(), "expires": (now + put.ttl).isoformat()}
    return _entry(f"{name}-{turn}", put.text, said, now)


def kept_of(messages: Iterable[Message]) -> dict[str, Kept]:
    """Items by name (``name_of``), of entries in seq order; only those of which there is a version."""
    versions, terms = defaultdict[str, list[Message]](list), defaultdict[str, list[Message]](list)
    for message in messages:
        name, _, turn = message.id.rpartition("-")
        if message.category != CATEGORY or CATEGORY not in message.metadata:
            continue
        (versions if turn in _VERSIONS else terms)[name].append(message)
    return {name: _kept(found, terms.get(name, ())) for name, found in versions.items()}


def left_alone(messages: Sequence[Message], kept: Mapping[str, Kept]) -> list[Message]:
    """Entries that put off the end of an item that is gone."""
    return [one for one in messages if one.category == CATEGORY and one.id.rpartition("-")[0] not in kept]


def _kept(versions: Sequence[Message], terms: Sequence[Message]) -> Kept:
    newest = versions[-1]
    own = tuple(term for term in terms if _said(term).get("of") == _mark(newest))
    ends = [_said(one)["expires"] for one in (newest, *own) if "expires" in _said(one)]
    return Kept(
        message=newest,
        others=(*versions[:-1], *(term for term in terms if term not in own)),
        terms=own,
        expires=max(map(datetime.fromisoformat, ends), default=None),
    )


def _entry(message_id: str, text: str | None, said: Mapping[str, JSON], now: datetime) -> Message:
    return Message(
        id=message_id,
        session_id="",
        role="assistant",
        content=text,
        kind="statement",
        created_at=now,
        recorded_at=now,
        category=CATEGORY,
        metadata={CATEGORY: said},
    )


def _mark(version: Message) -> str:
    """Tells a version from those before it, in another database too."""
    return f"{version.id} {(version.created_at or NEVER).astimezone(UTC).isoformat()}"


def _said(message: Message) -> dict[str, Any]:
    return cast("dict[str, Any]", message.metadata[CATEGORY])


def _copy(value: Any) -> Any:
    """What came from JSON, as a copy that may be written to."""
    if isinstance(value, Mapping):
        return {name: _copy(item) for name, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_copy(item) for item in cast("Sequence[Any]", value)]
    return value
