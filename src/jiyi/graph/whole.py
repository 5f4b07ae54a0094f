"""A graph: entities, the relations between them, and the paths that answer a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from jiyi.entities import asked_form, form_of
from jiyi.graph.paths import MOST_HOPS, Wanted, Ways, paths
from jiyi.graph.questions import question_of
from jiyi.graph.values import Entity, Path, Relation
from jiyi.mentions import USER

_MOST = 20  # paths, where nobody says how many


@dataclass(frozen=True, slots=True)
class EntityGraph:
    """Entities and relations of a user, as far as they were read.

    Attributes:
        entities: each once.
        relations: between them; closed ones only as of a time at which they held.
        query, about, to, hops: what it was read for; ``paths()`` takes them where it is given nothing else.
    """

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    query: str = ""
    about: str = ""
    to: str = ""
    hops: int = 2
    found: tuple[str, ...] = field(default=(), repr=False)
    """Ids of relations found by meaning; where a question names nobody, paths begin with them."""

    def __bool__(self) -> bool:
        return bool(self.entities)

    def named(self, name: str) -> list[Entity]:
        """The entities that go by a name, in any writing; several where there are namesakes."""
        wanted = asked_form(name)
        return [one for one in self.entities if any(form_of(other) == wanted for other in one.names)]

    def neighbours(self, name: str, hops: int = 1) -> EntityGraph:
        """What lies within so many relations of the entities of a name, in either direction."""
        starts = [entity.id for entity in self.named(name)]
        near = Ways(self.relations).distances(starts, hops)
        entities = tuple(one for one in self.entities if one.id in near)
        between = tuple(one for one in self.relations if one.head.id in near and one.tail.id in near)
        return EntityGraph(entities, between, about=name, hops=hops)

    def paths(
        self,
        query: str | None = None,
        *,
        about: str | None = None,
        to: str | None = None,
        hops: int | None = None,
        limit: int = _MOST,
    ) -> list[Path]:
        """Paths of relations, walked in either direction, best first; each is an answer with the words that say so.

        Args:
            query: a question: paths begin at what it names, and are ordered by how well they fit the rest of it.
            about: where they begin instead.
            to: where they end.
            hops: relations of one, 1 to 3.
            limit: paths at most.
        """
        if query is None and about is None and to is None:
            query, about, to = self.query, self.about, self.to
        most = min(MOST_HOPS, max(1, self.hops if hops is None else hops))
        question = question_of(query, self._names()) if query else None
        asked = [entity for one in question.named for entity in self.named(one.name)] if question else []
        starts, ends = self.named(about) if about else asked, self.named(to) if to else None
        if not starts and ends is not None and not about:
            found = paths(self.relations, Wanted(ends, None, most, question))
            return [_turned(path) for path in found[:limit]]
        if not starts and self.found and not about:
            return self._with_found()[:limit]
        others = [entity.id for entity in asked]
        wanted = Wanted(_once(starts), None if ends is None else frozenset(one.id for one in ends), most, question)
        return paths(self.relations, wanted, others)[:limit]

    def _with_found(self) -> list[Path]:
        """The relations that were found by meaning, each a path of its own, in their order."""
        by_id = {name: one for one in self.relations if one.closed_at is None for name in one.ids}
        found = {by_id[name].ids: by_id[name] for name in self.found if name in by_id}
        return [Path((one.head, one.tail), (one,)) for one in found.values()]

    def _names(self) -> dict[str, Sequence[str]]:
        names: dict[str, list[str]] = {}
        for entity in self.entities:
            for name in entity.names:
                names.setdefault(form_of(name), []).append(name)
        return {**names, USER: [USER]} if USER in names else dict(names)


def _turned(path: Path) -> Path:
    return Path(path.entities[::-1], path.relations[::-1], path.fit)


def _once(entities: Sequence[Entity]) -> list[Entity]:
    return list({entity.id: entity for entity in entities}.values())
