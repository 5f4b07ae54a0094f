"""A stand-in for Pinecone on 127.0.0.1: one serverless index, its data plane and as much of its control plane as is
needed to find it, with the limits that Pinecone documents."""

from __future__ import annotations

import json
import math
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

KEY = "pcsk_do-not-show-0123456789"
REQUEST, VECTORS, METADATA, IDS, TOP, ADDRESS = 2 * 1024 * 1024, 1000, 40 * 1024, 1000, 10_000, 8 * 1024
"""Bytes of a request, vectors of an upsert, bytes of one's metadata, ids of a delete or fetch, results, address."""


class Refusal(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class Index:
    """What is stored, and what was asked."""

    dimension: int
    url: str = ""
    failing: int = 0
    spaces: dict[str, dict[str, dict[str, Any]]] = field(default_factory=lambda: defaultdict(dict))
    requests: list[tuple[str, int]] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def upsert(self, body: dict[str, Any]) -> dict[str, Any]:
        vectors = body["vectors"]
        if len(vectors) > VECTORS:
            raise Refusal(400, f"Too many vectors: at most {VECTORS} in a request")
        for one in vectors:
            if len(one["values"]) != self.dimension:
                wanted = f"the dimension of the index {self.dimension}"
                raise Refusal(400, f"Vector dimension {len(one['values'])} does not match {wanted}")
            if not any(one["values"]):
                raise Refusal(400, "Dense vectors must contain at least one non-zero value")
            metadata = one.get("metadata") or {}
            if len(json.dumps(metadata).encode()) > METADATA:
                raise Refusal(400, "metadata size exceeds the limit of 40960 bytes per vector")
            if not all(isinstance(value, str | int | float | bool | list) for value in metadata.values()):
                raise Refusal(400, "Metadata value must be a string, number, boolean or list of strings")
            self.spaces[body.get("namespace", "")][one["id"]] = one
        return {"upsertedCount": len(vectors)}

    def query(self, body: dict[str, Any]) -> dict[str, Any]:
        if not 1 <= body["topK"] <= TOP:
            raise Refusal(400, f"topK must be between 1 and {TOP}")
        if len(body["vector"]) != self.dimension:
            raise Refusal(
                400, f"Query vector dimension {len(body['vector'])} does not match the dimension of the index"
            )
        found = [
            {"id": one["id"], "score": _cosine(body["vector"], one["values"]), "values": [], "metadata": _given(one)}
            for one in self.spaces[body.get("namespace", "")].values()
            if _passes(body.get("filter") or {}, one.get("metadata") or {})
        ]
        found.sort(key=lambda one: -one["score"])
        return {"matches": found[: body["topK"]], "namespace": body.get("namespace", ""), "usage": {"readUnits": 1}}

    def fetch(self, ids: list[str], namespace: str) -> dict[str, Any]:
        if len(ids) > IDS:
            raise Refusal(400, f"at most {IDS} ids")
        there = self.spaces[namespace]
        return {
            "vectors": {id_: {**there[id_], "metadata": _given(there[id_])} for id_ in ids if id_ in there},
            "namespace": namespace,
            "usage": {"readUnits": 1},
        }

    def delete(self, body: dict[str, Any]) -> dict[str, Any]:
        if len(body.get("ids", ())) > IDS:
            raise Refusal(400, f"at most {IDS} ids")
        for id_ in body["ids"]:
            self.spaces[body.get("namespace", "")].pop(id_, None)
        return {}

    def stats(self) -> dict[str, Any]:
        counts = {name: {"vectorCount": len(there)} for name, there in self.spaces.items()}
        total = sum(map(len, self.spaces.values()))
        return {"namespaces": counts, "dimension": self.dimension, "indexFullness": 0.0, "totalVectorCount": total}

    def describe(self, name: str) -> dict[str, Any]:
        if name != "memories":
            raise Refusal(404, f"Resource {name} not found")
        return {
            "name": name,
            "metric": "cosine",
            "dimension": self.dimension,
            "host": self.url,
            "spec": {"serverless": {"cloud": "aws", "region": "us-east-1"}},
            "status": {"ready": True, "state": "Ready"},
            "vector_type": "dense",
            "deletion_protection": "disabled",
        }


def _given(one: dict[str, Any]) -> dict[str, Any]:
    """Numbers of metadata come back as floats."""
    return {key: float(value) if type(value) is int else value for key, value in (one.get("metadata") or {}).items()}


def _passes(wanted: dict[str, Any], metadata: dict[str, Any]) -> bool:
    return all(metadata.get(key) == value for key, value in wanted.items())


def _cosine(one: list[float], other: list[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    index: ClassVar[Index]

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length", "0"))
        data = self.rfile.read(size)
        self.index.bodies.append(data.decode())
        self._answer(json.loads(data or b"{}"), size)

    def _answer(self, body: dict[str, Any], size: int = 0) -> None:
        at = urlsplit(self.path)
        self.index.requests.append((at.path, size))
        try:
            with self.index.lock:
                status, said = 200, self._result(at.path, parse_qs(at.query), body, size)
        except Refusal as error:
            status, said = error.status, {"code": 3, "message": str(error), "details": []}
        data = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _result(self, path: str, query: dict[str, list[str]], body: dict[str, Any], size: int) -> dict[str, Any]:
        if self.headers.get("Api-Key") != KEY:
            raise Refusal(401, "Invalid API Key")
        if self.index.failing:
            raise Refusal(self.index.failing, "the service is not there just now")
        if size > REQUEST or len(self.path) > ADDRESS:
            raise Refusal(413, "Request is too large")
        if path == "/vectors/fetch":
            return self.index.fetch(query.get("ids", []), query.get("namespace", [""])[0])
        if path.startswith("/indexes/"):
            return self.index.describe(path.removeprefix("/indexes/"))
        if path == "/describe_index_stats":
            return self.index.stats()
        return {"/vectors/upsert": self.index.upsert, "/query": self.index.query, "/vectors/delete": self.index.delete}[
            path
        ](body)

    def log_message(self, *args: object) -> None:
        """Says nothing."""


@contextmanager
def pinecone_server(dimension: int) -> Iterator[Index]:
    """Runs one for the length of a block."""
    index = Index(dimension)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"index": index}))
    server.daemon_threads = True
    index.url = f"http://127.0.0.1:{server.server_port}"
    serving = threading.Thread(target=server.serve_forever, args=(0.02,))
    serving.start()
    try:
        yield index
    finally:
        server.shutdown()
        server.server_close()
        serving.join()
