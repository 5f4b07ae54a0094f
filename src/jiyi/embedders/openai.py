"""Embedding models behind any OpenAI-compatible address: Ollama, DashScope, OpenAI, SiliconFlow, vLLM, llama.cpp…"""

from __future__ import annotations

import asyncio
import math
import re
from array import array
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import cast

from jiyi.embedders import pieces
from jiyi.endpoint import DEFAULT, Endpoint, Limits
from jiyi.errors import ModelError
from jiyi.providers import PROVIDERS, Address, resolve
from jiyi.types import Vector

PIECE = 256
"""Tokens of a piece at most, roughly; with a prefix it fits the smallest windows in use (512 tokens)."""

_SEARCH = "Represent this sentence for searching relevant passages: "
_TASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
_PREFIXES: tuple[tuple[re.Pattern[str], tuple[str, str]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), prefixes)
    for pattern, prefixes in (
        (r"nomic-embed-text", ("search_query: ", "search_document: ")),
        (r"\be5\b.*instruct|qwen3-embedding", (_TASK, "")),
        (r"\be5-(?:small|base|large)", ("query: ", "passage: ")),
        (r"embedding-?gemma", ("task: search result | query: ", "title: none | text: ")),
        (r"arctic-embed2|arctic-embed-\w+-v2", ("query: ", "")),
        (r"bge-(?:small|base|large)-zh", ("为这个句子生成表示以用于检索相关文章：", "")),
        (r"bge-(?:small|base|large)-en|mxbai-embed-large|arctic-embed", (_SEARCH, "")),
    )
)
"""Model -> what stands before a question and before a passage, as the models' cards ask for; other models get none."""

_NO_TEXT = "."
"""Stands in for a blank text, which most servers refuse."""


class OpenAIEmbedder:
    """An embedding model at an OpenAI-compatible address.

    May be used from several event loops.  Vectors are brought to unit length here.

    Args:
        model: ``provider:model``, ``provider:model@URL`` (see ``jiyi.providers``), or an address.
        api_key: the key; without one, a provider that needs it is refused.
        limits: how long to wait for a batch, how often to try, how many batches at once.
        dimensions: asked of the server, for models that can shorten their vectors.
        prefixes: before a question and before a passage; None for what the model is known to need.

    Attributes:
        name: provider and model; the address is left out, since the same model gives the same vectors elsewhere.
        size: 0 until the server has answered, unless ``dimensions`` are given.

    Raises:
        InvalidInput: no such provider, or no address.
        ModelRejected: a key is missing.
        MissingDependency: the package ``openai`` is not installed.
    """

    def __init__(
        self,
        model: str | Address,
        *,
        api_key: str | None = None,
        limits: Limits = DEFAULT,
        dimensions: int | None = None,
        prefixes: tuple[str, str] | None = None,
    ) -> None:
        self.address = resolve(model, key=api_key) if isinstance(model, str) else model
        self.name = f"{self.address.provider}:{self.address.model}"
        self.size = dimensions or 0
        self._dimensions = dimensions
        self._question, self._passage = prefixes_of(self.address.model) if prefixes is None else prefixes
        if dimensions:
            self.name += f"/{dimensions}"
        if prefixes is not None and prefixes != prefixes_of(self.address.model):
            self.name += "+" + blake2b("\0".join(prefixes).encode(), digest_size=4).hexdigest()
        self._endpoint = Endpoint(self.address, limits)
        self._batch = PROVIDERS[self.address.provider].batch

    @property
    def batch(self) -> int:
        """Texts of one request at most: what the provider is known to take, less where the server took fewer."""
        return self._batch

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """See ``Embedder.embed``.  Of a text longer than a piece the beginning and the end count."""
        return await self._all([self._passage + _readable(text) for text in texts])

    async def embed_query(self, text: str) -> Vector:
        """See ``Embedder.embed_query``."""
        (vector,) = await self._all([self._question + _readable(text)])
        return vector

    def split(self, text: str) -> Sequence[str]:
        """See ``Embedder.split`` and ``jiyi.embedders.pieces``."""
        return pieces.split(text, PIECE)

    async def close(self) -> None:
        """Closes the connections of the running event loop; a later call opens new ones."""
        await self._endpoint.close()

    async def _all(self, texts: list[str]) -> list[Vector]:
        """Batch by batch, several at once; the first that fails ends the others."""
        starts = range(0, len(texts), self._batch)
        tasks = [asyncio.ensure_future(self._some(texts[start : start + self._batch])) for start in starts]
        try:
            return [vector for vectors in await asyncio.gather(*tasks) for vector in vectors]
        finally:
            for task in tasks:
                task.cancel()

    async def _some(self, texts: list[str]) -> list[Vector]:
        """One request; a server that takes fewer texts at once gets fewer from then on."""
        body: dict[str, object] = {"model": self.address.model, "input": texts}
        if self._dimensions:
            body["dimensions"] = self._dimensions
        try:
            answer = await self._endpoint.request("/embeddings", body)
        except ModelError as error:
            if len(texts) < 2 or "batch" not in str(error).lower():
                raise
            half = len(texts) // 2
            self._batch = min(self._batch, half)
            return [*await self._some(texts[:half]), *await self._some(texts[half:])]
        return await asyncio.to_thread(self._vectors, answer, len(texts))

    def _vectors(self, answer: object, count: int) -> list[Vector]:
        """The vectors of an answer, in the order of the texts, each of length 1."""
        entries = cast("Mapping[str, object]", answer).get("data") if isinstance(answer, Mapping) else None
        if not isinstance(entries, list):
            raise self._unusable("an answer without vectors")
        entries = cast("list[object]", entries)
        if len(entries) != count or not all(isinstance(entry, Mapping) for entry in entries):
            raise self._unusable(f"{len(entries)} vectors for {count} texts")
        found = [cast("Mapping[str, object]", entry) for entry in entries]
        places = [entry.get("index") for entry in found]
        if set(places) == set(range(count)):
            found.sort(key=lambda entry: cast("int", entry["index"]))
        return [self._vector(entry.get("embedding")) for entry in found]

    def _vector(self, value: object) -> Vector:
        try:
            vector = array("d", cast("list[float]", value))
        except TypeError:
            raise self._unusable("a vector that is not a list of numbers") from None
        length = math.sqrt(math.fsum(number * number for number in vector))
        if not (length and math.isfinite(length)):
            raise self._unusable("a vector of zeros or of something that is no number")
        if len(vector) != (self.size or len(vector)):
            raise self._unusable(f"a vector of {len(vector)} dimensions instead of {self.size}")
        self.size = len(vector)
        return array("f", (number / length for number in vector))

    def _unusable(self, what: str) -> ModelError:
        return ModelError(f"{self.address.name}: {self.address.host} sent {what}; is it an embedding model?")


def prefixes_of(model: str) -> tuple[str, str]:
    """What a model wants before a question and before a passage; empty for one that is not known to want anything."""
    return next((prefixes for pattern, prefixes in _PREFIXES if pattern.search(model)), ("", ""))


def _readable(text: str) -> str:
    return pieces.clip(text).replace("\0", " ") if text.strip() else _NO_TEXT


__all__ = ["OpenAIEmbedder", "prefixes_of"]
