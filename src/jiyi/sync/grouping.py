"""What of ``Memory`` groups entities and topics: merges, splits, renames them."""

from __future__ import annotations

from collections.abc import Sequence

from jiyi.sync.correcting import Correcting
from jiyi.types import Record
from jiyi.waiting import run


class Grouping(Correcting):
    """The part of ``Memory`` for people's word on what is one thing, and what it is called."""

    def merge(self, record_id: str, into: str, *, user_id: str) -> Record:
        """See ``AsyncMemory.merge``."""
        return run(self.inner.merge(record_id, into, user_id=user_id))

    def split(self, record_id: str, message_ids: Sequence[str], *, user_id: str, name: str | None = None) -> Record:
        """See ``AsyncMemory.split``."""
        return run(self.inner.split(record_id, message_ids, user_id=user_id, name=name))

    def rename(self, record_id: str, name: str, *, user_id: str) -> Record:
        """See ``AsyncMemory.rename``."""
        return run(self.inner.rename(record_id, name, user_id=user_id))
