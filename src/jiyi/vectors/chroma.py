"""Chroma as the place of the vectors: a directory, or a server."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from jiyi.errors import InvalidInput, JiyiError, MissingDependency, VectorsError, VectorsUnavailable
from jiyi.types import Vector
from jiyi.vectors.collections import Collections
from jiyi.vectors.langchain import LangChainVectors
from jiyi.vectors.product import SHOWN, Entry, entry, place
from jiyi.vectors.written import VectorText, write

if TYPE_CHECKING:
    from langchain_core.vectorstores import VectorStore

_EF = 400
"""Candidates that the graph of a collection looks at, when it is built and when it is searched.  Chroma's own 100 miss
more of a space that has a small share of the collection."""


class Chroma(Collections):
    """How Chroma is asked.  It gives the vectors back itself, so none is stored as a text as well: Chroma would index
    that text, which takes three times the time and six times the disk.

    Args:
        store: a ``langchain_chroma.Chroma`` that is there.
        address: otherwise a directory, or ``http://host:port`` of a server.
        collection: what names of collections begin with; the dimensions follow.
    """

    label = "chroma"
    batch = 1000

    def add(self, store: VectorStore, entries: Sequence[Entry]) -> None:
        """See ``Product.add``."""
        texts = [f"{one.shelf}/{one.seq}/{one.chunk}" for one in entries]
        embedding = cast("VectorText", store.embeddings)
        with embedding.handing({text: one.vector for text, one in zip(texts, entries, strict=True)}):
            store.add_texts(texts, [one.metadata for one in entries], ids=[one.id for one in entries])

    def get(self, store: VectorStore, ids: Sequence[str], *, vectors: bool) -> list[Entry]:
        """See ``Product.get``."""
        wanted = ["metadatas", "embeddings"] if vectors else ["metadatas"]
        found = cast("Any", store).get(ids=list(ids), include=wanted)
        rows = found["embeddings"].tolist() if vectors and len(found["ids"]) else [()] * len(found["ids"])
        return [entry(metadata, row) for metadata, row in zip(found["metadatas"], rows, strict=True)]

    def search(self, store: VectorStore, vector: Vector, shelf: str, limit: int) -> list[Entry]:
        """See ``Product.search``."""
        found = cast("Any", store).similarity_search_with_vectors(write(vector), k=limit, filter={"shelf": shelf})
        return [entry(document.metadata, row.tolist()) for document, row in found]

    def explain(self, error: Exception) -> JiyiError:
        """See ``Product.explain``."""
        what = f"{type(error).__name__}: {error}".replace("\n", " ")[:SHOWN]
        if "dimension" in str(error):
            return InvalidInput("vectors", f"the Chroma collection is of another model: name another one ({what})")
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if "TransportError" in kinds or "Could not connect" in str(error) or "RateLimitError" in kinds:
            return VectorsUnavailable(f"Chroma at {self._address} does not answer: start it, or try again ({what})")
        if kinds & {"ChromaAuthError", "AuthorizationError"}:
            return VectorsError(f"Chroma at {self._address} wants another key ({what})")
        return super().explain(error)

    def _connected(self) -> Any:
        if self._client is None:
            import chromadb
            from chromadb.config import Settings

            settings = Settings(anonymized_telemetry=False)
            if self._address.startswith(("http://", "https://")):
                at = urlsplit(self._address)
                port, ssl = at.port or (443 if at.scheme == "https" else 8000), at.scheme == "https"
                self._client = chromadb.HttpClient(at.hostname or "", port, ssl, settings=settings)
            else:
                self._client = chromadb.PersistentClient(self._address, settings)
        return self._client

    def _names(self) -> list[str]:
        return [str(found.name) for found in self._connected().list_collections()]

    def _open(self, name: str, size: int) -> VectorStore:
        from langchain_chroma import Chroma as Store

        return Store(
            name,
            VectorText(),
            client=self._connected(),
            collection_configuration={"hnsw": {"space": "cosine", "ef_construction": _EF, "ef_search": _EF}},
        )


class ChromaVectors(LangChainVectors):
    """Keeps the vectors in Chroma; a collection for each number of dimensions, made when it is needed.

    Args:
        address: a directory, or ``http://host:port`` of a Chroma server.
        collection: what the names of collections begin with; another one where somebody else has that name.

    Raises:
        InvalidInput: no address.
        MissingDependency: ``langchain-chroma`` is not installed.
    """

    def __init__(self, address: str, *, collection: str = "jiyi") -> None:
        if not address.strip():
            raise InvalidInput(
                "vectors", "chroma needs a directory or an address: chroma:vectors, chroma:http://host:8000"
            )
        if importlib.util.find_spec("langchain_chroma") is None:
            raise MissingDependency("vectors in Chroma need the package langchain-chroma: pip install 'jiyi[chroma]'")
        super().__init__(
            Chroma(address=address.strip(), collection=collection), name=place("chroma", address, collection)
        )


__all__ = ["Chroma", "ChromaVectors"]
