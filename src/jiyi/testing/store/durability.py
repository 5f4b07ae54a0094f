"""What outlives a handle: closing, opening again, two at a time, copies."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from jiyi.errors import Conflict, StoreError
from jiyi.ports import Store
from jiyi.testing.store.case import (
    ADA,
    BOB,
    EVERYTHING,
    NOTES,
    WORDS,
    StoreCase,
    at,
    ids,
    meaning,
    record,
    said,
    words,
)
from jiyi.testing.store.index import close, unit
from jiyi.types import Changes, Checkpoint, Filter, Step


class Durability(StoreCase):
    """``close`` and ``backup``; and a second handle on the same data, as another process has it."""

    def _needs(self, *, durable: bool) -> None:
        if durable != self.durable:
            pytest.skip("keeps nothing beyond its process" if durable else "keeps its data")

    async def test_closing_twice_does_nothing_more(self, store: Store) -> None:
        await self.add(store, "a")
        await store.close()
        await store.close()

    async def test_a_closed_store_says_so(self, store: Store, tmp_path: Path) -> None:
        await store.register([WORDS])
        await self.add(store, "a")
        claim = await self.claimed(store)
        await store.close()
        uses: list[Callable[[], Awaitable[object]]] = [
            lambda: self.add(store, "b"),
            lambda: store.messages(ADA),
            lambda: store.seqs(ADA, EVERYTHING),
            lambda: store.sessions(ADA),
            lambda: store.update_session(ADA, "s", at=at(1), title="x"),
            store.scopes,
            lambda: store.salt(ADA),
            lambda: store.put_checkpoint(ADA, Checkpoint("cp", "s")),
            lambda: store.checkpoints(ADA, "s"),
            lambda: store.delete_checkpoints(ADA, "s", ["cp"]),
            lambda: store.records(ADA),
            lambda: words(store, ["a"]),
            lambda: meaning(store, [1.0]),
            lambda: store.register([NOTES]),
            lambda: store.claim([WORDS], now=at(9999), lease=1),
            lambda: store.commit(claim, Changes(cursor=1), now=at(1)),
            lambda: store.release(claim, error=None, due=at(1)),
            lambda: store.progress([WORDS]),
            lambda: store.cursors(ADA, [WORDS]),
            lambda: store.reset([WORDS]),
            lambda: store.forget(ADA, everything=True),
            store.stats,
            store.models,
            lambda: store.backup(tmp_path / "copy.db"),
        ]
        for number, use in enumerate(uses):
            with pytest.raises(StoreError):
                await use()
                pytest.fail(f"use {number} of a closed store was possible")

    async def test_without_a_file_there_is_no_backup(self, store: Store, tmp_path: Path) -> None:
        self._needs(durable=False)
        with pytest.raises(StoreError):
            await store.backup(tmp_path / "copy.db")
        assert not (tmp_path / "copy.db").exists()

    # -- the same data again

    async def _full(self, store: Store) -> None:
        await store.register([WORDS, NOTES])
        await self.add(store, "a", "b", "c")
        await self.add(store, "x", after="a", when=5)
        await self.add(store, "a", scope=BOB)
        await store.update_session(ADA, "s", at=at(9), title="kept", metadata={"k": 1})
        await store.put_checkpoint(ADA, Checkpoint("方案", "s", "b", created_at=at(8), state={"step": 1}))
        await self.index(store, {1: "red", 4: "blue"})
        await self.embed(store, {1: [unit(1, 0)], 4: [unit(0, 1)]})
        await self.note(store, record("r", "a"), record("old", "x"), close={"old": at(7)})
        await store.commit(await self.claimed(store, WORDS, ADA), Changes(cursor=3), now=at(1000))
        await store.release(await self.claimed(store, NOTES, ADA), error="broken", due=at(5000))

    async def _state(self, store: Store) -> tuple[object, ...]:
        stats = await store.stats()
        return (
            await store.scopes(),
            await store.messages(ADA, EVERYTHING),
            await store.messages(BOB, EVERYTHING),
            await store.sessions(ADA),
            await store.salt(ADA),
            await store.checkpoints(ADA, "s"),
            await store.records(ADA, current=None),
            await words(store, ["red", "b*"]),
            await meaning(store, unit(1, 2)),
            await store.progress([WORDS, NOTES]),
            await store.cursors(ADA, [WORDS, NOTES]),
            await store.models(),
            (stats.messages, stats.sessions, stats.records, stats.indexed, stats.vectors),
        )

    async def test_everything_is_there_after_a_restart(self, store: Store, tmp_path: Path) -> None:
        self._needs(durable=True)
        await self._full(store)
        before = await self._state(store)
        held = await self.claimed(store, WORDS, BOB)
        await store.close()
        again = await self.open(tmp_path)
        try:
            assert await self._state(again) == before
            assert await again.claim([WORDS], now=at(1059), lease=60, scope=BOB) is None  # the lease outlives it, too
            await again.commit(held, Changes(cursor=1), now=at(1059))
            claim = await self.claimed(again, NOTES, ADA, now=5000)
            assert claim.attempts == 1
            (y,) = await self.add(again, "y")
            assert (y.seq, y.parent_id) == (5, "x")
        finally:
            await again.close()

    async def test_steps_registered_before_a_restart_are_still_there(self, store: Store, tmp_path: Path) -> None:
        self._needs(durable=True)
        await store.register([WORDS])
        await store.close()
        again = await self.open(tmp_path)
        try:
            await self.add(again, "a")
            await again.commit(await self.claimed(again), Changes(cursor=1), now=at(1000))
            await again.register([WORDS])
            assert await again.cursors(ADA, [WORDS]) == {"lexical": 1}
            await again.register([Step(WORDS.name, "2")])
            assert await again.cursors(ADA, [Step(WORDS.name, "2")]) == {"lexical": 0}
        finally:
            await again.close()

    async def test_two_handles_see_what_the_other_wrote(self, store: Store, tmp_path: Path) -> None:
        self._needs(durable=True)
        other = await self.open(tmp_path)
        try:
            await self._full(store)
            assert await self._state(other) == await self._state(store)
            (y,) = await self.add(other, "y")
            (z,) = await self.add(store, "z")
            assert (z.seq, z.parent_id) == (y.seq + 1, "y")
            await self.index(other, {5: "yellow"})
            assert list((await words(store, ["yellow"])).hits) == [5]
            await self.embed(other, {5: [unit(1, 0)]})
            assert close(await meaning(store, [1.0, 0.0]), {1: 1, 4: 0, 5: 1})
            with pytest.raises(Conflict):
                await store.append(ADA, "s", [said("y", "other words")])
        finally:
            await other.close()

    async def test_what_one_handle_erased_the_other_does_not_find(self, store: Store, tmp_path: Path) -> None:
        """Field case D18: also from a second process that was open before."""
        self._needs(durable=True)
        other = await self.open(tmp_path)
        try:
            await self._full(store)
            salt = await other.salt(ADA)
            assert list((await meaning(other, unit(1, 0))).hits) == [1, 4]  # whatever it remembers, it has now
            await store.forget(ADA, message_ids=["a"])
            assert "a" not in ids(await other.messages(ADA, EVERYTHING))
            assert (await words(other, ["red"], scope=ADA)).hits == {}
            assert list((await meaning(other, unit(1, 0))).hits) == [4]
            assert (await meaning(other, unit(1, 0), seqs=[1, 4])).hits.keys() == {4}
            assert ids(await other.records(ADA)) == []
            (again,) = await other.append(ADA, "s", [said("a", "new words")])
            await self.embed(other, {again.seq: [unit(0, 1)]})
            assert close(await meaning(store, [1.0, 0.0]), {4: 0, again.seq: 0})
            await store.forget(ADA, everything=True)
            assert await other.scopes() == [BOB]
            assert (await meaning(other, unit(1, 0))).scanned == 0
            assert await other.salt(ADA) != salt
            await self.add(other, "n")
            await self.embed(other, {1: [unit(0, 1)]})
            assert close(await meaning(store, [1.0, 0.0]), {1: 0})
        finally:
            await other.close()

    async def test_two_handles_write_at_once(self, store: Store, tmp_path: Path) -> None:
        self._needs(durable=True)
        other = await self.open(tmp_path)
        try:
            writes = (self.add(handle, f"{n}{i}") for i in range(30) for n, handle in (("a", store), ("b", other)))
            await asyncio.gather(*writes, *(handle.salt(BOB) for handle in (store, other)))
            path = await store.messages(ADA, Filter(session_id="s"))
            assert [m.position for m in path] == [m.seq for m in path] == list(range(1, 61))
            assert [m.parent_id for m in path] == [None, *ids(path)[:-1]]
            assert await store.salt(BOB) == await other.salt(BOB)
            await store.register([WORDS])
            claims = [await handle.claim([WORDS], now=at(1000), lease=60) for handle in (store, other, store)]
            assert [claim is not None for claim in claims] == [True, False, False]
            await other.commit(claims[0], Changes(cursor=60), now=at(1000))  # type: ignore[arg-type]
        finally:
            await other.close()

    # -- copies

    async def test_a_backup_is_the_whole_store(self, store: Store, tmp_path: Path) -> None:
        self._needs(durable=True)
        await self._full(store)
        before = await self._state(store)
        target = tmp_path / "copies" / self.file
        target.parent.mkdir()
        await store.backup(target)
        await store.forget(ADA, everything=True)
        copy = await self.open(target.parent)
        try:
            assert await self._state(copy) == before
            await self.add(copy, "only in the copy")
        finally:
            await copy.close()
        assert await store.messages(ADA, EVERYTHING) == []
        await store.backup(target)  # replaces the first one
        copy = await self.open(target.parent)
        try:
            assert await copy.scopes() == [BOB]
        finally:
            await copy.close()

    async def test_a_backup_while_others_write(self, store: Store, tmp_path: Path) -> None:
        self._needs(durable=True)
        target = tmp_path / "copies" / self.file
        target.parent.mkdir()
        await self.add(store, *(f"m{i}" for i in range(200)))
        writes = [self.add(store, f"{i}a", f"{i}b") for i in range(40)]
        await asyncio.gather(*writes[:20], store.backup(target), *writes[20:])
        copy = await self.open(target.parent)
        try:
            path = await copy.messages(ADA, Filter(session_id="s"))
            assert [m.seq for m in path] == list(range(1, len(path) + 1))
            assert len(path) % 2 == 0 and len(path) >= 200  # both of a pair, or none
        finally:
            await copy.close()

    async def test_a_backup_that_cannot_be_written_leaves_nothing(self, store: Store, tmp_path: Path) -> None:
        self._needs(durable=True)
        await self.add(store, "a")
        with pytest.raises(StoreError):
            await store.backup(tmp_path / "missing" / self.file)
        assert not (tmp_path / "missing").exists()
        assert await self.path(store) == ["a"]
