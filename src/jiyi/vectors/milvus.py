"""Milvus as the place of the vectors: a file with Milvus Lite, or a server."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

from jiyi.errors import InvalidInput, JiyiError, MissingDependency, VectorsError, VectorsUnavailable
from jiyi.types import Vector
from jiyi.vectors.collections import Collections
from jiyi.vectors.langchain import LangChainVectors
from jiyi.vectors.product import SHOWN, Entry, entry, place
from jiyi.vectors.written import VectorText, read, write

if TYPE_CHECKING:
    from langchain_core.vectorstores import VectorStore

_TIMEOUT = 30.0
"""Seconds a server has to answer."""

_UNREACHABLE = 2
"""Code of an error of pymilvus: no connection."""

_lite: Counter[str] = Counter()
"""How often a file is open in this process: Milvus Lite has one server for all of them, which the last one stops."""
_lite_lock = Lock()


class Milvus(Collections):
    """How Milvus is asked.

    Args:
        store: a ``langchain_milvus.Milvus`` that is there, with fields for our metadata (or dynamic ones), and
            ``consistency_level="Strong"``.
        address: otherwise a file that ends with ``.db``, or ``http://host:port`` of a server.
        key: token of the server, ``user:password`` or an API key.
        collection: what names of collections begin with; the dimensions follow.
    """

    label = "milvus"
    most = 16_384
    batch = 500

    def __init__(self, store: VectorStore | None = None, **where: str) -> None:
        super().__init__(store, **where)
        self._server = "://" in self._address
        self.parallel = 4 if self._server else 1

    def add(self, store: VectorStore, entries: Sequence[Entry]) -> None:
        """See ``Product.add``; LangChain's ``add_texts`` would keep what had the same ids."""
        from langchain_core.documents import Document

        documents = [Document(page_content=write(one.vector), metadata=one.metadata) for one in entries]
        cast("Any", store).upsert(ids=[one.id for one in entries], documents=documents)

    def get(self, store: VectorStore, ids: Sequence[str], *, vectors: bool) -> list[Entry]:
        """See ``Product.get``."""
        milvus, text = cast("Any", store), str(cast("Any", store)._text_field)
        fields = ["shelf", "seq", "chunk", "chunks", "shelves", *([text] if vectors else [])]
        rows = milvus.client.get(milvus.collection_name, ids=list(ids), output_fields=fields)
        return [entry(row, read(row[text]) if vectors else ()) for row in rows]

    def search(self, store: VectorStore, vector: Vector, shelf: str, limit: int) -> list[Entry]:
        """See ``Product.search``."""
        return self.found(store.similarity_search(write(vector), k=limit, expr=f'shelf == "{shelf}"'))

    def delete(self, store: VectorStore, ids: Sequence[str]) -> None:
        """See ``Product.delete``; LangChain's ``delete`` would not say why it failed."""
        milvus = cast("Any", store)
        milvus.client.delete(milvus.collection_name, ids=list(ids))

    def close(self) -> None:
        """See ``Product.close``."""
        for store in self._opened.values():
            cast("Any", store).client.close()
        connected = self._client is not None
        super().close()
        if connected and not self._server:
            _let_go(self._address)

    def explain(self, error: Exception) -> JiyiError:
        """See ``Product.explain``."""
        what = f"{type(error).__name__}: {error}".replace("\n", " ")[:SHOWN]
        text, code = str(error).lower(), cast("object", getattr(error, "code", None))
        if "expected dim" in text or "dimension" in text or "the length" in text:
            return InvalidInput("vectors", f"the Milvus collection is of another model: name another one ({what})")
        if "auth" in text:
            return VectorsError(f"Milvus at {self._address} wants another key: set MILVUS_TOKEN ({what})")
        if code == _UNREACHABLE or type(error).__name__ in ("MilvusUnavailableException", "ConnectError", "RpcError"):
            return VectorsUnavailable(f"Milvus at {self._address} does not answer: start it, or try again ({what})")
        return super().explain(error)

    def _connected(self) -> Any:
        if self._client is None:
            from pymilvus import MilvusClient  # pyright: ignore[reportMissingTypeStubs]

            if not self._server:
                Path(self._address).parent.mkdir(parents=True, exist_ok=True)
                with _lite_lock:
                    _lite[str(Path(self._address).resolve())] += 1
            self._client = MilvusClient(**self._arguments())
        return self._client

    def _arguments(self) -> dict[str, Any]:
        return {"uri": self._address, "timeout": _TIMEOUT, **({"token": self._key} if self._key else {})}

    def _names(self) -> list[str]:
        return [str(name) for name in self._connected().list_collections()]

    def _open(self, name: str, size: int) -> VectorStore:
        from langchain_milvus import Milvus as Store

        self._make(name, size)
        return Store(
            VectorText(),
            collection_name=name,
            connection_args=self._arguments(),
            consistency_level="Strong",
            timeout=_TIMEOUT,
        )

    def _make(self, name: str, size: int) -> None:
        """Makes a collection where there is none; another process may do the same."""
        from pymilvus import DataType  # pyright: ignore[reportMissingTypeStubs]

        client = self._connected()
        if client.has_collection(name):
            return
        schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("pk", DataType.VARCHAR, is_primary=True, max_length=36)
        schema.add_field("text", DataType.VARCHAR, max_length=65_535)
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=size)
        schema.add_field("shelf", DataType.VARCHAR, max_length=32)
        for field in ("seq", "chunk", "chunks"):
            schema.add_field(field, DataType.INT64)
        schema.add_field("shelves", DataType.VARCHAR, max_length=65_535)
        index = client.prepare_index_params()
        index.add_index("vector", index_type="AUTOINDEX", metric_type="COSINE")
        try:
            client.create_collection(name, schema=schema, index_params=index, consistency_level="Strong")
        except Exception:
            if not client.has_collection(name):
                raise


class MilvusVectors(LangChainVectors):
    """Keeps the vectors in Milvus; a collection for each number of dimensions, made when it is needed.

    Args:
        address: a file that ends with ``.db`` (Milvus Lite, in this process), or ``http://host:port`` of a server.
        key: token of the server.
        collection: what the names of collections begin with; another one where somebody else has that name.

    Raises:
        InvalidInput: no address.
        MissingDependency: ``langchain-milvus`` or, for a file, ``milvus-lite`` is not installed.
    """

    def __init__(self, address: str, *, key: str = "", collection: str = "jiyi") -> None:
        address = address.strip()
        local = "://" not in address
        if not address or (local and not address.endswith(".db")):
            raise InvalidInput(
                "vectors",
                "milvus needs a file that ends with .db or an address: milvus:vectors.db, milvus:http://host:19530",
            )
        for package in ("langchain_milvus", *(["milvus_lite"] if local else [])):
            if importlib.util.find_spec(package) is None:
                raise MissingDependency(f"vectors in Milvus need the package {package}: pip install 'jiyi[milvus]'")
        found = Milvus(address=address, key=key, collection=collection)
        super().__init__(found, name=place("milvus", address, collection))


def _let_go(file: str) -> None:
    """Stops the server of a file that nobody in this process has open any more."""
    path = str(Path(file).resolve())
    with _lite_lock:
        _lite[path] -= 1
        if _lite[path] > 0:
            return
        del _lite[path]
        servers = import_module("milvus_lite.server_manager")
        servers.server_manager_instance.release_server(file)


__all__ = ["Milvus", "MilvusVectors"]
