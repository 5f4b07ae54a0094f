"""The memory section of a context: what is quoted from earlier, under its dates, with speakers, in order of time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from typing import TypeAlias

from jiyi import passages
from jiyi.passages import Span
from jiyi.ports import TokenCounter
from jiyi.tokens import count_message
from jiyi.types import ChatMessage, Item, Message

HEADER = {
    "en": "Earlier messages that may matter, quoted verbatim, with date and speaker:",
    "zh": "以下是可能有用的过往消息，原文引用，附日期和说话人：",
}

HEADER_DERIVED = {
    "en": "What is known from earlier. Messages are quoted verbatim, with date and speaker; [summary], [note] and "
    "[fact] were derived from messages:",
    "zh": "以下是过往内容。消息为原文引用，附日期和说话人；[摘要]、[笔记]、[事实] 由消息归纳而来：",
}
"""Where there are lines with such labels."""

Day: TypeAlias = tuple[str, str]
"""Lines that stand together: a session's id, and the heading of one of its days; "" for what has no date."""

_DAYS = {"en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"), "zh": tuple(f"周{day}" for day in "一二三四五六日")}
_NEVER = datetime.min.replace(tzinfo=UTC)
_SPEAKERS = {"user": "用户", "assistant": "助手", "tool": "工具", "statement": "备忘"}
_LABELS = {"summary": "摘要", "note": "笔记", "fact": "事实"}
_BREAKS = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"  # whatever a model may see as the end of a line
_UNSEEN = r"\u200b-\u200f\u2060\ufeff"
_LOOKS_LIKE_OURS = re.compile(rf"([{_BREAKS}])(?=(?:[^\S{_BREAKS}]|[{_UNSEEN}])*\[(?!…\]))")
_NOT_IN_NAMES = re.compile(rf"[\s\x00-\x1f\x7f\[\]{_UNSEEN}]+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def quoted(message: Message, language: str, spans: Sequence[Span] = ()) -> str:
    """A message as a line of the section, word for word; in part where spans say so; "" when it has no text.

    It begins like ``[Caroline]``; a message without a name goes by its role.  Further lines of it that begin with a
    bracket get ``> `` before it, so that no text can pose as somebody else's.
    """
    text = message.text
    if not text.strip():
        return ""
    return f"{_speaker(message, language)} {_told_apart(passages.quoted(text, spans) if spans else text)}"


def derived(item: Item, language: str) -> str:
    """An item with a text of its own as a line of the section, with its label, or the speaker of its first source."""
    if item.label:
        label = _LABELS.get(item.label, item.label) if language == "zh" else item.label
        return f"[{label}] {_told_apart(item.text)}"
    if item.messages:
        return f"{_speaker(item.messages[0], language)} {_told_apart(item.text)}"
    return _told_apart("\n" + item.text)[1:]  # nothing of ours stands before it, so its first line counts as well


def day_of(message: Message | None, language: str) -> Day:
    """Where a message's line stands; what is derived from nothing that is known has neither session nor date."""
    if message is None or message.created_at is None:
        return (message.session_id if message else ""), ""
    date = message.created_at
    return message.session_id, f"[{date.date().isoformat()} {_DAYS[language][date.weekday()]}]"


def section(items: Iterable[Item], language: str) -> list[ChatMessage]:
    """One system message with all items; an empty list without items.

    What has no date comes first, so that no date stands above it.  Then by session in order of time, an empty line
    between them, each day of a session under its date.  The same items give the same bytes, whatever their order.
    """
    items = list(items)
    sessions: dict[tuple[bool, str], dict[str, list[str]]] = {}
    for dated, _, _, (session, heading), _, line in sorted(line for item in items for line in _lines(item, language)):
        sessions.setdefault((dated, session), {}).setdefault(heading, [heading] if heading else []).append(line)
    if not sessions:
        return []
    body = "\n\n".join("\n".join(line for lines in days.values() for line in lines) for days in sessions.values())
    return [{"role": "system", "content": f"{header(items, language)}\n{body}"}]


def header(items: Iterable[Item], language: str) -> str:
    """What stands above the lines of these items."""
    return (HEADER_DERIVED if any(item.label for item in items) else HEADER)[language]


class Sizes:
    """What a section of some of the items offered takes up while they are chosen, in any order: a date counts with the
    first line under it.

    Attributes:
        frame: tokens of a section without lines.
    """

    def __init__(self, counter: TokenCounter, language: str, offered: Iterable[Item] = ()) -> None:
        self._counter = counter
        self.frame = count_message(counter, {"role": "system", "content": header(offered, language) + "\n"})
        self._gap = max(0, counter.count("\n\n") - counter.count("\n"))  # an empty line; free in most vocabularies

    def line(self, text: str) -> int:
        """Tokens of a line with its end."""
        return self._counter.count(text + "\n")

    def together(self, lines: Iterable[tuple[Day, int]], begun: AbstractSet[Day]) -> int:
        """Tokens that lines of these days and tokens add to a section that has lines of the days in ``begun``."""
        lines = list(lines)
        new = {day for day, _ in lines} - begun
        return sum(tokens for _, tokens in lines) + sum(map(self._heading, new))

    def _heading(self, day: Day) -> int:
        return self._gap + (self.line(day[1]) if day[1] else 0)


def _lines(item: Item, language: str) -> Iterator[tuple[bool, datetime, int, Day, bool, str]]:
    """Whether it has a date, time, seq, day, whether it is a quote, and text of each line."""
    if item.text:
        first = item.messages[0] if item.messages else None
        yield (*_when(first), day_of(first, language), False, derived(item, language))
        return
    for message in item.messages:
        if line := quoted(message, language, item.spans(message)):
            yield (*_when(message), day_of(message, language), True, line)


def _speaker(message: Message, language: str) -> str:
    who = "statement" if message.kind == "statement" else message.role
    who = _SPEAKERS.get(who, who) if language == "zh" else who
    name = _NOT_IN_NAMES.sub(" ", message.name or "").strip()
    return f"[{who} {name}]" if _DATE.match(name) else f"[{name or who}]"


def _told_apart(text: str) -> str:
    """A text without lines that could be taken for a date or for a speaker; its first line has one before it."""
    return _LOOKS_LIKE_OURS.sub(r"\1> ", text) if "[" in text else text


def _when(message: Message | None) -> tuple[bool, datetime, int]:
    """Whether it has a date, the time it is ordered by, and its place in the log."""
    if message is None:
        return False, _NEVER, 0
    return message.created_at is not None, message.created_at or message.recorded_at or _NEVER, message.seq
