"""Records found for a question: ranked as messages are, with one embedding of the question for all that ask."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from jiyi.embedders.hashing import HashingEmbedder
from jiyi.engine import AsyncMemory
from jiyi.ports import LLM, Batch, Deriver, Request
from jiyi.search import WantedRecords
from jiyi.strategies.recall import Recall
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.types import Block, Changes, Item, Record, RecordHit, Scope, Source, Step, Vector

ADA = Scope("ada")
SAID = datetime(2023, 5, 8, 20, 1, tzinfo=UTC)


class Takes:
    """Derives a fact from each message that begins with one; ``old`` ones are closed."""

    step = Step("takes", "1")
    batch_size = 10
    asks_llm = False

    async def derive(self, batch: Batch) -> Changes:
        made = [
            Record(
                f"fact:{message.id}", "note" if "note" in message.text else "fact",
                message.text.partition(":")[2].strip(), self.step.name, "1", (Source(message.id),),
                recorded_at=message.recorded_at, closed_at=message.created_at if "old" in message.text else None,
            )
            for message in batch.messages
        ]  # fmt: skip
        return Changes(batch.cursor, put=tuple(made))


class Finds:
    """Puts into the context what it finds of one kind."""

    name = "finds"
    window = False

    def __init__(self, kind: str | None = None) -> None:
        self.kind = kind
        self.hits: list[RecordHit] = []

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        return [Takes()]

    async def recall(self, request: Request) -> list[Block]:
        self.hits = await request.reader.find_records(request.query, kind=self.kind, limit=3)
        return [Block(self.name, "memory", tuple(Item((), text=hit.text) for hit in self.hits))]


class Counting(HashingEmbedder):
    """Remembers which questions it embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        await asyncio.sleep(0)
        return await super().embed_query(text)


LINES = (
    "fact: the budget for the gift is 500 yuan",
    "fact old: the budget for the gift is 300 yuan",
    "fact: her sister plays the violin",
    "note: wants a gift for a first-grader, budget 500",
    "fact: 预算是五百元，给侄女买礼物",
)


async def _filled(memory: AsyncMemory) -> None:
    chat = memory.session("monday", user_id="ada")
    for line in LINES:
        await chat.add("user", line)
    await memory.session("monday", user_id="bob").add("user", "fact: the budget of bob is 9")
    await memory.drain()


async def test_records_are_ranked_floored_and_of_one_kind(tmp_path: Path) -> None:
    for url in ("memory:", tmp_path / "a.db"):
        facts, anything = Finds("fact"), Finds()
        recipe = [facts, anything, SlidingWindow(1)]
        async with await AsyncMemory.open(url, recipe=recipe, embedder=None) as memory:
            await _filled(memory)
            await memory.session("tuesday", user_id="ada").context("what was the budget for the gift?")
            assert [hit.text for hit in facts.hits] == ["the budget for the gift is 500 yuan"]
            assert {hit.kind for hit in anything.hits} == {"fact", "note"}
            hit = facts.hits[0]
            assert hit.words == ["budget", "gift"] and hit.relevance >= hit.floor > 0
            assert sum(hit.parts.values()) == hit.score
            await memory.session("tuesday", user_id="ada").context("给侄女的预算是多少？")
            assert [hit.text for hit in facts.hits] == ["预算是五百元，给侄女买礼物"]
            await memory.session("tuesday", user_id="ada").context("what is the capital of France?")
            assert facts.hits == []


async def test_what_the_searcher_is_asked_for() -> None:
    async with await AsyncMemory.open("memory:", recipe=[Finds(), SlidingWindow(1)], embedder=None) as memory:
        await _filled(memory)
        ask, find = "the budget for the gift", memory.searcher.records
        assert len(await find(ADA, ask, WantedRecords(current=None, kinds=("fact",), floor=0.0))) == 2
        assert [h.record.closed_at is None for h in await find(ADA, ask, WantedRecords(current=False))] == [False]
        assert len(await find(ADA, ask, WantedRecords(k=1))) == 1
        assert await find(ADA, ask, WantedRecords(k=0)) == await find(ADA, " …", WantedRecords()) == []
        assert await find(ADA, ask, WantedRecords(as_of=memory.clock.now() - timedelta(days=9))) == []


async def test_a_question_is_embedded_once_for_one_context() -> None:
    embedder = Counting()
    recipe = [Finds("fact"), Finds("note"), Recall(), SlidingWindow(1)]
    async with await AsyncMemory.open("memory:", recipe=recipe, embedder=embedder) as memory:
        await _filled(memory)
        chat = memory.session("tuesday", user_id="ada")
        await chat.context("what was the budget?")
        assert embedder.asked == ["what was the budget?"]
        await chat.context("what was the budget?")
        assert len(embedder.asked) == 2


def test_a_record_hit_explains_itself() -> None:
    record = Record("r", "fact", "The gate code is 4417.", "facts", "1", (Source("a"), Source("b")), said_at=SAID)
    hit = RecordHit(1.25, 0.812, record, parts={"words": 1.25}, terms={"gate": 1}, asked={"gate": 3.0}, floor=0.45)
    assert (hit.kind, hit.text, hit.sources, hit.words) == ("fact", record.text, record.sources, ["gate"])
    assert hit.why == "relevance 0.81, has gate (words +1.25)"
    assert hit.explain().splitlines() == [
        "relevance 0.81, floor 0.45",
        "score 1.25",
        "   +1.25  words  words it shares with the question",
        "words of the question: gate",
        "fact by facts, of 2 messages, said 2023-05-08 20:01",
    ]
