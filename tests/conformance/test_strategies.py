"""Every built-in strategy passes the public suite."""

from __future__ import annotations

from jiyi.strategies.entities import Entities
from jiyi.strategies.facts import Facts
from jiyi.strategies.full_history import FullHistory
from jiyi.strategies.graph import Graph
from jiyi.strategies.importance import Importance
from jiyi.strategies.key_facts import KeyFacts
from jiyi.strategies.notes import Notes
from jiyi.strategies.recall import Recall
from jiyi.strategies.rolling_summary import RollingSummary
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.strategies.snapshot import Snapshot
from jiyi.strategies.summary_buffer import SummaryBuffer
from jiyi.strategies.token_buffer import TokenBuffer
from jiyi.strategies.topics import Topics
from jiyi.strategies.topics_known import Place
from jiyi.strategies.topics_making import part
from jiyi.strategies.topics_rules import RuleTopics
from jiyi.testing.strategy import ListReader, StrategyConformance, request
from jiyi.topics import TopicPoint, Written, topic_id, topic_of_parts
from jiyi.types import JSON, Record, Source
from tests.graphs import Told


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


class WithFacts(StrategyConformance):
    """A session of which two facts are known, one of them after the first snapshot."""

    def reader(self) -> ListReader:
        reader = super().reader()
        for at, attribute, quote in ((2, "budget", "My budget is 500"), (6, "identifier", "88-402")):
            message = reader.messages[at]
            start = message.text.index(quote)
            source = Source(message.id, start, start + len(quote), quote)
            reader.derived.append(
                Record(
                    f"fact:{at}", "fact", quote, "facts:rules", "1", (source,), key=f"user.{attribute}",
                    importance=0.8, said_at=message.created_at, recorded_at=message.recorded_at,
                    data={"by": "rules", "attribute": attribute, "value": quote, "status": ""},
                )
            )  # fmt: skip
        last = reader.messages[4]
        assert last.created_at is not None
        data: dict[str, JSON] = {"number": 1, "at": last.created_at.isoformat(), "seq": last.seq}
        reader.derived.append(Record("snapshot:1", "snapshot", "", "snapshots", "1", (Source(last.id),), data=data))
        return reader


class TestSnapshot(WithFacts):
    def strategy(self) -> Snapshot:
        return Snapshot(every=2)


class WithNames(StrategyConformance):
    """A session, and what an earlier one said of the parcels and of a warehouse."""

    def reader(self) -> ListReader:
        reader = super().reader()
        told = Told()
        first = told.message("Parcel 88-401 is stored at Pier Nine.", session="old")
        second = told.message("Pier Nine is in Rotterdam, our oldest warehouse.", session="old")
        told.entity("Parcel 88-401", first, type="product", also=["88-401"])
        told.entity("Pier Nine", first, second, type="place", traits={"": "our oldest warehouse"})
        told.entity("Rotterdam", second, type="place")
        told.relation("88-401", "located_in", "Pier Nine", first)
        told.relation("Pier Nine", "located_in", "Rotterdam", second)
        reader.stored = list(told.messages.values())
        reader.derived = [*told.entities.values(), *told.relations.values()]
        return reader

    async def test_it_has_something_to_say(self) -> None:
        asked = request(self.reader(), query="Where is parcel 88-401?")
        (block,) = await self.strategy().recall(asked)
        assert "Pier Nine" in str(block.items)


class TestEntities(WithNames):
    def strategy(self) -> Entities:
        return Entities(k=3)


class TestGraph(WithNames):
    def strategy(self) -> Graph:
        return Graph(k=3)


class WithTopics(StrategyConformance):
    """The first user message of the session belongs to a topic, and its words are what it says."""

    def reader(self) -> ListReader:
        reader = super().reader()
        message = next(one for one in reader.messages if one.role == "user" and one.text)
        end = len(message.text)
        point = TopicPoint(message.text, message.id, 0, end, message.text, message.created_at, message.seq)
        name = Written("parcels", Source(message.id), message.seq)
        place = Place(topic_id("parcels"), (name,), "named")
        one = part(RuleTopics.step, message, place, {"open": [point]})
        topic = topic_of_parts(place.key, [one])
        assert topic is not None
        reader.derived += [one, topic]
        return reader


class TestTopics(WithTopics):
    def strategy(self) -> Topics:
        return Topics()


class TestTopicsCited(WithTopics):
    def strategy(self) -> Topics:
        return Topics(k=1, cited=True)
