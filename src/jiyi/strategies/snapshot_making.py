"""Marks in the log, one in so many messages: what stood there is worked out of the facts when it is read."""

from __future__ import annotations

import hashlib
import json

from jiyi.past import SNAPSHOT, STEP, Fields, kept_fields
from jiyi.ports import Batch
from jiyi.types import JSON, Changes, Message, Record, Source, Step

_VERSION = "1"


class Marks:
    """Derives a mark for each stretch of the log, at its message that was said last.

    A mark holds no word of anybody.  Its sources are all messages of its stretch, so that it is made anew when one of
    them is erased, and goes with the last.

    Args:
        stride: messages of a stretch.
        fields: the user's own.
    """

    asks_llm = False

    def __init__(self, stride: int, fields: Fields) -> None:
        kept = kept_fields(fields)
        own = hashlib.sha256(json.dumps(kept, ensure_ascii=False).encode()).hexdigest()[:8] if fields else ""
        self.step = Step(STEP, f"{_VERSION}:{own}" if own else _VERSION, stride=stride)
        self.batch_size = stride
        self._fields: dict[str, JSON] = {"fields": kept} if fields else {}

    async def derive(self, batch: Batch) -> Changes:
        """The mark of one stretch; none where nothing was said."""
        number = (batch.cursor - 1) // self.step.stride + 1
        name = f"{SNAPSHOT}:{number}"
        known = await batch.records(ids=[name], current=None)
        messages = [message for message in batch.messages if message.active]
        if not messages:
            return Changes(batch.cursor, drop=tuple(record.id for record in known))
        put = self._mark(name, number, messages)
        return Changes(batch.cursor, put=() if known and put == known[0] else (put,))

    def _mark(self, name: str, number: int, messages: list[Message]) -> Record:
        last = max(messages, key=lambda message: (message.moment, message.seq))
        data: dict[str, JSON] = {"number": number, "at": last.moment.isoformat(), "seq": last.seq}
        return Record(
            id=name,
            kind=SNAPSHOT,
            text="",
            strategy=STEP,
            version=self.step.version,
            sources=tuple(Source(message.id) for message in messages),
            key=str(number),
            recorded_at=last.recorded_at,
            said_at=last.created_at,
            data=data | self._fields,
        )
