"""What of ``Memory`` holds the indexes against the log."""

from __future__ import annotations

from jiyi.checking import Report
from jiyi.engine import AsyncMemory
from jiyi.types import Checked
from jiyi.waiting import run


class Checking:
    """The part of ``Memory`` that looks whether the indexes have what they should."""

    inner: AsyncMemory

    def check_indexes(self, user_id: str | None = None, *, progress: Report | None = None) -> Checked:
        """See ``AsyncMemory.check_indexes``."""
        return run(self.inner.check_indexes(user_id, progress=progress))
