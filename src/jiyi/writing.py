"""What of ``AsyncMemory`` writes to the log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jiyi.intake import in_zone
from jiyi.redaction import redacted, redacted_value
from jiyi.types import JSON, Message, Scope

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from jiyi.ports import Redactor, Store
    from jiyi.worker import Worker


class Writing:
    """The part of ``AsyncMemory`` through which everything is added."""

    store: Store
    worker: Worker
    _redactor: Redactor | None
    _zone: ZoneInfo | None

    async def append(
        self, scope: Scope, session_id: str, messages: Sequence[Message], *, after: str | None = "head"
    ) -> list[Message]:
        """Stores drafts of ``intake`` and wakes the worker; sessions write through this."""
        stored = await self.store.append(scope, session_id, self.clean(messages), after=after)
        self.worker.wake()
        return stored

    def clean(self, drafts: Sequence[Message]) -> list[Message]:
        """Messages as they are kept: in the zone of ``timezone``, and without secrets where ``redact`` is set."""
        kept = list(drafts) if self._zone is None else [in_zone(draft, self._zone) for draft in drafts]
        return kept if self._redactor is None else [redacted(draft, self._redactor) for draft in kept]

    def clean_value(self, value: JSON) -> JSON:
        """What a program keeps in ``metadata``, without secrets where ``redact`` is set."""
        return value if self._redactor is None else redacted_value(value, self._redactor)
