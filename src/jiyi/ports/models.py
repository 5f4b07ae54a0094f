"""Models, and what counts tokens as they do."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Protocol

from jiyi.types import JSON, ChatMessage, Delta, Reply, Vector


class TokenCounter(Protocol):
    """Counts tokens as one model's tokenizer would.  Pure: the same text always gives the same count."""

    name: str
    exact: bool
    """False for an estimate."""

    def count(self, text: str) -> int:
        """Tokens of a bare text; 0 only for the empty text."""
        ...

    def cut(self, text: str, tokens: int) -> str:
        """The longest beginning of ``text`` of at most ``tokens`` tokens that ends between two characters a reader
        sees (no broken surrogate, joined emoji or combining mark).
        """
        ...


class Embedder(Protocol):
    """Turns text into unit-length vectors.  CPU work runs off the event loop."""

    name: str
    """Model, stored with the vectors: vectors of different names are never compared."""
    size: int
    """Dimensions; 0 before the first vector where only the model, or its server, knows."""

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """One vector per passage, in order; an empty list gives an empty list.  The same text gives the same vector
        whatever stands beside it.
        """
        ...

    async def embed_query(self, text: str) -> Vector:
        """The vector of a question (models may treat questions and passages differently)."""
        ...

    def split(self, text: str) -> Sequence[str]:
        """Cuts a long text into pieces the model can take whole, in order; a short text gives itself alone.  Called off
        the event loop, also while ``embed_query`` runs.
        """
        ...


class LLM(Protocol):
    """A chat model.

    Messages are in chat-completions format and go out in the order given.  What a reasoning model thinks before it
    answers, as ``<think>`` text or in a field of its own, is never part of the text.  Errors: ``ModelUnavailable``
    after the adapter's own retries, ``ModelRejected``, ``ContextOverflow``, and ``ModelError`` for a reply that cannot
    be read; their messages say what to do and never hold a key.
    """

    name: str
    """Provider and model, for example ``ollama:qwen3:8b``; stored beside what it said or derived."""

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, JSON] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """The whole answer.  ``schema``: the JSON schema the answer should follow; a server that cannot hold the model
        to it gets the request without, so the caller reads the text with care.  ``max_tokens``: of the answer.
        """
        ...

    def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int | None = None) -> AsyncGenerator[Delta, None]:
        """The answer piece by piece; the last piece of a complete one has ``finish`` and ``usage``.  Retries only
        before the first piece.  Closing the generator ends the request.
        """
        ...

    async def close(self) -> None:
        """Lets go of connections and weights; a second call does nothing."""
        ...
