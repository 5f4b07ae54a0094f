"""The system's clock; the only place that asks the machine for the time."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from jiyi.ports import Clock


class ZonedClock:
    """Another clock's time, in the zone of the people who ask: a day begins there."""

    def __init__(self, clock: Clock, zone: tzinfo) -> None:
        self._clock = clock
        self._zone = zone

    def now(self) -> datetime:
        """The time now."""
        return self._clock.now().astimezone(self._zone)


class SystemClock:
    """The time of this machine, in UTC."""

    def now(self) -> datetime:
        """The time now."""
        return datetime.now(UTC)  # noqa: TID251  (this is the clock)
