"""Qdrant as the place of the vectors: a directory, this process's memory, or a server."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any, cast

from jiyi.errors import InvalidInput, JiyiError, MissingDependency, VectorsError, VectorsUnavailable
from jiyi.types import Vector
from jiyi.vectors.collections import Collections
from jiyi.vectors.langchain import LangChainVectors
from jiyi.vectors.product import SHOWN, Entry, place
from jiyi.vectors.written import VectorText, write

if TYPE_CHECKING:
    from langchain_core.vectorstores import VectorStore

_TIMEOUT = 30
"""Seconds a server has to answer; Qdrant's own 5 are few for hundreds of vectors."""

_FORBIDDEN, _MANY, _BROKEN = (401, 403), 429, 500
"""HTTP: another key is wanted; too much was asked; from here on the server's own errors."""


class Qdrant(Collections):
    """How Qdrant is asked.

    Args:
        store: a ``langchain_qdrant.QdrantVectorStore`` that is there.
        address: otherwise a directory, ``:memory:``, or ``http://host:port`` of a server.
        key: of the server.
        collection: what names of collections begin with; the dimensions follow.
    """

    label = "qdrant"
    batch = 500

    def __init__(self, store: VectorStore | None = None, **where: str) -> None:
        super().__init__(store, **where)
        self._server = self._address.startswith(("http://", "https://"))
        self.parallel = 8 if self._server else 1

    def search(self, store: VectorStore, vector: Vector, shelf: str, limit: int) -> list[Entry]:
        """See ``Product.search``; by the vector as a text, because Qdrant's search by vector asks twice."""
        return self.found(store.similarity_search(write(vector), k=limit, filter=self._on(store, shelf)))

    def explain(self, error: Exception) -> JiyiError:
        """See ``Product.explain``."""
        what = f"{type(error).__name__}: {error}".replace("\n", " ")[:SHOWN]
        kind, status = type(error).__name__, cast("object", getattr(error, "status_code", None))
        if "dimension" in str(error) or "broadcast" in str(error):
            return InvalidInput("vectors", f"the Qdrant collection is of another model: name another one ({what})")
        if "already accessed by another instance" in str(error):
            return VectorsUnavailable(
                f"somebody else has {self._address} open, and Qdrant lets one in: close it, or run a Qdrant server "
                "and give its address, qdrant:http://host:6333"
            )
        if status in _FORBIDDEN:
            return VectorsError(f"Qdrant at {self._address} wants another key: set QDRANT_API_KEY ({what})")
        busy = status == _MANY or (isinstance(status, int) and status >= _BROKEN)
        if busy or kind in ("ResponseHandlingException", "ResourceExhaustedResponse"):
            return VectorsUnavailable(f"Qdrant at {self._address} does not answer: start it, or try again ({what})")
        return super().explain(error)

    def _on(self, store: VectorStore, shelf: str) -> Any:
        from qdrant_client import models

        key = f"{cast('Any', store).metadata_payload_key}.shelf"
        return models.Filter(must=[models.FieldCondition(key=key, match=models.MatchValue(value=shelf))])

    def _connected(self) -> Any:
        if self._client is None:
            from qdrant_client import QdrantClient

            if self._server:
                self._client = QdrantClient(
                    url=self._address, api_key=self._key or None, timeout=_TIMEOUT, check_compatibility=False
                )
            elif self._address == ":memory:":
                self._client = QdrantClient(location=":memory:")
            else:
                self._client = QdrantClient(path=self._address)
        return self._client

    def _names(self) -> list[str]:
        return [str(found.name) for found in self._connected().get_collections().collections]

    def _open(self, name: str, size: int) -> VectorStore:
        from langchain_qdrant import QdrantVectorStore

        self._make(name, size)
        return QdrantVectorStore(
            self._connected(), name, VectorText(), validate_embeddings=False, validate_collection_config=False
        )

    def _make(self, name: str, size: int) -> None:
        """Makes a collection where there is none; another process may do the same."""
        from qdrant_client import models

        client = self._connected()
        if client.collection_exists(name):
            return
        try:
            client.create_collection(name, models.VectorParams(size=size, distance=models.Distance.COSINE))
        except Exception:
            if not client.collection_exists(name):
                raise
        if self._server:  # so that a search reads one user's vectors; a local one has no such index
            kind = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
            client.create_payload_index(name, "metadata.shelf", kind)


class QdrantVectors(LangChainVectors):
    """Keeps the vectors in Qdrant; a collection for each number of dimensions, made when it is needed.

    Args:
        address: a directory, ``:memory:``, or ``http://host:port`` of a Qdrant server.
        key: of the server.
        collection: what the names of collections begin with; another one where somebody else has that name.

    Raises:
        InvalidInput: no address.
        MissingDependency: ``langchain-qdrant`` is not installed.
    """

    def __init__(self, address: str, *, key: str = "", collection: str = "jiyi") -> None:
        address = address.strip()
        if not address:
            raise InvalidInput(
                "vectors", "qdrant needs a directory or an address: qdrant:vectors, qdrant:http://host:6333"
            )
        if importlib.util.find_spec("langchain_qdrant") is None:
            raise MissingDependency("vectors in Qdrant need the package langchain-qdrant: pip install 'jiyi[qdrant]'")
        found = Qdrant(address=address, key=key, collection=collection)
        super().__init__(found, name=place("qdrant", address, collection))


__all__ = ["Qdrant", "QdrantVectors"]
