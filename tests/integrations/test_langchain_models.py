"""LangChain's chat models and embeddings in Jiyi, and Jiyi's embedder in LangChain."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.exceptions import ContextOverflowError, ModelAuthenticationError, ModelConnectionError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableLambda
from langchain_openai import ChatOpenAI
from langchain_tests.integration_tests import EmbeddingsIntegrationTests
from langchain_tests.unit_tests import EmbeddingsUnitTests
from pydantic import SecretStr

from jiyi import ContextOverflow, InvalidInput, Memory, MissingDependency, ModelError, ModelRejected, ModelUnavailable
from jiyi.config import Settings
from jiyi.embedders.hashing import HashingEmbedder
from jiyi.embedders.langchain import LangChainEmbedder
from jiyi.integrations.langchain import JiyiEmbeddings
from jiyi.llms.langchain import LangChainChat
from jiyi.opening import open_embedder, open_llm
from jiyi.testing import EmbedderConformance, LLMConformance
from jiyi.trying import Trial, try_llm

pytestmark = pytest.mark.integration("langchain", "langchain-core")


class Echo(BaseChatModel):
    """Says the last message again; only with methods that block."""

    max_tokens: int | None = None
    pause: float = 0.0
    said: AIMessage | None = None
    failure: Any = None
    api_key: SecretStr = SecretStr("zq7-secret")

    @property
    def _llm_type(self) -> str:
        return "echo"

    def _pieces(self, messages: list[BaseMessage]) -> Iterator[AIMessageChunk]:
        if self.failure is not None:
            raise self.failure
        time.sleep(self.pause)
        if self.said is not None:
            yield AIMessageChunk(self.said.content, additional_kwargs=self.said.additional_kwargs)
            return
        text = messages[-1].text
        if self.max_tokens is not None and self.max_tokens < 10:
            text, reason = text[: self.max_tokens], "length"
        else:
            reason = "stop"
        for at in range(0, len(text), 7):
            yield AIMessageChunk(text[at : at + 7])
        usage = {"input_tokens": 5, "output_tokens": min(4, len(text)), "total_tokens": 9}
        yield AIMessageChunk("", response_metadata={"finish_reason": reason}, usage_metadata=usage)

    def _stream(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any) -> Any:
        for piece in self._pieces(messages):
            yield ChatGenerationChunk(message=piece)

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any) -> Any:
        pieces = list(self._pieces(messages))
        whole = sum(pieces[1:], start=pieces[0])
        message = AIMessage(
            **whole.model_dump(include={"content", "response_metadata", "usage_metadata", "additional_kwargs"})
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


class Awaited(Echo):
    """The same with methods that are awaited."""

    async def _astream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any
    ) -> Any:
        for piece in self._pieces(messages):
            await asyncio.sleep(0)
            yield ChatGenerationChunk(message=piece)


class Structured(Echo):
    """Holds itself to a schema."""

    def with_structured_output(self, schema: Any, *, include_raw: bool = False, **more: Any) -> Any:
        def answer(_: Any) -> Any:
            if self.failure is not None:
                raise self.failure
            found = {"city": "鹿特丹", "sure": True}
            return {"raw": AIMessage(""), "parsed": found, "parsing_error": None}

        assert include_raw and schema["title"]
        return RunnableLambda(answer)


class TestThatBlocks(LLMConformance):
    echoes = True

    def llm(self) -> Any:
        return LangChainChat(Echo(pause=0.001))


class TestAwaited(LLMConformance):
    echoes = True

    def llm(self) -> Any:
        return LangChainChat(Awaited())


class TestStructured(LLMConformance):
    echoes = True
    holds_schema = True

    def llm(self) -> Any:
        return LangChainChat(Structured())


ASKED: list[dict[str, object]] = [{"role": "user", "content": "你好"}]


async def deltas(model: LangChainChat) -> list[Any]:
    return [piece async for piece in model.stream(ASKED)]


@pytest.mark.parametrize(
    "said",
    [
        AIMessage([{"type": "reasoning", "reasoning": "想一想"}, {"type": "text", "text": "好"}]),
        AIMessage([{"type": "thinking", "thinking": "想一想", "signature": "x"}, {"type": "text", "text": "好"}]),
        AIMessage("好", additional_kwargs={"reasoning_content": "想一想"}),
        AIMessage("<think>想一想</think>\n\n好"),
    ],
)
async def test_what_it_thinks_is_no_part_of_the_answer(said: AIMessage) -> None:
    model = LangChainChat(Echo(said=said))
    assert (await model.complete(ASKED)).text == "好"
    pieces = await deltas(model)
    assert "".join(piece.text for piece in pieces) == "好"
    if not isinstance(said.content, list) or said.content[0]["type"] != "thinking":  # LangChain reads it by provider
        assert "".join(piece.thought for piece in pieces) == "想一想"


class _Response:
    def __init__(self, headers: dict[str, str]) -> None:
        self.headers = headers


def _with(status: int, text: str = "no", **headers: str) -> Exception:
    error = RuntimeError(text)
    error.status_code = status  # type: ignore[attr-defined]
    error.response = _Response({name.replace("_", "-"): value for name, value in headers.items()})  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (ContextOverflowError("too long"), ContextOverflow),
        (ModelConnectionError("down"), ModelUnavailable),
        (ModelAuthenticationError("bad key zq7-secret"), ModelRejected),
        (_with(400, "This model's maximum context length is 8192 tokens"), ContextOverflow),
        (_with(401, "Incorrect API key provided: sk-proj-abcdefghijklmnop"), ModelRejected),
        (_with(404), ModelRejected),
        (_with(429), ModelUnavailable),
        (_with(500), ModelUnavailable),
        (TimeoutError("slow"), ModelUnavailable),
        (ConnectionError("refused"), ModelUnavailable),
        (KeyError("choices"), ModelError),
    ],
)
async def test_failures_are_jiyis_own_and_name_no_key(failure: Exception, kind: type[Exception]) -> None:
    model = LangChainChat(Echo(failure=failure))
    for work in (model.complete(ASKED), deltas(model)):
        with pytest.raises(ModelError) as caught:
            await work
        assert type(caught.value) is kind
        assert "secret" not in str(caught.value) and "abcdefgh" not in str(caught.value)


async def test_it_waits_as_long_as_the_server_says() -> None:
    with pytest.raises(ModelUnavailable) as caught:
        await LangChainChat(Echo(failure=_with(429, retry_after="7"))).complete(ASKED)
    assert caught.value.retry_after == 7


@pytest.mark.parametrize(("said", "kind"), [("", ModelError), ("<think>hm</think>", ModelError)])
async def test_an_empty_answer_is_none(said: str, kind: type[Exception]) -> None:
    model = LangChainChat(Echo(said=AIMessage(said)))
    for work in (model.complete(ASKED), deltas(model)):
        with pytest.raises(kind, match="empty"):
            await work


async def test_a_schema_that_is_refused_is_done_without() -> None:
    class Refusing(Structured):
        def _pieces(self, messages: list[BaseMessage]) -> Iterator[AIMessageChunk]:
            yield AIMessageChunk('{"city": "x"}')

    reply = await LangChainChat(Refusing(failure=_with(400))).complete(ASKED, schema={"type": "object"})
    assert json.loads(reply.text) == {"city": "x"}


def test_a_memory_talks_through_it() -> None:
    with Memory.open("memory:", llm=LangChainChat(Echo()), embedder=None, settings=Settings()) as memory:
        session = memory.session(user_id="小李")
        assert session.send("我对花生过敏").text == "我对花生过敏"
        assert "".join(session.stream("再说一遍")) == "再说一遍"
        assert memory.usage["llm"].prompt_tokens == 10


def test_models_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "zq7-secret")
    model = open_llm("langchain:openai:gpt-5-mini", Settings())
    assert isinstance(model, LangChainChat) and model.name == "langchain:openai:gpt-5-mini"
    assert LangChainChat(ChatOpenAI(model="gpt-5-mini")).name == "langchain:openai:gpt-5-mini"
    embedder = open_embedder("langchain:openai:text-embedding-3-small", Settings())
    assert isinstance(embedder, LangChainEmbedder)
    assert embedder.name == "langchain:openai:text-embedding-3-small"
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ModelRejected, match="OPENAI_API_KEY"):
        open_llm("langchain:openai:gpt-5-mini", Settings())
    with pytest.raises(ModelRejected, match="nobody"):
        open_llm("langchain:nobody:x", Settings())
    with pytest.raises(MissingDependency, match="langchain-groq"):
        open_llm("langchain:groq:x", Settings())


@pytest.mark.parametrize("model", [Echo, Awaited])
async def test_the_doctor_tries_one(model: type[Echo]) -> None:
    parts = {part.name: part async for part in try_llm(LangChainChat(model()), Trial(20))}
    assert {name: part.state for name, part in parts.items()} == {
        "chat": "ok", "stream": "ok", "chinese": "ok", "schema": "note", "thoughts": "ok", "usage": "ok"
    }  # fmt: skip
    assert parts["usage"].value["prompt_tokens"] == 5


async def test_the_doctor_tells_no_key_of_one_that_fails() -> None:
    llm = LangChainChat(Echo(failure=RuntimeError("zq7-secret is wrong")))
    parts = [part async for part in try_llm(llm, Trial(20))]
    assert parts[0].state == "bad" and {part.state for part in parts[1:]} == {"skipped"}
    assert "is wrong" in parts[0].what and "zq7-secret" not in repr(parts)


# -- embeddings ------------------------------------------------------------------------------------------------------


class Words(Embeddings):
    """Hashed words, far from unit length; only with methods that block."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [7 * float(value) for value in asyncio.run(HashingEmbedder().embed_query(text))]


class TestLangChainEmbedder(EmbedderConformance):
    semantic = False

    def embedder(self) -> Any:
        return LangChainEmbedder(Words())


async def test_embeddings_that_fail_or_give_nonsense() -> None:
    class Odd(Embeddings):
        model = "odd-1"
        given: Any = ()

        def embed_documents(self, texts: list[str]) -> Any:
            if isinstance(self.given, Exception):
                raise self.given
            return self.given

        def embed_query(self, text: str) -> Any:
            return self.given[0]

    odd = Odd()
    embedder = LangChainEmbedder(odd)
    assert embedder.name == "langchain:Odd:odd-1"
    for given, kind in ((_with(429), ModelUnavailable), ([], ModelError), ([[float("nan")]], ModelError)):
        odd.given = given
        with pytest.raises(kind):
            await embedder.embed(["a"])
    odd.given = [[0.0, 0.0]]
    assert await embedder.embed(["a"]) == [[1.0, 0.0]]
    odd.given = [[1.0, 1.0, 1.0]]
    with pytest.raises(ModelError, match="dimensions"):
        await embedder.embed(["a"])


def test_a_memory_searches_with_langchains_embeddings() -> None:
    embedder = LangChainEmbedder(DeterministicFakeEmbedding(size=32), name="fake")
    with Memory.open("memory:", embedder=embedder, settings=Settings()) as memory:
        memory.session(user_id="小李").add("user", "我对花生过敏")
        memory.drain()
        assert memory.search("我对花生过敏", user_id="小李", floor=0)[0].message.text == "我对花生过敏"


class TestUnit(EmbeddingsUnitTests):
    """LangChain's own suite."""

    @property
    def embeddings_class(self) -> type[Embeddings]:
        return JiyiEmbeddings

    @property
    def embedding_model_params(self) -> dict[str, Any]:
        return {"embedder": "hashing"}


class TestIntegration(EmbeddingsIntegrationTests):
    """LangChain's own suite, with the bundled model; nothing of it needs a network."""

    @property
    def embeddings_class(self) -> type[Embeddings]:
        return JiyiEmbeddings


async def test_jiyis_embedder_anywhere() -> None:
    embeddings = JiyiEmbeddings(HashingEmbedder())
    one = embeddings.embed_query("花生")  # in a running loop
    assert one == await embeddings.aembed_query("花生")
    assert await embeddings.aembed_documents(["花生", "peanut"]) == embeddings.embed_documents(["花生", "peanut"])
    with pytest.raises(InvalidInput):
        JiyiEmbeddings("none")
