"""The library's values as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict

from jiyi.types import Checkpoint, Hit, Message, SessionInfo


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
        "sources": [{key: item for key, item in asdict(source).items() if item is not None} for source in hit.sources],
    }
    if message.category:
        value["category"] = message.category
    if hit.before or hit.after:
        value["before"] = [message_json(near) for near in hit.before]
        value["after"] = [message_json(near) for near in hit.after]
    return value


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
