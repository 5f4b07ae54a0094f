"""Field case D02: one message longer than the budget is shortened on demand, visibly, or refused with the size."""

from __future__ import annotations

import pytest

from jiyi.errors import BudgetTooSmall
from jiyi.ports import TokenCounter
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.strategies.token_buffer import TokenBuffer
from jiyi.testing.strategy import ListReader, answered, called, context_of, conversation
from jiyi.text import cut_point
from jiyi.tokens import Estimate, count_messages, counter
from jiyi.types import Message

SYSTEM = "你是客服助手。"
SENTENCE = "请帮我核对这批货的清单，一共三箱👨‍👩‍👧‍👦🚀𠮷，谢谢。"
LONG = SENTENCE * 260
BUDGETS = [500, *range(480, 521)]


@pytest.fixture(scope="module", params=["estimate", "o200k"])
def tokens(request: pytest.FixtureRequest) -> TokenCounter:
    if request.param == "o200k":
        pytest.importorskip("quicktok", reason="exact counts are not installed")
    return counter(request.param)


def _session(content: str = LONG) -> list[Message]:
    return conversation(("system", SYSTEM), ("user", content))


async def test_refused_with_what_is_needed(tokens: TokenCounter) -> None:
    for budget in BUDGETS[::8]:
        with pytest.raises(BudgetTooSmall) as caught:
            await context_of([SlidingWindow()], ListReader(_session()), budget=budget, counter=tokens)
        assert caught.value.budget == budget and str(caught.value.needed) in str(caught.value)
    needed = caught.value.needed
    context = await context_of([SlidingWindow()], ListReader(_session()), budget=needed, counter=tokens)
    assert context.tokens == needed and not context.truncated


@pytest.mark.parametrize("words", [SENTENCE, "e\u0301👩🏽‍🚀 done\r\n", "𠮷🇨🇳", "plain words and more "])
async def test_shortened_between_characters(tokens: TokenCounter, words: str) -> None:
    messages = _session(words * 400)
    for budget in BUDGETS:
        context = await context_of(
            [SlidingWindow()], ListReader(messages), budget=budget, counter=tokens, allow_partial=True
        )
        assert context.truncated and "shortened" in context.explain()
        assert context.tokens == count_messages(tokens, context.messages) <= budget
        assert [message["role"] for message in context.messages] == ["system", "user"]
        assert context.messages[0]["content"] == SYSTEM
        text = str(context.messages[1]["content"])
        kept = text.removesuffix("……〔截断〕").removesuffix(" … [cut]")
        assert kept != text, "the cut must be visible"
        assert "\ufffd" not in text and text.encode() and messages[1].text.startswith(kept)
        rest = messages[1].text[len(kept) :]
        place = len(kept) + len(rest) - len(rest.lstrip())
        assert cut_point(messages[1].text, place) == place, "cut inside a character"
        assert context.tokens > budget * 0.9, "most of the room is used"
    assert messages[1].text == words * 400, "the stored original is unchanged"


async def test_a_token_buffer_shortens_to_its_own_size() -> None:
    for size in (480, 500, 520):
        with pytest.raises(BudgetTooSmall) as caught:
            await context_of([TokenBuffer(size)], ListReader(_session()), budget=50_000)
        assert caught.value.budget == size
        context = await context_of([TokenBuffer(size, allow_partial=True)], ListReader(_session()), budget=50_000)
        assert context.truncated and context.tokens <= size


async def test_a_system_message_is_never_shortened() -> None:
    messages = conversation(("system", LONG), ("user", "你好"))
    with pytest.raises(BudgetTooSmall):
        await context_of([SlidingWindow()], ListReader(messages), budget=500, allow_partial=True)


@pytest.mark.parametrize("budget", [1, 10, 20])
async def test_what_is_said_to_be_needed_for_a_shortened_message_does(budget: int) -> None:
    with pytest.raises(BudgetTooSmall) as caught:
        await context_of([SlidingWindow()], ListReader(_session()), budget=budget, allow_partial=True)
    needed = caught.value.needed
    context = await context_of([SlidingWindow()], ListReader(_session()), budget=needed, allow_partial=True)
    assert context.truncated and context.tokens <= needed


async def test_a_tool_result_to_go_on_from_is_shortened_first() -> None:
    messages = conversation(("user", "核对一下清单"), called("a"), answered("a", LONG))
    with pytest.raises(BudgetTooSmall):
        await context_of([SlidingWindow()], ListReader(messages), budget=500)
    context = await context_of([SlidingWindow()], ListReader(messages), budget=500, allow_partial=True)
    assert context.messages[0]["content"] == "核对一下清单"
    assert str(context.messages[2]["content"]).endswith("……〔截断〕") and context.tokens <= 500


async def test_parts_are_shortened_too() -> None:
    picture = {"type": "image_url", "image_url": {"url": "file:list.png", "detail": "low"}}
    for parts in (({"type": "text", "text": LONG}, picture), (picture, {"type": "text", "text": LONG})):
        messages = conversation(("system", SYSTEM), ("user", parts))
        context = await context_of([SlidingWindow()], ListReader(messages), budget=500, allow_partial=True)
        content = context.messages[1]["content"]
        assert isinstance(content, list) and context.truncated
        assert content[-1]["text"].endswith("……〔截断〕")
        assert (picture in content) == (parts[0] == picture)
        assert 400 < context.tokens == count_messages(Estimate(), context.messages) <= 500
        assert messages[1].content == parts
