"""The two indexes, full text and vectors, and the derived records."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from jiyi.errors import InvalidInput
from jiyi.ports import Store
from jiyi.testing.store.case import (
    ADA,
    BOB,
    MEANING,
    WORDS,
    StoreCase,
    at,
    meaning,
    record,
    words,
)
from jiyi.types import Changes, Dense, Embedded, Indexed, Lexical, Step, Vector

NEAR = 0.002
"""How far a cosine may be from the exact one (``Store.dense``)."""

ROUGH = 0.01
"""The same for mean and deviation: they come from all vectors, which a store may look at in fewer bits."""


def unit(*values: float) -> list[float]:
    """These values as a vector of length 1."""
    length = math.sqrt(sum(value * value for value in values))
    return [value / length for value in values]


def dot(one: Vector, other: Vector) -> float:
    """The cosine of two unit vectors."""
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


def close(found: Dense, expected: dict[int, float]) -> bool:
    """Whether the hits are these, within ``NEAR``."""
    return found.hits.keys() == expected.keys() and all(
        abs(found.hits[seq] - cosine) <= NEAR for seq, cosine in expected.items()
    )


class Words(StoreCase):
    """``lexical``."""

    async def _apples(self, store: Store) -> None:
        await self.add(store, "a", "b", "c", "d", "e")
        texts = {1: "red apple apple", 2: "green apple", 3: "red red red car", 4: "apricot", 5: ""}
        await self.index(store, texts)

    async def test_statistics_and_hits(self, store: Store) -> None:
        await self._apples(store)
        assert await words(store, ["apple", "red", "blue"]) == Lexical(
            documents=5,
            mean_length=10 / 5,
            frequency={"apple": 2, "red": 2, "blue": 0},
            hits={1: (3, {"apple": 2, "red": 1}), 2: (2, {"apple": 1}), 3: (4, {"red": 3})},
        )

    async def test_a_term_with_a_star_stands_for_all_that_begin_with_it(self, store: Store) -> None:
        await self._apples(store)
        found = await words(store, ["ap*", "apple", "zzz*"])
        assert found.frequency == {"ap*": 3, "apple": 2, "zzz*": 0}
        assert found.hits == {
            1: (3, {"ap*": 2, "apple": 2}), 2: (2, {"ap*": 1, "apple": 1}), 4: (1, {"ap*": 1})
        }  # fmt: skip
        everything = await words(store, ["*"])
        assert everything.frequency == {"*": 4}  # a message without terms has none that begins with anything
        assert everything.hits[3] == (4, {"*": 4})

    async def test_no_terms_no_hits_but_the_statistics(self, store: Store) -> None:
        await self._apples(store)
        assert await words(store, []) == Lexical(5, 2.0, {}, {})
        assert await words(store, [""]) == Lexical(5, 2.0, {}, {})
        assert await words(store, ["apple"], scope=BOB) == Lexical()

    async def test_a_term_asked_twice_counts_once(self, store: Store) -> None:
        await self._apples(store)
        assert await words(store, ["red", "red"]) == await words(store, ["red"])

    async def test_the_limit_keeps_those_with_the_rarest_terms(self, store: Store) -> None:
        names = [f"m{i}" for i in range(1, 21)]
        await self.add(store, *names)
        await self.index(store, {seq: "common" + (" rare" if seq in (13, 17) else "") for seq in range(1, 21)})
        found = await words(store, ["common", "rare"], limit=5)
        assert found.frequency == {"common": 20, "rare": 2}
        assert sorted(found.hits) == [13, 17, 18, 19, 20]  # of a term that not all fit of, the newest
        assert found.hits[13] == (2, {"common": 1, "rare": 1})
        assert (await words(store, ["common", "rare"], limit=0)).hits == {}
        assert sorted((await words(store, ["common"], limit=2)).hits) == [19, 20]
        assert sorted((await words(store, ["com*"], limit=2)).hits) == [19, 20]

    async def test_chosen_messages_with_the_statistics_of_all(self, store: Store) -> None:
        await self._apples(store)
        for terms in (["apple", "red", "blue"], ["ap*", "apple"], ["*"], []):
            whole = await words(store, terms)
            for chosen in ([], [2], [3, 1, 3], [5, 4, 77, 0, -1, 2**40], [1, 2, 3, 4, 5]):
                hits = {seq: hit for seq, hit in whole.hits.items() if seq in chosen}
                assert await words(store, terms, seqs=chosen) == replace(whole, hits=hits), (terms, chosen)
        assert await words(store, ["apple"], seqs=[1], scope=BOB) == Lexical()

    async def test_the_limit_counts_chosen_messages_only(self, store: Store) -> None:
        await self.add(store, *(f"m{i}" for i in range(1, 21)))
        await self.index(store, {seq: "common" + (" rare" if seq in (13, 17) else "") for seq in range(1, 21)})
        found = await words(store, ["common", "rare"], limit=3, seqs=[1, 2, 3, 4, 13])
        assert found.frequency == {"common": 20, "rare": 2}
        assert found.hits == {3: (1, {"common": 1}), 4: (1, {"common": 1}), 13: (2, {"common": 1, "rare": 1})}

    async def test_terms_are_exact(self, store: Store) -> None:
        await self.add(store, "a", "b", "c", "d")
        await self.index(store, {1: "it", 2: "IT", 3: "café", 4: "cafe\u0301"})
        for term, seq in (("it", 1), ("IT", 2), ("café", 3), ("cafe\u0301", 4)):
            assert list((await words(store, [term])).hits) == [seq]
        assert (await words(store, ["It", "cafe"])).hits == {}
        assert sorted((await words(store, ["caf*"])).hits) == [3, 4]

    async def test_an_entry_replaces_that_of_the_same_message(self, store: Store) -> None:
        await self._apples(store)
        await self.index(store, {1: "blue"})
        found = await words(store, ["apple", "blue"])
        assert (found.documents, found.mean_length) == (5, 8 / 5)
        assert found.frequency == {"apple": 1, "blue": 1}
        assert found.hits == {1: (1, {"blue": 1}), 2: (2, {"apple": 1})}

    async def test_long_and_frequent_terms(self, store: Store) -> None:
        await self.add(store, "a", "b")
        long = "x" * 5000
        entries = (Indexed(1, {long: 2, "often": 700}), Indexed(2, {long + "y": 1}))
        await self.derive(store, WORDS, index=entries)
        found = await words(store, [long, "often", long + "y"])
        assert found.hits == {1: (702, {long: 2, "often": 700}), 2: (1, {long + "y": 1})}
        assert (found.documents, found.mean_length) == (2, 703 / 2)
        assert sorted((await words(store, ["xxx*"])).hits) == [1, 2]

    async def test_many_terms(self, store: Store) -> None:
        await self.add(store, "a")
        terms = [f"w{i}" for i in range(5000)]
        await self.index(store, {1: " ".join(terms)})
        found = await words(store, terms)
        assert found.hits[1] == (5000, dict.fromkeys(terms, 1))
        assert len(found.frequency) == 5000


class Meaning(StoreCase):
    """``dense`` and ``models``."""

    async def test_cosines_best_first(self, store: Store) -> None:
        await self.add(store, "a", "b", "c", "d")
        vectors = {1: unit(1, 0, 0), 2: unit(0, 1, 0), 3: unit(-1, 0.1, 0), 4: unit(3, 4, 0)}
        await self.embed(store, {seq: [vector] for seq, vector in vectors.items()})
        query = unit(1, 0, 0)
        found = await meaning(store, query)
        cosines = {seq: dot(query, vector) for seq, vector in vectors.items()}
        assert close(found, cosines)
        assert list(found.hits) == [1, 4, 2, 3]
        assert found.scanned == 4
        mean = sum(cosines.values()) / 4
        assert found.mean == pytest.approx(mean, abs=ROUGH)
        deviation = math.sqrt(sum((value - mean) ** 2 for value in cosines.values()) / 4)
        assert found.deviation == pytest.approx(deviation, abs=ROUGH)

    async def test_the_best_chunk_counts(self, store: Store) -> None:
        await self.add(store, "a", "b")
        await self.embed(store, {1: [unit(0, 1), unit(1, 0), unit(-1, 0)], 2: [unit(1, 1)]})
        found = await meaning(store, unit(1, 0))
        assert close(found, {1: 1.0, 2: math.sqrt(0.5)})
        assert found.scanned == 2
        assert found.mean == pytest.approx((1 + math.sqrt(0.5)) / 2, abs=ROUGH)
        assert await store.models(ADA) == {"m": (2, 4)}

    async def test_the_limit_and_chosen_messages(self, store: Store) -> None:
        await self.add(store, *"abcd")
        angles = {1: 0.1, 2: 0.4, 3: 0.2, 4: 0.3}
        await self.embed(store, {seq: [[math.cos(a), math.sin(a)]] for seq, a in angles.items()})
        query = [1.0, 0.0]
        whole = await meaning(store, query)
        assert list((await meaning(store, query, limit=2)).hits) == [1, 3]
        assert (await meaning(store, query, limit=0)).hits == {}
        for seqs in ([2, 4], [4, 2, 4], [2, 4, 77, 0, -1, 2**40]):
            found = await meaning(store, query, limit=1, seqs=seqs)
            assert close(found, {2: math.cos(0.4), 4: math.cos(0.3)})
            assert (found.scanned, found.mean, found.deviation) == (4, whole.mean, whole.deviation)
        assert (await meaning(store, query, seqs=[])).hits == {}

    async def test_equal_cosines_in_seq_order(self, store: Store) -> None:
        await self.add(store, *"abcdef")
        await self.embed(store, {seq: [unit(1, 1)] for seq in (6, 2, 4, 1, 3, 5)})
        assert list((await meaning(store, [1.0, 0.0])).hits) == [1, 2, 3, 4, 5, 6]
        assert list((await meaning(store, [1.0, 0.0], limit=3)).hits) == [1, 2, 3]

    async def test_two_models_side_by_side(self, store: Store) -> None:
        await self.add(store, "a", "b")
        await self.embed(store, {1: [unit(1, 0)], 2: [unit(0, 1)]}, model="one")
        await self.embed(store, {1: [unit(0, 0, 1)]}, model="two")
        assert close(await meaning(store, model="one", query=[1.0, 0.0]), {1: 1, 2: 0})
        assert close(await meaning(store, model="two", query=[0.0, 0.0, 1.0]), {1: 1})
        assert await meaning(store, model="on", query=[1.0, 0.0]) == Dense()
        assert await store.models() == {"one": (2, 2), "two": (3, 1)}
        await store.reset([Step("dense:one", "1")])
        assert await store.models() == {"two": (3, 1)}
        assert close(await meaning(store, model="two", query=[0.0, 0.0, 1.0]), {1: 1})

    async def test_vectors_replace_those_of_the_same_message(self, store: Store) -> None:
        await self.add(store, "a", "b")
        await self.embed(store, {1: [unit(1, 0), unit(0, 1)], 2: [unit(0, 1)]})
        await self.embed(store, {1: [unit(-1, 0)]})
        assert close(await meaning(store, [1.0, 0.0]), {1: -1, 2: 0})
        assert await store.models() == {"m": (2, 2)}

    async def test_nothing_embedded(self, store: Store) -> None:
        assert await meaning(store, [1.0, 0.0]) == Dense()
        await self.add(store, "a")
        assert await meaning(store, [1.0, 0.0], seqs=[1]) == Dense()
        assert await store.models() == {} == await store.models(ADA)

    async def test_other_dimensions_are_an_error(self, store: Store) -> None:
        await self.add(store, "a", "b")
        await self.embed(store, {1: [unit(1, 0)]})
        with pytest.raises(InvalidInput):
            await meaning(store, [1.0, 0.0, 0.0])
        for wrong in ([1.0], [], [1.0, 0.0, 0.0]):
            claim = await self.claimed(store, MEANING)
            vectors = (Embedded(2, 0, unit(0, 1)), Embedded(2, 1, wrong))
            with pytest.raises(InvalidInput):
                changes = Changes(cursor=2, put=(record("r", "a"),), index=(Indexed(1, {"x": 1}),), vectors=vectors)
                await store.commit(claim, changes, now=at(1000))
            await store.release(claim, error=None, due=at(1000))
        assert close(await meaning(store, [1.0, 0.0]), {1: 1})
        assert await store.records(ADA) == []
        assert (await words(store, ["x"])).documents == 0

    @pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, 1e200])
    async def test_a_component_that_is_no_number_is_an_error(self, store: Store, wrong: float) -> None:
        await self.add(store, "a", "b", "c")
        await self.embed(store, {1: [unit(1, 0)]})
        vectors = (Embedded(2, 0, unit(0, 1)), Embedded(3, 0, unit(1, 1)), Embedded(3, 1, [0.5, wrong]))
        claim = await self.claimed(store, MEANING)
        with pytest.raises(InvalidInput, match="3"):
            await store.commit(claim, Changes(cursor=3, put=(record("r", "a"),), vectors=vectors), now=at(1000))
        assert (await store.records(ADA), await store.cursors(ADA, [MEANING])) == ([], {"dense:m": 0})
        assert close(await meaning(store, [1.0, 0.0]), {1: 1})
        await store.commit(claim, Changes(cursor=3, vectors=vectors[:2]), now=at(1000))
        assert close(await meaning(store, [1.0, 0.0]), {1: 1, 2: 0, 3: math.sqrt(0.5)})

    @pytest.mark.parametrize("number", [40, 1200])
    async def test_many_vectors_exactly(self, store: Store, number: int) -> None:
        dice, size = random.Random(number), 16
        await self.add(store, *(f"m{i}" for i in range(number)))
        vectors: dict[int, Sequence[Sequence[float]]] = {
            seq: [unit(*(dice.gauss(0, 1) for _ in range(size))) for _ in range(dice.choice((1, 1, 2)))]
            for seq in range(1, number + 1)
        }
        for start in range(1, number + 1, 300):  # in several commits
            await self.embed(store, {seq: vectors[seq] for seq in range(start, min(start + 300, number + 1))})
        query = unit(*(dice.gauss(0, 1) for _ in range(size)))
        cosines = {seq: max(dot(query, chunk) for chunk in chunks) for seq, chunks in vectors.items()}
        found = await meaning(store, query, limit=number)
        assert close(found, cosines)
        assert list(found.hits.values()) == sorted(found.hits.values(), reverse=True)
        best = sorted(cosines, key=lambda seq: -cosines[seq])
        assert set(best[:15]) <= set((await meaning(store, query, limit=20)).hits)
        assert found.scanned == number
        assert found.mean == pytest.approx(sum(cosines.values()) / number, abs=ROUGH)
        chosen = dice.sample(sorted(vectors), 30)
        assert close(await meaning(store, query, seqs=chosen), {seq: cosines[seq] for seq in chosen})
