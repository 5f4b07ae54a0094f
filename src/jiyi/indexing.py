"""The indexes as derivations: terms for full text, vectors for meaning.  They can be thrown away and rebuilt.

Messages have both.  Of derived records only the vectors are kept: they are so few that a store makes their terms when
it reads them.
"""

from __future__ import annotations

import asyncio
from array import array
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from secrets import token_bytes

from jiyi.errors import InvalidInput
from jiyi.indexable import (
    DENSE_STEPS,
    LEXICAL_STEP,
    RECORD_STEPS,
    as_message,
    index_text,
    is_indexed,
    lexical_entry,
)
from jiyi.ports import Batch, Embedder
from jiyi.text import TERMS_VERSION
from jiyi.types import Changes, Embedded, Message, Step, Vector

PIECES = 64
"""Pieces embedded in one batch, about: seconds of work, so that a lease does not run out over long messages."""

KEPT = 512
"""Vectors kept so that nothing is embedded twice: several batches, and less than a megabyte of the bundled model's."""

LEXICAL = Step(LEXICAL_STEP, TERMS_VERSION)


class LexicalIndex:
    """Derives the index terms of each message."""

    step = LEXICAL
    batch_size = 500
    asks_llm = False

    async def derive(self, batch: Batch) -> Changes:
        """Terms of the batch's messages."""
        entries = tuple(lexical_entry(message) for message in batch.messages if is_indexed(message))
        return Changes(cursor=batch.cursor, index=entries)


class DenseIndex:
    """Derives the vectors of each message, and with ``RecordIndex`` of each record; a long one has several.

    ``place``: name of the index that keeps them, where that is not the store.

    The last vectors are kept, by a hash of their text: what is said again, or derived again because a commit failed, is
    not embedded again.
    """

    batch_size = 32
    asks_llm = False

    def __init__(self, embedder: Embedder, place: str = "") -> None:
        self.step = dense_step(embedder.name, place)
        self._embedder = embedder
        self._secret = token_bytes(16)  # so that a hash left in memory gives no guessed text away
        self._kept: OrderedDict[bytes, Vector] = OrderedDict()

    def clear(self) -> None:
        """Forgets the vectors it keeps: after texts were erased."""
        self._kept = OrderedDict()  # what is being embedded now goes into the old one

    async def derive(self, batch: Batch) -> Changes:
        """Vectors of the batch's messages."""
        kept = self._kept
        pieces, cursor = await asyncio.to_thread(self._pieces, batch)  # a model's own tokenizer takes its time
        vectors = await self._vectors([piece for _, _, piece in pieces], kept)
        found = tuple(Embedded(seq, chunk, vector) for (seq, chunk, _), vector in zip(pieces, vectors, strict=True))
        return Changes(cursor=cursor, vectors=found)

    def _texts(self, batch: Batch) -> Iterable[Message]:
        return batch.messages

    def _pieces(self, batch: Batch) -> tuple[list[tuple[int, int, str]], int]:
        """(seq, chunk, text) of as many of the batch's messages as are embedded together, and the seq of the last."""
        pieces: list[tuple[int, int, str]] = []
        cursor = batch.cursor
        for message in self._texts(batch):
            if not is_indexed(message):
                continue
            if len(pieces) >= PIECES:
                cursor = message.seq - 1
                break
            pieces += [(message.seq, n, piece) for n, piece in enumerate(self._embedder.split(index_text(message)))]
        return pieces, cursor

    async def _vectors(self, texts: Sequence[str], kept: OrderedDict[bytes, Vector]) -> list[Vector]:
        """The vectors of texts, each text embedded once."""
        keys = [self._key(text) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in kept}
        found = {key: kept[key] for key in keys if key in kept}
        if new:
            made = await self._embedder.embed(list(new.values()))
            found |= {key: array("f", vector) for key, vector in zip(new, made, strict=True)}
        kept.update(found)
        for key in found:
            kept.move_to_end(key)
        while len(kept) > KEPT:
            kept.popitem(last=False)
        return [found[key] for key in keys]

    def _key(self, text: str) -> bytes:
        return blake2b(text.encode("utf-8", "surrogatepass"), key=self._secret, digest_size=16).digest()


class RecordIndex(DenseIndex):
    """Derives the vectors of each derived record."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self.step = record_step(embedder.name)

    def _texts(self, batch: Batch) -> Iterable[Message]:
        return map(as_message, batch.put)


def indexes(embedder: Embedder, place: str = "") -> tuple[DenseIndex, RecordIndex]:
    """What an embedder is put to work in; ``place`` as in ``dense_step``."""
    return DenseIndex(embedder, place), RecordIndex(embedder)


def dense_step(model: str, place: str = "") -> Step:
    """The step that embeds messages with this model, for the store or for the index of that name (``VectorIndex``).

    Raises:
        InvalidInput: a name that would be taken for the vectors of records.
    """
    if model.startswith(RECORD_STEPS):
        raise InvalidInput("embedder", f"must not have a name that begins with {RECORD_STEPS!r}, but it is {model!r}")
    return Step(f"{DENSE_STEPS}{model}@{place}" if place else f"{DENSE_STEPS}{model}", "1")


def record_step(model: str) -> Step:
    """The step that embeds records with this model."""
    return Step(f"{RECORD_STEPS}{model}", "1")
