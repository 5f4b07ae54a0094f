"""The pages under docs/models: what they state is checked against the code, and against a server that behaves so.

How each kind of server behaves stands here, as its documentation or a report of its users says it, and not on the page.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from jiyi.config import load_settings
from jiyi.embedders.openai import OpenAIEmbedder
from jiyi.endpoint import Limits
from jiyi.llms.openai import OpenAIChat
from jiyi.providers import PROVIDERS, Address, resolve
from jiyi.trying import Trial, Tried, try_embedder, try_llm
from jiyi.types import ChatMessage
from tests.model_server import KEY, ModelServer, model_server
from tests.standins import OLLAMA_PS, OLLAMA_SHOW, StandIn

pytest.importorskip("openai")

PAGES = sorted((Path(__file__).parents[2] / "docs" / "models").glob("*.md"))
ROWS = [
    "provider", "address", "key", "structured output", "thoughts", "answer limited by", "embedding model", "dimensions",
    "texts at once", "checked",
]  # fmt: skip

SERVERS = {
    "dashscope": StandIn(thought="reasoning_content", key=True, batch=10, dimensions=1024),
    "deepseek": StandIn(forms=("json_object",), thought="reasoning_content", key=True, limit=("max_tokens",)),
    "llamaserver": StandIn(
        thought="reasoning_content",
        listed=({"id": "small", "owned_by": "llamacpp", "meta": {"n_ctx_train": 32768}},),
        told={"/props": {"default_generation_settings": {"n_ctx": 8192}}},
    ),
    "lmstudio": StandIn(
        forms=("json_schema", "text"),
        thought="reasoning_content",
        dimensions=768,
        told={"/api/v0/models/small": {"max_context_length": 32768, "loaded_context_length": 16384}},
    ),
    "ollama": StandIn(
        thought="reasoning",
        limit=("max_tokens",),
        dimensions=1024,
        listed=({"id": "small:latest"},),
        told={"/api/show": OLLAMA_SHOW, "/api/ps": OLLAMA_PS},
    ),
    "openai": StandIn(limit=("max_completion_tokens",), key=True, dimensions=1536),
    "vllm": StandIn(thought="reasoning", listed=({"id": "small", "max_model_len": 16384},)),
}

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def stated(page: Path) -> dict[str, str]:
    """The table of a page."""
    rows = re.findall(r"^\| ([a-z ]+) \| (.+) \|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: value for name, value in rows if name != "what"}


def code(value: str) -> str:
    """What stands between backticks; empty for none."""
    found = re.match(r"`([^`]+)`", value)
    return found[1] if found else ""


def test_there_is_a_page_for_each_server_that_is_known_here() -> None:
    assert {code(stated(page)["provider"]) for page in PAGES} == set(SERVERS)


@each_page
def test_the_table_says_what_the_code_says(page: Path) -> None:
    rows = stated(page)
    assert list(rows) == ROWS
    provider = PROVIDERS[code(rows["provider"])]
    assert code(rows["address"]) == provider.base_url
    assert rows["key"] == f"`{provider.variable}`, {'needed' if provider.needs_key else 'not needed'}"
    assert code(rows["embedding model"]) == provider.embedding
    if provider.embedding:
        assert (int(rows["dimensions"]), int(rows["texts at once"])) == (provider.dimensions, provider.batch)
    else:
        assert {rows[name] for name in ("embedding model", "dimensions", "texts at once")} == {"none"}
    assert re.match(r"20\d\d-\d\d: ", rows["checked"])


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
@each_page
async def test_a_server_that_behaves_so_gets_what_the_page_says(page: Path) -> None:
    rows = stated(page)
    name = code(rows["provider"])
    async with model_server(SERVERS[name]) as server:
        llm = OpenAIChat(usual(name, "small", server), limits=Limits(first=5, idle=5, retries=0))
        parts = {part.name: part async for part in try_llm(llm, Trial(30))}
        await asked_in_json(llm)
        await llm.close()
    assert not [part for part in parts.values() if part.state in ("bad", "skipped")]
    bodies = [request.body for request in server.requests if request.path.endswith("/chat/completions")]
    assert bodies[-1]["response_format"]["type"] == code(rows["structured output"])
    assert ("held" in rows["structured output"]) == (parts["schema"].value["is"] == "held")
    assert {field for field in ("max_tokens", "max_completion_tokens") if field in bodies[-1]} == {
        code(rows["answer limited by"])
    }
    assert code(rows["thoughts"]) == SERVERS[name].thought
    assert parts["thoughts"].value == (
        {"thinks": True, "kept_out": True} if SERVERS[name].thought else {"thinks": False}
    )


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
@each_page
async def test_its_embedding_model_is_sent_no_more_than_it_takes(page: Path) -> None:
    rows = stated(page)
    name, model = code(rows["provider"]), code(rows["embedding model"])
    async with model_server(SERVERS[name]) as server:
        embedder = OpenAIEmbedder(usual(name, model or "any", server), limits=Limits(first=5, retries=0))
        parts: dict[str, Tried] = {
            part.name: part async for part in try_embedder(embedder, Trial(30), dimensions=PROVIDERS[name].dimensions)
        }
        if model:
            await embedder.embed([f"text {at}" for at in range(70)])
        await embedder.close()
    if not model:
        assert parts["embedding"].state == "bad"
        return
    assert {part.state for part in parts.values()} == {"ok"}
    assert parts["embedding"].value["dimensions"] == int(rows["dimensions"])
    assert max(len(request.body["input"]) for request in server.requests) == int(rows["texts at once"])


@each_page
def test_the_settings_of_the_page_can_be_read(page: Path, tmp_path: Path) -> None:
    text, name = page.read_text(encoding="utf-8"), code(stated(page)["provider"])
    (settings,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "jiyi.toml").write_text(settings, encoding="utf-8")
    found = load_settings({"HOME": str(tmp_path)}, (tmp_path / "jiyi.toml",))
    keys = {**found.keys, name: "sk-example"}
    specs = [found.llm, found.memory_llm, *([] if found.embedder == "auto" else [found.embedder])]
    resolved = [
        resolve(spec, keys=keys, base_urls=found.base_urls) for spec in specs if spec.partition(":")[0] in PROVIDERS
    ]
    assert name in {address.provider for address in resolved}


@each_page
def test_the_commands_of_the_page_name_its_server(page: Path) -> None:
    name = code(stated(page)["provider"])
    lines = re.findall(r"^jiyi doctor (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    specs = [words[words.index("--llm") + 1] for words in (shlex.split(line, comments=True) for line in lines)]
    assert specs and all(spec.partition(":")[0] in (name, "llamacpp") for spec in specs)


@each_page
def test_the_page_has_its_summary_in_chinese(page: Path) -> None:
    assert "中文小结：" in page.read_text(encoding="utf-8")


def usual(provider: str, model: str, server: ModelServer) -> Address:
    """As if the stand-in were at the provider's usual address."""
    return Address(provider, model, server.url, KEY if SERVERS[provider].key else "")


async def asked_in_json(llm: OpenAIChat) -> None:
    """One request as what derives a memory sends it."""
    messages: list[ChatMessage] = [{"role": "user", "content": "List the places as JSON. 用JSON列出地点。"}]
    schema = {
        "type": "object",
        "properties": {"place": {"type": "string"}},
        "required": ["place"],
        "additionalProperties": False,
    }
    assert (await llm.complete(messages, schema=schema, max_tokens=50)).text
