"""Notes by the model: one call for the messages of a stride."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from jiyi.extractive import both_ends
from jiyi.history import is_system
from jiyi.importance import importance
from jiyi.ports import LLM, Batch
from jiyi.prompts import prompt
from jiyi.strategies.notes_making import MODEL, STRIDE, Note, changes, note, noteworthy
from jiyi.structured import ask
from jiyi.text import language
from jiyi.types import Changes, Message, Step

_SHOWN = 1_200  # characters of a message, so that a call has at most about 20,000
_ANSWER = 60  # tokens for each message in the reply


class ModelNotes:
    """Derives notes that a model writes.  One whose quote is not in the user's message, or that states a number, date,
    name or negation that the message lacks, is left out; one in other words than the user's becomes these words.
    """

    asks_llm = True

    def __init__(self, llm: LLM, length: int, every: int = STRIDE) -> None:
        """Sets who writes, how long a note may be in characters, and how many messages are asked about together."""
        self.step = Step(MODEL, "1", stride=every)
        self.batch_size = every
        self._llm = llm
        self._length = length

    async def derive(self, batch: Batch) -> Changes:
        """The notes of one batch; ``structured.CALLS`` calls at most, and none when only small talk was said.

        Raises:
            ModelError: there was no answer that could be read.
        """
        said = [message for message in batch.messages if message.active and not is_system(message)]
        own = {number: message for number, message in enumerate(said, start=1) if noteworthy(message)}
        if not own:
            return await changes(batch, self.step, (), {})
        told = prompt(MODEL, language("\n".join(both_ends(message.text, _SHOWN) for message in own.values())))
        from jiyi.prompts.notes import Noted  # pydantic takes a while

        text = "\n".join(_line(number, message) for number, message in enumerate(said, start=1) if message.text.strip())
        given = await ask(self._llm, told, text, Noted, field="notes", max_tokens=200 + _ANSWER * len(own))
        found: list[Note] = []
        for one in given:
            first = own.get(one.number)
            candidates = [first, *own.values()] if first else list(own.values())  # small models miscount
            made = next((m for m in (self._note(message, one.note, one.quote) for message in candidates) if m), None)
            if made is not None:
                found.append(made)
        return await changes(batch, self.step, found, {"model": self._llm.name, "prompt": told.id})

    def _note(self, message: Message, text: str, quote: str) -> Note | None:
        """The note, where the message says so."""
        from jiyi.grounding import (
            clauses,
            locate,
            sentences,
            unsupported,
        )  # many expressions: they take a while to compile
        from jiyi.rules import borrowed
        from jiyi.strategies.rewording import another, reworded

        span = locate(message.text, quote)
        if (
            span is None
            or not any(map(str.isalnum, quote))
            or borrowed(message, *span)
            or unsupported(text, [both_ends(message.text, _SHOWN)], _known(message))
        ):
            return None
        said, clause = _around(message.text, span, sentences), _around(message.text, span, clauses)
        if another(text, clause) or not reworded(text, said):
            text = said
        return note(message, text, span, self._length, importance(message).score)


def _around(text: str, span: tuple[int, int], parts: Callable[[str], Sequence[tuple[int, int]]]) -> str:
    """The sentences, or other parts, that a quote stands in."""
    found = [part for part in parts(text) if part[0] < span[1] and part[1] > span[0]] or [span]
    return text[found[0][0] : found[-1][1]].strip()


def _known(message: Message) -> Sequence[str]:
    """The day on which it was said, which a note may give."""
    return [f"{message.created_at:%Y-%m-%d}"] if message.created_at else []


def _line(number: int, message: Message) -> str:
    """A message on one line."""
    text = both_ends(message.text, _SHOWN)
    when = f" {message.created_at:%Y-%m-%d}" if message.created_at else ""
    return f"{number}.{when} {message.role}: {json.dumps(text, ensure_ascii=False)}"
