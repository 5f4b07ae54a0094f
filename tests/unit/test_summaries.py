"""Summaries as they grow, are shown, lose what they rest on, and are made anew."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from jiyi.context import Context
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput, ModelUnavailable
from jiyi.ports import Strategy
from jiyi.session import AsyncSession
from jiyi.strategies.rolling_summary import RollingSummary
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.strategies.summary_buffer import SummaryBuffer
from jiyi.testing.clock import FakeClock
from jiyi.testing.scripted import Answer, Call, ScriptedLLM
from jiyi.testing.strategy import check_context
from jiyi.types import Changes, Filter, Record, Source

BOTH = "summary", "summary:rules"
FOUR = {"recent": 1, "after": 1, "every": 4}
"""A small tree: four messages a stride, a window of one turn."""


def reply(*summaries: str) -> str:
    return json.dumps({"summaries": [{"number": at, "summary": text} for at, text in enumerate(summaries, start=1)]})


def told(call: Call) -> str:
    """A summary that gives the numbers of what it is told, so that one sees what it is made of."""
    sections = [part for part in re.split(r"^# \d+$", call.last, flags=re.MULTILINE) if part.strip()]
    said = (re.findall(r"n\d+", section) for section in sections)
    return reply(*("Spoke of " + " ".join(numbers) + "." for numbers in said))


@asynccontextmanager
async def opened(
    clock: FakeClock, *strategies: Strategy, llm: ScriptedLLM | None = None, path: str | Path = "memory:"
) -> AsyncIterator[AsyncMemory]:
    recipe = [*strategies] if strategies else [RollingSummary(**FOUR), SlidingWindow(1)]
    async with await AsyncMemory.open(str(path), recipe=recipe, embedder=None, memory_llm=llm, clock=clock) as memory:
        yield memory


async def say(chat: AsyncSession, *numbers: int) -> None:
    """A turn for each number: two messages."""
    for number in numbers:
        await chat.add("user", f"My locker is n{number}.", message_id=f"u{number}")
        await chat.add("assistant", f"Locker n{number} is noted.", message_id=f"a{number}")


async def nodes(memory: AsyncMemory, *makers: str) -> dict[str, str]:
    """Id -> text of the nodes of these makers.  Both may stand side by side for a while: two lanes make them."""
    found = await memory.store.records(memory.scope("ada"), kind="summary")
    return {record.id: record.text for record in found if record.strategy in (makers or ("summary",))}


async def made_by_the_model(memory: AsyncMemory) -> list[Record]:
    found = await memory.store.records(memory.scope("ada"), kind="summary")
    return [replace(record, used=0, used_at=None) for record in found if record.strategy == "summary"]


def summary(context: Context) -> str:
    return "\n".join(item.text for block in context.blocks for item in block.items if item.label == "summary")


async def whole(memory: AsyncMemory, chat: AsyncSession) -> Context:
    """A context; no message of the session is passed over."""
    context = await chat.context(max_tokens=2000)
    check_context(context, await chat.messages(), memory.counter)
    return context


async def test_a_tree_grows_over_the_log_and_few_nodes_tell_of_a_session(clock: FakeClock) -> None:
    llm = ScriptedLLM(told)
    async with opened(clock, llm=llm) as memory:
        chat = memory.session("s", user_id="ada")
        await say(chat, *range(2))
        await memory.drain()
        assert not llm.calls, "the beginning of a session is in the window"
        await say(chat, *range(2, 20))
        await memory.drain()
        assert len(llm.calls) == 9 + 2, "one for each stride, one for each fourth"
        found = await nodes(memory)
        assert set(found) == {f"summary:0:{at}:s" for at in range(10)} | {"summary:1:0:s", "summary:1:1:s"}
        assert found["summary:1:1:s"] == "Spoke of " + " ".join(f"n{at // 2}" for at in range(16, 32)) + "."
        assert max(len(call.last) for call in llm.calls) < 1_500
        context = await whole(memory, chat)
        assert len(summary(context).splitlines()) == 4 and not context.dropped
        assert summary(context).startswith("Spoke of n")
        before = await nodes(memory), len(llm.calls)
        for _ in range(3):
            await memory.drain()
            await chat.context(max_tokens=2000)
        assert (await nodes(memory), len(llm.calls)) == before, "nothing was said, so nobody is asked"


async def test_nothing_is_shown_while_a_session_is_short(clock: FakeClock) -> None:
    async with opened(clock, RollingSummary(recent=2, after=2, every=2), SlidingWindow(2)) as memory:
        chat = memory.session("s", user_id="ada")
        for turn in range(1, 6):
            await say(chat, turn)
            await memory.drain()
            context = await whole(memory, chat)
            assert bool(summary(context)) == (turn > 4)
            assert bool(context.dropped) == (2 < turn <= 4)


async def test_sessions_of_one_stride_are_asked_about_together_and_kept_apart(clock: FakeClock) -> None:
    llm = ScriptedLLM(told)
    async with opened(clock, RollingSummary(levels=2, **FOUR), SlidingWindow(1), llm=llm) as memory:
        one, two = memory.session("one", user_id="ada"), memory.session("two", user_id="ada")
        for at in range(8):
            await say(one if at % 2 else two, at)
        await memory.drain()
        assert len(llm.calls) == 4 + 1
        assert llm.calls[0].last.count("\n# ") == 1
        found = await nodes(memory)
        assert found["summary:1:0:one"] == "Spoke of n1 n1 n3 n3 n5 n5 n7 n7."
        assert found["summary:1:0:two"] == "Spoke of n0 n0 n2 n2 n4 n4 n6 n6."
        text = summary(await whole(memory, one))
        assert "n1" in text and "n0" in text, "with two levels also what the other session was about"


async def test_without_a_model_the_rules_serve_until_one_catches_up(clock: FakeClock, tmp_path: Path) -> None:
    path = tmp_path / "jiyi.db"
    async with opened(clock, path=path) as memory:
        chat = memory.session("s", user_id="ada")
        await say(chat, *range(10))
        await memory.drain()
        assert set(await nodes(memory, *BOTH)) == {
            *(f"summary:rules:0:{at}:s" for at in range(5)),
            "summary:rules:1:0:s",
        }
        context = await whole(memory, chat)
        assert "user: My locker is n3." in summary(context) and not context.dropped
        assert "<- rules, level 1" in context.explain()
    async with opened(clock, path=path, llm=ScriptedLLM(told)) as memory:
        await memory.drain()
        assert set(await nodes(memory, *BOTH)) == {*(f"summary:0:{at}:s" for at in range(5)), "summary:1:0:s"}
        await memory.rebuild(["summary:rules"])
        await memory.drain()
        assert not await nodes(memory, "summary:rules"), "the model's stay in their place"


@pytest.mark.parametrize("path", ["memory:", "sqlite"])
async def test_a_rebuild_gives_the_same(clock: FakeClock, tmp_path: Path, path: str) -> None:
    llm = ScriptedLLM(told)
    async with opened(clock, llm=llm, path=path if path == "memory:" else tmp_path / "jiyi.db") as memory:
        for name in ("one", "two"):
            await memory.session(name, user_id="ada").add("system", "Be kind.")
        for at in range(14):
            await say(memory.session("one" if at % 3 else "two", user_id="ada"), at)
            if at % 5 == 0:
                await memory.drain()
        await memory.drain()
        before, calls = await made_by_the_model(memory), len(llm.calls)
        await memory.rebuild(["summary", "summary:rules"])
        await memory.drain()
        assert await made_by_the_model(memory) == before
        assert [call.last for call in llm.calls[calls:]] == [call.last for call in llm.calls[:calls]]


@pytest.mark.parametrize("path", ["memory:", "sqlite"])
async def test_an_erasure_costs_calls_for_what_it_touched_alone(clock: FakeClock, tmp_path: Path, path: str) -> None:
    llm = ScriptedLLM(told)
    async with opened(clock, llm=llm, path=path if path == "memory:" else tmp_path / "jiyi.db") as memory:
        chat = memory.session("s", user_id="ada")
        await say(chat, *range(34))
        await memory.drain()
        assert "summary:2:0:s" in await nodes(memory)
        before, calls = await nodes(memory), len(llm.calls)
        await memory.forget(user_id="ada", message_ids=["u9"])
        left = await nodes(memory)
        assert not [text for text in left.values() if re.search(r"\bn9\b", text)]
        context = await whole(memory, chat)  # the words themselves serve
        assert "Locker n9 is noted." in str(context.messages) and "Spoke of n0" in summary(context)
        await memory.drain()
        found = await nodes(memory)
        assert found.keys() == before.keys()
        assert len(llm.calls) - calls == 3, "the stride, the group, and the group of groups"
        changed = {name for name in found if found[name] != before[name]}
        assert changed == {"summary:0:4:s", "summary:1:1:s", "summary:2:0:s"}
        assert not (await whole(memory, chat)).dropped


async def test_a_branch_that_was_left_is_not_told_of(clock: FakeClock) -> None:
    async with opened(clock, llm=ScriptedLLM(told)) as memory:
        chat = memory.session("s", user_id="ada")
        await say(chat, *range(9))
        await memory.drain()
        await chat.branch("a2")
        await say(chat, *range(20, 27))
        await memory.drain()
        context = await whole(memory, chat)
        assert not re.search(r"\bn[3-8]\b", summary(context))
        assert "n0" in summary(context) and "n22" in summary(context)
        assert not context.dropped or all("branch" not in entry.reason for entry in context.dropped)


async def test_a_stride_that_fails_is_derived_in_parts_and_the_failure_stays_with_one_message(clock: FakeClock) -> None:
    llm = ScriptedLLM(lambda call: "nonsense" if "n5." in call.all_text else told(call))
    async with opened(clock, llm=llm) as memory:
        chat = memory.session("s", user_id="ada")
        await say(chat, *range(10))
        for _ in range(40):
            await memory.drain()
            clock.advance(700)
        assert {failure.message_id for failure in await memory.failures("ada")} == {"u5"}
        found = await nodes(memory)
        assert "n5" in (await nodes(memory, "summary:rules"))["summary:rules:0:2:s"], (
            "what rules made tells of all, so it stays"
        )
        assert "n4" in found["summary:0:2:s"] and "summary:1:0:s" in found
        assert not (await whole(memory, chat)).dropped
        llm._script = told  # pyright: ignore[reportPrivateUsage]
        await memory.retry(["summary"])
        await memory.drain()
        found = await nodes(memory)
        assert found["summary:0:2:s"] == "Spoke of n4 n4 n5 n5."
        assert "summary:rules:0:2:s" not in await nodes(memory, "summary:rules")
        assert re.search(r"\bn5\b", found["summary:1:0:s"]), "what joined it is made anew as well"


async def test_a_sentence_that_invents_a_value_is_left_out(clock: FakeClock) -> None:
    llm = ScriptedLLM(lambda _: reply("The locker is n3. It costs 99999 dollars. The door is near."))
    async with opened(clock, llm=llm) as memory:
        await say(memory.session("s", user_id="ada"), *range(8))
        await memory.drain()
        assert not [text for text in (await nodes(memory)).values() if "99999" in text]
        assert "The door is near." in (await nodes(memory))["summary:0:1:s"]


async def test_what_joins_nodes_falls_back_on_their_sentences(clock: FakeClock) -> None:
    def script(call: Call) -> Answer:
        return "no json" if "summary: " in call.all_text else told(call)

    async with opened(clock, llm=ScriptedLLM(script)) as memory:
        await say(memory.session("s", user_id="ada"), *range(8))
        await memory.drain()
        assert not await memory.failures()
        (top,) = await memory.store.records(memory.scope("ada"), ids=["summary:1:0:s"])
        assert top.data["by"] == "rules" and top.data["count"] == 16 and "n7" in top.text


async def test_a_model_that_is_down_is_asked_again(clock: FakeClock) -> None:
    answers: list[Answer] = [ModelUnavailable("down"), reply("Spoke of n3.")]
    async with opened(clock, llm=ScriptedLLM(lambda _: answers.pop(0))) as memory:
        chat = memory.session("s", user_id="ada")
        await say(chat, *range(4))
        await memory.drain()
        assert "summary:rules:0:1:s" in await nodes(memory, *BOTH) and not (await whole(memory, chat)).dropped
        clock.advance(60)
        await memory.drain()
        assert (await nodes(memory))["summary:0:1:s"] == "Spoke of n3."


async def test_small_talk_costs_no_call(clock: FakeClock) -> None:
    llm = ScriptedLLM(told)
    async with opened(clock, RollingSummary(levels=2, **FOUR), SlidingWindow(1), llm=llm) as memory:
        chat = memory.session("s", user_id="ada")
        for _ in range(8):
            await chat.add("user", "Hi!")
            await chat.add("assistant", "Hello!")
        await memory.drain()
        assert not llm.calls and set((await nodes(memory)).values()) == {""}
        await whole(memory, chat)


async def test_values_that_a_summary_lacks_stand_beside_it(clock: FakeClock) -> None:
    async with opened(clock, llm=ScriptedLLM(lambda _: reply("They talked."))) as memory:
        chat = memory.session("s", user_id="ada")
        await say(chat, *range(8))
        await memory.drain()
        await facts(memory, ("u3", "n3", 0.9), ("u5", "n5", 0.3), ("u7", "n7", 0.9))
        context = await whole(memory, chat)
        lines = [item.text for block in context.blocks for item in block.items if item.why == "not in the summary"]
        assert lines == ["The locker is n3."], "not what matters little, and not what stands in the window"
        assert "[user] The locker is n3." in str(context.messages[0]["content"])


async def facts(memory: AsyncMemory, *known: tuple[str, str, float]) -> None:
    from jiyi.types import Step

    class Facts:
        step, batch_size, asks_llm = Step("facts", "1"), 1000, False

        async def derive(self, batch: object) -> Changes:
            put = tuple(
                Record(
                    f"fact:{value}", "fact", f"The locker is {value}.", "facts", "1", (Source(message),),
                    importance=importance, data={"value": value},
                )
                for message, value, importance in known
            )  # fmt: skip
            return Changes(getattr(batch, "cursor"), put=put)  # noqa: B009

    await memory.worker.add(Facts())  # pyright: ignore[reportArgumentType]
    await memory.drain()


async def test_a_summary_is_cut_by_whole_sentences(clock: FakeClock) -> None:
    text = "The budget is n3. They like tea. " + " ".join(f"Room {chr(65 + at)} is fine." for at in range(20))
    for tokens in (12, 30, 80):
        strategies = RollingSummary(tokens, **FOUR), SlidingWindow(1)
        async with opened(clock, *strategies, llm=ScriptedLLM(lambda _: reply(text))) as memory:
            chat = memory.session("s", user_id="ada")
            await say(chat, *range(8))
            await memory.drain()
            context = await whole(memory, chat)
            shown = summary(context)
            assert shown.startswith("The budget is n3.") and shown.endswith("[…]")
            assert all(part + "." in text for part in shown.removesuffix(" […]").split(". ")[:-1])
            assert memory.counter.count(shown) <= tokens + 4


async def test_the_last_thirty_turns_are_told_of_in_more_detail(clock: FakeClock) -> None:
    async with opened(clock, RollingSummary(levels=2, **FOUR), SlidingWindow(1), llm=ScriptedLLM(told)) as memory:
        chat = memory.session("s", user_id="ada")
        await say(chat, *range(72))
        await memory.drain()
        context = await whole(memory, chat)
        levels = [item.why for block in context.blocks for item in block.items if item.label == "summary"]
        assert levels.count("model, level 0") >= 14 and "model, level 2" in levels


async def test_a_buffer_keeps_what_is_not_summarised_as_it_was_said(clock: FakeClock) -> None:
    async with opened(clock, SummaryBuffer(2, every=8), llm=ScriptedLLM(told)) as memory:
        chat = memory.session("s", user_id="ada")
        for turn in range(14):
            await say(chat, turn)
            await memory.drain(steps=["lexical"])
            context = await whole(memory, chat)
            assert not context.dropped or turn > 8
        await memory.drain()
        context = await whole(memory, chat)
        assert not context.dropped
        history = [block for block in context.blocks if block.place == "history"]
        assert len(history[0].items) == 2 and "n10" in summary(context)


async def test_a_later_turn_stands_below_the_summary_with_its_date(clock: FakeClock) -> None:
    async with opened(clock, SummaryBuffer(1, every=4)) as memory:
        chat = memory.session("s", user_id="ada")
        await chat.add("user", "My budget is 500 dollars.")
        await chat.add("assistant", "Noted.")
        await say(chat, 1)
        clock.advance(3 * 86_400)
        await chat.add("user", "My budget is now 800 dollars.")
        await memory.drain()
        text = json.dumps((await chat.context()).messages)
        assert "[2026-03-02 Mon]" in text and text.index("500 dollars") < text.index("now 800 dollars")


async def test_off_the_record_nothing_is_told(clock: FakeClock) -> None:
    async with opened(clock) as memory:
        chat = memory.session("s", user_id="ada", off_record=True)
        await say(chat, *range(8))
        await memory.drain()
        context = await chat.context()
        assert not summary(context) and context.dropped


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: RollingSummary(0), "max_tokens"),
        (lambda: RollingSummary(levels=3), "levels"),
        (lambda: RollingSummary(after=0), "after"),
        (lambda: RollingSummary(recent=0), "recent"),
        (lambda: RollingSummary(every=0), "every"),
        (lambda: RollingSummary(share=0), "share"),
        (lambda: SummaryBuffer(0), "recent"),
        (lambda: SummaryBuffer(max_tokens=True), "max_tokens"),
    ],
)
def test_a_setting_out_of_range_is_named(make: Callable[[], object], field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        make()


async def test_the_order_of_imports_does_not_matter(clock: FakeClock) -> None:
    """Sessions that are stored in pieces, one after the other, are told of like any other."""
    async with opened(clock, llm=ScriptedLLM(told)) as memory:
        chat, other = memory.session("s", user_id="ada"), memory.session("t", user_id="ada")
        await say(chat, *range(3))
        await say(other, *range(100, 140))
        await say(chat, *range(3, 9))
        await memory.drain()
        context = await whole(memory, chat)
        assert not context.dropped
        stored = await memory.store.messages(memory.scope("ada"), Filter(session_id="s"))
        assert [message.position for message in stored] == list(range(1, 19))
