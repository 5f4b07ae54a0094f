"""``find`` with what an index elsewhere has found, and ``indexed``."""

from __future__ import annotations

from dataclasses import replace

from jiyi.ports import Store
from jiyi.testing.store.case import ADA, BOB, MEANING, WORDS, StoreCase, said
from jiyi.testing.store.index import unit
from jiyi.types import Dense, Filter, Found, Message, Probe, Step


class Given(StoreCase):
    """Vectors that lie elsewhere."""

    def _nearest(self, *seqs: int, where: Filter | None = None, best: int = 10) -> Probe:
        """The nearest in this order."""
        dense = Dense({seq: 0.9 - at / 100 for at, seq in enumerate(seqs)}, 50, 0.1, 0.2)
        return Probe((), "m", unit(1, 0), where or Filter(), best=best, dense=dense)

    async def test_what_was_found_elsewhere_stands_in_for_a_scan(self, store: Store) -> None:
        await self.add(store, "a", "b", "c", "d", "e")
        await self.embed(store, {seq: [unit(1, 1)] for seq in range(1, 6)})  # nobody looks at these
        found = await store.find(ADA, self._nearest(5, 2))
        assert found.dense == Dense({5: 0.9, 2: 0.89}, 50, 0.1, 0.2)
        assert list(found.dense.hits) == [5, 2]
        assert {seq: message.id for seq, message in found.messages.items()} == {5: "e", 2: "b"}
        assert list(found.standing.seqs) == [1, 2, 3, 4, 5]
        assert found.near == {}
        nothing = await store.find(ADA, replace(self._nearest(), dense=Dense()))
        assert (nothing.dense, nothing.messages) == (Dense(), {})

    async def test_words_are_looked_for_as_ever(self, store: Store) -> None:
        await self.add(store, "a", "b", "c")
        await self.index(store, {1: "red", 2: "blue", 3: "red"})
        found = await store.find(ADA, replace(self._nearest(2), terms=["red"]))
        assert (found.words.keys(), found.messages.keys()) == ({1, 3}, {1, 2, 3})

    async def test_no_seq_that_is_not_there_comes_back(self, store: Store) -> None:
        await self.add(store, "a", "b", "c")
        await self.add(store, "x", "y", "z", "v", "w", scope=BOB)
        await store.forget(ADA, message_ids=["b"])
        found = await store.find(ADA, self._nearest(2, 4, 3, 5, 0, -1, 10**9))
        assert (list(found.dense.hits), found.messages.keys()) == ([3], {3})
        await store.forget(ADA, everything=True)
        assert await store.find(ADA, self._nearest(1, 2, 3)) == Found()

    async def test_no_message_that_may_not_be_found_comes_back(self, store: Store) -> None:
        talk = [said("a"), said("b", role="assistant"), said("rules", role="system"), said("blank", " "), said("e")]
        await store.append(ADA, "s", talk)
        await store.append(
            ADA, "", [Message("order", "", "user", "hide it", kind="command", recorded_at=said("").recorded_at)]
        )
        await self.add(store, "f", after="b")
        assert list((await store.find(ADA, self._nearest(5, 6, 7, 4, 3, 2, 1))).dense.hits) == [7, 2, 1]
        every = await store.find(ADA, self._nearest(5, 6, 7, 2, 1, where=Filter(active=None)))
        assert list(every.dense.hits) == [5, 7, 2, 1]
        some = await store.find(ADA, self._nearest(5, 7, 2, 1, where=Filter(roles=("assistant",))))
        assert list(some.dense.hits) == [2]

    async def test_the_best_are_those_that_may_be_found(self, store: Store) -> None:
        await self.add(store, *(f"m{seq}" for seq in range(1, 21)))
        await store.forget(ADA, message_ids=[f"m{seq}" for seq in range(1, 11)])
        found = await store.find(ADA, self._nearest(*range(1, 21), best=3))
        assert list(found.dense.hits) == [11, 12, 13]
        assert (await store.find(ADA, self._nearest(11, 12, best=0))).dense.hits == {}

    async def test_what_an_index_has_something_of(self, store: Store) -> None:
        await self.add(store, "a", "b", "c", "d")
        await self.add(store, "x", scope=BOB)
        assert (await store.indexed(ADA, WORDS), await store.indexed(ADA, MEANING)) == ([], [])
        await self.index(store, {4: "red", 1: "blue", 3: ""})
        await self.embed(store, {2: [unit(1, 0), unit(0, 1)], 4: [unit(1, 1)]})
        assert (await store.indexed(ADA, WORDS), await store.indexed(ADA, MEANING)) == ([1, 3, 4], [2, 4])
        assert await store.indexed(ADA, Step("dense:other", "1")) == await store.indexed(BOB, WORDS) == []
        await store.forget(ADA, message_ids=["d"])
        assert (await store.indexed(ADA, WORDS), await store.indexed(ADA, MEANING)) == ([1, 3], [2])
        await store.forget(ADA, everything=True)
        assert (await store.indexed(ADA, WORDS), await store.indexed(ADA, MEANING)) == ([], [])
