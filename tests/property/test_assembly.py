"""Random sessions, memories and budgets: what holds for every context."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi.assembly import assemble
from jiyi.context import Context
from jiyi.errors import BudgetTooSmall
from jiyi.history import turns
from jiyi.ports import Request, Strategy
from jiyi.quoting import day_of, section
from jiyi.strategies.full_history import FullHistory
from jiyi.strategies.importance import Importance
from jiyi.strategies.recall import Recall
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.strategies.token_buffer import TokenBuffer
from jiyi.testing.strategy import START, ListReader, answered, called, check_context, context_of, conversation
from jiyi.tokens import REPLY, count_message
from jiyi.types import Block, Dropped, Hit, Item, Message

TEXTS = st.one_of(
    st.text(alphabet="abc de\n好的吗，👩🏽‍🚀", max_size=60),
    st.integers(1, 60).map(lambda times: "预算是500元，不要辣。" * times),
    st.integers(1, 60).map(lambda times: "not before Friday " * times),
    st.integers(1, 90).map(lambda times: f"{'It rained. ' * times}Not before Friday? {'Yes. ' * times}"),
    st.sampled_from(["Which one?", "哪一个？", "Yes.", "对的", "因为下雨"]),
)


@st.composite
def pieces(draw: st.DrawFn) -> list[tuple[str, str] | Message]:
    """A line, or a round of tool calls: complete, without one of its results, or only a result."""
    kind = draw(
        st.sampled_from(["user", "user", "assistant", "assistant", "system", "calls", "calls", "lost", "orphan"])
    )
    if kind not in ("calls", "lost", "orphan"):
        return [(kind, draw(TEXTS))]
    ids = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True))
    results = [answered(id_, draw(TEXTS)) for id_ in draw(st.permutations(ids))]
    if kind == "orphan":
        return [results[0]]
    return [called(*ids), *results[kind == "lost" :]]


@st.composite
def sessions(draw: st.DrawFn) -> list[Message]:
    lines = [line for piece in draw(st.lists(pieces(), max_size=25)) for line in piece]
    return conversation(*lines)  # type: ignore[arg-type]


@st.composite
def readers(draw: st.DrawFn) -> ListReader:
    session = draw(sessions())
    texts = draw(st.lists(TEXTS, max_size=12))
    old = conversation(*[("user", text) for text in texts], session="old")  # type: ignore[list-item]
    found = draw(st.permutations([*old, *session]))[:15]
    asked = draw(st.sampled_from([{}, {"friday": 1.0, "预算": 2.0, "辣*": 1.0}]))
    hits = [Hit(1 / at, 0.9, message, asked=asked) for at, message in enumerate(found, start=1)]
    return ListReader(session, hits, stored=old)


class Gapped:
    """Proposes every other turn in an order that has nothing to do with time."""

    name = "gapped"
    window = True

    async def recall(self, request: Request) -> list[Block]:
        pieces = [turn for turn in turns(await request.reader.history()) if turn[0].role == "user"]
        order = sorted(pieces, key=lambda turn: (turn[0].position % 3, turn[0].position))
        items = tuple(Item(turn, score=1.0) for turn in order[::2])
        left = [Dropped(self.name, m.id, "left", message=m) for turn in order[1::2] for m in turn]
        before = [m for m in await request.reader.history() if m.role not in ("system", "user")]
        known = {m.id for turn in pieces for m in turn}
        left += [Dropped(self.name, m.id, "before", message=m) for m in before if m.id not in known]
        return [Block(self.name, "history", items, gaps=True, left_out=tuple(left))]


STRATEGIES: st.SearchStrategy[list[Strategy]] = st.sampled_from([
    [FullHistory()],
    [SlidingWindow(3)],
    [SlidingWindow(messages=5)],
    [TokenBuffer(200, allow_partial=True)],
    [Recall(), SlidingWindow(3)],
    [SlidingWindow(8), Recall(2, share=0.2)],
    [Recall(3), Recall(8), TokenBuffer(300), FullHistory()],
    [FullHistory(), SlidingWindow(2)],
    [Importance(recent=1)],
    [Importance(0.6, recent=2, turns=4), Recall(4)],
    [SlidingWindow(2), Importance(recent=1)],
    [Recall(), TokenBuffer(150), Importance()],
    [Gapped()],
])  # fmt: skip


def _context(strategies: Sequence[Strategy], reader: ListReader, budget: int, partial: bool = False) -> Context | None:
    made = context_of(strategies, reader, query="budget", budget=budget, allow_partial=partial)
    try:
        return asyncio.run(made)
    except BudgetTooSmall as error:
        assert error.needed > error.budget
        return None


@settings(deadline=None, max_examples=150)
@given(readers(), STRATEGIES, st.integers(1, 1500), st.booleans())
def test_every_context_is_legal_and_accounted_for(
    reader: ListReader, strategies: list[Strategy], budget: int, partial: bool
) -> None:
    context = _context(strategies, reader, budget, partial)
    if context is None:
        return
    check_context(context, reader.messages)
    system = list(dict.fromkeys(message.text for message in reader.messages if message.role == "system"))
    assert [message["content"] for message in context.messages[: len(system)]] == system
    users = [message for message in reader.messages if message.role == "user"]
    history = [source for block in context.blocks if block.place == "history" for source in block.sources]
    assert not users or users[-1].id in history
    recalled = [source for block in context.blocks if block.place == "memory" for source in block.sources]
    assert not set(recalled) & set(history) and len(recalled) == len(set(recalled))
    texts = [str(message["content"]) for message in context.messages]
    for item in (item for block in context.blocks if block.place == "memory" for item in block.items):
        assert item.hits and set(item.neighbours) <= set(item.sources)
        for message in item.messages:
            spans = item.spans(message) or [(0, len(message.text))]
            assert all(any(message.text[start:stop] in text for text in texts) for start, stop in spans)


class Letters:
    """Counts characters, so that a sum of lines is what they are together."""

    name = "letters"
    exact = True

    def count(self, text: str) -> int:
        return len(text)

    def cut(self, text: str, tokens: int) -> str:
        return text[:tokens]


@st.composite
def memories(draw: st.DrawFn) -> list[Message]:
    """Messages of a few sessions and days, some without a date, and statements, in the order of a ranking."""
    found: list[Message] = []
    for at in range(draw(st.integers(1, 14))):
        text = draw(st.text(alphabet="ab \n[]", max_size=40)) + "."
        session = draw(st.sampled_from(["one", "two", ""]))
        days = draw(st.none() | st.integers(0, 3))
        said = None if days is None else START + timedelta(days=days)
        kind = "statement" if not session else "message"
        found.append(Message(f"m{at}", session, "user", text, kind=kind, seq=at, created_at=said, recorded_at=START))
    return found


@settings(deadline=None, max_examples=150)
@given(memories(), st.integers(80, 900), st.sampled_from([0.3, 1.0]), st.sampled_from(["zh", "en"]))
def test_the_section_is_never_over_its_budget_and_takes_what_fits(
    ranked: list[Message], budget: int, share: float, language: str
) -> None:
    blocks = [
        Block(name, "memory", tuple(Item((message,)) for message in part), share=share)
        for name, part in (("facts", ranked[::3]), ("recall", ranked))
    ]
    context = assemble(blocks, system=(), newest=(), budget=budget, counter=Letters(), language=language)
    assert context.tokens <= budget
    assert sum(block.tokens for block in context.blocks) == (context.tokens - REPLY if context.messages else 0)
    shown = [item for block in context.blocks for item in block.items]
    paragraphs = {(m.session_id, m.created_at is None) for item in shown for m in item.messages}
    days = {(m.session_id, m.created_at) for item in shown for m in item.messages}
    for entry in context.dropped:
        assert entry.message is not None
        (more,) = section([*shown, Item((entry.message,))], language)
        # an end of the last line that is not there, and empty lines that days of one session do not have
        spare = 2 + (len(days) - len(paragraphs)) + 1
        assert REPLY + count_message(Letters(), more) > budget - spare, "it would have fitted"
    ours = {"", *(day_of(message, language)[1] for message in ranked)}
    label = "[user]" if language == "en" else "[用户]"
    note = "[statement]" if language == "en" else "[备忘]"
    for line in str(context.messages[0]["content"]).split("\n")[1:] if context.messages else ():
        assert not line.lstrip().startswith("[") or line in ours or line.startswith((label, note))
    again = assemble(
        [Block("recall", "memory", tuple(reversed(shown)), share=1)],
        system=(),
        newest=(),
        budget=2000,
        counter=Letters(),
        language=language,
    )
    assert again.messages == context.messages, "the same memories are the same bytes, whatever brought them"


@settings(deadline=None, max_examples=60)
@given(readers(), STRATEGIES, st.integers(1, 800), st.integers(1, 100))
def test_a_larger_budget_never_shows_less_history(
    reader: ListReader, strategies: list[Strategy], budget: int, step: int
) -> None:
    before: set[str] = set()
    fitted = False
    for size in range(budget, budget + 8 * step, step):
        context = _context(strategies, reader, size)
        assert context is not None or not fitted
        if context is not None:
            fitted = True
            shown = {source for block in context.blocks if block.place == "history" for source in block.sources}
            assert before <= shown
            before = shown
