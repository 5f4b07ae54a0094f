"""``Memory`` and ``Session``: the same as the async ones, for code that does not await.  No logic.

One daemon thread runs an event loop for all memories of the process, so this works inside notebooks and running loops,
and a script that forgets ``close()`` still exits.
"""

from __future__ import annotations

from jiyi.sync.memory import Memory
from jiyi.sync.session import AnswerStream, Session

__all__ = ["AnswerStream", "Memory", "Session"]
