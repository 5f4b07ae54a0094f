"""Relations around what a question names, over several hops, each in the words that state it."""

from __future__ import annotations

from collections.abc import Sequence

from jiyi.errors import InvalidInput
from jiyi.intake import fraction, part, positive
from jiyi.ports import LLM, Deriver, Request
from jiyi.strategies.entities_steps import entity_derivers
from jiyi.strategies.numbered import EVERY
from jiyi.types import Block

_HOPS = 3  # at most


class Graph:
    """Proposes what relates the people and things that the question names, the best paths first.

    Each line is the clause of a message that states one relation: nothing is inferred.  Of a question that names
    nobody, the relations that a search for it brings back.
    """

    name = "graph"
    window = False

    def __init__(  # noqa: PLR0913 - settings, by keyword
        self,
        k: int = 8,
        *,
        hops: int = 2,
        floor: float | None = None,
        share: float = 0.25,
        every: int = EVERY,
        instructions: str = "",
        cited: bool = False,
    ) -> None:
        """Sets how far it goes, and how much is shown.

        Args:
            k: relations at most.
            hops: relations from what the question names to what it asks for, 1 to 3.
            floor: least relevance of what is found for a question that names nobody, 0..1; None for the memory's
                calibrated floor.
            share: part of the budget held free for them where others compete, above 0, at most 1.
            every, instructions: as for ``Entities``; with both in a recipe give both the same.
            cited: each line names its message.

        Raises:
            InvalidInput: names what is out of range.
        """
        self.k = positive("k", k)
        self.hops = positive("hops", hops)
        if hops > _HOPS:
            raise InvalidInput("hops", f"must be 1 to {_HOPS}, not {hops}")
        self.floor = None if floor is None else fraction("floor", floor)
        self.share = part("share", share)
        self.every = positive("every", every)
        self.instructions = instructions
        self.cited = cited

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        """Entities and relations by rules, and by the model where there is one."""
        return entity_derivers(llm, self.every, self.instructions)

    async def recall(self, request: Request) -> list[Block]:
        """One memory block, best first; none when nothing was asked or nothing is known of it."""
        if not request.query.strip():
            return []
        from jiyi.strategies.graph_lines import items_of, lines_for  # takes a while, and few memories have it

        lines = await lines_for(request, hops=self.hops, most=2 * self.k, floor=self.floor)
        items = await items_of(request.reader, lines)
        block = Block(self.name, "memory", tuple(items), share=self.share, most=self.k, cited=self.cited)
        return [block] if items else []
