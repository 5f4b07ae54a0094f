"""Turns, tool calls with their results, and digests."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Mapping, Sequence

from jiyi.types import Content, Message

_HEX = 32  # 128 bits


def digest(salt: bytes, message: Message) -> str:
    """Keyed fingerprint of what was said: role, content, name, tool calls, the call a result belongs to; 32 hex digits.

    One text part counts as the plain text, and no content as the empty text, because clients change one into the other
    when they send a history again.
    """
    said = [message.role, _plain(message.content), message.name, message.tool_calls, message.tool_call_id]
    return hmac.digest(salt, _CANONICAL.encode(said).encode("ascii"), "sha256").hex()[:_HEX]


def link(parent_chain: str, digest: str) -> str:
    """The chain value of a message: fingerprint of the whole path up to it; ``parent_chain`` is "" at the start."""
    return hashlib.sha256(f"{parent_chain}:{digest}".encode()).hexdigest()[:_HEX]


def _plain(content: Content) -> object:
    if content is None:
        return ""
    if not isinstance(content, str) and len(content) == 1 and set(content[0]) == {"type", "text"}:
        return content[0]["text"] if content[0]["type"] == "text" else content
    return content


def _as_json(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(value, Sequence):
        return list(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    raise TypeError(f"{type(value).__name__} is not JSON")


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=_as_json)


# -- turns and groups ------------------------------------------------------------------------------------------------


def is_system(message: Message) -> bool:
    """Instructions to the model (system or developer), not part of what was said."""
    return message.role in ("system", "developer")


def system_messages(messages: Sequence[Message]) -> list[Message]:
    """The system and developer messages, in order."""
    return [message for message in messages if is_system(message)]


def turns(messages: Sequence[Message]) -> list[tuple[Message, ...]]:
    """Splits a history into turns: a user message and everything up to the next user message.

    What stands before the first user message is a piece of its own; system messages are left out.
    """
    pieces: list[list[Message]] = []
    for message in messages:
        if is_system(message):
            continue
        if message.role == "user" or not pieces:
            pieces.append([])
        pieces[-1].append(message)
    return [tuple(piece) for piece in pieces]


def groups(messages: Sequence[Message]) -> list[tuple[Message, ...]]:
    """Splits messages into pieces that may be left out separately.

    An assistant message with tool calls and the results right after it are one piece; a result that answers none of
    the open calls is a piece of its own.
    """
    pieces: list[list[Message]] = []
    open_calls: Counter[str] = Counter()
    for message in messages:
        if message.role == "tool" and open_calls[message.tool_call_id or ""] > 0:
            open_calls[message.tool_call_id or ""] -= 1
            pieces[-1].append(message)
            continue
        pieces.append([message])
        open_calls = Counter(_call_ids(message))
    return [tuple(piece) for piece in pieces]


def whole(messages: Sequence[Message]) -> list[Message]:
    """What a model accepts: without results whose call is missing, and without calls that lack one of their results."""
    return [message for group in groups(messages) if _complete(group) for message in group]


def _call_ids(message: Message) -> list[str]:
    """One id per tool call; "" where the client gives none (results then have none either)."""
    if message.role != "assistant":
        return []
    ids = (call.get("id") for call in message.tool_calls)
    return [call_id if isinstance(call_id, str) else "" for call_id in ids]


def _complete(group: tuple[Message, ...]) -> bool:
    return group[0].role != "tool" and len(group) == 1 + len(_call_ids(group[0]))
