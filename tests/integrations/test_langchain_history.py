"""A session as the history of a real chain: sync, async, streamed, from any thread and loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel, ParrotFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import ConfigurableFieldSpec, RunnableLambda, RunnablePassthrough
from langchain_core.runnables.history import RunnableWithMessageHistory

from jiyi import BudgetTooSmall, InvalidInput, Memory
from jiyi.config import Settings
from jiyi.integrations.langchain import JiyiChatMessageHistory, recalled_history
from jiyi.testing import FakeClock

pytestmark = [
    pytest.mark.integration("langchain-core"),
    pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated"),
]


def opened(url: str = "memory:", **options: Any) -> Memory:
    options = {"embedder": None, "tokenizer": "estimate", "clock": FakeClock(), "settings": Settings(), **options}
    return Memory.open(url, **options)


@pytest.fixture(params=["memory", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with opened("memory:" if request.param == "memory" else str(tmp_path / "m.db")) as memory:
        yield memory


def history(memory: Memory, session: str = "s", **options: Any) -> JiyiChatMessageHistory:
    return JiyiChatMessageHistory(memory, session, user_id="小李", **options)


def texts(messages: list[BaseMessage]) -> list[tuple[str, str]]:
    return [(message.type, message.text) for message in messages]


# -- by itself -------------------------------------------------------------------------------------------------------


def test_messages_are_kept_with_their_ids_and_come_back_equal(memory: Memory) -> None:
    call = {"name": "find", "args": {"q": "花生"}, "id": "c1", "type": "tool_call"}
    said: list[BaseMessage] = [
        SystemMessage("Be kind.", id="0"),
        HumanMessage("我对花生过敏", id="1"),
        AIMessage("", id="2", tool_calls=[call], response_metadata={"model": "qwen"}),
        ToolMessage("noted", tool_call_id="c1", id="3", artifact={"rows": [1]}),
        AIMessage("记住了。", id="4", usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}),
    ]
    assert history(memory).messages == []
    history(memory).add_messages(said)
    assert history(memory).messages == said
    assert [m.id for m in memory.session("s", user_id="小李").messages()] == ["0", "1", "2", "3", "4"]


def test_adding_the_same_again_adds_nothing(memory: Memory) -> None:
    said = [HumanMessage("Hi", id="1"), AIMessage("Hello", id="2")]
    history(memory).add_messages(said)
    history(memory).add_messages([*said, HumanMessage("Hi", id="3")])
    assert [message.id for message in history(memory).messages] == ["1", "2", "3"]


def test_equal_messages_without_ids_are_two(memory: Memory) -> None:
    kept = history(memory)
    kept.add_user_message("again")
    kept.add_user_message("again")
    kept.add_ai_message("Yes?")
    assert texts(kept.messages) == [("human", "again"), ("human", "again"), ("ai", "Yes?")]
    assert str(kept) == "Human: again\nHuman: again\nAI: Yes?"


def test_an_id_that_stands_for_something_else_is_no_obstacle(memory: Memory) -> None:
    """LangChain's ids are unique in a history, if at all; ours are unique for a user."""
    one, two = history(memory, "one"), history(memory, "two")
    one.add_messages([HumanMessage("你好", id="1")])
    two.add_messages([HumanMessage("再见", id="1", name="小李"), AIMessage("Bye", id="2")])
    two.add_messages([HumanMessage("再见", id="1", name="小李")])
    two.add_messages([HumanMessage("不对", id="1")])
    assert one.messages == [HumanMessage("你好", id="1")]
    assert two.messages == [
        HumanMessage("再见", id="1", name="小李"),
        AIMessage("Bye", id="2"),
        HumanMessage("不对", id="1"),
    ]


def test_clear_erases_the_session_and_no_other(memory: Memory, tmp_path: Path) -> None:
    kept, other = history(memory), history(memory, "other")
    kept.add_messages([HumanMessage("我的密码是 zq7-Wolkenkuckucksheim", id="1")])
    other.add_messages([HumanMessage("hello", id="2")])
    kept.clear()
    assert kept.messages == [] and texts(other.messages) == [("human", "hello")]
    assert memory.search("Wolkenkuckucksheim", user_id="小李") == []
    for file in tmp_path.iterdir():
        assert b"Wolkenkuckucksheim" not in file.read_bytes()
    kept.clear()
    kept.add_messages([HumanMessage("anew", id="1")])
    assert texts(kept.messages) == [("human", "anew")]


def test_one_message_that_cannot_be_kept_keeps_all_out(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match=r"messages\[1\]"):
        history(memory).add_messages([HumanMessage("fine"), HumanMessage("a\0b")])
    assert history(memory).messages == []


@pytest.mark.parametrize(("session", "options"), [(" ", {}), ("s", {"max_tokens": 0}), ("s", {"max_tokens": "5"})])
def test_what_cannot_be_is_refused_at_once(session: str, options: dict[str, Any]) -> None:
    with opened() as memory, pytest.raises(InvalidInput):
        history(memory, session, **options)


async def test_all_of_it_can_be_awaited(memory: Memory) -> None:
    kept = history(memory)
    await kept.aadd_messages([HumanMessage("你好", id="1")])
    assert await kept.aget_messages() == [HumanMessage("你好", id="1")]
    kept.add_user_message("and without waiting, in a running loop")
    assert len(kept.messages) == 2
    await kept.aclear()
    assert await kept.aget_messages() == []


# -- within a budget -------------------------------------------------------------------------------------------------


def test_within_a_budget_the_newest_messages_stay_whole(memory: Memory) -> None:
    kept = history(memory)
    kept.add_messages([message for at in range(40) for message in (HumanMessage(f"第{at}个问题" * 5), AIMessage("ok"))])
    few = history(memory, max_tokens=200).messages
    assert 2 <= len(few) < 40
    assert few[-2:] == kept.messages[-2:]  # as they are, with their ids


def test_within_a_budget_it_stays_the_same_until_something_is_added_here(memory: Memory) -> None:
    kept = history(memory, max_tokens=500)
    kept.add_messages([HumanMessage("one", id="1"), AIMessage("yes", id="2")])
    first = kept.messages
    history(memory).add_messages([HumanMessage("from elsewhere", id="3")])
    assert kept.messages == first
    kept.add_messages([AIMessage("two", id="4")])
    assert [message.id for message in kept.messages] == ["1", "2", "3", "4"]
    kept.clear()
    assert kept.messages == []


# -- in chains -------------------------------------------------------------------------------------------------------

PROMPT = ChatPromptTemplate([("system", "Be kind."), MessagesPlaceholder("history"), ("human", "{input}")])
FIELDS = [ConfigurableFieldSpec(id=name, annotation=str, is_shared=True) for name in ("user_id", "session_id")]


def answers(*said: str | AIMessage) -> GenericFakeChatModel:
    return GenericFakeChatModel(messages=iter(said))


def talk(memory: Memory, model: Any, *, before: Any = None, **options: Any) -> Any:
    """The usual chain, with a history for each user and session."""

    def get(user_id: str, session_id: str) -> BaseChatMessageHistory:
        return JiyiChatMessageHistory(memory, session_id, user_id=user_id, **options)

    chain = PROMPT | model
    return RunnableWithMessageHistory(
        chain if before is None else before | chain,
        get,
        input_messages_key="input",
        history_messages_key="history",
        history_factory_config=FIELDS,
    )


def of(session: str = "s", user: str = "小李") -> dict[str, Any]:
    return {"configurable": {"session_id": session, "user_id": user}}


@pytest.fixture
def seen() -> list[list[BaseMessage]]:
    """What the model was given, call by call."""
    return []


def watched(seen: list[list[BaseMessage]], model: Any) -> Any:
    def look(prompt: Any) -> Any:
        seen.append(list(prompt.to_messages()))
        return prompt

    return RunnableLambda(look) | model


def test_a_chain_remembers(memory: Memory, seen: list[list[BaseMessage]]) -> None:
    chain = talk(memory, watched(seen, answers("记住了。", "花生。")))
    assert chain.invoke({"input": "我对花生过敏"}, of()).text == "记住了。"
    assert chain.invoke({"input": "我对什么过敏？"}, of()).text == "花生。"
    assert texts(seen[1]) == [
        ("system", "Be kind."),
        ("human", "我对花生过敏"),
        ("ai", "记住了。"),
        ("human", "我对什么过敏？"),
    ]
    assert texts(history(memory).messages)[-1] == ("ai", "花生。")
    assert len(history(memory).messages) == 4
    assert JiyiChatMessageHistory(memory, "s", user_id="王五").messages == []


async def test_a_chain_remembers_when_awaited_and_streamed(memory: Memory, seen: list[list[BaseMessage]]) -> None:
    chain = talk(memory, watched(seen, answers("first answer", "second answer", "third answer")))
    assert (await chain.ainvoke({"input": "one"}, of())).text == "first answer"
    pieces = [piece.text async for piece in chain.astream({"input": "二"}, of())]
    assert len(pieces) > 1 and "".join(pieces) == "second answer"
    pieces = [piece.text for piece in chain.stream({"input": "three"}, of())]  # in a running loop
    assert "".join(pieces) == "third answer"
    kept = await history(memory).aget_messages()
    assert texts(kept) == [
        ("human", "one"), ("ai", "first answer"), ("human", "二"), ("ai", "second answer"), ("human", "three"),
        ("ai", "third answer"),
    ]  # fmt: skip
    assert all(type(message) in (HumanMessage, AIMessage) for message in kept)
    assert texts(seen[2])[1:] == texts(kept)[:5]


@pytest.mark.parametrize("max_tokens", [None, 300])
def test_a_chain_of_messages_alone_keeps_only_what_is_new(memory: Memory, max_tokens: int | None) -> None:
    """Without a key for it the history is put before the input, and counted off again afterwards."""

    def get(session_id: str) -> BaseChatMessageHistory:
        return history(memory, session_id, max_tokens=max_tokens)

    chain = RunnableWithMessageHistory(answers(*(f"answer {at}" for at in range(12))), get)
    for at in range(12):
        question = HumanMessage(f"第{at}个问题，说得很长很长很长" * 3, id=f"h{at}")
        chain.invoke([question], {"configurable": {"session_id": "s"}})
    kept = history(memory).messages
    assert [m.text for m in kept if m.type == "ai"] == [f"answer {at}" for at in range(12)]
    assert [m.id for m in kept if m.type == "human"] == [f"h{at}" for at in range(12)]


def test_chains_in_threads_keep_their_sessions_apart(memory: Memory) -> None:
    chain = talk(memory, RunnableLambda(lambda prompt: AIMessage(prompt.to_messages()[-1].text.upper())))

    def converse(at: int) -> None:
        for turn in range(4):
            config = of(f"s{at}")
            if at % 2:
                chain.invoke({"input": f"{at}:{turn}"}, config)
            else:
                asyncio.run(chain.ainvoke({"input": f"{at}:{turn}"}, config))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(converse, range(6)))
    for at in range(6):
        kept = history(memory, f"s{at}").messages
        assert [m.text for m in kept if m.type == "human"] == [f"{at}:{turn}" for turn in range(4)]
        assert len(kept) == 8


async def test_two_loops_at_once(memory: Memory) -> None:
    kept = history(memory)
    other = threading.Thread(target=lambda: asyncio.run(kept.aadd_messages([HumanMessage("there", id="t")])))
    other.start()
    await kept.aadd_messages([HumanMessage("here", id="h")])
    other.join()
    assert {message.id for message in await kept.aget_messages()} == {"t", "h"}


# -- with the question known -----------------------------------------------------------------------------------------


def asked(memory: Memory, seen: list[list[BaseMessage]], max_tokens: int = 400) -> Any:
    before = RunnablePassthrough.assign(history=recalled_history(max_tokens=max_tokens))
    return talk(memory, watched(seen, ParrotFakeChatModel()), before=before)


def told(memory: Memory) -> None:
    """An old session that knows it, and a long one in between."""
    history(memory, "old").add_messages([HumanMessage("My cat is called Wolke."), AIMessage("A fine name.")])
    history(memory).add_messages([HumanMessage(f"Tell me about number {at}, please.") for at in range(60)])


def test_the_history_that_fits_a_question(seen: list[list[BaseMessage]]) -> None:
    with opened(recipe="recall") as memory:
        told(memory)
        asked(memory, seen).invoke({"input": "What is my cat called?"}, of())
        kept = history(memory).messages
    said = texts(seen[0])
    assert "Wolke" in str(said) and said[-1] == ("human", "What is my cat called?")
    assert [text for _, text in said].count("What is my cat called?") == 1
    assert kept[-2].text == "What is my cat called?" and len(kept) == 62


async def test_the_history_that_fits_a_question_awaited(seen: list[list[BaseMessage]]) -> None:
    with opened(recipe="recall") as memory:
        told(memory)
        question = [HumanMessage("What is my cat called?", id="q")]
        before = RunnablePassthrough.assign(history=recalled_history(max_tokens=400))
        prompt = ChatPromptTemplate([MessagesPlaceholder("history"), MessagesPlaceholder("input")])
        chain = before | prompt | watched(seen, answers("Wolke."))
        with_history = RunnableWithMessageHistory(
            chain,
            lambda session_id: history(memory, session_id),
            input_messages_key="input",
            history_messages_key="history",
        )
        await with_history.ainvoke({"input": question}, {"configurable": {"session_id": "s"}})
        kept = await history(memory).aget_messages()
    assert "Wolke" in str(texts(seen[0])) and seen[0][-1].text == question[0].text
    assert kept[-2].id == "q"


def test_recalled_history_says_where_it_belongs() -> None:
    with pytest.raises(InvalidInput, match="RunnableWithMessageHistory"):
        recalled_history().invoke({"input": "Hi"})
    with pytest.raises(InvalidInput):
        recalled_history(max_tokens=0)
    with opened() as memory:
        config: Any = {"configurable": {"message_history": history(memory)}}
        with pytest.raises(InvalidInput, match="question"):
            recalled_history().invoke({"question": "Hi"}, config)
        with pytest.raises(BudgetTooSmall):
            recalled_history(max_tokens=5).invoke({"input": "a long question " * 50}, config)
