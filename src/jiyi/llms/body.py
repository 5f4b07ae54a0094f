"""Chat completions as data: the body of a request, and what an event of the answer says.  Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import cast

from jiyi.errors import InvalidInput, ModelError, ModelUnavailable
from jiyi.providers import Address
from jiyi.refusals import explain
from jiyi.types import JSON, ChatMessage, Finish, Usage

_FINISH: Mapping[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "filtered",
    "sensitive": "filtered",  # Zhipu
    "refusal": "filtered",
}
"""What is not here is an ordinary end: ``stop``, ``eos``, ``tool_calls``…"""

_HALF = re.compile("[\ud800-\udfff]")
_BROKEN = frozenset({"error", "insufficient_system_resource", "network_error"})
"""Ends that are none, of OpenRouter, DeepSeek and Zhipu."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What one event says.  ``finish`` and ``usage`` where it has them."""

    text: str = ""
    thought: str = ""
    finish: Finish | None = None
    usage: Usage | None = None


def chat_body(
    address: Address, messages: Sequence[ChatMessage], schema: Mapping[str, JSON] | None, max_tokens: int | None
) -> dict[str, object]:
    """The body of a streamed request that asks for everything we can use.

    Raises:
        InvalidInput: no messages.
    """
    if not messages:
        raise InvalidInput("messages", "must not be empty")
    body: dict[str, object] = {
        "model": address.model,
        "messages": one_system(messages),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if max_tokens is not None:
        newer = address.provider == "openai" and not address.own
        body["max_completion_tokens" if newer else "max_tokens"] = max_tokens
    if schema is not None:
        wanted = {"name": "reply", "schema": schema, "strict": _is_strict(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    return body


def objection(body: Mapping[str, object], refusal: str) -> str | None:
    """What of a body a refusal is about: the field it names, else the form of the reply, ``json_schema`` or
    ``json_object``; None when it has neither.
    """
    refusal = refusal.lower()
    if "max_tokens" in body and "max_completion_tokens" in refusal:
        return "max_tokens"
    if "stream_options" in body and ("stream_options" in refusal or "include_usage" in refusal):
        return "stream_options"
    return _form(body)


def without(body: Mapping[str, object], refused: str) -> dict[str, object]:
    """The body without what ``objection`` names.  ``max_tokens`` gets its newer name instead; instead of a schema any
    JSON object is asked for, where the messages speak of JSON: DeepSeek, OpenAI and DashScope want the word there.
    """
    if refused in ("json_schema", "json_object"):
        if _form(body) != refused:
            return dict(body)
        rest = {name: value for name, value in body.items() if name != "response_format"}
        looser = refused == "json_schema" and _speaks_of_json(body["messages"])
        return {**rest, "response_format": {"type": "json_object"}} if looser else rest
    rest = {name: value for name, value in body.items() if name != refused}
    return {**rest, "max_completion_tokens": body[refused]} if refused == "max_tokens" and refused in body else rest


def one_system(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The messages with the system messages they begin with made into one: several chat templates refuse a second.
    ``developer`` becomes ``system``, which every server knows.
    """
    plain = [{**message, "role": "system"} if _is_system(message) else message for message in messages]
    first = list(takewhile(_is_system, plain))
    if len(first) < 2:
        return plain
    contents = [message.get("content") or "" for message in first]
    merged: object
    if all(isinstance(content, str) for content in contents):
        merged = "\n\n".join(cast("str", content) for content in contents if content)
    else:
        merged = [part for content in contents for part in _parts(content)]
    return [{**first[0], "content": merged}, *plain[len(first) :]]


def read(address: Address, event: object) -> Piece:
    """What one decoded event says; an event of another kind says nothing.

    Raises:
        ModelError: it cannot be read, or is an error.
    """
    if not isinstance(event, Mapping):
        raise _unreadable(address)
    fields = cast("Mapping[str, object]", event)
    choices = fields.get("choices")
    if choices is None and (fields.get("object") == "error" or fields.get("error")):
        raise explain(address, 0, fields)
    usage = _usage(fields.get("usage"))
    if not choices:
        return Piece(usage=usage)
    if not isinstance(choices, Sequence) or not isinstance(choices[0], Mapping):
        raise _unreadable(address)
    choice = cast("Mapping[str, object]", choices[0])
    found = choice.get("delta") or choice.get("message") or cast("Mapping[str, object]", {})
    if not isinstance(found, Mapping):
        raise _unreadable(address)
    said = cast("Mapping[str, object]", found)
    ended = choice.get("finish_reason")
    if ended in _BROKEN:
        raise ModelUnavailable(f"{address.name}: the server broke off its answer ({ended}); try again")
    whole = "message" in choice  # not a piece: a server that does not stream
    finish = _FINISH.get(str(ended), "stop") if ended or whole else None
    text = _text(said.get("content"))
    if isinstance(refusal := said.get("refusal"), str) and refusal:
        text, finish = text + refusal, "filtered" if finish else None
    thought = _text(said.get("reasoning_content") or said.get("reasoning"))
    return Piece(text, thought, finish, usage)


def mend(text: str) -> tuple[str, str]:
    """A text whose halves of characters are joined, or replaced where the other is missing; and a first half at its
    end, which the next piece may complete.
    """
    half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
    text = text[: len(text) - len(half)]
    if _HALF.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text, half


def _form(body: Mapping[str, object]) -> str | None:
    """The type of reply that a body asks for; None for any."""
    wanted = body.get("response_format")
    return str(cast("Mapping[str, object]", wanted)["type"]) if wanted else None


def _speaks_of_json(messages: object) -> bool:
    contents = [message.get("content") for message in cast("Sequence[ChatMessage]", messages)]
    return any("json" in _text(content).lower() for content in contents)


def _is_system(message: ChatMessage) -> bool:
    return message.get("role") in ("system", "developer")


def _parts(content: object) -> list[object]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(cast("Sequence[object]", content))


def _text(content: object) -> str:
    """A content's text: a string, or parts of which some have one."""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        found = cast("Sequence[object]", content)
        parts = [cast("Mapping[str, object]", part) for part in found if isinstance(part, Mapping)]
        return "".join(text for part in parts if isinstance(text := part.get("text"), str))
    return ""


def _usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    counts = cast("Mapping[str, object]", value)
    tokens = [counts.get(name) for name in ("prompt_tokens", "completion_tokens")]
    return Usage(1, *(count if isinstance(count, int) else 0 for count in tokens))


def _is_strict(schema: object) -> bool:
    """Whether every object of a schema closes and requires its properties: what OpenAI asks of a strict schema."""
    if isinstance(schema, Mapping):
        fields = cast("Mapping[str, object]", schema)
        properties = fields.get("properties")
        if isinstance(properties, Mapping):
            names = set(cast("Mapping[str, object]", properties))
            required = fields.get("required")
            if fields.get("additionalProperties") is not False or not isinstance(required, Sequence):
                return False
            if names != set(cast("Sequence[str]", required)):
                return False
        return all(_is_strict(value) for value in fields.values())
    if isinstance(schema, Sequence) and not isinstance(schema, str):
        return all(_is_strict(value) for value in cast("Sequence[object]", schema))
    return True


def _unreadable(address: Address) -> ModelError:
    return ModelError(f"{address.name}: {address.host} sent an answer that is not a chat completion")


__all__ = ["Piece", "chat_body", "mend", "objection", "one_system", "read", "without"]
