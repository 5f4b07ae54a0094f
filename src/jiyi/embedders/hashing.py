"""Vectors without a model: signed feature hashing of index terms and character trigrams.

Finds shared words and spellings, not meaning; for tests, and where nothing can be installed.  The method: Weinberger
and others, "Feature Hashing for Large Scale Multitask Learning", 2009.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from zlib import crc32

from jiyi.errors import InvalidInput
from jiyi.text import flat, terms
from jiyi.types import Vector

_LONGEST = 20_000  # characters; what comes later hardly turns the vector
_TRIGRAM_WEIGHT = 0.3
_SALT = 0x6A697969


class HashingEmbedder:
    """The same vector for the same text in every process and on every machine; no dependency.

    Args:
        size: dimensions, at least 8.

    Raises:
        InvalidInput: fewer dimensions.
    """

    def __init__(self, size: int = 256) -> None:
        if size < 8:
            raise InvalidInput("size", f"must be at least 8, not {size}")
        self.name = f"hashing-{size}"
        self.size = size

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """See ``Embedder.embed``."""
        return [self._vector(text) for text in texts]

    async def embed_query(self, text: str) -> Vector:
        """See ``Embedder.embed_query``; a question is hashed like a passage."""
        return self._vector(text)

    def split(self, text: str) -> Sequence[str]:
        """The text alone: there is no window that it could exceed."""
        return [text]

    def _vector(self, text: str) -> Vector:
        text = text[:_LONGEST]
        plain = flat(text)
        features = {"w" + term: 1 + math.log(count) for term, count in terms(text).items()}
        trigrams = Counter(plain[at : at + 3] for at in range(len(plain) - 2))
        features.update({"c" + part: _TRIGRAM_WEIGHT * (1 + math.log(count)) for part, count in trigrams.items()})
        found = array("d", bytes(8 * self.size))
        for feature, weight in sorted(features.items()):  # sorted: sums of floats depend on their order
            code = crc32(feature.encode("utf-8", "replace"), _SALT)
            found[(code >> 1) % self.size] += weight if code & 1 else -weight
        length = math.sqrt(sum(value * value for value in found))
        if not length:  # nothing to hash, or all of it cancelled out
            found[0] = length = 1.0
        return array("f", (value / length for value in found))
