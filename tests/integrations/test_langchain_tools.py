"""The retriever and the tools: LangChain's own suites, whose memory it is, and whose words."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool
from langchain_tests.integration_tests import RetrieversIntegrationTests, ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests
from pydantic import ValidationError

from jiyi import InvalidInput, Memory
from jiyi.integrations.langchain import JiyiMiddleware, JiyiRetriever, memory_tools
from tests.integrations.scripted_chat import ScriptedChat, calling
from tests.integrations.test_langchain_remembering import opened

pytestmark = pytest.mark.integration("langchain", "langchain-core", "langchain-tests")

CONFIG: Any = {"configurable": {"thread_id": "t", "user_id": "小李"}}


@pytest.fixture
def memory() -> Iterator[Memory]:
    with opened() as memory:
        yield memory


class TestRetriever(RetrieversIntegrationTests):
    """LangChain's suite for retrievers."""

    @pytest.fixture(autouse=True)
    def filled(self, memory: Memory) -> None:
        for n in range(5):
            memory.session("s", user_id="ada").add("user", f"The boat number {n} leaves for Samos at {n} o'clock.")
        self.memory = memory

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return JiyiRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": self.memory, "user_id": "ada", "floor": 0}

    @property
    def retriever_query_example(self) -> str:
        return "When does the boat leave for Samos?"


class _Tools:
    name = ""

    @pytest.fixture
    def tool(self, memory: Memory) -> BaseTool:
        return next(one for one in memory_tools(memory, user_id="ada") if one.name == self.name)

    @property
    def tool_constructor(self) -> Any:
        return StructuredToolStandIn


class StructuredToolStandIn(BaseTool):
    """Never made: the fixture gives the tools."""

    name: str = ""
    description: str = ""

    def _run(self) -> str:
        raise NotImplementedError


class _Remember(_Tools):
    name = "remember"

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"text": "Ada likes tea."}


class _Search(_Tools):
    name = "search_memory"

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"query": "What does Ada like?"}


class TestRemember(_Remember, ToolsUnitTests):
    """LangChain's suite for what a tool says of itself."""


class TestRememberAtWork(_Remember, ToolsIntegrationTests):
    """And for what it does."""


class TestSearch(_Search, ToolsUnitTests):
    """The same of the other one."""


class TestSearchAtWork(_Search, ToolsIntegrationTests):
    """The same."""


def test_documents_say_where_they_are_from(memory: Memory) -> None:
    said = memory.session("s", user_id="小李").add("user", "我对花生过敏，做菜要注意")
    memory.drain()
    retriever = JiyiRetriever(memory=memory, user_id="小李", floor=0, kinds=("fact",))
    message, fact = retriever.invoke("我对什么过敏？")
    assert (message.page_content, message.id) == (said.text, said.id)
    assert message.metadata["role"] == "user" and message.metadata["said_at"].startswith("2026-03-02")
    assert fact.metadata["kind"] == "fact"
    assert fact.metadata["sources"] == [{"message_id": said.id, "quote": "我对花生过敏，做菜要注意"}]


async def test_the_retriever_works_on_every_loop_and_thread(memory: Memory) -> None:
    memory.remember("The boat to Samos leaves at nine.", user_id="ada")
    retriever = JiyiRetriever(memory=memory, floor=0)
    config: Any = {"configurable": {"user_id": "ada"}}
    found = [
        retriever.invoke("boat", config),
        await retriever.ainvoke("boat", config),
        await asyncio.to_thread(retriever.invoke, "boat", config),
        await asyncio.to_thread(lambda: asyncio.run(retriever.ainvoke("boat", config))),
    ]
    assert [[one.page_content for one in some] for some in found] == [["The boat to Samos leaves at nine."]] * 4
    with pytest.raises(InvalidInput, match="user_id"):
        retriever.invoke("boat")
    assert retriever.invoke("boat", {"configurable": {"user_id": "bob"}}) == []
    with pytest.raises(ValidationError, match="k"):
        JiyiRetriever(memory=memory, k=-1)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_agent_remembers_for_the_user_of_the_run_alone(memory: Memory, language: Any) -> None:
    tools = memory_tools(memory, floor=0, language=language)
    assert [set(one.get_input_schema().model_fields) for one in tools] == [{"text"}, {"query"}]
    told = "喜欢喝绿茶。" if language == "zh" else "Likes green tea."
    model = ScriptedChat(
        replies=[calling("remember", text=told, user_id="bob"), "ok", calling("search_memory", query="绿茶 tea?"), "ok"]
    )
    bot = create_agent(model, tools, middleware=[JiyiMiddleware(memory)])
    bot.invoke({"messages": [("user", "Hi")]}, CONFIG)
    bot.invoke({"messages": [("user", "What do I drink?")]}, {"configurable": {"thread_id": "t2", "user_id": "小李"}})
    assert memory.users() == ["小李"]
    result = model.seen[-1][-1]
    assert result.text.endswith(told) and ("助手" if language == "zh" else "assistant") in result.text
    assert isinstance(result.artifact[0], Document)  # type: ignore[attr-defined]


async def test_tools_can_be_awaited(memory: Memory) -> None:
    remember, search = memory_tools(memory, user_id="ada", language="zh")
    assert await search.ainvoke({"query": "船"}) == "记忆里没有能回答这个问题的内容。"
    assert await remember.ainvoke({"text": "去萨摩斯的船九点开。"}) == "记住了。"
    assert "九点" in search.invoke({"query": "去萨摩斯的船几点开？"})


def test_what_an_agent_remembers_is_not_the_users_word(memory: Memory) -> None:
    """A model's "the user is allergic" must not become a fact about the user, nor a note of what they said."""
    remember, _ = memory_tools(memory, user_id="ada")
    for text in ("I am allergic to peanuts.", "My name is Mara and I live in Lisbon.", "我对花生过敏，住在里斯本。"):
        remember.invoke({"text": text})
    memory.drain()
    assert memory.records(user_id="ada", kind="fact") == memory.records(user_id="ada", kind="note") == []
    assert [(m.role, m.kind) for m in memory.messages(user_id="ada")] == [("assistant", "statement")] * 3
    assert memory.entities(user_id="ada") == []


def test_a_wrong_language_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="language"):
        memory_tools(memory, user_id="ada", language="de")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="role"):
        memory.remember("x", user_id="ada", role="system")
