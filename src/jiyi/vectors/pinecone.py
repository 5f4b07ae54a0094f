"""Pinecone as the place of the vectors."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from jiyi.errors import InvalidInput, JiyiError, MissingDependency, VectorsError, VectorsUnavailable
from jiyi.types import Vector
from jiyi.vectors.langchain import LangChainVectors
from jiyi.vectors.product import SHOWN, Entry, Product, entry, place
from jiyi.vectors.written import VectorText, read, write

if TYPE_CHECKING:
    from langchain_core.vectorstores import VectorStore

_REQUEST = 1_500_000
"""Bytes of one upsert, about; Pinecone takes 2 MB."""

_ANSWER = 3_000_000
"""Bytes of one answer to a search, about; Pinecone gives 4 MB."""

_FORBIDDEN, _MISSING, _MANY, _BROKEN = (401, 403), 404, 429, 500
"""HTTP: another key is wanted; no such index; too much was asked; from here on the server's own errors."""


class Pinecone(Product):
    """How Pinecone is asked.

    Args:
        store: a ``langchain_pinecone.PineconeVectorStore`` that is there.
        index: otherwise the name of an index, or its host.
        key: of the project.
        namespace: the one all vectors lie in; users are told apart by the metadata ``shelf``.
        control: address of Pinecone's control plane, empty for the usual one.
    """

    label = "pinecone"
    parallel = 4
    batch = 100  # ids of a fetch, which stand in an address
    unseen = 8  # what was just written is not seen for some seconds

    def __init__(
        self,
        store: VectorStore | None = None,
        *,
        index: str = "",
        key: str = "",
        namespace: str = "",
        control: str = "",
    ) -> None:
        super().__init__(store)
        self._index, self._key, self._namespace, self._control = index, key, namespace, control
        self._opened: VectorStore | None = None

    def stores(self) -> dict[int, VectorStore]:
        """See ``Product.stores``; an index has the dimensions it was made with."""
        store = self._only or self._open()
        if not self._size:
            self._size = int(cast("Any", store).index.describe_index_stats().dimension)
        return {self._size: store}

    def store(self, size: int, *, make: bool) -> VectorStore | None:
        """See ``Product.store``."""
        found = self.stores()
        if make and size not in found:
            raise InvalidInput(
                "vectors",
                f"the Pinecone index has {self._size} dimensions, and the model's vectors {size}: make another",
            )
        return found.get(size)

    def add(self, store: VectorStore, entries: Sequence[Entry]) -> None:
        """See ``Product.add``; in requests that Pinecone takes, in the thread that calls."""
        for part in _parts(entries):
            texts, metadatas = [write(one.vector) for one in part], [one.metadata for one in part]
            store.add_texts(texts, metadatas, ids=[one.id for one in part], async_req=False)

    def get(self, store: VectorStore, ids: Sequence[str], *, vectors: bool) -> list[Entry]:
        """See ``Product.get``."""
        pinecone = cast("Any", store)
        rows = pinecone.index.fetch(ids=list(ids), namespace=pinecone._namespace).vectors.values()
        text = pinecone._text_key
        return [entry(row.metadata, read(row.metadata[text]) if vectors else ()) for row in rows]

    def search(self, store: VectorStore, vector: Vector, shelf: str, limit: int) -> list[Entry]:
        """See ``Product.search``."""
        most = _ANSWER // (3 * len(vector) + 300)
        return super().search(store, vector, shelf, min(limit, most))

    def close(self) -> None:
        """See ``Product.close``."""
        if self._opened is not None:
            cast("Any", self._opened).index.close()
            self._opened = None

    def explain(self, error: Exception) -> JiyiError:
        """See ``Product.explain``."""
        what = f"{type(error).__name__}: {error}".replace("\n", " ")[:SHOWN]
        status = cast("object", getattr(error, "status", None))
        if "dimension" in str(error):
            return InvalidInput("vectors", f"the Pinecone index is for another model: make another one ({what})")
        if status in _FORBIDDEN:
            return VectorsError(f"Pinecone wants another key: set PINECONE_API_KEY ({what})")
        if status == _MISSING:
            return VectorsError(f"Pinecone has no index {self._index!r}: make it, with the metric cosine ({what})")
        broken = status == _MANY or (isinstance(status, int) and status >= _BROKEN)
        network = any(kind.__module__.startswith("urllib3") for kind in type(error).__mro__)
        if broken or network or type(error).__name__ == "PineconeProtocolError":
            return VectorsUnavailable(f"Pinecone does not answer; what was said is stored, try again later ({what})")
        return super().explain(error)

    def _open(self) -> VectorStore:
        if self._opened is None:
            from langchain_pinecone import PineconeVectorStore
            from pinecone import Pinecone as Client

            client = Client(api_key=self._key, host=self._control or None, pool_threads=1)
            at = {"host": self._index} if "." in self._index or "://" in self._index else {"name": self._index}
            index: Any = cast("Any", client).Index(**at)
            self._opened = PineconeVectorStore(index=index, embedding=VectorText(), namespace=self._namespace)
        return self._opened


class PineconeVectors(LangChainVectors):
    """Keeps the vectors in an index of Pinecone, which must be there, dense, with the model's dimensions.

    Args:
        index: its name, or its host.
        key: of the project.
        namespace: the one all vectors lie in.
        control: address of Pinecone's control plane, empty for the usual one.

    Raises:
        InvalidInput: no index, or no key.
        MissingDependency: ``langchain-pinecone`` is not installed.
    """

    def __init__(self, index: str, *, key: str = "", namespace: str = "jiyi", control: str = "") -> None:
        index = index.strip()
        if not index:
            raise InvalidInput("vectors", "pinecone needs an index's name or host: pinecone:INDEX")
        if importlib.util.find_spec("langchain_pinecone") is None:
            raise MissingDependency(
                "vectors in Pinecone need the package langchain-pinecone: pip install 'jiyi[pinecone]'"
            )
        if not key.strip():
            raise InvalidInput(
                "vectors", "Pinecone needs a key: set PINECONE_API_KEY, or put it under [keys] as pinecone"
            )
        found = Pinecone(index=index, key=key.strip(), namespace=namespace, control=control)
        super().__init__(found, name=place("pinecone", index, namespace))


def _parts(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    """Entries in requests of a size that Pinecone takes: about 24 digits of a number, and its vector as a text."""
    size = max(1, _REQUEST // (27 * len(entries[0].vector) + 500)) if entries else 1
    for start in range(0, len(entries), size):
        yield entries[start : start + size]


__all__ = ["Pinecone", "PineconeVectors"]
