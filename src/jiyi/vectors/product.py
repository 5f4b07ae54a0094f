"""What one vector database does its own way: ``Product`` does what LangChain promises of every ``VectorStore``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from jiyi.errors import InvalidInput, JiyiError, MissingDependency, VectorsError, VectorsUnavailable
from jiyi.types import Vector
from jiyi.vectors.written import VectorText, read, write

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.vectorstores import VectorStore

_KNOWN = {
    "langchain_chroma": "jiyi.vectors.chroma:Chroma",
    "langchain_core": "jiyi.vectors.product:InMemory",
    "langchain_milvus": "jiyi.vectors.milvus:Milvus",
    "langchain_pinecone": "jiyi.vectors.pinecone:Pinecone",
    "langchain_qdrant": "jiyi.vectors.qdrant:Qdrant",
}
"""Package of a LangChain vector store -> what knows it."""

SHOWN = 300
"""Characters of a database's own message that ours repeats."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One vector as a database keeps it; a message's text and a user's name are in none of this.

    Attributes:
        id: a UUID that follows from shelf, seq and chunk.
        shelf: a hash of space and model; what a search is confined to.
        seq, chunk: as in ``Embedded``; of a catalogue the highest seq there may be, and 0.
        chunks: how many the message has; 0 of a catalogue.
        shelves: of a catalogue, the shelves of its space, with spaces between them.
        vector: empty where it was not asked for.
    """

    id: str
    shelf: str
    seq: int
    chunk: int
    chunks: int
    shelves: str = ""
    vector: Vector = ()

    @property
    def metadata(self) -> dict[str, str | int]:
        """What stands beside the vector."""
        return {
            "shelf": self.shelf,
            "seq": self.seq,
            "chunk": self.chunk,
            "chunks": self.chunks,
            "shelves": self.shelves,
        }


class Product:
    """How one kind of vector database is asked.  Everything here blocks, and runs on a thread of the index.

    Args:
        store: a ``VectorStore`` that is there, built with a ``VectorText``; a subclass may open its own instead.

    Attributes:
        label: the database's name, short.
        parallel: searches at the same time; 1 where one connection, or a library in this process, serves all.
        most: results that one search may give.
        batch: entries in one request.
        unseen: chunks deleted of a message even where none is seen; more than 0 where what was just written shows late.
    """

    label = "langchain"
    parallel = 1
    most = 10_000
    batch = 500
    unseen = 0

    def __init__(self, store: VectorStore | None = None) -> None:
        self._only = store
        self._size = 0
        if store is not None and not isinstance(store.embeddings, VectorText | None):
            raise InvalidInput(
                "vectors",
                f"build the {type(store).__name__} with jiyi.vectors.langchain.VectorText() as its embedding function: "
                f"Jiyi makes the vectors, and {type(store.embeddings).__name__} would be given what is none of a text",
            )

    def stores(self) -> dict[int, VectorStore]:
        """Every collection there is: dimensions -> store; of one whose dimensions nobody knows yet, 0."""
        return {} if self._only is None else {self._size: self._only}

    def store(self, size: int, *, make: bool) -> VectorStore | None:
        """The collection for vectors of that many dimensions, made where there is none.

        Raises:
            InvalidInput: there is one collection, and it is of other dimensions.
        """
        if make and not self._size:
            self._size = size
        if self._size in (0, size):
            return self._only
        if make:
            raise InvalidInput(
                "vectors", f"the {self.label} collection has {self._size} dimensions, and the model's vectors {size}"
            )
        return None

    def add(self, store: VectorStore, entries: Sequence[Entry]) -> None:
        """Stores entries, in place of those with the same ids."""
        texts, metadatas = [write(entry.vector) for entry in entries], [entry.metadata for entry in entries]
        store.add_texts(texts, metadatas, ids=[entry.id for entry in entries])

    def get(self, store: VectorStore, ids: Sequence[str], *, vectors: bool) -> list[Entry]:
        """The entries with these ids, as far as they are there, in any order; with their vectors where asked for."""
        return self.found(store.get_by_ids(list(ids)))

    def search(self, store: VectorStore, vector: Vector, shelf: str, limit: int) -> list[Entry]:
        """The entries of a shelf nearest to a vector, with their vectors; may give others too."""
        return self.found(store.similarity_search_by_vector(_floats(vector), k=limit, **self.where(shelf)))

    def where(self, shelf: str) -> dict[str, Any]:
        """The keyword arguments that confine a search to a shelf."""
        return {"filter": {"shelf": shelf}}

    def delete(self, store: VectorStore, ids: Sequence[str]) -> None:
        """Deletes entries that are there."""
        if store.delete(list(ids)) is False:
            raise VectorsError(f"{self.label}: the vectors could not be deleted; its log says why")

    def close(self) -> None:
        """Lets go of what it opened itself; a store that was given belongs to who gave it."""

    def explain(self, error: Exception) -> JiyiError:
        """An error of the database as one of ours, with the way out."""
        if isinstance(error, ImportError):
            return MissingDependency(f"{self.label} as an index of vectors needs a package: {error}")
        what = f"{type(error).__name__}: {error}".replace("\n", " ")[:SHOWN]
        if isinstance(error, OSError):  # with TimeoutError and ConnectionError
            return VectorsUnavailable(
                f"{self.label} does not answer; what was said is stored, try again later ({what})"
            )
        return VectorsError(f"{self.label}: {what}")

    def found(self, documents: Sequence[Document]) -> list[Entry]:
        """Documents as entries; what is none of ours is left out."""
        kept: list[Entry] = []
        for document in documents:
            try:
                kept.append(entry(document.metadata, read(document.page_content)))
            except (KeyError, TypeError, ValueError):
                continue
        return kept


class InMemory(Product):
    """LangChain's ``InMemoryVectorStore``: its filter is a function."""

    label = "memory"

    def where(self, shelf: str) -> dict[str, Any]:
        """See ``Product.where``."""

        def on_it(document: Document) -> bool:
            return cast("dict[str, object]", document.metadata).get("shelf") == shelf

        return {"filter": on_it}


def product(store: VectorStore) -> Product:
    """What knows a LangChain vector store; for one that nobody knows, what LangChain promises of all."""
    for kind in type(store).__mro__:
        target = _KNOWN.get(kind.__module__.partition(".")[0])
        if target is not None and kind.__name__ != "VectorStore":
            module, _, name = target.partition(":")
            return cast("Product", getattr(import_module(module), name)(store))
    return Product(store)


def entry(metadata: Mapping[str, Any], vector: Vector) -> Entry:
    """What a database gave back, as an entry; whole numbers may come back as floats.

    Raises:
        KeyError: something is missing: it is none of ours.
    """
    return Entry(
        id="",
        shelf=str(metadata["shelf"]),
        seq=int(metadata["seq"]),
        chunk=int(metadata["chunk"]),
        chunks=int(metadata["chunks"]),
        shelves=str(metadata["shelves"]),
        vector=vector,
    )


def place(label: str, address: str, collection: str) -> str:
    """The name of an index: it tells places apart, and shows neither a directory nor a host."""
    where = blake2b(f"{address.strip()}\n{collection}".encode(), digest_size=4).hexdigest()
    return f"{label}:{collection}:{where}"


def _floats(vector: Vector) -> list[float]:
    return [float(value) for value in vector]


__all__ = ["Entry", "InMemory", "Product", "entry", "place", "product"]
