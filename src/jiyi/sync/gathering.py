"""What of ``Memory`` reads topics."""

from __future__ import annotations

from datetime import datetime

from jiyi.sync.correcting import Correcting
from jiyi.topics import Topic
from jiyi.waiting import run


class Gathering(Correcting):
    """The part of ``Memory`` for projects and subjects."""

    def topics(self, *, user_id: str, query: str | None = None, as_of: datetime | None = None) -> list[Topic]:
        """See ``AsyncMemory.topics``."""
        return run(self.inner.topics(user_id=user_id, query=query, as_of=as_of))
