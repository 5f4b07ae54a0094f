"""What of ``Memory`` reads entities and relations."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from jiyi.sync.correcting import Correcting
from jiyi.waiting import run

if TYPE_CHECKING:
    from jiyi.graph import Entity, EntityGraph


class Linking(Correcting):
    """The part of ``Memory`` for entities and what relates them."""

    def entities(
        self,
        *,
        user_id: str,
        query: str | None = None,
        type: str | None = None,
        limit: int | None = None,
        as_of: datetime | None = None,
    ) -> list[Entity]:
        """See ``AsyncMemory.entities``."""
        return run(self.inner.entities(user_id=user_id, query=query, type=type, limit=limit, as_of=as_of))

    def graph(
        self,
        query: str | None = None,
        *,
        user_id: str,
        about: str | None = None,
        to: str | None = None,
        hops: int = 2,
        as_of: datetime | None = None,
    ) -> EntityGraph:
        """See ``AsyncMemory.graph``."""
        return run(self.inner.graph(query, user_id=user_id, about=about, to=to, hops=hops, as_of=as_of))
