"""D25: erasing one session takes it out of summaries and notes, and leaves the other one's alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jiyi.engine import AsyncMemory
from jiyi.strategies.notes import Notes
from jiyi.strategies.rolling_summary import RollingSummary
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.testing.clock import FakeClock
from jiyi.testing.scripted import Call, ScriptedLLM

A = ("我的门禁码是 7731-XQ，住在云栖路9号。", "I keep the spare key under pot 4.")
B = "我养了一只鹦鹉，叫芝麻。"
GONE = ("7731-XQ", "云栖路", "pot 4")


def script(call: Call) -> str:
    """Says again whatever it is shown."""
    said = [line for line in (*A, B) if line in call.last]
    if call.schema and call.schema["title"] == "summary":
        parts = call.last.split("# ")[1:]
        return json.dumps(
            {
                "summaries": [
                    {"number": n, "summary": "".join(s for s in said if s in part) or "闲聊。"}
                    for n, part in enumerate(parts, start=1)
                ]
            }
        )
    return json.dumps({"notes": [{"number": 1, "note": s[:-1], "quote": s} for s in said]})


@pytest.mark.parametrize("model", [False, True], ids=["rules", "model"])
async def test_nothing_of_an_erased_session_is_left(clock: FakeClock, tmp_path: Path, model: bool) -> None:
    path = tmp_path / "jiyi.db"
    recipe = [Notes(floor=0.0, every=4), RollingSummary(recent=1, after=1, every=4, levels=2), SlidingWindow(1)]
    llm = ScriptedLLM(script) if model else None
    async with await AsyncMemory.open(str(path), recipe=recipe, embedder=None, memory_llm=llm, clock=clock) as memory:
        one, two = memory.session("A", user_id="ada"), memory.session("B", user_id="ada")
        for text in (*A, "谢谢", "好的"):
            await one.add("user", text)
        await two.add("user", B)
        for at in range(16):
            await (one if at % 2 else two).add("user" if at % 4 < 2 else "assistant", f"好的 {chr(97 + at)}")
        await memory.drain()
        before = await texts(memory)
        assert any("7731-XQ" in text for text in before) and any("芝麻" in text for text in before)
        await memory.forget(user_id="ada", session_id="A")
        assert not [text for text in await texts(memory) if any(part in text for part in GONE)]
        calls = len(llm.calls) if llm else 0
        await memory.drain()
        left = await texts(memory)
        assert not [text for text in left if any(part in text for part in GONE)]
        assert any("芝麻" in text for text in left)
        if llm:
            assert not any(part in call.all_text for call in llm.calls[calls:] for part in GONE)
        records = await memory.store.records(memory.scope("ada"))
        assert {record.kind for record in records} >= {"summary", "note"}
        assert all(record.session_id in ("B", None) for record in records)
        context = await two.context("鹦鹉叫什么？")
        assert "芝麻" in str(context.messages) and not any(part in str(context.messages) for part in GONE)
    raw = everything(tmp_path)
    assert "芝麻".encode() in raw and not any(part.encode() in raw for part in GONE)


def everything(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


async def texts(memory: AsyncMemory) -> list[str]:
    """All that is derived and read as text."""
    return [json.dumps([r.text, str(r.data), str(r.sources)], ensure_ascii=False)
            for r in await memory.store.records(memory.scope("ada"))]  # fmt: skip
