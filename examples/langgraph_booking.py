"""A graph that asks before it books, and what can happen to it: for langgraph_sqlite.py and langgraph_postgres.py.

The checkpointer keeps the graph's state, so that it can stop, go on and go back.  Jiyi keeps what was said: each
message once, those of the present course on the session's path, the others beside it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from jiyi import Memory
from jiyi.integrations.langgraph import jiyi_pre_model_hook, jiyi_recording_node

SAID = {
    "en": ("Book room 4 for Monday.", "And a projector.", "And two projectors.", "And coffee for 12.", "Booked: "),
    "zh": ("请订周一的四号会议室。", "再要一台投影仪。", "再要两台投影仪。", "再要 12 杯咖啡。", "已订："),
}
CONFIG: Any = {"configurable": {"thread_id": "monday", "user_id": "lin"}}

Opener = Callable[[], AbstractContextManager[Any]]


class State(MessagesState):
    llm_input_messages: list[AnyMessage]  # what the model is to see


def build(memory: Memory, checkpointer: Any, booked: str) -> Any:
    def answer(state: State) -> dict[str, Any]:
        wish = state["llm_input_messages"][-1].text  # a model would be given all of them
        if interrupt(f"{wish} OK?") != "yes":
            return {"messages": [AIMessage("…")]}
        return {"messages": [AIMessage(booked + wish)]}

    graph = StateGraph(State)
    graph.add_node("remember", jiyi_pre_model_hook(memory))
    graph.add_node("answer", answer)
    graph.add_node("record", jiyi_recording_node(memory))
    graph.add_edge(START, "remember")
    graph.add_edge("remember", "answer")
    graph.add_edge("answer", "record")
    return graph.compile(checkpointer=checkpointer)


def walk(open_checkpointer: Opener, database: str | Path, language: str) -> list[str]:
    """Stops, is started anew, goes on, goes back twice; gives the session's path."""
    room, projector, two, coffee, booked = SAID[language]

    # 1. the user asks, the graph waits for a person, the process ends
    with Memory.open(database, embedder="none") as memory, open_checkpointer() as checkpointer:
        graph = build(memory, checkpointer, booked)
        graph.invoke({"messages": [HumanMessage(room)]}, CONFIG)
        show("waiting", memory)

    # 2. another process: the person agrees, and the talk goes on
    with Memory.open(database, embedder="none") as memory, open_checkpointer() as checkpointer:
        graph = build(memory, checkpointer, booked)
        graph.invoke(Command(resume="yes"), CONFIG)
        graph.invoke({"messages": [HumanMessage(projector)]}, CONFIG)
        graph.invoke(Command(resume="yes"), CONFIG)
        show("two turns", memory)

        # 3. back to the end of the first turn, and on from there with something else
        ends = [state for state in graph.get_state_history(CONFIG) if not state.next]
        after_first = {"configurable": {**CONFIG["configurable"], **ends[-1].config["configurable"]}}
        graph.invoke({"messages": [HumanMessage(coffee)]}, after_first)
        graph.invoke(Command(resume="yes"), CONFIG)
        show("another second turn", memory)

        # 4. back to the first second turn, with its question edited
        asked = next(
            state
            for state in graph.get_state_history(CONFIG)
            if state.next == ("answer",) and state.values["messages"][-1].text == projector
        )
        edited = HumanMessage(two, id=asked.values["messages"][-1].id)
        fork = graph.update_state(asked.config, {"messages": [edited]}, as_node="__start__")
        graph.invoke(None, {"configurable": {**CONFIG["configurable"], **fork["configurable"]}})
        graph.invoke(Command(resume="yes"), CONFIG)
        show("the first one, edited", memory)
        return [message.text for message in memory.session("monday", user_id="lin").messages()]


def show(what: str, memory: Memory) -> None:
    session = memory.session("monday", user_id="lin")
    print(f"{what}: {len(session.messages(all_branches=True))} messages in the log; the path:")
    for message in session.messages():
        print(f"  {message.role}: {message.text}")


def options(doc: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    parser.add_argument("--language", choices=list(SAID), default="en")
    return parser
