"""Pieces of the user's whole history that answer the question, found by words and by meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jiyi.indexable import is_indexed
from jiyi.intake import fraction, part, positive
from jiyi.leaning import awaits_answer, leans, may_lean
from jiyi.ports import Reader, Request
from jiyi.types import Block, Filter, Hit, Item, Message

_RESERVE = 1  # searches for so many times k more: hits that stand in the window make room for the next ones


class Recall:
    """Proposes the messages that a search for the question brings back, with what is needed to understand them."""

    name = "recall"
    window = False

    def __init__(self, k: int = 16, *, floor: float | None = None, share: float = 0.5, cited: bool = False) -> None:
        """Sets how much is recalled.

        Args:
            k: messages at most, beside those that stand in the history anyway and those that come along to be
                understood.  With 8, half of what a budget of 1,000 tokens could hold stayed out.
            floor: least relevance, 0..1; None for the memory's calibrated floor.
            share: part of the budget held free for them where others compete, above 0, at most 1.
            cited: each line names its message.

        Raises:
            InvalidInput: names what is out of range.
        """
        self.k = positive("k", k)
        self.floor = None if floor is None else fraction("floor", floor)
        self.share = part("share", share)
        self.cited = cited

    async def recall(self, request: Request) -> list[Block]:
        """One memory block, best first; none when nothing was asked or nothing is relevant."""
        if not request.query.strip():
            return []
        hits = await request.reader.search(request.query, limit=self.k * (1 + _RESERVE), floor=self.floor)
        if not hits:
            return []
        near = await _near(request.reader, [hit.message for hit in hits], self.k)
        items = tuple(_item(hit, near) for hit in hits)
        asked = hits[0].asked
        return [Block(self.name, "memory", items, share=self.share, most=self.k, asked=asked, cited=self.cited)]


async def _near(reader: Reader, messages: Sequence[Message], first: int) -> Mapping[tuple[str, int], Message]:
    """Messages by session and position: these, and those beside the first that may be needed, in one look at most."""
    known = {(message.session_id, message.position): message for message in messages}
    wanted: dict[tuple[str, int], None] = {}
    for message in messages[:first]:
        if message.session_id and message.position:
            if message.position > 1 and may_lean(message.text):
                wanted[message.session_id, message.position - 1] = None
            if awaits_answer(message.text):
                wanted[message.session_id, message.position + 1] = None
    missing = tuple((session, at, at) for session, at in wanted if (session, at) not in known)
    found = await reader.matching(Filter(stretches=missing)) if missing else ()
    return known | {(message.session_id, message.position): message for message in found}


def _item(hit: Hit, near: Mapping[tuple[str, int], Message]) -> Item:
    """A hit; before it what it leans on, behind a question its short answer."""
    message = hit.message
    before = near.get((message.session_id, message.position - 1))
    after = near.get((message.session_id, message.position + 1))
    if before is None or not _speaks(before) or not leans(message.text, before.text):
        before = None
    if after is None or not _speaks(after) or not awaits_answer(message.text) or not may_lean(after.text):
        after = None
    beside = tuple(other.id for other in (before, after) if other)
    said = tuple(part for part in (before, message, after) if part)
    return Item(said, score=hit.score, why=hit.why, neighbours=beside)


def _speaks(message: Message) -> bool:
    return bool(message.session_id) and is_indexed(message) and message.role != "tool"
