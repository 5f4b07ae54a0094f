"""Servers of models as their documentation describes them, on 127.0.0.1: what they refuse, and how they answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from jiyi.trying.chat import SENTENCE
from tests.model_server import KEY, Request, Wire, embedding, piece

OLLAMA_SHOW = {"model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960}}
OLLAMA_PS = {"models": [{"name": "small:latest", "context_length": 4096}]}


@dataclass
class StandIn:
    """One kind of server; call it as the handler of ``model_server``.

    Attributes:
        forms: types of ``response_format`` that it takes; others are refused.
        schema: what it does with a schema that it takes.
        thought: the field in which its model thinks; empty for a model that does not.
        limit: the field that bounds an answer; the other one is refused.
        batch: texts at once that it embeds.
        dimensions: of its vectors.
        listed: what its list of models says; None for a server without one.
        told: path -> JSON that it answers there.
        key: whether it wants one.
        counts: whether it counts tokens.
    """

    forms: tuple[str, ...] = ("json_schema", "json_object")
    schema: Literal["held", "hint", "ignored"] = "held"
    thought: str = ""
    limit: tuple[str, ...] = ("max_tokens", "max_completion_tokens")
    batch: int = 2048
    dimensions: int = 0
    listed: tuple[Mapping[str, Any], ...] | None = ({"id": "small", "object": "model"},)
    told: Mapping[str, object] = field(default_factory=dict[str, object])
    key: bool = False
    counts: bool = True

    async def __call__(self, request: Request, wire: Wire) -> None:
        if self.key and request.headers.get("authorization") != f"Bearer {KEY}":
            await wire.answer({"error": {"message": "Incorrect API key provided."}}, status=401)
        elif request.path == "/v1/models" and self.listed is not None:
            await wire.answer({"object": "list", "data": list(self.listed)})
        elif request.path == "/v1/chat/completions":
            await self._chat(request.body, wire)
        elif request.path == "/v1/embeddings" and self.dimensions:
            await self._embed(request.body, wire)
        elif request.path in self.told:
            await wire.answer(self.told[request.path])
        else:
            await wire.answer({"error": {"message": "404 page not found"}}, status=404)

    async def _chat(self, body: dict[str, Any], wire: Wire) -> None:
        wanted = body.get("response_format", {})
        text = "\n".join(str(message["content"]) for message in body["messages"])
        if wanted and wanted["type"] not in self.forms:
            await _refuse(wire, "This response_format type is unavailable now")
        elif wanted.get("type") == "json_object" and "json" not in text.lower():
            await _refuse(
                wire, "'messages' must contain the word 'json', to use 'response_format' of type 'json_object'."
            )
        elif other := {"max_tokens", "max_completion_tokens"} & body.keys() - set(self.limit):
            await _refuse(wire, f"Unsupported parameter: '{other.pop()}'. Use '{self.limit[0]}' instead.")
        else:
            await self._say(self._answer(wanted, text), wire)

    def _answer(self, wanted: Mapping[str, Any], text: str) -> str:
        willing = "no account" not in text
        if wanted.get("type") == "json_schema" and (self.schema == "held" or (self.schema == "hint" and willing)):
            return json.dumps(_example(wanted["json_schema"]["schema"]))
        if wanted or ("as a JSON" in text and willing):
            return '{"colour": "yellow"}'
        return SENTENCE if SENTENCE in text else "Hello there!" if "hello" in text else "It is yellow."

    async def _say(self, answer: str, wire: Wire) -> None:
        await wire.start()
        if self.thought:
            await wire.event(piece(**{self.thought: "The user wants something short. 想一想。"}))
        for at in range(0, len(answer), 5):
            await wire.event(piece(content=answer[at : at + 5]))
        await wire.event(piece(finish="stop"))
        if self.counts:
            await wire.event({"choices": [], "usage": {"prompt_tokens": 21, "completion_tokens": 7}})
        await wire.event("[DONE]")
        await wire.end()

    async def _embed(self, body: dict[str, Any], wire: Wire) -> None:
        if len(body["input"]) > self.batch:
            await _refuse(wire, f"batch size is invalid, it should not be larger than {self.batch}.")
        else:
            await wire.answer(embedding(body["input"], body.get("dimensions", self.dimensions)))


async def _refuse(wire: Wire, words: str) -> None:
    await wire.answer({"error": {"message": words, "type": "invalid_request_error"}}, status=400)


def _example(schema: Mapping[str, Any]) -> object:
    """Something of the form of a schema."""
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: _example(part) for name, part in schema["properties"].items()}
    return {"string": "word", "integer": 1, "number": 1.5, "boolean": True, "array": []}[schema["type"]]
