"""The memory section of a context: what is quoted from earlier, with date and speaker, in order of time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from jiyi.types import ChatMessage, Item, Message

HEADER = {
    "en": "Earlier messages that may matter, quoted verbatim, with date and speaker:",
    "zh": "以下是可能有用的过往消息，原文引用，附日期和说话人：",
}
_SPEAKERS = {"user": "用户", "assistant": "助手", "tool": "工具", "statement": "备忘"}


def quoted(item: Item, language: str) -> str:
    """An item as lines of the section: its text or, without one, its messages word for word; "" when there are none.

    Each begins like ``[2023-05-08 Caroline]``; a message without a name goes by its role.
    """
    if item.text:
        return f"{_origin(item.messages[0], language)} {item.text}" if item.messages else item.text
    said = [message for message in item.messages if message.text.strip()]
    return "\n".join(f"{_origin(message, language)} {message.text}" for message in said)


def section(items: Iterable[Item], language: str) -> list[ChatMessage]:
    """One system message with all items, by session in order of time; an empty list without items."""
    sessions: dict[str, list[str]] = {}
    for item in sorted(items, key=_when):
        name = item.messages[0].session_id if item.messages else ""
        sessions.setdefault(name, []).append(quoted(item, language))
    if not sessions:
        return []
    body = "\n\n".join("\n".join(lines) for lines in sessions.values())
    return [{"role": "system", "content": f"{HEADER[language]}\n{body}"}]


def _origin(message: Message, language: str) -> str:
    who = "statement" if message.kind == "statement" else message.role
    speaker = message.name or (_SPEAKERS.get(who, who) if language == "zh" else who)
    return f"[{message.created_at.date().isoformat()} {speaker}]" if message.created_at else f"[{speaker}]"


def _when(item: Item) -> tuple[datetime, int]:
    first = item.messages[0] if item.messages else None
    when = (first.created_at or first.recorded_at) if first else None
    return when or datetime.min.replace(tzinfo=UTC), first.seq if first else 0
