"""The last whole turns of the session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jiyi.intake import positive
from jiyi.ports import Request
from jiyi.strategies.reading import Turn, history_block, read_tail
from jiyi.types import Block


class SlidingWindow:
    """Proposes the newest turns: a turn is a user message and everything up to the next user message.

    The newest turn is always proposed, even when it alone is longer than ``messages``.
    """

    name = "sliding_window"
    window = True

    def __init__(self, turns: int = 8, *, messages: int | None = None) -> None:
        """Sets the width.

        Args:
            turns: whole turns at most.
            messages: messages at most, in whole turns; system messages do not count.  None for no such limit.

        Raises:
            InvalidInput: a width that is not a whole number above 0.
        """
        self.turns = positive("turns", turns)
        self.messages = None if messages is None else positive("messages", messages)

    async def recall(self, request: Request) -> list[Block]:
        """One history block of about half of the budget when others compete."""
        tail = await read_tail(request.reader, lambda turns: self._keep(turns) < len(turns))
        reason = f"outside the last {self.turns} turns"
        if self._keep(tail.turns) < min(self.turns, len(tail.turns)):
            reason = f"outside the last {self.messages} messages"
        return [replace(history_block(self.name, tail, self._keep(tail.turns), reason), share=0.5)]

    def _keep(self, turns: Sequence[Turn]) -> int:
        """How many of these turns, newest first, the window holds."""
        kept = total = 0
        for turn in turns[: self.turns]:
            total += len(turn)
            if kept and self.messages is not None and total > self.messages:
                break
            kept += 1
        return kept
