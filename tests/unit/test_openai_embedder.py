"""The embedder against a server that behaves, and one that does not."""

from __future__ import annotations

import asyncio
import math

import pytest

from jiyi import AsyncMemory
from jiyi.config import Settings
from jiyi.embedders.openai import OpenAIEmbedder, prefixes_of
from jiyi.endpoint import Limits
from jiyi.errors import ModelError, ModelRejected, ModelUnavailable
from jiyi.opening import open_embedder
from jiyi.providers import resolve
from jiyi.testing import FakeClock
from tests.model_server import KEY, Request, Wire, embedding, embeddings, model_server

pytest.importorskip("openai")
pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]


def embedder(url: str, model: str = "openai:small", **options: object) -> OpenAIEmbedder:
    host = url.removeprefix("http://").removesuffix("/v1")
    options.setdefault("limits", Limits(first=5, retries=0))
    return OpenAIEmbedder(resolve(f"{model}@{url}", keys={host: KEY}), **options)  # type: ignore[arg-type]


async def test_batches_come_back_in_order_and_no_more_than_four_at_once() -> None:
    now = most = 0

    async def handler(request: Request, wire: Wire) -> None:
        nonlocal now, most
        now, most = now + 1, max(most, now + 1)
        await asyncio.sleep(0.02 if "7" in request.body["input"][0] else 0.05)
        now -= 1
        answer = embedding(request.body["input"])
        answer["data"].reverse()  # the index counts, not the place
        await wire.answer(answer)

    async with model_server(handler) as server:
        made = embedder(server.url, "dashscope:text-embedding-v4")
        texts = [f"text {number}" for number in range(75)]
        vectors = await made.embed(texts)
        assert made.size == 64
        alone = [(await made.embed([texts[place]]))[0] for place in (0, 33, 74)]
        await made.close()
    assert [list(vector) for vector in alone] == [list(vectors[place]) for place in (0, 33, 74)]
    assert all(math.isclose(math.hypot(*vector), 1, abs_tol=1e-6) for vector in vectors)
    assert most == 4
    assert [len(request.body["input"]) for request in server.requests[:8]] == [10] * 7 + [5]
    assert server.requests[0].path == "/v1/embeddings"
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_prefixes_dimensions_and_names() -> None:
    async with model_server(embeddings) as server:
        made = embedder(server.url, "ollama:nomic-embed-text")
        await made.embed(["船", " "])
        await made.embed_query("boat?")
        assert [request.body["input"] for request in server.requests] == [
            ["search_document: 船", "search_document: ."], ["search_query: boat?"],
        ]  # fmt: skip
        assert made.name == "ollama:nomic-embed-text"  # the same model at another address gives the same vectors
        short = embedder(server.url, dimensions=8)
        assert (short.name, short.size) == ("openai:small/8", 8)
        assert len(await short.embed_query("boat")) == 8 and server.requests[-1].body["dimensions"] == 8
        own = embedder(server.url, prefixes=("Q ", "P "))
        assert own.name.startswith("openai:small+") and own.name != "openai:small"
        await own.embed_query("boat")
        assert server.requests[-1].body["input"] == ["Q boat"]
        for each in (made, short, own):
            await each.close()


@pytest.mark.parametrize(
    ("model", "question"),
    [
        ("nomic-embed-text:v1.5", "search_query: "),
        ("intfloat/multilingual-e5-small", "query: "),
        ("multilingual-e5-large-instruct", "Instruct: "),
        ("Qwen/Qwen3-Embedding-0.6B", "Instruct: "),
        ("BAAI/bge-large-zh-v1.5", "为这个句子"),
        ("mxbai-embed-large", "Represent this sentence"),
        ("snowflake-arctic-embed2", "query: "),
        ("embeddinggemma:300m", "task: "),
        ("bge-m3", ""),
        ("text-embedding-3-small", ""),
        ("all-minilm", ""),
    ],
)
def test_known_prefixes(model: str, question: str) -> None:
    found = prefixes_of(model)[0]
    assert found.startswith(question) and bool(found) == bool(question)


async def test_a_server_that_takes_fewer_at_once() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        if len(request.body["input"]) > 8:
            said = "batch size is invalid, it should not be larger than 8."
            await wire.answer({"error": {"message": said, "code": "InvalidParameter"}}, status=400)
        else:
            await wire.answer(embedding(request.body["input"]))

    async with model_server(handler) as server:
        made = embedder(server.url)
        assert len(await made.embed([str(number) for number in range(20)])) == 20
        sent = len(server.requests)
        await made.embed([str(number) for number in range(20)])
        assert all(len(request.body["input"]) <= 8 for request in server.requests[sent:])
        await made.close()


WRONG = [
    ({"data": []}, "0 vectors for 1 texts"),
    ({"data": [{"embedding": "AAAA"}]}, "not a list of numbers"),
    ({"data": [{"embedding": [[0.5, 0.5]]}]}, "not a list of numbers"),
    ({"data": [{"embedding": [0.0, 0.0]}]}, "zeros"),
    ({"data": [{"embedding": []}]}, "zeros"),
    ('{"data": [{"embedding": [NaN, 1.0]}]}', "zeros"),
    ({"choices": []}, "without vectors"),
    ([1], "without vectors"),
    ("{", "not JSON"),
]


@pytest.mark.parametrize(("answer", "words"), WRONG)
async def test_an_answer_that_is_none(answer: object, words: str) -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.answer(answer)

    async with model_server(handler) as server:
        made = embedder(server.url)
        with pytest.raises(ModelError, match=words) as raised:
            await made.embed(["boat"])
        await made.close()
    assert KEY not in str(raised.value)


async def test_a_model_that_changes_its_size() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.answer(embedding(request.body["input"], size=64 if len(server.requests) < 2 else 32))

    async with model_server(handler) as server:
        made = embedder(server.url)
        await made.embed(["boat"])
        with pytest.raises(ModelError, match="32 dimensions instead of 64"):
            await made.embed(["boat"])
        await made.close()


@pytest.mark.parametrize(
    ("status", "body", "kind", "words"),
    [
        (401, {"error": {"message": f"bad key {KEY}"}}, ModelRejected, "refuses the key"),
        (
            404,
            {"error": {"message": 'model "small" not found, try pulling it first'}},
            ModelRejected,
            "no model 'small'",
        ),
        (404, "<html></html>", ModelRejected, "check the address"),
        (500, {"error": "boom"}, ModelUnavailable, "has a problem"),
        (200, "<html></html>", ModelRejected, "check the address"),
    ],
)
async def test_errors_are_those_of_chat_models(status: int, body: object, kind: type[ModelError], words: str) -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.answer(body, status=status)

    async with model_server(handler) as server:
        made = embedder(server.url)
        with pytest.raises(kind, match=words) as raised:
            await made.embed(["boat"])
        await made.close()
    assert KEY not in str(raised.value)


async def test_silence_and_a_server_that_comes_back() -> None:
    async def silent(request: Request, wire: Wire) -> None:
        await asyncio.sleep(30)

    async def busy(request: Request, wire: Wire) -> None:
        if len(again.requests) < 3:
            await wire.answer({"error": {"message": "slow down"}}, status=429, retry_after_ms="1")
        else:
            await embeddings(request, wire)

    async with model_server(silent) as server, model_server(busy) as again:
        made = embedder(server.url, limits=Limits(first=0.2))
        with pytest.raises(ModelUnavailable, match=r"has said nothing for 0\.2 seconds"):
            await made.embed_query("boat")
        await made.close()
        made = embedder(again.url, limits=Limits(first=5))
        assert len(await made.embed_query("boat")) == 64
        await made.close()


async def test_two_event_loops_use_one_embedder() -> None:
    async def once() -> int:
        found = len(await made.embed_query("boat"))
        await made.close()
        return found

    async with model_server(embeddings) as server:
        made = embedder(server.url)
        assert await once() == await asyncio.to_thread(lambda: asyncio.run(once())) == await once() == 64


async def test_a_memory_that_embeds_through_a_server(tmp_path, clock: FakeClock) -> None:
    async with model_server(embeddings) as server:
        settings = Settings(base_urls={"ollama": server.url}, embedder="ollama:nomic-embed-text", recipe="casual")
        path = tmp_path / "a.db"
        async with await AsyncMemory.open(path, settings=settings, clock=clock, tokenizer="estimate") as memory:
            await memory.session("s", user_id="ada").add("user", "The boat leaves at nine.")
            await memory.drain()
            assert (await memory.stats()).vectors == 1
            assert await memory.store.models() == {"ollama:nomic-embed-text": (64, 1)}
            (hit,) = await memory.search("boat", user_id="ada", floor=0)
            assert "dense" in hit.parts
        changed = Settings(base_urls={"ollama": server.url}, embedder="ollama:bge-m3")
        async with await AsyncMemory.open(path, settings=changed, clock=clock, tokenizer="estimate") as memory:
            (warning,) = memory.warnings
            assert "nomic-embed-text (64 dimensions), the embedder is ollama:bge-m3." in warning


async def test_a_key_that_is_no_longer_valid_passes_no_message_over(tmp_path, clock: FakeClock) -> None:
    valid = False

    async def handler(request: Request, wire: Wire) -> None:
        if valid:
            await embeddings(request, wire)
        else:
            await wire.answer({"error": {"message": "expired"}}, status=401)

    async with model_server(handler) as server:
        settings = Settings(base_urls={"openai": server.url}, embedder="openai:small", recipe="casual")
        async with await AsyncMemory.open("memory:", settings=settings, clock=clock, tokenizer="estimate") as memory:
            await memory.session("s", user_id="ada").add("user", "The boat leaves at nine.")
            for _ in range(30):
                await memory.drain()
                clock.advance(3600)
            assert (await memory.stats()).vectors == 0
            valid = True
            clock.advance(3600)
            await memory.drain()
            assert (await memory.stats()).vectors == 1


def test_open_embedder() -> None:
    assert isinstance(open_embedder("ollama:nomic-embed-text", Settings()), OpenAIEmbedder)
    with pytest.raises(ModelRejected, match="DASHSCOPE_API_KEY"):
        open_embedder("dashscope:text-embedding-v4", Settings())
