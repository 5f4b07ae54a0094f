"""LlamaIndex's messages as Jiyi keeps them, and back.  Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ToolCallBlock

from jiyi.integrations.sparing import filled, spared, texts
from jiyi.types import JSON, Message

KEY = "llama_index"
"""Where in a message's metadata stands what Jiyi has no field for."""

_ROLES: Mapping[str, str] = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "assistant": "assistant",
    "chatbot": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}


def from_llama(message: ChatMessage) -> dict[str, object]:
    """What ``session.add_many`` and ``session.sync`` take.

    A role or block that Jiyi does not know speaks as the assistant, or not at all, so that nothing of it is taken for
    the user's words; all of it comes back.
    """
    role = _ROLES.get(str(message.role.value), "assistant")
    call_id = message.additional_kwargs.get("tool_call_id")
    if role == "tool" and not call_id:
        role = "assistant"  # the result of nobody knows what
    calls = _calls(message) if role == "assistant" else []
    said: dict[str, object] = {"role": role, "content": _content(message, role)}
    if calls:
        said["tool_calls"] = calls
    if role == "tool":
        said["tool_call_id"] = str(call_id)
    whole = cast("JSON", json.loads(message.model_dump_json()))
    said["metadata"] = {KEY: spared(whole, texts(said["content"], calls))}
    return said


def to_llama(message: Message) -> ChatMessage:
    """The message that a stored one came from; of one that came another way, what says the same."""
    kept = message.metadata.get(KEY)
    if kept is not None:
        return ChatMessage.model_validate(filled(kept, texts(message.content, message.tool_calls)))
    blocks: list[Any] = [TextBlock(text=message.text)] if message.text else []
    for call in message.tool_calls:
        function = cast("Mapping[str, Any]", call.get("function") or {})
        arguments = function.get("arguments")
        blocks.append(
            ToolCallBlock(
                tool_call_id=cast("str | None", call.get("id")),
                tool_name=str(function.get("name", "")),
                tool_kwargs=arguments if isinstance(arguments, str) else {},
            )
        )
    more = {"tool_call_id": message.tool_call_id} if message.tool_call_id else {}
    return ChatMessage(role=MessageRole(message.role), blocks=blocks, additional_kwargs=more)


def _content(message: ChatMessage, role: str) -> object:
    """Its text, or its texts where it has several; nothing of other blocks."""
    said = [block.text for block in message.blocks if isinstance(block, TextBlock)]
    if len(said) > 1:
        return [{"type": "text", "text": text} for text in said]
    return said[0] if said else None if role == "assistant" else ""


def _calls(message: ChatMessage) -> list[dict[str, object]]:
    """Its tool calls as OpenAI writes them: those of its blocks, else those beside them, as older adapters do."""
    blocks = [block for block in message.blocks if isinstance(block, ToolCallBlock)]
    if blocks:
        return [_call(block.tool_call_id, block.tool_name, block.tool_kwargs) for block in blocks]
    beside: object = message.additional_kwargs.get("tool_calls") or ()
    found: list[dict[str, object]] = []
    for call in cast("Sequence[object]", beside) if isinstance(beside, Sequence) else ():
        plain: object = call.model_dump() if hasattr(call, "model_dump") else call  # type: ignore[attr-defined]
        if isinstance(plain, Mapping):
            given = cast("Mapping[str, Any]", plain)
            function = cast("Mapping[str, Any]", given.get("function") or {})
            found.append(_call(given.get("id"), str(function.get("name") or ""), function.get("arguments")))
    return found


def _call(call_id: object, name: str, arguments: object) -> dict[str, object]:
    written = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False, default=str)
    return {"id": str(call_id or ""), "type": "function", "function": {"name": name, "arguments": written}}


__all__ = ["KEY", "from_llama", "to_llama"]
