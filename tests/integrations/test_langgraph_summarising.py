"""The summarising node: a state stays small, nothing gets lost on the way, and nobody waits for a model."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import add_messages

from jiyi import InvalidInput, Memory, RollingSummary, SlidingWindow, SummaryBuffer
from jiyi.config import Settings
from jiyi.integrations.langgraph import SUMMARY_ID, jiyi_recording_node, jiyi_summarising_node
from jiyi.testing import Call, FakeClock, ScriptedLLM, Streamed

pytestmark = pytest.mark.integration("langgraph", "langchain-core")

ADA: Any = {"configurable": {"thread_id": "s", "user_id": "ada"}}
SMALL: Any = {"recent": 2, "after": 1, "max_tokens": 100}

OpenMemory = Callable[..., AbstractContextManager[Memory]]


@pytest.fixture
def opened(clock: FakeClock) -> OpenMemory:
    @contextmanager
    def open_(*strategies: Any, llm: ScriptedLLM | None = None) -> Iterator[Memory]:
        recipe = [*(strategies or (RollingSummary(recent=1, after=1, every=4),)), SlidingWindow(2)]
        options: Any = {"clock": clock, "settings": Settings(), "embedder": None, "tokenizer": "estimate"}
        with Memory.open("memory:", recipe=recipe, memory_llm=llm, **options) as memory:
            yield memory

    return open_


def told(call: Call) -> str:
    """A summary with every number that it is told."""
    sections = [part for part in re.split(r"^# \d+$", call.last, flags=re.MULTILINE) if part.strip()]
    texts = ["Spoke of " + " ".join(dict.fromkeys(re.findall(r"n\d+", part))) + "." for part in sections]
    return json.dumps({"summaries": [{"number": at, "summary": text} for at, text in enumerate(texts, 1)]})


class Talk:
    """A state that a node looks at again and again, as a graph with ``add_messages`` keeps it."""

    def __init__(self, memory: Memory, **width: Any) -> None:
        self.memory = memory
        self.node = jiyi_summarising_node(memory, **{**SMALL, **width})
        self.state: list[AnyMessage] = []

    def add(self, *messages: AnyMessage) -> None:
        self.state = add_messages(self.state, list(messages))  # type: ignore[assignment,arg-type]

    def say(self, *numbers: int) -> None:
        for number in numbers:
            self.add(HumanMessage(f"My locker is n{number}.", id=f"u{number}"))
            self.add(AIMessage(f"Locker n{number} is noted.", id=f"a{number}"))

    def use_tool(self, number: int) -> None:
        call = {"name": "look", "args": {"n": number}, "id": f"call{number}", "type": "tool_call"}
        self.add(HumanMessage(f"Look at n{number}.", id=f"u{number}"))
        self.add(AIMessage("", tool_calls=[call], id=f"c{number}"))
        self.add(ToolMessage(f"n{number} is there.", tool_call_id=f"call{number}", id=f"t{number}"))
        self.add(AIMessage(f"I see n{number}.", id=f"a{number}"))

    def run(self) -> list[BaseMessage]:
        """What the node writes; the state has it afterwards."""
        written = self.node.invoke({"messages": self.state}, ADA).get("messages", [])
        self.state = add_messages(self.state, written) if written else self.state  # type: ignore[assignment,arg-type]
        return written

    def stored(self) -> dict[str, str]:
        """Id -> text of the session's path."""
        return {m.id: m.text for m in self.memory.session("s", user_id="ada").messages()}

    @property
    def ids(self) -> list[str]:
        return [str(message.id) for message in self.state]

    @property
    def summary(self) -> str:
        return "".join(str(message.content) for message in self.state if message.id == SUMMARY_ID)

    def nothing_lost(self) -> None:
        """Every message of the path stands in the state or in the summary; tool calls have their results."""
        there = {(message.id, message.text) for message in self.state}
        numbers = set(re.findall(r"n\d+", self.summary))
        for name, text in self.stored().items():
            here = (name.partition("~")[0], text) in there  # an edited message has its id and a mark
            assert here or set(re.findall(r"n\d+", text)) <= numbers, (name, self.ids, self.summary)
        calls = [c["id"] for m in self.state if isinstance(m, AIMessage) for c in m.tool_calls]
        assert calls == [m.tool_call_id for m in self.state if isinstance(m, ToolMessage)]


@pytest.mark.parametrize("strategy", [RollingSummary(recent=1, after=1, every=4), SummaryBuffer(recent=1, every=4)])
def test_a_state_stays_small_and_nothing_is_lost(opened: OpenMemory, strategy: Any) -> None:
    with opened(strategy, llm=ScriptedLLM(told)) as memory:
        talk = Talk(memory)
        for number in range(40):
            talk.say(number) if number % 3 else talk.use_tool(number)
            talk.run()
            talk.nothing_lost()
            memory.drain()
        talk.run()
        assert len(talk.state) <= 1 + 4 * (SMALL["recent"] + SMALL["after"] + 2)
        assert talk.ids[0] == SUMMARY_ID and talk.state[0].type == "system" and talk.state[1].type == "human"
        stored = talk.stored()
        assert len(stored) == 40 * 2 + 14 * 2, "word for word, and the summary is not among them"
        assert stored["u7"] == "My locker is n7." and "n7" in talk.summary


def test_what_no_summary_tells_of_yet_stays(opened: OpenMemory) -> None:
    with opened(RollingSummary(every=1000)) as memory:
        talk = Talk(memory)
        talk.say(*range(20))
        assert talk.run() == [] and len(talk.state) == 40
        assert len(talk.stored()) == 40, "recorded all the same"


def test_few_turns_over_the_width_change_nothing(opened: OpenMemory) -> None:
    """The state, and with it the prompt's beginning, changes every few turns and not every turn."""
    with opened() as memory:
        talk = Talk(memory, recent=2, after=3)
        changes = 0
        for number in range(24):
            talk.say(number)
            memory.drain()
            changes += bool(talk.run())
            memory.drain()
        assert 3 <= changes <= 8


def test_nobody_waits_for_a_model(opened: OpenMemory) -> None:
    llm = ScriptedLLM(lambda _: Streamed(hangs=True))
    with opened(llm=llm) as memory:
        talk = Talk(memory)
        for number in range(12):
            talk.say(number)
            talk.run()  # returns, although the model never does
        assert set(talk.stored()) >= {f"u{number}" for number in range(12)}


def test_the_summary_keeps_its_id_and_its_place(opened: OpenMemory) -> None:
    with opened(llm=ScriptedLLM(told)) as memory:
        talk = Talk(memory)
        talk.add(SystemMessage("Be brief.", id="rules"))
        talk.say(*range(8))
        talk.run()
        memory.drain()
        first = talk.run()
        assert talk.ids[:2] == ["rules", SUMMARY_ID]
        before = talk.summary
        talk.say(*range(8, 16))
        talk.run()
        memory.drain()
        second = talk.run()
        assert talk.ids[:2] == ["rules", SUMMARY_ID] and talk.ids.count(SUMMARY_ID) == 1
        assert talk.summary != before and "n9" in talk.summary
        assert first and second and all(isinstance(message, RemoveMessage) for message in second[:-1])
        assert talk.run() == [], "nothing is new"


@pytest.mark.parametrize("by", ["rules", "model"])
def test_chinese(opened: OpenMemory, by: str) -> None:
    def summarise(call: Call) -> str:
        return json.dumps({"summaries": [{"number": 1, "summary": "用户的预算是500元，礼物送给侄女。"}]})

    with opened(llm=ScriptedLLM(summarise) if by == "model" else None) as memory:
        talk = Talk(memory)
        talk.add(HumanMessage("我的预算是500元，礼物送给上一年级的侄女。", id="u"), AIMessage("好的，记下了。", id="a"))
        for number in range(6):
            talk.add(HumanMessage(f"再讲讲第{number}种恐龙。"), AIMessage("它很大。"))
            talk.run()
            memory.drain()
        talk.run()
        assert "u" not in talk.ids and "500" in talk.summary and "[摘要]" in talk.summary
        assert talk.stored()["u"] == "我的预算是500元，礼物送给上一年级的侄女。"


def test_going_back_keeps_what_the_old_summary_told_of(opened: OpenMemory) -> None:
    """A fork from an old checkpoint has the summary of then, and lacks what that one tells of."""
    with opened(llm=ScriptedLLM(told)) as memory:
        talk, kept = Talk(memory), list[AnyMessage]()
        for number in range(12):
            talk.say(number)
            talk.run()
            memory.drain()
            if number == 8:
                kept = list(talk.state)
        talk.run()
        talk.state = kept
        for number in (100, 101, 102, 103, 104):
            talk.say(number)
            talk.run()
            talk.nothing_lost()
            memory.drain()
            talk.run()
            talk.nothing_lost()
        assert "u11" not in talk.stored() and "u8" in talk.stored()
        assert "n11" not in talk.summary


def test_what_is_erased_leaves_the_summary(opened: OpenMemory) -> None:
    with opened(llm=ScriptedLLM(told)) as memory:
        talk = Talk(memory)
        for number in range(8):
            talk.say(number)
            talk.run()
            memory.drain()
        talk.run()
        assert "n1" in talk.summary
        memory.forget(user_id="ada", message_ids=["u1", "a1"])
        memory.drain()
        talk.run()
        assert "n1" not in talk.summary.split("Spoke of")[1].replace(".", "").split() and "n2" in talk.summary
        memory.forget(user_id="ada")
        talk.run()
        assert not talk.summary, "it tells of nothing that is there"


def test_a_call_whose_result_is_late_stays_with_it(opened: OpenMemory) -> None:
    with opened(llm=ScriptedLLM(told)) as memory:
        talk = Talk(memory)
        call = {"name": "look", "args": {}, "id": "late", "type": "tool_call"}
        talk.add(HumanMessage("Look at n0.", id="u0"), AIMessage("", tool_calls=[call], id="c0"))
        talk.say(*range(1, 5))
        talk.add(ToolMessage("n0 is there.", tool_call_id="late", id="t0"))
        talk.say(*range(5, 9))
        talk.run()
        memory.drain()
        talk.run()
        assert ("c0" in talk.ids) == ("t0" in talk.ids)
        talk.say(*range(9, 14))
        talk.run()
        memory.drain()
        talk.run()
        assert "c0" not in talk.ids and "t0" not in talk.ids


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_done_nothing_is_lost(opened: OpenMemory, seed: int) -> None:
    """Turns with and without tools, summaries that are late, states of before, edited messages, in any order."""
    chance = random.Random(seed)
    with opened(llm=ScriptedLLM(told)) as memory:
        talk = Talk(memory, max_tokens=2000)  # room for every sentence: what is missing then is lost
        before: list[list[AnyMessage]] = []
        for number in range(60):
            act = chance.random()
            if act < 0.1 and before:
                talk.state = list(chance.choice(before))
            elif act < 0.15 and len(talk.state) > 2:
                said = chance.choice([m for m in talk.state if m.type == "human"])
                talk.add(HumanMessage(f"No, it is n{number}.", id=said.id))
            elif act < 0.35:
                talk.use_tool(number)
            else:
                talk.say(number)
            talk.run()
            talk.nothing_lost()
            before.append(list(talk.state))
            if chance.random() < 0.7:
                memory.drain()


def test_each_part_of_the_summary_has_a_sentence_however_short_it_is_to_be(opened: OpenMemory) -> None:
    with opened() as memory:
        talk = Talk(memory, max_tokens=1)
        talk.say(*range(12))
        talk.run()
        memory.drain()
        talk.run()
        assert talk.ids[:2] == [SUMMARY_ID, "u10"]
        assert talk.summary.count("[summary]") == 3 and "n0" in talk.summary and "n8" in talk.summary


def test_messages_without_ids_are_refused(opened: OpenMemory) -> None:
    with opened() as memory:
        node = jiyi_summarising_node(memory)
        with pytest.raises(InvalidInput, match="add_messages"):
            node.invoke({"messages": [HumanMessage("hello")]}, ADA)
        with pytest.raises(InvalidInput, match="messages"):
            node.invoke({}, ADA)


def test_a_recipe_without_summaries_is_refused(clock: FakeClock) -> None:
    with (
        Memory.open("memory:", recipe=[SlidingWindow(2)], embedder=None, clock=clock, settings=Settings()) as memory,
        pytest.raises(InvalidInput, match="summaries"),
    ):
        jiyi_summarising_node(memory)


@pytest.mark.parametrize("wrong", [{"recent": 0}, {"after": 0}, {"max_tokens": -1}])
def test_numbers_out_of_range_are_refused(opened: OpenMemory, wrong: Any) -> None:
    with opened() as memory, pytest.raises(InvalidInput, match=next(iter(wrong))):
        jiyi_summarising_node(memory, **wrong)


def _graph(memory: Memory) -> Any:
    def answering(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(f"Noted: {state['messages'][-1].content}")]}

    graph = StateGraph(MessagesState)
    graph.add_node("summarise", jiyi_summarising_node(memory, **SMALL))
    graph.add_node("model", answering)
    graph.add_node("record", jiyi_recording_node(memory))
    graph.add_edge(START, "summarise")
    graph.add_edge("summarise", "model")
    graph.add_edge("model", "record")
    return graph.compile(checkpointer=InMemorySaver())


@pytest.mark.parametrize("awaited", [False, True])
def test_in_a_graph_with_a_checkpointer(opened: OpenMemory, awaited: bool) -> None:
    with opened(llm=ScriptedLLM(told)) as memory:
        graph = _graph(memory)
        for number in range(14):
            given = {"messages": [HumanMessage(f"My locker is n{number}.")]}
            asyncio.run(graph.ainvoke(given, ADA)) if awaited else graph.invoke(given, ADA)
            memory.drain()
        state = graph.get_state(ADA).values["messages"]
        assert state[0].id == SUMMARY_ID and len(state) <= 14
        said = [m.text for m in memory.session("s", user_id="ada").messages(all_branches=True)]
        assert len(said) == 28 and said[0] == "My locker is n0."
        early = [s for s in graph.get_state_history(ADA) if len(s.values["messages"]) == 4][-1]
        fork = {"configurable": {**ADA["configurable"], **early.config["configurable"]}}
        graph.invoke({"messages": [HumanMessage("My locker is n99.")]}, fork)
        path = [m.text for m in memory.session("s", user_id="ada").messages()]
        assert path == [*said[:4], "My locker is n99.", "Noted: My locker is n99."]
