"""Importance by the model: rated in batches in the background, read beside the rules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from jiyi.errors import ModelError
from jiyi.history import is_system
from jiyi.importance import SMALL_TALK, Rating, importance
from jiyi.ports import LLM, Batch, Reader
from jiyi.prompts import prompt
from jiyi.structured import ask
from jiyi.text import cut_point, language
from jiyi.types import Changes, Message, Record, Source, Step

KIND = "importance"

_BATCH = 16  # messages

STEP = Step(KIND, "1", stride=_BATCH)
"""Sixteen messages are asked about together: a chat costs one call in sixteen messages.  The version goes up when
everything should be rated anew.  Another prompt or model does not by itself: each record names those it was made by."""

_HEAD, _TAIL = 240, 80  # characters shown of a message, so that a call has at most about 5,000
_ANSWER = 40  # tokens for each message in the reply


class ModelRating:
    """Derives a record of kind ``importance`` for each message whose rating the model gave.

    What was rated by the user, instructions, small talk by the rules, and what is rated already where a batch is
    derived again, are not shown to the model.
    """

    step = STEP
    batch_size = _BATCH
    asks_llm = True

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    async def derive(self, batch: Batch) -> Changes:
        """The ratings of one batch; ``structured.CALLS`` calls at most.

        Raises:
            ModelError: there was no answer, or no rating in it.
        """
        open_ = [message for message in batch.messages if _open(message)]
        ids = [_record_id(message.id) for message in open_]
        known = {record.id for record in await batch.records(kind=KIND, ids=ids)}
        asked = [message for message, name in zip(open_, ids, strict=True) if name not in known]
        if not asked:
            return Changes(batch.cursor)
        told = prompt(KIND, language("\n".join(message.text for message in asked)))
        lines = "\n".join(f"{number}. {_line(message)}" for number, message in enumerate(asked, start=1))
        from jiyi.prompts.importance import BEST, Rated  # pydantic takes a while

        ratings = await ask(self._llm, told, lines, Rated, field="ratings", max_tokens=100 + _ANSWER * len(asked))
        scores: dict[int, float] = {}
        for rating in ratings:
            scores.setdefault(rating.number, rating.importance / BEST)
        if not scores.keys() & range(1, len(asked) + 1):
            raise ModelError(
                f"{self._llm.name} gave no ratings for {len(asked)} messages; its answer is asked again later"
            )
        made = {"model": self._llm.name, "prompt": told.id}
        records = tuple(
            Record(
                id=_record_id(message.id),
                kind=KIND,
                text="",
                strategy=STEP.name,
                version=STEP.version,
                sources=(Source(message.id),),
                session_id=message.session_id or None,
                importance=scores[number],
                recorded_at=message.recorded_at,
                data=made,
            )
            for number, message in enumerate(asked, start=1)
            if number in scores
        )
        return Changes(batch.cursor, put=records)


async def rated(reader: Reader, turns: Iterable[Sequence[Message]]) -> dict[str, Rating]:
    """Message id -> the model's rating, of those that have one and were not rated by the user."""
    ids = [_record_id(message.id) for turn in turns for message in turn if not _given(message)]
    found = await reader.records(kind=KIND, ids=ids) if ids else []
    return {
        record.sources[0].message_id: Rating(record.importance, {"model": record.importance})
        for record in found
        if record.importance is not None
    }


def _record_id(message_id: str) -> str:
    return f"{KIND}:{message_id}"


def _given(message: Message) -> bool:
    return message.pinned or message.importance is not None


def _open(message: Message) -> bool:
    """Whether there is something to ask about."""
    return not is_system(message) and not _given(message) and importance(message).score > SMALL_TALK


def _line(message: Message) -> str:
    """The message on one line, its middle left out when it is long."""
    text = " ".join(message.text.split())
    if len(text) > _HEAD + _TAIL:
        text = f"{text[: cut_point(text, _HEAD)]} […] {text[cut_point(text, len(text) - _TAIL) :]}"
    return f"{message.role}: {json.dumps(text, ensure_ascii=False)}"
