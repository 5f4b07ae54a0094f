"""Notes: what becomes one, what is refused, and what is recalled."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput
from jiyi.strategies.notes import Notes
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.testing.clock import FakeClock
from jiyi.testing.scripted import Call, Script, ScriptedLLM
from jiyi.types import Record

PORK = "I don't eat pork."
BUDGET = "预算是三千以内。"


def noted(*notes: tuple[int, str, str]) -> str:
    return json.dumps({"notes": [{"number": n, "note": note, "quote": quote} for n, note, quote in notes]})


@asynccontextmanager
async def opened(
    clock: FakeClock, script: Script | None = None, *, k: int = 3, max_chars: int = 100, every: int = 2
) -> AsyncIterator[tuple[AsyncMemory, list[Call]]]:
    llm = ScriptedLLM(script) if script is not None else None
    recipe = [Notes(k, max_chars, every=every), SlidingWindow(1)]
    async with await AsyncMemory.open("memory:", recipe=recipe, embedder=None, memory_llm=llm, clock=clock) as memory:
        yield memory, llm.calls if llm else []


async def say(memory: AsyncMemory, *texts: str, session: str = "s") -> None:
    """Whatever is said, by the user and the assistant in turn; rules come before the model."""
    chat = memory.session(session, user_id="ada")
    for at, text in enumerate(texts):
        await chat.add("assistant" if at % 2 else "user", text, message_id=f"{session}{at}")
    await memory.drain()


async def notes(memory: AsyncMemory, maker: str = "") -> list[Record]:
    found = await memory.store.records(memory.scope("ada"), kind="note")
    return [record for record in found if maker in ("", record.strategy)]


async def texts(memory: AsyncMemory, maker: str = "") -> list[str]:
    return sorted(record.text for record in await notes(memory, maker))


async def test_rules_note_what_matters_in_both_languages(clock: FakeClock) -> None:
    async with opened(clock) as (memory, _):
        await say(
            memory, PORK, "OK, no pork. I never eat it either!", BUDGET, "好的。", "Where is the station?", "There."
        )
        made = {record.text: record for record in await notes(memory)}
        assert set(made) == {"I don't eat pork", "预算是三千以内"}
        (source,) = made["I don't eat pork"].sources
        assert (source.message_id, source.start, source.end, source.quote) == ("s0", 0, 16, "I don't eat pork")
        assert made["预算是三千以内"].data["by"] == "rules" and made["预算是三千以内"].said_at == clock.now()


async def test_the_same_said_again_is_one_note_with_one_more_source(clock: FakeClock) -> None:
    async with opened(clock) as (memory, _):
        await say(memory, PORK, "OK.")
        await say(memory, "I don't eat PORK!", "Yes.", session="t")
        (note,) = await notes(memory)
        assert [source.message_id for source in note.sources] == ["s0", "t0"]
        await memory.rebuild(["notes:rules"])
        await memory.drain()
        assert await notes(memory) == [note]
        await memory.forget(user_id="ada", session_id="s")
        await memory.drain()
        (note,) = await notes(memory)
        assert [source.message_id for source in note.sources] == ["t0"], "it rests on what is left"


async def test_the_model_notes_and_the_rules_notes_of_the_same_go(clock: FakeClock) -> None:
    script = [noted((1, "No pork for the user", "I don't eat pork")), noted()]
    async with opened(clock, script) as (memory, calls):
        await memory.drain()
        await say(memory, PORK, "OK.")
        assert (await texts(memory, "notes")) == ["No pork for the user"]
        (note,) = await notes(memory, "notes")
        assert note.sources[0].quote == "I don't eat pork" and note.data["by"] == "model"
        assert note.data["made"]["model"] == "scripted"  # type: ignore[index, call-overload]
        await memory.rebuild(["notes:rules"])
        await memory.drain()
        assert await texts(memory) == ["No pork for the user"]
        await say(memory, "I don't drink milk.", "OK.", session="t")
        assert "I don't drink milk" in await texts(memory), "what the model notes nothing of keeps the rules' notes"
        assert "1. 2026-03-02 user: " in calls[0].last and "2. 2026-03-02 assistant: " in calls[0].last


@pytest.mark.parametrize(
    "note",
    [
        (1, "The budget is 500", "my budget is around 300"),  # another number
        (1, "The budget is 300", "the budget is certainly 300"),  # not what was said
        (2, "The user likes tea", "You like tea"),  # the assistant's words
        (1, "300", ""),
    ],
)
async def test_what_was_not_said_is_refused(clock: FakeClock, note: tuple[int, str, str]) -> None:
    async with opened(clock, [noted(note)]) as (memory, _):
        await say(memory, "Well, my budget is around 300.", "You like tea, I suppose.")
        assert await texts(memory, "notes") == []


async def test_a_wrong_number_is_mended_by_the_quote(clock: FakeClock) -> None:
    async with opened(clock, [noted((7, "The budget is 300", "budget is around 300"))]) as (memory, _):
        await say(memory, "Well, my budget is around 300.", "OK.")
        (note,) = await notes(memory, "notes")
        assert note.sources[0].message_id == "s0"


async def test_a_long_note_is_cut_behind_a_clause(clock: FakeClock) -> None:
    long = "The hotel must have a pool for the kids, a gym that opens before 6:30, and cost at most 1,250.50 a night"
    async with opened(clock, [noted((1, long, "The hotel must have a pool"))], max_chars=90) as (memory, _):
        await say(memory, long + ".", "OK.")
        assert await texts(memory, "notes") == [
            "The hotel must have a pool for the kids, a gym that opens before 6:30 […]"
        ]


async def test_greetings_cost_no_call(clock: FakeClock) -> None:
    async with opened(clock, []) as (memory, calls):
        await say(memory, "Hi!", "Hello, how can I help you?", "谢谢", "不客气")
        assert not calls and not await notes(memory)


async def test_notes_are_recalled_when_the_question_has_to_do_with_them(clock: FakeClock) -> None:
    async with opened(clock, k=1) as (memory, _):
        await say(memory, PORK, "OK.", "My sister plays the cello.", "Nice.", "My budget is 900 dollars.", "OK.")
        chat = memory.session("new", user_id="ada")
        await chat.add("user", "What is my budget?")
        context = await chat.context()
        assert "[2026-03-02 Mon]\n[note] My budget is 900 dollars" in str(context.messages[0]["content"])
        (block,) = [block for block in context.blocks if block.place == "memory"]
        assert block.items[0].records == (next(r.id for r in await notes(memory) if "900" in r.text),)
        assert "[note]" not in str((await chat.context("How tall is Mount Everest?")).messages)
        assert "[note]" not in str((await memory.session("s", user_id="bob").context("What is my budget?")).messages)


async def test_a_note_of_what_stands_in_the_window_is_not_repeated(clock: FakeClock) -> None:
    async with opened(clock) as (memory, _):
        chat = memory.session("s", user_id="ada")
        await chat.add("user", "My budget is 900 dollars. What is in my budget?")
        await memory.drain()
        assert len(await notes(memory)) == 1
        assert "[note]" not in str((await chat.context()).messages)


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: Notes(0), "k"),
        (lambda: Notes(max_chars=0), "max_chars"),
        (lambda: Notes(floor=2), "floor"),
        (lambda: Notes(every=0), "every"),
        (lambda: Notes(share=0), "share"),
    ],
)
def test_a_setting_out_of_range_is_named(make: Callable[[], object], field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        make()
