"""Which chat models could be used here, and how to say so."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from contextlib import suppress
from typing import cast

from jiyi.config import Settings
from jiyi.providers import PROVIDERS

HOW = (
    "To have answers, name a model: `jiyi chat --llm ollama:qwen3:8b`, JIYI_LLM, or `llm = …` in jiyi.toml;\n"
    "any OpenAI-compatible server: --llm openai:MODEL@http://HOST:PORT/v1, a file: --llm llamacpp:/path/model.gguf"
)
PATIENCE = 0.5
"""Seconds that a server on this machine has to say what models it serves."""

_OLLAMA = PROVIDERS["ollama"].base_url


async def advice(settings: Settings) -> str:
    """What is said when no model is set: how to set one, and what is here.  Nothing of it is used by itself."""
    said = [HOW]
    url = settings.base_urls.get("ollama", _OLLAMA)
    if (models := await asyncio.to_thread(_served, url)) is not None:
        if models:
            listed = ", ".join(models[:5]) + (", …" if len(models) > 5 else "")
            said.append(f"Ollama runs here with {listed}: `jiyi chat --llm ollama:{models[0]}`")
        else:
            said.append(
                "Ollama runs here without a model: `ollama pull qwen3:8b`, then `jiyi chat --llm ollama:qwen3:8b`"
            )
    for name in sorted(settings.keys & PROVIDERS.keys()):
        said.append(
            f"{PROVIDERS[name].variable} is set: `jiyi chat --llm {name}:MODEL` (its provider may charge for it)"
        )
    return "\n".join(said)


def _served(base_url: str) -> list[str] | None:
    """The models a server lists; None when nobody answers."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with suppress(OSError, ValueError, KeyError, TypeError), opener.open(f"{base_url}/models", timeout=PATIENCE) as got:
        found = cast("dict[str, list[dict[str, object]]]", json.load(got))
        return [str(model["id"]) for model in found["data"] or ()]
    return None
