"""An OpenAI-compatible server on 127.0.0.1 for tests, which also misbehaves on request.

Plain asyncio: what goes over the wire is in the tests' own hands, byte by byte.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from jiyi.embedders.hashing import HashingEmbedder

KEY = "sk-do-not-show-0123456789"


@dataclass
class Request:
    """One request that came in; ``body`` is decoded."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Wire:
    """The way back: a test writes the answer."""

    writer: asyncio.StreamWriter

    async def raw(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, body: object, *, status: int = 200, kind: str = "application/json", **headers: str) -> None:
        """A whole answer; ``body`` is text or becomes JSON."""
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        lines = [f"HTTP/1.1 {status} Status", f"Content-Type: {kind}", f"Content-Length: {len(data)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.raw("\r\n".join([*lines, "", ""]).encode() + data)

    async def start(self, kind: str = "text/event-stream") -> None:
        await self.raw(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())

    async def chunk(self, text: str) -> None:
        data = text.encode()
        await self.raw(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    async def event(self, value: object) -> None:
        await self.chunk(f"data: {value if isinstance(value, str) else json.dumps(value)}\n\n")

    async def end(self) -> None:
        await self.raw(b"0\r\n\r\n")

    async def say(self, *pieces: str, finish: str | None = "stop", usage: object = None, done: bool = True) -> None:
        """A well-formed stream."""
        await self.start()
        for text in pieces:
            await self.event(piece(content=text))
        if finish:
            await self.event(piece(finish=finish))
        if usage:
            await self.event({"choices": [], "usage": usage})
        if done:
            await self.event("[DONE]")
        await self.end()

    def cut(self) -> None:
        """The connection is gone, in the middle."""
        self.writer.transport.abort()


Handler = Callable[[Request, Wire], Awaitable[None]]


def piece(finish: str | None = None, **delta: object) -> dict[str, Any]:
    """One event of a stream."""
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


@dataclass
class ModelServer:
    """Calls ``handler`` for each request; ``requests`` has them all."""

    handler: Handler
    url: str = ""
    requests: list[Request] = field(default_factory=list)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read(reader)) is not None:
                self.requests.append(request)
                await self.handler(request, Wire(writer))
        except (ConnectionError, asyncio.IncompleteReadError):
            self.hung_up.set()
        except asyncio.CancelledError:
            pass
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Request | None:
    head = await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b""
    if not head:
        return None
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    data = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(first.split()[1], headers, json.loads(data or b"{}"))


@asynccontextmanager
async def model_server(handler: Handler) -> AsyncIterator[ModelServer]:
    """Runs a server for the length of a block."""
    server = ModelServer(handler)
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(server.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    listening = await asyncio.start_server(connected, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    try:
        yield server
    finally:
        listening.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def embedding(texts: list[str], size: int = 64) -> dict[str, Any]:
    """The answer of an embedding model that hashes words; not of unit length, as some models' are not."""
    made = HashingEmbedder(size)
    vectors = [[3 * value for value in made._vector(text)] for text in texts]
    return {"object": "list", "data": [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]}


async def embeddings(request: Request, wire: Wire) -> None:
    """Handles a request for embeddings well."""
    await wire.answer(embedding(request.body["input"], request.body.get("dimensions", 64)))
