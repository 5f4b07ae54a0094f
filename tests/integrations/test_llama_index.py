"""LlamaIndex's memory and chat stores on a memory: its messages come back equal, and are kept once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.base.llms.types import (
    ChatMessage,
    ImageBlock,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.memory import Memory as LlamaMemory
from llama_index.core.storage.chat_store.base_db import MessageStatus
from pydantic import ValidationError

from jiyi import InvalidInput, Memory
from jiyi.config import Settings
from jiyi.integrations.llama_index import JiyiChatStore, JiyiMemoryBlock, JiyiQueueStore
from jiyi.integrations.llama_index.messages import from_llama, to_llama
from jiyi.testing import FakeClock

pytestmark = [
    pytest.mark.integration("llama-index-core"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:llama_index"),
]


def opened(url: str = "memory:", **options: Any) -> Memory:
    return Memory.open(url, embedder=None, tokenizer="estimate", clock=FakeClock(), settings=Settings(), **options)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with opened() as memory:
        yield memory


def user(text: str) -> ChatMessage:
    return ChatMessage(role="user", content=text)


def assistant(text: str) -> ChatMessage:
    return ChatMessage(role="assistant", content=text)


def words(messages: list[ChatMessage]) -> list[str | None]:
    return [message.content for message in messages]


# -- messages

texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
blocks = st.one_of(
    texts.map(lambda text: TextBlock(text=text)),
    texts.map(lambda text: ThinkingBlock(content=text, additional_information={"signature": "s"})),
    st.builds(
        lambda name, given: ToolCallBlock(tool_call_id="c1", tool_name=name, tool_kwargs=given),
        st.sampled_from(["book", "订房"]),
        st.one_of(st.dictionaries(st.sampled_from("ab"), st.integers(0, 3)), st.just('{"room": 4}')),
    ),
    st.just(ImageBlock(image=b"aGVsbG8=", image_mimetype="image/png")),
)
messages = st.builds(
    lambda role, parts, more: ChatMessage(role=role, blocks=parts, additional_kwargs=more),
    st.sampled_from([*MessageRole]),
    st.lists(blocks, max_size=3),
    st.dictionaries(st.sampled_from(["tool_call_id", "name", "键"]), st.sampled_from(["x", "值"]), max_size=2),
)


@given(st.lists(messages, max_size=4))
@settings(max_examples=60, deadline=None)
def test_every_message_comes_back_equal(given_: list[ChatMessage]) -> None:
    with opened() as memory:
        chat = memory.session("s", user_id="ada")
        stored = chat.add_many([from_llama(message) for message in given_]) if given_ else []
        assert [to_llama(message).model_dump() for message in stored] == [message.model_dump() for message in given_]


def test_calls_and_results_are_jiyis_own(memory: Memory) -> None:
    call = ToolCallBlock(tool_call_id="c1", tool_name="book", tool_kwargs={"房间": 4})
    chat = memory.session("s", user_id="ada")
    older = {"tool_calls": [{"id": "c2", "type": "function", "function": {"name": "book", "arguments": "{}"}}]}
    stored = chat.add_many(
        [
            from_llama(user("订四号房")),
            from_llama(ChatMessage(role="assistant", blocks=[call])),
            from_llama(ChatMessage(role="tool", content="booked", additional_kwargs={"tool_call_id": "c1"})),
            from_llama(ChatMessage(role="assistant", content="", additional_kwargs=older)),
            from_llama(ChatMessage(role="function", content="of nobody knows what")),
        ]
    )
    assert [message.role for message in stored] == ["user", "assistant", "tool", "assistant", "assistant"]
    assert json.loads(stored[1].tool_calls[0]["function"]["arguments"]) == {"房间": 4}  # type: ignore[call-overload,index]
    assert stored[2].tool_call_id == "c1" and stored[3].tool_calls[0]["id"] == "c2"
    assert [m["role"] for m in chat.context(max_tokens=500).messages][:3] == ["user", "assistant", "tool"]


def test_messages_of_another_way_come_too(memory: Memory) -> None:
    chat = memory.session("s", user_id="ada")
    call = {"id": "c1", "type": "function", "function": {"name": "book", "arguments": '{"room": 4}'}}
    chat.add("user", "Book room 4")
    chat.add("assistant", None, tool_calls=[call])
    chat.add("tool", "booked", tool_call_id="c1")
    first, second, third = JiyiChatStore(memory=memory, user_id="ada").get_messages("s")
    assert first.content == "Book room 4" and third.additional_kwargs == {"tool_call_id": "c1"}
    assert isinstance(second.blocks[0], ToolCallBlock) and second.blocks[0].tool_name == "book"


# -- chat store


def test_a_chat_store_does_what_others_do(memory: Memory) -> None:
    store = JiyiChatStore(memory=memory, user_id="ada")
    assert store.get_messages("s") == [] and store.delete_messages("s") is None and store.get_keys() == []
    for message in (user("ok"), assistant("好的"), user("ok")):
        store.add_message("s", message)
    assert words(store.get_messages("s")) == ["ok", "好的", "ok"]
    assert store.delete_message("s", 7) is None and store.delete_message("s", -4) is None
    assert store.delete_message("s", 1) == assistant("好的")
    assert store.delete_last_message("s") == user("ok")
    assert words(store.get_messages("s")) == ["ok"] and store.get_keys() == ["s"]
    assert store.delete_messages("s") == [user("ok")]
    assert store.get_keys() == [] and memory.messages(user_id="ada") == []


@pytest.mark.parametrize("end", range(4))
def test_a_list_that_is_set_again_is_kept_once(memory: Memory, end: int) -> None:
    store = JiyiChatStore(memory=memory, user_id="ada")
    talk = [ChatMessage(role="system", content="Be kind."), user("ok"), assistant("Fine."), user("ok")]
    for _ in range(2):
        store.set_messages("s", talk)
    assert store.get_messages("s") == talk
    assert len(memory.session("s", user_id="ada").messages(all_branches=True)) == 4
    other = [*talk[:end], assistant("Another way")]
    store.set_messages("s", other)
    assert store.get_messages("s") == other
    store.set_messages("s", talk[:end])
    assert store.get_messages("s") == talk[:end]
    assert len(memory.session("s", user_id="ada").messages(all_branches=True)) == 5  # what left the path stays stored
    store.delete_messages("s")
    assert memory.session("s", user_id="ada").messages(all_branches=True) == []


async def test_it_works_on_every_loop_and_thread(memory: Memory) -> None:
    store = JiyiChatStore(memory=memory, user_id="ada")
    store.add_message("s", user("one"))
    await store.async_add_message("s", user("two"))
    await asyncio.to_thread(store.add_message, "s", user("three"))
    await asyncio.to_thread(lambda: asyncio.run(store.async_add_message("s", user("four"))))
    assert words(await store.aget_messages("s")) == ["one", "two", "three", "four"]
    await store.aset_messages("s", [user("one")])
    assert await store.adelete_last_message("s") == user("one")
    assert await store.adelete_message("s", 0) is None and await store.adelete_messages("s") is None
    assert await store.aget_keys() == []


def test_a_chat_engine_with_a_buffer(memory: Memory) -> None:
    for _ in range(2):  # the second time as after a restart
        buffer = ChatMemoryBuffer.from_defaults(
            chat_store=JiyiChatStore(memory=memory, user_id="ada"), chat_store_key="s", token_limit=3000
        )
        engine = SimpleChatEngine.from_defaults(llm=MockLLM(), memory=buffer)
        engine.chat("我对花生过敏")
    said = [(message.role, message.text) for message in memory.session("s", user_id="ada").messages()]
    assert [text for role, text in said if role == "user"] == ["我对花生过敏"] * 2 and len(said) == 4
    memory.drain()
    assert len(memory.records(user_id="ada", kind="fact")) == 1


def test_users_and_dumps(memory: Memory) -> None:
    store = JiyiChatStore(memory=memory, user_id="ada")
    store.add_message("s", user("mine"))
    assert JiyiChatStore(memory=memory, user_id="bob").get_messages("s") == []
    assert store.to_dict() == {"user_id": "ada", "class_name": "JiyiChatStore"}
    for kind in (JiyiChatStore, JiyiQueueStore, JiyiMemoryBlock):
        with pytest.raises((InvalidInput, ValidationError), match="user_id"):
            kind(memory=memory, user_id=" ")  # type: ignore[operator]


# -- the queue of LlamaIndex's memory


async def test_a_queue_has_active_and_archived_messages(memory: Memory) -> None:
    store = JiyiQueueStore(memory=memory, user_id="ada")
    await store.add_messages("s", [user(f"m{n}") for n in range(6)])
    assert words(await store.archive_oldest_messages("s", 2)) == ["m0", "m1"]
    assert words(await store.archive_oldest_messages("s", 1)) == ["m2"]
    assert words(await store.get_messages("s")) == ["m3", "m4", "m5"]
    assert words(await store.get_messages("s", limit=1, offset=1)) == ["m4"]
    assert words(await store.get_messages("s", MessageStatus.ARCHIVED)) == ["m0", "m1", "m2"]
    assert await store.count_messages("s", None) == 6 and await store.count_messages("s") == 3
    assert words(await store.delete_oldest_messages("s", 1)) == ["m3"]
    assert await store.delete_message("s", 2) == user("m2") and await store.delete_message("s", 9) is None
    assert words(await store.get_messages("s", MessageStatus.ARCHIVED)) == ["m0", "m1"]
    with pytest.raises(InvalidInput, match="status"):
        await store.add_message("s", user("late"), MessageStatus.ARCHIVED)
    await store.delete_messages("s", MessageStatus.ARCHIVED)
    assert words(await store.get_messages("s", None)) == ["m4", "m5"]
    await store.set_messages("s", [user("new")], MessageStatus.ARCHIVED)
    assert await store.count_messages("s") == 0 and await store.count_messages("s", None) == 1
    await store.add_message("s", user("newer"), MessageStatus.ARCHIVED)
    assert await store.count_messages("s", MessageStatus.ARCHIVED) == 2
    await store.set_messages("s", [user("new"), user("again")])
    assert words(await store.get_messages("s")) == ["new", "again"] and await store.get_keys() == ["s"]
    await store.delete_messages("s")
    assert await store.get_keys() == []


async def test_what_leaves_the_queue_is_recalled_in_every_session(memory: Memory) -> None:
    """LlamaIndex's own memory over several sessions: a small queue, and a block behind it."""

    def llama(session: str) -> LlamaMemory:
        return LlamaMemory.from_defaults(
            session_id=session,
            token_limit=200,
            token_flush_size=50,
            chat_history_token_ratio=0.5,
            chat_store=JiyiQueueStore(memory=memory, user_id="ada"),
            memory_blocks=[
                JiyiMemoryBlock(memory=memory, user_id="ada", max_tokens=80, accept_short_term_memory=False)
            ],
        )

    first = llama("one")
    await first.aput(user("我对花生过敏，做菜要注意"))
    for n in range(12):
        await first.aput_messages([assistant(f"Answer number {n} about the weather"), user(f"And on day {n}?")])
    assert len(await first.aget()) < 25
    stored = memory.session("one", user_id="ada").messages()
    assert len(stored) == 25 and len({message.id for message in stored}) == 25
    await asyncio.to_thread(memory.drain)
    second = llama("two")
    await second.aput(user("做菜要注意什么？我对什么过敏？"))
    told = await second.aget()
    assert "我对花生过敏" in "".join(message.content or "" for message in told)
    assert await JiyiMemoryBlock(memory=memory, user_id="bob").aget([user("花生过敏")]) == ""


async def test_a_block_keeps_what_it_is_given_where_it_came_from(memory: Memory) -> None:
    block = JiyiMemoryBlock(memory=memory, user_id="ada")
    said = [user("The boat to Samos leaves at nine."), assistant("Noted.")]
    await block.aput(said, from_short_term_memory=True, session_id="trip")
    await block.aput([user("Without a session.")])
    assert [m.text for m in memory.session("trip", user_id="ada").messages()] == [message.content for message in said]
    assert [session.id for session in memory.sessions(user_id="ada")] == ["llama-index", "trip"]


async def test_a_block_is_cut_in_lines(memory: Memory) -> None:
    block = JiyiMemoryBlock(memory=memory, user_id="ada")
    content = "记忆：\n一行\n" + "二" * 50
    assert await block.atruncate(content, 10) == "记忆：\n一行"
    assert await block.atruncate(content, 10_000) is None


def test_what_changed_beside_the_words_is_set(memory: Memory) -> None:
    store = JiyiChatStore(memory=memory, user_id="小李")
    for url in ("https://example.com/1.png", "https://example.com/2.png"):
        changed = [user("看这张图"), ChatMessage(role="user", blocks=[ImageBlock(url=url)])]
        for _ in range(2):
            store.set_messages("s", changed)
            assert store.get_messages("s") == changed
    assert len(memory.session("s", user_id="小李").messages(all_branches=True)) == 3
    memory.session("t", user_id="小李").add("user", "来自别处")
    store.set_messages("t", store.get_messages("t"))
    assert len(memory.session("t", user_id="小李").messages(all_branches=True)) == 1
