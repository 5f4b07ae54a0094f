"""What ``jiyi doctor --llm`` says of a real model, behind llama.cpp's server and in the process."""

from __future__ import annotations

from pathlib import Path

import pytest

from jiyi.llms.llamacpp import LlamaCpp
from jiyi.llms.openai import OpenAIChat
from jiyi.ports import LLM
from jiyi.trying import Trial, Tried, try_llm

pytestmark = [pytest.mark.live, pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]


async def tried(llm: LLM) -> dict[str, Tried]:
    parts: dict[str, Tried] = {}
    async for part in try_llm(llm, Trial(240)):
        print(f"\n{part.state:5} {part.name:10} {part.seconds:6.2f} s  {part.what}", end="")
        parts[part.name] = part
    await llm.close()
    parts_in_english = [part for part in parts.values() if part.name != "chinese"]  # the small model knows no Chinese
    assert not [part for part in parts_in_english if part.state in ("bad", "skipped")]
    assert parts["schema"].value["is"] == "held" and parts["usage"].value["counted"]
    assert int(str(parts["stream"].value["pieces"])) > 1
    return parts


async def test_llamacpp_in_the_process(gguf: Path) -> None:
    parts = await tried(LlamaCpp(gguf, context=2048, threads=1))
    assert parts["context"].state == "note" and parts["context"].value["tokens"] == 2048


async def test_llamacpp_as_a_server(port: int) -> None:
    parts = await tried(OpenAIChat(f"llamaserver:local@http://127.0.0.1:{port}/v1"))
    assert "lists the model" in parts["address"].what
    assert parts["context"].value["tokens"] == 4096 and int(str(parts["context"].value["most"])) > 0
