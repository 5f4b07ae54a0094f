"""What of ``Memory`` is about what people see of what is remembered, and correct."""

from __future__ import annotations

from typing import Unpack

from jiyi.about import About, Event
from jiyi.commands import Command
from jiyi.engine import AsyncMemory
from jiyi.options import Chosen
from jiyi.types import Record
from jiyi.waiting import run


class Correcting:
    """The part of ``Memory`` for people: what is remembered, and their word on it."""

    inner: AsyncMemory

    def records(
        self, *, user_id: str, query: str | None = None, limit: int | None = None, **chosen: Unpack[Chosen]
    ) -> list[Record]:
        """See ``AsyncMemory.records``."""
        return run(self.inner.records(user_id=user_id, query=query, limit=limit, **chosen))

    def record(self, record_id: str, *, user_id: str) -> Record:
        """See ``AsyncMemory.record``."""
        return run(self.inner.record(record_id, user_id=user_id))

    def commands(self, *, user_id: str) -> list[Command]:
        """See ``AsyncMemory.commands``."""
        return run(self.inner.commands(user_id=user_id))

    def correct(self, record_id: str, text: str, *, user_id: str) -> Record:
        """See ``AsyncMemory.correct``."""
        return run(self.inner.correct(record_id, text, user_id=user_id))

    def pin(self, record_id: str, *, user_id: str, pinned: bool = True) -> Record:
        """See ``AsyncMemory.pin``."""
        return run(self.inner.pin(record_id, user_id=user_id, pinned=pinned))

    def hide(self, record_id: str, *, user_id: str) -> Record:
        """See ``AsyncMemory.hide``."""
        return run(self.inner.hide(record_id, user_id=user_id))

    def confirm(self, record_id: str, *, user_id: str) -> Record:
        """See ``AsyncMemory.confirm``."""
        return run(self.inner.confirm(record_id, user_id=user_id))

    def delete(self, record_id: str, *, user_id: str) -> None:
        """See ``AsyncMemory.delete``."""
        run(self.inner.delete(record_id, user_id=user_id))

    def recover(self, record_id: str, *, user_id: str) -> Record:
        """See ``AsyncMemory.recover``."""
        return run(self.inner.recover(record_id, user_id=user_id))

    def history(self, record_id: str, *, user_id: str) -> list[Event]:
        """See ``AsyncMemory.history``."""
        return run(self.inner.history(record_id, user_id=user_id))

    def about(self, user_id: str) -> About:
        """See ``AsyncMemory.about``."""
        return run(self.inner.about(user_id))
