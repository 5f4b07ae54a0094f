"""Messages as chat-completions clients take them, and shortened ones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import cast

from jiyi.errors import BudgetTooSmall
from jiyi.media import in_words
from jiyi.ports import TokenCounter
from jiyi.tokens import count_message
from jiyi.types import ChatMessage, Content, Message, Part

_MARK = {"en": " … [cut]", "zh": "……〔截断〕"}


def chat_message(message: Message) -> ChatMessage:
    """A message as chat-completions clients take it: a fresh dict, tool calls in OpenAI's wire format."""
    chat: ChatMessage = {"role": message.role, "content": _fresh(message.content)}
    if message.name:
        chat["name"] = message.name
    if message.tool_calls:
        chat["tool_calls"] = [wire_call(call) for call in message.tool_calls]
    if message.tool_call_id:
        chat["tool_call_id"] = message.tool_call_id
    return chat


def shortened(chats: Sequence[ChatMessage], room: int, counter: TokenCounter, language: str) -> list[ChatMessage]:
    """The same messages in at most ``room`` tokens: the longest contents are cut down to one length, with a mark.

    Cuts between characters that a reader sees; only contents are cut, never names or tool calls.

    Raises:
        BudgetTooSmall: nothing but marks would be left; counts are of these messages alone.
    """
    mark = _MARK[language]
    frames = [count_message(counter, {**chat, "content": None}) for chat in chats]
    sizes = [count_message(counter, chat) - frame for chat, frame in zip(chats, frames, strict=True)]
    most = _level(sizes, room - sum(frames))
    result: list[ChatMessage] = []
    for chat, size in zip(chats, sizes, strict=True):
        content = chat["content"]
        if size > most:
            content = _cut(cast("str | list[Part] | None", content), most, counter, mark)
        if content == "" and size > 0:
            least = counter.count(mark)
            raise BudgetTooSmall(sum(frames) + sum(min(size, least) for size in sizes), room)
        result.append({**chat, "content": content})
    return result


def _level(sizes: Sequence[int], room: int) -> int:
    """The largest length to which all longer ones must be cut so that the sum fits into ``room``."""
    for done, size in enumerate(sorted(sizes)):
        if size * (len(sizes) - done) > room:
            return max(0, room // (len(sizes) - done))
        room -= size
    return max(sizes, default=0)


def _cut(content: str | list[Part] | None, room: int, counter: TokenCounter, mark: str) -> str | list[Part]:
    """The beginning of a content with the mark; "" when nothing of it fits."""
    if isinstance(content, str):
        for tokens in range(room - counter.count(mark), 0, -1):
            text = counter.cut(content, tokens).rstrip()
            if not text:
                break  # blank, or its first character alone is dearer
            if counter.count(text + mark) <= room:
                return text + mark
        return mark.strip() if counter.count(mark) <= room else ""
    room -= counter.count(mark)
    kept: list[Part] = []
    for part in content or ():
        size = count_message(counter, {"content": [part]}) - count_message(counter, {})
        if size <= room:
            kept.append(part)
            room -= size
        elif isinstance(text := part.get("text"), str):
            cut = _cut(text, room + counter.count(mark), counter, mark)
            return [*kept, {**part, "text": cut}] if cut else [*kept, _text(mark)] if kept else ""
    return [*kept, _text(mark)] if kept else ""


def _text(text: str) -> Part:
    return {"type": "text", "text": text.strip()}


def _fresh(content: Content) -> object:
    return content if content is None or isinstance(content, str) else [in_words(part) for part in content]


def _copy(value: object) -> object:
    """The same JSON in new dicts and lists."""
    if isinstance(value, Mapping):
        return {str(key): _copy(item) for key, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_copy(item) for item in cast("Sequence[object]", value)]
    return value


def wire_call(call: Part) -> dict[str, object]:
    """One tool call as OpenAI sends it, also when it was given flat."""
    given = cast("dict[str, object]", _copy(call))
    function = given.get("function")
    if not isinstance(function, dict):
        arguments = given.pop("arguments", given.pop("args", None))
        function = {"name": given.pop("name", ""), "arguments": arguments}
    function = cast("dict[str, object]", function)
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        function["arguments"] = json.dumps({} if arguments is None else arguments, ensure_ascii=False)
    return {**given, "id": given.get("id", ""), "type": "function", "function": function}
