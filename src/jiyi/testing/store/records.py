"""Derived records: what is kept of one, and how they are asked for."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from jiyi.ports import Store
from jiyi.testing.store.case import ADA, BOB, NOTES, StoreCase, at, ids, record
from jiyi.types import Changes

CHINA = timezone(timedelta(hours=8))


class Records(StoreCase):
    """``records``, ``use``."""

    async def test_records_come_back_as_they_went_in_oldest_first(self, store: Store) -> None:
        await self.add(store, "a", "b")
        full = record(
            "r1", "a", "b", "a", when=5, kind="fact", session_id="s", key="employer", importance=0.5, pinned=True,
            valid_from=at(-1000), valid_to=at(2000), said_at=datetime(2024, 5, 1, 9, tzinfo=CHINA),
            event_from=at(3), event_to=datetime(2024, 6, 1, tzinfo=CHINA),
            data={"n": [1, 2.5, None, True, {"词": "值"}]}, links=("ada", "北京"),
        )  # fmt: skip
        others = [record("r3", "a", when=5), record("r0", when=7), record("r2", "b", when=1)]
        await self.note(store, *others, full)
        found = await store.records(ADA)
        assert found == [others[2], full, others[0], others[1]]
        assert [found[1].said_at and found[1].said_at.utcoffset()] == [timedelta(hours=8)]

    async def test_filters(self, store: Store) -> None:
        await self.add(store, "a")
        await self.note(
            store,
            record("r1", "a", when=1, kind="fact", session_id="s"),
            record("r2", "a", when=2, kind="fact"),
            record("r3", "a", when=3, kind="note", session_id="s"),
            record("r4", "a", when=4, kind="Fact", session_id="S", closed_at=at(5)),
        )
        assert ids(await store.records(ADA)) == ["r1", "r2", "r3"]
        assert ids(await store.records(ADA, current=None)) == ["r1", "r2", "r3", "r4"]
        assert ids(await store.records(ADA, current=False)) == ["r4"]
        assert ids(await store.records(ADA, kind="fact")) == ["r1", "r2"]
        assert ids(await store.records(ADA, session_id="s")) == ["r1", "r3"]
        assert ids(await store.records(ADA, kind="fact", session_id="s")) == ["r1"]
        assert ids(await store.records(ADA, ids=["r3", "r1", "r4", "no", "r1"])) == ["r1", "r3"]
        assert ids(await store.records(ADA, ids=["r4", "r1"], current=None)) == ["r1", "r4"]
        assert ids(await store.records(ADA, limit=2)) == ["r1", "r2"]
        assert ids(await store.records(ADA, kind="note", current=None, limit=1)) == ["r3"]
        nothing: list[dict[str, Any]] = [{"kind": "f%"}, {"session_id": ""}, {"ids": []}, {"limit": 0}, {"kind": ""}]
        for where in nothing:
            assert await store.records(ADA, **where) == []

    async def test_closing_and_replacing(self, store: Store) -> None:
        await self.add(store, "a", "b")
        await self.note(store, record("r1", "a"), record("r2", "a", when=1))
        new = record("r3", "b", when=2, kind="fact")
        await self.note(store, new, close={"r1": at(50), "nobody": at(50), "r3": at(60)})
        assert ids(await store.records(ADA)) == ["r2"]
        r1, r3 = await store.records(ADA, current=False)
        assert (r1.id, r1.closed_at, r3.id, r3.closed_at) == ("r1", at(50), "r3", at(60))
        again = record("r2", "b", when=9, key="k")
        await self.note(store, again)
        assert await store.records(ADA, ids=["r2"]) == [again]
        assert (await store.stats(ADA)).records == 3

    async def test_a_record_that_rests_on_a_missing_message_is_left_out(self, store: Store) -> None:
        await self.add(store, "a")
        await self.add(store, "bobs", scope=BOB)
        await self.note(store, record("r1", "a", "gone"), record("r2", "bobs"), record("r3"), record("r4", "a"))
        assert ids(await store.records(ADA)) == ["r3", "r4"]

    async def test_records_of_several_strategies(self, store: Store) -> None:
        await self.add(store, "a")
        await self.note(store, record("r1", "a"), record("r2", "a", strategy="other"))
        await store.reset([NOTES])
        assert ids(await store.records(ADA, current=None)) == ["r2"]

    async def test_what_rests_on_a_message(self, store: Store) -> None:
        await self.add(store, *"abc")
        await self.add(store, "a", scope=BOB)
        await self.note(
            store,
            record("r1", "a", when=1),
            record("r2", "b", "a", "b", when=2, kind="fact"),
            record("r3", "c", when=3, closed_at=at(5)),
            record("r4", when=4),
        )
        await self.note(store, record("bobs", "a"), scope=BOB)
        assert ids(await store.records(ADA, sources=["a"])) == ["r1", "r2"]
        assert ids(await store.records(ADA, sources=["b", "c", "no", "b"])) == ["r2"]
        assert ids(await store.records(ADA, sources=["c", "b"], current=None)) == ["r2", "r3"]
        assert ids(await store.records(ADA, sources=["a"], kind="fact")) == ["r2"]
        assert ids(await store.records(ADA, sources=["a"], ids=["r1", "r3"])) == ["r1"]
        assert ids(await store.records(ADA, sources=["a", "b"], limit=1)) == ["r1"]
        assert await store.records(ADA, sources=[]) == []
        (found,) = await store.records(ADA, sources=["b"])
        assert [source.message_id for source in found.sources] == ["b", "a", "b"], "all of them, in order"

    async def test_the_most_important_ones(self, store: Store) -> None:
        await self.add(store, "a")
        await self.note(
            store,
            record("r1", "a", when=1, importance=0.1, pinned=True),
            record("r2", "a", when=2, importance=0.9),
            record("r3", "a", when=3, importance=0.0),
            record("r4", "a", when=4),
            record("r5", "a", when=5, importance=0.9),
            record("r6", "a", when=5, importance=0.9),
            record("r7", "a", when=6, importance=1.0, closed_at=at(9)),
            record("r8", "a", when=7, importance=1.0, kind="fact"),
        )
        for limit, expected in [
            (0, []),
            (1, ["r1"]),
            (2, ["r1", "r6"]),
            (4, ["r1", "r2", "r5", "r6"]),
            (5, ["r1", "r2", "r3", "r5", "r6"]),
            (9, ["r1", "r2", "r3", "r4", "r5", "r6"]),
        ]:
            assert ids(await store.records(ADA, kind="note", important=True, limit=limit)) == expected, limit
        assert ids(await store.records(ADA, important=True, limit=2)) == ["r1", "r8"]
        assert ids(await store.records(ADA, important=True, current=None, limit=3)) == ["r1", "r7", "r8"]
        assert len(await store.records(ADA, important=True)) == 7
        whole = await store.records(ADA, important=True)
        assert all(record.sources for record in whole)
        assert await store.records(ADA, bare=True) == [replace(record, sources=()) for record in whole]

    async def test_as_of_a_day(self, store: Store) -> None:
        await self.add(store, "a")
        await self.note(
            store,
            record("r1", "a", when=50, said_at=at(10), closed_at=at(30)),
            record("r2", "a", when=60, said_at=at(30)),
            record("r3", "a", when=20),
            record("r4", "a", recorded_at=None),
        )
        for day, expected in [
            (5, ["r4"]),
            (10, ["r4", "r1"]),
            (20, ["r4", "r3", "r1"]),
            (29.999999, ["r4", "r3", "r1"]),
            (30, ["r4", "r3", "r2"]),
            (99, ["r4", "r3", "r2"]),
        ]:
            assert ids(await store.records(ADA, as_of=at(day))) == expected, day
            assert ids(await store.records(ADA, as_of=at(day), current=False)) == expected, "it takes its place"
        assert ids(await store.records(ADA, as_of=at(20), important=True, limit=1)) == ["r1"]

    async def test_how_often_they_were_of_use(self, store: Store) -> None:
        await self.two(store, NOTES)
        await self.note(store, record("r1", "a", used=7, used_at=at(1)), record("r2", "b"))
        assert [(r.used, r.used_at) for r in await store.records(ADA)] == [(0, None)] * 2, "the store counts"
        await store.use(ADA, ["r1", "nobody", "r1"], at=at(20))
        await store.use(ADA, ["r1", "r2"], at=at(10))
        await store.use(BOB, ["r1"], at=at(30))
        await store.use(ADA, [], at=at(40))
        assert [(r.used, r.used_at) for r in await store.records(ADA)] == [(3, at(20)), (1, at(10))]
        await self.note(store, record("r1", "a", "b", key="k"), drop=("r2",))
        await self.note(store, record("r2", "b"))
        assert [(r.used, r.used_at) for r in await store.records(ADA)] == [(3, at(20)), (0, None)]

    async def test_a_rebuild_keeps_how_often_they_were_of_use(self, store: Store) -> None:
        await self.two(store, NOTES)
        await store.commit(await self.claimed(store, NOTES), Changes(2, put=(record("r1", "a"),)), now=at(1))
        await store.use(ADA, ["r1"], at=at(20))
        await store.rebuild([NOTES])
        put = (record("r1", "a"), record("r2", "b"))
        await store.commit(await self.claimed(store, NOTES), Changes(1, put=put), now=at(1))
        await store.use(ADA, ["r1", "r2"], at=at(30))
        await store.commit(await self.claimed(store, NOTES), Changes(2), now=at(1))
        assert [(r.used, r.used_at) for r in await store.records(ADA)] == [(2, at(30)), (0, None)]
