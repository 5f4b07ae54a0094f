"""ARCHITECTURE.md names every module, and nothing that is not there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "jiyi"
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def _modules() -> set[str]:
    """Every module and SQL script as a path below ``src/jiyi``; a folder's ``__init__.py`` speaks for itself."""
    found = (*SOURCE.rglob("*.py"), *SOURCE.rglob("*.sql"))
    files = (path.relative_to(SOURCE).as_posix() for path in found)
    return {name for name in files if not name.endswith("__init__.py")}


def _tree() -> list[str]:
    """The paths that the tree in the text names, each line's folder put before its files."""
    block = re.search(r"```text\nsrc/jiyi/\n(.*?)```", TEXT, re.DOTALL)
    assert block, "ARCHITECTURE.md has no tree that begins with src/jiyi/"
    named: list[str] = []
    folder = ""
    for line in block[1].splitlines():
        if not line.strip():
            continue
        indented = line.startswith("    ")
        words = line.split()
        if not indented:
            folder = words[0] if words[0].endswith("/") else ""
        if words[0].endswith((".py", ".sql")):
            named.append((folder if indented else "") + words[0])
    return named


def test_every_module_is_named() -> None:
    assert sorted(_modules() - set(_tree())) == []


def test_every_name_exists() -> None:
    assert sorted(name for name in _tree() if not (SOURCE / name).is_file()) == []


def test_every_module_is_named_once() -> None:
    assert sorted(name for name, times in Counter(_tree()).items() if times > 1) == []


def test_every_path_in_the_text_exists() -> None:
    paths = set(re.findall(r"`((?:src|docs|tests|bench|scripts)/[\w./-]*)`", TEXT))
    assert sorted(path for path in paths if not (ROOT / path).exists()) == []
