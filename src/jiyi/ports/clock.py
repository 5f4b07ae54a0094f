"""Where the time comes from."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The only source of the time."""

    def now(self) -> datetime:
        """The time now, with zone (UTC)."""
        ...
