"""Each way in which a model's server can fail: the kind of error, what it says, and that the key is not in it."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
import traceback
from collections.abc import AsyncIterator

import pytest

from jiyi.endpoint import Limits
from jiyi.errors import ContextOverflow, ModelError, ModelRejected, ModelUnavailable
from jiyi.llms.openai import OpenAIChat
from jiyi.providers import resolve
from jiyi.refusals import explain
from jiyi.types import ChatMessage
from tests.model_server import KEY, Handler, ModelServer, Request, Wire, model_server, piece

pytest.importorskip("openai")
pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

ASK: list[ChatMessage] = [{"role": "user", "content": "Where does Ada live?"}]
PATIENT = Limits(first=5, idle=5)
QUICK = {"retry_after_ms": "1"}


@pytest.fixture(autouse=True)
async def _no_key_in_the_log(caplog: pytest.LogCaptureFixture) -> AsyncIterator[None]:
    caplog.set_level(logging.DEBUG)
    yield
    assert KEY not in caplog.text


async def fails(handler: Handler | str, limits: Limits = PATIENT) -> tuple[ModelError, ModelServer | None]:
    """The error that ``complete`` and ``stream`` both raise; a string is an address where nobody is."""
    if isinstance(handler, str):
        return await _both(handler, limits), None
    async with model_server(handler) as server:
        return await _both(server.url, limits), server


async def _both(url: str, limits: Limits) -> ModelError:
    host = url.removeprefix("http://").removesuffix("/v1")
    llm = OpenAIChat(resolve(f"openai:small@{url}", keys={host: KEY}), limits=limits)
    with pytest.raises(ModelError) as streamed:
        async for _ in llm.stream(ASK):
            pass
    with pytest.raises(ModelError) as whole:
        await llm.complete(ASK)
    await llm.close()
    for raised in (streamed, whole):
        assert KEY not in "".join(traceback.format_exception(raised.value))
        assert raised.value.__cause__ is None  # the SDK's errors carry the request, and the request the key
        assert type(raised.value.__context__).__module__.partition(".")[0] in ("builtins", "json", "asyncio")
        assert raised.value.args[0].startswith(f"openai:small@{url}: ")
    assert type(streamed.value) is type(whole.value)
    return whole.value


def answering(body: object, status: int, kind: str = "application/json", **headers: str) -> Handler:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.answer(body, status=status, kind=kind, **headers)

    return handler


@pytest.mark.parametrize("status", [401, 403])
async def test_a_wrong_key(status: int) -> None:
    said = {"error": {"message": f"Incorrect API key provided: {KEY}.", "code": "invalid_api_key"}}
    error, server = await fails(answering(said, status))
    assert isinstance(error, ModelRejected)
    assert f"refuses the key ({status})" in str(error) and "[keys]" in str(error)
    assert server is not None and len(server.requests) == 2  # once each: not tried again


async def test_a_wrong_key_names_the_variable() -> None:
    error = explain(resolve("deepseek:deepseek-chat", key=KEY), 401, {"error": {"message": "Authentication Fails"}})
    assert isinstance(error, ModelRejected) and "DEEPSEEK_API_KEY" in str(error)


async def test_a_wrong_key_for_an_address_set_for_a_provider_names_the_variable_it_came_from() -> None:
    address = resolve("openai:small", key=KEY, base_urls={"openai": "http://gpu:8000/v1"})
    error = explain(address, 401, {"error": {"message": "bad key"}})
    assert "OPENAI_API_KEY" in str(error) and "[keys]" not in str(error)


MODELS = [
    (404, {"error": {"message": "model 'small' not found, try pulling it first"}}),
    (404, {"error": {"message": "The model `small` does not exist or you do not have access to it.", "code": "model_not_found"}}),
    (404, {"object": "error", "message": "The model `small` does not exist.", "type": "NotFoundError", "code": 404}),
    (400, {"error": {"message": "Model Not Exist", "type": "invalid_request_error"}}),
    (400, {"error": {"message": "small is not a valid model ID", "code": 400}}),
    (400, {"code": 20012, "message": "Model does not exist. Please check it carefully."}),
    (400, {"error": {"code": "1211", "message": "模型不存在，请检查模型代码。"}}),
    (404, {"error": {"message": "Not found the model small or Permission denied"}}),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body"), MODELS)
async def test_an_unknown_model(status: int, body: object) -> None:
    error, _ = await fails(answering(body, status))
    assert isinstance(error, ModelRejected)
    assert "has no model 'small'" in str(error)


def test_an_unknown_model_of_ollama_can_be_pulled() -> None:
    error = explain(resolve("ollama:qwen3:8b"), 404, {"error": {"message": "model 'qwen3:8b' not found"}})
    assert "ollama pull qwen3:8b" in str(error)


async def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    start = time.perf_counter()
    error, _ = await fails(f"http://127.0.0.1:{port}/v1", Limits(first=5, retries=1))
    assert isinstance(error, ModelUnavailable)
    assert f"no connection to 127.0.0.1:{port}" in str(error) and "Is the server running?" in str(error)
    assert time.perf_counter() - start >= 0.7  # both tried again, after a pause


async def test_a_name_that_nobody_has() -> None:
    llm = OpenAIChat("openai:small@http://surely-not-there.invalid/v1", api_key=KEY, limits=Limits(retries=0))
    with pytest.raises(
        ModelUnavailable, match=r"no connection to surely-not-there\.invalid.*Check the address"
    ) as raised:
        await llm.complete(ASK)
    assert KEY not in "".join(traceback.format_exception(raised.value))
    await llm.close()


async def test_a_rate_limit_is_waited_for() -> None:
    calls = 0

    async def handler(request: Request, wire: Wire) -> None:
        nonlocal calls
        calls += 1
        if calls < 3:
            await wire.answer({"error": {"message": "Rate limit reached"}}, status=429, **QUICK)
        else:
            await wire.say("ok")

    async with model_server(handler) as server:
        llm = OpenAIChat(f"openai:small@{server.url}", limits=Limits(first=5))
        assert (await llm.complete(ASK)).text == "ok"
        await llm.close()
    assert calls == 3


async def test_a_rate_limit_that_stays() -> None:
    error, server = await fails(answering({"error": {"message": "Rate limit reached"}}, 429, **QUICK))
    assert isinstance(error, ModelUnavailable) and "too many requests" in str(error)
    assert server is not None and len(server.requests) == 6


async def test_a_long_wait_is_left_to_the_caller() -> None:
    error, server = await fails(answering({"error": {"message": "Rate limit reached"}}, 429, retry_after="75"))
    assert isinstance(error, ModelUnavailable) and error.retry_after == 75
    assert "try again in 75 seconds" in str(error)
    assert server is not None and len(server.requests) == 2


QUOTAS = [
    (429, {"error": {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"}}),
    (402, {"error": {"message": "Insufficient Balance", "type": "unknown_error"}}),
    (429, {"error": {"code": "1113", "message": "您的账户已欠费，请充值后重试。"}}),
    (429, {"error": {"type": "exceeded_current_quota_error", "message": "please check your account balance"}}),
    (400, {"error": {"code": "Arrearage", "message": "Access denied, please make sure your account is in good standing."}}),
    (403, {"code": 30001, "message": "Sorry, your account balance is insufficient"}),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body"), QUOTAS)
async def test_no_credit_is_not_tried_again(status: int, body: object) -> None:
    error, server = await fails(answering(body, status, **QUICK))
    assert isinstance(error, ModelRejected)
    assert "no credit left" in str(error)
    assert server is not None and len(server.requests) == 2


@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_a_server_with_a_problem_is_tried_again(status: int) -> None:
    calls = 0

    async def handler(request: Request, wire: Wire) -> None:
        nonlocal calls
        calls += 1
        await wire.answer("<html><title>Bad Gateway</title></html>", status=status, kind="text/html", **QUICK)

    error, _ = await fails(handler)
    assert isinstance(error, ModelUnavailable)
    assert f"the server has a problem ({status})" in str(error) and "Bad Gateway" in str(error)
    assert calls == 6


async def test_a_server_that_cannot_do_it_is_not_asked_again() -> None:
    said = {"error": {"message": "This server does not support embeddings. Start it with `--embeddings`"}}
    error, server = await fails(answering(said, 501))
    assert type(error) is ModelRejected and "cannot do this (501)" in str(error)
    assert server is not None and len(server.requests) == 2


async def test_silence_before_the_first_piece() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await asyncio.sleep(60)

    start = time.perf_counter()
    error, server = await fails(handler, Limits(first=0.3, idle=5))
    assert isinstance(error, ModelUnavailable) and "has said nothing for 0.3 seconds" in str(error)
    assert time.perf_counter() - start < 3
    assert server is not None and len(server.requests) == 2  # silence is not asked again


@pytest.mark.parametrize("heartbeat", [": keep-alive\n\n", 'data: {"choices":[{"index":0,"delta":{}}]}\n\n', "\n"])
@pytest.mark.parametrize("first", [True, False])
async def test_silence_behind_a_heartbeat(heartbeat: str, first: bool) -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.start()
        if not first:
            await wire.event(piece(content="In "))
        while True:
            await wire.chunk(heartbeat)
            await asyncio.sleep(0.02)

    limits = Limits(first=0.3, idle=30) if first else Limits(first=30, idle=0.3)
    start = time.perf_counter()
    error, _ = await fails(handler, limits)
    assert isinstance(error, ModelUnavailable) and "has said nothing for 0.3 seconds" in str(error)
    assert time.perf_counter() - start < 3


async def test_what_is_said_counts_and_what_the_reader_takes_does_not() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.start()
        for _ in range(4):
            await wire.event(piece(reasoning_content="hm"))
            await asyncio.sleep(0.15)
        await wire.event(piece(content="ok", finish="stop"))
        await wire.event("[DONE]")
        await wire.end()

    async with model_server(handler) as server:
        llm = OpenAIChat(f"openai:small@{server.url}", limits=Limits(first=5, idle=0.4))
        text = ""
        async for delta in llm.stream(ASK):
            text += delta.text
            await asyncio.sleep(0.2)
        assert text == "ok"
        await llm.close()


async def test_a_stream_of_something_else() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.event(piece(content="In "))
        await wire.event('{"choices": [{"del')
        await wire.end()

    error, _ = await fails(handler)
    assert type(error) is ModelError and "not JSON in the middle" in str(error)


@pytest.mark.parametrize(
    "event", ["[1, 2]", '"text"', '{"choices": [7]}', '{"choices": [{"delta": "text"}]}', '{"choices": 7}']
)
async def test_events_of_another_shape(event: str) -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.event(event)
        await wire.end()

    error, _ = await fails(handler)
    assert type(error) is ModelError and "not a chat completion" in str(error)


async def test_broken_characters_in_a_stream() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.raw(b"9\r\ndata: \xff\n\n\r\n")
        await wire.end()

    error, _ = await fails(handler)
    assert type(error) is ModelError


async def test_a_reply_that_is_not_json() -> None:
    error, _ = await fails(answering('{"choices": [', 200))
    assert type(error) is ModelError and "not JSON" in str(error)


@pytest.mark.parametrize(
    "handler",
    [
        answering("<!DOCTYPE html><html><title>Welcome</title></html>", 200, "text/html"),
        answering("<html><body>no such page</body></html>", 404, "text/html"),
        answering("404 page not found", 404, "text/plain"),
        answering({"detail": "Not Found"}, 404),
        answering({"status": "ok"}, 200),
        answering("hello", 200, "text/plain"),
        answering("", 200, "text/plain"),
    ],
)
async def test_a_wrong_address(handler: Handler) -> None:
    error, _ = await fails(handler)
    assert isinstance(error, ModelRejected)
    assert "does not answer like an OpenAI-compatible server; check the address" in str(error)


def test_a_wrong_address_without_v1_says_so() -> None:
    error = explain(resolve("openai:small@http://127.0.0.1:11434"), 404, "404 page not found")
    assert "usually ends in /v1" in str(error)


@pytest.mark.parametrize("said", [True, False])
async def test_a_connection_that_is_cut(said: bool) -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.start()
        if said:
            await wire.event(piece(content="In "))
            await asyncio.sleep(0.05)
        wire.cut()

    error, server = await fails(handler, Limits(first=5, retries=1))
    assert isinstance(error, ModelUnavailable)
    assert "broke off" in str(error)
    assert server is not None and len(server.requests) == (2 if said else 4)  # tried again before the first piece only


async def test_a_stream_that_just_ends() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say("In ", "Lis", finish=None, done=False)

    error, server = await fails(handler)
    assert isinstance(error, ModelUnavailable) and "broke off" in str(error)
    assert server is not None and len(server.requests) == 2


@pytest.mark.parametrize(("finish", "done"), [("stop", False), (None, True), ("tool_calls", True)])
async def test_either_end_is_an_end(finish: str | None, done: bool) -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say("ok", finish=finish, done=done)

    async with model_server(handler) as server:
        llm = OpenAIChat(f"openai:small@{server.url}", limits=Limits(first=5))
        reply = await llm.complete(ASK)
        assert (reply.text, reply.finish) == ("ok", "stop")
        await llm.close()


async def test_what_comes_after_the_end_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jiyi.llms.openai._TAIL", 0.1)

    async def handler(request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.event(piece(content="ok", finish="stop"))
        await asyncio.sleep(60)

    async with model_server(handler) as server:
        llm = OpenAIChat(f"openai:small@{server.url}", limits=Limits(first=5))
        assert (await asyncio.wait_for(llm.complete(ASK), 3)).text == "ok"
        await llm.close()


OVERFLOWS = [
    (400, {"error": {"message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.", "code": "context_length_exceeded"}}),
    (400, {"object": "error", "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens", "type": "BadRequestError", "code": 400}),
    (400, {"error": {"message": "The decoder prompt (length 5000) is longer than the maximum model length of 4096."}}),
    (400, {"error": {"code": 400, "message": "the request exceeds the available context size. try increasing the context size", "type": "exceed_context_size_error"}}),
    (400, {"error": {"code": 400, "message": "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it"}}),
    (500, {"error": {"message": "the input length exceeds the context length"}}),
    (400, {"error": {"message": "prompt too long; exceeded max context length by 17 tokens"}}),
    (400, {"error": {"code": "invalid_parameter_error", "message": "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]"}}),
    (400, {"error": {"message": "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens", "type": "invalid_request_error"}}),
    (400, {"error": {"message": "Invalid request: Your request exceeded model token limit: 8192"}}),
    (400, {"code": 20015, "message": "length of prompt_tokens (40000) must be less than max_seq_len (32768)."}),
    (400, {"error": "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}),
    (413, "Request Entity Too Large"),
    (400, {"error": {"code": "1261", "message": "Prompt 超长"}}),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body"), OVERFLOWS)
async def test_more_than_the_model_takes(status: int, body: object) -> None:
    error, server = await fails(answering(body, status, **QUICK))
    assert type(error) is ContextOverflow and "lower max_tokens" in str(error)
    assert server is not None and len(server.requests) == 2


@pytest.mark.parametrize(
    "message",
    ["max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
     "Range of max_tokens should be [1, 8192]", "Invalid value for 'temperature'"],
)  # fmt: skip
async def test_another_refusal_is_no_overflow(message: str) -> None:
    error, server = await fails(answering({"error": {"message": message}}, 400))
    assert isinstance(error, ModelRejected) and message in str(error)
    assert server is not None and len(server.requests) == 2


FILTERS = [
    {"error": {"code": "content_filter", "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."}},
    {"error": {"code": "data_inspection_failed", "message": "Input data may contain inappropriate content."}},
    {"error": {"message": "Content Exists Risk"}},
    {"error": {"code": "1301", "message": "系统检测到输入或生成内容可能包含不安全或敏感内容"}},
]  # fmt: skip


@pytest.mark.parametrize("body", FILTERS)
async def test_the_servers_filter(body: object) -> None:
    error, _ = await fails(answering(body, 400))
    assert isinstance(error, ModelRejected) and "content filter" in str(error)


async def test_an_answer_that_the_filter_withheld() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say(finish="content_filter")

    error, _ = await fails(handler)
    assert isinstance(error, ModelRejected) and "withheld" in str(error)


async def test_an_answer_that_the_filter_cut() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say("In Lis", finish="content_filter")

    async with model_server(handler) as server:
        llm = OpenAIChat(f"openai:small@{server.url}", limits=Limits(first=5))
        reply = await llm.complete(ASK)
        assert (reply.text, reply.finish) == ("In Lis", "filtered")
        await llm.close()


@pytest.mark.parametrize("pieces", [(), ("",), (" \n",), ("<think>so</think>\n",), ("<think>so",)])
async def test_an_empty_answer(pieces: tuple[str, ...]) -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say(*pieces)

    error, _ = await fails(handler)
    assert type(error) is ModelError and "empty answer" in str(error)


async def test_an_answer_that_is_all_thought() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.say("<think>so", finish="length")

    error, _ = await fails(handler)
    assert type(error) is ModelError and "max_tokens was used up" in str(error)


IN_STREAM = [
    ({"error": {"code": 429, "message": "Provider is rate limited"}}, ModelUnavailable),
    ({"error": {"message": "overloaded", "type": "server_error", "code": None}}, ModelUnavailable),
    ({"error": "unexpected EOF"}, ModelUnavailable),
    ({"object": "error", "message": "maximum context length is 10", "code": 400}, ContextOverflow),
    ({"choices": [{"delta": {}, "finish_reason": "insufficient_system_resource"}]}, ModelUnavailable),
]


@pytest.mark.parametrize(("event", "kind"), IN_STREAM)
async def test_an_error_inside_a_stream(event: object, kind: type[ModelError]) -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.event(piece(content="In "))
        await wire.event(event)
        await wire.end()

    error, _ = await fails(handler)
    assert isinstance(error, kind)


async def test_an_error_in_a_page_with_status_200() -> None:
    error, _ = await fails(answering({"error": {"code": 401, "message": "no auth"}}, 200))
    assert isinstance(error, ModelRejected)


async def test_a_cancelled_request_is_cancelled() -> None:
    async def handler(request: Request, wire: Wire) -> None:
        await asyncio.sleep(60)

    async with model_server(handler) as server:
        llm = OpenAIChat(f"openai:small@{server.url}", limits=Limits(first=30))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(llm.complete(ASK), 0.2)
        await llm.close()


async def test_a_redirect_does_not_carry_the_key_to_another_server() -> None:
    async def elsewhere(request: Request, wire: Wire) -> None:
        await wire.say("ok")

    async with model_server(elsewhere) as other:

        async def handler(request: Request, wire: Wire) -> None:
            await wire.answer("", status=307, location=other.url + "/chat/completions")

        async with model_server(handler) as server:
            llm = OpenAIChat(f"openai:small@{server.url}", api_key=KEY, limits=Limits(first=5, retries=0))
            try:
                await llm.complete(ASK)
            except ModelError as error:
                assert KEY not in str(error)
            await llm.close()
    assert all(KEY not in str(request.headers) for request in other.requests)
