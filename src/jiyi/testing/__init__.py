"""Test suites for those who write their own store, embedder or strategy, and the doubles that the tests use.

Needs pytest with pytest-asyncio in auto mode, and hypothesis.
"""

import pytest

pytest.register_assert_rewrite("jiyi.testing.store", "jiyi.testing.embedder", "jiyi.testing.strategy")

from jiyi.testing.clock import FakeClock  # noqa: E402
from jiyi.testing.embedder import EmbedderConformance  # noqa: E402
from jiyi.testing.store import StoreConformance  # noqa: E402
from jiyi.testing.strategy import StrategyConformance  # noqa: E402

__all__ = ["EmbedderConformance", "FakeClock", "StoreConformance", "StrategyConformance"]
