"""A user's memory as a LangChain retriever."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from pydantic import ConfigDict, Field

from jiyi.integrations.langchain.remembering import user_of
from jiyi.sync import Memory
from jiyi.types import Hit, Record
from jiyi.waiting import elsewhere, run

if TYPE_CHECKING:
    from jiyi.types import JSON


class JiyiRetriever(BaseRetriever):
    """What a user's memory has for a question, best first: messages word for word, and what was derived, with quotes.

    A document's text is the message's; its metadata says ``id``, ``kind``, ``role``, ``session_id``, ``said_at`` (ISO
    8601, or None), ``relevance`` (0 to 1) and ``score``.  A record's are ``id``, ``kind``, ``said_at`` and ``sources``,
    a list of ``message_id`` and ``quote``.

    Attributes:
        memory: the memory.
        user_id: whose; None to take it from the run, as ``Remembering`` does.
        k: messages at most; ``invoke(question, k=3)`` goes above it.
        floor: least relevance, 0 to 1; None for the calibrated one, under which unrelated questions get nothing; 0 for
            the best there are.
        kinds: what else is brought, behind the messages: kinds of records, for example ``("fact", "note")``.
        where: filters of ``Memory.search``, for example ``{"roles": "user"}``.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory
    user_id: str | None = None
    k: int = Field(10, ge=0)
    floor: float | None = Field(None, ge=0, le=1)
    kinds: tuple[str, ...] = ()
    where: dict[str, Any] = Field(default_factory=dict[str, Any])

    def invoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:
        """See ``BaseRetriever.invoke``; ``k`` goes above that of the retriever."""
        return super().invoke(input, config, **kwargs, user_id=user_of(self.user_id, config))

    async def ainvoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:
        """See ``invoke``."""
        return await super().ainvoke(input, config, **kwargs, user_id=user_of(self.user_id, config))

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, user_id: str = "", k: int | None = None
    ) -> list[Document]:
        return run(self._found(query, user_id, self.k if k is None else k))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, user_id: str = "", k: int | None = None
    ) -> list[Document]:
        return await elsewhere(self._found(query, user_id, self.k if k is None else k))

    async def _found(self, query: str, user_id: str, k: int) -> list[Document]:
        memory = self.memory.inner
        hits = await memory.search(query, user_id=user_id, k=k, floor=self.floor, **self.where)
        records = [
            record
            for kind in self.kinds
            for record in await memory.records(user_id=user_id, query=query, kind=kind, limit=k)
        ]
        return [*map(_of_hit, hits), *map(_of_record, records)]


def _of_hit(hit: Hit) -> Document:
    message = hit.message
    metadata: dict[str, JSON] = {
        "id": message.id,
        "kind": message.kind,
        "role": message.role,
        "session_id": message.session_id,
        "said_at": message.created_at.isoformat() if message.created_at else None,
        "relevance": hit.relevance,
        "score": hit.score,
    }
    return Document(message.text, id=message.id, metadata=metadata)


def _of_record(record: Record) -> Document:
    sources: Sequence[JSON] = [{"message_id": source.message_id, "quote": source.quote} for source in record.sources]
    metadata: dict[str, JSON] = {
        "id": record.id,
        "kind": record.kind,
        "said_at": record.said_at.isoformat() if record.said_at else None,
        "sources": sources,
    }
    return Document(record.text, id=record.id, metadata=metadata)


__all__ = ["JiyiRetriever"]
