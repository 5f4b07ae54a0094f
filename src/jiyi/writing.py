"""What of ``AsyncMemory`` writes to the log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jiyi.redaction import redacted
from jiyi.types import Message, Scope

if TYPE_CHECKING:
    from jiyi.ports import Redactor, Store
    from jiyi.worker import Worker


class Writing:
    """The part of ``AsyncMemory`` through which everything is added."""

    store: Store
    worker: Worker
    _redactor: Redactor | None

    async def append(
        self, scope: Scope, session_id: str, messages: Sequence[Message], *, after: str | None = "head"
    ) -> list[Message]:
        """Stores drafts of ``intake`` and wakes the worker; sessions write through this."""
        stored = await self.store.append(scope, session_id, self.clean(messages), after=after)
        self.worker.wake()
        return stored

    def clean(self, drafts: Sequence[Message]) -> list[Message]:
        """Messages as they are kept: without secrets, where the memory was opened with ``redact``."""
        return list(drafts) if self._redactor is None else [redacted(draft, self._redactor) for draft in drafts]
