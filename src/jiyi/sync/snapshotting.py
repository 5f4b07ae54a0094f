"""What of ``Memory`` is about snapshots."""

from __future__ import annotations

from datetime import datetime

from jiyi.engine import AsyncMemory
from jiyi.snapshots import ProfileSnapshot
from jiyi.waiting import run


class Snapshotting:
    """The part of ``Memory`` that shows who somebody was, and where the task stood, at an earlier time."""

    inner: AsyncMemory

    def snapshots(
        self, *, user_id: str, limit: int | None = None, as_of: datetime | None = None
    ) -> list[ProfileSnapshot]:
        """See ``AsyncMemory.snapshots``."""
        return run(self.inner.snapshots(user_id=user_id, limit=limit, as_of=as_of))
