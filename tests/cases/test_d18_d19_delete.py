"""Field cases D18 and D19: what is deleted is gone from every index, and a wrong filter deletes nothing."""

from __future__ import annotations

import pytest

from jiyi import AsyncMemory, InvalidInput
from tests.conftest import OpenMemory

K1, K1_NEW, K2 = "Prefers an aisle seat near the exit", "Collects old maps", "Plays the cello"
QUERY = "aisle seat near the exit"


async def texts(memory: AsyncMemory, query: str = QUERY) -> list[str]:
    return [hit.text for hit in await memory.search(query, user_id="ada", floor=0)]


async def consistent(memory: AsyncMemory) -> bool:
    await memory.drain()
    stats = await memory.stats()
    return stats.indexed == stats.messages + stats.statements and stats.vectors == stats.indexed


@pytest.mark.parametrize("path", ["message", "session", "user"])
async def test_deleted_text_is_found_by_nobody(open_memory: OpenMemory, url: str, path: str) -> None:
    memory = await open_memory(embedder="hashing")
    other = await open_memory(embedder="hashing") if url != "memory:" else memory
    await memory.session("s1", user_id="ada").add("user", K1, message_id="k1")
    await memory.session("s2", user_id="ada").add("user", K2, message_id="k2")
    await memory.drain()
    assert (await texts(memory))[0] == K1 and (await texts(other))[0] == K1
    which = {"message": {"message_ids": ["k1"]}, "session": {"session_id": "s1"}, "user": {}}[path]
    erased = await memory.forget(user_id="ada", **which)  # type: ignore[arg-type]
    assert erased.messages == (2 if path == "user" else 1)
    assert erased.vectors == erased.indexed == erased.messages
    left = [] if path == "user" else [K2]
    assert await texts(memory) == left and await texts(other) == left
    assert await consistent(memory)
    if url != "memory:":
        await memory.close()
        again = await open_memory(embedder="hashing")
        assert await texts(again) == left
        memory = again
    await memory.session("s1", user_id="ada").add("user", K1_NEW, message_id="k1")
    assert K1 not in await texts(memory)
    await memory.drain()
    hits = await memory.search(QUERY, user_id="ada", floor=0)
    assert all(hit.parts.get("words", 0) <= 0 for hit in hits if hit.text == K1_NEW)
    assert await consistent(memory)


async def test_many_rounds_leave_the_index_as_it_was(open_memory: OpenMemory) -> None:
    memory = await open_memory(embedder="hashing")
    await memory.remember(K2, user_id="ada")
    await memory.drain()
    before = await memory.stats()
    for _ in range(20):
        message = await memory.remember(K1, user_id="ada")
        await memory.drain()
        await memory.forget(user_id="ada", message_ids=[message.id])
    after = await memory.stats()
    assert (after.indexed, after.vectors, after.statements) == (before.indexed, before.vectors, before.statements)
    assert after.bytes <= before.bytes + 64 * 1024


@pytest.fixture
async def filled(open_memory: OpenMemory) -> AsyncMemory:
    memory = await open_memory()
    for user in ("u_a", "u_b"):
        for session in ("s1", "s2"):
            await memory.session(session, user_id=user).add_many(
                [{"role": "user", "content": f"{user} {session} line {i}"} for i in range(5)]
            )
        for i in range(3):
            await memory.remember(f"{user} fact {i}", user_id=user)
    return memory


async def count(memory: AsyncMemory, user: str, session: str | None = None) -> int:
    return len(await memory.messages(user_id=user, session_id=session))


async def test_one_session_goes_and_nothing_else(filled: AsyncMemory) -> None:
    assert (await filled.forget(user_id="u_a", session_id="s1")).messages == 5
    assert await count(filled, "u_a", "s1") == 0
    assert await count(filled, "u_a", "s2") == 5
    assert await count(filled, "u_a") == 8
    assert await count(filled, "u_b") == 13
    assert (await filled.forget(user_id="u_a", session_id="s1")).messages == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {}, {"user_id": ""}, {"user_id": " "}, {"user_id": None}, {"user_id": "*"}, {"user_id": "%"}, {"user_id": "u_*"},
        {"user_id": "u%"}, {"user_id": {"like": "u"}}, {"user_id": "u_a", "session_id": ""}, {"user_id": "u_a", "session_id": "*"},
        {"user_id": "u_a", "sesion": "s2"}, {"user_id": "u_a", "message_ids": []}, {"user_id": "u_a", "message_ids": ""},
        {"user_id": "u_a", "message_ids": "m1"}, {"user_id": "u_a", "message_ids": [""]}, {"user_id": "u_a", "message_ids": [None]},
        {"user_id": "u_a", "session_id": "s1", "message_ids": ["m1"]}, {"session_id": "s1"},
    ],
)  # fmt: skip
async def test_a_wrong_filter_is_an_error_and_deletes_nothing(filled: AsyncMemory, wrong: dict[str, object]) -> None:
    with pytest.raises((InvalidInput, TypeError)):
        await filled.forget(**wrong)  # type: ignore[arg-type]
    assert (await count(filled, "u_a"), await count(filled, "u_b")) == (13, 13)


@pytest.mark.parametrize("lookalike", ["u_missing", "U_A", "u_", "u-a", "u_a2"])
async def test_an_unknown_user_counts_nothing(filled: AsyncMemory, lookalike: str) -> None:
    erased = await filled.forget(user_id=lookalike)
    assert (erased.messages, erased.sessions, erased.indexed) == (0, 0, 0)
    assert (await count(filled, "u_a"), await count(filled, "u_b")) == (13, 13)
