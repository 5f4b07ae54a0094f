"""Relations around what a question names, over several hops, each in the words that state it."""

from __future__ import annotations

from collections.abc import Sequence

from jiyi.entities import is_user
from jiyi.errors import InvalidInput
from jiyi.graph import MOST_HOPS, EntityGraph, Path
from jiyi.graph.building import HELD, Ground, graph_parts
from jiyi.graph.walking import named_in, walk
from jiyi.intake import fraction, part, positive
from jiyi.ports import LLM, Deriver, Request
from jiyi.relations import RELATION
from jiyi.strategies.entities_steps import EVERY, entity_derivers
from jiyi.strategies.graph_lines import Line, items_of
from jiyi.types import Block, Record

_PATHS = 60  # looked at, the best ones


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
        if hops > MOST_HOPS:
            raise InvalidInput("hops", f"must be 1 to {MOST_HOPS}, not {hops}")
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
        asked = request.query.strip()
        if not asked:
            return []
        starts = await named_in(request.reader.records, asked)
        lines = await self._around(request, starts) if starts else await self._found(request)
        items = (await items_of(request.reader, lines))[: 2 * self.k]
        block = Block(self.name, "memory", tuple(items), share=self.share, most=self.k, cited=self.cited)
        return [block] if items else []

    async def _around(self, request: Request, starts: Sequence[Record]) -> list[Line]:
        """Relations on the paths that fit the question, and those that others than the user stand in anyway."""
        walked = await walk(request.reader.records, {one.id: one for one in starts}, self.hops)
        parts = graph_parts(list(walked.entities.values()), list(walked.relations.values()), Ground(as_of=HELD))
        graph = EntityGraph(*parts, query=request.query, hops=self.hops)
        only_user = all(map(is_user, starts))
        lines: dict[str, Line] = {}
        for path in graph.paths(limit=_PATHS):
            if path.fit > 0 or (len(path.relations) == 1 and not only_user):
                for relation in path.relations:
                    lines.setdefault(relation.id, Line(relation, path.fit, _why(path)))
        return list(lines.values())[: 2 * self.k]

    async def _found(self, request: Request) -> list[Line]:
        """Relations that a search brings back."""
        reader = request.reader
        hits = await reader.find_records(request.query, kind=RELATION, limit=self.k, floor=self.floor)
        found = {hit.record.id: hit for hit in hits}
        walked = await walk(reader.records, {}, 1, [hit.record for hit in hits]) if hits else None
        if walked is None:
            return []
        made = graph_parts(list(walked.entities.values()), [hit.record for hit in hits], Ground(as_of=HELD))[1]
        lines = [Line(one, found[one.id].score, found[one.id].why) for one in made if one.id in found]
        return sorted(lines, key=lambda line: line.score, reverse=True)


def _why(path: Path) -> str:
    return f"{path}, fit {path.fit:.2f}" if path.fit else str(path)
