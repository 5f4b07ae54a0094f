"""Rows of the SQLite tables to values and back: no SQL runs here, nothing but conversion."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any, TypeAlias, cast

from jiyi.types import JSON, ROLES, Content, Message, MessageKind, Part, Record, SessionInfo, Source

Row: TypeAlias = tuple[Any, ...]

SEQ_BITS = 32
SEQ_MASK = (1 << SEQ_BITS) - 1

MESSAGE_COLUMNS = (
    "m.key, m.active, m.position, m.flags, m.id, m.content, m.digest, m.chain, m.created, m.created_zone,"
    " m.recorded, m.recorded_zone, m.category, m.importance, m.extra, s.name, p.id"
)
MESSAGE_FROM = (
    " FROM message m LEFT JOIN session s ON s.id = m.session"
    " LEFT JOIN message p ON p.key = ((m.key >> 32) << 32) + m.parent"
)
RECORD_COLUMNS = (
    "name, kind, text, strategy, version, session, key, importance, pinned, valid_from, valid_from_zone,"
    " valid_to, valid_to_zone, recorded, recorded_zone, closed, closed_zone, said, said_zone, event_from,"
    " event_from_zone, event_to, event_to_zone, data, links"
)
USE_COLUMNS = "used, used_at, used_at_zone"
STORED_COLUMNS = f"{RECORD_COLUMNS}, {USE_COLUMNS}, seq"

_PINNED, _INCOMPLETE, STATEMENT, _JSON, COMMAND = 8, 16, 32, 64, 128  # the lowest three bits are the role
KIND: Mapping[MessageKind, int] = {"message": 0, "statement": STATEMENT, "command": COMMAND}
_KIND: Mapping[int, MessageKind] = {flag: kind for kind, flag in KIND.items()}
KIND_BITS = STATEMENT | COMMAND
ROLE_NUMBER = {name: number for number, name in enumerate(ROLES)}
SYSTEMS = 2
"""The roles below this number give instructions."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_NOTHING: Mapping[str, JSON] = {}
_decode = json.JSONDecoder().raw_decode  # of what we wrote: a third faster than ``json.loads``


def key_of(scope: int, seq: int) -> int:
    """A message's key; sorts by scope, then seq."""
    return scope << SEQ_BITS | seq


# -- scalars ---------------------------------------------------------------------------------------------------------


def micros(moment: datetime | None) -> int | None:
    """Microseconds since 1970 UTC."""
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def zone(moment: datetime | None) -> int | None:
    """Offset from UTC in minutes."""
    offset = None if moment is None else moment.utcoffset()
    return None if offset is None else int(offset.total_seconds() // 60)


def moment(at: int | None, minutes: int | None) -> datetime | None:
    """The time that ``micros`` and ``zone`` were taken from."""
    if at is None:
        return None
    return (_epoch(minutes) if minutes else _EPOCH) + timedelta(microseconds=at)


@lru_cache(maxsize=256)
def _epoch(minutes: int) -> datetime:
    """The beginning of 1970 UTC as clocks in that zone showed it."""
    return _EPOCH.astimezone(timezone(timedelta(minutes=minutes)))


def pack(text: str) -> bytes | str:
    """Half the size for what is lower-case hexadecimal; other text as it is.  ``unpack`` undoes it."""
    try:
        data = bytes.fromhex(text)
    except ValueError:
        return text
    return data if data and data.hex() == text else text


def unpack(stored: bytes | str) -> str:
    """What ``pack`` was given."""
    return stored if isinstance(stored, str) else stored.hex()


def dump(value: object) -> str:
    """Compact JSON; mappings and sequences of any kind."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)


def dump_map(value: Mapping[str, JSON]) -> str | None:
    """JSON, or None for an empty mapping."""
    return dump(value) if value else None


def load_map(text: str | None) -> Mapping[str, JSON]:
    """The mapping that ``dump_map`` was given."""
    return _decode(text)[0] if text else {}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[object, object]", value))
    if isinstance(value, Sequence):
        return list(cast("Sequence[object]", value))
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


# -- messages --------------------------------------------------------------------------------------------------------


def message_row(message: Message, scope: int, session: int | None, parent: int | None) -> Row:
    """All columns of ``message``, in the order of the schema."""
    content, flags = message.content, ROLE_NUMBER[message.role]
    flags |= _PINNED * message.pinned | _INCOMPLETE * message.incomplete | KIND[message.kind]
    if content is not None and not isinstance(content, str):
        content, flags = dump(content), flags | _JSON
    extra: dict[str, object] = {}
    if message.name is not None:
        extra["name"] = message.name
    if message.tool_calls:
        extra["calls"] = message.tool_calls
    if message.tool_call_id is not None:
        extra["call"] = message.tool_call_id
    if message.metadata:
        extra["metadata"] = message.metadata
    recorded = micros(message.recorded_at), zone(message.recorded_at)
    same = message.created_at is message.recorded_at
    created = recorded if same else (micros(message.created_at), zone(message.created_at))
    return (
        key_of(scope, message.seq), session, message.active, message.position, parent, flags, pack(message.id), content,
        pack(message.digest), pack(message.chain), *created, *recorded, message.category, message.importance,
        dump(extra) if extra else None,
    )  # fmt: skip


def message(row: Row) -> Message:
    """A row of MESSAGE_COLUMNS."""
    flags: int
    (
        key, active, position, flags, id_, content, digest, chain, created, created_zone, recorded, recorded_zone,
        category, importance, extra, session, parent,
    ) = row  # fmt: skip
    name: str | None = None
    calls: tuple[Part, ...] = ()
    call: str | None = None
    metadata = _NOTHING
    if extra is not None:
        more = json.loads(extra)
        name, call, calls = more.get("name"), more.get("call"), tuple(more.get("calls", ()))
        metadata = more.get("metadata", _NOTHING)
    if flags & _JSON:
        content = tuple(json.loads(content))
    said = moment(created, created_zone)
    taken = said if recorded == created and recorded_zone == created_zone else moment(recorded, recorded_zone)
    return Message.of((
        id_ if isinstance(id_, str) else id_.hex(), session or "", ROLES[flags & 7], cast(Content, content),
        _KIND[flags & KIND_BITS], name, calls, call, said, metadata if metadata else {}, category, importance,
        flags & _PINNED != 0, flags & _INCOMPLETE != 0, digest if isinstance(digest, str) else digest.hex(),
        key & SEQ_MASK, position, taken, chain if isinstance(chain, str) else chain.hex(),
        None if parent is None else unpack(parent), active != 0,
    ))  # fmt: skip


def text(flags: int, content: str | None) -> str:
    """What ``Message.text`` would give."""
    if flags & _JSON:
        content = "\n".join(part["text"] for part in json.loads(content or "[]") if isinstance(part.get("text"), str))
    return content or ""


# -- sessions and records --------------------------------------------------------------------------------------------


def session(row: Row) -> SessionInfo:
    """A row of: name, title, metadata, messages, id of the head, created, zone, updated, zone."""
    name, title, metadata, messages, head, created, created_zone, updated, updated_zone = row
    return SessionInfo(
        name, title, messages, None if head is None else unpack(head), moment(created, created_zone),
        moment(updated, updated_zone), load_map(metadata),
    )  # fmt: skip


def record_row(record: Record, scope: int) -> Row:
    """The scope and all columns of RECORD_COLUMNS."""
    return (
        scope, record.id, record.kind, record.text, record.strategy, record.version, record.session_id, record.key,
        record.importance, record.pinned, micros(record.valid_from), zone(record.valid_from), micros(record.valid_to),
        zone(record.valid_to), micros(record.recorded_at), zone(record.recorded_at), micros(record.closed_at),
        zone(record.closed_at), micros(record.said_at), zone(record.said_at), micros(record.event_from),
        zone(record.event_from), micros(record.event_to), zone(record.event_to), dump_map(record.data),
        dump(record.links) if record.links else None,
    )  # fmt: skip


def record(row: Row, sources: tuple[Source, ...]) -> Record:
    """A row of STORED_COLUMNS."""
    (
        id_, kind, text, strategy, version, session_id, key, importance, pinned, valid_from, valid_from_zone, valid_to,
        valid_to_zone, recorded, recorded_zone, closed, closed_zone, said, said_zone, event_from, event_from_zone,
        event_to, event_to_zone, data, links, used, used_at, used_at_zone, seq,
    ) = row  # fmt: skip
    taken = moment(recorded, recorded_zone)
    return Record(  # most have one or two of the times: asking here saves the calls
        id_, kind, text, strategy, version, sources, session_id, key, importance, pinned != 0,
        None if valid_from is None else moment(valid_from, valid_from_zone),
        None if valid_to is None else moment(valid_to, valid_to_zone),
        taken,
        None if closed is None else moment(closed, closed_zone),
        taken if said == recorded and said_zone == recorded_zone else moment(said, said_zone),
        None if event_from is None else moment(event_from, event_from_zone),
        None if event_to is None else moment(event_to, event_to_zone),
        load_map(data), used, None if used_at is None else moment(used_at, used_at_zone), seq=seq or 0,
        links=tuple(_decode(links)[0]) if links else (),
    )  # fmt: skip
