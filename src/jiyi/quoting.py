"""The memory section of a context: what is quoted from earlier, with date and speaker, in order of time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from jiyi import passages
from jiyi.passages import Span
from jiyi.types import ChatMessage, Item, Message

HEADER = {
    "en": "Earlier messages that may matter, quoted verbatim, with date and speaker:",
    "zh": "以下是可能有用的过往消息，原文引用，附日期和说话人：",
}
_DAYS = {"en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"), "zh": tuple(f"周{day}" for day in "一二三四五六日")}
_NEVER = datetime.min.replace(tzinfo=UTC)
_SPEAKERS = {"user": "用户", "assistant": "助手", "tool": "工具", "statement": "备忘"}


def quoted(message: Message, language: str, spans: Sequence[Span] = ()) -> str:
    """A message as a line of the section, word for word; in part where spans say so; "" when it has no text.

    It begins like ``[2023-05-08 Mon Caroline]``; a message without a name goes by its role.
    """
    text = message.text
    if not text.strip():
        return ""
    return f"{_origin(message, language)} {passages.quoted(text, spans) if spans else text}"


def derived(item: Item, language: str) -> str:
    """An item with a text of its own as a line of the section, with the date and speaker of its first source."""
    return f"{_origin(item.messages[0], language)} {item.text}" if item.messages else item.text


def section(items: Iterable[Item], language: str) -> list[ChatMessage]:
    """One system message with all items, by session in order of time; an empty list without items.

    The same items give the same bytes, whatever their order.
    """
    sessions: dict[str, list[str]] = {}
    for _, _, session, _, line in sorted(line for item in items for line in _lines(item, language)):
        sessions.setdefault(session, []).append(line)
    if not sessions:
        return []
    body = "\n\n".join("\n".join(lines) for lines in sessions.values())
    return [{"role": "system", "content": f"{HEADER[language]}\n{body}"}]


def _lines(item: Item, language: str) -> Iterator[tuple[datetime, int, str, bool, str]]:
    """Time, seq, session, whether it is a quote, and text of each line."""
    if item.text:
        yield (*_when(item.messages[0] if item.messages else None), False, derived(item, language))
        return
    for message in item.messages:
        if line := quoted(message, language, item.spans(message)):
            yield (*_when(message), True, line)


def _origin(message: Message, language: str) -> str:
    who = "statement" if message.kind == "statement" else message.role
    speaker = message.name or (_SPEAKERS.get(who, who) if language == "zh" else who)
    day = message.created_at
    return f"[{day.date().isoformat()} {_DAYS[language][day.weekday()]} {speaker}]" if day else f"[{speaker}]"


def _when(message: Message | None) -> tuple[datetime, int, str]:
    if message is None:
        return _NEVER, 0, ""
    return message.created_at or message.recorded_at or _NEVER, message.seq, message.session_id
