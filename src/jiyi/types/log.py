"""What was said: messages, whose they are, where they stand, and which of them are meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import attrgetter
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["system", "developer", "user", "assistant", "tool"]
ROLES: tuple[Role, ...] = ("system", "developer", "user", "assistant", "tool")

JSON: TypeAlias = "str | int | float | bool | None | Sequence[JSON] | Mapping[str, JSON]"
"""What can be written as JSON."""

Part: TypeAlias = Mapping[str, JSON]
"""One OpenAI-style content part: ``{"type": "text", "text": …}``, ``image_url``, ``file``…"""

Content: TypeAlias = str | tuple[Part, ...] | None

MessageKind: TypeAlias = Literal["message", "statement", "command"]
KINDS: tuple[MessageKind, ...] = ("message", "statement", "command")
"""``message``: a line of a conversation.  ``statement``: stored by ``remember``, outside any session.  ``command``:
what a person ordered about a record, outside any session too; ``metadata`` says what, the text is a correction's.
"""

NEVER = datetime.min.replace(tzinfo=UTC)
"""Stands for a time that nobody knows, before all others."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory: the fence that nothing crosses.  Equal text, equal scope; case counts."""

    user: str
    tenant: str = "default"
    agent: str = "default"


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the log, as it was said.

    Attributes:
        id: unique in the scope; given by the caller or made by the engine.
        session_id: the session it stands in; ``""`` for a statement or a command.
        role: one of ``ROLES``.
        content: text, OpenAI-style parts, or None (an assistant that only called tools).
        seq: place in the scope's log, from 1, across sessions, in order of arrival; 0 before it is stored.
        position: place on its path through the session, from 1; 0 before it is stored.
        created_at: when it was said, with zone; None when nobody knows.
        recorded_at: when the store took it, with zone.
        digest: hex, salted per user, of role, content, name, tool calls and tool call id (``history.digest``).
        chain: hex, of the parent's chain and this digest; system messages pass the parent's on.
        parent_id: the message before it on its path, None at the start.
        active: on the session's current path; False on a branch that was left.
        incomplete: the reply broke off while it was streamed.
    """

    id: str
    session_id: str
    role: Role
    content: Content
    kind: MessageKind = "message"
    name: str | None = None
    tool_calls: tuple[Part, ...] = ()
    tool_call_id: str | None = None
    created_at: datetime | None = None
    metadata: Mapping[str, JSON] = field(default_factory=dict[str, JSON])
    category: str | None = None
    importance: float | None = None
    pinned: bool = False
    incomplete: bool = False
    digest: str = ""
    seq: int = 0
    position: int = 0
    recorded_at: datetime | None = None
    chain: str = ""
    parent_id: str | None = None
    active: bool = True

    @property
    def text(self) -> str:
        """The words alone: text parts joined by newlines; other parts are left out."""
        if isinstance(self.content, str):
            return self.content
        texts = (part.get("text") for part in self.content or ())
        return "\n".join(text for text in texts if isinstance(text, str))

    @property
    def moment(self) -> datetime:
        """When it was said; when the store took it, where nobody knows."""
        return self.created_at or self.recorded_at or NEVER

    def but(self, **changes: object) -> Message:
        """A copy with other values; ``dataclasses.replace`` does the same and takes five times as long."""
        copy = Message.of(_VALUES(self))
        for name, value in changes.items():
            object.__setattr__(copy, name, value)
        return copy

    @staticmethod
    def of(values: Sequence[object]) -> Message:
        """A message of all its values in order; in half of the time that the constructor takes."""
        made = object.__new__(Message)
        for put, value in zip(_PUT, values, strict=True):
            put(made, value)
        return made


_VALUES = attrgetter(*Message.__slots__)
_PUT = [getattr(Message, name).__set__ for name in Message.__slots__]


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A conversation: one path of messages, and the branches that were left.

    Attributes:
        messages: messages on the current path.
        head_id: last message on the current path, None when empty.
        created_at, updated_at: when the store first and last took a message or change.
    """

    id: str
    title: str = ""
    messages: int = 0
    head_id: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    metadata: Mapping[str, JSON] = field(default_factory=dict[str, JSON])


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A named place on a path of a session, to come back to.

    Attributes:
        name: unique in the session.
        message_id: the last message of the path to it; None for the very beginning.
        messages: messages on that path; the store counts them.
        created_at: when it was saved, with zone.
        automatic: saved by ``checkpoint_every``, not by name.
        state: whatever an agent keeps with it.
    """

    name: str
    session_id: str
    message_id: str | None = None
    messages: int = 0
    created_at: datetime | None = None
    automatic: bool = False
    state: Mapping[str, JSON] = field(default_factory=dict[str, JSON])


@dataclass(frozen=True, slots=True)
class Filter:
    """Which messages of a scope; every field that is set must hold.  Filters are data, never SQL.

    Attributes:
        session_id, roles, category: equal to, or one of.
        kinds: one of; None for what was said, messages and statements.  Commands come only where they are asked for.
        ids, seqs: exactly these.
        stretches: on one of these parts of a path: session, first and last position.
        after_seq: only seq > this.
        since, until: created_at >= since, < until; messages without a time do not match either.
        active: None for all branches.
    """

    session_id: str | None = None
    ids: tuple[str, ...] | None = None
    seqs: tuple[int, ...] | None = None
    stretches: tuple[tuple[str, int, int], ...] | None = None
    roles: tuple[Role, ...] | None = None
    kinds: tuple[MessageKind, ...] | None = None
    category: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    after_seq: int = 0
    active: bool | None = True


ACTIVE = Filter()
"""What every message of a scope on an active path passes."""
