"""Field case D25: what one session said is gone from every layer, and what another said stays."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from jiyi import AsyncMemory, Recall, SlidingWindow
from jiyi.exporting import as_line
from jiyi.types import KINDS, Filter
from tests.conftest import OpenMemory
from tests.stating import Facts, texts

A = ("我的门禁码是 7731-XQ，住在云栖路9号。", "I keep the spare key under pot 4. my code is 7731-XQ", "我住在云栖路9号")
B = ("我养了一只鹦鹉，叫芝麻。",)
GONE = ("7731-XQ", "7731-xq", "云栖路", "pot 4", "8842-ZZ")
KEPT = "我养了一只鹦鹉"


async def filled(open_memory: OpenMemory) -> AsyncMemory:
    memory = await open_memory(recipe=[Facts(), Recall(), SlidingWindow(4)], embedder="hashing")
    for name, said in (("a", A), ("b", B)):
        await memory.session(name, user_id="ada").add_many([{"role": "user", "content": text} for text in said])
    await memory.session("other", user_id="bob").add("user", "我养了一只猫")
    await memory.drain()
    for record in await memory.records(user_id="ada"):
        if record.key == "user.identifier":
            await memory.correct(record.id, "门禁码是 8842-ZZ", user_id="ada")
        if record.key == "user.home":
            await memory.hide(record.id, user_id="ada")
        if record.key == "user.pet":
            await memory.pin(record.id, user_id="ada")
    await memory.drain()
    return memory


async def shown(memory: AsyncMemory) -> str:
    """Everything that any way of reading gives for Ada, as one text."""
    found: list[object] = []
    for kind in KINDS:
        found += await memory.messages(user_id="ada", kinds=kind)
    for question in (*A, *GONE, "门禁码", "spare key", "鹦鹉"):
        found += [hit.message for hit in await memory.search(question, user_id="ada", floor=0, k=50, kinds=KINDS)]
        found += await memory.records(user_id="ada", query=question, current=None, hidden=True)
    records = await memory.records(user_id="ada", current=None, hidden=True)
    found += records
    found += [await memory.history(record.id, user_id="ada") for record in records]
    found += [await memory.commands(user_id="ada"), await memory.about("ada"), await memory.failures("ada")]
    for session in await memory.sessions(user_id="ada"):
        chat = memory.session(session.id, user_id="ada")
        found += [session, await chat.checkpoints(), await chat.messages(all_branches=True)]
        context = await chat.context("门禁码是什么？ where is the spare key?")
        found += [context.messages, context.explain()]
    log = await memory.store.messages(memory.scope("ada"), Filter(kinds=KINDS, active=None))
    return repr(found) + json.dumps([as_line("ada", message) for message in log], ensure_ascii=False)


def found_in_files(url: str, *texts: str) -> list[str]:
    path = Path(url)
    raw = b"".join(file.read_bytes() for file in path.parent.iterdir() if file.name.startswith(path.name))
    return [text for text in (*GONE, *texts) if text.encode() in raw]


async def test_one_session_is_erased_from_every_layer(
    open_memory: OpenMemory, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="jiyi")
    memory = await filled(open_memory)
    before = await shown(memory)
    assert all(text in before for text in GONE if text != "7731-xq")
    erased = await memory.forget(user_id="ada", session_id="a")
    assert erased.messages == len(A) + 2  # with the correction, and the order to hide what nobody says any more
    for _ in range(2):
        after = await shown(memory)
        assert [text for text in GONE if text in after] == []
        assert (
            KEPT in texts(await memory.records(user_id="ada")) and KEPT in (await memory.about("ada")).records[0].text
        )
        await memory.drain()
    assert [text for text in GONE if text in caplog.text] == []
    assert [record.name for record in caplog.records].count("jiyi.audit") == 1
    assert "ada" not in caplog.text.lower()
    again = await memory.forget(user_id="ada", session_id="a")
    assert (again.messages, again.records, again.sessions, again.vectors, again.indexed) == (0, 0, 0, 0, 0)
    if url != "memory:":
        await memory.close()
        assert found_in_files(url) == []
        memory = await open_memory(recipe=[Facts(), Recall(), SlidingWindow(4)], embedder="hashing")
        assert [text for text in GONE if text in await shown(memory)] == []
    await memory.rebuild()
    assert [text for text in GONE if text in await shown(memory)] == []


async def test_a_user_is_erased_and_nobody_else(open_memory: OpenMemory, url: str) -> None:
    memory = await filled(open_memory)
    await memory.forget(user_id="ada")
    assert await memory.users() == ["bob"] and texts(await memory.records(user_id="bob")) == ["我养了一只猫"]
    assert await memory.records(user_id="ada", current=None, hidden=True) == []
    assert await memory.commands(user_id="ada") == []
    assert (await memory.forget(user_id="ada")).messages == 0
    if url != "memory:":
        await memory.close()
        assert found_in_files(url, KEPT) == []
