"""One OpenAI-compatible server, for chat and embeddings: connections, limits in time, retries, errors as ours."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import logging
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast
from weakref import WeakKeyDictionary

from jiyi.errors import InvalidInput, MissingDependency, ModelError, ModelUnavailable
from jiyi.providers import Address
from jiyi.refusals import Unreachable, explain, said, scrub

if TYPE_CHECKING:
    import openai

_log = logging.getLogger(__name__)

T = TypeVar("T")

_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0
"""Seconds: who is asked to wait longer than this says so to the caller instead."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long to wait, in seconds, and how often to try.

    Attributes:
        first: until the server says the first thing (or, for embeddings, everything), all attempts together.
        idle: between two things it says; what only keeps the line open does not count.
        connect: until a connection stands.
        retries: further attempts after one that may succeed later.
        parallel: requests at once.
    """

    first: float = 120.0
    idle: float = 60.0
    connect: float = 10.0
    retries: int = 2
    parallel: int = 4


DEFAULT = Limits()


class _Connection:
    """What belongs to one event loop."""

    def __init__(self, client: openai.AsyncOpenAI, parallel: int) -> None:
        self.client = client
        self.turns = asyncio.Semaphore(parallel)


class Endpoint:
    """Sends requests to an address.  May be used from several event loops; each has its own connections.

    Raises:
        MissingDependency: the package ``openai`` is not installed.
    """

    def __init__(self, address: Address, limits: Limits) -> None:
        if importlib.util.find_spec("openai") is None:
            raise MissingDependency(f"{address.name} needs the package openai: pip install 'jiyi[openai]'")
        self.address = address
        self.limits = limits
        self._connections: WeakKeyDictionary[asyncio.AbstractEventLoop, _Connection] = WeakKeyDictionary()

    async def request(self, path: str, body: Mapping[str, object]) -> object:
        """The decoded JSON of one whole answer; retried."""
        connection = await self._connect()
        async with connection.turns:
            return await self.persist(lambda: self._whole(lambda: _asked(connection.client, path, body)))

    async def look(self, path: str, body: Mapping[str, object] | None = None) -> object:
        """The decoded JSON of one whole answer about the server itself; asked for once.

        Args:
            path: under the base URL, or an address of the same server.
            body: sent by POST; None for GET.
        """
        connection = await self._connect()
        return await self._whole(lambda: _asked(connection.client, path, body))

    async def events(self, path: str, body: Mapping[str, object]) -> AsyncGenerator[object, None]:
        """The decoded events of one streamed answer, then None when the server said that this was all; not retried.
        A server that answers whole gives one event.
        """
        connection = await self._connect()
        failure: ModelError | None = None
        try:
            stream = await connection.client.post(
                path, cast_to=object, body=_encodable(body), stream=True, stream_cls=_stream_class()
            )
            try:
                kind = stream.response.headers.get("content-type", "").lower()
                if "json" in kind or "html" in kind:
                    yield _decoded(self.address, (await stream.response.aread()).decode("utf-8", "replace"))
                else:
                    async with aclosing(cast("AsyncGenerator[object, None]", aiter(stream))) as events:
                        async for event in events:
                            yield event
                    if getattr(stream, "done", False):
                        yield None
            finally:
                await stream.close()
        except Exception as error:  # of the SDK, of the HTTP client below it, or of the JSON decoder
            failure = self._failure(error)
        if failure is not None:  # outside the handler: the SDK's errors carry the request, and the request the key
            raise failure

    async def persist(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """The result of the first attempt that succeeds.  What may succeed later is tried again, with growing pauses,
        within ``limits.first``.

        Raises:
            ModelError: of the last attempt.
        """
        now = asyncio.get_running_loop().time
        end = now() + self.limits.first
        failure: ModelError | None = None
        for left in range(self.limits.retries, -1, -1):
            try:
                async with asyncio.timeout_at(end):
                    return await attempt()
            except TimeoutError:
                failure = self.silence(self.limits.first)
            except ModelUnavailable as error:
                failure = error
            pause = _pause(self.limits.retries - left, failure.retry_after)
            if not left or pause > _LONGEST_WAIT or now() + pause >= end:
                break
            _log.info("%s: trying again in %.1f s (%s)", self.address.name, pause, failure)
            await asyncio.sleep(pause)
        assert failure is not None
        raise failure

    def silence(self, seconds: float) -> ModelUnavailable:
        """The error of a server that says nothing."""
        return ModelUnavailable(
            f"{self.address.name}: {self.address.host} has said nothing for {seconds:g} seconds; it may still be "
            "loading the model, or be stuck. Try again, or raise the limit (llm_first_timeout, llm_idle_timeout)"
        )

    async def close(self) -> None:
        """Closes the connections of the running event loop; a later request opens new ones."""
        connection = self._connections.pop(asyncio.get_running_loop(), None)
        if connection is not None:
            await connection.client.close()

    async def _connect(self) -> _Connection:
        loop = asyncio.get_running_loop()
        if loop not in self._connections:
            await asyncio.to_thread(importlib.import_module, "openai")  # half a second, the first time
            if loop not in self._connections:
                self._connections[loop] = _Connection(self._client(), self.limits.parallel)
        return self._connections[loop]

    def _client(self) -> openai.AsyncOpenAI:
        import openai

        timeout = openai.Timeout(None, connect=self.limits.connect)
        client = openai.AsyncOpenAI(
            api_key=self.address.key or "none",
            base_url=self.address.base_url,
            timeout=timeout,
            max_retries=0,  # see persist
            http_client=openai.DefaultAsyncHttpxClient(timeout=timeout, trust_env=not self.address.local),
        )
        if self.address.own or self.address.provider != "openai":
            client.organization = client.project = None  # the SDK takes them from the environment, for OpenAI
        return client

    async def _whole(self, ask: Callable[[], Awaitable[str]]) -> object:
        failure: ModelError
        try:
            response = await ask()
            return await asyncio.to_thread(_decoded, self.address, response)  # vectors are megabytes of digits
        except Exception as error:
            failure = self._failure(error)
        raise failure

    def _failure(self, error: Exception) -> ModelError:
        """What went wrong, as one of ours, without the key."""
        import openai

        if isinstance(error, (ModelError, InvalidInput)):
            return cast("ModelError", error)
        name, host = self.address.name, self.address.host
        if isinstance(error, openai.APIStatusError):
            headers = error.response.headers
            return explain(self.address, error.status_code, error.body, retry_after=_retry_after(headers))
        if isinstance(error, openai.APITimeoutError):
            return Unreachable(f"{name}: no connection to {host} within {self.limits.connect:g} seconds")
        if isinstance(error, openai.APIConnectionError):
            why = scrub(_root(error), self.address.key)
            if "certificate" in why.lower():
                return Unreachable(f"{name}: no safe connection to {host}: {why}")
            return Unreachable(f"{name}: no connection to {host}, or it broke off ({why}). {self._start()}")
        if isinstance(error, openai.APIError):  # an error event inside a stream
            return explain(self.address, 0, error.body or error.message)
        if isinstance(error, (json.JSONDecodeError, UnicodeDecodeError)):
            return ModelError(f"{name}: {host} sent something that is not JSON in the middle of its answer")
        why = scrub(_root(error), self.address.key)
        return ModelUnavailable(f"{name}: the connection to {host} broke off in the middle of the answer ({why})")

    def _start(self) -> str:
        if self.address.provider == "ollama":
            return "Is Ollama running? Start it with `ollama serve`"
        return "Is the server running?" if self.address.local else "Check the address and the network, then try again"


def _asked(client: openai.AsyncOpenAI, path: str, body: Mapping[str, object] | None) -> Awaitable[str]:
    return client.get(path, cast_to=str) if body is None else client.post(path, cast_to=str, body=_encodable(body))


@cache
def _stream_class() -> type[openai.AsyncStream[object]]:
    """The SDK's stream, which also remembers whether the server said ``[DONE]``."""
    import openai

    class Watched(openai.AsyncStream[object]):
        done = False

        async def _iter_events(self) -> AsyncGenerator[Any, None]:  # where the SDK names it otherwise, done stays False
            async for event in super()._iter_events():
                self.done = self.done or event.data.startswith("[DONE]")
                yield event

    return Watched


def _encodable(body: Mapping[str, object]) -> Mapping[str, object]:
    """The body as it can be sent: half characters are replaced.

    Raises:
        InvalidInput: it cannot be written as JSON.
    """
    try:
        text = json.dumps(body, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput("messages", f"cannot be sent as JSON: {error}") from None
    try:
        text.encode()
    except UnicodeEncodeError:
        return cast("Mapping[str, object]", json.loads(text.encode("utf-8", "replace")))
    return body


def _decoded(address: Address, text: str) -> object:
    """The JSON of a whole answer.

    Raises:
        ModelError: it is none; for a web page ``ModelRejected``, since then the address is wrong.
    """
    try:
        found = json.loads(text)
    except ValueError:
        words = said(text)
        if words.startswith("<html>") or not words:
            raise explain(address, 404, text) from None
        quote = scrub(words, address.key)
        raise ModelError(f"{address.name}: {address.host} sent something that is not JSON: {quote}") from None
    if isinstance(found, dict) and "error" in found and found["error"]:
        raise explain(address, 0, cast("object", found))
    return cast("object", found)


def _pause(failures: int, asked: float | None) -> float:
    """Seconds to wait: what the server asks for, else half a second, one, two…, a quarter of it by chance."""
    if asked is not None:
        return asked
    return _FIRST_WAIT * 2**failures * random.uniform(0.75, 1)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, from the headers that give a number; a date is passed over."""
    for header, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(header, "")) * unit
        except ValueError:
            continue
        if 0 <= seconds < 1e6:
            return seconds
    return None


def _root(error: BaseException) -> str:
    """The innermost cause in its own words: the SDK's say only ``Connection error``."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__


__all__ = ["DEFAULT", "Endpoint", "Limits"]
