"""The real model, in the process and as a server."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.model_server import ModelServer, Request, Wire, model_server


@pytest.fixture(scope="session")
def gguf() -> Path:
    """The model's file."""
    named = os.environ.get("JIYI_LIVE_GGUF")
    if not named:
        pytest.skip("JIYI_LIVE_GGUF names no GGUF file; `make live` fetches a small one")
    file = Path(named)
    assert file.is_file(), f"JIYI_LIVE_GGUF: there is no file {file}"
    return file


@pytest.fixture(scope="session")
def port(gguf: Path) -> Iterator[int]:
    """Where llama.cpp's own server listens, in a process of its own."""
    command = [sys.executable, str(Path(__file__).with_name("serve.py")), str(gguf)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = (line.strip() for line in process.stdout)
        found = next((urlsplit(line).port for line in lines if line.startswith("http")), None)
        assert found, "the server did not start"
        yield found
        process.kill()


@pytest.fixture
async def server(port: int) -> AsyncIterator[ModelServer]:
    """Stands before the real server and passes everything on; ``requests`` has what went through."""

    async def relay(request: Request, wire: Wire) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        body = json.dumps(request.body).encode()
        head = [f"POST {request.path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"]
        head += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
        writer.write("\r\n".join(head).encode() + body)
        try:
            while data := await reader.read(65536):
                await wire.raw(data)
        finally:
            writer.close()
            wire.writer.close()

    async with model_server(relay) as server:
        yield server
