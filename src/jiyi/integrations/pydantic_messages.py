"""pydantic-ai's messages as ours, and back, exactly.  Pure.

A response is one assistant message.  A request is a message for each part that somebody said: instructions, the user's
words, a tool's result; what else it has goes along with these.  What our fields do not hold stands in
``metadata["pydantic_ai"]``: the parts, and once for each request or response the rest of it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

from jiyi.errors import MissingDependency
from jiyi.integrations.sparing import filled, spared, texts
from jiyi.media import in_words
from jiyi.types import JSON, Message

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

try:
    from pydantic_ai.messages import ModelMessagesTypeAdapter
except ImportError as error:
    raise MissingDependency(
        f"the message history of pydantic-ai needs: pip install 'jiyi[pydantic-ai]' ({error})"
    ) from error

Item = dict[str, Any]

KEPT = "pydantic_ai"
"""Key in a message's metadata: ``{"of": which request or response, "parts": […], "message": the rest of it}``."""

_ROLES = {"system-prompt": "system", "user-prompt": "user", "tool-return": "tool"}


def dumped(messages: Sequence[ModelMessage]) -> list[Item]:
    """As pydantic-ai writes them to JSON."""
    return cast("list[Item]", ModelMessagesTypeAdapter.dump_python(list(messages), mode="json"))


def loaded(items: Sequence[Item]) -> list[ModelMessage]:
    """As pydantic-ai reads them from JSON."""
    return ModelMessagesTypeAdapter.validate_json(json.dumps(items))


def marks(items: Sequence[Item], session_id: str) -> list[str]:
    """A name for each request and response, that follows from the session, what it says, and how often it came here."""
    seen: Counter[str] = Counter()
    found: list[str] = []
    for item in items:
        said = json.dumps(item, sort_keys=True, ensure_ascii=False)
        seen[said] += 1
        found.append(sha256(f"{session_id}\n{seen[said]}\n{said}".encode()).hexdigest()[:32])
    return found


# -- to ours ---------------------------------------------------------------------------------------------------------


def to_messages(messages: Sequence[ModelMessage], *, session_id: str = "") -> list[dict[str, object]]:
    """Messages as ``session.add_many`` takes them, in order; their ids follow from the session and what they say."""
    items = dumped(messages)
    found: list[dict[str, object]] = []
    for item, mark in zip(items, marks(items, session_id), strict=True):
        pieces = [item["parts"]] if item["kind"] == "response" else _pieces(item["parts"])
        spoken = [_spoken(item, parts) for parts in pieces]
        whole = next((at for at, message in enumerate(spoken) if message["role"] != "system"), 0)
        for at, (message, parts) in enumerate(zip(spoken, pieces, strict=True)):
            rest = {key: value for key, value in item.items() if key != "parts"} if at == whole else None
            said = texts(message["content"], cast("Sequence[Item]", message.get("tool_calls", ())))
            kept: dict[str, JSON] = {"of": mark, "parts": spared(parts, said)}
            message["metadata"] = {KEPT: kept if rest is None else {**kept, "message": spared(rest, said)}}
            message["message_id"] = f"{mark}.{at}"
            found.append(message)
    return found


def _pieces(parts: Sequence[Item]) -> list[list[Item]]:
    """A request's parts, each piece with one that somebody said; what nobody said goes with its neighbour."""
    pieces: list[list[Item]] = [[]]
    for part in parts:
        if _role(part) and any(map(_role, pieces[-1])):
            pieces.append([])
        pieces[-1].append(part)
    return pieces


def _role(part: Item) -> str | None:
    return _ROLES.get(part["part_kind"])


def _spoken(item: Item, parts: Sequence[Item]) -> dict[str, object]:
    """Role, content and the like."""
    if item["kind"] == "response":
        said = [{"type": "text", "text": part["content"]} for part in parts if part["part_kind"] == "text"]
        calls = [_call(part) for part in parts if part["part_kind"] == "tool-call"]
        content = said[0]["text"] if len(said) == 1 else said or (None if calls else "")
        message: dict[str, object] = {"role": "assistant", "content": content, **_when(item)}
        return message | {"tool_calls": calls} if calls else message
    part = next(filter(_role, parts), None)
    if part is None:  # nobody said anything: feedback about a reply, or a request to go on
        return {"role": "assistant", "content": "", **_when(item)}
    content = part["content"]
    message = {
        "role": _role(part),
        "content": content if isinstance(content, str) else _content(content),
        **_when(part),
    }
    if message["role"] == "tool":
        message |= {"content": content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)}
        message |= {"tool_call_id": part["tool_call_id"], "name": part["tool_name"]}
    return message


def _when(item: Item) -> dict[str, object]:
    said = item.get("timestamp")
    moment = datetime.fromisoformat(said) if isinstance(said, str) else None
    return {} if moment is None or moment.utcoffset() is None else {"created_at": moment}


def _content(content: Iterable[str | Item]) -> list[Item]:
    parts: list[Item] = []
    for one in content:
        if isinstance(one, str):
            parts.append({"type": "text", "text": one})
        elif isinstance(one.get("content"), str):
            parts.append({"type": "text", "text": one["content"]})
        elif one.get("kind") == "image-url":
            parts.append({"type": "image_url", "image_url": {"url": one["url"]}})
        elif one.get("kind") == "binary":
            parts.append({"type": "file", "data": one["data"], "media_type": one.get("media_type")})
        else:
            parts.append({**one, "type": str(one.get("kind"))})
    return parts


def _call(part: Item) -> Item:
    arguments = part.get("args")
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments or {}, ensure_ascii=False)
    return {
        "id": part["tool_call_id"],
        "type": "function",
        "function": {"name": part["tool_name"], "arguments": arguments},
    }


# -- to pydantic-ai's ------------------------------------------------------------------------------------------------


def from_messages(messages: Sequence[Message]) -> list[ModelMessage]:
    """The requests and responses that messages stand for; of messages that came another way, what says the same."""
    names = {call["id"]: _function(call).get("name") for message in messages for call in message.tool_calls}
    items: list[Item] = []
    for mark, group in groupby(messages, mark_of):
        if mark:
            items.append(_whole(list(group)))
        else:
            items += [_foreign(message, names) for message in group]
    return loaded(items)


def mark_of(message: Message) -> str:
    """Which request or response a message belongs to; "" when it came another way."""
    kept = message.metadata.get(KEPT)
    return str(kept.get("of", "")) if isinstance(kept, Mapping) else ""


def _whole(messages: Sequence[Message]) -> Item:
    parts: list[Any] = []
    rest: Item = {"kind": "request"}  # what is left of one whose other messages are not here
    for message in messages:
        kept = cast("Item", message.metadata[KEPT])
        said = texts(message.content, message.tool_calls)
        parts += cast("list[Any]", filled(kept["parts"], said))
        if "message" in kept:
            rest = cast("Item", filled(kept["message"], said))
    return {**rest, "parts": parts}


def _foreign(message: Message, names: Mapping[Any, Any]) -> Item:
    at = {"timestamp": message.moment.isoformat()}
    if message.role == "assistant":
        parts: list[Item] = [{"part_kind": "text", "content": message.text}] if message.text else []
        for call in message.tool_calls:
            function = _function(call)
            name, arguments = function.get("name"), function.get("arguments", function.get("args"))
            parts.append({"part_kind": "tool-call", "tool_name": name, "args": arguments, "tool_call_id": call["id"]})
        return {"kind": "response", "parts": parts, **at}
    if message.role == "tool":
        name = message.name or names.get(message.tool_call_id) or "tool"
        told = {"tool_name": name, "content": message.text, "tool_call_id": message.tool_call_id}
        return {"kind": "request", "parts": [{"part_kind": "tool-return", **told, **at}]}
    kind = "user-prompt" if message.role == "user" else "system-prompt"
    content: Any = message.content if isinstance(message.content, str) else message.text
    if kind == "user-prompt" and not isinstance(message.content, str):
        content = [_user_content(part) for part in cast("list[Item]", in_words(message.content or ()))]
    return {"kind": "request", "parts": [{"part_kind": kind, "content": content, **at}]}


def _user_content(part: Item) -> str | Item:
    if isinstance(image := part.get("image_url"), Mapping):
        return {"kind": "image-url", "url": cast("Item", image).get("url")}
    text = part.get("text")
    return text if isinstance(text, str) else json.dumps(part, ensure_ascii=False, default=str)


def _function(call: Mapping[str, Any]) -> Item:
    return cast("Item", call.get("function") or call)
