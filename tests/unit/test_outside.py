"""Vectors of messages in an index outside: filled, searched, erased, and what happens when it is down."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Collection, Sequence
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from jiyi import AsyncMemory
from jiyi.embedders.hashing import HashingEmbedder
from jiyi.errors import NotFound, VectorsError
from jiyi.indexing import dense_step
from jiyi.outside import SAMPLE, Outside, spread
from jiyi.testing import FakeClock
from jiyi.types import Checked, Embedded, Progress, Scope, Vector
from jiyi.vectors.memory import MemoryVectors

ADA = Scope("ada")
TEXTS = [
    "The boat to Samos leaves at nine",
    "我侄女上一年级，预算五百块",
    "My dentist is called Okafor",
    "The greenhouse needs new glass",
    "小船在海上过夜",
]


class Faulty(MemoryVectors):
    """An index that is down when it is told so."""

    down = False
    calls: list[str]

    def __init__(self, name: str = "faulty") -> None:
        super().__init__(name)
        self.calls = []

    def _reached(self, what: str) -> None:
        self.calls.append(what)
        if self.down:
            raise ConnectionError("connection refused")

    async def put(self, space: str, model: str, entries: Sequence[Embedded]) -> None:
        self._reached("put")
        await super().put(space, model, entries)

    async def nearest(self, space: str, model: str, vector: Vector, *, limit: int) -> dict[int, float]:
        self._reached("nearest")
        return await super().nearest(space, model, vector, limit=limit)

    async def drop(self, space: str, seqs: Collection[int] | None, *, model: str | None = None) -> None:
        self._reached("drop")
        await super().drop(space, seqs, model=model)

    def seqs(self) -> set[int]:
        """Everything it holds, of whatever space."""
        return {seq for models in self._spaces.values() for held in models.values() for seq in held}


async def opened(index: MemoryVectors | str | None, url: str | Path = "memory:") -> AsyncMemory:
    memory = await AsyncMemory.open(
        url, embedder=HashingEmbedder(), vectors=index, recipe="casual", clock=FakeClock()
    )  # fmt: skip
    await memory.worker.stop()  # the tests say when
    return memory


async def filled(memory: AsyncMemory) -> None:
    session = memory.session("s", user_id="ada")
    for at, text in enumerate(TEXTS):
        await session.add("user", text, message_id=f"m{at}")
    await memory.drain()


async def test_vectors_lie_outside_and_nothing_else_does() -> None:
    index = Faulty()
    async with await opened(index) as memory:
        await filled(memory)
        assert index.seqs() == {1, 2, 3, 4, 5}
        assert (await memory.stats()).vectors == 0
        names = [step.step.name for step in await memory.progress()]
        assert names == ["lexical", "dense:hashing-256@faulty", "records:hashing-256"]
        (space,) = index._spaces  # pyright: ignore[reportPrivateUsage]
        assert len(space) == 32 and "ada" not in space
    assert index.seqs()  # it was given: its owner closes it


async def test_it_ranks_as_vectors_inside_do() -> None:
    async with await opened(None) as inside, await opened(Faulty()) as outside:
        for memory in (inside, outside):
            await filled(memory)
        for question in ("when does the boat leave", "侄女的预算", "glass", "小船"):
            one, other = [await memory.search(question, user_id="ada", floor=0) for memory in (inside, outside)]
            assert [hit.message.id for hit in one] == [hit.message.id for hit in other]
            assert [hit.relevance for hit in one] == pytest.approx([hit.relevance for hit in other], abs=0.01)
            assert any("dense" in hit.parts for hit in other)


async def test_filters_hold_whatever_the_index_says() -> None:
    index = Faulty()
    async with await opened(index) as memory:
        await filled(memory)
        for user in ("bob", "eve"):
            await memory.session("t", user_id=user).add("user", "The boat to Samos sank")
        await memory.drain()
        mine = await memory.search("the boat to Samos", user_id="ada", floor=0)
        assert {hit.message.id for hit in mine} <= {f"m{at}" for at in range(5)}
        await memory.session("u", user_id="ada").add("assistant", "The boat is late")
        await memory.drain()
        found = await memory.search("boat", user_id="ada", floor=0, roles="assistant")
        assert [hit.text for hit in found] == ["The boat is late"]
        session = memory.session("s", user_id="ada")
        await session.branch("m0")
        await session.add("user", "Another way")
        gone = await memory.search("greenhouse glass", user_id="ada", floor=0)
        assert "m3" not in {hit.message.id for hit in gone}


async def test_erasure_reaches_it_by_message_session_and_user() -> None:
    index = Faulty()
    async with await opened(index) as memory:
        await filled(memory)
        await memory.session("t", user_id="ada").add("user", "Elsewhere")
        await memory.session("t", user_id="bob").add("user", "Somebody else")
        await memory.drain()
        erased = await memory.forget(user_id="ada", message_ids=["m0", "m1"])
        assert (erased.messages, erased.vectors) == (2, 2)
        assert index.seqs() == {1, 3, 4, 5, 6}  # the 1 is bob's
        await memory.forget(user_id="ada", session_id="s")
        assert index.seqs() == {1, 6}
        before = set(index._spaces)  # pyright: ignore[reportPrivateUsage]
        await memory.forget(user_id="ada")
        assert index.seqs() == {1}
        await memory.session("s", user_id="ada").add("user", "Back again")
        await memory.drain()
        assert len(set(index._spaces) - before) == 1  # pyright: ignore[reportPrivateUsage]


async def test_nothing_is_erased_while_it_is_down() -> None:
    index = Faulty()
    async with await opened(index) as memory:
        await filled(memory)
        index.down = True
        for which in ({"message_ids": ["m0"]}, {"session_id": "s"}, {}):
            with pytest.raises(VectorsError, match=r"faulty could not be reached .* nothing was erased"):
                await memory.forget(user_id="ada", **which)  # type: ignore[arg-type]
        assert len(await memory.messages(user_id="ada")) == 5
        index.down = False
        await memory.forget(user_id="ada")
        assert (index.seqs(), await memory.messages(user_id="ada")) == (set(), [])


async def test_the_index_is_dropped_before_and_after() -> None:
    index = Faulty()
    async with await opened(index) as memory:
        await filled(memory)
        index.calls.clear()
        await memory.forget(user_id="ada", message_ids=["m0"])
        assert index.calls == ["drop", "drop"]


async def test_an_outage_passes_no_message_over(caplog: pytest.LogCaptureFixture) -> None:
    index = Faulty()
    async with await opened(index) as memory:
        clock = memory.clock
        assert isinstance(clock, FakeClock)
        index.down = True
        await memory.session("s", user_id="ada").add("user", TEXTS[0])
        for _ in range(15):  # more often than a message that breaks a model would be tried
            await memory.drain()
            clock.advance(1000)
        assert await memory.failures() == []
        (dense,) = [step for step in await memory.progress() if step.step.name.startswith("dense")]
        assert dense.done == 0 and "could not be reached" in dense.errors[0]
        index.down = False
        await memory.drain()
        assert index.seqs() == {1}


async def test_search_falls_back_to_full_text_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    index = Faulty()
    async with await opened(index) as memory:
        await filled(memory)
        index.down = True
        with caplog.at_level(logging.WARNING, "jiyi.vectors"):
            for _ in range(3):
                hits = await memory.search("boat to Samos", user_id="ada", floor=0)
                assert [hit.message.id for hit in hits] == ["m0"]
                assert "dense" not in hits[0].parts
        assert [record.getMessage() for record in caplog.records] == [
            "faulty could not be reached (ConnectionError: connection refused); it cannot be searched; "
            "searching by full text"
        ]
        index.down = False
        assert "dense" in (await memory.search("boat to Samos", user_id="ada", floor=0))[0].parts


async def test_a_crash_between_put_and_commit_puts_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = Faulty()
    async with await opened(index, tmp_path / "j.db") as memory:
        store = memory.store
        assert isinstance(store, Outside)
        await memory.session("s", user_id="ada").add("user", TEXTS[0])
        await memory.drain(steps=["lexical"])
        with monkeypatch.context() as patch:
            patch.setattr(type(store._store), "commit", _crash)  # pyright: ignore[reportPrivateUsage]
            await memory.worker.work()
        assert index.seqs() == {1}
        clock = memory.clock
        assert isinstance(clock, FakeClock)
        clock.advance(1000)
        await memory.drain()
        assert index.seqs() == {1}
        assert [step.done for step in await memory.progress()] == [1, 1, 0]


async def _crash(*_: object, **__: object) -> None:
    raise OSError("killed")


async def test_what_is_erased_while_it_is_put_does_not_stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Another process erases between the put and the commit."""
    index = Faulty()
    async with await opened(index, tmp_path / "j.db") as memory, await opened(index, tmp_path / "j.db") as other:
        for erase in ({"message_ids": ["m0"]}, {}):
            await memory.session("s", user_id="ada").add("user", TEXTS[0], message_id="m0")
            await memory.drain(steps=["lexical"])
            put = index.put

            async def putting(space: str, model: str, entries: Sequence[Embedded], put=put, erase=erase) -> None:  # type: ignore[no-untyped-def]
                await put(space, model, entries)
                await other.forget(user_id="ada", **erase)
                await put(space, model, entries)  # as if it had come later

            with monkeypatch.context() as patch:
                patch.setattr(index, "put", putting)
                await memory.worker.work()
            assert (index.seqs(), await memory.messages(user_id="ada")) == (set(), [])


async def test_another_place_is_filled_anew() -> None:
    one, other = Faulty("one"), Faulty("two")
    store_at = await opened(one)
    async with store_at as memory:
        await filled(memory)
        assert isinstance(memory.store, Outside)
        step = dense_step("hashing-256", "two")
        assert (await memory.store.cursors(ADA, [step]))[step.name] == 0
    assert (len(one.seqs()), other.seqs()) == (5, set())


async def test_reset_and_rebuild_reach_it() -> None:
    index = Faulty()
    async with await opened(index) as memory:
        await filled(memory)
        step = dense_step("hashing-256", "faulty")
        await memory.store.reset([step])
        assert index.seqs() == set()
        await memory.drain()
        assert len(index.seqs()) == 5
        await memory.rebuild([step.name])
        assert len(index.seqs()) == 5


async def test_vectors_that_lay_inside_go_when_the_place_is_full(tmp_path: Path) -> None:
    async with await opened(None, tmp_path / "j.db") as memory:
        await filled(memory)
        assert (await memory.stats()).vectors == 5
    index = Faulty()
    async with await opened(index, tmp_path / "j.db") as memory:
        await memory.reindex()
        assert ((await memory.stats()).vectors, len(index.seqs())) == (0, 5)
    async with await opened(None, tmp_path / "j.db") as memory:  # and back
        await memory.drain()
        assert (await memory.stats()).vectors == 5


async def test_one_opened_by_its_name_is_closed_with_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    async with await opened("memory:place") as memory:
        assert isinstance(memory.vectors, MemoryVectors) and memory.vectors.name == "place"
        await filled(memory)
        index = memory.vectors
    assert index._spaces == {}  # pyright: ignore[reportPrivateUsage]
    async with await opened("jiyi.vectors.memory:MemoryVectors") as memory:
        assert memory.vectors is not None and memory.vectors.name == "memory"
    async with await opened("none") as memory:
        assert memory.vectors is None
    with pytest.raises(NotFound, match="vectors: unknown name 'nowhere'"):
        await opened("nowhere")
    with pytest.raises(NotFound, match="unknown name 'chrome'.*Did you mean 'chroma'"):
        await opened("chrome:vectors")


async def test_an_index_that_was_emptied_is_told(caplog: pytest.LogCaptureFixture) -> None:
    index = Faulty()
    async with await opened(index) as memory:
        await memory.search("boat", user_id="ada")  # nobody there: nothing is said, and nobody is made
        assert await memory.users() == []
        await filled(memory)
        index._spaces.clear()  # pyright: ignore[reportPrivateUsage]
        await memory.search("boat", user_id="ada")
        assert [r.getMessage() for r in caplog.records] == [
            "faulty has lost its vectors; `jiyi reindex --check` makes them anew"
        ]


async def test_more_is_asked_for_until_enough_may_be_found() -> None:
    index = Faulty()
    async with await opened(index) as memory:
        session = memory.session("s", user_id="ada")
        await session.add_many([{"role": "user", "content": f"boat {at}", "id": f"x{at}"} for at in range(400)])
        await session.branch("x5")  # hundreds of boats are on a path that was left
        await session.add("user", "boat again")
        await memory.drain()
        index.calls.clear()
        found = await memory.search("boat", user_id="ada", floor=0, k=7)
        assert {hit.message.id for hit in found} >= {f"x{at}" for at in range(6)}
        assert index.calls.count("nearest") > 1


def test_a_sample_lies_evenly_over_the_log() -> None:
    assert spread(3) == (1, 2, 3)
    assert spread(SAMPLE) == tuple(range(1, SAMPLE + 1))
    for head in (SAMPLE + 1, 1000, 99_999):
        seqs = spread(head)
        assert (seqs[0], seqs[-1], len(seqs)) == (1, head, SAMPLE)
        gaps = [b - a for a, b in zip(seqs, seqs[1:], strict=False)]
        assert max(gaps) - min(gaps) <= 1


async def test_an_index_emptied_by_hand_is_filled_by_a_check() -> None:
    index = Faulty()
    async with await opened(index) as memory:
        await filled(memory)
        await memory.session("t", user_id="bob").add("user", "Somebody else")
        await memory.session("t", user_id="bob").add("system", "Be brief")
        await memory.drain()
        assert await memory.check_indexes() == Checked(messages=6)
        index._spaces.clear()  # pyright: ignore[reportPrivateUsage]
        reports: list[tuple[int, int]] = []
        assert await memory.check_indexes(
            "ada", progress=lambda steps: reports.extend((step.done, step.total) for step in steps)
        ) == Checked(messages=5, vectors=5)
        assert reports[-1] == (5, 5)
        assert await memory.check_indexes() == Checked(messages=6, vectors=1)
        assert await memory.check_indexes() == Checked(messages=6)
        assert "dense" in (await memory.search("greenhouse", user_id="ada", floor=0))[0].parts


async def test_an_old_copy_of_the_index_is_mended() -> None:
    index = Faulty()
    async with await opened(index) as memory:
        await filled(memory)
        old = deepcopy(index._spaces)  # pyright: ignore[reportPrivateUsage]
        await memory.forget(user_id="ada", message_ids=["m1", "m4"])
        await memory.session("s", user_id="ada").add("user", "Said since")
        await memory.drain()
        index._spaces = old  # pyright: ignore[reportPrivateUsage]
        assert await memory.check_indexes() == Checked(messages=4, vectors=1, leftovers=2)
        assert index.seqs() == {1, 3, 4, 6}
        assert await memory.check_indexes() == Checked(messages=4)


async def test_a_crash_between_the_drop_and_the_erasure_loses_nothing_that_was_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    index = Faulty()
    async with await opened(index, tmp_path / "j.db") as memory:
        await filled(memory)
        assert isinstance(memory.store, Outside)
        with monkeypatch.context() as patch:
            patch.setattr(type(memory.store._store), "forget", _crash)  # pyright: ignore[reportPrivateUsage]
            with pytest.raises(OSError, match="killed"):
                await memory.forget(user_id="ada", session_id="s")
        assert "`jiyi reindex --check` makes them anew" in caplog.text
        assert (len(await memory.messages(user_id="ada")), index.seqs()) == (5, set())
    async with await opened(index, tmp_path / "j.db") as memory:
        assert (await memory.check_indexes()).vectors == 5
        assert len(index.seqs()) == 5


async def test_a_check_that_is_broken_off_goes_on() -> None:
    index = Faulty()
    async with await opened(index) as memory:
        session = memory.session("s", user_id="ada")
        await session.add_many([{"role": "user", "content": f"boat {at}"} for at in range(100)])
        await memory.drain()
        index._spaces.clear()  # pyright: ignore[reportPrivateUsage]

        def stop(steps: list[Progress]) -> None:
            if steps[0].done >= 32:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            await memory.check_indexes(progress=stop)
        assert len(index.seqs()) == 32
        assert (await memory.check_indexes()).vectors == 68
        index.down = True
        index._spaces.clear()  # pyright: ignore[reportPrivateUsage]
        with pytest.raises(VectorsError, match="could not be reached"):
            await memory.check_indexes()


async def test_a_check_without_an_index_outside(tmp_path: Path) -> None:
    async with await opened(None, tmp_path / "j.db") as memory:
        await filled(memory)
        assert await memory.check_indexes() == Checked(messages=5)
    with closing(sqlite3.connect(tmp_path / "j.db")) as db, db:
        db.execute("DELETE FROM indexed WHERE key = (SELECT max(key) FROM indexed)")
        db.execute("DELETE FROM segment")
    async with await opened(None, tmp_path / "j.db") as memory:
        assert await memory.check_indexes() == Checked(messages=5, terms=1, vectors=5)
        assert await memory.check_indexes() == Checked(messages=5)


async def test_what_is_not_derived_yet_is_not_missing() -> None:
    index = Faulty()
    async with await opened(index) as memory:
        await memory.session("s", user_id="ada").add("user", TEXTS[0])
        assert await memory.check_indexes() == Checked(messages=1)
        assert index.seqs() == set()


async def test_without_its_index_a_memory_says_what_it_does_not_reach(tmp_path: Path) -> None:
    file = tmp_path / "jiyi.db"
    model = HashingEmbedder()
    model.name = "openai:m@http://host/v1"  # an address is no place

    async def opened(**options: Any) -> AsyncMemory:
        return await AsyncMemory.open(file, embedder=model, clock=FakeClock(), **options)

    async with await opened() as memory:
        await memory.remember(TEXTS[0], user_id="ada")
        await memory.drain()
    async with await opened(vectors=MemoryVectors("cellar")) as memory:
        await memory.drain()
        assert memory.warnings == []
    async with await opened() as memory:
        assert "cellar" in memory.warnings[0] and "vectors" in memory.warnings[0]
    async with await opened(vectors=MemoryVectors("attic")) as memory:
        assert ["cellar" in warning for warning in memory.warnings] == [True]
        await memory.drain()
        await memory.reindex()
        assert memory.warnings == []
    async with await opened(vectors=MemoryVectors("attic")) as memory:
        assert memory.warnings == []
