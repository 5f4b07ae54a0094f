"""What of ``AsyncMemory`` is about snapshots: marks in the log, read with the facts as of their moments."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from jiyi import intake
from jiyi.curated import Curated
from jiyi.past import SNAPSHOT, Past, place_of, snapshot_of, told_record
from jiyi.snapshots import ProfileSnapshot
from jiyi.statements import FACT
from jiyi.types import Record, Scope
from jiyi.upkeep import Upkeep


class Snapshotting(Upkeep):
    """The part of ``AsyncMemory`` that shows who somebody was, and where the task stood, at an earlier time."""

    async def snapshots(
        self, *, user_id: str, limit: int | None = None, as_of: datetime | None = None
    ) -> list[ProfileSnapshot]:
        """A user's snapshots, in order of their moments: the facts that held then, as far as they are known by now.

        What a person has deleted or hidden since is in none of them, and what was corrected stands in the new words.

        Args:
            user_id: whose.
            limit: the newest ones, at most so many.
            as_of: only those of moments up to then, with zone.

        Raises:
            InvalidInput: names the field.
        """
        scope = self.scope(user_id)
        intake.limit("limit", limit)
        moment = intake.moment("as_of", as_of, self.clock.now())
        marks = await Curated(self.store, scope, as_of=moment).records(kind=SNAPSHOT, current=None)
        marks.sort(key=place_of)
        chosen = marks if limit is None else marks[max(0, len(marks) - limit) :]
        past = await self._past(scope) if chosen else Past(())
        return [snapshot_of(mark, past) for mark in chosen]

    async def _told(self, scope: Scope, found: Sequence[Record]) -> list[Record]:
        """The same records, snapshots with what they stand for."""
        if all(record.kind != SNAPSHOT for record in found):
            return list(found)
        past = await self._past(scope)
        return [told_record(r, snapshot_of(r, past)) if r.kind == SNAPSHOT else r for r in found]

    async def _past(self, scope: Scope) -> Past:
        curated = Curated(self.store, scope)
        facts, orders = await curated.records(kind=FACT, current=None), await curated.orders()
        derived = await self.store.records(scope, kind=FACT, current=None) if orders else ()
        return Past(facts, derived, orders)
