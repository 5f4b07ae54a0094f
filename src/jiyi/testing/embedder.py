"""The suite that every embedder passes."""

from __future__ import annotations

import asyncio
import math
import time

import pytest

from jiyi.ports import Embedder
from jiyi.types import Vector

TEXTS = [
    "The gift is for my niece, who is in first grade; the budget is 500.",
    "礼物是给我上一年级的侄女的，预算五百块。",
    "I moved to Lisbon last week.",
    "def add(a, b):\n    return a + b",
    "👩‍👩‍👧‍👦 🎁 🎉",
    "ok",
    "",
    " \n\t",
    "مرحبا بالعالم",
    "e\u0301te\u0301",
    "a" * 3000,
]

SAME = 0.9999
"""Cosine from which two vectors are the same: arithmetic in batches differs in the last digits."""


def cosine(one: Vector, other: Vector) -> float:
    """The cosine of two vectors of the same length."""
    product = math.fsum(float(a) * float(b) for a, b in zip(one, other, strict=True))
    return product / (length(one) * length(other))


def length(vector: Vector) -> float:
    """Euclidean."""
    return math.sqrt(math.fsum(float(value) ** 2 for value in vector))


class EmbedderConformance:
    """Subclass it, and give ``embedder``::

        class TestHashing(EmbedderConformance):
            def embedder(self):
                return HashingEmbedder()

    Attributes:
        semantic: it understands text, so that a paraphrase is nearer than something else.
    """

    semantic = True

    def embedder(self) -> Embedder:
        """The embedder under test."""
        raise NotImplementedError

    async def test_it_has_a_name_and_a_size(self) -> None:
        embedder = self.embedder()
        assert isinstance(embedder.name, str) and embedder.name.strip() == embedder.name != ""
        assert isinstance(embedder.size, int) and embedder.size >= 0
        (vector,) = await embedder.embed(["ok"])
        assert embedder.size == len(vector) > 0
        assert self.embedder().name == embedder.name and self.embedder().size in (0, embedder.size)

    async def test_one_unit_vector_for_each_text_in_order(self) -> None:
        embedder = self.embedder()
        vectors = await embedder.embed(TEXTS)
        assert len(vectors) == len(TEXTS)
        for text, vector in zip(TEXTS, vectors, strict=True):
            assert len(vector) == embedder.size
            assert all(math.isfinite(float(value)) for value in vector)
            assert length(vector) == pytest.approx(1, abs=1e-3), text
        for vector, alone in zip(vectors[:5], [await embedder.embed([text]) for text in TEXTS[:5]], strict=True):
            assert cosine(vector, alone[0]) >= SAME

    async def test_no_texts_no_vectors(self) -> None:
        assert len(await self.embedder().embed([])) == 0

    async def test_a_text_has_one_vector_whatever_stands_beside_it(self) -> None:
        embedder = self.embedder()
        for others in ([TEXTS[1]], TEXTS[5:], [TEXTS[10]] * 3, [TEXTS[0]]):
            first = (await embedder.embed([TEXTS[0], *others]))[0]
            last = (await embedder.embed([*others, TEXTS[0]]))[-1]
            assert cosine(first, last) >= SAME
            assert cosine(first, (await self.embedder().embed([TEXTS[0]]))[0]) >= SAME

    async def test_a_question_is_a_unit_vector_of_the_same_space(self) -> None:
        embedder = self.embedder()
        for text in TEXTS:
            vector = await embedder.embed_query(text)
            assert len(vector) == embedder.size
            assert length(vector) == pytest.approx(1, abs=1e-3), text
            assert cosine(vector, await embedder.embed_query(text)) >= SAME

    async def test_a_question_finds_the_same_words(self) -> None:
        embedder = self.embedder()
        passages = await embedder.embed(TEXTS[:4])
        for at, text in enumerate(TEXTS[:4]):
            query = await embedder.embed_query(text)
            cosines = [cosine(query, passage) for passage in passages]
            assert cosines.index(max(cosines)) == at

    async def test_a_paraphrase_is_nearer_than_something_else(self) -> None:
        if not self.semantic:
            pytest.skip("this embedder compares words, not meaning")
        embedder = self.embedder()
        for question, paraphrase, other in (
            ("Where does she live now?", "I relocated to Portugal's capital.", "The cat sleeps."),
            ("她现在住在哪里？", "我去年搬到了里斯本。", "猫睡着了。"),
        ):
            query = await embedder.embed_query(question)
            near, far = await embedder.embed([paraphrase, other])
            assert cosine(query, near) > cosine(query, far)

    async def test_many_at_once(self) -> None:
        embedder = self.embedder()
        expected = await embedder.embed(TEXTS[:4])
        found = await asyncio.gather(*(embedder.embed([text]) for text in TEXTS[:4] * 3))
        for at, vectors in enumerate(found):
            assert cosine(vectors[0], expected[at % 4]) >= SAME

    async def test_a_short_text_is_one_piece(self) -> None:
        for text in (TEXTS[0], TEXTS[1], TEXTS[2], "ok"):
            assert list(self.embedder().split(text)) == [text]

    @pytest.mark.parametrize(
        "unit", ["The parcel number {} is in Rotterdam today. ", "第{}个包裹今天在鹿特丹。", "{}x🎁"]
    )
    async def test_a_long_text_is_cut_into_pieces_that_hold_all_of_it(self, unit: str) -> None:
        embedder = self.embedder()
        text = "".join(unit.format(number) for number in range(1000, 1200))
        pieces = list(embedder.split(text))
        assert pieces == list(embedder.split(text))
        assert all(piece.strip() for piece in pieces)
        for number in range(1000, 1200):
            assert any(str(number) in piece for piece in pieces), number
        starts = [text.find(piece.strip()[:40]) for piece in pieces]
        assert starts == sorted(starts) and starts[0] == 0  # in order, and in the text's own words
        assert len(await embedder.embed(pieces[:3])) == len(pieces[:3])

    async def test_odd_texts_are_cut_without_complaint(self) -> None:
        for text in ["", " ", "\n" * 5000, "a" * 20000, "👩‍👩‍👧‍👦" * 2000, "词" * 5000]:
            pieces = list(self.embedder().split(text))
            assert all(isinstance(piece, str) for piece in pieces)
            assert len(await self.embedder().embed(pieces[:2])) == len(pieces[:2])

    async def test_a_huge_text_takes_seconds_not_minutes(self) -> None:
        text = "The quick brown fox jumps over parcel 88-401. " * 8_000
        embedder = self.embedder()
        pieces = list(embedder.split(text))  # an embedder may leave out the middle of so long a text
        assert text.startswith(pieces[0])
        start = time.perf_counter()
        await embedder.embed(pieces)
        await embedder.embed_query(text)
        assert time.perf_counter() - start < 60
