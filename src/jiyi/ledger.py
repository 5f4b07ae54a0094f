"""Statements gone through one after the other: what is new, confirms, updates, contradicts, takes back.  Pure.

All statements about a subject, those that are known and those that came now, are gone through in the order in which
they were *said*.  So the facts follow from what was said alone: it makes no difference whether something old is
imported late, or a stretch is derived again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from jiyi.attributes import ATTRIBUTES, Attribute
from jiyi.likeness import Words, alike, other_number, same, within, words
from jiyi.statements import RETRACTION, Statement
from jiyi.text import fingerprint
from jiyi.types import Record, Source

OPPOSITES: Mapping[str, str] = {"dislikes": "likes"}
"""Attribute -> the one that says the contrary of the same value; both change together."""

_LOOSE = frozenset(("pet", "family", "friend", "owns", "budget"))
"""Attributes of many values of which a shorter wording is the same one ("my cats", "two cats called Tom and Kim")."""
_OF_ANY_SUM = frozenset(("can", "not", "most", "want", "still"))
_CHANGES = re.compile(
    "现在|目前|大概|大约|左右|最多|不能再?|不?超过|控制在|[以之]内|提高|增加|提升|[上下]调|降低|减少|调整|可以|我们?|咱们?|[改变设定]?[成为]|[加涨降调]?到|[是的把就了再只有能多改]"
)
"""What any sum may be said with in Chinese, and what changes it."""
_COUNTED = frozenset(("pet", "family", "friend", "owns", "budget", "amount"))
"""Another number of the same things takes the place of the old one."""
_JUST_NOW = timedelta(hours=1)
"""How far "forget that" reaches back."""


@dataclass(eq=False, slots=True)
class Closing:
    """How a fact came to an end.

    Attributes:
        record: id of the fact that took its place; None when it was only taken back.
        fact: the same, while it has no id that is sure to stay.
        step: name of the step that saw it.
    """

    at: datetime
    seq: int
    source: Source
    step: str
    valid_to: datetime | None = None
    record: str | None = None
    fact: Fact | None = None


@dataclass(eq=False, slots=True)
class Fact:
    """What several statements say alike.

    Attributes:
        said: the statements, in order.
        known: the record of a fact that stands aside.
        replaces: the fact that it took the place of.
    """

    id: str
    said: list[Statement]
    wordings: set[Words] = field(default_factory=set[Words])
    known: Record | None = None
    closing: Closing | None = None
    conflicts: list[Fact] = field(default_factory=list["Fact"])
    replaces: Fact | None = None

    @property
    def first(self) -> Statement:
        """The earliest statement."""
        return self.said[0]

    def take(self, statement: Statement) -> None:
        """One more statement; a message counts once."""
        if all(other.message != statement.message for other in self.said):
            self.said.append(statement)
        self.wordings.add(statement.says)


class Ledger:
    """The facts of the statements so far; statements come in the order in which they were said.

    Args:
        attributes: name -> attribute.
    """

    def __init__(self, attributes: Mapping[str, Attribute] = ATTRIBUTES) -> None:
        self.facts: list[Fact] = []
        self._attributes = attributes
        self._open: dict[tuple[str, str], list[Fact]] = {}
        self._by_record: dict[str, Fact] = {}
        self._apart: list[Fact] = []

    def put_aside(self, facts: Iterable[Fact]) -> None:
        """Facts of which not all is known that was said of their key: they may be taken back, nothing else."""
        self._apart += facts
        self.facts += self._apart

    def say(self, statement: Statement) -> None:
        """A statement: confirms an open fact, or makes a new one, which may end others or contradict them."""
        group = self._open.setdefault(group_of(statement), [])
        fact = self._by_record.get(statement.record) if statement.record else None
        if fact is None or fact.closing is not None:
            fact = next((other for other in group if self._is_same(other, statement)), None)
        if fact is not None:
            if not fact.id and statement.record and statement.record not in self._by_record:
                fact.id = statement.record
                self._by_record[fact.id] = fact
            fact.take(statement)
            self._settle(fact, statement)
            return
        known = statement.record if statement.record not in self._by_record else ""
        fact = Fact(known, [])
        fact.take(statement)
        self.facts.append(fact)
        if known:
            self._by_record[known] = fact
        for other in list(group):
            relation = self._relation(other, statement)
            if relation == "update":
                self._close(other, statement, fact)
                fact.replaces = other
            elif relation == "conflict":
                fact.conflicts.append(other)
                other.conflicts.append(fact)
        group.append(fact)

    def take_back(self, statement: Statement) -> list[Fact]:
        """Something is no longer so, or to be forgotten: closes what it means; returns that."""
        group = self._open.get(group_of(statement), ()) if statement.attribute else ()
        means = [fact for fact in group if self._is_meant(fact, statement)]
        if not means:
            means = self._meant_anywhere(statement)
        for fact in means:
            self._close(fact, statement, None)
        return means

    def end(self, record: str, closing: Closing) -> None:
        """A fact that is known to have ended then, where it has not ended before."""
        fact = self._by_record.get(record)
        if fact is not None and fact.closing is None:
            self._shut(fact, closing)

    def name(self) -> None:
        """Gives every fact its id: that of its record, unless a statement that came late has parted it in two."""
        own = {id_of(fact.first): fact for fact in self.facts}
        for fact in self.facts:
            if not fact.id or own.get(fact.id, fact) is not fact:
                fact.id = id_of(fact.first)

    def _settle(self, fact: Fact, statement: Statement) -> None:
        """What is said again after it was contradicted stands, and the other does not."""
        for other in [other for other in fact.conflicts if other.closing is None]:
            if statement.message not in (fact.first.message, other.said[-1].message):
                self._close(other, statement, fact)
                fact.replaces = other

    def _close(self, fact: Fact, by: Statement, successor: Fact | None) -> None:
        until = by.valid_from or by.valid_to if successor is None else by.valid_from
        self._shut(fact, Closing(by.at, by.seq, by.source, by.step, until or by.at, None, successor))

    def _shut(self, fact: Fact, closing: Closing) -> None:
        fact.closing = closing
        for other in fact.conflicts:
            other.conflicts.remove(fact)
        fact.conflicts = []
        group = self._open.get(group_of(fact.first), [])
        if fact in group:
            group.remove(fact)

    # -- what is the same

    def _is_same(self, fact: Fact, statement: Statement) -> bool:
        first = fact.first
        if first.attribute != statement.attribute or first.negated != statement.negated:
            return False
        if first.event_from and statement.event_from and first.event_from.date() != statement.event_from.date():
            return False
        if not (first.value and statement.value) and first.text_words == statement.text_words:
            return True
        says = statement.says
        if not statement.attribute:
            return any(alike(says, other) for other in fact.wordings)
        loosely = self._values(statement) != "many" or statement.attribute in _LOOSE
        return any(same(says, other, loosely=loosely) for other in fact.wordings)

    def _values(self, statement: Statement) -> str:
        attribute = self._attributes.get(statement.attribute)
        return attribute.values if attribute else "many"

    def _relation(self, other: Fact, statement: Statement) -> str:
        """What a new statement does to an open fact of the same group: ``update``, ``conflict``, or nothing."""
        says, first = statement.says, other.first
        at_once = any(said.message == statement.message for said in other.said)
        if _polarity(first) != _polarity(statement):
            opposed = any(same(says, wording, loosely=True) for wording in other.wordings)
            if opposed or (self._values(statement) == "one" and not statement.negated):
                return "conflict" if at_once and opposed else "update"
            return ""
        values = self._values(statement)
        if first.attribute != statement.attribute or statement.negated or values == "many":
            counted = statement.attribute in _COUNTED and first.attribute == statement.attribute and not at_once
            changed = counted and any(other_number(says, wording) for wording in other.wordings)
            changed = changed and (bool(says.words) or any(self._of_one_thing(one, statement) for one in other.said))
            return "update" if changed else ""
        return "conflict" if values == "fixed" or at_once else "update"

    def _of_one_thing(self, one: Statement, other: Statement) -> bool:
        """Whether two sums may be for the same thing: they share a word beside what any sum has, or one has none."""
        attribute = self._attributes.get(other.attribute)
        asked = " ".join(attribute.asked.values()) if attribute else ""
        usual, chinese = words(asked).words | _OF_ANY_SUM, (attribute.asked.get("zh") if attribute else "") or " "
        # before it is parted into pairs of characters, or 算是 would be a thing
        bare = (_CHANGES.sub(" ", said.text.replace(chinese, " ")) for said in (one, other))
        first, second = (words(text).words - usual for text in bare)
        return not first or not second or not first.isdisjoint(second)

    # -- what is meant

    def _is_meant(self, fact: Fact, statement: Statement) -> bool:
        """Whether a retraction of the same attribute means this fact."""
        if not fact.first.order < statement.order:
            return False
        if value := statement.value_words:
            return any(same(value, other, loosely=True) or within(other, value) for other in fact.wordings)
        text = statement.text_words
        return self._values(statement) != "many" or any(within(other, text) for other in fact.wordings)

    def _meant_anywhere(self, statement: Statement) -> list[Fact]:
        """What a retraction means that fits nothing of its attribute, or names none: whatever has its words."""
        open_ = [fact for group in self._open.values() for fact in group]
        open_ += [fact for fact in self._apart if fact.closing is None]
        before = [fact for fact in open_ if fact.first.order < statement.order]
        value = statement.value_words
        if statement.attribute:
            before = [fact for fact in before if fact.first.subject == statement.subject]
            return [fact for fact in before if any(within(other, value) for other in fact.wordings)]
        if value:
            return [fact for fact in before if any(_has(fact, other, value) for other in fact.wordings)]
        last = max((fact.said[-1].order for fact in before), default=statement.order)
        found = [fact for fact in before if fact.said[-1].order[:2] == last[:2]]
        return [fact for fact in found if statement.at - fact.said[-1].at <= _JUST_NOW]


def ledger_of(
    statements: Iterable[Statement],
    closings: Iterable[tuple[str, Closing]],
    aside: Iterable[Fact] = (),
    attributes: Mapping[str, Attribute] = ATTRIBUTES,
) -> Ledger:
    """The facts of all these statements and known ends (record id, closing), whatever the order they come in."""
    ledger = Ledger(attributes)
    ledger.put_aside(aside)
    events: list[tuple[tuple[datetime, int, int, int], Statement | tuple[str, Closing]]] = [
        ((*statement.order, int(statement.ends)), statement) for statement in statements
    ]
    events += [((end.at, end.seq, end.source.start or 0, 2), (record, end)) for record, end in closings]
    for _, event in sorted(events, key=lambda event: event[0]):
        if isinstance(event, tuple):
            ledger.end(*event)
        elif event.ends:
            ledger.take_back(event)
        else:
            ledger.say(event)
    ledger.name()
    return ledger


def id_of(statement: Statement) -> str:
    """The id of the fact, or retraction, that begins with this statement: it follows from what was said, and where."""
    kind = RETRACTION if statement.ends else "fact"
    says = statement.says.text() or statement.text
    parts = (kind, statement.key or statement.subject, str(statement.negated), says, statement.message)
    return f"{kind}:{fingerprint(*parts)}"


def group_of(statement: Statement) -> tuple[str, str]:
    """The statements among which one may close or contradict others: of the same thing, or its opposite."""
    return statement.subject, OPPOSITES.get(statement.attribute, statement.attribute)


def _polarity(statement: Statement) -> bool:
    """False for what is denied, and for what is not liked."""
    return statement.negated == (statement.attribute in OPPOSITES)


def _has(fact: Fact, wording: Words, value: Words) -> bool:
    """Whether a fact has all that a retraction names, or the other way round: a value by itself."""
    return within(wording, value) or within(value, wording) or within(value, fact.first.text_words)
