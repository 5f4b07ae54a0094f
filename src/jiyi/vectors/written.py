"""Vectors written as text, for vector databases that embed texts: what they are given to embed is the vector itself."""

from __future__ import annotations

import binascii
import struct
import threading
from base64 import b64decode, b64encode
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from jiyi.errors import InvalidInput, MissingDependency
from jiyi.types import Vector

try:
    from langchain_core.embeddings import Embeddings
except ImportError as error:
    raise MissingDependency(
        "an index of vectors behind LangChain needs the package langchain-core: pip install 'jiyi[langchain]'"
    ) from error

_PREFIX = "f16:"
"""Little-endian half-precision numbers, base64: a rounding of 0.0003 of each number, less than 0.0005 of a cosine."""


def write(vector: Vector) -> str:
    """A vector as text."""
    return _PREFIX + b64encode(struct.pack(f"<{len(vector)}e", *vector)).decode("ascii")


def read(text: str) -> tuple[float, ...]:
    """The vector that ``write`` wrote.

    Raises:
        ValueError: it is something else.
    """
    if not text.startswith(_PREFIX):
        raise ValueError("no vector")
    data = b64decode(text.removeprefix(_PREFIX), validate=True)
    if not data:
        raise ValueError("an empty vector")
    return struct.unpack(f"<{len(data) // 2}e", data)


class VectorText(Embeddings):
    """The embedding function of a vector store that serves as Jiyi's index: it reads vectors that Jiyi wrote as text,
    and embeds nothing.  Jiyi makes the vectors itself, so that no text of a message ever goes there.
    """

    def __init__(self) -> None:
        self._handed = threading.local()

    @contextmanager
    def handing(self, vectors: Mapping[str, Sequence[float]]) -> Generator[None]:
        """Lets this thread embed these texts too, for databases that should not store the vector as a text as well."""
        self._handed.vectors = vectors
        try:
            yield
        finally:
            self._handed.vectors = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """The vectors that are written there.

        Raises:
            InvalidInput: a text is none of Jiyi's; it is not shown.
        """
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The vector that is written there.

        Raises:
            InvalidInput: it is none of Jiyi's; it is not shown.
        """
        return self._vector(text)

    def _vector(self, text: str) -> list[float]:
        handed: Mapping[str, Sequence[float]] = getattr(self._handed, "vectors", {})
        if text in handed:
            return list(handed[text])
        try:
            return list(read(text))
        except (ValueError, binascii.Error, struct.error) as error:
            raise InvalidInput(
                "vectors",
                "this vector store keeps Jiyi's vectors and embeds no texts: search with the memory, and keep other "
                "texts in another store. Checks that embed a text by the way must be off, such as Qdrant's "
                "validate_collection_config",
            ) from error


__all__ = ["VectorText", "read", "write"]
