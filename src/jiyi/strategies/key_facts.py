"""The facts that always stand in the prompt: names, allergies, limits, deadlines, whatever was asked to be kept."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from jiyi.attributes import ATTRIBUTES, Attribute
from jiyi.errors import InvalidInput
from jiyi.intake import fraction, positive
from jiyi.ports import LLM, Deriver, Request
from jiyi.statements import FACT
from jiyi.strategies.facts_lines import items_of
from jiyi.strategies.facts_steps import EVERY, fact_derivers
from jiyi.types import Block, Record

_READ = 4  # times the limit: facts looked at, so that protected ones and those for the question come before others
_NEVER = datetime.min.replace(tzinfo=UTC)


class KeyFacts:
    """Proposes the facts that are protected, then the most important and most relevant ones, each with its source.

    Protected are those that are pinned, that the user asked to remember, and those about what must never be forgotten
    (``Attribute.protected``).
    """

    name = "key_facts"
    window = False

    def __init__(
        self,
        limit: int = 30,
        *,
        least: float = 0.3,
        share: float = 0.25,
        every: int = EVERY,
        attributes: Sequence[Attribute] = (),
        instructions: str = "",
    ) -> None:
        """Sets which facts stand in the prompt.

        Args:
            limit: facts at most.
            least: importance, 0..1, from which a fact stands there although nothing was asked about it.
            share: part of the budget held free for them where others compete, above 0, at most 1.
            every: messages of one call of the model that derives.
            attributes: what facts may be about, beside ``jiyi.attributes.ATTRIBUTES``.
            instructions: a few words more for that model.

        Raises:
            InvalidInput: names what is out of range.
        """
        self.limit = positive("limit", limit)
        self.least = fraction("least", least)
        self.share = fraction("share", share)
        if not self.share:
            raise InvalidInput("share", "must be above 0")
        self.every = positive("every", every)
        self.attributes = tuple(attributes)
        self.instructions = instructions
        self._protected = {one.name for one in (*ATTRIBUTES.values(), *self.attributes) if one.protected}

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        """Facts by rules, and by the model where there is one."""
        return fact_derivers(llm, self.attributes, self.instructions, self.every)

    async def recall(self, request: Request) -> list[Block]:
        """One memory block: protected facts, then by importance and relevance, then the newest."""
        reader, asked = request.reader, request.query.strip()
        found = {r.id: r for r in await reader.records(kind=FACT, important=True, limit=_READ * self.limit)}
        hits = await reader.find_records(asked, kind=FACT, limit=self.limit) if asked else []
        relevance = {hit.record.id: hit.relevance for hit in hits}
        found |= {hit.record.id: hit.record for hit in hits}
        scores = {name: (record.importance or 0.0) + relevance.get(name, 0.0) for name, record in found.items()}
        chosen = [
            record
            for record in found.values()
            if record.id in relevance or self._is_protected(record) or (record.importance or 0.0) >= self.least
        ]
        chosen.sort(key=lambda r: (self._is_protected(r), round(scores[r.id], 2), _said(r), r.id), reverse=True)
        why = {record.id: self._why(record, relevance.get(record.id)) for record in chosen}
        items = await items_of(reader, chosen[: 2 * self.limit], request.language, scores, why)
        return [Block(self.name, "memory", tuple(items), share=self.share, most=self.limit)] if items else []

    def _is_protected(self, record: Record) -> bool:
        return record.pinned or bool(record.data.get("asked")) or record.data.get("attribute") in self._protected

    def _why(self, record: Record, relevance: float | None) -> str:
        parts = ["protected"] if self._is_protected(record) else []
        parts.append(f"importance {record.importance or 0.0:.2f}")
        if relevance is not None:
            parts.append(f"relevance {relevance:.2f}")
        return ", ".join(parts)


def _said(record: Record) -> datetime:
    return record.said_at or record.recorded_at or _NEVER
