"""Pieces of the user's whole history that answer the question, found by words and by meaning."""

from __future__ import annotations

from jiyi.errors import InvalidInput
from jiyi.intake import fraction, positive
from jiyi.ports import Request
from jiyi.types import Block, Item

_RESERVE = 2  # searches for so many times k more: hits that stand in the window make room for the next ones


class Recall:
    """Proposes the messages that a search for the question brings back, each quoted whole."""

    name = "recall"
    window = False

    def __init__(self, k: int = 8, *, floor: float | None = None, share: float = 0.5) -> None:
        """Sets how much is recalled.

        Args:
            k: messages at most, beside those that stand in the history anyway.
            floor: least relevance, 0..1; None for the memory's calibrated floor.
            share: part of the budget held free for them where others compete, above 0, at most 1.

        Raises:
            InvalidInput: names what is out of range.
        """
        self.k = positive("k", k)
        self.floor = None if floor is None else fraction("floor", floor)
        self.share = fraction("share", share)
        if not self.share:
            raise InvalidInput("share", "must be above 0")

    async def recall(self, request: Request) -> list[Block]:
        """One memory block, best first; none when nothing was asked or nothing is relevant."""
        if not request.query.strip():
            return []
        hits = await request.reader.search(request.query, limit=self.k * (1 + _RESERVE), floor=self.floor)
        items = tuple(Item((hit.message,), score=hit.score, why=hit.why) for hit in hits)
        return [Block(self.name, "memory", items, share=self.share, most=self.k)] if items else []
