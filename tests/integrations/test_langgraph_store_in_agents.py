"""The store as agents and graphs are given it: injected into tools, and in a node's runtime."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import InjectedStore
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from jiyi import Memory
from jiyi.config import Settings
from jiyi.integrations.langgraph import JiyiStore

pytestmark = pytest.mark.integration("langchain", "langgraph", "langgraph-checkpoint")


class Model(GenericFakeChatModel):
    """Says what it was told to say, and has nothing against tools."""

    def bind_tools(self, tools: Any, **_more: Any) -> Any:
        return self


@tool
def note(text: str, store: Annotated[BaseStore, InjectedStore()]) -> str:
    """Keeps a note."""
    store.put(("notes", "小李"), "latest", {"text": text})
    return "kept"


@tool
async def look_up(question: str, store: Annotated[BaseStore, InjectedStore()]) -> str:
    """Looks a note up."""
    found = await store.asearch(("notes", "小李"), query=question)
    return found[0].value["text"]


class State(TypedDict):
    """Of the graph below."""

    told: str


def recall(state: State, runtime: Runtime) -> State:  # type: ignore[type-arg]
    """A node."""
    assert runtime.store is not None
    item = runtime.store.get(("notes", "小李"), "latest")
    assert item is not None
    return {"told": f"{state['told']}{item.value['text']}"}


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("memory:", embedder=None, tokenizer="estimate", settings=Settings()) as opened:
        yield opened


def calls(name: str, args: dict[str, str]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call-{name}"}])


async def test_an_agent_keeps_and_finds(memory: Memory) -> None:
    said = [
        calls("note", {"text": "周五去爬山"}),
        AIMessage("好的"),
        calls("look_up", {"question": "爬山"}),
        AIMessage("周五"),
    ]
    store = JiyiStore(memory, user_id=1)
    agent = create_agent(Model(messages=iter(said)), [note, look_up], store=store)
    await agent.ainvoke({"messages": [("user", "记一下周五去爬山")]})
    state = await agent.ainvoke({"messages": [("user", "我什么时候去爬山？")]})
    assert [message.content for message in state["messages"] if message.type == "tool"] == ["周五去爬山"]

    graph = StateGraph(State).add_node(recall).add_edge(START, "recall").compile(store=store)
    assert graph.invoke({"told": "记得："}) == {"told": "记得：周五去爬山"}
    assert (await graph.ainvoke({"told": ""})) == {"told": "周五去爬山"}
    assert memory.users() == ["小李"]
