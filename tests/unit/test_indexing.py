"""The two derivations there are: what is embedded, and how often."""

from __future__ import annotations

import asyncio

import pytest

from jiyi import AsyncMemory
from jiyi.config import Settings
from jiyi.embedders.hashing import HashingEmbedder
from jiyi.errors import StoreBusy
from jiyi.indexing import KEPT, DenseIndex
from jiyi.ports import Batch
from jiyi.types import Message, Scope


class Counting(HashingEmbedder):
    """Notes every text that it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def embed(self, texts):
        await self.gate.wait()
        self.texts += texts
        return await super().embed(texts)


def batch(*texts: str, start: int = 1) -> Batch:
    messages = tuple(Message(f"m{at}", "s", "user", text, seq=at) for at, text in enumerate(texts, start))
    return Batch(Scope("ada"), messages, start + len(texts) - 1)


async def test_the_same_text_is_embedded_once():
    embedder = Counting()
    index = DenseIndex(embedder)
    first = await index.derive(batch("谢谢", "ok", "谢谢"))
    assert len(embedder.texts) == 2
    assert [entry.seq for entry in first.vectors] == [1, 2, 3]
    assert list(first.vectors[0].vector) == list(first.vectors[2].vector) != list(first.vectors[1].vector)
    again = await index.derive(batch("ok", "谢谢", "new", start=4))
    assert len(embedder.texts) == 3
    assert list(again.vectors[0].vector) == list(first.vectors[1].vector)


async def test_the_vectors_are_those_of_the_embedder():
    texts = ["one", "two", "one", "三"]
    found = await DenseIndex(Counting()).derive(batch(*texts))
    plain = [await DenseIndex(Counting()).derive(batch(text)) for text in texts]
    assert [list(entry.vector) for entry in found.vectors] == [list(one.vectors[0].vector) for one in plain]


async def test_what_is_kept_is_bounded_and_the_last_used_stay():
    embedder = Counting()
    index = DenseIndex(embedder)
    await index.derive(batch("often"))
    for at in range(KEPT + 50):
        await index.derive(batch(f"once {at}"))
        if at % 100 == 0:
            await index.derive(batch("often"))
    assert sum("often" in text for text in embedder.texts) == 1
    assert len(index._kept) == KEPT
    await index.derive(batch("once 0"))
    assert sum(text.endswith("once 0") for text in embedder.texts) == 2


async def test_clear_forgets_also_what_is_being_embedded():
    embedder = Counting()
    index = DenseIndex(embedder)
    embedder.gate.clear()
    task = asyncio.create_task(index.derive(batch("a secret")))
    await asyncio.sleep(0)
    index.clear()
    embedder.gate.set()
    assert len((await task).vectors) == 1
    assert not index._kept


async def test_a_commit_that_fails_costs_no_second_embedding(monkeypatch: pytest.MonkeyPatch):
    embedder = Counting()
    async with await AsyncMemory.open("memory:", embedder=embedder, recipe="casual", settings=Settings()) as memory:
        commit, failed = memory.store.commit, []

        async def sometimes(claim, changes, *, now):
            if claim.step.name.startswith("dense:") and not failed:
                failed.append(claim)
                raise StoreBusy("another program holds the lock")
            await commit(claim, changes, now=now)

        monkeypatch.setattr(memory.store, "commit", sometimes)
        await memory.session("s", user_id="ada").add("user", "The budget is 500.")
        for _ in range(200):
            await memory.drain()
            if (await memory.stats()).vectors:
                break
            await asyncio.sleep(0.05)
        assert failed and (await memory.stats()).vectors == 1
        assert len(embedder.texts) == 1


async def test_forgetting_forgets_the_vectors_that_are_kept():
    embedder = Counting()
    async with await AsyncMemory.open("memory:", embedder=embedder, recipe="casual", settings=Settings()) as memory:
        for _ in range(2):
            await memory.session("s", user_id="ada").add("user", "The budget is 500.")
            await memory.drain()
            await memory.forget(user_id="ada")
        assert len(embedder.texts) == 2
