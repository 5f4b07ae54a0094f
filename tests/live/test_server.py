"""A real model behind an OpenAI-compatible server: what is recalled reaches it, and it can be stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from jiyi import AsyncMemory
from jiyi.config import Settings
from jiyi.llms.openai import OpenAIChat
from jiyi.testing import LLMConformance
from tests.model_server import ModelServer

pytestmark = [pytest.mark.live, pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

SMALL_TALK = [
    ("It rained all day, so we stayed in and baked bread.", "That sounds cosy."),
    ("My brother plays the cello on Sundays.", "How nice."),
    ("The tram was late again this morning.", "That is annoying."),
    ("昨天我们去湖边散步了。", "听起来不错。"),
]


@asynccontextmanager
async def opened(path: Path, server: ModelServer) -> AsyncIterator[AsyncMemory]:
    model = f"llamaserver:local@{server.url}"
    async with await AsyncMemory.open(path, llm=model, embedder=None, settings=Settings()) as memory:
        yield memory


async def told(memory: AsyncMemory, *facts: str) -> None:
    """A session of another day, the facts among small talk."""
    chat = memory.session("monday", user_id="ada")
    for fact in facts:
        await chat.add("user", fact)
        await chat.add("assistant", "Noted. 记下了。")
    for said, answer in SMALL_TALK:
        await chat.add("user", said)
        await chat.add("assistant", answer)
    await memory.drain()


def sent(server: ModelServer) -> str:
    """All that the last request said to the model."""
    return "\n".join(str(message["content"]) for message in server.requests[-1].body["messages"])


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("The gift is for my niece Mia, and my budget for the gift is 487 euros.", "What is my budget for the gift?"),
        ("礼物是给侄女小米的，礼物的预算是487块。", "礼物的预算是多少？"),
    ],
)
async def test_what_was_said_in_another_session_reaches_the_model(
    server: ModelServer, tmp_path: Path, fact: str, question: str
) -> None:
    async with opened(tmp_path / "chat.db", server) as memory:
        await told(memory, fact)
    async with opened(tmp_path / "chat.db", server) as memory:  # another day
        chat = memory.session("friday", user_id="ada")
        answer = await chat.send(question, max_tokens=600, reply_tokens=32)
        assert fact in sent(server), "the evidence did not reach the model"
        assert "cello" not in sent(server), "small talk did"
        assert server.requests[-1].body["messages"][-1] == {"role": "user", "content": question}
        assert all(str(message["content"]) in sent(server) for message in answer.context.messages)
        assert answer.text.strip() and answer.usage.completion_tokens > 0 and answer.usage.prompt_tokens > 0
        assert (await chat.messages())[-1].text == answer.message.text == answer.text
    print(f"\nquestion: {question}\nanswer: {answer.text}")


async def test_a_stream_is_stored_as_it_was_said(server: ModelServer, tmp_path: Path) -> None:
    async with opened(tmp_path / "chat.db", server) as memory:
        chat = memory.session("s", user_id="ada")
        pieces = [piece async for piece in chat.stream("Tell me a story about a boat.", reply_tokens=32)]
        assert len(pieces) > 5, "it came in one piece"
        stored = (await chat.messages())[-1]
        assert stored.text == "".join(pieces) and not stored.incomplete
    print("\nstreamed:", "|".join(pieces))


async def test_a_stream_that_is_stopped_stops_the_model(server: ModelServer, tmp_path: Path) -> None:
    async with opened(tmp_path / "chat.db", server) as memory:
        chat = memory.session("s", user_id="ada")
        stream = chat.stream("Tell me a very long story about a boat, with many chapters.", reply_tokens=1500)
        said = [await anext(stream) for _ in range(4)]
        await stream.aclose()
        stored = (await chat.messages())[-1]
        assert stored.incomplete and stored.text == "".join(said)
        # 1500 tokens take this model about a minute; a server that still wrote them would not answer now
        again = await asyncio.wait_for(chat.send(None, reply_tokens=8), 30)
        assert again.text and not again.message.incomplete


async def test_a_call_that_is_cancelled_keeps_what_was_asked(server: ModelServer, tmp_path: Path) -> None:
    async with opened(tmp_path / "chat.db", server) as memory:
        chat = memory.session("s", user_id="ada")
        task = asyncio.create_task(chat.send("Tell me a very long story.", reply_tokens=1500))
        await asyncio.sleep(1)
        assert server.requests
        assert task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await chat.messages())[0].text == "Tell me a very long story."
        assert (await asyncio.wait_for(chat.send("Hello!", reply_tokens=8), 30)).text


class TestServer(LLMConformance):
    holds_schema = True
    context = 4096
    tokens = 16
    patience = 60.0

    @pytest.fixture(autouse=True)
    async def _server(self, server: ModelServer) -> None:
        self.url = server.url

    def llm(self) -> OpenAIChat:
        return OpenAIChat(f"llamaserver:local@{self.url}")
