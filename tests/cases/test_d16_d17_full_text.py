"""Field cases D16 and D17: full text that takes any query, and finds Chinese words, identifiers and signs."""

from __future__ import annotations

import pytest

from jiyi.embedders.hashing import HashingEmbedder
from tests.conftest import OpenMemory

DOCS = [
    "They won't ship without co-pilot notes",
    "Link speed is 5 Mb/s",
    "The F# port takes 40% longer",
    "4000 units shipped",
    "mode:strict flag is on",
    "晚上吃🍜",
]
HOSTILE = [
    '"half open', "bar AND", "NEAR(", "x*y^z", "(rust", "-", "*", '""', "_", "\\", "'; DROP TABLE memories;--", "", "   ",
    "long " * 5000, "%", "NOT", "OR OR", "a" * 100_000, "t:u", "{col}:x", "^start", "+", "col : x", "\u202e", "\x7f", "٪",
]  # fmt: skip
MUST_FIND = {"won't": 0, "co-pilot": 0, "Mb/s": 1, "F#": 2, "40%": 2, "mode:strict": 4, "🍜": 5}

ZH_DOCS = [
    "会上敲定了迁移步骤，周四早上割接",
    "跑完sync-ledger之后37笔对账差异归零",
    "仓库库存表（stock）：SSD 与 交换机",
    "猫粮放在阳台柜子里",
]
ZH_EXPECT = {
    "迁移": [0], "迁移步骤": [0], "割接": [0], "差异": [1], "ledger": [1], "sync-ledger": [1], "库存": [2], "SSD": [2],
    "交换机": [2], "猫": [3], "飞机": [], "ＳＳＤ": [2], "ssd": [2], "粮": [3], "里": [3],
}  # fmt: skip


async def found(memory, query: str) -> list[str]:
    return [hit.text for hit in await memory.search(query, user_id="ada", floor=0)]


@pytest.fixture(params=["indexed", "fresh"])
async def fill(request: pytest.FixtureRequest, open_memory: OpenMemory):
    """Stores texts; the search must be the same whether the index has caught up or not."""

    async def fill_(docs: list[str]):
        memory = await open_memory()
        if request.param == "fresh":
            await memory.worker.stop()
        for doc in docs:
            await memory.remember(doc, user_id="ada")
        if request.param == "indexed":
            await memory.drain()
        return memory

    return fill_


@pytest.mark.parametrize("query", ["-", "*", "_", '""', "？！", "…", "%"])
async def test_signs_alone_bring_nothing_by_meaning_either(open_memory: OpenMemory, query: str) -> None:
    memory = await open_memory(embedder=HashingEmbedder())
    for doc in DOCS:
        await memory.remember(doc, user_id="ada")
    await memory.drain()

    assert await found(memory, query) == []


async def test_no_query_ever_raises_or_returns_everything(fill) -> None:
    memory = await fill(DOCS)
    for query in [*HOSTILE, *MUST_FIND]:
        assert len(await found(memory, query)) < len(DOCS), query
    for blank in ("", "   ", "*", "_", "-", '""', "%"):
        assert await found(memory, blank) == [], blank
    assert (await memory.stats()).statements == len(DOCS)


async def test_signs_and_identifiers_are_found(fill) -> None:
    memory = await fill(DOCS)
    for query, index in MUST_FIND.items():
        assert (await found(memory, query))[:1] == [DOCS[index]], query
    assert DOCS[3] not in await found(memory, "40%")


async def test_chinese_queries_give_exactly_the_right_texts(fill) -> None:
    memory = await fill(ZH_DOCS)
    for query, expected in ZH_EXPECT.items():
        assert await found(memory, query) == [ZH_DOCS[i] for i in expected], query
