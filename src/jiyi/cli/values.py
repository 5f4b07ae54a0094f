"""The library's values as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict

from jiyi.about import Event
from jiyi.types import Checkpoint, Hit, Message, Record, SessionInfo, Source


def message_json(message: Message) -> dict[str, object]:
    """A message or statement; times as ISO 8601."""
    value: dict[str, object] = {
        "id": message.id,
        "kind": message.kind,
        "session_id": message.session_id,
        "seq": message.seq,
        "role": message.role,
        "name": message.name,
        "content": message.content,
        "created_at": message.created_at,
    }
    if message.kind == "statement":
        value["category"] = message.category
    if message.kind == "statement" or message.importance is not None or message.pinned:
        value |= {"importance": message.importance, "pinned": message.pinned}
    if message.tool_calls:
        value["tool_calls"] = message.tool_calls
    if message.tool_call_id:
        value["tool_call_id"] = message.tool_call_id
    if message.metadata:
        value["metadata"] = dict(message.metadata)
    return value


def session_json(session: SessionInfo) -> dict[str, object]:
    """A session of the list."""
    return {
        "id": session.id,
        "title": session.title,
        "messages": session.messages,
        "created_at": session.created_at,
        "updated_at": session.updated_at,
    }


def checkpoint_json(checkpoint: Checkpoint) -> dict[str, object]:
    """A checkpoint with its state."""
    return {
        "name": checkpoint.name,
        "session_id": checkpoint.session_id,
        "message_id": checkpoint.message_id,
        "messages": checkpoint.messages,
        "created_at": checkpoint.created_at,
        "automatic": checkpoint.automatic,
        "state": dict(checkpoint.state),
    }


def hit_json(hit: Hit) -> dict[str, object]:
    """One search result."""
    message = hit.message
    value: dict[str, object] = {
        "score": round(hit.score, 6),
        "relevance": round(hit.relevance, 4),
        "id": message.id,
        "kind": message.kind,
        "session_id": message.session_id,
        "seq": message.seq,
        "role": message.role,
        "name": message.name,
        "created_at": message.created_at,
        "text": message.text,
        "floor": hit.floor,
        "parts": {name: round(part, 6) for name, part in hit.parts.items()},
        "terms": {term: round(told, 4) for term, told in hit.asked.items() if term in hit.terms},
        "missing": [term for term in hit.asked if term not in hit.terms],
        "sources": [_source_json(source) for source in hit.sources],
    }
    if message.category:
        value["category"] = message.category
    if hit.before or hit.after:
        value["before"] = [message_json(near) for near in hit.before]
        value["after"] = [message_json(near) for near in hit.after]
    return value


def record_json(record: Record) -> dict[str, object]:
    """A record as it is now; ``data`` without what stands beside it."""
    beside = ("by", "status", "said")
    return {
        "id": record.id,
        "kind": record.kind,
        "key": record.key,
        "text": record.text,
        "by": record.data.get("by"),
        "status": record.data.get("status"),
        "importance": record.importance,
        "pinned": record.pinned,
        "hidden": record.hidden,
        "session_id": record.session_id,
        "said_at": record.said_at,
        "event_from": record.event_from,
        "event_to": record.event_to,
        "valid_from": record.valid_from,
        "valid_to": record.valid_to,
        "closed_at": record.closed_at,
        "used": record.used,
        "used_at": record.used_at,
        "sources": [_source_json(source) for source in record.sources],
        "data": {name: value for name, value in record.data.items() if name not in beside},
    }


def event_json(event: Event) -> dict[str, object]:
    """One thing that happened to a record."""
    message = event.message
    return {
        "what": event.what,
        "at": event.at,
        "record": event.record,
        "text": event.text,
        "by": event.by or None,
        "source": None if event.source is None else _source_json(event.source),
        "session_id": None if message is None else message.session_id,
        "who": None if message is None else message.name or message.role,
    }


def _source_json(source: Source) -> dict[str, object]:
    return {key: item for key, item in asdict(source).items() if item is not None}


def redactions(messages: Iterable[Message]) -> dict[str, int]:
    """What was taken out of these messages: kind -> how many."""
    found: Counter[str] = Counter()
    for message in messages:
        counts = message.metadata.get("redacted")
        if isinstance(counts, Mapping):
            found.update({kind: count for kind, count in counts.items() if isinstance(count, int)})
    return dict(found)


def counted(found: Mapping[str, int]) -> str:
    """Counts in words: ``2 card, 1 password``."""
    return ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in sorted(found.items()))
