"""What of ``AsyncMemory`` reads entities and relations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from jiyi import intake
from jiyi.correcting import Correcting
from jiyi.curated import Curated
from jiyi.entities import ENTITY, type_of
from jiyi.errors import InvalidInput
from jiyi.options import after
from jiyi.relations import RELATION
from jiyi.search import WantedRecords
from jiyi.statements import FACT
from jiyi.text import check_text
from jiyi.types import ACTIVE, Filter, Record, Scope

if TYPE_CHECKING:
    from jiyi.graph import Entity, EntityGraph
    from jiyi.graph.building import Ground
    from jiyi.search import Searcher

_FOUND = 8  # relations found by meaning, where a question names nobody
_FACTS = 200  # facts about entities, read at once


class Linking(Correcting):
    """The part of ``AsyncMemory`` for entities and what relates them."""

    searcher: Searcher

    async def entities(
        self,
        *,
        user_id: str,
        query: str | None = None,
        type: str | None = None,
        limit: int | None = None,
        as_of: datetime | None = None,
    ) -> list[Entity]:
        """People, organisations, projects and other things that a user spoke of, with what is known about them.

        Args:
            user_id: whose memory.
            query: only those that this text names, in its order; where it names none, those that answer it.
            type: only of this type, for example ``person``.
            limit: at most so many: the first of a query, else those mentioned last.
            as_of: as it was known then.

        Raises:
            InvalidInput: names the field.
        """
        from jiyi.graph.building import graph_parts  # takes a tenth of the time of `import jiyi`, and few ask
        from jiyi.graph.walking import named_in

        scope = self.scope(user_id)
        intake.limit("limit", limit)
        if type is not None:
            intake.identifier("type", type)
        as_of = intake.moment("as_of", as_of, self.clock.now())
        curated = Curated(self.store, scope, as_of=as_of)
        if query is None:
            found = await curated.records(kind=ENTITY)
        else:
            found = await named_in(curated.records, check_text("query", query))
            if not found:
                wanted = WantedRecords(limit or _FOUND, (ENTITY,))
                found = [hit.record for hit in await curated.find(self.searcher, query, wanted)]
        chosen = [record for record in found if type in (None, type_of(record))]
        ground = await self._ground(scope, as_of, curated, chosen)
        entities = list(graph_parts(chosen, (), ground)[0])
        if query is None:
            entities.sort(key=lambda one: (one.said_at is not None, one.said_at, one.id), reverse=True)
        return entities if limit is None else entities[:limit]

    async def graph(
        self,
        query: str | None = None,
        *,
        user_id: str,
        about: str | None = None,
        to: str | None = None,
        hops: int = 2,
        as_of: datetime | None = None,
    ) -> EntityGraph:
        """Entities and the relations between them, each relation with the words that state it.

        ``paths()`` of what comes back answers the question: relations joined one to the next, best first.  Nothing is
        inferred.  Without a query, and neither ``about`` nor ``to``, all that the user spoke of.

        Args:
            query: a question; what it names is where the paths begin.
            user_id: whose memory.
            about: the name where they begin instead.
            to: the name where they end.
            hops: relations of a path, 1 to 3.
            as_of: as it was known then, with what was closed since.

        Raises:
            InvalidInput: names the field.
        """
        from jiyi.graph import MOST_HOPS, EntityGraph
        from jiyi.graph.building import graph_parts
        from jiyi.graph.walking import Course, walk

        scope = self.scope(user_id)
        asked = {"query": query, "about": about, "to": to}
        for field, value in asked.items():
            if value is not None and not check_text(field, value).strip():
                raise InvalidInput(field, "must not be empty; leave it out for all that there is")
        if not 1 <= intake.positive("hops", hops) <= MOST_HOPS:
            raise InvalidInput("hops", f"must be 1 to {MOST_HOPS}, not {hops}")
        as_of = intake.moment("as_of", as_of, self.clock.now())
        curated = Curated(self.store, scope, as_of=as_of)
        found: Sequence[Record] = ()
        if query is about is to is None:
            entities = await curated.records(kind=ENTITY)
            relations = await curated.records(kind=RELATION)
        else:
            starts = await self._starts(curated, query, about, to)
            if not starts and about is to is None and query:
                wanted = WantedRecords(_FOUND, (RELATION,))
                found = [hit.record for hit in await curated.find(self.searcher, query, wanted)]
            walked = await walk(curated.records, starts, Course.of(query, starts.values(), hops), found)
            entities, relations = list(walked.entities.values()), list(walked.relations.values())
        parts = graph_parts(entities, relations, await self._ground(scope, as_of, curated, entities))
        ids = tuple(record.id for record in found)
        return EntityGraph(*parts, query or "", about or "", to or "", hops, ids)

    async def _starts(
        self, curated: Curated, query: str | None, about: str | None, to: str | None
    ) -> dict[str, Record]:  # fmt: skip
        from jiyi.graph.walking import called, named_in

        found = await named_in(curated.records, query) if query else []
        for name in (about, to):
            found += await called(curated.records, name) if name else []
        return {record.id: record for record in found}

    async def _ground(
        self, scope: Scope, as_of: datetime | None, curated: Curated, entities: Sequence[Record]
    ) -> Ground:  # fmt: skip
        """The newest message, and the facts about these entities."""
        from jiyi.graph.building import Ground

        where = ACTIVE if as_of is None else Filter(until=after(as_of))
        newest = await self.store.messages(scope, where, limit=1, newest=True)
        links = list(dict.fromkeys(link for record in entities for link in record.links))
        facts: dict[str, list[Record]] = {}
        for fact in await curated.records(kind=FACT, links=links, newest=True, limit=_FACTS) if links else ():
            for link in fact.links:
                facts.setdefault(link, []).append(fact)
        return Ground(newest[0].created_at if newest else None, as_of, facts)
