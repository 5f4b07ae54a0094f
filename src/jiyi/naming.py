"""From what messages mention to records of entities: what a batch changes of what is known.  Pure.

An entity's record keeps the places that name it, and they are told apart again together with the new ones
(``namesakes``).  What comes out as it was is not written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from jiyi.entities import MODEL, RULES, Named, entity, form_of, named_of
from jiyi.mentions import Alias, Mention, Mentioned
from jiyi.namesakes import told_apart
from jiyi.sayings import Saying, saying
from jiyi.types import JSON, Message, Record, Step


@dataclass(frozen=True, slots=True)
class Making:
    """Who derives, and what.

    Attributes:
        step: the step.
        messages: ids of the messages that are derived: what was known of them from this step goes, or from both when
            it is the model's.
        made: the model and the prompt, empty for the rules.
    """

    step: Step
    messages: frozenset[str]
    made: Mapping[str, JSON] = field(default_factory=dict[str, JSON])

    def redone(self, one: Saying) -> bool:
        """Whether what a step saw in a message is derived anew here."""
        return one.message in self.messages and (one.step == self.step.name or self.step.name == MODEL)

    def said(self, message: Message, start: int, end: int, maker: str) -> Saying:
        """Characters of a message as evidence of this step."""
        return saying(message, start, end, self.step.name, maker, self.made)

    def maker(self, found: Iterable[Saying], known: Record | None) -> tuple[str, str]:
        """Step and version of a record that rests on this."""
        step = MODEL if any(one.step == MODEL for one in found) else RULES
        stays = known is not None and known.strategy == step and step != self.step.name
        return step, known.version if known is not None and stays else self.step.version


class RecordChanges(NamedTuple):
    """Records to put, and ids of those that go."""

    put: tuple[Record, ...]
    drop: tuple[str, ...]


def entity_changes(named: Iterable[Named], known: Iterable[Record], making: Making) -> RecordChanges:
    """What these places change of what is known.

    Args:
        named: from the messages that are derived.
        known: the entities that rest on these messages, all that have a name of theirs or of one of ``named``, and
            so on for the names of those.
        making: who derives, and what.
    """
    ours = {record.id: record for record in known if record.strategy in (RULES, MODEL)}
    stays = [one for record in ours.values() for one in named_of(record) if not making.redone(one.saying)]
    put: list[Record] = []
    there: set[str] = set()
    for one in told_apart([*stays, *named]):
        before = ours.get(one.id)
        strategy, version = making.maker((place.saying for place in one.named), before)
        record = entity(one.id, one.named, strategy=strategy, version=version, sense=one.sense)
        there.add(record.id)
        if not record.is_as_it_was(before):
            put.append(record)
    return RecordChanges(tuple(put), tuple(name for name in ours if name not in there))


def places(mentioned: Mentioned, maker: str, making: Making) -> Iterator[Named]:
    """The places that name something, in what messages mention: the first of each name and role in a message, and
    those that tell something more.

    Args:
        mentioned: of one message or several.
        maker: who found it, ``rules`` or ``model``.
        making: who derives.
    """
    also: defaultdict[tuple[str, str], dict[str, Alias]] = defaultdict(dict)
    for alias in mentioned.aliases:
        for one, other in (alias.names, alias.names[::-1]):
            also[alias.message.id, form_of(one)][other] = alias
    told: defaultdict[tuple[str, str, str], set[tuple[str, str]]] = defaultdict(set)
    for one in sorted(mentioned.mentions, key=lambda mention: (mention.message.seq, mention.start, mention.name)):
        form = form_of(one.name)
        if not form:
            continue
        names = also.pop((one.message.id, form), {})
        seen = told[one.message.id, form, " ".join(one.role.split())]
        tells = {("", ""), ("type", one.type), *one.traits.items()} - {("type", "")}
        if names or not tells <= seen:
            seen |= tells
            yield _named(one, names, maker, making)


def _named(one: Mention, names: Mapping[str, Alias], maker: str, making: Making) -> Named:
    begin, until = (one.begin, one.until) if one.until > one.begin else (one.start, one.end)
    for alias in names.values():
        begin, until = min(begin, alias.start), max(until, alias.end)
    return Named(
        making.said(one.message, begin, until, maker),
        one.start,
        one.end,
        one.name,
        one.type.strip().lower(),
        " ".join(one.role.split()),
        dict(one.traits),
        tuple(names),
    )
