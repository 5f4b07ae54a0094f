"""The two indexes as derivations: terms for full text, vectors for meaning.  Both can be thrown away and rebuilt."""

from __future__ import annotations

from jiyi.ports import Batch, Embedder
from jiyi.ranking import index_text
from jiyi.text import TERMS_VERSION, terms
from jiyi.types import Changes, Embedded, Indexed, Message, Step

PIECES = 64
"""Pieces embedded in one batch, about: seconds of work, so that a lease does not run out over long messages."""

LEXICAL = Step("lexical", TERMS_VERSION)


def is_indexed(message: Message) -> bool:
    """Whether recall may bring the message back: everything that was said, not what the bot was told to be."""
    return message.role not in ("system", "developer") and bool(message.text.strip())


class LexicalIndex:
    """Derives the index terms of each message."""

    step = LEXICAL
    batch_size = 500

    async def derive(self, batch: Batch) -> Changes:
        """Terms of the batch's messages."""
        entries = tuple(lexical_entry(message) for message in batch.messages if is_indexed(message))
        return Changes(cursor=batch.cursor, index=entries)


def lexical_entry(message: Message) -> Indexed:
    """The index terms of one message, date and speaker included."""
    return Indexed(message.seq, terms(index_text(message)))


class DenseIndex:
    """Derives the vectors of each message; a long one has several."""

    batch_size = 32

    def __init__(self, embedder: Embedder) -> None:
        self.step = dense_step(embedder.name)
        self._embedder = embedder

    async def derive(self, batch: Batch) -> Changes:
        """Vectors of the batch's messages."""
        pieces: list[tuple[int, int, str]] = []
        cursor = batch.cursor
        for message in batch.messages:
            if not is_indexed(message):
                continue
            if len(pieces) >= PIECES:
                cursor = message.seq - 1
                break
            pieces += [(message.seq, n, piece) for n, piece in enumerate(self._embedder.split(index_text(message)))]
        vectors = await self._embedder.embed([piece for _, _, piece in pieces])
        found = tuple(Embedded(seq, chunk, vector) for (seq, chunk, _), vector in zip(pieces, vectors, strict=True))
        return Changes(cursor=cursor, vectors=found)


def is_index(step: Step) -> bool:
    """Whether it is one of the two indexes."""
    return step.name == LEXICAL.name or step.name.startswith("dense:")


def dense_step(model: str) -> Step:
    """The step that embeds with this model."""
    return Step(f"dense:{model}", "1")
