"""``find`` as one look: candidates and those beside them, what is not indexed yet, filters, branches, copies kept."""

from __future__ import annotations

from pathlib import Path

from jiyi.ports import Store
from jiyi.testing.store.case import ADA, BOB, WORDS, StoreCase, at, many, said, statement, words
from jiyi.testing.store.index import unit
from jiyi.types import Filter, Found, Probe, Step


class Look(StoreCase):
    """``find`` beside its two indexes."""

    def _probe(self, *terms: str, where: Filter | None = None, best: int = 10) -> Probe:
        return Probe(terms, "m", unit(1, 0), where or Filter(), best=best, step=WORDS)

    async def test_nothing_there_nothing_found(self, store: Store) -> None:
        assert await store.find(ADA, self._probe("red")) == Found()

    async def test_candidates_with_those_beside_them(self, store: Store) -> None:
        await store.append(ADA, "s", [said("a"), said("b", "深蓝 sea"), said("c"), said("d", " "), said("e")])
        await store.append(ADA, "t", many("f", "g"))
        await store.append(ADA, "s", many("h"))
        await store.append(ADA, "", [statement("i")])
        await self.index(store, {2: "blue", 5: "red", 8: "blue"})
        await self.embed(store, {1: [unit(0, 1)], 7: [unit(1, 1)], 6: [unit(-1, 0)]})
        found = await store.find(ADA, Probe(["blue"], "m", unit(1, 0), best=2))
        assert {seq: m.id for seq, m in found.messages.items()} == {1: "a", 2: "b", 7: "g", 8: "h"}
        stand = found.standing
        assert list(stand.seqs) == [1, 2, 3, 5, 6, 7, 8, 9]  # 5 stands before 8 in its session; 4 says nothing
        assert list(stand.parents) == [0, 1, 2, 4, 0, 6, 5, 0]
        assert list(stand.sizes) == [1, 10, 1, 1, 1, 1, 1, 1]
        first, second = stand.sessions[0], stand.sessions[4]
        assert list(stand.sessions) == [first, first, first, first, second, second, first, 0]
        assert len({first, second, 0}) == 3
        assert (list(found.dense.hits), found.near.keys()) == ([7, 1], {6})
        assert found.words.keys() == found.lexical.hits.keys() == {2, 8}

    async def test_what_is_not_indexed_yet_counts_as_if_it_were(self, store: Store) -> None:
        texts = {1: "the red boat", 2: "a blue boat, blue sea", 3: "小船在海上"}
        probe = self._probe("red", "blue", "boat", "小船")
        await store.register([WORDS])
        await store.append(ADA, "s", [said(f"m{seq}", text) for seq, text in texts.items()])
        await store.append(ADA, "s", [said("silent", "boat", role="system"), said("blank", "  ")])
        before = await store.find(ADA, probe)
        assert before.messages.keys() == {1, 2, 3}
        assert before.lexical.frequency == {"red": 1, "blue": 1, "boat": 2, "小船": 1}
        entries = {1: "red boat", 2: "blue boat blue sea", 3: "小船 船在 在海 海上 上"}
        await self.index(store, entries)  # the cursor is still at 0: nothing is counted twice
        assert await store.find(ADA, probe) == before
        await self.derive(store, WORDS, cursor=3)
        assert await store.find(ADA, probe) == before
        await self.derive(store, WORDS, cursor=5)
        await store.append(ADA, "s", [said("m6", "another blue boat")])
        later = await store.find(ADA, probe)
        assert later.messages.keys() == {1, 2, 3, 6}
        assert later.lexical.documents == before.lexical.documents + 1
        assert (await words(store, ["blue"])).frequency == {"blue": 1}  # without a step, the index alone

    async def test_a_new_version_of_the_index_reads_the_old_one_meanwhile(self, store: Store) -> None:
        await self.add(store, "a", "b")
        await self.index(store, {1: "red", 2: "red"})
        await self.derive(store, WORDS, cursor=2)
        newer = Step(WORDS.name, "2")
        await store.register([newer])
        found = await store.find(ADA, Probe(["red", "b"], step=newer))
        assert (found.lexical.documents, found.lexical.frequency) == (2, {"red": 2, "b": 0})

    async def test_only_what_matches_is_a_candidate_and_the_statistics_are_of_all(self, store: Store) -> None:
        await store.register([WORDS])
        await store.append(ADA, "s", [said("a", "red"), said("b", "red", role="assistant"), said("c", "red")])
        await self.embed(store, {seq: [unit(1, seq)] for seq in (1, 2, 3)})
        for indexed in (False, True):
            found = await store.find(ADA, self._probe("red", where=Filter(roles=("assistant",))))
            assert found.messages.keys() == {2} == found.words.keys() == found.dense.hits.keys(), indexed
            assert list(found.standing.seqs) == [1, 2, 3]
            assert (found.lexical.documents, found.dense.scanned) == (3, 3)
            if not indexed:
                await self.index(store, {1: "red", 2: "red", 3: "red"})
                await self.derive(store, WORDS, cursor=3)

    async def test_a_path_that_was_left_does_not_come_back(self, store: Store) -> None:
        await store.register([WORDS])
        await self.add(store, "a", "b", "c")
        await self.embed(store, {seq: [unit(1, seq)] for seq in (1, 2, 3)})
        probe = self._probe("a", "b", "c", "d")
        assert (await store.find(ADA, probe)).messages.keys() == {1, 2, 3}
        await self.add(store, "d", after="a")
        found = await store.find(ADA, probe)
        assert found.messages.keys() == {1, 4}
        assert list(found.standing.seqs) == [1, 4]
        everything = await store.find(ADA, self._probe("a", "b", "c", "d", where=Filter(active=None)))
        assert everything.messages.keys() == {1, 2, 3, 4}
        assert [m.active for _, m in sorted(everything.messages.items())] == [True, False, False, True]
        await store.update_session(ADA, "s", at=at(9), head="c")
        assert (await store.find(ADA, probe)).messages.keys() == {1, 2, 3}

    async def test_nobody_else_s_words_and_nothing_after_an_erasure(self, store: Store, tmp_path: Path) -> None:
        handles = [store, *([await self.open(tmp_path)] if self.durable else [])]
        try:
            await store.register([WORDS])
            probe = self._probe("red", "b*")
            for scope in (ADA, BOB):
                await store.append(scope, "s", [said("a", "red"), said("b", "red boat"), said("c", "blue")])
                await self.index(store, {1: "red", 2: "red boat"}, scope)
            for handle in handles:
                assert (await handle.find(ADA, probe)).messages.keys() == {1, 2, 3}
            await store.forget(ADA, message_ids=["b"])
            for handle in handles:
                found = await handle.find(ADA, probe)
                assert {seq: (m.id, m.parent_id) for seq, m in found.messages.items()} == {
                    1: ("a", None),
                    3: ("c", "a"),
                }
                assert (found.lexical.documents, found.lexical.frequency) == (2, {"red": 1, "b*": 1})
            await store.forget(ADA, everything=True)
            for handle in handles:
                assert await handle.find(ADA, probe) == Found()
                assert (await handle.find(BOB, probe)).messages.keys() == {1, 2, 3}
        finally:
            for handle in handles[1:]:
                await handle.close()
