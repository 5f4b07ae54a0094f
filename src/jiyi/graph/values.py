"""Entities, relations, and the paths over them, as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from jiyi.entities import named_of, traits_of
from jiyi.mentions import USER
from jiyi.relation_types import label_of
from jiyi.relations import stated_of
from jiyi.sayings import Saying
from jiyi.text import language
from jiyi.types import NEVER, Record, Source


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a message, exactly as they stand there.

    Attributes:
        text: the words.
        message_id: the message that they stand in.
        start, end: the characters [start, end) of its text; None where that is not known.
        said_at: when it was said, with zone; None when nobody knows.
        session_id: "" for what was stated outside a conversation.
        speaker: role of who said it.
    """

    text: str
    message_id: str
    start: int | None = None
    end: int | None = None
    said_at: datetime | None = None
    session_id: str = ""
    speaker: str = "user"


@dataclass(frozen=True, slots=True)
class Trait:
    """What a message says of an entity in a few words.

    Attributes:
        attribute: "" for a description.
        text: the words.
        quote: the clause that they stand in; None where its message is not at hand.
    """

    attribute: str
    text: str
    quote: Quote | None = None


@dataclass(frozen=True)
class Entity:
    """Somebody or something with a name.

    Attributes:
        id: of its record.
        name: the fullest proper name; ``user`` for the user while no name is known.
        shown: the name, with the role or type of a namesake behind it.
        type: of ``mentions.TYPES`` or another word; "" where nobody said.
        role: what tells it from namesakes; "" without.
        aliases: its other names, as they were written.
        description: what it is, in words of a message; "" without.
        facts: the facts about it, of those that were asked for.
        confidence: 0..1, of what speaks for it (``building.confidence``).
        since, said_at: when it was mentioned first, and last.
        user: it is the user.
        record: what it was read from.
    """

    id: str
    name: str
    shown: str = ""
    type: str = ""
    role: str = ""
    aliases: tuple[str, ...] = ()
    description: str = ""
    facts: tuple[Record, ...] = field(default=(), compare=False)
    confidence: float = 0.0
    since: datetime | None = None
    said_at: datetime | None = None
    user: bool = False
    record: Record | None = field(default=None, compare=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The name and the aliases."""
        return tuple(dict.fromkeys((self.name, *self.aliases, *((USER,) if self.user else ()))))

    def called(self, language: str) -> str:
        """The name as people read it; of a user whose name nobody knows what they are."""
        return self.shown if self.name != USER else "用户" if language == "zh" else "the user"

    @cached_property
    def told(self) -> str:
        """All that is said of what it is, in a few words."""
        traits = self.record.data.get("traits") if self.record else None
        words = map(str, traits.values()) if isinstance(traits, Mapping) else ()
        return " ".join((self.type, self.role, *words)).strip()

    @cached_property
    def quotes(self) -> tuple[Quote, ...]:
        """The clauses that mention it, oldest first: the first, the newest, and those that tell something new."""
        return quotes_of(self.record, [one.saying for one in named_of(self.record)]) if self.record else ()

    @cached_property
    def traits(self) -> tuple[Trait, ...]:
        """All that messages say it is, the description among it; of what was said twice the newest."""
        places = {(one.message_id, one.start): one for one in self.quotes}
        told = traits_of(self.record) if self.record else {}
        return tuple(
            Trait(name, words, places.get((source.message_id, source.start))) for name, (words, source) in told.items()
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """A record that says a relation, and the messages of it that mean these two entities; None for all of them."""

    record: Record
    messages: frozenset[str] | None = None


@dataclass(frozen=True)
class Relation:
    """A relation that messages state, from head to tail.

    Attributes:
        ids: of its records, the first one that of the earliest; several where it was said under different aliases.
        relation: a name of ``relation_types.RELATIONS``, else the words of the message.
        said_at: when it was said first.
        valid_from, valid_to: when it holds of the world, as far as that was said.
        closed_at: when it was said to be over, or another took its place; None while it holds.
        negated: it was said that this is not so.
        confidence: 0..1, of what speaks for it (``building.confidence``).
        evidence: what it was read from.
    """

    ids: tuple[str, ...]
    head: Entity
    relation: str
    tail: Entity
    said_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    closed_at: datetime | None = None
    negated: bool = False
    confidence: float = 0.0
    evidence: tuple[Evidence, ...] = field(default=(), compare=False, repr=False)

    @cached_property
    def quotes(self) -> tuple[Quote, ...]:
        """The words that say so, oldest first; never empty."""
        found = {(one.message_id, one.start): one for said in self.evidence for one in stated_quotes(said)}
        return tuple(sorted(found.values(), key=lambda one: (one.said_at or NEVER, one.message_id, one.start or 0)))

    @property
    def id(self) -> str:
        """Of its first record."""
        return self.ids[0]

    @property
    def text(self) -> str:
        """The clause that says so."""
        return self.evidence[-1].record.text if self.evidence else ""

    @property
    def quote(self) -> Quote:
        """The newest one."""
        return self.quotes[-1]

    @property
    def messages(self) -> tuple[str, ...]:
        """Ids of the messages that say it."""
        return tuple(quote.message_id for quote in self.quotes)

    @property
    def language(self) -> str:
        """In which it was said, ``en`` or ``zh``."""
        return language(self.quote.text)

    @property
    def label(self) -> str:
        """How it reads between head and tail, in the language in which it was said."""
        return self.called(self.language)

    def called(self, language: str) -> str:
        """How it reads between head and tail: ``has the pen name``, 笔名.  What has no name keeps its words."""
        return label_of(self.relation, language, negated=self.negated)

    def other(self, entity: Entity) -> Entity:
        """The end that is not this one."""
        return self.tail if entity.id == self.head.id else self.head


def quotes_of(record: Record, said: Iterable[Saying]) -> tuple[Quote, ...]:
    """The clauses that say so, oldest first, each once; what a person wrote of it comes last."""
    found = {(one.message, one.source.start): _quote(one.source, one) for one in said}
    own = record.data.get("corrected")
    if own is not None:
        found |= {(one.message_id, one.start): _quote(one, None) for one in record.sources if one.message_id == own}
    return tuple(found.values())


def stated_quotes(said: Evidence) -> tuple[Quote, ...]:
    """The clauses that state a relation, of the messages that mean its ends."""
    found = quotes_of(said.record, [one.saying for one in stated_of(said.record) if not one.ends])
    return found if said.messages is None else tuple(one for one in found if one.message_id in said.messages)


def _quote(source: Source, said: Saying | None) -> Quote:
    return Quote(
        source.quote or "",
        source.message_id,
        source.start,
        source.end,
        said.at if said and said.dated else None,
        said.session_id if said else "",
        said.speaker if said else "user",
    )


@dataclass(frozen=True, slots=True)
class Path:
    """Relations that join two entities, each with the words that say so: an answer, with its grounds.

    Attributes:
        entities: in order; one more than relations, none twice.
        relations: each joins the entities beside it, in either direction.
        fit: 0..1, how well it answers what was asked; 0 where nothing was.
    """

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    fit: float = field(default=0.0, compare=False)

    @property
    def start(self) -> Entity:
        """Where it begins: what the question names."""
        return self.entities[0]

    @property
    def end(self) -> Entity:
        """Where it leads: what the question asks for."""
        return self.entities[-1]

    @property
    def forward(self) -> tuple[bool, ...]:
        """Of each relation, whether it is walked from head to tail."""
        return tuple(
            one.head.id == entity.id for one, entity in zip(self.relations, self.entities, strict=False)
        )  # fmt: skip

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """The words that say so, one for each relation."""
        return tuple(relation.quote for relation in self.relations)

    @property
    def confidence(self) -> float:
        """That all of it holds: the product of its relations'."""
        product = 1.0
        for relation in self.relations:
            product *= relation.confidence
        return product

    def told(self, language: str | None = None) -> str:
        """On one line: ``陈默 —笔名→ 墨鱼 —创建→ 星雀``; each label in its own language, or all in one."""
        spoken = language or (self.relations[0].language if self.relations else "en")
        line = self.entities[0].called(spoken)
        for relation, entity, forward in zip(self.relations, self.entities[1:], self.forward, strict=True):
            label = relation.label if language is None else relation.called(language)
            name = entity.called(spoken)
            line += f" —{label}→ {name}" if forward else f" ←{label}— {name}"
        return line

    def __str__(self) -> str:
        return self.told()
