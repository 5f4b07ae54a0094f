"""The suite that every index of vectors elsewhere passes: each sentence of ``VectorIndex`` as a test."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from pathlib import Path
from secrets import token_hex

import pytest

from jiyi.errors import InvalidInput
from jiyi.ports import VectorIndex
from jiyi.types import Embedded, Vector

SIZE = 32
"""Dimensions of the vectors put."""

NEAR = 0.002
"""How far a cosine may be from the exact one."""

MODEL, OTHER = "hashing-32", "openai:BAAI/bge-m3@http://127.0.0.1:11434/v1 中文"


def unit(seed: int, size: int = SIZE) -> list[float]:
    """A unit vector, the same for the same seed."""
    chance = random.Random(seed)
    values = [chance.gauss(0, 1) for _ in range(size)]
    length = math.sqrt(math.fsum(value * value for value in values))
    return [value / length for value in values]


def cosine(one: Vector, other: Vector) -> float:
    """Of two unit vectors."""
    return math.fsum(float(a) * float(b) for a, b in zip(one, other, strict=True))


def between(one: Vector, other: Vector, share: float) -> list[float]:
    """A unit vector on the way from one to another."""
    values = [(1 - share) * float(a) + share * float(b) for a, b in zip(one, other, strict=True)]
    length = math.sqrt(math.fsum(value * value for value in values))
    return [value / length for value in values]


def entries(vectors: Mapping[int, Sequence[Vector]]) -> list[Embedded]:
    """Seq -> vectors of its chunks, as they are put."""
    return [Embedded(seq, at, vector) for seq, chunks in vectors.items() for at, vector in enumerate(chunks)]


def ones(seqs: Iterable[int]) -> list[Embedded]:
    """One vector each, its seed the seq."""
    return entries({seq: [unit(seq)] for seq in seqs})


def exact(vectors: Mapping[int, Sequence[Vector]], query: Vector) -> dict[int, float]:
    """What an exact index finds: best first."""
    found = {seq: max(cosine(query, vector) for vector in chunks) for seq, chunks in vectors.items()}
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


class VectorIndexConformance:
    """Subclass it, and give ``open``::

        class TestMyIndex(VectorIndexConformance):
            async def open(self, path):
                return MyIndex(path / "vectors")

    The tests work in spaces of their own, so the index may hold others.

    Attributes:
        durable: opening the same place again finds what was put.
        sizes: models of different dimensions fit into one place; without it they are refused with ``InvalidInput``.
        many: messages put where thousands are meant; fewer for a server that takes long.
        recall: which share of the ten nearest among them must be found.
    """

    durable = True
    sizes = True
    many = 5000
    recall = 0.9

    async def open(self, path: Path) -> VectorIndex:
        """Opens an index whose files, where it has any, lie in this directory (which exists)."""
        raise NotImplementedError

    @pytest.fixture
    async def index(self, tmp_path: Path) -> AsyncIterator[VectorIndex]:
        """An index, closed after the test."""
        index = await self.open(tmp_path)
        yield index
        await index.close()

    @pytest.fixture
    def space(self) -> str:
        """A space that nobody has used."""
        return token_hex(16)

    async def test_it_has_a_short_name(self, index: VectorIndex) -> None:
        assert isinstance(index.name, str) and index.name.strip() == index.name
        assert 0 < len(index.name) <= 100 and "@" not in index.name

    async def test_what_is_put_is_found_the_nearest_first(self, index: VectorIndex, space: str) -> None:
        vectors = {seq: [unit(seq)] for seq in range(1, 41)}
        await index.put(space, MODEL, entries(vectors))
        for query in (unit(7), unit(1000), between(unit(3), unit(9), 0.4)):
            wanted = exact(vectors, query)
            found = await index.nearest(space, MODEL, query, limit=10)
            assert list(found) == list(wanted)[:10]
            assert found == pytest.approx({seq: wanted[seq] for seq in found}, abs=NEAR)
            assert all(isinstance(seq, int) and isinstance(value, float) for seq, value in found.items())

    async def test_the_limit_is_one_of_messages(self, index: VectorIndex, space: str) -> None:
        close = {seq: [between(unit(0), unit(100 * seq + n), 0.05 * seq) for n in range(9)] for seq in range(1, 8)}
        await index.put(space, MODEL, entries(close))
        wanted = exact(close, unit(0))
        for limit in (1, 2, 5, 7, 50):
            found = await index.nearest(space, MODEL, unit(0), limit=limit)
            assert list(found) == list(wanted)[:limit]
            assert found == pytest.approx({seq: wanted[seq] for seq in found}, abs=NEAR)
        assert await index.nearest(space, MODEL, unit(0), limit=0) == {}

    async def test_a_message_of_many_chunks_hides_nobody(self, index: VectorIndex, space: str) -> None:
        long = [between(unit(0), unit(seed), 0.1) for seed in range(1000, 1300)]
        await index.put(space, MODEL, entries({1: long, 2: [between(unit(0), unit(5), 0.5)], 3: [unit(6)]}))
        assert list(await index.nearest(space, MODEL, unit(0), limit=2)) == [1, 2]

    async def test_of_equals_the_older_comes_first(self, index: VectorIndex, space: str) -> None:
        await index.put(space, MODEL, entries({seq: [unit(1)] for seq in (9, 3, 30, 4)}))
        assert list(await index.nearest(space, MODEL, unit(1), limit=10)) == [3, 4, 9, 30]

    async def test_cosines_of_those_that_are_named(self, index: VectorIndex, space: str) -> None:
        vectors = {seq: [unit(seq), unit(seq + 500)] for seq in range(1, 31)}
        await index.put(space, MODEL, entries(vectors))
        query = unit(77)
        wanted = exact(vectors, query)
        for named in ([3], [29, 4, 17], range(1, 31), {5, 6, 1_000_000}):
            found = await index.cosines(space, MODEL, query, named)
            assert found == pytest.approx({seq: wanted[seq] for seq in named if seq in wanted}, abs=NEAR)

    async def test_opposite_and_equal_vectors(self, index: VectorIndex, space: str) -> None:
        one = unit(1)
        await index.put(space, MODEL, entries({1: [one], 2: [[-value for value in one]]}))
        found = await index.nearest(space, MODEL, one, limit=2)
        assert found == pytest.approx({1: 1.0, 2: -1.0}, abs=NEAR)
        assert await index.cosines(space, MODEL, one, [1, 2]) == pytest.approx(found, abs=NEAR)

    async def test_putting_twice_changes_nothing(self, index: VectorIndex, space: str) -> None:
        vectors = {seq: [unit(seq), unit(-seq)] for seq in range(1, 11)}
        await index.put(space, MODEL, entries(vectors))
        before = await index.nearest(space, MODEL, unit(4), limit=20)
        await index.put(space, MODEL, entries(vectors))
        assert await index.nearest(space, MODEL, unit(4), limit=20) == pytest.approx(before, abs=NEAR)
        await index.drop(space, range(1, 11))
        assert await index.nearest(space, MODEL, unit(4), limit=20) == {}

    async def test_what_is_put_again_takes_the_place_of_all_chunks(self, index: VectorIndex, space: str) -> None:
        await index.put(space, MODEL, entries({1: [unit(1), unit(2), unit(3)], 2: [unit(8)]}))
        await index.put(space, MODEL, entries({1: [unit(4)]}))
        for gone in (1, 2, 3):
            found = await index.cosines(space, MODEL, unit(gone), [1])
            assert found == pytest.approx({1: cosine(unit(gone), unit(4))}, abs=NEAR)
        await index.put(space, MODEL, entries({1: [unit(5), unit(6)], 3: [unit(7)]}))
        assert await index.cosines(space, MODEL, unit(6), [1]) == pytest.approx({1: 1.0}, abs=NEAR)
        assert await index.held(space, MODEL, [1, 2, 3, 4]) == {1, 2, 3}

    async def test_rows_of_numpy_and_arrays_go_in(self, index: VectorIndex, space: str) -> None:
        from array import array

        numpy = pytest.importorskip("numpy")
        row = numpy.array([unit(1), unit(2)], numpy.float32)
        await index.put(space, MODEL, [Embedded(1, 0, row[0]), Embedded(2, 0, array("f", unit(3)))])
        assert await index.cosines(space, MODEL, row[0], [1]) == pytest.approx({1: 1.0}, abs=NEAR)
        assert list(await index.nearest(space, MODEL, array("f", unit(3)), limit=1)) == [2]

    async def test_spaces_never_mix(self, index: VectorIndex, space: str) -> None:
        beside = token_hex(16)
        await index.put(space, MODEL, entries({1: [unit(1)], 2: [unit(2)]}))
        await index.put(beside, MODEL, entries({1: [unit(9)], 5: [unit(1)]}))
        assert set(await index.nearest(space, MODEL, unit(1), limit=10)) == {1, 2}
        assert list(await index.nearest(beside, MODEL, unit(1), limit=1)) == [5]
        assert set(await index.cosines(space, MODEL, unit(1), [1, 5])) == {1}
        assert await index.held(space, MODEL, [1, 2, 5]) == {1, 2}
        await index.drop(space, [1, 5])
        assert await index.held(beside, MODEL, [1, 5]) == {1, 5}
        await index.drop(space, None)
        assert await index.held(space, MODEL, [1, 2]) == set()
        assert await index.held(beside, MODEL, [1, 5]) == {1, 5}
        await index.drop(beside, None)

    async def test_models_never_mix(self, index: VectorIndex, space: str) -> None:
        await index.put(space, MODEL, entries({1: [unit(1)], 2: [unit(2)]}))
        await index.put(space, OTHER, entries({1: [unit(9)], 5: [unit(1)]}))
        assert set(await index.nearest(space, MODEL, unit(1), limit=10)) == {1, 2}
        assert set(await index.cosines(space, OTHER, unit(1), [1, 2, 5])) == {1, 5}
        assert await index.cosines(space, MODEL, unit(1), [1]) == pytest.approx({1: 1.0}, abs=NEAR)
        assert (await index.held(space, MODEL, [1, 2, 5]), await index.held(space, OTHER, [1, 2, 5])) == (
            {1, 2},
            {1, 5},
        )
        await index.drop(space, [1], model=OTHER)
        assert (await index.held(space, MODEL, [1]), await index.held(space, OTHER, [1, 5])) == ({1}, {5})
        await index.drop(space, None, model=OTHER)
        assert (await index.held(space, MODEL, [1, 2]), await index.held(space, OTHER, [5])) == ({1, 2}, set())
        await index.put(space, OTHER, entries({2: [unit(3)]}))
        await index.drop(space, [2])
        assert (await index.held(space, MODEL, [1, 2]), await index.held(space, OTHER, [2])) == ({1}, set())

    async def test_models_of_other_dimensions(self, index: VectorIndex, space: str) -> None:
        await index.put(space, MODEL, ones([1, 2]))
        wide = entries({1: [unit(1, SIZE + 16)]})
        if self.sizes:
            await index.put(space, OTHER, wide)
            found = await index.nearest(space, OTHER, unit(1, SIZE + 16), limit=3)
            assert found == pytest.approx({1: 1.0}, abs=NEAR)
        with pytest.raises(InvalidInput, match="vectors"):
            await index.put(space, MODEL if self.sizes else OTHER, wide)
        assert await index.cosines(space, MODEL, unit(1), [1]) == pytest.approx({1: 1.0}, abs=NEAR)

    async def test_what_is_dropped_is_gone(self, index: VectorIndex, space: str) -> None:
        await index.put(space, MODEL, entries({seq: [unit(seq), unit(-seq)] for seq in range(1, 21)}))
        await index.drop(space, [2, 4, 1_000_000])
        await index.drop(space, [2])
        left = set(range(1, 21)) - {2, 4}
        assert set(await index.nearest(space, MODEL, unit(2), limit=30)) == left
        assert await index.held(space, MODEL, range(1, 31)) == left
        assert set(await index.cosines(space, MODEL, unit(2), [1, 2, 4])) == {1}
        await index.put(space, MODEL, ones([2]))
        assert await index.cosines(space, MODEL, unit(2), [2]) == pytest.approx({2: 1.0}, abs=NEAR)
        await index.drop(space, None)
        assert await index.nearest(space, MODEL, unit(2), limit=30) == {}
        assert await index.held(space, MODEL, range(1, 31)) == set()

    async def test_nothing_is_no_error(self, index: VectorIndex, space: str) -> None:
        assert await index.nearest(space, MODEL, unit(1), limit=5) == {}
        assert await index.cosines(space, MODEL, unit(1), [1, 2]) == {}
        assert await index.held(space, MODEL, [1]) == set()
        await index.drop(space, [1, 2])
        await index.drop(space, None)
        await index.drop(space, None, model=OTHER)
        await index.put(space, MODEL, [])
        await index.put(space, MODEL, ones([1]))
        assert await index.cosines(space, MODEL, unit(1), []) == {}
        assert await index.held(space, MODEL, []) == set()
        await index.drop(space, [])
        assert await index.held(space, MODEL, [1]) == {1}
        assert await index.nearest(space, OTHER, unit(1), limit=5) == {}

    async def test_thousands(self, index: VectorIndex, space: str) -> None:
        vectors = {seq: [unit(seq)] for seq in range(1, self.many + 1)}
        await index.put(space, MODEL, entries(vectors))
        seqs = range(1, self.many + 1)
        assert await index.held(space, MODEL, range(1, self.many + 100)) == set(seqs)
        query = between(unit(self.many // 2), unit(-1), 0.3)
        wanted = exact(vectors, query)
        assert await index.cosines(space, MODEL, query, seqs) == pytest.approx(wanted, abs=NEAR)
        found = await index.nearest(space, MODEL, query, limit=1000)
        assert len(found) == min(1000, self.many)
        assert len({*list(found)[:10]} & {*list(wanted)[:10]}) >= 10 * self.recall
        assert found == pytest.approx({seq: wanted[seq] for seq in found}, abs=NEAR)
        assert list(found.values()) == sorted(found.values(), reverse=True)
        await index.drop(space, range(1, self.many))
        assert await index.held(space, MODEL, seqs) == {self.many}

    async def test_several_tasks_at_once(self, index: VectorIndex, space: str) -> None:
        async def write(part: int) -> None:
            for seq in range(part, 61, 6):
                await index.put(space, MODEL, ones([seq]))
                if seq % 4 == 0:
                    await index.drop(space, [seq])

        async def look() -> None:
            for _ in range(5):
                found = await index.nearest(space, MODEL, unit(1), limit=5)
                assert len(found) <= 5

        await asyncio.gather(*(write(part) for part in range(1, 7)), look(), look())
        left = {seq for seq in range(1, 61) if seq % 4}
        assert await index.held(space, MODEL, range(1, 61)) == left
        assert set(await index.nearest(space, MODEL, unit(1), limit=100)) == left

    async def test_the_loop_is_not_blocked(self, index: VectorIndex, space: str) -> None:
        beats = 0

        async def beat() -> None:
            nonlocal beats
            while True:
                beats += 1
                await asyncio.sleep(0)

        beating = asyncio.ensure_future(beat())
        await index.put(space, MODEL, ones(range(1, 200)))
        await index.nearest(space, MODEL, unit(1), limit=10)
        beating.cancel()
        assert beats > 1

    async def test_a_place_that_is_opened_again_has_it_all(self, space: str, tmp_path: Path) -> None:
        if not self.durable:
            pytest.skip("this index is gone with its process")
        first = await self.open(tmp_path)
        await first.put(space, MODEL, entries({1: [unit(1), unit(2)], 3: [unit(3)]}))
        await first.drop(space, [3])
        await first.close()
        again = await self.open(tmp_path)
        assert again.name == first.name
        assert await again.held(space, MODEL, [1, 2, 3]) == {1}
        assert await again.nearest(space, MODEL, unit(2), limit=5) == pytest.approx({1: 1.0}, abs=NEAR)
        await again.drop(space, None)
        await again.close()

    async def test_closing_twice(self, tmp_path: Path) -> None:
        index = await self.open(tmp_path)
        await index.close()
        await index.close()
