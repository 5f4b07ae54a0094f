"""Notes as records, and what both makers, the rules and the model, do alike."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from jiyi.extractive import clipped
from jiyi.importance import SMALL_TALK, importance
from jiyi.ports import Batch
from jiyi.text import flat
from jiyi.types import JSON, Changes, Message, Record, Source, Step

KIND = "note"

MODEL = "notes"
RULES = "notes:rules"
"""Names of the two steps."""

STRIDE = 16
"""Messages that a model is asked about together."""


@dataclass(frozen=True, slots=True)
class Note:
    """What matters later of one message.

    Attributes:
        start, end: the words of the message that say so.
    """

    text: str
    message: Message
    start: int
    end: int
    importance: float


def noteworthy(message: Message) -> bool:
    """Whether a message may be noted: a user's words, said or stated, and not small talk alone."""
    return message.role == "user" and message.active and importance(message).score > SMALL_TALK


def note(message: Message, said: str, span: tuple[int, int], length: int, score: float) -> Note | None:
    """A note of at most ``length`` characters; None when nothing can be said in so few."""
    text = clipped(said, length)
    return Note(text, message, *span, score) if any(map(str.isalnum, text)) else None


async def changes(batch: Batch, step: Step, notes: Iterable[Note], made: Mapping[str, JSON]) -> Changes:
    """What to write for the notes of a batch: one record for each text, whoever said it how often.

    A note that is there already gets one more source.  What the rules noted of messages that the model noted goes.
    """
    put: dict[str, Record] = {}
    spans: set[tuple[str, int, int]] = set()
    new = [(_id(step, one.text), one) for one in notes]
    known = {record.id: record for record in await batch.records(kind=KIND, ids=[name for name, _ in new])}
    for name, one in new:
        span = one.message.id, one.start, one.end
        if span not in spans:
            spans.add(span)
            before = put.get(name) or known.get(name)
            put[name] = _record(step, name, one, made) if before is None else _confirmed(before, one)
    drop = await _replaced(batch, put.values()) if step.name == MODEL else ()
    left, gone = await _left(batch, step, put)
    return Changes(batch.cursor, put=(*put.values(), *left), drop=(*drop, *gone))


async def noted(batch: Batch, messages: Sequence[Message], maker: str) -> set[str]:
    """Ids of those messages of which a step has made notes."""
    ids = [message.id for message in messages]
    found = await batch.records(kind=KIND, sources=ids) if ids else []
    return {source.message_id for record in found if record.strategy == maker for source in record.sources}


async def _replaced(batch: Batch, put: Iterable[Record]) -> tuple[str, ...]:
    """Ids of the rules' notes that rest on nothing but messages of which there are notes of the model."""
    ids = {source.message_id for record in put for source in record.sources}
    found = await batch.records(kind=KIND, sources=sorted(ids)) if ids else []
    rules = [record for record in found if record.strategy == RULES]
    return tuple(record.id for record in rules if ids.issuperset(source.message_id for source in record.sources))


async def _left(batch: Batch, step: Step, put: Mapping[str, Record]) -> tuple[list[Record], list[str]]:
    """The step's notes without the messages that have left the active path, and the ids of those that had no other."""
    ids = {message.id for message in batch.messages if not message.active}
    found = await batch.records(kind=KIND, sources=sorted(ids)) if ids else []
    left, gone = list[Record](), list[str]()
    for record in found:
        sources = tuple(source for source in record.sources if source.message_id not in ids)
        if record.strategy != step.name or record.id in put:
            continue
        if sources:
            left.append(replace(record, sources=sources))
        else:
            gone.append(record.id)
    return left, gone


def _id(step: Step, text: str) -> str:
    """The same words, the same note."""
    return f"{step.name}:{hashlib.sha256(flat(text).encode('utf-8', 'replace')).hexdigest()[:24]}"


def _record(step: Step, name: str, one: Note, made: Mapping[str, JSON]) -> Record:
    return Record(
        id=name,
        kind=KIND,
        text=one.text,
        strategy=step.name,
        version=step.version,
        sources=(_source(one),),
        importance=round(one.importance, 3),
        recorded_at=one.message.recorded_at,
        said_at=one.message.created_at,
        data={"by": "model" if made else "rules", "made": made},
    )


def _confirmed(before: Record, one: Note) -> Record:
    """A note that is said again."""
    if one.message.id in {source.message_id for source in before.sources}:
        return before
    times = [at for at in (before.said_at, one.message.created_at) if at]
    score = max(before.importance or 0.0, round(one.importance, 3))
    return replace(before, sources=(*before.sources, _source(one)), said_at=min(times, default=None), importance=score)


def _source(one: Note) -> Source:
    return Source(one.message.id, one.start, one.end, one.message.text[one.start : one.end])
