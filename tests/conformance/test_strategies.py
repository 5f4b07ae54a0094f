"""Every built-in strategy passes the public suite."""

from __future__ import annotations

from jiyi.strategies.full_history import FullHistory
from jiyi.strategies.importance import Importance
from jiyi.strategies.recall import Recall
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.strategies.token_buffer import TokenBuffer
from jiyi.testing.strategy import StrategyConformance


class TestFullHistory(StrategyConformance):
    def strategy(self) -> FullHistory:
        return FullHistory()


class TestSlidingWindow(StrategyConformance):
    def strategy(self) -> SlidingWindow:
        return SlidingWindow(turns=2)


class TestWindowOfMessages(StrategyConformance):
    def strategy(self) -> SlidingWindow:
        return SlidingWindow(messages=6)


class TestTokenBuffer(StrategyConformance):
    def strategy(self) -> TokenBuffer:
        return TokenBuffer(200)


class TestImportance(StrategyConformance):
    def strategy(self) -> Importance:
        return Importance(recent=1)


class TestRecall(StrategyConformance):
    def strategy(self) -> Recall:
        return Recall(k=3)
