"""What the session said before its window, summarised as it grows."""

from __future__ import annotations

from collections.abc import Sequence

from jiyi.errors import InvalidInput
from jiyi.intake import part, positive
from jiyi.ports import LLM, Deriver, Request
from jiyi.strategies.reading import read_tail
from jiyi.strategies.summary_showing import lost, shown, untold
from jiyi.strategies.summary_telling import Told, telling
from jiyi.strategies.summary_tree import KIND, STRIDE
from jiyi.types import Block, Filter, Item

_FINER = 30  # turns: of the last so many, with two levels, the lowest nodes
_OTHERS = 4  # sessions, with two levels
_LOOKED_AT = 64  # nodes among which they are found, the newest of the user
_SHARE = 0.25


class RollingSummary:
    """Proposes summaries of what stands before the window, with values that they lack, and what is not told of yet.

    They are derived in the background, by rules, and by the model that derives memory where there is one.  Nothing is
    proposed for a session that is not longer than the window by ``after`` turns.
    """

    name = "rolling_summary"
    window = False

    def __init__(
        self,
        max_tokens: int = 400,
        levels: int = 1,
        after: int = 4,
        *,
        recent: int = 8,
        every: int = STRIDE,
        share: float = _SHARE,
    ) -> None:
        """Sets how much is shown, and when.

        Args:
            max_tokens: tokens of the summaries of a session.
            levels: 2 for the last thirty turns in more detail, and for what the user's last other sessions were about,
                in up to as many tokens again.
            after: turns that a session is longer than its window before it is summarised.
            recent: turns of the window that stands beside it.
            every: messages of a user that are summarised together; a model is asked once for each.
            share: part of the budget held free for them where others compete, above 0, at most 1.

        Raises:
            InvalidInput: names what is out of range.
        """
        self.max_tokens = positive("max_tokens", max_tokens)
        if positive("levels", levels) > 2:
            raise InvalidInput("levels", f"must be 1 or 2, not {levels!r}")
        self.levels = levels
        self.after = positive("after", after)
        self.recent = positive("recent", recent)
        self.every = positive("every", every)
        self.share = part("share", share)

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        """The summaries by rules, and those by the model where there is one."""
        from jiyi.strategies.summary_model import summarisers  # what derives is not needed by those who only read

        early = 2 * (self.recent + self.after) if self.levels == 1 else 0
        return summarisers(llm, self.every, early)

    async def recall(self, request: Request) -> list[Block]:
        """One memory block; none while the session is short, unless there are others."""
        tail = await read_tail(request.reader, lambda turns: len(turns) > max(self.recent + self.after, _FINER))
        items: list[Item] = []
        if tail.older or len(tail.turns) > self.recent + self.after:
            start = tail.turns[self.recent - 1][0]
            last = tail.turns[:_FINER][-1][0].seq if self.levels == 2 else None
            told = await telling(request.reader, request.session_id, start.seq - 1, self.every, finer=last)
            found = shown(told, request, self.max_tokens)
            items = [*await lost(request, told, found.text), *found.items]
            for message in reversed(await untold(request.reader, request.session_id, told, start.position)):
                items.append(Item((message,), why="not in a summary yet"))
        if self.levels == 2:
            items += shown(await self._others(request), request, self.max_tokens).items
        return [Block(self.name, "memory", tuple(items), share=self.share)] if items else []

    async def _others(self, request: Request) -> list[Told]:
        """What tells of the user's other sessions of late, in order of time."""
        nodes = await request.reader.records(kind=KIND, newest=True, limit=_LOOKED_AT, bare=True)
        ends: dict[str, str] = {}
        for node in reversed(nodes):
            if node.session_id and node.session_id != request.session_id and len(ends) < _OTHERS:
                ends.setdefault(node.session_id, str(node.data.get("last")))
        last = await request.reader.matching(Filter(ids=tuple(ends.values()))) if ends else []
        found: list[Told] = []
        for message in sorted(last, key=lambda message: message.seq):
            found += await telling(request.reader, message.session_id, message.seq, self.every)
        return found
