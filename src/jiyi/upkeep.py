"""What of ``AsyncMemory`` is about what is derived: how far it is, waiting for it, deriving it anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from jiyi import intake
from jiyi.errors import InvalidInput, StoreError
from jiyi.indexable import is_index
from jiyi.indexing import DenseIndex, dense_step
from jiyi.types import Failure, Progress, Scope

if TYPE_CHECKING:
    from jiyi.models import Models
    from jiyi.ports import Embedder, Store
    from jiyi.search import Searcher
    from jiyi.worker import Worker


class Upkeep:
    """The part of ``AsyncMemory`` that looks after what is derived."""

    store: Store
    worker: Worker
    searcher: Searcher
    tenant: str
    agent: str
    warnings: list[str]
    _models: Models
    _embedder: Embedder | None

    def scope(self, user_id: object) -> Scope:
        """The fence around one user's memory.

        Raises:
            InvalidInput: names ``user_id``.
        """
        return Scope(intake.identifier("user_id", user_id), self.tenant, self.agent)

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
        return await self.store.progress(self.worker.steps)

    async def reindex(self, progress: Callable[[list[Progress]], None] | None = None) -> None:
        """Brings both indexes to the present tokenizer and embedder; goes on where it was interrupted.

        The vectors of other models are removed once the new ones are complete.

        Raises:
            StoreError: something could not be derived; the old vectors stay.
        """
        embedder = self._embedder
        if embedder is not None and self.searcher.embedder is None:
            await self.worker.add(DenseIndex(embedder))
            self.searcher.embedder = embedder
        names = [step.name for step in self.worker.steps if is_index(step.name)]
        await self.worker.drain(progress, names)
        await self._check_done(names)
        if embedder is not None:
            old = [dense_step(name) for name in await self.store.models() if name != embedder.name]
            await self.store.reset(old)
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

    async def _check_done(self, names: Sequence[str]) -> None:
        failed = [step for step in await self.progress() if step.step.name in names and step.done < step.total]
        if failed:
            raise StoreError(
                f"not finished, {failed[0].step.name} failed: {'; '.join(failed[0].errors) or 'see the log'}. "
                "Mend the cause, then run it again; nothing was removed"
            )

    async def failures(self, user_id: str | None = None) -> list[Failure]:
        """Messages that a derivation passed over after several tries, of one user or of all; nothing waits for them."""
        found = await self.store.failures(None if user_id is None else self.scope(user_id))
        return [
            failure for failure in found if (failure.scope.tenant, failure.scope.agent) == (self.tenant, self.agent)
        ]

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
