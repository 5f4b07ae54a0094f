"""Field case D23: a node that an interrupt, an error or a crash sets back runs again, and nothing is remembered twice.

What ``sync`` does with histories that are sent again is in ``tests/unit/test_sync_history.py``.
"""

from __future__ import annotations

import asyncio
import operator
import threading
from collections.abc import Iterator
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, RetryPolicy, Send, interrupt

from jiyi import Memory
from jiyi.config import Settings
from jiyi.integrations.langchain.remembering import Remembering
from jiyi.integrations.langgraph import jiyi_recording_node
from jiyi.testing import FakeClock

pytestmark = pytest.mark.integration("langgraph", "langchain-core")

SAID = {
    "en": ("Book room 4 for Monday. I'm allergic to shellfish.", "Booked."),
    "zh": ("请订周一的四号会议室。我对花生过敏。", "订好了。"),
}
LANGUAGES = pytest.mark.parametrize("language", list(SAID))
ADA: Any = {"configurable": {"thread_id": "s", "user_id": "ada"}}

State = dict[str, Any]


@pytest.fixture(params=["memory", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Any, clock: FakeClock) -> Iterator[Memory]:
    address = "memory:" if request.param == "memory" else str(tmp_path / "jiyi.db")
    with Memory.open(address, clock=clock, settings=Settings(), embedder=None, tokenizer="estimate") as opened:
        yield opened


def texts(memory: Memory, *, all_branches: bool = False) -> list[str]:
    return [m.text for m in memory.session("s", user_id="ada").messages(all_branches=all_branches)]


def facts(memory: Memory) -> list[str | None]:
    """What the user's facts are about: each once."""
    memory.drain()
    return [record.key for record in memory.records(user_id="ada", kind="fact")]


def asking(memory: Memory, answer: str, *, questions: int = 1) -> Any:
    """A node that saves what the user said, asks a person so many times, and answers."""
    remembering = Remembering(memory)

    def ask(state: Any, config: RunnableConfig) -> State:
        remembering.record(state["messages"], config)
        for number in range(questions):
            assert interrupt(f"question {number}") == "yes"
        return {"messages": [AIMessage(answer)]}

    return ask


def graph_of(memory: Memory, *nodes: Any, saver: Any = None) -> Any:
    """These nodes in a row, and one that records at the end."""
    graph = StateGraph(MessagesState)
    before = START
    for number, one in enumerate(nodes):
        graph.add_node(f"node{number}", one)
        graph.add_edge(before, f"node{number}")
        before = f"node{number}"
    graph.add_node("record", jiyi_recording_node(memory))
    graph.add_edge(before, "record")
    graph.add_edge("record", END)
    return graph.compile(checkpointer=InMemorySaver() if saver is None else saver)


def said_once(memory: Memory, language: str) -> None:
    """One copy of the user's message, one assistant message, facts once."""
    assert texts(memory, all_branches=True) == list(SAID[language])
    about = facts(memory)
    assert about and len(about) == len(set(about))


@LANGUAGES
@pytest.mark.parametrize("questions", [1, 2, 3])
def test_interrupts_in_a_node(memory: Memory, language: str, questions: int) -> None:
    said, answer = SAID[language]
    graph = graph_of(memory, asking(memory, answer, questions=questions))
    graph.invoke({"messages": [HumanMessage(said)]}, ADA)
    for _ in range(questions):
        assert texts(memory) == [said]
        graph.invoke(Command(resume="yes"), ADA)
    said_once(memory, language)


@LANGUAGES
def test_an_interrupt_in_a_subgraph(memory: Memory, language: str) -> None:
    said, answer = SAID[language]
    inner = StateGraph(MessagesState)
    inner.add_node("ask", asking(memory, answer))
    inner.add_edge(START, "ask")
    graph = graph_of(memory, inner.compile())
    graph.invoke({"messages": [HumanMessage(said)]}, ADA)
    graph.invoke(Command(resume="yes"), ADA)
    said_once(memory, language)


@LANGUAGES
def test_an_interrupt_in_a_subgraph_that_a_node_calls(memory: Memory, language: str) -> None:
    said, answer = SAID[language]
    inner = StateGraph(MessagesState)
    inner.add_node("ask", asking(memory, answer))
    inner.add_edge(START, "ask")
    called = inner.compile(checkpointer=True)
    remembering = Remembering(memory)

    def calling(state: MessagesState, config: RunnableConfig) -> State:
        remembering.record(state["messages"], config)
        return {"messages": called.invoke({"messages": state["messages"]})["messages"][-1:]}

    graph = graph_of(memory, calling)
    graph.invoke({"messages": [HumanMessage(said)]}, ADA)
    graph.invoke(Command(resume="yes"), ADA)
    said_once(memory, language)


@LANGUAGES
def test_nodes_at_once_that_record_the_same_state(memory: Memory, language: str) -> None:
    said, answer = SAID[language]
    graph = StateGraph(MessagesState)
    for number in range(6):
        graph.add_node(f"record{number}", jiyi_recording_node(memory))
        graph.add_edge(START, f"record{number}")
        graph.add_edge(f"record{number}", "ask")
    graph.add_node("ask", asking(memory, answer))
    graph.add_node("record", jiyi_recording_node(memory))
    graph.add_edge("ask", "record")
    compiled = graph.compile(checkpointer=InMemorySaver())
    compiled.invoke({"messages": [HumanMessage(said)]}, ADA)
    compiled.invoke(Command(resume="yes"), ADA)
    said_once(memory, language)


def test_nodes_at_once_that_record_what_each_of_them_says(memory: Memory) -> None:
    """They know nothing of one another until their states are joined; then each message stands on the path once."""
    remembering = Remembering(memory)

    def saying(text: str) -> Any:
        def say(state: Any, config: RunnableConfig) -> State:
            reply = AIMessage(text, id=text)
            remembering.record([*state["messages"], reply], config)
            return {"messages": [reply]}

        return say

    graph = StateGraph(MessagesState)
    graph.add_node("record", jiyi_recording_node(memory))
    for text in ("one", "two", "three"):
        graph.add_node(text, saying(text))
        graph.add_edge(START, text)
        graph.add_edge(text, "record")
    state = graph.compile().invoke({"messages": [HumanMessage("Tell me.")]}, ADA)
    assert len(state["messages"]) == 4
    assert sorted(texts(memory)) == ["Tell me.", "one", "three", "two"], "in whatever order they came"


def test_tasks_that_are_sent_record_the_same_state(memory: Memory) -> None:
    said, answer = SAID["en"]
    graph = StateGraph(MessagesState)
    graph.add_node("save", jiyi_recording_node(memory))
    graph.add_node("answer", lambda state: {"messages": [AIMessage(answer)]})
    graph.add_node("record", jiyi_recording_node(memory))
    graph.add_conditional_edges(START, lambda state: [Send("save", state)] * 4, ["save"])
    graph.add_edge("save", "answer")
    graph.add_edge("answer", "record")
    graph.compile().invoke({"messages": [HumanMessage(said)]}, ADA)
    said_once(memory, "en")


@LANGUAGES
def test_a_node_that_is_tried_again(memory: Memory, language: str) -> None:
    said, answer = SAID[language]
    remembering, tries = Remembering(memory), []

    def failing(state: MessagesState, config: RunnableConfig) -> State:
        remembering.record(state["messages"], config)
        tries.append(1)
        if len(tries) < 3:
            raise ConnectionError("try again")
        return {"messages": [AIMessage(answer)]}

    graph = StateGraph(MessagesState)
    graph.add_node(
        "failing", failing, retry_policy=RetryPolicy(initial_interval=0, max_interval=0, max_attempts=3, jitter=False)
    )
    graph.add_node("record", jiyi_recording_node(memory))
    graph.add_edge(START, "failing")
    graph.add_edge("failing", "record")
    graph.compile().invoke({"messages": [HumanMessage(said)]}, ADA)
    assert len(tries) == 3
    said_once(memory, language)


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_whenever_checkpoints_are_written(memory: Memory, durability: str) -> None:
    said, answer = SAID["en"]
    graph = graph_of(memory, asking(memory, answer))
    graph.invoke({"messages": [HumanMessage(said)]}, ADA, durability=durability)
    graph.invoke(Command(resume="yes"), ADA, durability=durability)
    said_once(memory, "en")


def test_resuming_twice_from_one_checkpoint_keeps_one_answer_on_the_path(memory: Memory) -> None:
    said, answer = SAID["en"]
    graph = graph_of(memory, asking(memory, answer))
    graph.invoke({"messages": [HumanMessage(said)]}, ADA)
    asked = graph.get_state(ADA).config
    asked = {"configurable": {**ADA["configurable"], **asked["configurable"]}}
    graph.invoke(Command(resume="yes"), ADA)
    graph.invoke(Command(resume="yes"), ADA)  # nothing waits any more
    said_once(memory, "en")
    graph.invoke(Command(resume="yes"), asked)  # answered anew: another message that says the same
    assert texts(memory) == [said, answer]
    assert sorted(texts(memory, all_branches=True)) == sorted([said, answer, answer])
    about = facts(memory)
    assert len(about) == len(set(about))


class Crashing(InMemorySaver):
    """Takes nothing any more, as the disk of a process that is dead."""

    dead = False

    def put_writes(self, *args: Any, **kwargs: Any) -> None:
        if self.dead:
            raise OSError("killed")
        super().put_writes(*args, **kwargs)

    def put(self, *args: Any, **kwargs: Any) -> RunnableConfig:
        if self.dead:
            raise OSError("killed")
        return super().put(*args, **kwargs)


@LANGUAGES
def test_a_crash_between_record_and_checkpoint(memory: Memory, language: str) -> None:
    said, answer = SAID[language]
    saver, recorded = Crashing(), list[str]()
    remembering = Remembering(memory)

    def answering(state: MessagesState, config: RunnableConfig) -> State:
        reply = AIMessage(answer, id="answer")
        remembering.record([*state["messages"], reply], config)
        saver.dead = not recorded
        recorded.extend(texts(memory))
        return {"messages": [reply]}

    graph = graph_of(memory, answering, saver=saver)
    with pytest.raises(OSError, match="killed"):
        graph.invoke({"messages": [HumanMessage(said)]}, ADA, durability="sync")
    assert recorded == [said, answer], "remembered, but not in a checkpoint"
    saver.dead = False
    assert len(graph.get_state(ADA).values["messages"]) == 1
    graph.invoke(None, ADA)  # from the last checkpoint: the node runs again
    assert recorded == [said, answer] * 2
    said_once(memory, language)


def test_a_request_that_is_sent_again_under_its_own_id(memory: Memory) -> None:
    said, answer = SAID["en"]
    graph = graph_of(memory, lambda state: {"messages": [AIMessage(answer, id="reply-1")]})
    for _ in range(2):
        graph.invoke({"messages": [HumanMessage(said, id="request-1")]}, ADA)
    said_once(memory, "en")


def test_two_genuine_messages_that_say_the_same(memory: Memory) -> None:
    graph = graph_of(memory, lambda state: {"messages": [AIMessage("…")]})
    for _ in range(2):
        graph.invoke({"messages": [HumanMessage("ok"), HumanMessage("ok")]}, ADA)
    assert texts(memory, all_branches=True) == ["ok", "ok", "…", "ok", "ok", "…"]


class Plain(TypedDict):
    """A state whose messages get no ids."""

    messages: Annotated[list[AnyMessage], operator.add]


@LANGUAGES
def test_messages_without_ids(memory: Memory, language: str) -> None:
    said, answer = SAID[language]
    graph = StateGraph(Plain)
    graph.add_node("ask", asking(memory, answer, questions=2))
    graph.add_node("record", jiyi_recording_node(memory))
    graph.add_edge(START, "ask")
    graph.add_edge("ask", "record")
    compiled = graph.compile(checkpointer=InMemorySaver())
    compiled.invoke({"messages": [HumanMessage(said)]}, ADA)
    compiled.invoke(Command(resume="yes"), ADA)
    compiled.invoke(Command(resume="yes"), ADA)
    said_once(memory, language)
    compiled.invoke({"messages": [HumanMessage("ok"), HumanMessage("ok")]}, ADA)
    compiled.invoke(Command(resume="yes"), ADA)
    compiled.invoke(Command(resume="yes"), ADA)
    assert texts(memory, all_branches=True) == [said, answer, "ok", "ok", answer]


def test_a_client_that_keeps_the_history_itself(memory: Memory) -> None:
    """[u1], [u1, a1, u2], [u1, a1, u2, a2, u3] into a graph without checkpointer, the last one twice."""
    answers = {1: "Booked.", 3: "Also booked.", 5: "Welcome."}

    def answering(state: Plain) -> State:
        return {"messages": [AIMessage(answers[len(state["messages"])])]}

    graph = StateGraph(Plain)
    graph.add_node("save", jiyi_recording_node(memory))
    graph.add_node("answer", answering)
    graph.add_node("record", jiyi_recording_node(memory))
    graph.add_edge(START, "save")
    graph.add_edge("save", "answer")
    graph.add_edge("answer", "record")
    compiled, history = graph.compile(), list[AnyMessage]()
    for text in ("Book room 4 for Monday.", "And Tuesday?", "Thanks"):
        history.append(HumanMessage(text))
        history = compiled.invoke({"messages": history}, ADA)["messages"]
    compiled.invoke({"messages": history[:-1]}, ADA)
    assert texts(memory, all_branches=True) == [str(message.content) for message in history]


@LANGUAGES
async def test_sync_graphs_inside_a_running_loop(memory: Memory, language: str) -> None:
    said, answer = SAID[language]
    graph = graph_of(memory, asking(memory, answer))
    assert asyncio.get_running_loop()
    graph.invoke({"messages": [HumanMessage(said)]}, ADA)
    graph.invoke(Command(resume="yes"), ADA)
    said_once(memory, language)


@LANGUAGES
async def test_async_graphs(memory: Memory, language: str) -> None:
    said, answer = SAID[language]
    graph = graph_of(memory, jiyi_recording_node(memory), asking(memory, answer))
    await graph.ainvoke({"messages": [HumanMessage(said)]}, ADA)
    await graph.ainvoke(Command(resume="yes"), ADA)
    said_once(memory, language)


def test_async_graphs_in_threads(memory: Memory) -> None:
    """One loop a thread, one user a thread, one memory for all."""
    said, answer = SAID["en"]
    graph = graph_of(memory, jiyi_recording_node(memory), asking(memory, answer))

    def talk(user: str) -> None:
        config: RunnableConfig = {"configurable": {"thread_id": user, "user_id": user}}

        async def turn() -> None:
            await graph.ainvoke({"messages": [HumanMessage(said)]}, config)
            await graph.ainvoke(Command(resume="yes"), config)

        asyncio.run(turn())

    threads = [threading.Thread(target=talk, args=(f"user{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        user = f"user{number}"
        assert [m.text for m in memory.session(user, user_id=user).messages(all_branches=True)] == [said, answer]
