"""Jiyi in LangChain: its messages, the history of a chain, and what an agent remembers with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    import langchain_core as langchain_core
except ModuleNotFoundError as error:
    from jiyi.errors import MissingDependency

    raise MissingDependency("this needs the package langchain-core: pip install 'jiyi[langchain]'") from error

from jiyi.integrations.langchain.embeddings import JiyiEmbeddings
from jiyi.integrations.langchain.history import JiyiChatMessageHistory, recalled_history
from jiyi.integrations.langchain.messages import chat_to_langchain, from_langchain, to_langchain
from jiyi.integrations.langchain.retriever import JiyiRetriever
from jiyi.integrations.langchain.tools import memory_tools

if TYPE_CHECKING:
    from jiyi.integrations.langchain.middleware import JiyiMiddleware


def __getattr__(name: str) -> Any:
    """The middleware needs the package langchain; everything else is content with langchain-core."""
    if name != "JiyiMiddleware":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from jiyi.integrations.langchain.middleware import JiyiMiddleware

    return JiyiMiddleware


__all__ = [
    "JiyiChatMessageHistory",
    "JiyiEmbeddings",
    "JiyiMiddleware",
    "JiyiRetriever",
    "chat_to_langchain",
    "from_langchain",
    "memory_tools",
    "recalled_history",
    "to_langchain",
]
