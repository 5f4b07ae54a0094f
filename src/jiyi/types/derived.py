"""What is derived from the log, and the work of deriving it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias, TypedDict

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
        recorded_at: when the store took what it was made from.
        said_at: when it was said first, with zone; None when nobody knows.
        event_from, event_to: when what it tells of happens, [from, to); None when that is not known.
        valid_from, valid_to: when it was true of the world; ``valid_to`` None while it holds.
        closed_at: when a later record replaced it, as a moment of what was said; None while it is current.
        links: names that it is about, as ``flat`` texts: those of an entity, both ends of a relation, the subject of a
            fact; ``Which.links`` finds it by them.
        data: whatever else the strategy keeps.
        seq: its place among the scope's records, given by the store: the next one when it is put, and the old one where
            it says the same as before; 0 without a text.
        used, used_at: how often, and when last, it stood in a context (``Store.use``); what a derivation writes here is
            not looked at.
        hidden: a person wants it out of prompts; laid over at reading (``jiyi.curation``), never stored.
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
    said_at: datetime | None = None
    event_from: datetime | None = None
    event_to: datetime | None = None
    data: Mapping[str, JSON] = field(default_factory=dict[str, JSON])
    used: int = 0
    used_at: datetime | None = None
    hidden: bool = False
    seq: int = field(default=0, compare=False)
    links: tuple[str, ...] = ()

    def is_as_it_was(self, known: Record | None) -> bool:
        """Whether there is nothing to write; the counts of its use are the store's, and a person pins."""
        return known is not None and self == replace(known, used=0, used_at=None, pinned=False)


class Which(TypedDict, total=False):
    """Which records of a scope; everything given must hold.

    Attributes:
        kind, session_id, key: equal to.
        ids: one of these.
        sources: ids of messages; the records that rest on at least one of them.
        links: names; the records that have at least one of them among their ``links``.
        current: True (as when it is not given) for those that are not closed, False for closed ones, None for all.
        as_of: takes the place of ``current``: what had been said by then (``said_at``, else ``recorded_at``; a record
            without either counts as said) and was not closed by then.
        limit: the first ones, with ``newest`` the last ones, with ``important`` the most important ones: pinned ones
            first, then by importance (those without one last), of equals the newest.  Still oldest first.
        bare: without their sources, which are then an empty tuple; for records that rest on thousands of messages.
        maker: name of the step that asks.  While that step derives anew, its records are those it has made anew so far,
            and for everybody else those from before.
    """

    kind: str | None
    session_id: str | None
    key: str | None
    ids: Sequence[str] | None
    sources: Sequence[str] | None
    links: Sequence[str] | None
    current: bool | None
    as_of: datetime | None
    limit: int | None
    newest: bool
    important: bool
    bare: bool
    maker: str | None


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
    """A unit of derivation: a deriver's name and version.  Each has one cursor per scope.

    Attributes:
        stride: how many seqs are derived together, always the same ones: those after a multiple of it, to the next.
            What does not fill one yet waits.  1 where the result does not depend on what is derived together.
    """

    name: str
    version: str
    stride: int = 1

    def end(self, head: int) -> int:
        """How far there is work in a log of this length."""
        return head - head % self.stride


@dataclass(frozen=True, slots=True)
class Claim:
    """A lease on one step of one scope.  A commit with a token that is no longer the newest is refused.

    Attributes:
        after: derived up to this seq.
        head: the scope's newest seq when the lease was taken.
        token: fencing token.
        attempts: failures since the last success.
        upto: None for what is new.  A gap was claimed otherwise: what was derived before is to be derived anew, up to
            this seq.
    """

    scope: Scope
    step: Step
    after: int
    head: int
    token: int
    attempts: int = 0
    upto: int | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A message that a step passed over after several tries.

    Attributes:
        step: the step's name.
        reason: the error; only its class after something else of the scope was erased, because it may quote a message.
    """

    scope: Scope
    step: str
    message_id: str
    reason: str
    failed_at: datetime


@dataclass(frozen=True, slots=True)
class Changes:
    """What a derivation wants written; committed in one transaction.

    Attributes:
        cursor: derived up to this seq (inclusive).
        close: record id -> when it stopped being current.
        drop: ids of records that go, whoever made them.  Of the step's own, while it derives anew, those made anew.
        stale: ids of messages that other steps are to look at again: their records that rest on one of these go, and
            are derived anew, as after an erasure.  Those with ``links`` stay: what has names is brought up to date by
            its own step, when these are named again.
        failed: seq -> why the message is passed over.
    """

    cursor: int
    put: tuple[Record, ...] = ()
    close: Mapping[str, datetime] = field(default_factory=dict[str, datetime])
    index: tuple[Indexed, ...] = ()
    vectors: tuple[Embedded, ...] = ()
    failed: Mapping[int, str] = field(default_factory=dict[int, str])
    drop: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
