"""Models tried part by part, against servers that behave in every way."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from jiyi.embedders.hashing import HashingEmbedder
from jiyi.embedders.openai import OpenAIEmbedder
from jiyi.endpoint import Limits
from jiyi.llms.openai import OpenAIChat
from jiyi.providers import resolve
from jiyi.testing.scripted import ScriptedLLM
from jiyi.trying import Trial, Tried, try_embedder, try_llm
from jiyi.trying.chat import SENTENCE, flow, unbroken
from jiyi.trying.forms import fits
from jiyi.types import Vector
from tests.model_server import KEY, Handler, Request, Wire, model_server
from tests.standins import OLLAMA_PS, OLLAMA_SHOW, StandIn

pytest.importorskip("openai")
pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

QUICK = Limits(first=5, idle=5, retries=0)


async def tried(
    handler: Handler, *, provider: str = "openai", model: str = "small", seconds: float = 20
) -> dict[str, Tried]:
    """What came of each part."""
    async with model_server(handler) as server:
        host = server.url.removeprefix("http://").removesuffix("/v1")
        llm = OpenAIChat(resolve(f"{provider}:{model}@{server.url}", keys={host: KEY}), limits=QUICK)
        parts = {part.name: part async for part in try_llm(llm, Trial(seconds))}
        await llm.close()
    assert KEY not in repr(parts)
    assert list(parts) == ["address", "chat", "stream", "chinese", "schema", "thoughts", "usage", "context"]
    return parts


def states(parts: dict[str, Tried]) -> dict[str, str]:
    return {name: part.state for name, part in parts.items()}


async def test_a_server_that_does_everything() -> None:
    parts = await tried(StandIn(key=True, listed=({"id": "small", "max_model_len": 32768},)))
    assert set(states(parts).values()) == {"ok"}
    assert "lists the model" in parts["address"].what
    assert parts["chat"].value == {"answer": "Hello there!", "finish": "stop"}
    assert parts["stream"].value["pieces"] == -(-len(SENTENCE) // 5)
    assert parts["schema"].value == {"followed": 2, "asked": 2, "is": "held"}
    assert parts["usage"].value["prompt_tokens"] == 21
    assert parts["context"].value == {"tokens": 32768, "most": 0}


@pytest.mark.parametrize(
    ("server", "found"),
    [
        (StandIn(schema="hint"), "hint"),
        (StandIn(schema="ignored"), "ignored"),
        (StandIn(forms=("json_object",)), "json_object"),
        (StandIn(forms=()), "refused"),
    ],
)
async def test_what_becomes_of_a_schema(server: StandIn, found: str) -> None:
    part = (await tried(server))["schema"]
    assert part.state == "note" and part.value["is"] == found and "read with care" in part.what


async def test_a_key_that_is_refused() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.answer({"error": {"message": f"Incorrect API key: {KEY}"}}, status=401)

    parts = await tried(handler)
    assert states(parts)["address"] == "note" and states(parts)["chat"] == "bad"
    assert "refuses the key (401)" in parts["chat"].what and "[keys]" in parts["chat"].what
    assert {part.state for name, part in parts.items() if name not in ("address", "chat")} == {"skipped"}


async def test_a_model_that_is_not_there() -> None:
    names = ["qwen3:8b", "qwen3:14b", "nomic-embed-text", "llama3.3"]
    server = StandIn(listed=tuple({"id": name} for name in names))

    async def handler(request: Request, wire: Wire) -> None:
        if request.path.endswith("/chat/completions"):
            await wire.answer({"error": {"message": "model 'qwen3:9b' not found"}}, status=404)
        else:
            await server(request, wire)

    parts = await tried(handler, provider="ollama", model="qwen3:9b")
    assert "does not list 'qwen3:9b'; it has qwen3:8b" in parts["address"].what
    assert parts["chat"].state == "bad" and "ollama pull qwen3:9b" in parts["chat"].what


async def test_nobody_there_is_said_once() -> None:
    llm = OpenAIChat(resolve("ollama:small@http://127.0.0.1:9/v1"), limits=QUICK)
    parts = [part async for part in try_llm(llm, Trial(20))]
    await llm.close()
    assert parts[0].state == "bad" and "ollama serve" in parts[0].what
    assert {part.state for part in parts[1:]} == {"skipped"} and len(parts) == 8


async def test_a_silent_server_ends_with_the_time() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        if request.path == "/v1/models":
            await wire.answer({"data": []})
        else:
            await wire.start()
            await asyncio.sleep(30)

    parts = await tried(handler, seconds=0.3)
    assert "lists no models" in parts["address"].what
    assert parts["chat"].state == "bad" and "within 0.3 seconds" in parts["chat"].what


async def test_half_a_stream() -> None:
    asked = 0
    server = StandIn()

    async def handler(request: Request, wire: Wire) -> None:
        nonlocal asked
        asked += request.path.endswith("/chat/completions")
        if asked == 2:
            asked += 1
            await wire.say("记忆：明早", finish=None, done=False)
        else:
            await server(request, wire)

    parts = await tried(handler)
    assert parts["stream"].state == "bad" and "broke off" in parts["stream"].what
    assert states(parts)["chinese"] == "skipped" and states(parts)["schema"] == "ok"


async def test_a_web_page() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.answer("<!doctype html><title>Welcome</title>", kind="text/html")

    parts = await tried(handler)
    assert parts["chat"].state == "bad" and "does not answer like an OpenAI-compatible server" in parts["chat"].what


async def test_a_server_that_neither_lists_nor_counts() -> None:
    parts = await tried(StandIn(listed=None, counts=False))
    assert states(parts) == {
        "address": "note", "chat": "ok", "stream": "ok", "chinese": "ok", "schema": "ok", "thoughts": "ok",
        "usage": "note", "context": "note",
    }  # fmt: skip


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
async def test_thoughts_are_kept_out(field: str) -> None:
    parts = await tried(StandIn(thought=field))
    assert parts["thoughts"].value == {"thinks": True, "kept_out": True}
    assert parts["chat"].value["answer"] == "Hello there!" and parts["schema"].value["is"] == "held"


async def test_a_thought_in_the_answer() -> None:
    llm = ScriptedLLM(["Hm.\n</think>\nHello!", SENTENCE, "yellow", "yellow"])
    parts = {part.name: part async for part in try_llm(llm, Trial(20))}
    assert parts["thoughts"].state == "bad" and "opened=True" in parts["thoughts"].what
    assert "address" not in parts and "context" not in parts  # it has neither


async def test_a_model_that_does_not_stop_is_stopped() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        if request.path == "/v1/models":
            await wire.answer({"data": []})
        elif "记忆" in str(request.body["messages"]):
            await wire.start()
            while True:
                await wire.event({"choices": [{"delta": {"content": "记忆"}}]})
                await asyncio.sleep(0)
        else:
            await wire.say("Hello!")

    parts = await tried(handler)
    assert states(parts)["stream"] == "ok" and states(parts)["chinese"] == "note"


@pytest.mark.parametrize(
    ("arrivals", "length", "state", "words"),
    [
        ([0.4], 30, "note", "comes at once"),
        ([0.4], 3, "ok", "1 pieces"),
        ([5.0, 5.01, 5.02, 5.02], 30, "note", "something holds them back"),
        ([0.5, 1.0, 1.5, 5.0], 30, "ok", "the first after 0.50 s"),
        ([0.01, 0.01, 0.011], 30, "ok", "3 pieces"),
    ],
)
def test_whether_pieces_come_one_by_one(arrivals: Sequence[float], length: int, state: str, words: str) -> None:
    found = flow(arrivals, length)
    assert found.state == state and words in found.what


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (f"好的：{SENTENCE}", "ok"),
        ("记忆：明早九点半见。", "note"),
        ("I do not speak Chinese.", "note"),
        ("What???", "bad"),
        ("记忆：明早\ufffd点半", "bad"),
        (SENTENCE.encode().decode("latin-1"), "bad"),
        ("Café à neuf heures et demie.", "note"),
    ],
)
def test_whether_chinese_comes_through(answer: str, state: str) -> None:
    assert unbroken(answer).state == state


def test_what_has_the_form() -> None:
    assert fits('{"wozzle": "tork", "grint": 9157}')
    assert not any(map(fits, ['{"wozzle": "tork"}', '{"wozzle": "x", "grint": 7302}', "[]", "yellow", "```json\n{}"]))


@pytest.mark.parametrize(
    ("provider", "server", "found"),
    [
        ("ollama", StandIn(told={"/api/show": OLLAMA_SHOW, "/api/ps": OLLAMA_PS}), (4096, 40960)),
        ("ollama", StandIn(told={"/api/show": OLLAMA_SHOW}), (0, 40960)),
        ("llamaserver", StandIn(listed=({"id": "x", "meta": {"n_ctx_train": 32768}},), told={"/props": {"default_generation_settings": {"n_ctx": 8192}}}), (8192, 32768)),
        ("openai", StandIn(listed=({"id": "x", "owned_by": "llamacpp"},), told={"/props": {"default_generation_settings": {"n_ctx": 8192}}}), (8192, 0)),
        ("lmstudio", StandIn(told={"/api/v0/models/small": {"max_context_length": 131072, "loaded_context_length": 8192}}), (8192, 131072)),
        ("vllm", StandIn(listed=({"id": "small", "max_model_len": 16384}, {"id": "b"})), (16384, 0)),
        ("openrouter", StandIn(listed=({"id": "small", "context_length": "many"},)), (0, 0)),
    ],
)  # fmt: skip
async def test_how_long_a_prompt_may_be(provider: str, server: StandIn, found: tuple[int, int]) -> None:
    part = (await tried(server, provider=provider))["context"]
    assert (part.value["tokens"], part.value["most"]) == found
    assert part.state == ("ok" if found[0] > 5000 else "note")
    if found[0] == 4096:
        assert "5,000" in part.what


# -- embedding models


async def embedded(handler: Handler, *, provider: str = "openai", dimensions: int = 0) -> dict[str, Tried]:
    async with model_server(handler) as server:
        embedder = OpenAIEmbedder(resolve(f"{provider}:small@{server.url}", key=KEY), limits=QUICK)
        parts = {part.name: part async for part in try_embedder(embedder, Trial(20), dimensions=dimensions)}
        await embedder.close()
    assert list(parts) == ["embedding", "vectors", "batch"]
    return parts


async def test_an_embedding_model() -> None:
    parts = await embedded(StandIn(dimensions=64), dimensions=64)
    assert set(states(parts).values()) == {"ok"}
    assert parts["embedding"].value == {"name": "openai:small", "dimensions": 64, "length": 1.0}
    assert parts["batch"].value == {"asked": 32, "taken": 32}


async def test_fewer_texts_at_once_than_known() -> None:
    part = (await embedded(StandIn(dimensions=64, batch=10)))["batch"]
    assert part.state == "note" and part.value == {"asked": 32, "taken": 8}
    assert (await embedded(StandIn(dimensions=64, batch=10), provider="dashscope"))["batch"].value["taken"] == 10


async def test_another_size_than_documented() -> None:
    part = (await embedded(StandIn(dimensions=64), dimensions=1024))["embedding"]
    assert part.state == "note" and "64 dimensions" in part.what and "1,024" in part.what


async def test_a_size_that_changes() -> None:
    sizes = iter([64, 32])

    async def handler(request: Request, wire: Wire) -> None:
        await StandIn(dimensions=next(sizes, 32))(request, wire)

    part = (await embedded(handler))["vectors"]
    assert part.state == "bad" and "32 dimensions instead of 64" in part.what


async def test_no_embedding_model_there() -> None:
    parts = await embedded(StandIn())
    assert states(parts) == {"embedding": "bad", "vectors": "skipped", "batch": "skipped"}


class _Made(HashingEmbedder):
    """Vectors of a wrong kind."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self.calls = 0

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        self.calls += 1
        if self.kind == "long":
            return [[3 * value for value in vector] for vector in await super().embed(texts)]  # type: ignore[misc]
        if self.kind == "same":
            return list(await super().embed(["x"] * len(texts)))
        return await super().embed([f"{text} {self.calls * 77} {self.calls}" for text in texts])


@pytest.mark.parametrize(
    ("kind", "part", "words"),
    [
        ("long", "embedding", "length 3"),
        ("same", "vectors", "two different texts"),
        ("random", "vectors", "another vector"),
    ],
)
async def test_vectors_that_are_none(kind: str, part: str, words: str) -> None:
    parts = {found.name: found async for found in try_embedder(_Made(kind), Trial(20))}
    assert parts[part].state == "bad" and words in parts[part].what


async def test_whatever_goes_wrong_is_what_came_of_it() -> None:
    class Broken(ScriptedLLM):
        async def complete(self, *_: object, **__: object) -> None:  # type: ignore[override]
            raise ZeroDivisionError

    parts = [part async for part in try_llm(Broken([]), Trial(20))]
    assert (parts[0].state, parts[0].what) == ("bad", "ZeroDivisionError")
    with pytest.raises(asyncio.CancelledError):
        await Trial(9).part("chat", _cancelled())


async def _cancelled() -> None:
    raise asyncio.CancelledError
