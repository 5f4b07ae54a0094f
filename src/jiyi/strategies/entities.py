"""People and things that a question is about: who or what they are, a line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jiyi.commands import evidence
from jiyi.entities import ENTITY, is_user, named_of, type_of
from jiyi.graph.walking import named_in
from jiyi.intake import fraction, part, positive
from jiyi.ports import LLM, Deriver, Reader, Request
from jiyi.statements import FACT
from jiyi.strategies.entities_steps import EVERY, entity_derivers
from jiyi.strategies.graph_lines import standing
from jiyi.text import flat, language
from jiyi.types import Block, Item, Message, Record, Source

LABEL = "entity"
_FACTS = 3  # of an entity, the most important
_QUOTES = 4  # of a line


class Entities:
    """Proposes the people, organisations, projects and other things that the question names, and those that a search
    for it brings back: one line each, with type, other names, what was said of them, and facts about them.
    """

    name = "entities"
    window = False

    def __init__(  # noqa: PLR0913 - settings, by keyword
        self,
        k: int = 5,
        *,
        types: Sequence[str] = (),
        floor: float | None = None,
        share: float = 0.2,
        every: int = EVERY,
        instructions: str = "",
        cited: bool = False,
    ) -> None:
        """Sets what is recalled, and how much.

        Args:
            k: entities at most.
            types: only of these types, for example ``person``; all where it is empty.
            floor: least relevance of what the question does not name, 0..1; None for the memory's calibrated floor.
            share: part of the budget held free for them where others compete, above 0, at most 1.
            every: messages of a user that a model is asked about together.
            instructions: a few words more for the model that derives.
            cited: each line names its messages, and quotes what it rests on.

        Raises:
            InvalidInput: names what is out of range.
        """
        self.k = positive("k", k)
        self.types = tuple(types)
        self.floor = None if floor is None else fraction("floor", floor)
        self.share = part("share", share)
        self.every = positive("every", every)
        self.instructions = instructions
        self.cited = cited

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        """Entities and relations by rules, and by the model where there is one."""
        return entity_derivers(llm, self.every, self.instructions)

    async def recall(self, request: Request) -> list[Block]:
        """One memory block: what the question names in its order, then what was found; of which more is known than a
        name.
        """
        asked, reader = request.query.strip(), request.reader
        if not asked:
            return []
        named = {record.id: record for record in await named_in(reader.records, asked)}
        hits = await reader.find_records(asked, kind=ENTITY, limit=self.k, floor=self.floor)
        found = named | {hit.record.id: hit.record for hit in hits if hit.record.id not in named}
        why = dict.fromkeys(named, "named in the question") | {
            hit.record.id: hit.why for hit in hits if hit.record.id not in named
        }
        chosen = [record for record in found.values() if not self.types or type_of(record) in self.types][: 2 * self.k]
        items = await self._items(reader, chosen, why)
        block = Block(self.name, "memory", tuple(items), share=self.share, most=self.k, cited=self.cited)
        return [block] if items else []

    async def _items(self, reader: Reader, records: Sequence[Record], why: Mapping[str, str]) -> list[Item]:
        links = list(dict.fromkeys(link for record in records if not is_user(record) for link in record.links))
        facts = await reader.records(kind=FACT, links=links, important=True, limit=_FACTS * len(links)) if links else []
        sure = [fact for fact in facts if fact.data.get("status") != "unverified"]
        about = {
            record.id: [fact for fact in sure if not set(record.links).isdisjoint(fact.links)] for record in records
        }
        there = await standing(reader, (source for one in (*records, *sure) for source in evidence(one)))
        items: list[Item] = []
        for place, record in enumerate(records):
            item = _item(record, about[record.id][-_FACTS:], there)
            if item is not None:
                why_ = why.get(record.id, "")
                items.append(
                    Item(item.messages, item.text, 1.0 / (1 + place), why_, records=item.records, label=LABEL,
                         quotes=item.quotes)
                )  # fmt: skip
        return items


def _item(record: Record, facts: Sequence[Record], there: Mapping[str, Message]) -> Item | None:
    """A line about an entity; None where no message stands, or nothing is known but a name."""
    facts = [fact for fact in facts if any(source.message_id in there for source in evidence(fact))]
    quotes = [source for source in _telling(record) if source.message_id in there]
    quotes += [source for fact in facts for source in evidence(fact)[-1:] if source.message_id in there]
    says = any(record.data.get(name) for name in ("type", "role", "aliases", "traits")) or "corrected" in record.data
    if not quotes or not (says or facts):
        return None
    chosen = list({flat(source.quote or ""): source for source in quotes}.values())[:_QUOTES]
    messages = tuple({source.message_id: there[source.message_id] for source in chosen}.values())
    newest = sorted(messages, key=lambda message: (message.created_at is not None, message.seq), reverse=True)
    ids = (record.id, *(fact.id for fact in facts))
    return Item(tuple(newest), _text(record, facts), records=ids, quotes=tuple(chosen))


def _telling(record: Record) -> list[Source]:
    """The clauses that say who it is, newest first, before those that only name it."""
    own = record.data.get("corrected")
    said = [source for source in record.sources if source.message_id == own]
    places = named_of(record)[::-1]
    tells = sorted(places, key=lambda one: not (one.traits or one.also or one.role or one.type))
    return said or [one.saying.source for one in tells]


def _text(record: Record, facts: Sequence[Record]) -> str:
    said = [fact.text.rstrip(".。") for fact in facts if flat(fact.text) not in flat(record.text)]
    if not said:
        return record.text
    return f"{record.text}；{'；'.join(said)}" if language(record.text) == "zh" else f"{record.text}; {'; '.join(said)}"
