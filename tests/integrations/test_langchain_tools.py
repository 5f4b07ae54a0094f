"""The retriever and the tools: LangChain's own suites, whose memory it is, and whose words."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, ToolMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool
from langchain_tests.integration_tests import RetrieversIntegrationTests, ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests
from pydantic import ValidationError

from jiyi import InvalidInput, Memory
from jiyi.integrations.langchain import JiyiMiddleware, JiyiRetriever, memory_tools
from tests.integrations.scripted_chat import ScriptedChat, both, calling
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
    kept = [message for message in memory.messages(user_id="小李") if message.kind == "statement"]
    assert [(message.role, message.text) for message in kept] == [("assistant", told)]
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
        memory.remember(text, user_id="bob")
    memory.drain()
    assert memory.records(user_id="bob", kind="fact")  # the same words, said by the user
    assert memory.records(user_id="ada", kind="fact") == memory.records(user_id="ada", kind="note") == []
    assert [(m.role, m.kind) for m in memory.messages(user_id="ada")] == [("assistant", "statement")] * 3
    assert memory.entities(user_id="ada") == []


@dataclass
class Context:
    user_id: str


def test_users_that_are_served_at_once_stay_apart(memory: Memory) -> None:
    """The user of a run's context reaches the tools, whichever thread they run on."""
    tools = memory_tools(memory, floor=0)

    def reply(messages: list[BaseMessage]) -> Any:
        who = next(m.text for m in messages if m.type == "human")
        asked = both(("remember", {"text": f"{who} keeps bees."}), ("search_memory", {"query": "Who keeps bees?"}))
        return "ok" if messages[-1].type == "tool" else asked

    bot = create_agent(ScriptedChat(replies=reply), tools, context_schema=Context)

    def serve(user: str) -> None:
        bot.invoke({"messages": [("user", user)]}, context=Context(user))

    async def awaited(user: str) -> None:
        await bot.ainvoke({"messages": [("user", user)]}, context=Context(user))

    users = [f"user{n}" for n in range(8)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(serve, users[:4]))
        list(pool.map(lambda user: asyncio.run(awaited(user)), users[4:]))
    assert {user: [m.text for m in memory.messages(user_id=user)] for user in memory.users()} == {
        user: [f"{user} keeps bees."] for user in users
    }


@pytest.mark.parametrize("text", ["", "  ", "half \ud83d", "nul \0"])
def test_a_model_is_told_when_it_gives_what_cannot_be_kept(memory: Memory, text: str) -> None:
    model = ScriptedChat(replies=[both(("remember", {"text": text}), ("search_memory", {"query": text})), "sorry"])
    bot = create_agent(model, memory_tools(memory, user_id="ada"))
    assert bot.invoke({"messages": [("user", "Hi")]})["messages"][-1].text == "sorry"
    result = model.seen[-1][-2]
    assert isinstance(result, ToolMessage) and result.status == "error" and result.text.startswith("text: ")
    assert memory.messages(user_id="ada") == []


def test_a_tool_that_nobody_gave_a_user_fails_the_run(memory: Memory) -> None:
    """That is the program's mistake, and nothing that the model could mend."""
    bot = create_agent(ScriptedChat(replies=[calling("remember", text="tea"), "ok"]), memory_tools(memory))
    with pytest.raises(InvalidInput, match="user_id"):
        bot.invoke({"messages": [("user", "Hi")]})


def test_without_langchain_all_but_the_middleware_is_there() -> None:
    program = """
import sys
sys.modules["langchain"] = sys.modules["langgraph"] = None
import jiyi.integrations.langchain as all_of_it
from jiyi import Memory, MissingDependency
with Memory.open("memory:", embedder="none") as memory:
    remember, search = all_of_it.memory_tools(memory, user_id="ada")
    remember.invoke({"text": "Ada keeps bees."})
    print(search.invoke({"query": "Who keeps bees?"}))
try:
    all_of_it.JiyiMiddleware
except MissingDependency as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, ran.stderr
    assert "Ada keeps bees." in ran.stdout and "pip install 'jiyi[langchain]'" in ran.stdout


def test_a_wrong_language_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="language"):
        memory_tools(memory, user_id="ada", language="de")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="role"):
        memory.remember("x", user_id="ada", role="system")
