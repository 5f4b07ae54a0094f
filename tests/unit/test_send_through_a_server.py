"""A whole turn through the adapter: whatever the model's server does, what was said is stored."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from jiyi import AsyncMemory
from jiyi.config import Settings
from jiyi.errors import ContextOverflow, InvalidInput, ModelRejected, ModelUnavailable
from jiyi.testing import FakeClock
from jiyi.types import Usage
from tests.model_server import Handler, ModelServer, Request, Wire, model_server, piece

pytest.importorskip("openai")
pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]


def settings(url: str) -> Settings:
    return Settings(base_urls={"openai": url}, llm="openai:small", embedder="none", tokenizer="estimate")


@asynccontextmanager
async def opened(server: ModelServer, clock: FakeClock) -> AsyncIterator[AsyncMemory]:
    async with await AsyncMemory.open("memory:", settings=settings(server.url), clock=clock) as memory:
        yield memory


async def well(request: Request, wire: Wire) -> None:
    await wire.say("Take the ", "dinosaur book.", usage={"prompt_tokens": 90, "completion_tokens": 4})


async def cut(request: Request, wire: Wire) -> None:
    await wire.start()
    await wire.event(piece(content="Take the dino"))
    await wire.event(piece(content="saur"))
    wire.cut()


async def key(request: Request, wire: Wire) -> None:
    await wire.answer({"error": {"message": "no such key"}}, status=401)


async def overflow(request: Request, wire: Wire) -> None:
    await wire.answer({"error": {"message": "maximum context length is 10 tokens"}}, status=400)


async def thinking(request: Request, wire: Wire) -> None:
    await wire.say("<think>She said 500, so not", " the castle.</think>\n\nTake the ", "dinosaur book.")


async def test_the_request_holds_what_was_said_in_another_session(tmp_path: Path, clock: FakeClock) -> None:
    async with model_server(well) as server:
        path = tmp_path / "a.db"
        async with await AsyncMemory.open(path, settings=settings(server.url), clock=clock) as memory:
            await memory.session("one", user_id="ada").add("user", "The gift for my niece must cost at most 500.")
        async with await AsyncMemory.open(path, settings=settings(server.url), clock=clock) as memory:
            answer = await memory.session("two", user_id="ada").send("What was the budget for the gift for my niece?")
            assert answer.text == "Take the dinosaur book." and answer.usage == Usage(1, 90, 4)
            assert memory.usage["llm"] == Usage(1, 90, 4)
    sent = "\n".join(str(message["content"]) for message in server.requests[0].body["messages"])
    assert "at most 500" in sent
    assert [message["role"] for message in server.requests[0].body["messages"]].count("system") == 1


@pytest.mark.parametrize(
    ("handler", "error", "stored"),
    [
        (cut, ModelUnavailable, ["Dinosaur or castle?", "Take the dinosaur"]),
        (key, ModelRejected, ["Dinosaur or castle?"]),
        (overflow, ContextOverflow, ["Dinosaur or castle?"]),
    ],
)
async def test_a_turn_that_fails_loses_nothing_and_is_asked_again(
    handler: Handler, error: type[Exception], stored: list[str], clock: FakeClock
) -> None:
    async with model_server(handler) as server, opened(server, clock) as memory:
        chat = memory.session("s", user_id="ada")
        with pytest.raises(error):
            await chat.send("Dinosaur or castle?")
        kept = await chat.messages()
        assert [message.text for message in kept] == stored
        assert kept[-1].incomplete == (len(stored) == 2)
        server.handler = well
        assert (await chat.send(None)).text == "Take the dinosaur book."
        assert [message.role for message in await chat.messages()] == ["user", "assistant"]


async def test_a_thought_is_shown_and_not_stored(clock: FakeClock) -> None:
    async with model_server(thinking) as server, opened(server, clock) as memory:
        chat = memory.session("s", user_id="ada")
        stream = chat.stream("Dinosaur or castle?")
        assert "".join([text async for text in stream]) == "Take the dinosaur book."
        assert stream.thought == "She said 500, so not the castle."
        assert [message.text for message in await chat.messages()][1:] == ["Take the dinosaur book."]


async def test_a_model_of_the_settings_without_its_key_is_done_without(clock: FakeClock) -> None:
    options = {"settings": Settings(llm="deepseek:deepseek-chat", embedder="none"), "clock": clock}
    async with await AsyncMemory.open("memory:", **options) as memory:
        (warning,) = memory.warnings
        assert "DEEPSEEK_API_KEY" in warning
        chat = memory.session("s", user_id="ada")
        await chat.add("user", "The boat leaves at nine.")
        assert await memory.search("boat", user_id="ada")
        with pytest.raises(InvalidInput, match="no model"):
            await chat.send("When?")
    with pytest.raises(ModelRejected, match="DEEPSEEK_API_KEY"):
        await AsyncMemory.open("memory:", llm="deepseek:deepseek-chat", **options)
