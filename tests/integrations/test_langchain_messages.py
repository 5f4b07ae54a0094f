"""LangChain's messages go to a store and come back equal."""

from __future__ import annotations

import asyncio
import base64
import json
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
)

from jiyi import AsyncMemory, InvalidInput, Memory
from jiyi.config import Settings
from jiyi.integrations.langchain import chat_to_langchain, from_langchain, to_langchain
from jiyi.testing import FakeClock

pytestmark = pytest.mark.integration("langchain-core")


async def _there_and_back(messages: list[BaseMessage], url: str = "memory:") -> list[BaseMessage]:
    memory = await AsyncMemory.open(url, embedder=None, tokenizer="estimate", settings=Settings(), clock=FakeClock())
    async with memory:
        session = memory.session(user_id="小李", session_id="s")
        await session.add_many([from_langchain(message) for message in messages])
        return [to_langchain(message) for message in await session.messages()]


def stored(*messages: BaseMessage, url: str = "memory:") -> list[BaseMessage]:
    """What a session gives back of them."""
    return asyncio.run(_there_and_back(list(messages), url))


# -- any message -----------------------------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12) | st.sampled_from(
    ["", "你好，我对花生过敏", "🎁👩‍👩‍👧‍👦", "Hello there"]
)
words = st.from_regex(r"[a-z_]{1,8}", fullmatch=True) | st.sampled_from(["查天气", "小李"])
ids = (
    st.uuids().map(str) | st.uuids().map(lambda made: f"lc_run--{made}-0") | st.uuids().map(lambda made: f"消息{made}")
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(words, values, max_size=3)

parts = (
    texts
    | st.builds(lambda text: {"type": "text", "text": text}, texts)
    | st.builds(lambda text, more: {"type": "reasoning", "reasoning": text, "extras": more}, texts, objects)
    | st.builds(lambda text: {"type": "thinking", "thinking": text, "signature": "c2ln"}, texts)
    | st.sampled_from(
        [
            {"type": "image_url", "image_url": {"url": "https://example.org/猫.png"}},
            {"type": "image", "url": "https://example.org/cat.png", "id": "lc_1", "mime_type": "image/png"},
            {"type": "audio", "file_id": "f1"},
            {"type": "text-plain", "text": "a file's words", "mime_type": "text/plain", "title": "合同"},
            {"type": "citation", "url": "https://example.org", "start_index": 0},
            {"type": "tool_use", "id": "t", "name": "find", "input": {"q": "花生"}},
            {"type": "tool_call", "id": "t", "name": "find", "args": {"q": "花生"}},
            {"type": "non_standard", "value": {"type": "text"}},
            {"cachePoint": {"type": "default"}},
            {"type": None, "x": 1},
            {"type": "text"},
        ]
    )
)
contents = texts | st.lists(parts, max_size=4)
common: dict[str, Any] = {
    "content": contents,
    "id": ids,
    "name": st.none() | words | st.just(""),
    "additional_kwargs": st.just({}) | objects,
    "response_metadata": st.just({}) | objects,
}
calls = st.builds(
    lambda name, args, call_id: {"name": name, "args": args, "id": call_id, "type": "tool_call"},
    words | st.just(""),
    objects,
    st.none() | ids | st.just(""),
)
invalid_calls = st.builds(
    lambda name, args, call_id, error: {
        "name": name, "args": args, "id": call_id, "error": error, "type": "invalid_tool_call"
    },
    st.none() | words,
    st.none() | texts | st.just('{"q": '),
    st.none() | ids,
    st.none() | texts,
)  # fmt: skip
usages = st.none() | st.builds(
    lambda read, said, details: {"input_tokens": read, "output_tokens": said, "total_tokens": read + said, **details},
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.sampled_from([{}, {"input_token_details": {"cache_read": 3}}, {"output_token_details": {"reasoning": 5}}]),
)
messages = (
    st.builds(HumanMessage, **common)
    | st.builds(SystemMessage, **common)
    | st.builds(
        AIMessage,
        tool_calls=st.lists(calls, max_size=3),
        invalid_tool_calls=st.lists(invalid_calls, max_size=2),
        usage_metadata=usages,
        **common,
    )
    | st.builds(ToolMessage, tool_call_id=ids, status=st.sampled_from(["success", "error"]), artifact=values, **common)
    | st.builds(ChatMessage, role=st.sampled_from(["user", "Assistant", "system", "developer", "旁白", ""]), **common)
    | st.builds(FunctionMessage, **{**common, "name": words | st.just("")})
)


@given(st.lists(messages, max_size=6, unique_by=lambda message: message.id))
@settings(max_examples=120)
def test_any_messages_come_back_equal(said: list[BaseMessage]) -> None:
    assert stored(*said) == said


@given(messages)
@settings(max_examples=120)
def test_what_came_back_can_be_stored_again_and_is_the_same(message: BaseMessage) -> None:
    (once,) = stored(message)
    assert from_langchain(once) == from_langchain(message)


@given(messages)
@settings(max_examples=60)
def test_nobody_is_given_what_is_stored_itself(message: BaseMessage) -> None:
    given_ = json.dumps(message.model_dump(), default=str)
    taken = from_langchain(message)
    json.dumps(taken)
    assert json.dumps(message.model_dump(), default=str) == given_


# -- one at a time ---------------------------------------------------------------------------------------------------


def test_what_only_says_something_leaves_nothing_beside_it() -> None:
    assert from_langchain(HumanMessage("我对花生过敏", id="1")) == {
        "role": "user",
        "content": "我对花生过敏",
        "id": "1",
    }
    assert from_langchain(AIMessage("Noted.")) == {"role": "assistant", "content": "Noted."}


def test_it_survives_the_disk(tmp_path: Any) -> None:
    call = {"name": "find", "args": {"城市": "上海", "days": 2.5}, "id": "c1", "type": "tool_call"}
    said = [
        SystemMessage("Be kind.", id="0"),
        HumanMessage([{"type": "text", "text": "天气？"}, "请查"], id="1", name="小李"),
        AIMessage("", id="2", tool_calls=[call], usage_metadata={"input_tokens": 9, "output_tokens": 2, "total_tokens": 11}),
        ToolMessage("晴", id="3", tool_call_id="c1", artifact={"raw": [1, 2]}, status="error", name="find"),
        AIMessage([{"type": "reasoning", "reasoning": "sunny"}, {"type": "text", "text": "晴天。"}], id="4"),
    ]  # fmt: skip
    assert stored(*said, url=str(tmp_path / "m.db")) == said


def test_messages_without_an_id_get_the_one_that_they_are_stored_under() -> None:
    first, second = stored(HumanMessage("Hi"), AIMessage("Hello"))
    assert first.id and second.id and first.id != second.id
    assert stored(first, second) == [first, second]


def test_text_is_what_jiyi_searches_and_calls_are_jiyis_own() -> None:
    memory = Memory.open("memory:", embedder=None, tokenizer="estimate", settings=Settings())
    with memory:
        session = memory.session(user_id="ada", session_id="s")
        call = {"name": "book", "args": {"city": "Lisbon"}, "id": "c1"}
        said = [HumanMessage(["Please book", {"type": "text", "text": "里斯本"}]), AIMessage("", tool_calls=[call])]
        user, assistant = session.add_many([from_langchain(message) for message in said])
        assert user.text == "Please book\n里斯本"
        assert assistant.tool_calls == (
            {"id": "c1", "type": "function", "function": {"name": "book", "arguments": '{"city": "Lisbon"}'}},
        )
        assert memory.search("里斯本", user_id="ada")[0].message.id == user.id


def test_a_call_that_could_not_be_read_and_its_result_are_one_piece() -> None:
    broken = {"name": "find", "args": '{"q": ', "id": "c1", "error": "no JSON", "type": "invalid_tool_call"}
    said = [AIMessage("", id="1", invalid_tool_calls=[broken]), ToolMessage("Not JSON.", tool_call_id="c1", id="2")]
    assert stored(*said) == said
    assert from_langchain(said[0])["tool_calls"][0]["function"] == {"name": "find", "arguments": '{"q": '}


def test_a_call_of_the_older_kind_and_its_result_are_one_piece() -> None:
    call = {"name": "find", "arguments": '{"q": "花生"}'}
    said = [
        AIMessage("", id="1", additional_kwargs={"function_call": call}),
        FunctionMessage("found", name="find", id="2"),
    ]
    assert stored(*said) == said
    assert from_langchain(said[0])["tool_calls"][0]["id"] == from_langchain(said[1])["tool_call_id"]


@pytest.mark.parametrize(
    ("role", "kept"),
    [("user", "user"), ("Human", "user"), ("system", "system"), ("旁白", "assistant"), ("critic", "assistant")],
)
def test_who_is_not_known_does_not_speak_for_the_user(role: str, kept: str) -> None:
    assert from_langchain(ChatMessage("…", role=role))["role"] == kept


def test_a_developers_message_stays_one() -> None:
    message = SystemMessage("Be brief.", id="1", additional_kwargs={"__openai_role__": "developer"})
    assert from_langchain(message)["role"] == "developer"
    assert stored(message) == [message]


def test_a_chunk_is_kept_as_the_message_that_it_makes_up() -> None:
    chunk = AIMessageChunk("晴", id="1") + AIMessageChunk(
        "天", tool_call_chunks=[{"name": "find", "args": '{"q": 1}', "id": "c", "index": 0}], chunk_position="last"
    )
    (kept,) = stored(chunk)
    assert type(kept) is AIMessage and kept.text == "晴天"
    assert kept.tool_calls == [{"name": "find", "args": {"q": 1}, "id": "c", "type": "tool_call"}]


def test_documents_of_a_retriever_are_documents_again() -> None:
    found = [Document("上海", metadata={"page": 3}, id="d1"), Document("Lisbon")]
    said = [
        ToolMessage("2 found", tool_call_id="c", artifact=found, id="1"),
        ToolMessage("1 found", tool_call_id="c", artifact=found[0], id="2"),
    ]
    assert stored(*said) == said


def test_what_is_no_json_is_written_as_near_as_can_be() -> None:
    odd = {
        "when": datetime(2026, 3, 1, tzinfo=UTC),
        "id": UUID(int=7),
        "score": float("-inf"),
        "pair": (1, {2}),
        "bytes": b"\x89PNG",
        "handle": object(),
        3: "three",
    }
    (kept,) = stored(ToolMessage("ok", tool_call_id="c", artifact=odd, id="1"))
    assert isinstance(kept, ToolMessage)
    reference = kept.artifact.pop("bytes")
    assert reference.startswith("embedded:application/octet-stream;4;sha256=")
    assert kept.artifact == {
        "when": "2026-03-01T00:00:00Z",
        "id": str(UUID(int=7)),
        "score": None,
        "pair": [1, [2]],
        "handle": None,
        "3": "three",
    }


def test_a_message_that_removes_another_is_refused() -> None:
    with pytest.raises(InvalidInput, match="RemoveMessage"):
        from_langchain(RemoveMessage(id="1"))


PICTURE = base64.b64encode(b"not really a picture" * 100).decode()


@pytest.mark.parametrize("kind", ["image", "audio", "video", "file", "text-plain"])
def test_embedded_media_become_references(kind: str) -> None:
    block = {"type": kind, "base64": PICTURE, "mime_type": "application/pdf", "id": "lc_1"}
    given_ = from_langchain(HumanMessage([{"type": "text", "text": "看这个"}, block], id="1"))
    memory = Memory.open("memory:", embedder=None, tokenizer="estimate", settings=Settings())
    with memory:
        (message,) = memory.session(user_id="小李", session_id="s").add_many([given_])
    text, told = to_langchain(message).content
    assert (text, told) == ({"type": "text", "text": "看这个"}, {"type": "text", "text": "[application/pdf, 2000 B]"})
    written = json.dumps(message.content)
    assert PICTURE[:40] not in written and "embedded:application/pdf;2000;sha256=" in written


# -- what Jiyi stored itself -----------------------------------------------------------------------------------------


def test_messages_that_jiyi_stored_itself() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": "花生"}'}}
    broken = {"id": "c2", "type": "function", "function": {"name": "find", "arguments": "[1"}}
    flat = {"id": "c3", "name": "find", "args": {"q": 1}}
    with Memory.open("memory:", embedder=None, tokenizer="estimate", settings=Settings()) as memory:
        session = memory.session(user_id="ada", session_id="s")
        session.add("developer", "Be brief.")
        session.add("user", "花生", name="小李", metadata={"channel": "web", "langchain": 5})
        session.add("assistant", None, tool_calls=[call, broken, flat])
        session.add("tool", "found", tool_call_id="c1")
        context = session.context(allow_partial=True)
        developer, user, assistant, tool = [to_langchain(message) for message in session.messages()]
        first, *_ = [chat_to_langchain(chat) for chat in context.messages]
    assert isinstance(developer, SystemMessage) and convert_to_openai_messages(developer)["role"] == "developer"
    assert isinstance(user, HumanMessage) and (user.content, user.name) == ("花生", "小李")
    assert isinstance(assistant, AIMessage) and assistant.content == ""
    assert [made["args"] for made in assistant.tool_calls] == [{"q": "花生"}, {"q": 1}]
    assert [made["args"] for made in assistant.invalid_tool_calls] == ["[1"]
    assert isinstance(tool, ToolMessage) and tool.tool_call_id == "c1"
    assert first.content == "Be brief." and first.type == "system"


@given(st.lists(messages, max_size=3))
@settings(max_examples=40)
def test_what_goes_to_a_model_says_the_same(said: list[BaseMessage]) -> None:
    """Chat messages have no place for the rest; role, text, name and calls stay."""
    from jiyi.intake import given as taken
    from jiyi.wire import chat_message

    kept = taken([from_langchain(message) for message in said], "s", now=FakeClock().now())
    for message in kept:
        chat = chat_message(message)
        back = chat_to_langchain(chat)
        assert from_langchain(back)["role"] == message.role
        assert from_langchain(back).get("name") == message.name
        assert isinstance(back.content, str) or [part["type"] for part in back.content] == [
            part["type"] for part in message.content
        ]
