"""The adapter for GGUF files, over a stand-in for xllamacpp; tests/live runs it over the real one."""

import asyncio
import json
import sys
import threading
import types
from contextlib import aclosing
from importlib.machinery import ModuleSpec
from types import SimpleNamespace

import pytest

from jiyi import AsyncMemory
from jiyi.config import Settings
from jiyi.errors import ContextOverflow, InvalidInput, MissingDependency, ModelError, ModelRejected
from jiyi.llms.llamacpp import LlamaCpp
from jiyi.opening import open_llm
from jiyi.testing import LLMConformance
from jiyi.types import Delta, Reply, Usage

ASK = [{"role": "user", "content": "Where is it?"}]


class FakeServer:
    """llama.cpp's server as the adapter sees it: a call that blocks, and a callback that may end it."""

    made: list["FakeServer"]
    broken = False

    def __init__(self, params):
        if self.broken:
            raise RuntimeError("Failed to init server, please check the input params.")
        self.params, self.requests, self.threads, self.chunks = params, [], set(), 0
        self.made.append(self)

    def handle_chat_completions(self, body, put):
        request = json.loads(body)
        self.requests.append(request)
        self.threads.add(threading.current_thread().name)
        asked = request["messages"][-1].get("content")
        if request["messages"][-1].get("role") == "narrator":
            raise ValueError("Unknown role: narrator")
        if "$ref" in body:
            raise ValueError("Unable to generate parser for this template. JSON schema error at #: cannot resolve $ref")
        if asked == "crash":
            raise RuntimeError("decode failed")
        if asked == "refuse":
            return put(json.dumps({"error": {"code": 400, "message": "no", "type": "invalid_request_error"}}))
        text = asked if isinstance(asked, str) else "parts"
        if len(words := text.split()) > self.params.n_ctx:
            error = {"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": len(words)}
            return put(json.dumps({"error": error | {"n_ctx": self.params.n_ctx}}))
        if request.get("response_format"):
            text = '{"city": "Rotterdam", "sure": true}'
        self.say(text, request.get("max_tokens", -1), put)

    def say(self, text, most, put):
        thought, _, text = text.rpartition("|")
        deltas = [{"role": "assistant", "content": None}]
        deltas += [{"reasoning_content": thought}] if thought else []
        deltas += [{"content": char} for char in (text[:most] if most >= 0 else text)]
        for delta in deltas:
            self.chunks += 1
            if put(json.dumps({"choices": [{"delta": delta, "finish_reason": None}]})):
                return
        put(json.dumps({"choices": [{"delta": {}, "finish_reason": "length" if 0 <= most < len(text) else "stop"}]}))
        usage = {"prompt_tokens": 7, "completion_tokens": len(deltas) - 1}
        put(json.dumps({"choices": [], "usage": usage}))


def params():
    cores = SimpleNamespace(n_threads=-1)
    return SimpleNamespace(
        model=SimpleNamespace(path=""), cpuparams=cores, cpuparams_batch=cores, hostnames=["127.0.0.1"]
    )


@pytest.fixture(autouse=True)
def xllamacpp(monkeypatch):
    module = types.ModuleType("xllamacpp")
    module.__spec__ = ModuleSpec("xllamacpp", None)
    module.__version__ = "1"
    module.CommonParams = params
    module.Server = type("Server", (FakeServer,), {"made": []})
    monkeypatch.setitem(sys.modules, "xllamacpp", module)
    return module.Server


@pytest.fixture
def gguf(tmp_path):
    file = tmp_path / "Small-Q4.gguf"
    file.write_bytes(b"GGUF\x03\0\0\0")
    return file


@pytest.fixture
async def model(gguf):
    llm = LlamaCpp(gguf, context=50)
    yield llm
    await llm.close()


class TestConformance(LLMConformance):
    echoes = True
    holds_schema = True
    context = 500

    @pytest.fixture(autouse=True)
    def _file(self, gguf):
        self.file = gguf

    def llm(self):
        return LlamaCpp(self.file, context=500)


async def test_a_setting_opens_it(gguf, xllamacpp):
    llm = open_llm(f"llamacpp:{gguf}", Settings())
    assert isinstance(llm, LlamaCpp) and llm.name == "llamacpp:Small-Q4"
    assert not xllamacpp.made, "loaded before it is used"
    await llm.close()


async def test_it_is_loaded_once_in_a_thread_of_its_own_where_nobody_can_reach_it(gguf, xllamacpp):
    llm = LlamaCpp(gguf, context=50, threads=3, temperature=0)
    await asyncio.gather(llm.complete(ASK), llm.complete(ASK))
    (server,) = xllamacpp.made
    assert len(server.threads) == 1 and threading.current_thread().name not in server.threads
    assert server.params.model.path == str(gguf)
    assert (server.params.n_ctx, server.params.n_parallel, server.params.cpuparams.n_threads) == (50, 1, 3)
    assert server.params.hostnames[0].endswith(".sock") and server.params.api_keys[0]
    assert server.requests[0]["temperature"] == 0 and "max_tokens" not in server.requests[0]
    await llm.close()


async def test_system_messages_at_the_beginning_become_one(model, xllamacpp):
    lines = [("system", "Be kind."), ("developer", "Be brief."), ("user", "Hi"), ("system", "Later."), ("user", "Hi?")]
    messages = [{"role": role, "content": text} for role, text in lines]
    await model.complete(messages)
    assert [(m["role"], m["content"]) for m in xllamacpp.made[0].requests[0]["messages"]] == [
        ("system", "Be kind.\n\nBe brief."),
        *lines[2:],
    ]
    assert messages[0]["content"] == "Be kind."


async def test_thoughts_are_told_apart_whoever_tells_them(model):
    for said in ("Let me see|Yes.", "<think>Let me see</think>Yes."):
        ask = [{"role": "user", "content": said}]
        assert await model.complete(ask) == Reply("Yes.", "stop", Usage(1, 7, len(said) if "<" in said else 5))
        async with aclosing(model.stream(ask)) as stream:
            deltas = [delta async for delta in stream]
        assert "".join(delta.thought for delta in deltas) == "Let me see"
        assert Delta("Y") in deltas


async def test_what_is_thought_at_the_end_of_the_tokens_is_no_answer(model):
    reply = await model.complete([{"role": "user", "content": "<think>Let me see</think>Yes."}], max_tokens=15)
    assert reply.text == "" and reply.finish == "length"


async def test_a_schema_it_cannot_hold_is_left_out(model, xllamacpp):
    reply = await model.complete(ASK, schema={"$ref": "#/nowhere"})
    assert reply.text == "Where is it?"
    assert "response_format" not in xllamacpp.made[0].requests[1]


async def test_errors_are_typed(model):
    for text, kind, words in (
        ("a " * 60, ContextOverflow, "60 tokens do not fit into a context of 50; lower max_tokens"),
        ("refuse", ModelRejected, "refuses the request: no"),
        ("crash", ModelError, "decode failed"),
    ):
        with pytest.raises(kind, match=words):
            await model.complete([{"role": "user", "content": text}])
    with pytest.raises(ModelRejected, match="Unknown role"):
        await model.complete([{"role": "narrator", "content": "Night fell."}])


async def test_files_that_are_none(tmp_path, gguf, xllamacpp):
    with pytest.raises(InvalidInput, match=r"there is no file .*nowhere.gguf"):
        LlamaCpp(tmp_path / "nowhere.gguf")
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(InvalidInput, match="is not a GGUF file"):
        LlamaCpp(tmp_path / "text.gguf")
    xllamacpp.broken = True
    llm = LlamaCpp(gguf)
    with pytest.raises(ModelRejected, match="cannot be loaded: it is damaged"):
        await llm.complete(ASK)
    await llm.close()


def test_without_the_package(gguf, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"jiyi\[llamacpp\]"):
        LlamaCpp(gguf)


async def test_a_stream_that_is_closed_ends_the_work(model, xllamacpp):
    stream = model.stream([{"role": "user", "content": "a" * 100_000}])
    await anext(stream)
    await stream.aclose()
    await model.complete(ASK)
    assert xllamacpp.made[0].chunks < 100_000


async def test_one_that_waits_for_its_turn_can_be_cancelled(model, xllamacpp):
    first = model.stream([{"role": "user", "content": "a" * 20_000}])
    await anext(first)
    second = asyncio.create_task(model.complete([{"role": "user", "content": "never asked"}]))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    await first.aclose()
    await model.complete(ASK)
    assert "never asked" not in str(xllamacpp.made[0].requests)


async def test_closing_ends_answers_and_refuses_new_ones(gguf):
    llm = LlamaCpp(gguf)
    stream = llm.stream([{"role": "user", "content": "a" * 100_000}])
    await anext(stream)
    await llm.close()
    with pytest.raises(ModelError, match="closed while it answered"):
        async for _ in stream:
            pass
    with pytest.raises(ModelError, match="was closed"):
        await llm.complete(ASK)


async def test_forgetting_lets_go_of_what_it_read(gguf, xllamacpp):
    async with await AsyncMemory.open("memory:", llm=f"llamacpp:{gguf}", embedder=None, settings=Settings()) as memory:
        session = memory.session("s", user_id="ada")
        assert (await session.send("The budget is 500.")).text == "The budget is 500."
        await memory.forget(user_id="ada")
        await session.send("Hello?")
    assert len(xllamacpp.made) == 2
    assert "500" not in str(xllamacpp.made[1].requests)
