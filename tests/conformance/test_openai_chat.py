"""The suite for chat models, run on the adapter in front of a server that echoes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from jiyi.endpoint import Limits
from jiyi.llms.openai import OpenAIChat
from jiyi.ports import LLM
from jiyi.providers import resolve
from jiyi.testing import LLMConformance
from tests.model_server import Request, Wire, model_server, piece

pytest.importorskip("openai")


async def echo(request: Request, wire: Wire) -> None:
    """Says the last message again, a few characters at a time, and counts characters as tokens."""
    content = request.body["messages"][-1]["content"]
    if not isinstance(content, str):
        content = " ".join(part["text"] for part in content or ())
    if len(content) > 4096:
        await wire.answer({"error": {"message": "This model's maximum context length is 4096 tokens."}}, status=400)
        return
    most = request.body.get("max_tokens", 10_000)
    said = content[:most] or "…"
    await wire.start()
    for at in range(0, len(said), 3):
        await wire.event(piece(content=said[at : at + 3]))
        await asyncio.sleep(0)
    await wire.event(piece(finish="length" if len(content) > most else "stop"))
    await wire.event({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": len(said)}})
    await wire.event("[DONE]")
    await wire.end()


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
class TestOpenAI(LLMConformance):
    echoes = True
    context = 4096
    tokens = 100

    @pytest.fixture(autouse=True)
    async def _serve(self) -> AsyncIterator[None]:
        async with model_server(echo) as server:
            self.url = server.url
            yield

    def llm(self) -> LLM:
        return OpenAIChat(resolve(f"openai:echo@{self.url}"), limits=Limits(first=10, idle=10))
