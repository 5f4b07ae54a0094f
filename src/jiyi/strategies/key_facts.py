"""The facts that always stand in the prompt: names, allergies, limits, deadlines, whatever was asked to be kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from jiyi.attributes import ATTRIBUTES, Attribute
from jiyi.intake import fraction, part, positive
from jiyi.ports import LLM, Deriver, Request
from jiyi.statements import FACT
from jiyi.strategies.facts_lines import items_of
from jiyi.strategies.facts_steps import fact_derivers
from jiyi.strategies.numbered import EVERY
from jiyi.types import NEVER, Block, Record

_READ = 2  # times the limit: facts looked at for their importance, so that protected ones are among them
_PROTECTED = 3  # up to one in so many is there because it is protected: a question still finds what it asks for
_NEAR = 2  # near to the question, for each that is there for its importance


class KeyFacts:
    """Proposes the facts that are protected, those near to the question and the most important, each with its source.

    Protected are those that are pinned, that the user asked to remember, and those about what must never be forgotten
    (``Attribute.protected``).
    """

    name = "key_facts"
    window = False

    def __init__(  # noqa: PLR0913 - settings, by keyword
        self,
        limit: int = 30,
        *,
        least: float = 0.3,
        share: float = 0.25,
        every: int = EVERY,
        attributes: Sequence[Attribute] = (),
        instructions: str = "",
        cited: bool = False,
    ) -> None:
        """Sets which facts stand in the prompt.

        Args:
            limit: facts at most.
            least: importance, 0..1, from which a fact stands there without being near to the question.
            share: part of the budget held free for them where others compete, above 0, at most 1.
            every: messages of one call of the model that derives.
            attributes: what facts may be about, beside ``jiyi.attributes.ATTRIBUTES``.
            instructions: a few words more for that model.
            cited: each line names its message, and quotes it where it says so in other words; a fact that no message
                says stays out.

        Raises:
            InvalidInput: names what is out of range.
        """
        self.limit = positive("limit", limit)
        self.least = fraction("least", least)
        self.share = part("share", share)
        self.every = positive("every", every)
        self.attributes = tuple(attributes)
        self.instructions = instructions
        self.cited = cited
        self._protected = {one.name for one in (*ATTRIBUTES.values(), *self.attributes) if one.protected}

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        """Facts by rules, and by the model where there is one."""
        return fact_derivers(llm, self.attributes, self.instructions, self.every)

    async def recall(self, request: Request) -> list[Block]:
        """One memory block: protected facts; then in turns those nearest to the question and the most important ones.

        No floor holds back what is near to the question: among a user's own facts the right one is often near in
        meaning without being sure, and facts are short.
        """
        reader, asked = request.reader, request.query.strip()
        important = await reader.records(kind=FACT, important=True, limit=_READ * self.limit)
        hits = await reader.find_records(asked, kind=FACT, limit=self.limit, floor=0) if asked else []
        found = {record.id: record for record in (*important, *(hit.record for hit in hits))}
        places = {hit.record.id: place for place, hit in enumerate(hits)}
        relevance = {hit.record.id: hit.relevance for hit in hits}
        chosen = self._chosen(list(found.values()), places)
        scores = {name: (record.importance or 0.0) + relevance.get(name, 0.0) for name, record in found.items()}
        why = {record.id: self._why(record, relevance.get(record.id)) for record in chosen}
        items = await items_of(reader, chosen[: 2 * self.limit], request.language, scores, why, cited=self.cited)
        block = Block(self.name, "memory", tuple(items), share=self.share, most=self.limit, cited=self.cited)
        return [block] if items else []

    def _chosen(self, facts: Sequence[Record], places: Mapping[str, int]) -> list[Record]:
        """In the order in which they are wanted.  ``places``: of those that were found for the question."""
        last = len(places)
        facts = sorted(facts, key=lambda r: (r.importance or 0.0, _said(r), r.id), reverse=True)
        protected = [fact for fact in facts if self._is_protected(fact)]
        protected.sort(key=lambda fact: places.get(fact.id, last))
        near = sorted((fact for fact in facts if fact.id in places), key=lambda fact: places[fact.id])
        rest = [fact for fact in facts if (fact.importance or 0.0) >= self.least or self._is_protected(fact)]
        order = [*protected[: max(1, self.limit // _PROTECTED)]]
        while near or rest:
            order += [*near[:_NEAR], *rest[:1]]
            del near[:_NEAR], rest[:1]
        return list({fact.id: fact for fact in order}.values())

    def _is_protected(self, record: Record) -> bool:
        return record.pinned or bool(record.data.get("asked")) or record.data.get("attribute") in self._protected

    def _why(self, record: Record, relevance: float | None) -> str:
        parts = ["protected"] if self._is_protected(record) else []
        parts.append(f"importance {record.importance or 0.0:.2f}")
        if relevance is not None:
            parts.append(f"relevance {relevance:.2f}")
        return ", ".join(parts)


def _said(record: Record) -> datetime:
    return record.said_at or record.recorded_at or NEVER
