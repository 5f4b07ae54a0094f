"""Makes the corpora: reads the data sets and embeds everything once, with Jiyi's bundled model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from corpus import Asked, Corpus, Item, grow, unmarked, vary

from jiyi.embedders.local import LocalEmbedder
from jiyi.eval import Conversation, KeptVectors, read_dataset
from jiyi.importing import Entry
from jiyi.indexable import index_text
from jiyi.types import Message, Vector


@dataclass(frozen=True, slots=True)
class DataSet:
    """A set as it is evaluated: its messages, and its questions with their labels."""

    name: str
    conversations: Sequence[Conversation]

    @property
    def items(self) -> list[Item]:
        return [_item(found.id, entry) for found in self.conversations for entry in found.entries]

    @property
    def questions(self) -> list[Asked]:
        return [Asked(found.id, question.text.strip()) for found in self.conversations for question in found.questions]


def read(directory: Path, *, most: int | None = None) -> DataSet:
    """Reads a set, or its first conversations.  Every question is asked when everything has been said."""
    conversations = read_dataset(directory)[:most]
    if any(question.before for found in conversations for question in found.questions):
        raise SystemExit(f"{directory}: has questions about a moment (before_message_id), which are not compared here")
    return DataSet(directory.name, conversations)


def _item(user: str, entry: Entry) -> Item:
    fields = entry.fields
    name, at = fields.get("name"), fields["created_at"]
    role, text = str(fields["role"]), str(fields["content"])
    key = f"{user}/{entry.message_id}"
    message = Message(key, entry.session_id, role, text, name=name, created_at=at)
    at = at.isoformat() if at else None
    return Item(key, user, entry.session_id, role, name, at, text, index_text(message))


class Questions:
    """The embedder's questions as if they were passages, so that they can be kept in a file too."""

    def __init__(self, inner: LocalEmbedder) -> None:
        self.name, self.size, self._inner = f"{inner.name}-questions", inner.size, inner

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [await self._inner.embed_query(text) for text in texts]

    async def embed_query(self, text: str) -> Vector:
        return await self._inner.embed_query(text)

    def split(self, text: str) -> Sequence[str]:
        return self._inner.split(text)


class Embedding:
    """All vectors, from files under ``cache`` or made now."""

    def __init__(self, cache: Path) -> None:
        self.local = LocalEmbedder()
        self._passages = KeptVectors(self.local, cache)
        self._questions = KeptVectors(Questions(self.local), cache)

    def speed(self, items: Sequence[Item], questions: Sequence[Asked]) -> dict[str, float]:
        """The embedder's own time: ms a message in batches of 32, ms a question alone."""
        texts, asked = [item.text for item in items[-192:]], [question.text for question in questions[-40:]]
        asyncio.run(self.local.embed(texts[:32]))
        start = time.perf_counter()
        for first in range(0, len(texts), 32):
            asyncio.run(self.local.embed(texts[first : first + 32]))
        batched = (time.perf_counter() - start) / len(texts)
        asyncio.run(self.local.embed_query("warm"))
        start = time.perf_counter()
        for text in dict.fromkeys(asked):
            asyncio.run(self.local.embed_query(text + " "))  # not one that it has kept
        alone = (time.perf_counter() - start) / len(dict.fromkeys(asked))
        return {"message_ms": round(batched * 1e3, 2), "question_ms": round(alone * 1e3, 2)}

    def corpus(self, items: Sequence[Item], questions: Sequence[Asked]) -> Corpus:
        """A corpus with its vectors: of texts as said, as told, and of the pieces that Jiyi cuts."""
        texts = dict.fromkeys(text for item in items for text in (item.text, item.told, *self.local.split(item.told)))
        base = self._of(self._passages, list(dict.fromkeys(unmarked(text)[0] for text in texts)))
        passages = {
            text: base[plain] if (plain := unmarked(text)[0]) == text else vary(base[plain], text) for text in texts
        }
        asked = self._of(self._questions, list(dict.fromkeys(question.text for question in questions)))
        return Corpus(items, questions, passages, asked)

    def _of(self, kept: KeptVectors, texts: Sequence[str]) -> dict[str, np.ndarray]:
        vectors: list[Vector] = []
        for first in range(0, len(texts), 256):
            vectors += asyncio.run(kept.embed(texts[first : first + 256]))
        return dict(zip(texts, (np.array(vector, np.float32) for vector in vectors), strict=True))


def speed_items(sets: Sequence[DataSet], users: int, each: int) -> list[Item]:
    """The messages of a corpus for measuring speed, drawn from all sets."""
    return grow([item for found in sets for item in found.items], users, each)
