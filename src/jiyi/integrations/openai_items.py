"""Items of OpenAI's Responses API as messages, and back, exactly.  Pure.

A run of what the model put out (reasoning, words, calls) is one assistant message, because what answers a call must
find it right before; everything else is a message each.  What our fields do not hold stands in
``metadata["openai_agents"]``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, cast

from jiyi.integrations.sparing import filled, spared, texts
from jiyi.media import in_words
from jiyi.types import JSON, Message

Item = dict[str, Any]
"""One item as the SDK passes it: a mapping that can be written as JSON."""

KEPT = "openai_agents"
"""Key in a message's metadata: the items that it stands for."""

FAKE_ID = "__fake_id__"  # what the SDK writes where a provider gives no ids

_TEXTS = ("input_text", "output_text", "text")
_NO_ARGUMENTS = ("id", "call_id", "type", "status", "name")


def written(item: Mapping[str, Any]) -> str:
    """An item in one way of writing, to compare it."""
    return json.dumps(item, sort_keys=True, ensure_ascii=False)


# -- to messages -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Output:
    """What a model put out in one go."""

    items: list[Item] = field(default_factory=list[Item])
    parts: list[Item] = field(default_factory=list[Item])
    calls: list[Item] = field(default_factory=list[Item])

    def takes(self, item: Item) -> bool:
        """Words after words are another message, unless calls stand between that still wait for their results."""
        return not (_speaks(item) and self.parts and not self.calls)

    def add(self, item: Item) -> None:
        self.items.append(item)
        if _speaks(item):
            self.parts += _parts(item.get("content"))
        elif _is_call(item):
            self.calls.append(_call(item))

    def message(self) -> dict[str, object]:
        words = [part for part in self.parts if part.get("type") == "text"]
        content = words[0]["text"] if len(words) == len(self.parts) == 1 else self.parts or (None if self.calls else "")
        return _message("assistant", content, self.items, self.calls)


def to_messages(items: Sequence[Item], *, session_id: str = "") -> list[dict[str, object]]:
    """Messages as ``session.add_many`` takes them, each for one item or more, in order.

    Args:
        items: input items, as a session gets them.
        session_id: where they go; a user's item that has an id gives its message one that follows from both.
    """
    messages: list[dict[str, object]] = []
    output = _Output()
    for item in items:
        if _is_output(item):
            if not output.takes(item):
                messages.append(output.message())
                output = _Output()
            output.add(item)
            continue
        if output.items:
            messages.append(output.message())
            output = _Output()
        messages.append(_given(item, session_id))
    return [*messages, output.message()] if output.items else messages


def _is_output(item: Item) -> bool:
    return item.get("role") in (None, "assistant") and not _is_result(item)


def _speaks(item: Item) -> bool:
    return item.get("role") == "assistant"


def _is_call(item: Item) -> bool:
    return str(item.get("type")).endswith("_call") and isinstance(item.get("call_id"), str)


def _is_result(item: Item) -> bool:
    return str(item.get("type")).endswith("_call_output") and isinstance(item.get("call_id") or item.get("id"), str)


def _given(item: Item, session_id: str) -> dict[str, object]:
    """One item that the model did not put out: what somebody said, or a tool's result."""
    if _is_result(item):
        told = item.get("output")
        parts = _parts(cast("list[Item]", told)) if isinstance(told, list) else []
        content = told if isinstance(told, str) else parts or json.dumps(told, ensure_ascii=False)
        return _message("tool", content, [item]) | {"tool_call_id": item.get("call_id") or item["id"]}
    content = item.get("content")
    message = _message(str(item["role"]), content if isinstance(content, str) else _parts(content), [item])
    named = isinstance(item.get("id"), str) and item["id"] not in ("", FAKE_ID)
    return message | (
        {"message_id": sha256(f"{session_id}\n{written(item)}".encode()).hexdigest()[:32]} if named else {}
    )


def _message(role: str, content: object, items: Sequence[Item], calls: Sequence[Item] = ()) -> dict[str, object]:
    message: dict[str, object] = {"role": role, "content": content}
    if calls:
        message["tool_calls"] = list(calls)
    if not isinstance(content, str) or list(items) != [{"role": role, "content": content}]:  # files leave a content
        said = texts(content, calls)
        message["metadata"] = {KEPT: [spared(cast("JSON", item), said) for item in items]}
    return message


def _parts(content: object) -> list[Item]:
    """Parts as chat clients write them."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    parts: list[Item] = []
    for part in cast("Iterable[Item]", content or ()):
        kind = part.get("type")
        if kind in _TEXTS:
            parts.append({"type": "text", "text": part.get("text") or ""})
        elif kind == "input_image" and part.get("image_url"):
            detail = {"detail": part["detail"]} if part.get("detail") else {}
            parts.append({"type": "image_url", "image_url": {"url": part["image_url"], **detail}})
        else:
            parts.append(dict(part))
    return parts


def _call(item: Item) -> Item:
    kind = str(item["type"])
    if kind == "function_call":
        function = {"name": item.get("name"), "arguments": item.get("arguments")}
    else:
        rest = {key: value for key, value in item.items() if key not in _NO_ARGUMENTS}
        name = item.get("name") or kind.removesuffix("_call")
        function = {"name": name, "arguments": json.dumps(rest, ensure_ascii=False)}
    return {"id": item["call_id"], "type": "function", "function": function}


# -- to items --------------------------------------------------------------------------------------------------------


def to_items(messages: Iterable[Message]) -> list[Item]:
    """The items that messages stand for; of messages that came another way, the items that say the same."""
    return [item for message in messages for item in items_of(message)]


def items_of(message: Message) -> list[Item]:
    """The items of one message, at least one, in order."""
    kept = message.metadata.get(KEPT)
    if isinstance(kept, Sequence) and not isinstance(kept, str):
        said = texts(message.content, message.tool_calls)
        return [cast("Item", filled(item, said)) for item in kept]
    content = message.content if isinstance(message.content, str) else _input_parts(message)
    if message.role == "tool":
        return [{"type": "function_call_output", "call_id": message.tool_call_id, "output": content}]
    items: list[Item] = []
    if message.role != "assistant":
        items.append({"role": message.role, "content": content})
    elif content or not message.tool_calls:
        items.append({"role": "assistant", "content": message.text})
    for call in message.tool_calls:
        function = cast("Item", call.get("function") or call)
        arguments = function.get("arguments", function.get("args"))
        arguments = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
        name = function.get("name")
        items.append({"type": "function_call", "call_id": call["id"], "name": name, "arguments": arguments})
    return items


def _input_parts(message: Message) -> list[Item]:
    parts: list[Item] = []
    for part in cast("Iterable[Item]", in_words(message.content or ())):
        if part.get("type") == "text":
            parts.append({"type": "input_text", "text": part["text"]})
        elif part.get("type") == "image_url" and isinstance(image := part.get("image_url"), Mapping):
            picture = cast("Mapping[str, Any]", image)
            detail = picture.get("detail") or "auto"
            parts.append({"type": "input_image", "image_url": picture.get("url"), "detail": detail})
        else:
            parts.append(dict(part))
    return parts
