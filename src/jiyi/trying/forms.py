"""Whether a model is held to a JSON schema: asked for what none would say by itself, once against its will."""

from __future__ import annotations

import json
from collections.abc import Mapping

from jiyi.ports import LLM
from jiyi.trying.parts import Found, quoted
from jiyi.types import JSON, ChatMessage

WORDS, NUMBERS = ("tork", "plim"), (7302, 9157)
"""They mean nothing, so that only a schema can lead to them."""

SCHEMA: Mapping[str, JSON] = {
    "title": "trial",
    "type": "object",
    "properties": {
        "wozzle": {"type": "string", "enum": [*WORDS]},
        "grint": {"type": "integer", "enum": [*NUMBERS]},
    },
    "required": ["wozzle", "grint"],
    "additionalProperties": False,
}

WILLING: list[ChatMessage] = [{"role": "user", "content": "What colour is a ripe lemon? Answer as a JSON object."}]
AGAINST: list[ChatMessage] = [
    {"role": "user", "content": "What colour is a ripe lemon? Answer in one plain sentence, and on no account in JSON."}
]


async def try_forms(llm: LLM, *, max_tokens: int) -> Found:
    """Asks for the form twice.

    Raises:
        ModelError: the model gives no answer at all with a schema.
    """
    replies = [
        (await llm.complete(messages, schema=SCHEMA, max_tokens=max_tokens)).text for messages in (WILLING, AGAINST)
    ]
    followed = sum(fits(reply) for reply in replies)
    refused: frozenset[str] = getattr(llm, "refused", frozenset[str]())
    value: dict[str, JSON] = {"followed": followed, "asked": len(replies)}
    if "json_schema" in refused:
        if "json_object" in refused:
            return Found("note", "refused: asked for without any form, and read with care", {**value, "is": "refused"})
        what = "refused; any JSON object is asked for instead, and read with care"
        return Found("note", what, {**value, "is": "json_object"})
    if followed == len(replies):
        return Found("ok", "held to it, also against the model's will", {**value, "is": "held"})
    shown = quoted(next(reply for reply in replies if not fits(reply)))
    if followed:
        what = f"a hint: followed {followed} time in {len(replies)}, else {shown}; replies are read with care"
        return Found("note", what, {**value, "is": "hint"})
    return Found("note", f"ignored, not refused: {shown}; replies are read with care", {**value, "is": "ignored"})


def fits(reply: str) -> bool:
    """Whether a reply has the form, and nothing else."""
    try:
        found = json.loads(reply)
    except ValueError:
        return False
    return found in [{"wozzle": word, "grint": number} for word in WORDS for number in NUMBERS]


__all__ = ["AGAINST", "SCHEMA", "WILLING", "fits", "try_forms"]
