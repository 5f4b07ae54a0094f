"""Test suites for those who write their own store, embedder, chat model or strategy, and the stand-ins that tests use.

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

with suppress(ImportError):
    import pytest

    pytest.register_assert_rewrite(
        "jiyi.testing.store", "jiyi.testing.embedder", "jiyi.testing.llm", "jiyi.testing.strategy"
    )

__all__ = [
    "Call",
    "EmbedderConformance",
    "FakeClock",
    "LLMConformance",
    "ScriptedLLM",
    "StoreConformance",
    "StrategyConformance",
    "Streamed",
    "echo",
]

_SUITES = {
    "EmbedderConformance": "embedder",
    "LLMConformance": "llm",
    "StoreConformance": "store",
    "StrategyConformance": "strategy",
}


def __getattr__(name: str) -> object:
    if name not in _SUITES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_SUITES[name]}"), name)
