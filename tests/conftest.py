"""Fixtures for tests of the whole memory, run on every store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from jiyi import AsyncMemory
from jiyi.config import Settings
from jiyi.testing import FakeClock
from tests import postgres

OpenMemory = Callable[..., Awaitable[AsyncMemory]]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["memory", "sqlite"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An address of each kind of store."""
    return "memory:" if request.param == "memory" else str(tmp_path / "jiyi.db")


@pytest.fixture
async def open_memory(url: str, clock: FakeClock) -> AsyncIterator[OpenMemory]:
    """Opens a memory at ``url`` and closes it at the end; full text only unless an embedder is asked for."""
    opened: list[AsyncMemory] = []

    async def open_(address: str | None = None, **options: object) -> AsyncMemory:
        options.setdefault("embedder", None)
        options.setdefault("tokenizer", "estimate")
        memory = await AsyncMemory.open(address or url, clock=clock, settings=Settings(), **options)  # type: ignore[arg-type]
        opened.append(memory)
        return memory

    yield open_
    for memory in opened:
        await memory.close()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """One for all tests that want one."""
    with postgres.running() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: postgres.Server) -> Iterator[str]:
    """The address of an empty database of a real PostgreSQL."""
    name = f"test_{uuid4().hex}"
    yield postgres_server.create(name)
    postgres_server.drop(name)
