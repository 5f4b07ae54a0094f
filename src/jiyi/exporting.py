"""Writes the log in the formats that ``importing`` reads: messages become JSON objects.  Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from jiyi.types import Message

Exported = dict[str, object]


def as_line(user_id: str, message: Message) -> Exported:
    """One entry of the log for a file with a message a line; fields that say nothing are left out."""
    value: Exported = {"user_id": user_id, "session_id": message.session_id, "id": message.id}
    if message.kind != "message":
        value = {"kind": message.kind, "user_id": user_id, "id": message.id, "category": message.category}
        value["content"] = None if message.content is None else message.text
        if message.kind == "statement" and message.role != "user":
            value["role"] = message.role
    else:
        value |= {"name": message.name, **as_chat(message), "incomplete": message.incomplete or None}
    value |= {"importance": message.importance, "pinned": message.pinned or None}
    value["created_at"] = message.created_at.isoformat() if message.created_at else None
    value["metadata"] = dict(message.metadata) or None
    kept = {key: item for key, item in value.items() if item is not None}
    return {"content": None, **kept} if message.kind == "message" else kept


def as_chat(message: Message) -> Exported:
    """One message as chat clients write it."""
    content = message.content
    value: Exported = {
        "role": message.role,
        "content": [dict(part) for part in content] if isinstance(content, tuple) else content,
    }
    if message.name:
        value["name"] = message.name
    if message.tool_calls:
        value["tool_calls"] = [dict(call) for call in message.tool_calls]
    if message.tool_call_id:
        value["tool_call_id"] = message.tool_call_id
    return value


def as_chats(messages: Iterable[Message]) -> Iterator[Exported]:
    """One chat a session, in order of their first message; statements and commands belong to none."""
    for session_id, said in _sessions(messages):
        yield {"session_id": session_id, "messages": [as_chat(message) for message in said]}


def as_conversation(user_id: str, messages: Iterable[Message]) -> Exported:
    """All sessions of a user as one conversation of the data format; statements and commands are left out."""
    return {
        "conversation_id": user_id,
        "user_id": user_id,
        "sessions": [
            {
                "session_id": session_id,
                "started_at": said[0].created_at.isoformat() if said[0].created_at else None,
                "messages": [_as_data(message) for message in said],
            }
            for session_id, said in _sessions(messages)
        ],
    }


def _as_data(message: Message) -> Exported:
    value: Exported = {"message_id": message.id, **as_chat(message)}
    value.pop("name", None)
    value["speaker"] = message.name or message.role
    value["created_at"] = message.created_at.isoformat() if message.created_at else None
    if message.metadata:
        value["metadata"] = dict(message.metadata)
    return value


def _sessions(messages: Iterable[Message]) -> Iterator[tuple[str, Sequence[Message]]]:
    said = [message for message in messages if message.kind == "message"]
    order = {name: place for place, name in enumerate(dict.fromkeys(message.session_id for message in said))}
    said.sort(key=lambda message: order[message.session_id])  # stable: the order within a session stays
    for session_id, group in groupby(said, key=lambda message: message.session_id):
        yield session_id, list(group)
