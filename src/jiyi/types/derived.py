"""What is derived from the log, and the work of deriving it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from jiyi.types.log import JSON, Scope

Vector: TypeAlias = Sequence[float]
"""A unit-length embedding; a NumPy row serves as well."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where something was said: a message and, for a quote, the characters [start, end) of its text."""

    message_id: str
    start: int | None = None
    end: int | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """Something derived from the log, with the messages it rests on; can be thrown away and rebuilt.

    Attributes:
        kind: what it is, for example ``summary``, ``fact``, ``note``; chosen by the strategy.
        strategy, version: who derived it; a new version derives anew.
        session_id: the session it belongs to, None when it belongs to the user.
        key: for records that are addressed, for example ``employer``; None otherwise.
        valid_from, valid_to: when it was true of the world; ``valid_to`` None while it holds.
        closed_at: when a later record replaced it; None while it is current.
        data: whatever else the strategy keeps.
    """

    id: str
    kind: str
    text: str
    strategy: str
    version: str
    sources: tuple[Source, ...]
    session_id: str | None = None
    key: str | None = None
    importance: float | None = None
    pinned: bool = False
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    recorded_at: datetime | None = None
    closed_at: datetime | None = None
    data: Mapping[str, JSON] = field(default_factory=dict[str, JSON])


@dataclass(frozen=True, slots=True)
class Indexed:
    """The index terms of one message: term -> how often.  ``length`` is their sum."""

    seq: int
    terms: Mapping[str, int]

    @property
    def length(self) -> int:
        return sum(self.terms.values())


@dataclass(frozen=True, slots=True)
class Embedded:
    """One piece of one message as a vector; ``chunk`` counts from 0."""

    seq: int
    chunk: int
    vector: Vector


@dataclass(frozen=True, slots=True)
class Step:
    """A unit of derivation: a deriver's name and version.  Each has one cursor per scope."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A lease on one step of one scope.  A commit with a token that is no longer the newest is refused.

    Attributes:
        after: derived up to this seq.
        head: the scope's newest seq when the lease was taken.
        token: fencing token.
        attempts: failures since the last success.
    """

    scope: Scope
    step: Step
    after: int
    head: int
    token: int
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class Changes:
    """What a derivation wants written; committed in one transaction.

    Attributes:
        cursor: derived up to this seq (inclusive).
        close: record id -> when it stopped being current.
    """

    cursor: int
    put: tuple[Record, ...] = ()
    close: Mapping[str, datetime] = field(default_factory=dict[str, datetime])
    index: tuple[Indexed, ...] = ()
    vectors: tuple[Embedded, ...] = ()
