"""Who the user is and where the task stands, as it was at the last snapshot, and what was said since."""

from __future__ import annotations

from collections.abc import Sequence

from jiyi.attributes import Attribute
from jiyi.commands import PERSON, evidence
from jiyi.errors import InvalidInput
from jiyi.intake import part, positive
from jiyi.past import LIMIT, SNAPSHOT, Fields, all_sections, begin_of, entry_of, number_of, place_of
from jiyi.ports import LLM, Deriver, Reader, Request
from jiyi.snapshots import SnapshotEntry, language_of
from jiyi.statements import FACT
from jiyi.strategies.facts_lines import items_of
from jiyi.strategies.facts_steps import fact_derivers
from jiyi.strategies.numbered import EVERY
from jiyi.strategies.reading import standing
from jiyi.types import Block, Item, Record

LABEL = "snapshot"

_MARKS = 16  # looked at for the newest moment: old messages that came in late may have made the last ones
_NEWEST = 50  # facts, however important they are: what was said just now is among them


class Snapshot:
    """Proposes the facts of the newest snapshot that still hold, as lines such as ``home: Porto``, and those that were
    stated after it, in their own words.

    A snapshot is taken in the background, without a model, each ``every`` turns; ``Memory.snapshots`` reads them all.
    """

    name = "snapshot"
    window = False

    def __init__(  # noqa: PLR0913 - settings, by keyword
        self,
        every: int = 10,
        *,
        fields: Fields | None = None,
        share: float = 0.25,
        max_tokens: int = 600,
        facts_every: int = EVERY,
        instructions: str = "",
        cited: bool = False,
    ) -> None:
        """Sets how often a snapshot is taken, and of what.

        Args:
            every: turns from one to the next, each of two messages.
            fields: section -> attributes, beside those that every snapshot has: ``{"order": [Attribute("dish",
                "many", 0.8, "what is ordered")]}``.  One of ``jiyi.attributes.ATTRIBUTES`` moves there.
            share: part of the budget held free for it where others compete, above 0, at most 1.
            max_tokens: of its lines together, about.
            facts_every, instructions: as ``every`` and ``instructions`` of ``KeyFacts``; with both in a recipe give
                both the same.
            cited: each line names its message, with date and quote.

        Raises:
            InvalidInput: names what is out of range.
        """
        self.every = positive("every", every)
        self.fields = _checked(fields or {})
        self.share = part("share", share)
        self.max_tokens = positive("max_tokens", max_tokens)
        self.facts_every = positive("facts_every", facts_every)
        self.instructions = instructions
        self.cited = cited
        self._order = {one.name: (section, one) for section, some in all_sections(self.fields).items() for one in some}

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        """Facts by rules, and by the model where there is one; and the snapshots."""
        from jiyi.strategies.snapshot_making import Marks  # what derives is not needed by those who only read

        more = [one for some in self.fields.values() for one in some]
        return [*fact_derivers(llm, more, self.instructions, self.facts_every), Marks(2 * self.every, self.fields)]

    async def recall(self, request: Request) -> list[Block]:
        """One memory block, the most important first; none without facts."""
        reader = request.reader
        marks = await reader.records(kind=SNAPSHOT, newest=True, limit=_MARKS)
        mark = max(marks, key=place_of, default=None)
        facts = await self._facts(reader)
        since = [fact for fact in facts if mark is None or begin_of(fact) > place_of(mark) or _is_corrected(fact)]
        weights = {fact.id: fact.importance or 0.0 for fact in facts}
        fresh = "said before the first snapshot" if mark is None else f"said since snapshot {number_of(mark)}"
        items = await items_of(
            reader, since, request.language, weights, dict.fromkeys(weights, fresh), cited=self.cited
        )
        if mark is not None:
            known = {fact.id for fact in since}
            items += await self._lines(reader, [fact for fact in facts if fact.id not in known], number_of(mark))
        items.sort(key=lambda item: -item.score)
        chosen = self._fitting(items, request)
        block = Block(self.name, "memory", tuple(chosen), share=self.share, cited=self.cited)
        return [block] if chosen else []

    async def _facts(self, reader: Reader) -> list[Record]:
        """The facts of the sections: the most important ones, and the newest."""
        found = await reader.records(kind=FACT, important=True, limit=LIMIT)
        found += await reader.records(kind=FACT, newest=True, limit=_NEWEST)
        chosen = {fact.id: fact for fact in found if fact.data.get("attribute") in self._order}
        return [fact for fact in chosen.values() if fact.data.get("status") != "unverified"]

    async def _lines(self, reader: Reader, facts: Sequence[Record], number: int) -> list[Item]:
        """Facts as they stand in a snapshot: a line for each message that they were said in."""
        there = {fact.id for fact in facts}
        weights = {fact.id: fact.importance or 0.0 for fact in facts}
        places = {name: at for at, name in enumerate(self._order)}
        facts = sorted(facts, key=lambda fact: (places[str(fact.data["attribute"])], begin_of(fact), fact.id))
        messages = await standing(reader, (source.message_id for fact in facts for source in evidence(fact)))
        entries = [
            entry_of(fact, *self._order[str(fact.data["attribute"])], there=there, messages=messages) for fact in facts
        ]
        said: dict[str, list[SnapshotEntry]] = {}
        for entry in entries:
            said.setdefault(entry.message_id, []).append(entry)
        spoken = language_of(entries)
        return [
            Item(
                (messages[name],),
                text=("；" if spoken == "zh" else "; ").join(entry.line(spoken) for entry in some),
                score=max(weights[entry.record] for entry in some),
                why=f"snapshot {number}",
                records=tuple(entry.record for entry in some),
                label=LABEL,
                quotes=tuple(dict.fromkeys(entry.source for entry in some)),
            )
            for name, some in said.items()
            if name in messages
        ]

    def _fitting(self, items: Sequence[Item], request: Request) -> list[Item]:
        """As many of the first ones as there is room for."""
        left = self.max_tokens
        chosen: list[Item] = []
        for item in items:
            text = item.text or "\n".join(message.text for message in item.messages)
            left -= request.count({"role": "system", "content": text})
            if left < 0:
                break
            chosen.append(item)
        return chosen


def _is_corrected(fact: Record) -> bool:
    return fact.data.get("by") == PERSON


def _checked(fields: Fields) -> Fields:
    """The user's own fields, as they are kept.

    Raises:
        InvalidInput: a section without a name, something that is no attribute, or one that stands twice.
    """
    names = [one.name for some in fields.values() for one in some if isinstance(one, Attribute)]  # pyright: ignore[reportUnnecessaryIsInstance]
    if len(names) < sum(map(len, fields.values())):
        raise InvalidInput("fields", "must be a mapping from a section's name to a list of Attribute")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InvalidInput("fields", f"{twice[0]!r} stands in it twice")
    if not all(section.strip() for section in fields):
        raise InvalidInput("fields", "a section has no name")
    return {section: tuple(some) for section, some in fields.items()}
