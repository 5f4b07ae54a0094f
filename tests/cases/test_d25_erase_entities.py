"""D25: erasing one session takes it out of entities and relations, down to the bytes, and leaves the other one's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jiyi import AsyncMemory, Entities, Graph
from jiyi.testing import FakeClock, ScriptedLLM
from jiyi.testing.scripted import Call

A = (
    "我的门禁码是 7731-XQ，住在云栖路9号。",
    "I keep the spare key under pot 4 of Orla Quist.",
    "Sable Freight (SBLF) acquired Nightjar.",
    "我养了一只鹦鹉，叫芝麻。",
)
B = ("我养了一只鹦鹉，叫芝麻。", "Nightjar uses Rust.", "SBLF called.", "Nightjar is our project.")
GONE = ("7731-XQ", "7731-xq", "云栖路", "pot 4", "Orla", "orla", "Sable", "sable freight")
KEPT = ("芝麻", "Nightjar", "SBLF")


def tell(call: Call) -> str:
    """Names whatever it is shown, in the words that say so."""
    items: list[dict[str, object]] = []
    for line in call.last.splitlines():
        if not line[0].isdigit():
            continue
        number, said = int(line.partition(".")[0]), json.loads(line.partition("user: ")[2])
        quote = said.rstrip("。.")
        items += [
            {"number": number, "quote": quote, "head": name}
            for name in ("7731-XQ", "云栖路9号", "Orla Quist", "芝麻", "Nightjar", "SBLF")
            if name in said
        ]
        if "SBLF)" in said:
            items.append(
                {"number": number, "quote": quote, "head": "Sable Freight", "relation": "also_called", "tail": "SBLF"}
            )
            items.append({"number": number, "quote": quote, "head": "SBLF", "relation": "acquired", "tail": "Nightjar"})
    return json.dumps({"relations": items}, ensure_ascii=False)


@pytest.mark.parametrize("every", [1, 4])
@pytest.mark.parametrize("by", ["rules", "model"])
async def test_nothing_of_an_erased_session_is_left(clock: FakeClock, tmp_path: Path, by: str, every: int) -> None:
    llm = ScriptedLLM(tell) if by == "model" else None
    recipe = [Entities(every=every), Graph(every=every)]
    path = str(tmp_path / "jiyi.db")
    async with await AsyncMemory.open(path, recipe=recipe, embedder="hashing", memory_llm=llm, clock=clock) as memory:
        one, two = memory.session("A", user_id="ada"), memory.session("B", user_id="ada")
        for mine, other in zip(A, B, strict=True):
            await one.add("user", mine)
            await two.add("user", other)
        await memory.drain()
        before = await shown(memory)
        assert all(name in before for name in ("Sable Freight", "SBLF", "Nightjar"))
        await memory.forget(user_id="ada", session_id="A")
        for _ in range(2):
            after = await shown(memory)
            assert [text for text in GONE if text in after] == []
            await memory.drain()
        after = await shown(memory)
        assert [text for text in GONE if text in after] == []
        assert all(text in after for text in KEPT if text != "芝麻" or by == "model")
        known = await records(memory)
        assert {source for record in known for source in record[1]} <= {m.id for m in await two.messages()}
        await memory.rebuild()
        await memory.drain()
        assert await records(memory) == known, "as if it had never been said"
    raw = everything(tmp_path)
    assert [text for text in GONE if text.encode() in raw] == [] and b"Nightjar" in raw


def everything(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


async def records(memory: AsyncMemory) -> list[tuple[str, tuple[str, ...], str]]:
    found = await memory.store.records(memory.scope("ada"), current=None)
    return sorted((r.id, tuple(s.message_id for s in r.sources), r.text) for r in found)


async def shown(memory: AsyncMemory) -> str:
    """Everything that any way of reading gives."""
    found: list[object] = [await memory.store.records(memory.scope("ada"), current=None)]
    found += [await memory.entities(user_id="ada"), await memory.graph(user_id="ada")]
    for question in ("Who is Orla Quist?", "What is Nightjar?", "Sable Freight", "鹦鹉叫什么？"):
        found += await memory.records(user_id="ada", query=question, current=None, hidden=True)
        context = await memory.session("B", user_id="ada").context(question)
        asked = [message for message in context.messages if message.get("content") != question]
        found += [asked, context.explain() if question == "What is Nightjar?" else ""]
    return repr(found)
