"""One message that says something, as evidence kept in the ``data`` of a record, so that the record can be worked out
again from what was said.  Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from jiyi.types import JSON, NEVER, Message, Source


@dataclass(frozen=True, slots=True)
class Saying:
    """Where, when and by whom something was said, and who found it.

    Attributes:
        source: the words of the message.
        at, seq: when it was said, as far as that is known, and its place in the log; both order it.
        step: name of the step that found it.
        maker: ``rules`` or ``model``.
        session_id: "" for a statement.
        dated: ``at`` is when it was said.  Otherwise nobody knows that, and it is when the store took it.
        recorded_at: when the store took it.
        speaker: role of who said it.
        made: the model and the prompt, where a model did.
    """

    source: Source
    at: datetime
    seq: int
    step: str
    maker: str
    session_id: str = ""
    dated: bool = True
    recorded_at: datetime | None = None
    speaker: str = "user"
    made: Mapping[str, JSON] = field(default_factory=dict[str, JSON])

    @property
    def message(self) -> str:
        """Id of the message."""
        return self.source.message_id

    @property
    def order(self) -> tuple[datetime, int, int]:
        """Sorts by when it was said; within a message by place."""
        return self.at, self.seq, self.source.start or 0


def saying(message: Message, start: int, end: int, step: str, maker: str, made: Mapping[str, JSON]) -> Saying:
    """The characters [start, end) of a message as evidence."""
    return Saying(
        source=Source(message.id, start, end, message.text[start:end]),
        at=message.moment,
        seq=message.seq,
        step=step,
        maker=maker,
        session_id=message.session_id,
        dated=message.created_at is not None,
        recorded_at=message.recorded_at,
        speaker=message.role,
        made=made if maker == "model" else {},
    )


def kept(one: Saying) -> dict[str, JSON]:
    """It as it is kept in ``data`` of its record; the quote stands among the record's sources."""
    entry: dict[str, JSON] = {
        "message": one.message,
        "from": one.source.start,
        "at": one.at.isoformat(),
        "seq": one.seq,
        "step": one.step,
        "by": one.maker,
    }
    if one.session_id:
        entry["session"] = one.session_id
    if not one.dated:
        entry["dated"] = False
    if one.recorded_at is not None and one.recorded_at != one.at:
        entry["recorded"] = one.recorded_at.isoformat()
    if one.speaker != "user":
        entry["speaker"] = one.speaker
    if one.made:
        entry["made"] = one.made
    return entry


def read(said: JSON, sources: Iterable[Source]) -> list[tuple[Saying, Mapping[str, JSON]]]:
    """What ``data`` of a record keeps, each with its whole entry; without those of which the source is not there."""
    there = {(source.message_id, source.start): source for source in sources}
    found: list[tuple[Saying, Mapping[str, JSON]]] = []
    for entry in said if isinstance(said, list) else ():
        if not isinstance(entry, Mapping):
            continue
        start = entry.get("from")
        source = there.get((str(entry.get("message")), start if isinstance(start, int) else None))
        if source is None:
            continue
        at, seq, made = time_of(entry.get("at")) or NEVER, entry.get("seq"), entry.get("made")
        one = Saying(
            source=source,
            at=at,
            seq=seq if isinstance(seq, int) else 0,
            step=str(entry.get("step")),
            maker=str(entry.get("by")),
            session_id=str(entry.get("session", "")),
            dated=entry.get("dated") is not False,
            recorded_at=time_of(entry.get("recorded")) or at,
            speaker=str(entry.get("speaker", "user")),
            made=made if isinstance(made, Mapping) else {},
        )
        found.append((one, entry))
    return found


def time_of(value: JSON) -> datetime | None:
    """A time as ``kept`` writes it."""
    return datetime.fromisoformat(value) if isinstance(value, str) else None
