"""The system's clock; the only place that asks the machine for the time."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """The time of this machine, in UTC."""

    def now(self) -> datetime:
        """The time now."""
        return datetime.now(UTC)  # noqa: TID251  (this is the clock)
