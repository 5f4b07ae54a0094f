"""``find_records``: what was derived, found by words and by meaning, apart from the messages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jiyi.bm25 import bm25
from jiyi.indexable import record_entry
from jiyi.ports import Store
from jiyi.testing.store.case import ADA, BOB, NOTES, StoreCase, at, record
from jiyi.types import FoundRecords, Lexical, Record, RecordProbe


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
        entries = [record_entry(record, number) for number, record in found.records.items()]
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
