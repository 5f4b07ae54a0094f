"""The command line as people run it: in this process, and as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from jiyi.cli import app


@dataclass
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        return json.loads(self.err)["error"]

    def well(self) -> Ran:
        assert self.code == 0, self
        return self


Run = Callable[..., Ran]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, without anybody's settings, full text only."""
    for name in [name for name in os.environ if name.startswith("JIYI_")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("JIYI_EMBEDDER", "none")
    monkeypatch.setenv("JIYI_TOKENIZER", "estimate")
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def jiyi(here: Path) -> Run:
    """Runs one command line in this process."""

    def run(*args: str, stdin: str | bytes | None = None) -> Ran:
        result = CliRunner().invoke(app, list(args), input=stdin)
        assert "Traceback" not in result.output
        return Ran(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def process(here: Path) -> Run:
    """Runs one command line as a process of its own."""

    def run(*args: str, stdin: bytes = b"", **environ: str) -> Ran:
        command = [sys.executable, "-m", "jiyi", *args]
        done = subprocess.run(command, input=stdin, capture_output=True, env={**os.environ, **environ}, timeout=120)
        assert b"Traceback" not in done.stderr
        return Ran(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    return run


def write_lines(path: Path, *values: object) -> Path:
    """Writes a value a line; text is written as it is."""
    lines = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def line(text: object, **more: object) -> dict[str, object]:
    """A message of a file with a message a line."""
    return {"user_id": "ada", "session_id": "s1", "role": "user", "content": text, **more}
