"""LangChain's messages as Jiyi keeps them, and back.

What Jiyi's own fields hold stands there, so that it is searched, counted, redacted and shown like every message; the
rest stands in ``metadata["langchain"]``.  A message that needs nothing of the rest has no such entry.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, cast

from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.messages.utils import message_chunk_to_message
from pydantic_core import to_jsonable_python

from jiyi.errors import InvalidInput
from jiyi.media import embedded, in_words
from jiyi.types import JSON, Content, Message
from jiyi.types import ChatMessage as Chat
from jiyi.wire import wire_call

KEY = "langchain"
"""Where the rest stands in a message's metadata."""

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}
_SPEAKERS = {"user": "user", "human": "user", "system": "system", "developer": "developer"}
"""Roles of a ``ChatMessage`` that are kept as what they say; all others speak as the assistant, so that what they say
is not held for the user's own words."""

_OPENAI_ROLE = "__openai_role__"  # LangChain's mark of a system message that OpenAI calls developer
_FIELDS = ("additional_kwargs", "response_metadata", "usage_metadata")


# -- to Jiyi ---------------------------------------------------------------------------------------------------------


def from_langchain(message: BaseMessage) -> dict[str, object]:
    """A message as ``session.add_many`` and ``session.sync`` take it.

    A chunk becomes the message that it is a piece of.  What cannot be written as JSON is left empty; files that are
    embedded become references once they are stored.

    Raises:
        InvalidInput: no message that is said by anybody, for example a ``RemoveMessage``.
    """
    message = message_chunk_to_message(message)
    rest: dict[str, JSON] = {}
    given: dict[str, object] = {"role": _role(message), "content": _kept_content(message.content, rest)}
    given |= {field: value for field, value in (("id", message.id), ("name", message.name)) if value}
    given |= _kept_rest(message, rest)
    return {**given, "metadata": {KEY: rest}} if rest else given


def _kept_rest(message: BaseMessage, rest: dict[str, JSON]) -> dict[str, object]:
    """What is particular to a kind of message in Jiyi's fields; all that has none there goes into ``rest``."""
    if message.name == "":
        rest["name"] = ""
    for field in _FIELDS:
        if value := getattr(message, field, None):
            rest[field] = _plain(value)
    if message.model_extra:
        rest["extra"] = _plain(message.model_extra)
    if isinstance(message, AIMessage):
        calls = _kept_calls(message, rest)
        return {"tool_calls": calls} if calls else {}
    if isinstance(message, ToolMessage):
        if message.status != "success":
            rest["status"] = message.status
        rest |= _kept_artifact(message.artifact)
        return {"tool_call_id": message.tool_call_id}
    if isinstance(message, FunctionMessage):
        rest["type"] = "function"
        return {"tool_call_id": _function(message.name)}
    if isinstance(message, ChatMessage):
        rest |= {"type": "chat", "role": message.role}
    return {}


def _role(message: BaseMessage) -> str:
    if isinstance(message, ChatMessage):
        return _SPEAKERS.get(message.role.lower(), "assistant")
    if isinstance(message, SystemMessage) and message.additional_kwargs.get(_OPENAI_ROLE) == "developer":
        return "developer"
    if role := _ROLES.get(message.type):
        return role
    raise InvalidInput("messages", f"a {type(message).__name__} is nothing that was said; leave it out")


def _kept_content(content: str | Sequence[str | Mapping[Any, Any]], rest: dict[str, JSON]) -> object:
    """Texts between parts, and parts that do not say what they are, become parts; ``rest`` says which they were."""
    if isinstance(content, str):
        return content
    kept: list[JSON] = []
    strings: list[int] = []
    values: list[int] = []
    for at, part in enumerate(content):
        if isinstance(part, str):
            strings.append(at)
            kept.append({"type": "text", "text": part})
        elif _says_what_it_is(part):
            kept.append(_plain(part))
        else:
            values.append(at)
            kept.append({"type": "non_standard", "value": _plain(part)})
    rest |= {name: places for name, places in (("strings", strings), ("values", values)) if places}
    return kept


def _says_what_it_is(part: Mapping[Any, Any]) -> bool:
    kind = part.get("type")
    return isinstance(kind, str) and (kind != "text" or isinstance(part.get("text"), str))


def _kept_calls(message: AIMessage, rest: dict[str, JSON]) -> list[dict[str, JSON]]:
    """The calls as OpenAI writes them, those that could not be read at the end: results are told by their ids."""
    kept: list[dict[str, JSON]] = []
    for name, calls in (("calls", message.tool_calls), ("invalid_calls", message.invalid_tool_calls)):
        more: list[JSON] = []
        for call in cast("Sequence[Mapping[str, Any]]", calls):
            wire = _wire(call)
            kept.append(wire)
            back = _invalid_call(wire) if name == "invalid_calls" else _call(wire)
            more.append({key: _plain(value) for key, value in call.items() if key not in back or back[key] != value})
        if name == "invalid_calls" and more or any(more):
            rest[name] = more
    function = cast("object", message.additional_kwargs.get("function_call"))
    if not kept and isinstance(function, Mapping):  # OpenAI's older kind, which has no ids
        named = cast("Mapping[str, object]", function)
        name = str(named.get("name"))
        rest["function_call"] = True
        kept.append(_wire({"id": _function(name), "name": name, "args": named.get("arguments")}))
    return kept


def _wire(call: Mapping[str, Any]) -> dict[str, JSON]:
    arguments = call.get("args")
    if not isinstance(arguments, str):
        arguments = "" if arguments is None else json.dumps(_plain(arguments), ensure_ascii=False)
    function: dict[str, JSON] = {"name": call.get("name") or "", "arguments": arguments}
    return {"id": call.get("id") or "", "type": "function", "function": function}


def _function(name: str) -> str:
    """The id under which a call of OpenAI's older kind and its result are one piece."""
    return f"function:{name.strip()}"


def _kept_artifact(artifact: object) -> dict[str, JSON]:
    """Documents, as retrievers give them, are documents again afterwards."""
    if artifact is None:
        return {}
    if isinstance(artifact, Document):
        return {"artifact": _plain(artifact), "documents": "one"}
    kept: dict[str, JSON] = {"artifact": _plain(artifact)}
    items = cast("list[object]", artifact) if isinstance(artifact, list) else []
    if items and all(isinstance(item, Document) for item in items):
        kept["documents"] = "many"
    return kept


def _plain(value: object) -> JSON:
    """A value as JSON; what has no such form is None, bytes are a reference."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (bytes, bytearray)):
        return embedded("application/octet-stream", bytes(value))
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in cast("Sequence[object]", value)]
    made = cast("object", to_jsonable_python(value, fallback=lambda _: None))
    return _plain(made)


# -- to LangChain ----------------------------------------------------------------------------------------------------


def to_langchain(message: Message) -> BaseMessage:
    """A stored message as LangChain has it: the one that it came from, under the id by which Jiyi knows it.

    A part whose file is not kept is a text that says what was there, because models refuse a reference.
    """
    said = message.metadata.get(KEY)
    rest = cast("dict[str, Any]", _fresh(said) if isinstance(said, Mapping) else {})
    fields: dict[str, Any] = {
        "id": rest.get("id", message.id),
        "content": _content(message.content, rest),
        "name": rest.get("name", message.name),
        **rest.get("extra", {}),
    }
    fields |= {field: rest[field] for field in _FIELDS if field in rest}
    return _built(message.role, fields, message.tool_calls, message.tool_call_id, rest)


def chat_to_langchain(chat: Chat) -> BaseMessage:
    """A message as chat-completions clients take it, such as one of ``context.messages``, as LangChain has it."""
    content = cast("Content", chat.get("content"))
    name = chat.get("name")
    fields: dict[str, Any] = {"content": _content(content, {}), "name": name}
    calls = cast("Sequence[Mapping[str, JSON]]", chat.get("tool_calls") or ())
    call_id = chat.get("tool_call_id")
    return _built(str(chat["role"]), fields, calls, None if call_id is None else str(call_id), {})


def _built(
    role: str,
    fields: dict[str, Any],
    calls: Sequence[Mapping[str, JSON]],
    call_id: str | None,
    rest: Mapping[str, Any],
) -> BaseMessage:
    if rest.get("type") == "chat":
        return ChatMessage(role=rest.get("role", role), **fields)
    if rest.get("type") == "function":
        return FunctionMessage(**fields)
    if role == "assistant":
        return AIMessage(**fields, **_calls([wire_call(call) for call in calls], rest))
    if role == "tool":
        status = rest.get("status", "success")
        return ToolMessage(**fields, tool_call_id=call_id or "", status=status, artifact=_artifact(rest))
    if role == "developer":
        fields["additional_kwargs"] = {_OPENAI_ROLE: "developer", **fields.get("additional_kwargs", {})}
    return HumanMessage(**fields) if role == "user" else SystemMessage(**fields)


def _artifact(rest: Mapping[str, Any]) -> Any:
    kept, kind = rest.get("artifact"), rest.get("documents")
    if kind == "one":
        return Document.model_validate(kept)
    return [Document.model_validate(item) for item in kept or ()] if kind else kept


def _content(content: Content, rest: Mapping[str, Any]) -> str | list[Any]:
    if content is None or isinstance(content, str):
        return content or ""
    parts = cast("list[Any]", in_words(content))
    for name, field in (("strings", "text"), ("values", "value")):
        for at in rest.get(name, ()):
            if at < len(parts):
                parts[at] = parts[at].get(field, parts[at])
    return parts


def _calls(calls: Sequence[Mapping[str, Any]], rest: Mapping[str, Any]) -> dict[str, Any]:
    if rest.get("function_call"):
        return {}
    marked: list[dict[str, Any]] | None = rest.get("invalid_calls")
    if marked is None:  # LangChain was not there: what it cannot read is what it would call invalid
        read = [call for call in calls if _call(call)["args"] is not None]
        unread = [call for call in calls if _call(call)["args"] is None]
    else:
        read, unread = calls[: -len(marked)], calls[-len(marked) :]
    return {
        "tool_calls": _more(map(_call, read), rest.get("calls")),
        "invalid_tool_calls": _more(map(_invalid_call, unread), marked),
    }


def _more(calls: Iterable[dict[str, Any]], marked: Sequence[dict[str, Any]] | None) -> list[dict[str, Any]]:
    """The calls with what our form of them does not hold."""
    nothing: dict[str, Any] = {}
    return [{**call, **more} for call, more in zip_longest(calls, marked or (), fillvalue=nothing)]


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    """A call as LangChain has it; its arguments are None where they are no object."""
    function = call["function"]
    try:
        read = json.loads(function["arguments"] or "{}")
    except (ValueError, RecursionError):
        read = None
    arguments = cast("dict[str, Any]", read) if isinstance(read, dict) else None
    return {"name": function["name"], "args": arguments, "id": call["id"], "type": "tool_call"}


def _invalid_call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call["function"]
    said = {"name": function["name"], "args": function["arguments"], "id": call["id"], "error": None}
    return {**said, "type": "invalid_tool_call"}


def _fresh(value: object) -> object:
    """The same JSON in new dicts and lists: LangChain's callers may change what they get."""
    if isinstance(value, Mapping):
        return {key: _fresh(item) for key, item in cast("Mapping[str, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_fresh(item) for item in cast("Sequence[object]", value)]
    return value


__all__ = ["KEY", "chat_to_langchain", "from_langchain", "to_langchain"]
