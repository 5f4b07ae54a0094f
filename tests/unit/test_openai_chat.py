"""The chat adapter against a server that behaves, and asks what reaches it."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from jiyi.config import Settings
from jiyi.endpoint import Limits
from jiyi.errors import InvalidInput, ModelError
from jiyi.llms.openai import OpenAIChat
from jiyi.opening import open_llm
from jiyi.providers import resolve
from jiyi.types import ChatMessage, Delta, Usage
from tests.model_server import KEY, Handler, ModelServer, Request, Wire, model_server, piece

pytest.importorskip("openai")
pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

ASK: list[ChatMessage] = [{"role": "user", "content": "Where does Ada live? 她住在哪里？"}]
USAGE = {"prompt_tokens": 12, "completion_tokens": 5}


def chat(url: str, *, model: str = "openai:small", **options: object) -> OpenAIChat:
    host = url.removeprefix("http://").removesuffix("/v1")
    options.setdefault("limits", Limits(first=5, idle=5, retries=0))
    return OpenAIChat(resolve(f"{model}@{url}", keys={host: KEY}), **options)  # type: ignore[arg-type]


async def gather(llm: OpenAIChat, **options: object) -> list[Delta]:
    return [delta async for delta in llm.stream(ASK, **options)]  # type: ignore[arg-type]


async def test_a_whole_answer_with_its_usage() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say("In Lis", "bon. ", "里斯本。", usage=USAGE)

    async with model_server(handler) as server:
        llm = chat(server.url)
        reply = await llm.complete(ASK, max_tokens=50)
        await llm.close()
    assert (reply.text, reply.finish, reply.usage) == ("In Lisbon. 里斯本。", "stop", Usage(1, 12, 5))
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "small", "messages": ASK, "stream": True, "stream_options": {"include_usage": True}, "max_tokens": 50,
    }  # fmt: skip


async def test_characters_that_the_server_cut_in_two_are_whole_again() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say("A dino \ud83e", "\udd95, a \ude00 and \ud83d", "x", " end \ud83d")

    async with model_server(handler) as server:
        llm = chat(server.url)
        pieces = [delta.text for delta in await gather(llm)]
        reply = await llm.complete(ASK)
        await llm.close()
    assert "".join(pieces) == reply.text == "A dino 🦕, a \ufffd and \ufffdx end \ufffd"
    for piece_ in pieces:
        piece_.encode()


async def test_a_stream_piece_by_piece_while_it_comes() -> None:
    go_on = asyncio.Event()

    async def handler(request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.event(piece(role="assistant"))
        await wire.event(piece(content="In "))
        await go_on.wait()
        await wire.event(piece(content="Lisbon."))
        await wire.event(piece(finish="length"))
        await wire.event({"choices": [], "usage": USAGE})
        await wire.event("[DONE]")
        await wire.end()

    async with model_server(handler) as server:
        llm = chat(server.url)
        deltas: list[Delta] = []
        async for delta in llm.stream(ASK):
            deltas.append(delta)
            go_on.set()
        await llm.close()
    assert deltas == [Delta("In "), Delta("Lisbon."), Delta("", "", "length", Usage(1, 12, 5))]


async def test_closing_the_generator_ends_the_request() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.start()
        while True:
            await wire.event(piece(content="word "))
            await asyncio.sleep(0.01)

    async with model_server(handler) as server:
        llm = chat(server.url)
        stream = llm.stream(ASK)
        assert (await anext(stream)).text == "word "
        await stream.aclose()
        await asyncio.wait_for(server.hung_up.wait(), 5)
        await llm.close()


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_a_thought_in_a_field_of_its_own_is_never_text(field: str) -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.event(piece(content=None, **{field: "Ada moved"}))
        await wire.event(piece(content="", **{field: " last week."}))
        await wire.event(piece(content="Lisbon."))
        await wire.event(piece(finish="stop"))
        await wire.event("[DONE]")
        await wire.end()

    async with model_server(handler) as server:
        for model in ("openai:small", "openai:deepseek-r1"):
            llm = chat(server.url, model=model)
            deltas = await gather(llm)
            assert "".join(delta.text for delta in deltas) == "Lisbon."
            assert "".join(delta.thought for delta in deltas) == "Ada moved last week."
            assert (await llm.complete(ASK)).text == "Lisbon."
            await llm.close()


@pytest.mark.parametrize(
    ("pieces", "model"),
    [
        (["<th", "ink>Ada mo", "ved.</thi", "nk>\n\n", "Lisbon."], "openai:small"),
        (["Ada moved.", "\n</thi", "nk>\n\nLisbon."], "openai:qwq:32b"),
        (["Ada moved.", "</think>Lisbon."], "openai:Qwen3-4B-Thinking-2507"),
    ],
)
async def test_a_thought_in_tags_is_never_text(pieces: list[str], model: str) -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say(*pieces)

    async with model_server(handler) as server:
        llm = chat(server.url, model=model)
        deltas = await gather(llm)
        assert "".join(delta.text for delta in deltas) == "Lisbon."
        assert "".join(delta.thought for delta in deltas).strip() == "Ada moved."
        assert (await llm.complete(ASK)).text == "Lisbon."
        await llm.close()


async def test_a_template_that_opens_the_thought_is_learned_from_its_first_reply() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say("Ada moved.\n", "</think>\n\n", "Lisbon.")

    async with model_server(handler) as server:
        llm = chat(server.url)
        assert (await llm.complete(ASK)).text == "Lisbon."
        assert "".join(delta.text for delta in await gather(llm)) == "Lisbon."
        await llm.close()


async def test_a_model_that_does_not_think_as_its_name_says_is_learned_too() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say("In ", "Lisbon.")

    async with model_server(handler) as server:
        llm = chat(server.url, model="openai:deepseek-r1")
        assert [delta.text for delta in await gather(llm)] == ["", "", "In Lisbon."]
        assert [delta.text for delta in await gather(llm)] == ["In ", "Lisbon.", ""]
        await llm.close()


def refusing(field: str, words: str, status: int = 400) -> Handler:
    async def handler(request: Request, wire: Wire) -> None:
        if field in request.body:
            await wire.answer({"error": {"message": words}}, status=status)
        else:
            await wire.say('{"city": "Lisbon"}')

    return handler


SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


@pytest.mark.parametrize(
    "words",
    [
        "This response_format type is unavailable now",
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        "bad request",
    ],
)
@pytest.mark.parametrize("status", [400, 422])
async def test_a_server_without_schemas_gets_the_request_without_from_then_on(words: str, status: int) -> None:
    async with model_server(refusing("response_format", words, status)) as server:
        llm = chat(server.url)
        for _ in range(2):
            assert (await llm.complete(ASK, schema=SCHEMA)).text == '{"city": "Lisbon"}'
        await llm.close()
    assert ["response_format" in request.body for request in server.requests] == [True, False, False]
    sent = server.requests[0].body["response_format"]
    assert sent == {"type": "json_schema", "json_schema": {"name": "reply", "schema": SCHEMA, "strict": False}}


IN_JSON: list[ChatMessage] = [{"role": "system", "content": "Answer as JSON."}, *ASK]


def knowing(*types: str, words: str = "This response_format type is unavailable now") -> Handler:
    """A server that takes these types of ``response_format`` alone."""

    async def handler(request: Request, wire: Wire) -> None:
        wanted = request.body.get("response_format")
        if wanted and wanted["type"] not in types:
            await wire.answer({"error": {"message": words, "type": "invalid_request_error"}}, status=400)
        else:
            await wire.say('{"city": "Lisbon"}')

    return handler


def formats(server: ModelServer) -> list[str]:
    return [request.body.get("response_format", {}).get("type", "") for request in server.requests]


async def test_a_server_that_knows_only_json_objects_is_asked_for_one_from_then_on() -> None:
    async with model_server(knowing("json_object")) as server:
        llm = chat(server.url)
        assert llm.refused == frozenset()
        for _ in range(2):
            assert (await llm.complete(IN_JSON, schema=SCHEMA)).text == '{"city": "Lisbon"}'
        assert (await llm.complete(ASK)).text
        assert llm.refused == {"json_schema"}
        await llm.close()
    assert formats(server) == ["json_schema", "json_object", "json_object", ""]
    assert server.requests[1].body["response_format"] == {"type": "json_object"}


async def test_a_json_object_is_not_asked_for_where_nobody_speaks_of_json() -> None:
    async with model_server(knowing("json_object")) as server:
        llm = chat(server.url)
        await llm.complete(ASK, schema=SCHEMA)  # servers refuse it then, or the model says blanks without end
        await llm.complete([{"role": "user", "content": [{"type": "text", "text": "用json回答。"}]}], schema=SCHEMA)
        await llm.close()
    assert formats(server) == ["json_schema", "", "json_object"]


async def test_a_server_that_knows_no_form_is_asked_once_for_each() -> None:
    async with model_server(knowing(words="bad request")) as server:
        llm = chat(server.url)
        for _ in range(2):
            await llm.complete(IN_JSON, schema=SCHEMA)
        assert llm.refused == {"json_schema", "json_object"}
        await llm.close()
    assert formats(server) == ["json_schema", "json_object", "", ""]


async def test_a_blank_reply_in_a_form_is_left_to_who_asked() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say("   ")  # DeepSeek, where the model did not speak JSON

    async with model_server(handler) as server:
        llm = chat(server.url)
        assert not (await llm.complete(IN_JSON, schema=SCHEMA)).text.strip()
        with pytest.raises(ModelError, match="empty answer"):
            await llm.complete(IN_JSON)
        await llm.close()


async def test_fields_of_ones_own_are_in_every_request() -> None:
    async with model_server(knowing()) as server:
        llm = chat(server.url, extra={"enable_thinking": False, "temperature": 0})
        await llm.complete(ASK)
        await gather(llm)
        await llm.close()
    assert [(r.body["enable_thinking"], r.body["temperature"]) for r in server.requests] == [(False, 0)] * 2
    with pytest.raises(InvalidInput, match="extra: .*stream"):
        chat("http://127.0.0.1:1/v1", extra={"stream": False})


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("stream_options", "Unrecognized request argument supplied: stream_options"),
        ("max_tokens", "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."),
    ],
)
async def test_other_fields_that_a_server_refuses_are_left_out_too(field: str, words: str) -> None:
    async with model_server(refusing(field, words)) as server:
        llm = chat(server.url)
        for _ in range(2):
            reply = await llm.complete(ASK, max_tokens=9)
            assert reply.usage == Usage(1)
        await llm.close()
    assert [field in request.body for request in server.requests] == [True, False, False]
    if field == "max_tokens":
        assert server.requests[-1].body["max_completion_tokens"] == 9


async def test_a_server_that_does_not_stream_is_understood() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.answer({"choices": [{"message": {"role": "assistant", "content": "Lisbon."}}], "usage": USAGE})

    async with model_server(handler) as server:
        llm = chat(server.url)
        assert await gather(llm) == [Delta("Lisbon."), Delta("", "", "stop", Usage(1, 12, 5))]
        await llm.close()


async def test_the_leading_system_messages_are_one() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say("ok")

    messages: list[ChatMessage] = [
        {"role": "system", "content": "Be short."},
        {"role": "developer", "content": "记住用户。"},
        {"role": "user", "content": "hi"},
        {"role": "system", "content": "later"},
    ]
    async with model_server(handler) as server:
        llm = chat(server.url)
        await llm.complete(messages)
        await llm.close()
    assert server.requests[0].body["messages"] == [
        {"role": "system", "content": "Be short.\n\n记住用户。"}, messages[2], messages[3],
    ]  # fmt: skip


async def test_two_event_loops_use_one_model() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say("ok")

    async def once(llm: OpenAIChat) -> str:
        text = (await llm.complete(ASK)).text
        await llm.close()
        return text

    async with model_server(handler) as server:
        llm = chat(server.url)
        assert await once(llm) == "ok"
        assert await asyncio.to_thread(lambda: asyncio.run(once(llm))) == "ok"
        assert await once(llm) == "ok"
        await llm.close()


async def test_messages_that_are_no_json_are_named() -> None:
    llm = chat("http://127.0.0.1:9/v1")
    with pytest.raises(InvalidInput, match="messages"):
        await llm.complete([{"role": "user", "content": object()}])
    await llm.close()


async def test_open_llm_through_the_settings() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say("ok")

    async with model_server(handler) as server:
        settings = Settings(base_urls={"openai": server.url}, keys={"openai": KEY})
        llm = open_llm("openai:small", settings)
        assert llm is not None and llm.name == f"openai:small@{server.url}"
        assert (await llm.complete(ASK)).text == "ok"
        await llm.close()
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_a_proxy_is_not_asked_for_what_is_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say("ok")

    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with model_server(handler) as server:
        llm = chat(server.url)
        assert (await llm.complete(ASK)).text == "ok"
        await llm.close()


async def test_what_the_environment_says_for_openai_stays_with_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say("ok")

    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "private-" + name.lower())
    async with model_server(handler) as server:
        llm = OpenAIChat(f"openai:small@{server.url}")
        await llm.complete(ASK)
        await llm.close()
    assert "private-" not in str(server.requests[0].headers)


def test_neither_the_package_nor_a_client_of_http_is_loaded_before_the_first_request() -> None:
    script = (
        "import sys, jiyi, jiyi.llms.openai as m; m.OpenAIChat('ollama:qwen3:8b');"
        "sys.exit(any(name in sys.modules for name in ('openai', 'httpx', 'httpx2', 'pydantic')))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
