"""Notes without a model: what rules find stated, in its own words."""

from __future__ import annotations

from collections.abc import Iterator

from jiyi.importance import importance
from jiyi.ports import Batch
from jiyi.strategies.notes_making import MODEL, RULES, Note, changes, note, noted, noteworthy
from jiyi.types import Changes, Message, Step

_LEAST = 0.6
"""Importance of what is noted: needs, limits, budgets, tastes and taboos have it; what is mentioned by the way has
less."""


class RuleNotes:
    """Derives notes message by message; of what the model has noted it makes none."""

    step = Step(RULES, "1")
    batch_size = 64
    asks_llm = False

    def __init__(self, length: int) -> None:
        """Sets how long a note may be, in characters."""
        self._length = length

    async def derive(self, batch: Batch) -> Changes:
        """The notes of one batch."""
        messages = [message for message in batch.messages if noteworthy(message)]
        done = await noted(batch, messages, MODEL)
        found = (one for message in messages if message.id not in done for one in _notes(message, self._length))
        return await changes(batch, self.step, found, {})


def _notes(message: Message, length: int) -> Iterator[Note]:
    """What is stated in a message and matters later."""
    from jiyi.rules import candidates  # many expressions, which take a while to compile

    for one in candidates(message):
        score = max(one.importance, importance(message.but(content=one.quote)).score)
        if score >= _LEAST and not one.ends:
            made = note(message, one.text, (one.start, one.end), length, score)
            if made is not None:
                yield made
