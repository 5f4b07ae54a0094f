"""``find_records``: what was derived, found by words and by meaning, apart from the messages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jiyi.bm25 import bm25
from jiyi.indexable import FINDS, record_entry
from jiyi.ports import Store
from jiyi.testing.store.case import ADA, BOB, MEANING, NOTES, StoreCase, at, ids, record
from jiyi.testing.store.index import NEAR, unit
from jiyi.types import Changes, Embedded, FoundRecords, Lexical, Record, RecordProbe, Scope, Step

VECTORS = Step("records:m", "1")


def told(record_id: str, text: str, *source_ids: str, **more: Any) -> Record:
    """A record with a text of its own."""
    return replace(record(record_id, *source_ids, **more), text=text)


def names(found: FoundRecords) -> set[str]:
    """Ids of the candidates."""
    return {record.id for record in found.records.values()}


class RecordLook(StoreCase):
    """``find_records``."""

    async def _told(self, store: Store, *more: Record) -> None:
        await self.add(store, "a", "b")
        await self.note(
            store,
            told("r1", "the budget is 500 yuan", "a", kind="fact"),
            told("r2", "预算是五百元", "b", kind="fact", when=1),
            told("r3", "likes red boats", "a", "b", when=2),
            told("r4", " ", "a", when=3),
            *more,
        )

    async def test_by_words_at_once_with_statistics_of_records_alone(self, store: Store) -> None:
        await self._told(store)
        await self.index(store, {1: "budget budget", 2: "budget"})
        terms = ["budget", "boat", "预算", "ab*"]
        found = await store.find_records(ADA, RecordProbe(terms))
        assert names(found) == {"r1", "r2", "r3"}
        entries = [record_entry(record) for record in found.records.values()]
        length = sum(entry.length for entry in entries)
        expected = {
            entry.seq: (entry.length, {term: entry.terms[term] for term in terms if term in entry.terms})
            for entry in entries
        }
        frequency = {"budget": 1, "boat": 1, "预算": 1, "ab*": 0}
        assert found.lexical == Lexical(3, length / 3, frequency, expected)
        assert found.words == bm25(found.lexical, terms)
        assert (found.dense.hits, found.near) == ({}, {})
        assert await store.find_records(BOB, RecordProbe(terms)) == FoundRecords()

    async def test_by_words_beside_its_text(self, store: Store) -> None:
        await self._told(store, replace(told("r5", "started at Alder", "a", kind="fact"), data={FINDS: "garden"}))
        assert names(await store.find_records(ADA, RecordProbe(["garden"]))) == {"r5"}
        await self.note(store, replace(told("r5", "started at Alder", "a", kind="fact"), data={FINDS: "river"}))
        assert names(await store.find_records(ADA, RecordProbe(["garden"]))) == set()
        assert names(await store.find_records(ADA, RecordProbe(["river"]))) == {"r5"}

    async def test_candidates_are_whole_records(self, store: Store) -> None:
        await self._told(store)
        for one in await store.records(ADA):
            if one.text.strip():
                assert one in (await store.find_records(ADA, RecordProbe(["budget", "boat", "预算"]))).records.values()

    async def test_no_terms_no_hits_but_the_statistics(self, store: Store) -> None:
        await self._told(store)
        for terms in ([], [""], ["nowhere"]):
            found = await store.find_records(ADA, RecordProbe(terms))
            assert (found.records, found.lexical.documents) == ({}, 3)

    async def test_a_term_with_a_star(self, store: Store) -> None:
        await self._told(store)
        assert names(await store.find_records(ADA, RecordProbe(["预*"]))) == {"r2"}
        assert names(await store.find_records(ADA, RecordProbe(["b*"]))) == {"r1", "r3"}

    async def test_only_what_matches_is_a_candidate_and_the_statistics_are_of_all(self, store: Store) -> None:
        await self._told(
            store,
            told("r5", "the old budget", "a", kind="fact", when=5, closed_at=at(50)),
            told("r6", "a budget summary", "a", kind="summary", when=90),
        )
        terms = ["budget"]
        every = {"r1", "r5", "r6"}
        cases: list[tuple[dict[str, Any], set[str]]] = [
            ({}, {"r1", "r6"}),
            ({"current": None}, every),
            ({"current": False}, {"r5"}),
            ({"kinds": ("fact",)}, {"r1"}),
            ({"kinds": ("fact", "summary"), "current": None}, every),
            ({"kinds": ()}, set()),
            ({"as_of": at(-1)}, set()),
            ({"as_of": at(49)}, {"r1", "r5"}),
            ({"as_of": at(50), "current": False}, {"r1"}),
            ({"as_of": at(90), "kinds": ("summary",)}, {"r6"}),
        ]
        for fields, expected in cases:
            found = await store.find_records(ADA, RecordProbe(terms, **fields))
            assert names(found) == expected, fields
            assert (found.lexical.documents, found.lexical.frequency) == (5, {"budget": 3}), fields

    async def test_the_limits(self, store: Store) -> None:
        await self.add(store, "a")
        await self.note(store, *(told(f"r{n}", "boat " + "sea " * (n % 3), "a", when=n) for n in range(9)))
        assert len((await store.find_records(ADA, RecordProbe(["boat"], best=2))).records) == 2
        assert len((await store.find_records(ADA, RecordProbe(["boat"], postings=4))).words) == 4
        assert (await store.find_records(ADA, RecordProbe(["boat"], best=0))).records == {}

    async def test_closed_replaced_dropped_erased(self, store: Store) -> None:
        await self._told(store)
        probe = RecordProbe(["budget", "boat", "预算", "sea"])
        await self.note(store, close={"r1": at(50)})
        assert names(await store.find_records(ADA, probe)) == {"r2", "r3"}
        await self.note(store, told("r3", "likes the sea", "a"))
        found = await store.find_records(ADA, probe)
        assert found.lexical.frequency == {"budget": 1, "boat": 0, "预算": 1, "sea": 1}
        await store.forget(ADA, message_ids=["b"])
        found = await store.find_records(ADA, probe)
        assert (names(found), found.lexical.documents) == ({"r3"}, 2)
        await store.reset([NOTES])
        assert await store.find_records(ADA, probe) == FoundRecords()

    async def test_what_is_derived_anew_is_seen_when_it_is_done(self, store: Store) -> None:
        await self._told(store)
        await self.derive(store, NOTES, cursor=2)
        await store.rebuild([NOTES])
        probe = RecordProbe(["budget", "green"])
        await self.derive(store, NOTES, cursor=1, put=(told("r1", "a green boat", "a"),))
        assert (await store.find_records(ADA, probe)).lexical.frequency == {"budget": 1, "green": 0}
        await self.derive(store, NOTES, cursor=2)
        found = await store.find_records(ADA, probe)
        assert (found.lexical.documents, found.lexical.frequency) == (1, {"budget": 0, "green": 1})
        assert [record.text for record in found.records.values()] == ["a green boat"]


class RecordVectors(StoreCase):
    """Records by meaning, and the step that works through them."""

    async def _embed_records(self, store: Store, vectors: dict[int, list[float]], scope: Scope = ADA) -> None:
        entries = tuple(Embedded(seq, 0, unit(*vector)) for seq, vector in vectors.items())
        await self.derive(store, VECTORS, scope, vectors=entries, cursor=max(vectors))

    async def _three(self, store: Store) -> None:
        await store.register([VECTORS])
        await self.add(store, "a", "b", "c")
        await self.note(store, told("r1", "red", "a"), told("r2", "green", "b"), told("r3", "blue", "a", "b"))

    async def test_every_text_has_a_seq_in_the_order_of_putting(self, store: Store) -> None:
        await self._three(store)
        await self.note(store, told("r0", " ", "a"), told("r4", "red", "a", closed_at=at(9)))
        found = await store.records_after(ADA, 0, limit=9)
        assert [(one.id, one.seq) for one in found] == [("r1", 1), ("r2", 2), ("r3", 3), ("r4", 4)]
        assert ids(await store.records_after(ADA, 1, limit=2)) == ["r2", "r3"]
        assert await store.records_after(ADA, 4, limit=9) == await store.records_after(BOB, 0, limit=9) == []
        assert {one.id: one.seq for one in await store.records(ADA, current=None)} == {
            "r0": 0, "r1": 1, "r2": 2, "r3": 3, "r4": 4,
        }  # fmt: skip

    async def test_what_says_the_same_keeps_its_seq_and_vector(self, store: Store) -> None:
        await self._three(store)
        await self._embed_records(store, {1: [1, 0], 2: [0, 1], 3: [1, 1]})
        await self.note(store, told("r1", "red", "a", "b", closed_at=at(9)), told("r2", "dark green", "b"))
        seqs = {one.id: one.seq for one in await store.records_after(ADA, 0, limit=9)}
        assert seqs == {"r1": 1, "r3": 3, "r2": 4}
        found = await store.find_records(ADA, RecordProbe(model="m", vector=[1.0, 0.0], current=None))
        assert [found.records[seq].id for seq in found.dense.hits] == ["r1", "r3"]
        assert found.dense.scanned == 2
        await self.note(store, told("r1", "red", "a", said_at=at(99)))  # the date is a part of what is indexed
        assert [one.id for one in await store.records_after(ADA, 4, limit=9)] == ["r1"]

    async def test_by_meaning_with_what_was_best_by_words(self, store: Store) -> None:
        await self._three(store)
        vectors = {1: [1.0, 0.0], 2: [0.0, 1.0], 3: [1.0, 1.0]}
        await self._embed_records(store, vectors)
        await self.embed(store, {1: [unit(1, 0)], 2: [unit(1, 0)]})  # messages of the same seqs
        found = await store.find_records(ADA, RecordProbe(["green"], "m", [1.0, 0.0], best=1))
        assert {seq: one.id for seq, one in found.records.items()} == {1: "r1", 2: "r2"}
        assert list(found.dense.hits) == [1] and abs(found.dense.hits[1] - 1) <= NEAR
        assert found.near.keys() == {2} and abs(found.near[2]) <= NEAR
        assert (found.dense.scanned, found.words.keys()) == (3, {2})
        assert names(await store.find_records(ADA, RecordProbe(model="m", vector=[1.0, 0.0], kinds=("fact",)))) == set()
        for other in (RecordProbe(model="n", vector=[1.0, 0.0]), RecordProbe(model="m")):
            assert (await store.find_records(ADA, other)).records == {}
        assert (await store.models(ADA), (await store.stats(ADA)).vectors) == ({"m": (2, 5)}, 5)

    async def test_the_step_works_through_records_and_not_through_the_log(self, store: Store) -> None:
        await store.register([VECTORS, MEANING])
        await self.add(store, "a", "b")
        assert await self.idle(store, VECTORS)
        assert (await store.progress([VECTORS]))[0].total == 0
        await self.note(store, told("r1", "red", "a"), told("r2", "", "a"), told("r3", "blue", "b"))
        claim = await self.claimed(store, VECTORS)
        assert (claim.after, claim.head, claim.upto) == (0, 2, None)
        await store.release(claim, error=None, due=at(0))
        await self._embed_records(store, {1: [1, 0]})
        progress = (await store.progress([VECTORS], ADA))[0]
        assert (progress.done, progress.total) == (1, 2)
        await self._embed_records(store, {2: [0, 1]})
        progress = (await store.progress([VECTORS]))[0]
        assert (progress.done, progress.total) == (2, 2)
        assert await self.idle(store, VECTORS)
        await self.add(store, "c", "d", "e")
        await self.note(store, told("r1", "red", "b"))
        assert await self.idle(store, VECTORS)
        await self.note(store, told("r1", "dark red", "b"))
        claim = await self.claimed(store, VECTORS)
        assert (claim.after, claim.head) == (2, 3)
        assert (await store.cursors(ADA, [VECTORS])) == {"records:m": 2}

    async def test_a_step_that_comes_later_has_all_records_before_it(self, store: Store) -> None:
        await self._three(store)
        await self.derive(store, VECTORS, cursor=3)
        other = Step("records:n", "1")
        await store.register([other])
        assert (await self.claimed(store, other)).head == 3
        await store.rebuild([VECTORS])
        claim = await self.claimed(store, VECTORS)
        assert (claim.after, claim.head) == (0, 3)

    async def test_vectors_go_with_their_record(self, store: Store) -> None:
        await self._three(store)
        await self.embed(store, {seq: [unit(1, 0)] for seq in (1, 2, 3)})
        await self._embed_records(store, {1: [1, 0], 2: [0, 1], 3: [1, 1]})
        erased = await store.forget(ADA, message_ids=["b"])
        assert (erased.records, erased.vectors) == (2, 3)
        probe = RecordProbe(model="m", vector=[1.0, 0.0])
        assert names(await store.find_records(ADA, probe)) == {"r1"}
        assert await store.models(ADA) == {"m": (2, 3)}
        await self.note(store, drop=("r1",))
        assert (await store.find_records(ADA, probe)) == FoundRecords()
        assert await store.models(ADA) == {"m": (2, 2)}
        await self.note(store, told("r5", "black", "a", session_id="s"))
        await self._embed_records(store, {4: [1, 0]})
        erased = await store.forget(ADA, session_id="s")
        assert (erased.records, erased.vectors) == (1, 3)
        assert await store.models() == {}

    async def test_what_was_put_again_meanwhile_gets_no_old_vector(self, store: Store) -> None:
        await self._three(store)
        claim = await self.claimed(store, VECTORS)
        await self.note(store, told("r1", "crimson", "a"), drop=("r2",))
        vectors = tuple(Embedded(seq, 0, unit(1, seq)) for seq in (1, 2, 3))
        await store.commit(claim, Changes(cursor=3, vectors=vectors), now=at(1000))
        found = await store.find_records(ADA, RecordProbe(model="m", vector=[1.0, 0.0]))
        assert (names(found), found.dense.scanned) == ({"r3"}, 1)
        claim = await self.claimed(store, VECTORS)
        assert (claim.after, claim.head) == (3, 4)

    async def test_resetting_the_step_leaves_messages_their_vectors(self, store: Store) -> None:
        await self._three(store)
        await self.embed(store, {1: [unit(1, 0)]})
        await self._embed_records(store, {1: [1, 0], 2: [0, 1]})
        await store.reset([VECTORS])
        assert await store.models() == {"m": (2, 1)}
        assert await store.cursors(ADA, [VECTORS]) == {VECTORS.name: 0}
        await self._embed_records(store, {1: [1, 0, 0]})  # other dimensions
        await store.reset([Step("dense:m", "1")])
        assert await store.models() == {"m": (3, 1)}

    async def test_records_made_anew_have_vectors_before_they_are_seen(self, store: Store) -> None:
        await self._three(store)
        await self.derive(store, NOTES, cursor=3)
        await self._embed_records(store, {1: [1, 0], 2: [1, 0], 3: [1, 0]})
        await store.rebuild([NOTES])
        await self.derive(store, NOTES, cursor=2, put=(told("r1", "red", "a"), told("r9", "grey", "a")))
        assert [(one.id, one.seq) for one in await store.records_after(ADA, 3, limit=9)] == [("r1", 4), ("r9", 5)]
        await self._embed_records(store, {4: [0, 1], 5: [0, 1]})
        probe = RecordProbe(model="m", vector=[0.0, 1.0])
        assert names(await store.find_records(ADA, probe)) == {"r1", "r2", "r3"}
        await self.derive(store, NOTES, cursor=3)
        found = await store.find_records(ADA, probe)
        assert {one.id: one.seq for one in found.records.values()} == {"r1": 4, "r9": 5}
        assert found.dense.scanned == 2
        await store.rebuild([NOTES])
        await self.derive(store, NOTES, cursor=1, put=(told("r7", "pink", "a"),))
        await self._embed_records(store, {6: [0, 1]})
        await store.rebuild([NOTES])  # what it has made so far goes
        assert await store.models() == {"m": (2, 2)}

    async def test_nobody_else_s_records(self, store: Store) -> None:
        await self._three(store)
        await self.add(store, "x", scope=BOB)
        await self.note(store, told("r1", "red", "x"), scope=BOB)
        await self._embed_records(store, {1: [1, 0]}, BOB)
        await self._embed_records(store, {2: [1, 0]})
        probe = RecordProbe(["red"], "m", [1.0, 0.0])
        found = await store.find_records(BOB, probe)
        assert {seq: one.sources[0].message_id for seq, one in found.records.items()} == {1: "x"}
        await store.forget(BOB, everything=True)
        assert await store.find_records(BOB, probe) == FoundRecords()
        assert names(await store.find_records(ADA, probe)) == {"r1", "r2"}
        assert await store.models() == {"m": (2, 1)}
