"""A chat model from a GGUF file, run by llama.cpp in this process: no server, no network, no key.

xllamacpp holds llama.cpp's server as an object.  Requests go to it by a function call in a thread of ours; the socket
that it opens as well is put where nobody can reach it.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import os
import secrets
import tempfile
import threading
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path
from typing import Any, TypeAlias, cast

from jiyi.errors import ContextOverflow, InvalidInput, MissingDependency, ModelError, ModelRejected
from jiyi.llms.body import one_system
from jiyi.thinking import Thinking
from jiyi.types import JSON, Capacity, ChatMessage, Delta, Finish, Reply, Usage

_BATCH = 128
"""Tokens of the prompt read in one go: about a second of a small model on one core, after which a call can end."""

_ADVICE = "a model in the process needs the package xllamacpp: pip install 'jiyi[llamacpp]'"

_Chunk: TypeAlias = Mapping[str, Any]
"""One event of llama.cpp's stream, as JSON."""


class LlamaCpp:
    """A GGUF file in this process.  Loaded at the first call; one answer at a time, others wait for their turn.

    The file's own chat template is used.  With a schema the model cannot write anything else; a schema that llama.cpp
    cannot hold it to is left out.

    Args:
        path: the file; of one in several parts, the first.
        context: tokens of prompt and answer together.  More take more memory; no more than the model was made for.
        threads: cores; None for as many as llama.cpp sees fit.
        temperature: how freely it chooses its words, from 0; None for llama.cpp's own value.

    Raises:
        MissingDependency: xllamacpp is not installed.
        InvalidInput: no such file, or another kind of file.
    """

    def __init__(
        self, path: str | Path, *, context: int = 8192, threads: int | None = None, temperature: float | None = None
    ) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise MissingDependency(_ADVICE)
        self._path = _checked(Path(path).expanduser())
        self.name = f"llamacpp:{self._path.stem}"
        self._context = context
        self._threads = threads
        self._temperature = temperature
        self._server: Any = None
        self._running: set[threading.Event] = set()
        self._closed = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="jiyi-llamacpp")

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, JSON] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """See ``LLM.complete``."""
        text, last = "", Delta()
        async with aclosing(self._deltas(self._request(messages, max_tokens), schema)) as deltas:
            async for last in deltas:
                text += last.text
        return Reply(text, last.finish or "stop", last.usage or Usage(1))

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int | None = None
    ) -> AsyncGenerator[Delta, None]:
        """See ``LLM.stream``."""
        async with aclosing(self._deltas(self._request(messages, max_tokens), None)) as deltas:
            async for delta in deltas:
                yield delta

    async def capacity(self) -> Capacity:
        """How long prompt and answer may be, as it is opened."""
        return Capacity(self._context)

    async def close(self) -> None:
        """See ``LLM.close``.  Answers under way end where they are."""
        self._closed = True
        for stop in self._running:
            stop.set()
        await asyncio.to_thread(self._shut)

    def clear(self) -> None:
        """Lets go of the words that llama.cpp keeps to read them faster again: after texts were erased."""
        if not self._closed:
            self._thread.submit(self._unload)

    def _request(self, messages: Sequence[ChatMessage], max_tokens: int | None) -> dict[str, Any]:
        if not messages:
            raise InvalidInput("messages", "must not be empty: give at least one message to answer")
        if self._closed:
            raise ModelError(f"{self.name} was closed; open it again")
        request: dict[str, Any] = {
            "messages": one_system(messages),
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_progress": True,  # a sign of life after each batch of the prompt, so that a call can end there
        }
        if max_tokens is not None:
            request["max_tokens"] = max_tokens
        if self._temperature is not None:
            request["temperature"] = self._temperature
        return request

    async def _deltas(self, request: dict[str, Any], schema: Mapping[str, JSON] | None) -> AsyncGenerator[Delta, None]:
        if schema is not None:
            form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
            try:
                async with aclosing(self._read(self._chunks({**request, "response_format": form}))) as deltas:
                    async for delta in deltas:
                        yield delta
                return
            except _BadSchema:  # before the first piece
                pass
        async with aclosing(self._read(self._chunks(request))) as deltas:
            async for delta in deltas:
                yield delta

    async def _read(self, chunks: AsyncGenerator[_Chunk, None]) -> AsyncGenerator[Delta, None]:
        """Deltas from llama.cpp's chunks, with finish and usage at the end."""
        finish: Finish = "stop"
        thinking = Thinking()  # llama.cpp tells thoughts apart only for the templates that it knows
        async with aclosing(chunks):
            async for chunk in chunks:
                for choice in chunk.get("choices", ()):
                    said = choice.get("delta", {})
                    parts = thinking.feed(said.get("content") or "")
                    thought = (said.get("reasoning_content") or "") + parts.thought
                    if parts.text or thought:
                        yield Delta(parts.text, thought)
                    if choice.get("finish_reason") == "length":
                        finish = "length"
                if used := chunk.get("usage"):
                    rest = thinking.finish(whole=finish == "stop")
                    usage = Usage(1, used["prompt_tokens"], used["completion_tokens"])
                    yield Delta(rest.text, rest.thought, finish, usage)

    async def _chunks(self, request: dict[str, Any]) -> AsyncGenerator[_Chunk, None]:
        """What llama.cpp says to a request, brought over from the thread; closing it ends the work there."""
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[str | None] = asyncio.Queue()
        stop = threading.Event()

        def put(chunk: str | None) -> bool:
            loop.call_soon_threadsafe(arrived.put_nowait, chunk)  # raises once the loop is closed, which ends it too
            return stop.is_set()

        body = json.dumps(request, ensure_ascii=False).encode("utf-8", "replace").decode()
        work = loop.run_in_executor(self._thread, self._generate, body, put, stop)
        work.add_done_callback(lambda _: arrived.put_nowait(None))
        self._running.add(stop)
        try:
            while (chunk := await arrived.get()) is not None:
                parsed = json.loads(chunk)
                if "error" in parsed:
                    raise _error(self.name, parsed["error"])
                yield parsed
            await work
            if stop.is_set():
                raise ModelError(f"{self.name} was closed while it answered")
        finally:
            stop.set()
            work.cancel()
            self._running.discard(stop)

    # -- in the thread

    def _generate(self, body: str, put: Callable[[str], bool], stop: threading.Event) -> None:
        if stop.is_set():
            return
        if self._server is None:
            self._server = _load(self._path, self._context, self._threads)
        try:
            self._server.handle_chat_completions(body, put)
        except ValueError as error:
            if "schema" in str(error).lower() and '"response_format"' in body:
                raise _BadSchema from error
            raise ModelRejected(f"{self.name} cannot take this request: {error}") from error
        except RuntimeError as error:
            raise ModelError(f"{self.name}: {error}") from error

    def _unload(self) -> None:
        self._server = None

    def _shut(self) -> None:
        try:
            self._thread.submit(self._unload)
        except RuntimeError:  # closed before
            return
        self._thread.shutdown()


class _BadSchema(Exception):
    """A schema that llama.cpp cannot make a grammar of."""


def _checked(path: Path) -> Path:
    if not path.is_file():
        raise InvalidInput("llm", f"there is no file {path}; give the path of a GGUF file")
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise InvalidInput("llm", f"{path} is not a GGUF file; convert the model, or take its GGUF form")
    return path


def _load(path: Path, context: int, threads: int | None) -> Any:
    """llama.cpp with the weights, and without a place where others could ask it."""
    llama: Any = importlib.import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = str(path)
    params.n_ctx, params.n_parallel = context, 1
    params.n_batch = params.n_ubatch = _BATCH
    params.cache_ram_mib = 0  # else it keeps up to 8 GB of earlier prompts
    params.warmup = (
        False  # the interpreter stands still while it loads; reading the weights can wait for the first call
    )
    params.verbosity, params.offline, params.ui = 0, True, False
    params.api_keys = [secrets.token_hex()]
    if threads is not None:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    with tempfile.TemporaryDirectory(prefix="jiyi-") as folder:
        if os.name == "posix":
            params.hostnames = [f"{folder}/s.sock"]  # of ours alone, and gone with the folder in a moment
        try:
            return llama.Server(params)
        except RuntimeError as error:
            raise ModelRejected(
                f"{path} cannot be loaded: it is damaged, too large for the memory, or newer than the installed "
                f"xllamacpp ({llama.__version__}). Compare its size with the original, or update xllamacpp"
            ) from error


def _error(name: str, error: Mapping[str, Any]) -> ModelError:
    said = str(error.get("message", error))
    if error.get("type") == "exceed_context_size_error":
        return ContextOverflow(
            f"{name}: {error.get('n_prompt_tokens')} tokens do not fit into a context of {error.get('n_ctx')}; lower "
            "max_tokens, or open the model with a larger context"
        )
    code = cast("int", error.get("code", 500))
    return ModelRejected(f"{name} refuses the request: {said}") if code < 500 else ModelError(f"{name}: {said}")
