"""Field case D11: what is one thing under several names, and what only looks alike."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from jiyi import AsyncMemory, Entities, Graph
from jiyi.embedders.hashing import HashingEmbedder
from jiyi.entities import messages_of, names_of
from jiyi.types import Vector
from tests.cases.entities import Item, called, entities, naming, playing, relations, say
from tests.conftest import OpenMemory

TEXTS = [
    "Meridian Grid Authority (MGA) runs the east substation.",
    "MGA approved the budget.",
    "mga asked for a new quote",
    "ＭＧＡ 的合同下月到期。",
    "We order RX-2217 for the pump and RX-2219 for the fan; MGB is the insurer.",
]
FIELD: Mapping[str, Sequence[Item]] = {
    TEXTS[0][:-1]: [
        *naming("Meridian Grid Authority", "MGA"),
        {"head": "Meridian Grid Authority", "relation": "also_called", "tail": "MGA"},
        {"head": "Meridian Grid Authority", "relation": "runs", "tail": "east substation"},
    ],
    TEXTS[1][:-1]: [{"head": "MGA", "relation": "approved", "tail": "budget"}],
    TEXTS[2]: naming("mga"),
    TEXTS[3][:-1]: naming("ＭＧＡ"),
    TEXTS[4][:-1]: naming("RX-2217", "RX-2219", "MGB"),
}


class Noise(HashingEmbedder):
    """Another random direction for each call."""

    def __init__(self) -> None:
        super().__init__()
        self.name, self.size, self._random = "noise", 8, random.Random(7)

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [self._direction() for _ in texts]

    async def embed_query(self, text: str) -> Vector:
        return self._direction()

    def _direction(self) -> Vector:
        found = [self._random.gauss(0, 1) for _ in range(self.size)]
        length = sum(one * one for one in found) ** 0.5
        return [one / length for one in found]


class Same(Noise):
    """One direction for all: everything is as near as can be."""

    def _direction(self) -> Vector:
        return [1.0, *[0.0] * (self.size - 1)]


async def opened(
    open_memory: OpenMemory, tells: Mapping[str, Sequence[Item]] | None, address: str | None = None, **more: object
) -> AsyncMemory:
    """A memory with entities: by rules, or by a model that tells this."""
    llm = None if tells is None else playing(tells)
    return await open_memory(address, recipe=[Entities(every=1), Graph(every=1)], memory_llm=llm, **more)


async def state(memory: AsyncMemory) -> list[str]:
    """All that is known, but for the place among the records."""
    found = [*await entities(memory), *await relations(memory, current=None)]
    return sorted(f"{record.id} {record.text} {record.links} {record.closed_at}" for record in found)


@pytest.mark.parametrize("by", ["rules", "model"])
@pytest.mark.parametrize("vectors", [Noise, Same])
async def test_the_field_case(open_memory: OpenMemory, by: str, vectors: type[Noise]) -> None:
    memory = await opened(open_memory, FIELD if by == "model" else None, embedder=vectors())
    ids = await say(memory, *TEXTS)
    found = await entities(memory)
    (grid,) = [record for record in found if "mga" in record.links]
    assert names_of(grid) == ("Meridian Grid Authority", "MGA")
    assert messages_of(grid).keys() == set(ids[:4]), "all four mentions link to it"
    for name in ("rx-2217", "rx-2219", "mgb"):
        (record,) = [record for record in found if name in record.links]
        assert (record.links, messages_of(record).keys()) == ((name,), {ids[4]})
    before = [record.id for record in [*found, *await relations(memory, current=None)]]
    await say(memory, *TEXTS)
    again = [record.id for record in [*await entities(memory), *await relations(memory, current=None)]]
    assert sorted(again) == sorted(before), "running all five again adds no node and no edge"
    known = await state(memory)
    await memory.rebuild()
    await memory.drain()
    assert await state(memory) == known


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_vectors_change_nothing(open_memory: OpenMemory, tmp_path, by: str) -> None:
    known: list[list[str]] = []
    for vectors in (None, Noise(), Same()):
        address = str(tmp_path / f"{type(vectors).__name__}.db")
        memory = await opened(open_memory, FIELD if by == "model" else None, address, embedder=vectors)
        await say(memory, *TEXTS)
        known.append([line.split(" ", 1)[1] for line in await state(memory)])
    assert known[0] and known[0] == known[1] == known[2]


ALIASES = [
    ("Harbour Light Foundation (HLF) called.", "HLF sent a letter.", "Harbour Light Foundation", "HLF"),
    ("Kestrel Labs, also known as K-Labs, is our partner.", "K-Labs called.", "Kestrel Labs", "K-Labs"),
    ("Norr Shipping, or NSX for short, is late.", "NSX called again.", "Norr Shipping", "NSX"),
    ("蓝湾物流有限公司，简称蓝湾，是我们的客户。", "蓝湾今天来电了。", "蓝湾物流有限公司", "蓝湾"),
    ("灰雀机器人（GQR）的报价到了。", "GQR又来电了。", "灰雀机器人", "GQR"),
    ("陈小雨，又名小雨点，是我的同事。", "小雨点今天没来。", "陈小雨", "小雨点"),
]


@pytest.mark.parametrize(("said", "later", "one", "other"), ALIASES)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_two_names_that_are_said_to_be_one_things(
    open_memory: OpenMemory, said: str, later: str, one: str, other: str, order: tuple[int, int]
) -> None:
    tells = {said: [{"head": one, "relation": "also_called", "tail": other}], later: naming(other)}
    memory = await opened(open_memory, tells)
    texts = (said, later)
    ids = await say(memory, *(texts[at] for at in order))
    (record,) = [record for record in await entities(memory) if {one.lower(), other.lower()} & set(record.links)]
    assert set(names_of(record)) == {one, other} and messages_of(record).keys() == set(ids)
    await memory.forget(user_id="ada", message_ids=[ids[order.index(0)]])
    await memory.drain()
    assert called(await entities(memory)) == [{other}], "what joined them is gone, and so is the other name"


ALIKE = [
    ("Jon called.", "John called.", "Jon", "John"),
    ("The RX-2217 is here.", "The RX-2219 is here.", "RX-2217", "RX-2219"),
    ("MGA is late.", "MGB is late.", "MGA", "MGB"),
    ("Kestrel Labs wrote.", "Kestrel Lab wrote.", "Kestrel Labs", "Kestrel Lab"),
    ("王强是我的新同事。", "王蔷是我的老同事。", "王强", "王蔷"),
    ("蓝湾物流来电了。", "蓝湾科技来电了。", "蓝湾物流", "蓝湾科技"),
]


@pytest.mark.parametrize(("first", "second", "one", "other"), ALIKE)
async def test_what_looks_alike_is_two(open_memory: OpenMemory, first: str, second: str, one: str, other: str) -> None:
    memory = await opened(open_memory, {first: naming(one), second: naming(other)}, embedder=Same())
    await say(memory, first, second)
    assert sorted(map(sorted, called(await entities(memory)))) == sorted([[one], [other]])


NAMESAKES = [
    ("My brother Tom called.", "I asked Tom from accounting.", "Tom"),
    ("我哥哥陈晨来电了。", "财务部的陈晨也来了。", "陈晨"),
]


@pytest.mark.parametrize(("first", "second", "name"), NAMESAKES)
async def test_one_name_of_two_people_by_rules(open_memory: OpenMemory, first: str, second: str, name: str) -> None:
    memory = await opened(open_memory, None)
    ids = await say(memory, first, second)
    found = [record for record in await entities(memory) if name.lower() in record.links]
    assert sorted(tuple(messages_of(record)) for record in found) == sorted((one,) for one in ids)


@pytest.mark.parametrize(("first", "second"), [("I'm Lin Wei.", "Lin Wei is my name."), ("我叫林薇。", "我是林薇。")])
async def test_the_users_name_is_the_users(open_memory: OpenMemory, first: str, second: str) -> None:
    name = "Lin Wei" if first.isascii() else "林薇"
    told = [{"head": "user", "relation": "also_called", "tail": name}]
    memory = await opened(open_memory, {first: told, second: told})
    await say(memory, first, second)
    assert await entities(memory) == []
    (user,) = await memory.records(user_id="ada", kind="entity")
    assert names_of(user) == (name,)
