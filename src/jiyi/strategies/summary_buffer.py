"""The newest turns as they were said, and a summary of what left them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jiyi.intake import positive
from jiyi.ports import LLM, Deriver, Request
from jiyi.strategies.reading import history_block, read_tail
from jiyi.strategies.summary_showing import lost, shown, untold
from jiyi.strategies.summary_telling import telling
from jiyi.strategies.summary_tree import STRIDE
from jiyi.types import Block, Item


class SummaryBuffer:
    """Proposes the last turns, and what was said before them in a summary, under its dates.

    What left the buffer and is not in a summary yet stays as it was said: no message is passed over.  Where the summary
    and a later turn say different things, the later one is right, and stands below, with its date.
    """

    name = "summary_buffer"
    window = True

    def __init__(self, recent: int = 10, max_tokens: int = 400, *, every: int = STRIDE) -> None:
        """Sets the width.

        Args:
            recent: whole turns that stand as they were said.
            max_tokens: tokens of the summary.
            every: messages of a user that are summarised together; a model is asked once for each.

        Raises:
            InvalidInput: a number that is not whole and above 0.
        """
        self.recent = positive("recent", recent)
        self.max_tokens = positive("max_tokens", max_tokens)
        self.every = positive("every", every)

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        """The summaries by rules, and those by the model where there is one."""
        from jiyi.strategies.summary_model import summarisers  # what derives is not needed by those who only read

        return summarisers(llm, self.every, 2 * self.recent)

    async def recall(self, request: Request) -> list[Block]:
        """A memory block with the summary, where something left the buffer, and a history block."""
        tail = await read_tail(request.reader, lambda turns: len(turns) > self.recent)
        keep, items = self.recent, list[Item]()
        if tail.turns and (tail.older or len(tail.turns) > self.recent):
            start = tail.turns[self.recent - 1][0]
            told = await telling(request.reader, request.session_id, start.seq - 1, self.every)
            waiting = await untold(request.reader, request.session_id, told, start.position)
            ids = {message.id for message in waiting}
            while keep < len(tail.turns) and ids.issuperset(message.id for message in tail.turns[keep]):
                keep += 1  # turns that wait for their summary go before the buffer
            kept = {message.id for turn in tail.turns[:keep] for message in turn}
            found = shown(told, request, self.max_tokens)
            items = [*await lost(request, told, found.text), *found.items]
            left = [message for message in waiting if message.id not in kept]
            items += [Item((message,), why="not in a summary yet") for message in reversed(left)]
        history = replace(history_block(self.name, tail, keep, f"outside the last {self.recent} turns"), share=0.5)
        return [*([Block(self.name, "memory", tuple(items), share=0.25)] if items else []), history]
