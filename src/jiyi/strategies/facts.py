"""Facts addressed by subject and attribute, and recalled by meaning."""

from __future__ import annotations

from collections.abc import Sequence

from jiyi.attributes import Attribute
from jiyi.intake import fraction, part, positive
from jiyi.ports import LLM, Deriver, Request
from jiyi.statements import FACT
from jiyi.strategies.facts_lines import items_of
from jiyi.strategies.facts_steps import fact_derivers
from jiyi.strategies.numbered import EVERY
from jiyi.types import Block


class Facts:
    """Proposes the facts that answer the question, found by words and by meaning."""

    name = "facts"
    window = False

    def __init__(  # noqa: PLR0913 - settings, by keyword
        self,
        k: int = 8,
        *,
        floor: float | None = None,
        share: float = 0.25,
        every: int = EVERY,
        attributes: Sequence[Attribute] = (),
        instructions: str = "",
        cited: bool = False,
    ) -> None:
        """Sets how much is recalled.

        Args:
            k: facts at most.
            floor: least relevance, 0..1; None for the memory's calibrated floor.
            share: part of the budget held free for them where others compete, above 0, at most 1.
            every, attributes, instructions, cited: as for ``KeyFacts``; with both in a recipe give both the same.

        Raises:
            InvalidInput: names what is out of range.
        """
        self.k = positive("k", k)
        self.floor = None if floor is None else fraction("floor", floor)
        self.share = part("share", share)
        self.every = positive("every", every)
        self.attributes = tuple(attributes)
        self.instructions = instructions
        self.cited = cited

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        """Facts by rules, and by the model where there is one."""
        return fact_derivers(llm, self.attributes, self.instructions, self.every)

    async def recall(self, request: Request) -> list[Block]:
        """One memory block, best first; none when nothing was asked or nothing is relevant."""
        if not request.query.strip():
            return []
        hits = await request.reader.find_records(request.query, kind=FACT, limit=self.k, floor=self.floor)
        scores, why = {hit.record.id: hit.score for hit in hits}, {hit.record.id: hit.why for hit in hits}
        found = [hit.record for hit in hits]
        items = await items_of(request.reader, found, request.language, scores, why, cited=self.cited)
        block = Block(self.name, "memory", tuple(items), share=self.share, most=self.k, cited=self.cited)
        return [block] if items else []
