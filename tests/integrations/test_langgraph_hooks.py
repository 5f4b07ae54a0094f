"""What stands before and after the model in a graph: it sees memory and history, and the state stays as it is."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import create_react_agent
from pydantic import BaseModel

from jiyi import BudgetTooSmall, InvalidInput, Memory
from jiyi.config import Settings
from jiyi.integrations.langgraph import SUMMARY_ID, jiyi_pre_model_hook, jiyi_recording_node, jiyi_summarising_node
from jiyi.testing import FakeClock

pytestmark = [
    pytest.mark.integration("langgraph", "langchain-core"),
    # create_react_agent lives on in LangGraph, and says that LangChain's create_agent is the newer one
    pytest.mark.filterwarnings("ignore:create_react_agent has been moved"),
]

ADA: Any = {"configurable": {"thread_id": "s", "user_id": "ada"}}


@pytest.fixture
def memory(clock: FakeClock) -> Iterator[Memory]:
    with Memory.open("memory:", clock=clock, settings=Settings(), embedder=None, tokenizer="estimate") as opened:
        yield opened


class Model(GenericFakeChatModel):
    """Says what it is told to, and keeps what it was shown."""

    shown: list[list[BaseMessage]] = []

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self.shown.append(messages)
        return super()._generate(messages, *args, **kwargs)


def model(*answers: BaseMessage | str) -> Model:
    said = [answer if isinstance(answer, BaseMessage) else AIMessage(answer) for answer in answers]
    return Model(messages=iter(said), shown=[])


@tool
def look(room: int) -> str:
    """Looks whether a room is free."""
    return f"Room {room} is free."


CALL = {"name": "look", "args": {"room": 4}, "id": "call-1", "type": "tool_call"}


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize(
    ("told", "asked", "word"),
    [("I'm allergic to shellfish.", "What may I not eat?", "shellfish"), ("我对花生过敏。", "我不能吃什么？", "花生")],
)
def test_an_agent_remembers_over_sessions(memory: Memory, told: str, asked: str, word: str, awaited: bool) -> None:
    memory.session("before", user_id="ada").add("user", told)
    memory.drain()
    llm = model(AIMessage("", tool_calls=[CALL]), "…")
    agent = create_react_agent(
        llm,
        [look],
        prompt="Be brief.",
        pre_model_hook=jiyi_pre_model_hook(memory, max_tokens=1000),
        post_model_hook=jiyi_recording_node(memory),
        checkpointer=InMemorySaver(),
    )
    given = {"messages": [HumanMessage(asked)]}
    result = asyncio.run(agent.ainvoke(given, ADA)) if awaited else agent.invoke(given, ADA)
    assert all(word in shown[1].text for shown in llm.shown), "in the memory section"
    assert llm.shown[0][0].text == "Be brief." and llm.shown[0][-1].text == asked
    assert [message.type for message in llm.shown[1][2:]] == ["human", "ai", "tool"]
    types = [message.type for message in result["messages"]]
    assert types == ["human", "ai", "tool", "ai"], "the state has what was said, and nothing else"
    stored = memory.session("s", user_id="ada").messages(all_branches=True)
    assert [m.role for m in stored] == ["user", "assistant", "tool", "assistant"]
    assert [m.id for m in stored] == [message.id for message in result["messages"]]
    assert stored[1].tool_calls[0]["id"] == "call-1" and stored[2].text == "Room 4 is free."


class Seeing(MessagesState):
    """A hand-made state for the hook."""

    llm_input_messages: list[AnyMessage]


def test_a_node_of_any_graph(memory: Memory) -> None:
    llm = model(*(f"answer {number}" for number in range(30)))
    graph = StateGraph(Seeing)
    graph.add_node("remember", jiyi_pre_model_hook(memory, max_tokens=300))
    graph.add_node("model", lambda state: {"messages": [llm.invoke(state["llm_input_messages"])]})
    graph.add_node("record", jiyi_recording_node(memory))
    graph.add_edge(START, "remember")
    graph.add_edge("remember", "model")
    graph.add_edge("model", "record")
    compiled = graph.compile(checkpointer=InMemorySaver())
    for number in range(30):
        state = compiled.invoke({"messages": [HumanMessage(f"Tell me about dinosaur number {number}.")]}, ADA)
    assert len(state["messages"]) == 60, "the state is untouched"
    assert len(llm.shown[-1]) < 30, "what the model sees is within the budget"
    assert llm.shown[-1][-1].text == "Tell me about dinosaur number 29."
    assert len(memory.session("s", user_id="ada").messages(all_branches=True)) == 60


def test_the_summarising_node_before_the_hook(memory: Memory) -> None:
    """Its message is for those who send the state itself; the hook has the summary in its memory section."""
    summarise, hook = jiyi_summarising_node(memory, recent=2, after=1), jiyi_pre_model_hook(memory, max_tokens=2000)
    state: list[Any] = []
    for number in range(20):
        state = add_messages(state, [HumanMessage(f"My locker is n{number}."), AIMessage("Noted.")])  # type: ignore[assignment,list-item]
        state = add_messages(state, summarise.invoke({"messages": state}, ADA).get("messages", []))  # type: ignore[assignment]
        memory.drain()
    assert state[0].id == SUMMARY_ID and len(state) < 20
    seen = hook.invoke({"messages": state}, ADA)["llm_input_messages"]
    assert SUMMARY_ID not in {message.id for message in seen}
    assert sum("[summary]" in message.text for message in seen) == 1


@dataclass
class AsDataclass:
    messages: Annotated[list[AnyMessage], add_messages] = field(default_factory=list)


class AsModel(BaseModel):
    messages: Annotated[list[AnyMessage], add_messages] = []


@pytest.mark.parametrize("schema", [AsDataclass, AsModel])
def test_states_of_other_kinds(memory: Memory, schema: Any) -> None:
    graph = StateGraph(schema)
    graph.add_node("record", jiyi_recording_node(memory))
    graph.add_edge(START, "record")
    graph.compile().invoke({"messages": [("user", "hello"), {"role": "assistant", "content": "hi"}]}, ADA)
    assert [(m.role, m.text) for m in memory.session("s", user_id="ada").messages()] == [
        ("user", "hello"),
        ("assistant", "hi"),
    ]


def test_messages_as_plain_values(memory: Memory) -> None:
    node = jiyi_recording_node(memory, user_id="ada", session_id="s")
    assert node.invoke({"messages": [("user", "你好"), {"role": "assistant", "content": "你好！"}]}) == {}
    assert node.invoke([HumanMessage("你好"), AIMessage("你好！"), HumanMessage("再见")]) == {}
    assert [m.text for m in memory.session("s", user_id="ada").messages(all_branches=True)] == [
        "你好",
        "你好！",
        "再见",
    ]


def test_what_stands_in_no_state(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="MessagesState"):
        jiyi_pre_model_hook(memory).invoke({"question": "hello"}, ADA)
    with pytest.raises(InvalidInput, match="user_id"):
        jiyi_recording_node(memory).invoke({"messages": [HumanMessage("hello")]}, {"configurable": {"thread_id": "s"}})
    with pytest.raises(BudgetTooSmall):
        jiyi_pre_model_hook(memory, max_tokens=2).invoke({"messages": [HumanMessage("hello " * 50)]}, ADA)


def test_a_tool_result_without_its_call_reaches_no_model(memory: Memory) -> None:
    hook = jiyi_pre_model_hook(memory)
    state = [ToolMessage("found", tool_call_id="gone", id="t"), HumanMessage("So?", id="u")]
    seen = hook.invoke({"messages": state}, ADA)["llm_input_messages"]
    assert [message.id for message in seen if message.type != "system"] == ["u"]


def test_the_callers_system_messages_stay_first(memory: Memory) -> None:
    hook = jiyi_pre_model_hook(memory)
    seen = hook.invoke({"messages": [SystemMessage("Be brief."), HumanMessage("So?")]}, ADA)["llm_input_messages"]
    assert [message.text for message in seen] == ["Be brief.", "So?"]
    assert [m.role for m in memory.session("s", user_id="ada").messages()] == ["user"]


class Whose(TypedDict):
    user_id: str


@dataclass
class WhoseAsDataclass:
    user_id: str


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("context", [Whose(user_id="ada"), WhoseAsDataclass("ada")])
def test_the_runs_context_says_whose_it_is(memory: Memory, context: Any, awaited: bool) -> None:
    graph = StateGraph(MessagesState, context_schema=Whose if isinstance(context, dict) else WhoseAsDataclass)
    graph.add_node("record", jiyi_recording_node(memory))
    graph.add_edge(START, "record")
    compiled, given = graph.compile(), {"messages": [HumanMessage("你好")]}
    config: Any = {"configurable": {"thread_id": "s"}}
    if awaited:
        asyncio.run(compiled.ainvoke(given, config, context=context))
    else:
        compiled.invoke(given, config, context=context)
    assert [m.text for m in memory.session("s", user_id="ada").messages()] == ["你好"]


def test_users_stay_apart(memory: Memory) -> None:
    hook = jiyi_pre_model_hook(memory)
    for user in ("ada", "bo"):
        config: Any = {"configurable": {"thread_id": "same", "user_id": user}}
        hook.invoke({"messages": [HumanMessage(f"I am {user} and I like trains.", id=f"m-{user}")]}, config)
    memory.drain()
    config = {"configurable": {"thread_id": "new", "user_id": "bo"}}
    seen = hook.invoke({"messages": [HumanMessage("What do I like?")]}, config)["llm_input_messages"]
    assert "I am ada" not in str(seen) and "I am bo" in str(seen)


def test_nothing_of_langgraph_is_imported_before_it_is_asked_for() -> None:
    code = "import sys, jiyi; assert not [m for m in sys.modules if m.split('.')[0] in ('langgraph', 'langchain_core')]"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_package_says_what_to_install() -> None:
    code = (
        "import sys\nsys.modules['langgraph'] = None\nfrom jiyi import MissingDependency\n"
        "try:\n    import jiyi.integrations.langgraph\n"
        "except MissingDependency as error:\n    assert 'jiyi[langgraph]' in str(error), error\nelse:\n    raise SystemExit(3)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
