"""A model marks answers, by a fixed prompt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from jiyi.errors import ModelError
from jiyi.extraction import listed
from jiyi.ports import LLM
from jiyi.prompts import prompt
from jiyi.text import language
from jiyi.types import JSON, Usage

NOTHING = {
    "en": "The conversations do not say it; the question cannot be answered.",
    "zh": "对话中没有提到；这个问题无法回答。",
}
"""The reference of a question that cannot be answered."""

REPLY = 150
"""Tokens of a verdict at most."""

SCHEMA: Mapping[str, JSON] = {
    "title": "verdict",
    "type": "object",
    "properties": {"correct": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["correct", "reason"],
    "additionalProperties": False,
}

_WORDS = {"true": True, "yes": True, "correct": True, "false": False, "no": False, "incorrect": False}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge says."""

    correct: bool
    reason: str
    usage: Usage


async def judge(llm: LLM, question: str, reference: str, answer: str) -> Verdict:
    """Asks a model whether an answer is right.

    Raises:
        ModelError: there was no reply, or no verdict in it.
    """
    told = prompt("judge", language(question))
    given = json.dumps({"question": question, "reference": reference, "answer": answer}, ensure_ascii=False)
    reply = await llm.complete(
        [{"role": "system", "content": told.text}, {"role": "user", "content": given}], schema=SCHEMA, max_tokens=REPLY
    )
    for item in listed(reply.text, "verdict").items:
        if not isinstance(item, Mapping):
            continue
        correct = item.get("correct")
        if isinstance(correct, str):
            correct = _WORDS.get(correct.strip().casefold())
        if isinstance(correct, bool):
            return Verdict(correct, str(item.get("reason") or ""), reply.usage)
    raise ModelError(f"{llm.name} gave no verdict as a judge: {reply.text[:80]!r}")
