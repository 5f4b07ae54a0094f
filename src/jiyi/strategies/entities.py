"""People and things that a question is about: who or what they are, a line each."""

from __future__ import annotations

from collections.abc import Sequence

from jiyi.intake import fraction, part, positive
from jiyi.ports import LLM, Deriver, Request
from jiyi.strategies.entities_steps import entity_derivers
from jiyi.strategies.numbered import EVERY
from jiyi.types import Block


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
        if not request.query.strip():
            return []
        from jiyi.strategies.entities_lines import lines_for  # takes a while, and few memories have it

        items = await lines_for(request, types=self.types, k=self.k, floor=self.floor)
        block = Block(self.name, "memory", tuple(items), share=self.share, most=self.k, cited=self.cited)
        return [block] if items else []
