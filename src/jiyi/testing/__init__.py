"""Test suites for those who write their own store, embedder, chat model or strategy, and the stand-ins that tests use.

Needs pytest with pytest-asyncio in auto mode, and hypothesis.
"""

import pytest

pytest.register_assert_rewrite(
    "jiyi.testing.store", "jiyi.testing.embedder", "jiyi.testing.llm", "jiyi.testing.strategy"
)

from jiyi.testing.clock import FakeClock  # noqa: E402
from jiyi.testing.embedder import EmbedderConformance  # noqa: E402
from jiyi.testing.llm import LLMConformance  # noqa: E402
from jiyi.testing.scripted import Call, ScriptedLLM, Streamed, echo  # noqa: E402
from jiyi.testing.store import StoreConformance  # noqa: E402
from jiyi.testing.strategy import StrategyConformance  # noqa: E402

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
