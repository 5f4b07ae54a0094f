"""D05: facts survive sixty turns of small talk, also when the model's summaries say next to nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from jiyi.engine import AsyncMemory
from jiyi.extractive import parted
from jiyi.ports import LLM, Batch, Deriver, Request, Strategy
from jiyi.strategies.recall import Recall
from jiyi.strategies.rolling_summary import RollingSummary
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.strategies.summary_buffer import SummaryBuffer
from jiyi.testing.clock import FakeClock
from jiyi.testing.scripted import Call, ScriptedLLM
from jiyi.types import Block, Changes, Record, Source, Step

FACTS = {
    "zh": (
        "订单号是 KX-20931-07",
        "总价 12,480.50 元",
        "千万不要在周五发货",
        "我对青霉素过敏",
        "截止日期 2026年4月30日",
        "只在工作日14:00到16:00接电话",
    ),
    "en": (
        "The order number is KX-20931-07",
        "The total is 12,480.50 euros",
        "Never ship on a Friday",
        "I am allergic to penicillin",
        "The deadline is April 30, 2026",
        "I only take calls on workdays from 14:00 to 16:00",
    ),
}
LOSSY = {"zh": "用户讨论了订单和偏好。", "en": "The user talked about orders and preferences."}
TALK = {"zh": ("哈哈，今天天气不错", "是啊，挺好的"), "en": ("Haha, nice weather today", "Yes, quite nice")}
ASKED = {"zh": "什么时候可以发货？", "en": "When can it be shipped?"}
KEPT = {
    "zh": ("KX-20931-07", "12,480.50", "青霉素", "4月30日", "14:00", "16:00"),
    "en": ("KX-20931-07", "12,480.50", "penicillin", "April 30", "14:00", "16:00"),
}


class Stated(Strategy):
    """Facts with the sentences themselves as values: what extraction gives here is not what is tested."""

    name, window = "stated", False

    def __init__(self, facts: Sequence[str]) -> None:
        self.facts = facts

    def derivers(self, llm: LLM | None) -> list[Deriver]:
        facts = self.facts

        class Facts:
            step, batch_size, asks_llm = Step("facts", "1"), 100, False

            async def derive(self, batch: Batch) -> Changes:
                return Changes(
                    batch.cursor,
                    put=tuple(
                        Record(
                            f"fact:{facts.index(m.text)}", "fact", m.text, "facts", "1",
                            (Source(m.id, 0, len(m.text), m.text),), importance=0.9, data={"value": m.text},
                        )
                        for m in batch.messages
                        if m.text in facts
                    ),
                )  # fmt: skip

        return [Facts()]

    async def recall(self, request: Request) -> list[Block]:
        return []


@pytest.mark.parametrize("spoken", ["zh", "en"])
@pytest.mark.parametrize("by", ["rules", "lossy"])
@pytest.mark.parametrize("buffer", [False, True], ids=["rolling", "buffer"])
async def test_every_fact_is_in_the_context(clock: FakeClock, spoken: str, by: str, buffer: bool) -> None:
    def lossy(call: Call) -> str:
        parts = call.last.count("\n# ") + 1
        return json.dumps({"summaries": [{"number": n + 1, "summary": LOSSY[spoken]} for n in range(parts)]})

    llm = ScriptedLLM(lossy) if by == "lossy" else None
    window = [SummaryBuffer(8)] if buffer else [RollingSummary(), SlidingWindow(8)]
    recipe: list[Strategy] = [Stated(FACTS[spoken]), *window, Recall()]
    async with await AsyncMemory.open("memory:", recipe=recipe, embedder=None, memory_llm=llm, clock=clock) as memory:
        chat = memory.session("s", user_id="ada")
        for fact in FACTS[spoken]:
            await chat.add("user", fact)
            await chat.add("assistant", "好的" if spoken == "zh" else "OK")
        for turn in range(60):
            for role, text in zip(("user", "assistant"), TALK[spoken], strict=True):
                await chat.add(role, f"{text} {chr(97 + turn % 26)}")
            if turn % 10 == 9:
                await memory.drain()
        await chat.add("user", ASKED[spoken])
        await memory.drain()
        context = await chat.context(max_tokens=2000)
        text = "\n".join(str(message["content"]) for message in context.messages)
        assert all(value in text for value in KEPT[spoken])
        friday, ship, deny = (
            ("周五", "发货", "不要|别|不|禁止") if spoken == "zh" else ("Friday", "ship", "[Nn]ever|not")
        )
        both = [said for said in parted(text) if friday in said and ship in said]
        assert both and all(re.search(deny, said) for said in both)
        calls, before = len(llm.calls) if llm else 0, await summaries(memory)
        for _ in range(3):
            await memory.drain()
            assert (await chat.context(max_tokens=2000)).messages == context.messages
        assert (len(llm.calls) if llm else 0) == calls
        assert await summaries(memory) == before


async def summaries(memory: AsyncMemory) -> list[Record]:
    """All of them, whatever is counted of their use."""
    found = await memory.store.records(memory.scope("ada"), kind="summary")
    return [replace(record, used=0, used_at=None) for record in found]
