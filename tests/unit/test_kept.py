"""What the SQLite store keeps in memory: within its limit, of one generation, and nothing that was erased."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from jiyi.stores.kept import Keeper, Kept, State
from jiyi.stores.sqlite import SqliteStore
from jiyi.types import Filter, Message, Probe, Scope, Step

ADA, BOB = Scope("ada"), Scope("bob")
WORDS = Step("lexical", "1")


def state(key: int = 1, generation: int = 0) -> State:
    return State(key, generation, head=10, documents=0, terms=0)


def test_one_generation_at_a_time() -> None:
    keeper = Keeper(1 << 20)
    first = keeper.at(ADA, state(), keeper.erasures)
    assert keeper.at(ADA, state(), keeper.erasures) is first
    second = keeper.at(ADA, state(generation=1), keeper.erasures)
    assert second is not first
    late = keeper.at(ADA, state(), keeper.erasures)  # a reader whose transaction began earlier
    assert late is not first and keeper.at(ADA, state(generation=1), keeper.erasures) is second


def test_what_an_erasure_overtakes_is_not_kept() -> None:
    keeper = Keeper(1 << 20)
    began = keeper.erasures
    keeper.clear()
    kept = keeper.at(ADA, state(), began)
    assert kept is not None
    kept.keep({1: Message("m1", "s", "user", "secret")})
    fresh = keeper.at(ADA, state(), keeper.erasures)
    assert fresh is not None and not fresh.messages


def test_a_scope_that_is_gone_leaves_nothing() -> None:
    keeper = Keeper(1 << 20)
    kept = keeper.at(ADA, state(), keeper.erasures)
    assert isinstance(kept, Kept)
    kept.keep({1: Message("m1", "s", "user", "secret")})
    assert keeper.bytes > 0
    assert keeper.at(ADA, None, keeper.erasures) is None
    assert keeper.bytes == 0


def test_those_read_longest_ago_leave_first() -> None:
    keeper = Keeper(10_000)
    for number, scope in enumerate((ADA, BOB), 1):
        kept = keeper.at(scope, state(number), keeper.erasures)
        assert kept is not None
        kept.keep({seq: Message(f"m{seq}", "s", "user", "x" * 100) for seq in range(1, 6)})
        keeper.settle()
    assert 0 < keeper.bytes <= 10_000
    bob, ada = (keeper.at(scope, state(n), keeper.erasures) for n, scope in ((2, BOB), (1, ADA)))
    assert bob is not None and len(bob.messages) == 5
    assert ada is not None and not ada.messages


@pytest.fixture
def looked_through() -> Iterator[None]:
    """What other tests left behind is not looked through."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("looked_through")
async def test_a_message_that_another_process_erased_is_not_held(tmp_path: Path) -> None:
    store, other = [await SqliteStore.open(tmp_path / "jiyi.db") for _ in range(2)]
    await store.register([WORDS])
    await store.append(ADA, "s", [Message(f"m{n}", "s", "user", f"secret {n}", digest=f"{n}") for n in range(3)])
    probe = Probe(["secret"], step=WORDS)
    for how in ({"message_ids": ["m1"]}, {"session_id": "s"}, {"everything": True}):
        assert (await store.find(ADA, probe)).messages
        await other.forget(ADA, **how)  # type: ignore[arg-type]
        await store.find(ADA, probe)
        gc.collect()
        held = [m.id for m in gc.get_objects() if isinstance(m, Message) and m.text.startswith("secret")]
        stored = [m.id for m in await store.messages(ADA, Filter(active=None))]
        assert set(held) <= set(stored), how
        if not stored:
            await store.append(ADA, "s", [Message("m0", "s", "user", "secret 0", digest="0")])
    await store.close()
    await other.close()


async def test_many_searches_at_once_find_the_same(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "jiyi.db")
    await store.register([WORDS])
    texts = [f"word{n % 7} and word{n % 11}" for n in range(300)]
    await store.append(ADA, "s", [Message(f"m{n}", "s", "user", text, digest=f"{n}") for n, text in enumerate(texts)])
    probes = [Probe([f"word{n % 11}", f"word{n % 5}"], step=WORDS, best=40) for n in range(24)]
    together = await asyncio.gather(*(store.find(ADA, probe) for probe in probes))
    assert list(together) == [await store.find(ADA, probe) for probe in probes]
    assert all(set(found.messages) <= set(found.standing.seqs) for found in together)
    await store.close()
