"""Every built-in strategy passes the public suite."""

from __future__ import annotations

from jiyi.strategies.facts import Facts
from jiyi.strategies.full_history import FullHistory
from jiyi.strategies.importance import Importance
from jiyi.strategies.key_facts import KeyFacts
from jiyi.strategies.notes import Notes
from jiyi.strategies.recall import Recall
from jiyi.strategies.rolling_summary import RollingSummary
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.strategies.summary_buffer import SummaryBuffer
from jiyi.strategies.token_buffer import TokenBuffer
from jiyi.testing.strategy import ListReader, StrategyConformance
from jiyi.types import Record, Source


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


class WithRecords(StrategyConformance):
    """A session with summaries of its first eight messages, and a note."""

    def reader(self) -> ListReader:
        reader = super().reader()
        said = reader.messages
        for at in (0, 1):
            part = said[4 * at : 4 * at + 4]
            data = {"by": "rules", "level": 0, "first": part[0].id, "last": part[-1].id, "count": 4}
            node = f"summary:rules:0:{at}:s"
            sources = tuple(Source(message.id) for message in part)
            text = f"They spoke of parcels. {at + 2} were on their way."
            reader.derived.append(
                Record(node, "summary", text, "summary:rules", "1", sources, session_id="s", key=f"0:{at}", data=data)
            )
        note = Record("n", "note", "The address of the second parcel", "notes", "1", (Source(said[2].id),))
        reader.derived.append(note)
        return reader


class TestRollingSummary(WithRecords):
    def strategy(self) -> RollingSummary:
        return RollingSummary(recent=1, after=1, every=4)


class TestRollingSummaryOfTwoLevels(WithRecords):
    def strategy(self) -> RollingSummary:
        return RollingSummary(100, levels=2, recent=1, after=1, every=4)


class TestSummaryBuffer(WithRecords):
    def strategy(self) -> SummaryBuffer:
        return SummaryBuffer(1, every=4)


class TestNotes(WithRecords):
    def strategy(self) -> Notes:
        return Notes()


class TestKeyFacts(StrategyConformance):
    def strategy(self) -> KeyFacts:
        return KeyFacts(limit=5)


class TestFacts(StrategyConformance):
    def strategy(self) -> Facts:
        return Facts(k=3)
