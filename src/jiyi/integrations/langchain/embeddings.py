"""An embedder of Jiyi as LangChain's embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_core.embeddings import Embeddings

from jiyi.config import load_settings
from jiyi.errors import InvalidInput
from jiyi.opening import open_embedder
from jiyi.waiting import elsewhere, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jiyi.ports import Embedder
    from jiyi.types import Vector


class JiyiEmbeddings(Embeddings):
    """An embedder as LangChain takes it, such as the bundled one, which runs on this machine and fetches nothing.

    Texts are embedded whole, as LangChain gives them: the bundled model reads the first 512 tokens of each.

    Args:
        embedder: an instance, or what the setting ``embedder`` takes: ``local`` is the bundled model.

    Raises:
        InvalidInput: a name that stands for no embedder.
        MissingDependency: its package is not installed.
    """

    def __init__(self, embedder: Embedder | str = "local") -> None:
        opened = open_embedder(embedder, load_settings())
        if opened is None:
            raise InvalidInput("embedder", f"{embedder!r} is no embedder; the bundled one is local")
        self.embedder = opened

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """A unit vector for each text, in order."""
        return run(self._documents(texts))

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """See ``embed_documents``."""
        return await elsewhere(self._documents(texts))

    def embed_query(self, text: str) -> list[float]:
        """The unit vector of a question."""
        return run(self._query(text))

    async def aembed_query(self, text: str) -> list[float]:
        """See ``embed_query``."""
        return await elsewhere(self._query(text))

    async def _documents(self, texts: Sequence[str]) -> list[list[float]]:
        return [_floats(vector) for vector in await self.embedder.embed(texts)]

    async def _query(self, text: str) -> list[float]:
        return _floats(await self.embedder.embed_query(text))


def _floats(vector: Vector) -> list[float]:
    return [float(value) for value in vector]


__all__ = ["JiyiEmbeddings"]
