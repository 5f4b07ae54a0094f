"""Any embeddings of LangChain as an embedder."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from jiyi.embedders import pieces
from jiyi.errors import MissingDependency, ModelError
from jiyi.raised import meant

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

    from jiyi.types import Vector

_ADVICE = "it needs the package langchain, and the provider's own: pip install 'jiyi[langchain]' langchain-openai"
_TOGETHER = 64
"""Texts that are sent at once."""


class LangChainEmbedder:
    """Embeddings of LangChain; questions through ``aembed_query``, passages through ``aembed_documents``.

    What has only methods that block runs in a thread.  Vectors are brought to unit length.

    Attributes:
        size: 0 before the first vector.

    Args:
        embeddings: an instance, or ``PROVIDER:MODEL`` as ``init_embeddings`` takes it.
        name: stored with the vectors; None for ``langchain:`` and the class and model that the instance names.

    Raises:
        MissingDependency: langchain or the provider's package is not installed.
        ModelRejected: no such provider, or a key is missing.
    """

    def __init__(self, embeddings: Embeddings | str, *, name: str | None = None) -> None:
        self.size = 0
        if isinstance(embeddings, str):
            self.name = name or f"langchain:{embeddings}"
            self._embeddings: Any = _opened(embeddings, self.name)
        else:
            self.name = name or _named(embeddings)
            self._embeddings = embeddings

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """See ``Embedder.embed``."""
        found: list[Vector] = []
        for start in range(0, len(texts), _TOGETHER):
            batch = [_readable(text) for text in texts[start : start + _TOGETHER]]
            vectors = await self._asked(self._embeddings.aembed_documents(batch))
            if len(vectors) != len(batch):
                raise ModelError(f"{self.name} gave {len(vectors)} vectors for {len(batch)} texts")
            found += map(self._unit, vectors)
        return found

    async def embed_query(self, text: str) -> Vector:
        """See ``Embedder.embed_query``."""
        return self._unit(await self._asked(self._embeddings.aembed_query(_readable(pieces.clip(text)))))

    def split(self, text: str) -> Sequence[str]:
        """See ``Embedder.split``: by characters, because the model's own limit is not known."""
        return pieces.split(text)

    async def _asked(self, work: Any) -> Any:
        try:
            return await work
        except Exception as error:
            raise meant(self.name, error, _secrets(self._embeddings)) from error

    def _unit(self, vector: Sequence[float]) -> Vector:
        values = [float(value) for value in vector]
        length = math.sqrt(math.fsum(value * value for value in values))
        if not values or not math.isfinite(length):
            raise ModelError(f"{self.name} gave a vector that is none")
        if self.size not in (0, len(values)):
            raise ModelError(f"{self.name} gave {len(values)} dimensions, and {self.size} before; index it anew")
        self.size = len(values)
        if not length:  # of nothing, as some models have it: any direction will do, if always the same
            return [1.0, *[0.0] * (len(values) - 1)]
        return [value / length for value in values]


def _opened(spec: str, name: str) -> Any:
    try:
        package: Any = importlib.import_module("langchain.embeddings")
    except ModuleNotFoundError as error:
        raise MissingDependency(f"{name}: {_ADVICE}") from error
    try:
        return package.init_embeddings(spec)
    except Exception as error:
        raise meant(name, error) from error


def _named(embeddings: object) -> str:
    given: Any = embeddings
    fields = ("model", "model_name", "model_id", "deployment")
    said = next((value for field in fields if isinstance(value := getattr(given, field, None), str) and value), "")
    kind = type(given).__name__
    return f"langchain:{kind}:{said.strip()}" if said.strip() else f"langchain:{kind}"


def _secrets(holder: object) -> list[str]:
    fields = cast("dict[str, Any]", getattr(holder, "__dict__", {}))
    return [value.get_secret_value() for value in fields.values() if hasattr(value, "get_secret_value")]


def _readable(text: str) -> str:
    """What can be sent: no half characters, and not nothing, which some servers refuse."""
    return text.encode("utf-8", "replace").decode() if text.strip() else " "


__all__ = ["LangChainEmbedder"]
