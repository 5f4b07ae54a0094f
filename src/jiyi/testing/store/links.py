"""Names by which records are found: those of an entity, both ends of a relation, whom a fact is about."""

from __future__ import annotations

from dataclasses import replace

from jiyi.ports import Store
from jiyi.testing.store.case import ADA, BOB, NOTES, StoreCase, at, ids, record
from jiyi.testing.store.isolation import LOOKALIKES
from jiyi.types import Changes


class Links(StoreCase):
    """``Record.links``, ``Which.links``."""

    async def _linked(self, store: Store) -> None:
        await self.add(store, *"abc")
        await self.note(
            store,
            record("r1", "a", when=1, kind="entity", links=("lin wei", "林薇", "w. lin")),
            record("r2", "b", when=2, kind="relation", links=("林薇", "jiyi"), importance=0.9),
            record(
                "r3", "b", "c", when=3, kind="relation", links=("jiyi", "postgres"), said_at=at(30), closed_at=at(50)
            ),
            record("r4", "c", when=4, key="jiyi"),
        )

    async def test_they_come_back_in_their_order(self, store: Store) -> None:
        await self.add(store, "a")
        odd = ("b", "a", "b", "", " a", "词", "a'\"%_*\\", "[1]", "x" * 5000)
        await self.note(store, record("r1", "a", links=odd), record("r2", "a", when=1))
        found = await store.records(ADA)
        assert [one.links for one in found] == [odd, ()]
        assert [one.links for one in await store.records_after(ADA, 0, limit=9)] == [odd, ()]
        for name in odd:
            assert ids(await store.records(ADA, links=[name])) == ["r1"], name
        for name in ("A", "a ", "á", "%", "*", "_", "1", "x", "x" * 4999, "null"):
            assert await store.records(ADA, links=[name]) == [], name

    async def test_records_found_by_them(self, store: Store) -> None:
        await self._linked(store)
        assert ids(await store.records(ADA, links=["林薇"])) == ["r1", "r2"]
        assert ids(await store.records(ADA, links=["jiyi", "w. lin", "nobody", "jiyi"])) == ["r1", "r2"]
        assert ids(await store.records(ADA, links=["lin wei", "林薇"])) == ["r1", "r2"], "each of them once"
        assert ids(await store.records(ADA, links=[f"n{number}" for number in range(3000)] + ["jiyi"])) == ["r2"]
        assert await store.records(ADA, links=["nobody"]) == []
        assert await store.records(ADA, links=[]) == []

    async def test_with_everything_else_that_can_be_asked(self, store: Store) -> None:
        await self._linked(store)
        assert ids(await store.records(ADA, links=["jiyi"], current=None)) == ["r2", "r3"]
        assert ids(await store.records(ADA, links=["jiyi"], current=False)) == ["r3"]
        assert ids(await store.records(ADA, links=["jiyi"], as_of=at(40))) == ["r2", "r3"]
        assert ids(await store.records(ADA, links=["jiyi"], as_of=at(20))) == ["r2"]
        assert ids(await store.records(ADA, links=["林薇"], kind="entity")) == ["r1"]
        assert ids(await store.records(ADA, links=["jiyi"], sources=["c"], current=None)) == ["r3"]
        assert ids(await store.records(ADA, links=["林薇"], ids=["r2", "r4"])) == ["r2"]
        assert ids(await store.records(ADA, links=["jiyi"], key="jiyi")) == []
        assert ids(await store.records(ADA, links=["林薇"], limit=1)) == ["r1"]
        assert ids(await store.records(ADA, links=["林薇"], limit=1, newest=True)) == ["r2"]
        assert ids(await store.records(ADA, links=["林薇"], limit=1, important=True)) == ["r2"]
        (found,) = await store.records(ADA, links=["postgres"], current=None, bare=True)
        assert (found.links, found.sources) == (("jiyi", "postgres"), ())

    async def test_of_one_user_alone(self, store: Store) -> None:
        scopes = [ADA, BOB, *LOOKALIKES]
        for number, scope in enumerate(scopes):
            await self.add(store, "a", scope=scope)
            await self.note(store, record("r", "a", links=("cafe", f"cafe {number}")), scope=scope)
        for number, scope in enumerate(scopes):
            (found,) = await store.records(scope, links=["cafe"])
            assert found.links[1] == f"cafe {number}"
            assert await store.records(scope, links=[f"cafe {(number + 1) % len(scopes)}"]) == []
        await store.forget(ADA, everything=True)
        assert await store.records(ADA, links=["cafe"]) == []
        assert len(await store.records(BOB, links=["cafe"])) == 1

    async def test_put_again_with_others(self, store: Store) -> None:
        await self._linked(store)
        (old,) = await store.records(ADA, ids=["r1"])
        await self.note(store, replace(old, links=("lin wei", "wei")))
        assert ids(await store.records(ADA, links=["林薇"])) == ["r2"]
        (new,) = await store.records(ADA, links=["wei"])
        assert (new.links, new.seq) == (("lin wei", "wei"), old.seq), "its text is as it was"
        await self.note(store, replace(old, links=(), text="other words"))
        assert await store.records(ADA, links=["wei", "lin wei"]) == []

    async def test_dropped_and_closed(self, store: Store) -> None:
        await self._linked(store)
        await self.note(store, drop=("r1",), close={"r2": at(60)})
        assert await store.records(ADA, links=["林薇", "lin wei"]) == []
        assert ids(await store.records(ADA, links=["林薇"], current=None)) == ["r2"]
        await store.drop(ADA, ["r2", "r3"])
        assert await store.records(ADA, links=["林薇", "jiyi"], current=None) == []
        await self.note(store, record("r1", "a", links=("林薇",)), record("r9", "a", when=1))
        assert ids(await store.records(ADA, links=["林薇", "lin wei", "jiyi"], current=None)) == ["r1"]

    async def test_nothing_after_an_erasure(self, store: Store) -> None:
        await self._linked(store)
        await store.forget(ADA, message_ids=["b"])
        assert ids(await store.records(ADA, links=["林薇", "jiyi", "postgres"], current=None)) == ["r1"]
        await store.forget(ADA, session_id="s")
        await self.add(store, *"xyz")
        await self.note(store, *(record(f"n{number}", "x") for number in range(4)))
        assert await store.records(ADA, links=["林薇", "jiyi", "postgres", "lin wei"], current=None) == []

    async def test_a_reset_takes_them_and_a_rebuild_shows_the_new_at_once(self, store: Store) -> None:
        await self.two(store, NOTES)
        await store.commit(
            await self.claimed(store, NOTES), Changes(2, put=(record("r", "a", links=("old",)),)), now=at(1)
        )
        await store.rebuild([NOTES])
        again = (record("r", "a", links=("new",)),)
        await store.commit(await self.claimed(store, NOTES), Changes(1, put=again), now=at(1))
        assert ids(await store.records(ADA, links=["old"])) == ["r"]
        assert await store.records(ADA, links=["new"]) == []
        assert ids(await store.records(ADA, links=["new"], maker=NOTES.name)) == ["r"]
        assert await store.records(ADA, links=["old"], maker=NOTES.name) == []
        await store.commit(await self.claimed(store, NOTES), Changes(2), now=at(1))
        assert ids(await store.records(ADA, links=["new"])) == ["r"]
        assert await store.records(ADA, links=["old"]) == []
        await store.reset([NOTES])
        assert await store.records(ADA, links=["old", "new"], current=None) == []
