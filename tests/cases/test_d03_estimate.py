"""Field case D03, context part: with the estimate alone, a context of Chinese turns stays below the real budget."""

from __future__ import annotations

import copy
import importlib.util

import pytest

from jiyi.strategies.full_history import FullHistory
from jiyi.strategies.recall import Recall
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.testing.strategy import ListReader, check_context, context_of, conversation
from jiyi.tokens import Estimate, count_messages, counter
from jiyi.types import Hit

A = (
    "昨天下午我们在会议室里讨论了新版本的上线计划，大家一致认为应该先在小范围内试运行两周，"
    "收集反馈之后再决定是否全面推广，同时要准备好回滚方案。"
)
B = "Yesterday afternoon we agreed to try the new release with a small group for two weeks before rolling it out."
C = "把 retry_limit 从3改成5，然后重跑 nightly-build，看 error rate 有没有降到0.2%以下。"
D = "👩🏽\u200d🚀🎉🍜 好的！"
BUDGET = 2_000


def _han(text: str) -> int:
    return sum("\u4e00" <= char <= "\u9fff" for char in text)


@pytest.mark.parametrize("text", [A, B, C, D])
@pytest.mark.parametrize("strategies", [[FullHistory()], [SlidingWindow(60)], [Recall(), SlidingWindow(8)]])
async def test_sixty_turns_within_two_thousand_tokens(text: str, strategies: list[SlidingWindow]) -> None:
    session = conversation(*[("user" if at % 2 == 0 else "assistant", text) for at in range(120)])  # type: ignore[arg-type]
    old = conversation(*[("user", text)] * 20, session="old")  # type: ignore[list-item]
    before = copy.deepcopy(session)
    reader = ListReader(session, [Hit(1.0, 0.9, message) for message in old])
    context = await context_of(strategies, reader, budget=BUDGET, counter=Estimate())
    check_context(context, session)
    assert session == before, "counting changes nothing"
    assert context.tokens > BUDGET * 0.8 or len(strategies) > 1
    assert sum(_han(str(message["content"])) for message in context.messages) <= BUDGET / 0.6
    if importlib.util.find_spec("quicktok"):
        for vocabulary in ("o200k", "qwen3"):
            assert count_messages(counter(vocabulary), context.messages) <= BUDGET
