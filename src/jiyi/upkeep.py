"""What of ``AsyncMemory`` is about what is derived: how far it is, waiting for it, deriving it anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from jiyi import facts, intake
from jiyi.entities import ENTITY, MODEL, MOST_PLACES, RULES, is_user
from jiyi.errors import InvalidInput, StoreError
from jiyi.expiry import expired
from jiyi.indexable import DENSE_STEPS, is_index
from jiyi.indexing import dense_step, indexes, record_step
from jiyi.relating import EVIDENCE
from jiyi.relations import RELATION
from jiyi.statements import FACT
from jiyi.types import Failure, Filter, Progress, Record, Scope, Spent, Step

if TYPE_CHECKING:
    from jiyi.models import Models
    from jiyi.ports import Clock, Embedder, Store, VectorIndex
    from jiyi.search import Searcher
    from jiyi.spending import Spending
    from jiyi.uses import Uses
    from jiyi.worker import Worker


class _Kept(NamedTuple):
    """How many places records of a kind keep, and who makes them."""

    rules: str
    model: str
    kind: str
    most: int


_KEPT = (
    _Kept(facts.RULES, facts.MODEL, FACT, facts.EVIDENCE),
    _Kept(RULES, MODEL, ENTITY, MOST_PLACES),
    _Kept(RULES, MODEL, RELATION, EVIDENCE),
)


class Upkeep:
    """The part of ``AsyncMemory`` that looks after what is derived."""

    store: Store
    worker: Worker
    spending: Spending
    uses: Uses
    clock: Clock
    expire_days: int
    _expired_on: date = date.min
    _to_expire: list[str]
    searcher: Searcher
    tenant: str
    agent: str
    warnings: list[str]
    _models: Models
    _embedder: Embedder | None
    vectors: VectorIndex | None

    @property
    def _place(self) -> str:
        """Name of the index that keeps the vectors of messages; "" when the store does."""
        return self.vectors.name if self.vectors is not None else ""

    def scope(self, user_id: object) -> Scope:
        """The fence around one user's memory.

        Raises:
            InvalidInput: names ``user_id``.
        """
        return Scope(intake.identifier("user_id", user_id), self.tenant, self.agent)

    async def _attach(self) -> None:
        """Puts the embedder to work, unless the stored vectors are another model's."""
        await self._look_elsewhere()
        embedder, stored = self._embedder, await self.store.models()
        if embedder is None:
            return
        others = {name: size for name, (size, _) in stored.items() if name != embedder.name}
        if others and embedder.name not in stored:
            held = ", ".join(_with_size(name, size) for name, size in others.items())
            chosen = _with_size(embedder.name, embedder.size)
            self.warnings.append(
                f"the stored vectors were made with {held}, the embedder is {chosen}. "
                "Search works by full text until `jiyi reindex` has made new ones"
            )
            return
        if others:
            self.warnings.append("a change of the embedder is not finished; `jiyi reindex` completes it")
        for index in indexes(embedder, self._place):
            await self.worker.add(index)
        self.searcher.embedder = embedder

    async def _look_elsewhere(self) -> None:
        """Warns of vectors that lie in an index outside which is not open: an erasure would not reach them."""
        if places := sorted(await self._elsewhere()):
            self.warnings.append(
                f"vectors of messages lie in {', '.join(places)}, which is not open: they are not searched, what is "
                "erased now stays there. Open it with the setting `vectors`; if you have given it up, delete it, and "
                "`jiyi reindex` forgets that it was there"
            )

    async def _elsewhere(self) -> dict[str, list[Step]]:
        """Names of indexes that got vectors and are not open now, with the steps that put them there."""
        inside, found = await self.store.models(), dict[str, list[Step]]()
        for step in await self.store.begun():
            model, mark, place = step.name.removeprefix(DENSE_STEPS).rpartition("@")
            named = step.name.startswith(DENSE_STEPS) and mark and "/" not in place  # an address is part of a model
            if named and f"{model}@{place}" not in inside and place != self._place:
                found.setdefault(place, []).append(step)
        return found

    async def drain(
        self, progress: Callable[[list[Progress]], None] | None = None, *, steps: Sequence[str] | None = None
    ) -> None:
        """Waits until everything is derived that can be.

        Args:
            progress: called with the progress after each batch.
            steps: names of the derivations to wait for, as ``progress()`` has them; None for all.

        Raises:
            InvalidInput: there is no such step.
        """
        await self.worker.drain(progress, self._named(steps))

    def _named(self, steps: Sequence[str] | None) -> Sequence[str]:
        """Names of steps that there are."""
        there = [step.name for step in self.worker.steps]
        for name in there if steps is None else steps:
            if name not in there:
                raise InvalidInput("steps", f"there is no {name!r} here; there are {', '.join(there)}")
        return there if steps is None else steps

    async def progress(self) -> list[Progress]:
        """How far each derivation is: both indexes, and what the recipe's strategies need."""
        return await self.worker.progress()

    async def reindex(self, progress: Callable[[list[Progress]], None] | None = None) -> None:
        """Brings both indexes to the present tokenizer and embedder; goes on where it was interrupted.

        The vectors of other models are removed once the new ones are complete, and those of messages that lie in the
        store though they have a place elsewhere.

        Raises:
            StoreError: something could not be derived; the old vectors stay.
        """
        embedder = self._embedder
        if embedder is not None and self.searcher.embedder is None:
            for index in indexes(embedder, self._place):
                await self.worker.add(index)
            self.searcher.embedder = embedder
        names = [step.name for step in self.worker.steps if is_index(step.name)]
        await self.worker.drain(progress, names)
        await self._check_done(names)
        if embedder is not None:
            old = [name for name in await self.store.models() if name != embedder.name]
            gone = [step(name) for name in old for step in (dense_step, record_step)]
            await self.store.reset([*gone, dense_step(embedder.name)] if self.vectors else gone)
        for steps in (await self._elsewhere()).values():
            await self.store.reset(steps)
        self.warnings[:] = self._models.warnings  # what was said of the vectors is past

    async def rebuild(
        self,
        steps: Sequence[str] | None = None,
        *,
        user_id: str | None = None,
        progress: Callable[[list[Progress]], None] | None = None,
    ) -> None:
        """Derives anew from the log.  What was derived before serves until the new is complete.

        Args:
            steps: names of derivations, as ``progress()`` has them; None for all.
            user_id: only this user's; None for everybody.
            progress: called with the progress after each batch.

        Raises:
            InvalidInput: there is no such step.
            StoreError: something could not be derived; what was derived before stays, the rest is tried again later.
        """
        names = self._named(steps)
        scope = None if user_id is None else self.scope(user_id)
        await self.store.rebuild([step for step in self.worker.steps if step.name in names], scope)
        await self.worker.drain(progress, names)
        await self._check_done(names)

    async def _thinned(self, scope: Scope, *, session_id: str | None = None, ids: Sequence[str] = ()) -> list[Step]:
        """Steps that are to begin again when messages are erased: a fact, entity or relation keeps its newest places,
        and where most of these go, older messages that say it are known to nobody.

        Not where a model derives them: it would be asked about the whole log.
        """
        there = {step.name: step for step in self.worker.steps}
        kept = [one for one in _KEPT if one.rules in there and one.model not in there]
        if kept and session_id is not None:
            ids = [one.id for one in await self.store.messages(scope, Filter(session_id=session_id, active=None))]
        found: dict[str, Step] = {}
        for one in kept if ids else ():
            if one.rules not in found and await self._is_thinned(scope, one, ids):
                found[one.rules] = there[one.rules]
        return list(found.values())

    async def _is_thinned(self, scope: Scope, kept: _Kept, ids: Sequence[str]) -> bool:
        """Whether most places of a record that may have had more are among these messages.  Half of what it keeps is
        enough, because an erasure before this one may have taken some.
        """
        gone = set(ids)
        for record in await self.store.records(scope, kind=kept.kind, sources=ids, current=None):
            places = [source.message_id for source in record.sources]
            left = sum(name not in gone for name in places)
            if (
                2 * len(places) >= kept.most
                and 2 * left < len(places)
                and not (kept.kind == ENTITY and is_user(record))
            ):
                return True
        return False

    async def _check_done(self, names: Sequence[str]) -> None:
        failed = [step for step in await self.progress() if step.step.name in names and step.done < step.total]
        if failed and failed[0].limited:
            raise StoreError(
                f"not finished, {failed[0].step.name} waits until {self.spending.tomorrow():%Y-%m-%d %H:%M} UTC: "
                f"daily_tokens are used up. It goes on then by itself; nothing was removed"
            )
        if failed:
            raise StoreError(
                f"not finished, {failed[0].step.name} failed: {'; '.join(failed[0].errors) or 'see the log'}. "
                "Mend the cause, then run it again; nothing was removed"
            )

    async def spent(self, user_id: str | None = None, *, since: date | None = None) -> list[Spent]:
        """What models were used for: a count for each day, user and purpose, of one user or of all.

        Args:
            user_id: whose; None for everybody.
            since: from this day on, in UTC; None for all.
        """
        await self.spending.write()
        found = await self.store.spent(None if user_id is None else self.scope(user_id), since=since)
        return [one for one in found if self._is_ours(one.scope)]

    async def expire(
        self, user_id: str | None = None, *, days: int | None = None, dry_run: bool = False
    ) -> list[Record]:
        """Deletes facts and notes that were neither said nor used for long; what was said stays.  Pinned ones stay,
        and what a person has confirmed, corrected or said anything else about.

        Args:
            user_id: whose; None for everybody.
            days: so many; None for the setting ``expire_days``.
            dry_run: only tell which would go.

        Returns:
            The records that went, or would go.

        Raises:
            InvalidInput: names ``days``, also when neither it nor the setting is given.
        """
        chosen = (self.expire_days or None) if days is None else days
        if chosen is None:
            raise InvalidInput("days", "say after how many days, or set expire_days (JIYI_EXPIRE_DAYS)")
        intake.positive("days", chosen)
        await self.uses.write()
        gone: list[Record] = []
        for scope in await self._scopes() if user_id is None else [self.scope(user_id)]:
            found = await expired(self.store, scope, now=self.clock.now(), days=chosen)
            if found and not dry_run:
                await self.store.drop(scope, [record.id for record in found])
            gone += found
        return gone

    async def _expire_next(self) -> bool:
        """Once a day everybody, one user at a time; whether there are more to do.  For the worker."""
        if not self.expire_days:
            return False
        if (today := self.spending.today()) != self._expired_on:
            self._expired_on = today
            self._to_expire = [scope.user for scope in await self._scopes()]
        if self._to_expire:
            await self.expire(self._to_expire.pop())
        return bool(self._to_expire)

    async def _scopes(self) -> list[Scope]:
        """Those of this tenant and agent."""
        return [scope for scope in await self.store.scopes(self.tenant) if self._is_ours(scope)]

    def _is_ours(self, scope: Scope) -> bool:
        return (scope.tenant, scope.agent) == (self.tenant, self.agent)

    async def failures(self, user_id: str | None = None) -> list[Failure]:
        """Messages that a derivation passed over after several tries, of one user or of all; nothing waits for them."""
        found = await self.store.failures(None if user_id is None else self.scope(user_id))
        return [failure for failure in found if self._is_ours(failure.scope)]

    async def retry(self, steps: Sequence[str] | None = None, *, user_id: str | None = None) -> int:
        """Has what was passed over derived again, in the background; ``drain`` waits for it.  Returns how many messages
        there were.

        Args:
            steps: names of derivations; None for all.
            user_id: only this user's; None for everybody.

        Raises:
            InvalidInput: there is no such step.
        """
        names = self._named(steps)
        scope = None if user_id is None else self.scope(user_id)
        count = await self.store.retry([step for step in self.worker.steps if step.name in names], scope)
        self.worker.wake()
        return count


def _with_size(model: str, size: int) -> str:
    return f"{model} ({size} dimensions)" if size else model
