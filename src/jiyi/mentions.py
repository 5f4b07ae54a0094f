"""What a message says of people and things that have a name: proposed by rules or by a model, before it is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from jiyi.types import Message

USER = "user"
"""Name of the user as an entity; the same word as for the subject of a fact."""

ONESELF = frozenset(("user", "the user", "i", "me", "my", "myself", "用户", "我", "本人"))
"""What stands for the user where a name is asked for, or given by a model; in ``flat`` writing."""

TYPES = ("person", "organisation", "project", "technology", "product", "place")
"""What entities are; the list is open, and "" is what nobody knows."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A name that stands in a message.

    Attributes:
        start, end: the characters [start, end) of ``message.text`` that are the name.
        name: the name as it is written there, or ``USER`` for words such as "I" and 我.
        type: what it is, of ``TYPES`` or another word; "" where the message does not say.
        role: words of the message that tell namesakes apart ("my brother", "from accounting", 邻居); "" without.
        traits: what the message says of it in a few words: attribute, "" for a description -> its words
            ("the insurer", 首席工程师); they stand in the message.
        begin, until: the characters [begin, until) of the clause that says so: the quote.
    """

    message: Message
    start: int
    end: int
    name: str
    type: str = ""
    role: str = ""
    traits: Mapping[str, str] = field(default_factory=dict[str, str])
    begin: int = 0
    until: int = 0

    @property
    def quote(self) -> str:
        """The words that say so."""
        return self.message.text[self.begin : self.until]


@dataclass(frozen=True, slots=True)
class Alias:
    """Two names of one thing, said to be so: "Meridian Grid Authority (MGA)", "X, also known as Y", 简称.

    A pen name or stage name is a relation instead: a name that a person goes by, with a life of its own.

    Attributes:
        names: as written; both stand in the message, or one of them is ``USER``.
        start, end: the characters of ``message.text`` that say so.
    """

    message: Message
    start: int
    end: int
    names: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two names that a message states, in the direction in which it holds.

    Attributes:
        start, end: the characters [start, end) of ``message.text`` that say so, a whole clause: the quote.
        head, tail: names as written in the message, or ``USER``; never the same.
        relation: a name of ``relation_types.RELATIONS``, else the words of the message.
        said: the words of the message for it ("acquired", 收购).
        negated: it says that this is not so.
        ends: it says that this is no longer so.
        event_from, event_to, valid_from, valid_to: as of a fact (``candidates``).
    """

    message: Message
    start: int
    end: int
    head: str
    relation: str
    tail: str
    said: str = ""
    negated: bool = False
    ends: bool = False
    event_from: datetime | None = None
    event_to: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None

    @property
    def quote(self) -> str:
        """The words that say so."""
        return self.message.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Mentioned:
    """All that one message, or several, say of named things.  Each end of an edge, and each name of an alias, has a
    mention.
    """

    mentions: tuple[Mention, ...] = ()
    aliases: tuple[Alias, ...] = ()
    edges: tuple[Edge, ...] = ()
