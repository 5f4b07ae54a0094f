"""What of ``Memory`` is about what is derived: how far it is, waiting for it, deriving it anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from jiyi.engine import AsyncMemory
from jiyi.types import Failure, Progress, Record, Spent
from jiyi.waiting import run


class Upkeep:
    """The part of ``Memory`` that looks after what is derived."""

    inner: AsyncMemory

    def drain(
        self, progress: Callable[[list[Progress]], None] | None = None, *, steps: Sequence[str] | None = None
    ) -> None:
        """See ``AsyncMemory.drain``."""
        run(self.inner.drain(progress, steps=steps))

    def progress(self) -> list[Progress]:
        """See ``AsyncMemory.progress``."""
        return run(self.inner.progress())

    def reindex(self, progress: Callable[[list[Progress]], None] | None = None) -> None:
        """See ``AsyncMemory.reindex``."""
        run(self.inner.reindex(progress))

    def rebuild(
        self,
        steps: Sequence[str] | None = None,
        *,
        user_id: str | None = None,
        progress: Callable[[list[Progress]], None] | None = None,
    ) -> None:
        """See ``AsyncMemory.rebuild``."""
        run(self.inner.rebuild(steps, user_id=user_id, progress=progress))

    def spent(self, user_id: str | None = None, *, since: date | None = None) -> list[Spent]:
        """See ``AsyncMemory.spent``."""
        return run(self.inner.spent(user_id, since=since))

    def expire(self, user_id: str | None = None, *, days: int | None = None, dry_run: bool = False) -> list[Record]:
        """See ``AsyncMemory.expire``."""
        return run(self.inner.expire(user_id, days=days, dry_run=dry_run))

    def failures(self, user_id: str | None = None) -> list[Failure]:
        """See ``AsyncMemory.failures``."""
        return run(self.inner.failures(user_id))

    def retry(self, steps: Sequence[str] | None = None, *, user_id: str | None = None) -> int:
        """See ``AsyncMemory.retry``."""
        return run(self.inner.retry(steps, user_id=user_id))
