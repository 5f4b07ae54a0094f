"""The memory section of a context: what is quoted from earlier, under its dates, with speakers, in order of time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import TypeAlias

from jiyi import passages
from jiyi.passages import Span
from jiyi.ports import TokenCounter
from jiyi.text import flat
from jiyi.tokens import count_message
from jiyi.types import NEVER, ChatMessage, Item, Message, Source

HEADER = {
    "en": "Earlier messages that may matter, quoted verbatim, with date and speaker:",
    "zh": "以下是可能有用的过往消息，原文引用，附日期和说话人：",
}

HEADER_DERIVED = {
    "en": "What is known from earlier. Messages are quoted verbatim, with date and speaker; [summary], [note], "
    "[fact] and the like were derived from messages:",
    "zh": "以下是过往内容。消息为原文引用，附日期和说话人；[摘要]、[笔记]、[事实] 等由消息归纳而来：",
}
"""Where there are lines with such labels."""

HEADER_CITED = {"en": " (#… names the message):", "zh": "（#… 是消息编号）："}
"""In the place of the header's colon where lines name their messages."""

Day: TypeAlias = tuple[str, str]
"""Lines that stand together: a session's id, and the heading of one of its days; "" for what has no date."""

_DAYS = {"en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"), "zh": tuple(f"周{day}" for day in "一二三四五六日")}
_SPEAKERS = {"user": "用户", "assistant": "助手", "tool": "工具", "statement": "备忘"}
_LABELS = {
    "summary": "摘要", "note": "笔记", "fact": "事实", "entity": "实体", "relation": "关系", "topic": "主题",
    "snapshot": "快照",
}  # fmt: skip
_ID = 8  # characters of a longer id; its end is random, and its beginning the time
_BREAKS = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"  # whatever a model may see as the end of a line
_UNSEEN = r"\u200b-\u200f\u2060\ufeff"
_LOOKS_LIKE_OURS = re.compile(rf"([{_BREAKS}])(?=(?:[^\S{_BREAKS}]|[{_UNSEEN}])*\[(?!…\]))")
_NOT_IN_NAMES = re.compile(rf"[\s\x00-\x1f\x7f\[\]{_UNSEEN}]+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def quoted(message: Message, language: str, spans: Sequence[Span] = (), *, cited: bool = False) -> str:
    """A message as a line of the section, word for word; in part where spans say so; "" when it has no text.

    It begins like ``[Caroline]``, cited like ``[Caroline #1a2b3c4d]``; a message without a name goes by its role.
    Further lines of it that begin with a bracket get ``> `` before it, so that no text can pose as somebody else's.
    """
    text = message.text
    if not text.strip():
        return ""
    who = f"[{_speaker(message, language)}{_reference(message.id) if cited else ''}]"
    return f"{who} {_told_apart(passages.quoted(text, spans) if spans else text)}"


def derived(item: Item, language: str, *, cited: bool = False) -> str:
    """An item with a text of its own as a line of the section, with its label, or the speaker of its first source.

    Cited it names the messages of its quotes, with the quotes and their dates; a text that is one of them stands there
    in that one's own words.
    """
    who = _LABELS.get(item.label, item.label) if language == "zh" else item.label
    if not who and item.messages:
        who = _speaker(item.messages[0], language)
    if cited and item.quotes:
        same = [quote for quote in item.quotes if flat(quote.quote or "") == flat(item.text)]
        text = same[0].quote or "" if same else item.text
        who += _reference(same[0].message_id) if same else ""
        more = _quotes(item, [quote for quote in item.quotes if quote not in same[:1]], language)
        return f"[{who.strip()}] {_told_apart(text + more)}"
    if who:
        return f"[{who}] {_told_apart(item.text)}"
    return _told_apart("\n" + item.text)[1:]  # nothing of ours stands before it, so its first line counts as well


def _quotes(item: Item, quotes: Sequence[Source], language: str) -> str:
    """Quotes with the day and message of each, in parentheses behind a text."""
    dates = {message.id: message.created_at for message in item.messages}
    shown: list[str] = []
    for one in quotes:
        said = dates.get(one.message_id)
        where = f"{said.date().isoformat() if said else ''}{_reference(one.message_id)}".strip()
        shown.append(f"{where}：“{one.quote}”" if language == "zh" else f'{where}: "{one.quote}"')
    if not shown:
        return ""
    return f"（{'；'.join(shown)}）" if language == "zh" else f" ({'; '.join(shown)})"


def _reference(message_id: str) -> str:
    """A message's id as a line shows it."""
    name = _NOT_IN_NAMES.sub(" ", message_id).strip()
    return f" #{name if len(name) <= _ID + _ID // 2 else name[-_ID:]}"


def supported(item: Item) -> tuple[Source, ...]:
    """The quotes of an item that its messages say, word for word."""
    texts = {message.id: message.text for message in item.messages}
    return tuple(one for one in item.quotes if _says(texts.get(one.message_id, ""), one))


def _says(text: str, source: Source) -> bool:
    if not source.quote or not source.quote.strip():
        return False
    if source.start is None or source.end is None:
        return source.quote in text
    return text[source.start : source.end] == source.quote


def day_of(message: Message | None, language: str) -> Day:
    """Where a message's line stands; what is derived from nothing that is known has neither session nor date."""
    if message is None or message.created_at is None:
        return (message.session_id if message else ""), ""
    date = message.created_at
    return message.session_id, f"[{date.date().isoformat()} {_DAYS[language][date.weekday()]}]"


def section(items: Iterable[Item], language: str, cited: Iterable[Item] = ()) -> list[ChatMessage]:
    """One system message with all items, and with those that name their messages; an empty list without items.

    What has no date comes first, so that no date stands above it.  Then by session in order of time, an empty line
    between them, each day of a session under its date.  The same items give the same bytes, whatever their order.
    """
    items, cited = list(items), list(cited)
    found = [line for item in items for line in _lines(item, language, cited=False)]
    found += [line for item in cited for line in _lines(item, language, cited=True)]
    sessions: dict[tuple[bool, str], dict[str, list[str]]] = {}
    for dated, _, _, (session, heading), _, line in sorted(found):
        sessions.setdefault((dated, session), {}).setdefault(heading, [heading] if heading else []).append(line)
    if not sessions:
        return []
    body = "\n\n".join("\n".join(line for lines in days.values() for line in lines) for days in sessions.values())
    return [{"role": "system", "content": f"{header([*items, *cited], language, cited=bool(cited))}\n{body}"}]


def header(items: Iterable[Item], language: str, *, cited: bool = False) -> str:
    """What stands above the lines of these items; ``cited`` where one of them names its message."""
    known = (HEADER_DERIVED if any(item.label for item in items) else HEADER)[language]
    return known[:-1] + HEADER_CITED[language] if cited else known


class Sizes:
    """What a section of some of the items offered takes up while they are chosen, in any order: a date counts with the
    first line under it.

    Attributes:
        frame: tokens of a section without lines.
    """

    def __init__(
        self, counter: TokenCounter, language: str, offered: Iterable[Item] = (), *, cited: bool = False
    ) -> None:
        self._counter = counter
        above = header(offered, language, cited=cited)
        self.frame = count_message(counter, {"role": "system", "content": above + "\n"})
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


def _lines(item: Item, language: str, *, cited: bool) -> Iterator[tuple[bool, datetime, int, Day, bool, str]]:
    """Whether it has a date, time, seq, day, whether it is a quote, and text of each line."""
    if item.text:
        first = item.messages[0] if item.messages else None
        yield (*_when(first), day_of(first, language), False, derived(item, language, cited=cited))
        return
    for message in item.messages:
        if line := quoted(message, language, item.spans(message), cited=cited):
            yield (*_when(message), day_of(message, language), True, line)


def _speaker(message: Message, language: str) -> str:
    """Who said it: the name, else the role; a statement is the user's own, unless somebody else made it."""
    who = "statement" if message.kind == "statement" and message.role == "user" else message.role
    who = _SPEAKERS.get(who, who) if language == "zh" else who
    name = _NOT_IN_NAMES.sub(" ", message.name or "").strip()
    return f"{who} {name}" if _DATE.match(name) else name or who


def _told_apart(text: str) -> str:
    """A text without lines that could be taken for a date or for a speaker; its first line has one before it."""
    return _LOOKS_LIKE_OURS.sub(r"\1> ", text) if "[" in text else text


def _when(message: Message | None) -> tuple[bool, datetime, int]:
    """Whether it has a date, the time it is ordered by, and its place in the log."""
    if message is None:
        return False, NEVER, 0
    return message.created_at is not None, message.moment, message.seq
