"""Runs the programs of the cookbook, and writes down what they print: ``python -m tests.e2e.cooking`` after a change."""

from __future__ import annotations

import io
import json
import runpy
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path

from jiyi.testing import ScriptedLLM
from jiyi.testing.scripted import Call

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "examples" / "cookbook"
OUTPUTS = ROOT / "docs" / "cookbook" / "output"
LANGUAGES = ("en", "zh")
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.py") if path.stem != "shared")


def run(name: str, *arguments: str) -> str:
    """What a program prints, run in this process."""
    before, out = sys.argv, io.StringIO()
    sys.argv = [name, *arguments]
    sys.path.insert(0, str(PROGRAMS))
    try:
        with redirect_stdout(out):
            runpy.run_path(str(PROGRAMS / f"{name}.py"), run_name="__main__")
    finally:
        sys.path.remove(str(PROGRAMS))
        sys.argv = before
    return out.getvalue()


class Cook(ScriptedLLM):
    """A model that finds nothing worth keeping, and answers with the number of lines that it was told."""

    def __init__(self) -> None:
        super().__init__(reply, name="cook")


def reply(call: Call) -> str:
    """Of a form the emptiest; else one sentence."""
    wanted = call.schema.get("properties") if call.schema else None
    if isinstance(wanted, Mapping):
        return json.dumps({name: _empty(form) for name, form in wanted.items()})
    return f"I was told {len(call.messages)} messages."


def _empty(form: object) -> object:
    kind = form.get("type") if isinstance(form, Mapping) else None
    return "" if kind == "string" else []


def main(names: Sequence[str]) -> None:
    """Writes the outputs that the documentation shows."""
    OUTPUTS.mkdir(parents=True, exist_ok=True)
    for name in names or NAMES:
        for language in LANGUAGES:
            (OUTPUTS / f"{name}.{language}.txt").write_text(run(name, "--language", language), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
