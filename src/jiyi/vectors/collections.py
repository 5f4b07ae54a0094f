"""A vector database that makes a collection for each number of dimensions."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jiyi.vectors.product import Product

if TYPE_CHECKING:
    from langchain_core.vectorstores import VectorStore


class Collections(Product, ABC):
    """How such a database is asked.

    Args:
        store: a ``VectorStore`` that is there.
        address: otherwise where the database is.
        key: of a server.
        collection: what names of collections begin with; the dimensions follow.
    """

    def __init__(
        self, store: VectorStore | None = None, *, address: str = "", key: str = "", collection: str = "jiyi"
    ) -> None:
        super().__init__(store)
        self._address, self._key, self._collection = address, key, collection
        self._client: Any = None
        self._opened: dict[int, VectorStore] = {}

    def stores(self) -> dict[int, VectorStore]:
        """See ``Product.stores``."""
        if self._only is not None:
            return super().stores()
        form = re.compile(rf"{re.escape(self._collection)}_(\d+)")
        sizes = [int(named[1]) for name in self._names() if (named := form.fullmatch(name))]
        return {size: self._there(size) for size in sizes}

    def store(self, size: int, *, make: bool) -> VectorStore | None:
        """See ``Product.store``."""
        if self._only is not None:
            return super().store(size, make=make)
        return self._there(size) if make or size in self._opened else self.stores().get(size)

    def close(self) -> None:
        """See ``Product.close``."""
        self._opened = {}
        if self._client is not None:
            self._client.close()
            self._client = None

    def _there(self, size: int) -> VectorStore:
        if size not in self._opened:
            self._opened[size] = self._open(f"{self._collection}_{size}", size)
        return self._opened[size]

    @abstractmethod
    def _names(self) -> Sequence[str]:
        """The names of all collections."""

    @abstractmethod
    def _open(self, name: str, size: int) -> VectorStore:
        """A collection, made where there is none."""


__all__ = ["Collections"]
