"""Test suites for those who write their own store, embedder, chat model, strategy or index of vectors, and the
stand-ins that tests use.

The suites need pytest with pytest-asyncio in auto mode, and hypothesis; the stand-ins need nothing.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from jiyi.testing.clock import FakeClock
from jiyi.testing.scripted import Call, ScriptedLLM, Streamed, echo

if TYPE_CHECKING:
    from jiyi.testing.embedder import EmbedderConformance
    from jiyi.testing.llm import LLMConformance
    from jiyi.testing.store import StoreConformance
    from jiyi.testing.strategy import StrategyConformance
    from jiyi.testing.vectors import VectorIndexConformance

with suppress(ImportError):
    import pytest

    for suite in ("store", "embedder", "llm", "strategy", "vectors"):
        pytest.register_assert_rewrite(f"jiyi.testing.{suite}")

__all__ = [
    "Call",
    "EmbedderConformance",
    "FakeClock",
    "LLMConformance",
    "ScriptedLLM",
    "StoreConformance",
    "StrategyConformance",
    "Streamed",
    "VectorIndexConformance",
    "echo",
]

_SUITES = {
    "EmbedderConformance": "embedder",
    "LLMConformance": "llm",
    "StoreConformance": "store",
    "StrategyConformance": "strategy",
    "VectorIndexConformance": "vectors",
}


def __getattr__(name: str) -> object:
    if name not in _SUITES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_SUITES[name]}"), name)
