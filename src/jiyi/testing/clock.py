"""A clock that a test sets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class FakeClock:
    """Stands still until ``advance`` moves it on."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start

    def now(self) -> datetime:
        """The time now."""
        return self._now

    def advance(self, seconds: float) -> datetime:
        """Moves the clock, and tells the new time."""
        self._now += timedelta(seconds=seconds)
        return self._now
