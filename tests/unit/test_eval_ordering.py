"""The contexts that a ranking is measured in hold what the memory section of so many tokens would."""

from __future__ import annotations

from datetime import timedelta

import pytest

from jiyi import AsyncMemory
from jiyi.assembly import assemble
from jiyi.eval.ordering import Asker
from jiyi.testing.strategy import START, conversation
from jiyi.tokens import REPLY
from jiyi.types import Block, Item

BUDGETS = range(20, 500, 7)


@pytest.mark.parametrize("question", ["Which plan is it?", "是哪一个计划？"])
async def test_a_measured_context_is_a_real_one(question: str) -> None:
    ranked = [
        message
        for at in range(5)
        for message in conversation(
            ("user", f"Plan {at}: 预算是{at}百元。 " * (1 + at % 3)),
            ("assistant", "\n[Good] so." * at),
            ("user", "And then?"),
            session=str(at),
            start=START + timedelta(hours=23, minutes=58, days=at),
        )
    ][::-2]
    memory = await AsyncMemory.open("memory:", embedder="none")
    try:
        asker = Asker(memory, "ada", [], None, budgets=list(BUDGETS))
        measured = asker._filled(ranked, question)  # pyright: ignore[reportPrivateUsage]
        block = Block("recall", "memory", tuple(Item((message,)) for message in ranked), share=1.0)
        language = "zh" if "计划" in question else "en"
        for budget in BUDGETS:
            real = assemble(
                [block], system=(), newest=(), budget=REPLY + budget, counter=memory.counter, language=language
            )
            assert measured.inside[budget] == {source for used in real.blocks for source in used.sources}
            assert real.tokens <= REPLY + budget
    finally:
        await memory.close()
