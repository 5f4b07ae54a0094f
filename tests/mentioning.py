"""What messages mention, made up for tests of what comes after: named things, aliases and relations by their words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Unpack

from jiyi.mentions import USER, Alias, Edge, Mention, Mentioned
from jiyi.ports import Batch
from jiyi.relation_types import relation_of
from jiyi.strategies.entities_known import derived, resting
from jiyi.testing.strategy import START
from jiyi.types import JSON, Changes, Message, Record, Scope, Step, Which

RULES_STEP = Step("entities:rules", "1")


def message(text: str, seq: int = 1, *, day: float | None = None, session: str = "s") -> Message:
    """A user's message; said on its day, taken in the order of ``seq``."""
    at = START + timedelta(days=seq if day is None else day)
    return Message(
        f"m{seq}", session, "user", text, seq=seq, created_at=at, recorded_at=START + timedelta(days=100 + seq)
    )


def mention(of: Message, name: str, type: str = "", role: str = "", **traits: str) -> Mention:
    start = 0 if name == USER else of.text.index(name)
    end = 0 if name == USER else start + len(name)
    told: Mapping[str, str] = {key.strip("_"): words for key, words in traits.items()}
    return Mention(of, start, end, name, type, role, told, 0, len(of.text))


def alias(of: Message, one: str, other: str) -> Mentioned:
    """That two names are one thing's, with a mention of each."""
    return Mentioned((mention(of, one), mention(of, other)), (Alias(of, 0, len(of.text), (one, other)),))


def edge(of: Message, head: str, words: str, tail: str, *, negated: bool = False, ends: bool = False) -> Mentioned:
    """A relation, with a mention of both ends."""
    relation, reverse = relation_of(words)
    one, other = (tail, head) if reverse else (head, tail)
    found = Edge(of, 0, len(of.text), one, relation, other, words, negated=negated, ends=ends)
    return Mentioned((mention(of, head), mention(of, tail)), (), (found,))


def named(of: Message, name: str, type: str = "", role: str = "", **traits: str) -> Mentioned:
    """A name alone."""
    return Mentioned((mention(of, name, type, role, **traits),))


class Book:
    """What is known, as a store keeps it, and the messages that it was made from.

    Attributes:
        records: id -> record.
    """

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self._said: dict[str, tuple[Message, list[tuple[Mentioned, str]]]] = {}

    async def derive(
        self,
        said: Iterable[tuple[Message, Mentioned]],
        *,
        step: Step = RULES_STEP,
        maker: str = "rules",
        made: Mapping[str, JSON] | None = None,
    ) -> Changes:
        """Derives a batch of messages, of which this is mentioned."""
        there = list(said)
        for one, mentioned in there:
            self._said[one.id] = one, [(mentioned, maker)]
        return await self._again([one.id for one, _ in there], step, made or {})

    async def erase(self, *ids: str) -> None:
        """Erases messages: what rests on one goes, and is derived anew from its other messages."""
        gone = [r for r in self.records.values() if any(s.message_id in ids for s in r.sources)]
        for record in gone:
            del self.records[record.id]
        for name in ids:
            self._said.pop(name, None)
        again = dict.fromkeys(s.message_id for record in gone for s in record.sources if s.message_id in self._said)
        for name in again:
            await self._again([name], RULES_STEP, {})

    def state(self) -> list[tuple[object, ...]]:
        """All records in full, by id."""
        return sorted((record.id, record) for record in self.records.values())  # type: ignore[type-var]

    def of(self, kind: str, *, current: bool = True) -> list[Record]:
        """The records of a kind, oldest first."""
        found = [r for r in self.records.values() if r.kind == kind and (r.closed_at is None or not current)]
        return sorted(found, key=lambda record: (record.said_at or START, record.id))

    async def _again(self, ids: Sequence[str], step: Step, made: Mapping[str, JSON]) -> Changes:
        messages = [self._said[name][0] for name in ids]
        batch = Batch(Scope("ada"), tuple(messages), max((m.seq for m in messages), default=0), self._find)
        found = [one for name in ids for one in self._said[name][1]]
        changes = await derived(batch, found, await resting(batch), step, made)
        for name in changes.drop:
            del self.records[name]
        self.records |= {record.id: record for record in changes.put}
        return changes

    async def _find(self, **which: Unpack[Which]) -> list[Record]:
        found = list(self.records.values())
        for name, wanted in which.items():
            if name in ("kind", "key"):
                found = [one for one in found if getattr(one, name) == wanted]
            elif name == "ids":
                found = [one for one in found if one.id in wanted]  # type: ignore[operator]
            elif name == "links":
                found = [one for one in found if set(one.links) & set(wanted)]  # type: ignore[call-overload]
            elif name == "sources":
                found = [one for one in found if {s.message_id for s in one.sources} & set(wanted)]  # type: ignore[call-overload]
        return found
