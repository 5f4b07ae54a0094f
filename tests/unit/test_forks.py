"""Forks: a new session that begins with copies, which count once in searches, contexts and erasures."""

from __future__ import annotations

import asyncio

import pytest

from jiyi import AsyncMemory, AsyncSession, Conflict, Context, InvalidInput
from jiyi.copies import copied
from jiyi.embedders.hashing import HashingEmbedder
from jiyi.reader import SessionReader
from jiyi.strategies.recall import Recall
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.testing import FakeClock
from jiyi.testing.strategy import ListReader, context_of, conversation
from jiyi.types import Hit
from tests.conftest import OpenMemory

FACT = "The gift is for my niece Clara, the budget is 500."
FACT_ZH = "礼物是给侄女小雅的，预算五百元。"


async def texts(chat: AsyncSession) -> list[str]:
    return [message.text for message in await chat.messages()]


async def fill(chat: AsyncSession, fact: str = FACT, turns: int = 12) -> None:
    """A fact, and so many turns of small talk after it."""
    await chat.add("user", fact)
    await chat.add("assistant", "Noted.")
    for number in range(turns):
        await chat.add("user", f"Something else, number {number}.")
        await chat.add("assistant", f"Fine, {number} it is.")


def said(context: Context, words: str) -> int:
    """How often words stand in a context."""
    return str(context.messages).count(words)


async def test_a_fork_begins_with_what_was_said_and_goes_its_own_way(open_memory: OpenMemory, clock: FakeClock) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    await chat.add("system", "Be kind.")
    await chat.add("user", [{"type": "text", "text": "one"}], metadata={"lang": "en"}, name="Ada")
    await chat.add("assistant", None, tool_calls=[{"id": "c", "type": "function"}])
    await chat.add("tool", "18", tool_call_id="c")
    await chat.checkpoint("cp")
    await chat.add("assistant", "later")
    clock.advance(3600)
    fork = await chat.fork("cp", session_id="f")
    before, copies = (await chat.messages())[:-1], await fork.messages()
    assert (fork.id, fork.user_id, len(copies)) == ("f", "ada", 4)
    assert not {m.id for m in copies} & {m.id for m in before}
    for copy, original in zip(copies, before, strict=True):
        for field in ("role", "content", "name", "tool_calls", "tool_call_id", "created_at", "digest", "position"):
            assert getattr(copy, field) == getattr(original, field)
        where = {"message": original.id, "session": "s"}
        assert copy.metadata == {**original.metadata, "copy_of": where}
        assert copy.recorded_at == clock.now()
    await fork.add("assistant", "another end")
    assert (await texts(chat))[-1] == "later"
    assert (await texts(fork))[-1] == "another end"
    assert await fork.checkpoints() == []


async def test_from_where_the_session_stands_under_a_fresh_id(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    await fill(chat, turns=1)
    fork = await chat.fork()
    assert fork.id != chat.id
    assert await texts(fork) == await texts(chat)


async def test_from_a_branch_that_was_left(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    first = await chat.add("user", "one")
    await chat.add("assistant", "left")
    await chat.checkpoint("left")
    await chat.branch(first.id)
    await chat.add("assistant", "right")
    assert await texts(await chat.fork("left")) == ["one", "left"]
    assert await texts(await chat.fork()) == ["one", "right"]


async def test_a_fork_of_nothing_is_a_new_session(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    chat = memory.session("s", user_id="ada")
    await chat.checkpoint("start")
    await chat.add("user", "one")
    fork = await chat.fork("start", session_id="f")
    assert (await fork.messages(), await fork.info()) == ([], None)
    await fork.add("user", "two")
    assert await texts(fork) == ["two"]


async def test_a_session_that_is_there_is_not_forked_into(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    chat, other = memory.session("s", user_id="ada"), memory.session("o", user_id="ada")
    await chat.add("user", "one")
    await other.add("user", "two")
    for taken in ("o", "s"):
        with pytest.raises(Conflict, match="already"):
            await chat.fork(session_id=taken)
    with pytest.raises(InvalidInput, match="session_id"):
        await chat.fork(session_id=" ")
    assert (await texts(chat), await texts(other)) == (["one"], ["two"])


async def test_forking_at_once_to_one_id_copies_once(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    chat = memory.session("s", user_id="ada")
    await fill(chat, turns=3)
    done = await asyncio.gather(*(chat.fork(session_id="f") for _ in range(4)), return_exceptions=True)
    assert all(isinstance(one, AsyncSession | Conflict) for one in done)
    fork = memory.session("f", user_id="ada")
    assert await texts(fork) == await texts(chat)
    assert len(await fork.messages(all_branches=True)) == 8


# -- the same words come back once -----------------------------------------------------------------------------------


async def forked(open_memory: OpenMemory, fact: str = FACT) -> tuple[AsyncMemory, AsyncSession, AsyncSession]:
    memory = await open_memory(embedder=HashingEmbedder(), recipe=[Recall(), SlidingWindow(8)])
    chat = memory.session("s", user_id="ada")
    await fill(chat, fact)
    fork = await chat.fork(session_id="f")
    await (await fork.fork(session_id="g")).add("user", "Hello again.")  # a copy of a copy
    await memory.drain()
    return memory, chat, fork


@pytest.mark.parametrize(("fact", "query"), [(FACT, "budget for Clara's gift"), (FACT_ZH, "小雅的礼物预算是多少")])
async def test_a_search_brings_the_same_words_back_once(open_memory: OpenMemory, fact: str, query: str) -> None:
    memory, *_ = await forked(open_memory, fact)
    hits = await memory.search(query, user_id="ada", floor=0, k=50)
    assert [hit.text for hit in hits].count(fact) == 1
    assert len({hit.text for hit in hits}) == len(hits)
    for session in "sfg":
        (hit,) = await memory.search(query, user_id="ada", k=1, session_id=session)
        assert (hit.text, hit.message.session_id) == (fact, session)


async def test_words_that_were_said_twice_still_come_back_twice(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    for session in ("a", "b"):
        await memory.session(session, user_id="ada").add("user", FACT)
    assert len(await memory.search("budget gift", user_id="ada", floor=0)) == 2


async def test_a_context_says_the_same_words_once(open_memory: OpenMemory) -> None:
    _, chat, fork = await forked(open_memory)
    for session in (chat, fork):
        asked = await session.add("user", "What was the budget for Clara's gift?")
        context = await session.context(max_tokens=4000)
        assert said(context, FACT) == 1  # it has left the window, and recall has it three times to choose from
        assert asked.id in {source for block in context.blocks for source in block.sources}


async def test_what_the_window_shows_is_not_recalled_from_the_session_it_was_copied_from(
    open_memory: OpenMemory,
) -> None:
    memory = await open_memory()
    chat = memory.session("s", user_id="ada")
    await fill(chat, turns=2)
    fork = await chat.fork()
    await fork.add("user", "What was the budget for Clara's gift?")
    context = await fork.context(max_tokens=4000)
    assert said(context, FACT) == 1
    assert context.dropped == ()
    for tight in range(100, 400, 20):  # wherever the window ends, each word stands there at most once
        context = await fork.context(max_tokens=tight)
        assert said(context, FACT) <= 1 and said(context, "number 0") <= 1


async def test_a_hit_in_the_one_session_is_covered_by_the_window_of_the_other() -> None:
    history = conversation(("user", FACT), ("assistant", "Noted."), ("user", "And the budget?"))
    copies = [copied(message, "f") for message in history]
    for hits, window in ((history, copies), (copies, history), ([copied(m, "g") for m in copies], copies)):
        reader = ListReader(window, [Hit(1 / at, 0.9, message) for at, message in enumerate(hits[:2], 1)])
        context = await context_of([Recall(), SlidingWindow()], reader)
        assert [message["role"] for message in context.messages] == ["user", "assistant", "user"]
        assert context.dropped == ()
        for tight in range(20, 120, 3):  # one of them may fit where the whole turn does not
            context = await context_of([Recall(), SlidingWindow()], reader, budget=tight)
            assert said(context, FACT) <= 1 and said(context, "Noted.") <= 1
            left = {entry.message.text for entry in context.dropped if entry.message}
            assert not any(said(context, text) for text in left)


async def test_the_question_that_was_copied_is_not_its_own_answer(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    chat = memory.session("s", user_id="ada")
    await chat.add("user", "What is the budget for Clara's gift?")
    fork = await chat.fork()
    for session in (chat, fork):
        reader = SessionReader(session, memory.searcher, memory.store, memory.scope("ada"))
        assert await reader.search("What is the budget for Clara's gift?", limit=5, floor=0) == []


# -- erasure ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["s", "f", "g"])
@pytest.mark.parametrize("dated", [True, False])
async def test_erasing_words_means_all_copies_of_them(open_memory: OpenMemory, where: str, dated: bool) -> None:
    memory = await open_memory()
    chat = memory.session("s", user_id="ada")
    await chat.add("user", FACT, created_at="now" if dated else None)
    await chat.add("assistant", "Noted.")
    fork = await chat.fork(session_id="f")
    last = await fork.fork(session_id="g")
    twice = await memory.session("t", user_id="ada").add("user", FACT)  # said again, by nobody's copying
    named = (await memory.session(where, user_id="ada").messages())[0]
    erased = await memory.forget(user_id="ada", message_ids=[named.id])
    assert erased.messages == 3
    for session in (chat, fork, last):
        assert await texts(session) == ["Noted."]
    assert [hit.message.id for hit in await memory.search("budget", user_id="ada", floor=0)] == [twice.id]


async def test_an_erased_session_leaves_its_forks(open_memory: OpenMemory) -> None:
    memory, _, fork = await forked(open_memory)
    await memory.forget(user_id="ada", session_id="s")
    assert (await texts(fork))[0] == FACT
    hits = await memory.search("budget for Clara's gift", user_id="ada", floor=0)
    assert [hit.text for hit in hits].count(FACT) == 1
    assert (await memory.forget(user_id="ada", message_ids=[hits[0].message.id])).messages == 2
