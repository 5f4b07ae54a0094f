"""What of ``AsyncMemory`` reads topics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from jiyi import intake
from jiyi.correcting import Correcting
from jiyi.curated import Curated
from jiyi.curation import curate
from jiyi.search import WantedRecords
from jiyi.text import check_text
from jiyi.topics import PART, TOPIC, Topic, topic_of, topic_of_parts, united
from jiyi.types import NEVER, Filter, Record, Scope

if TYPE_CHECKING:
    from jiyi.search import Searcher

_FOUND = 8  # topics that answer a question, at most


class Gathering(Correcting):
    """The part of ``AsyncMemory`` for projects and subjects, each with what was said of it in all sessions."""

    searcher: Searcher

    async def topics(self, *, user_id: str, query: str | None = None, as_of: datetime | None = None) -> list[Topic]:
        """A user's topics, with their decisions and open points: those that were spoken of last come first.

        Args:
            user_id: whose.
            query: only those that answer this question, best first.
            as_of: as they stood then, of what was said by then; with zone.

        Raises:
            InvalidInput: names the field.
        """
        scope = self.scope(user_id)
        moment = intake.moment("as_of", as_of, self.clock.now())
        curated = Curated(self.store, scope)
        if query is None:
            found = await (curated.records(kind=TOPIC) if moment is None else self._as_of(scope, moment))
            topics = [topic_of(record) for record in united(found)]
            return sorted(topics, key=lambda one: (one.said_at or NEVER, one.id), reverse=True)
        hits = await curated.find(self.searcher, check_text("query", query), WantedRecords(_FOUND, (TOPIC,)))
        if moment is None:
            return [topic_of(record) for record in united(hit.record for hit in hits)]
        then = {one.id: one for one in await self._as_of(scope, moment)}
        return [topic_of(record) for record in united(then[hit.record.id] for hit in hits if hit.record.id in then)]

    async def _as_of(self, scope: Scope, moment: datetime) -> list[Record]:
        """The topics of what had been said by then, with the orders that were given by then."""
        parts = await self.store.records(scope, kind=PART, as_of=moment)
        orders = await Curated(self.store, scope, as_of=moment).orders()
        records = _composed(parts)
        ids = {source.message_id for record in records for source in record.sources} if orders else set[str]()
        messages = await self.store.messages(scope, Filter(ids=tuple(sorted(ids)), active=None)) if ids else []
        said = {message.id: message.created_at for message in messages if message.created_at}
        found = curate(records, orders, salt=await self.store.salt(scope), said=said)
        return [record for record in found if record.kind == TOPIC and not record.hidden]


def _composed(parts: Iterable[Record]) -> list[Record]:
    by_topic = defaultdict[str, list[Record]](list)
    for part in parts:
        by_topic[part.key or ""].append(part)
    made = (topic_of_parts(key, some) for key, some in sorted(by_topic.items()) if key)
    return [record for record in made if record is not None]
