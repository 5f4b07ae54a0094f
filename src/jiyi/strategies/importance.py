"""The turns of the session that matter most, with gaps between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jiyi.errors import InvalidInput
from jiyi.importance import Rating, importance
from jiyi.intake import fraction, part, positive
from jiyi.ports import LLM, Deriver, Request
from jiyi.strategies.rating import ModelRating, rated
from jiyi.strategies.reading import Turn, history_block, read_tail
from jiyi.types import Block, Item, Message

_KEPT = 20_000  # ratings
_LONG = 4_000  # bytes: about a thousand tokens.  What is longer takes the room of several others, and counts for less


class Importance:
    """Proposes the newest turns, then the others in order of importance; the least important leave first.

    A turn is as important as its most important message: an answer stays with the question that makes sense of it.
    Importance is compared in tenths, finer differences mean nothing; among equals the newer turn stays.  Below the
    threshold a turn leaves before all others, the oldest first.  A very long turn counts for less in proportion to its
    length, unless a message in it is pinned.
    """

    name = "importance"
    window = True

    def __init__(
        self, threshold: float = 0.2, *, recent: int = 4, turns: int = 200, share: float = 0.5, by_model: bool = False
    ) -> None:
        """Sets what stays.

        Args:
            threshold: turns less important than this leave first whatever their age, 0..1.
            recent: the newest turns, which stay before all others.
            turns: turns looked at, from the newest on.
            share: part of the budget it may fill before other parts had theirs, above 0, at most 1.
            by_model: messages are also rated in the background, by the model that derives memory where there is one;
                its rating then stands in place of that by rules.

        Raises:
            InvalidInput: names what is out of range.
        """
        self.threshold = fraction("threshold", threshold)
        self.recent = positive("recent", recent)
        self.turns = positive("turns", turns)
        self.share = part("share", share)
        if not isinstance(by_model, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("by_model", f"must be True or False, not {by_model!r}")
        self.by_model = by_model
        self._known: dict[str, Rating] = {}

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        """The rating by a model, when it is asked for and there is one."""
        return [ModelRating(llm)] if self.by_model and llm is not None else []

    async def recall(self, request: Request) -> list[Block]:
        """One history block with gaps."""
        tail = await read_tail(request.reader, lambda turns: len(turns) >= self.turns)
        block = history_block(self.name, tail, self.turns, f"outside the last {self.turns} turns")
        looked_at = tail.turns[: self.turns]
        ratings = await rated(request.reader, looked_at) if self.by_model else {}
        weighed = [
            _weigh(turn, [ratings.get(message.id) or self._rate(message) for message in turn]) for turn in looked_at
        ]
        older = sorted(range(self.recent, len(looked_at)), key=lambda age: (*self._rank(weighed[age].score), age))
        items = tuple(
            Item(looked_at[age], score=weighed[age].score, why=_why(weighed[age], newest=age < self.recent))
            for age in (*range(min(self.recent, len(looked_at))), *older)
        )
        return [replace(block, items=items, gaps=True, share=self.share)]

    def _rate(self, message: Message) -> Rating:
        """By rules; kept by digest, which says what was said without a word of it, because a context asks each time."""
        if not message.digest or message.pinned or message.importance is not None:
            return importance(message)
        if (known := self._known.get(message.digest)) is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            known = self._known[message.digest] = importance(message)
        return known

    def _rank(self, score: float) -> tuple[bool, float]:
        """Sorts from the most important on."""
        return score < self.threshold, 0.0 if score < self.threshold else -round(score, 1)


def _weigh(turn: Turn, ratings: Sequence[Rating]) -> Rating:
    """The rating of a turn: that of its most important message, less for a very long turn."""
    best = max(ratings, key=lambda rating: rating.score)
    size = sum(len(message.text.encode()) for message in turn)
    if size <= _LONG or any(message.pinned for message in turn):
        return best
    return replace(best, score=best.score * _LONG / size)


def _why(rating: Rating, *, newest: bool) -> str:
    found = f"importance {rating.score:.2f}" + (f" ({rating.why})" if rating.why else "")
    return f"among the newest; {found}" if newest else found
