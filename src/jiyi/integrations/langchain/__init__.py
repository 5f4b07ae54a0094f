"""Jiyi in LangChain: its messages, the history of a chain, and what an agent remembers with."""

from __future__ import annotations

try:
    import langchain_core as langchain_core
except ModuleNotFoundError as error:
    from jiyi.errors import MissingDependency

    raise MissingDependency("this needs the package langchain-core: pip install 'jiyi[langchain]'") from error

from jiyi.integrations.langchain.embeddings import JiyiEmbeddings
from jiyi.integrations.langchain.history import JiyiChatMessageHistory, recalled_history
from jiyi.integrations.langchain.messages import chat_to_langchain, from_langchain, to_langchain

__all__ = [
    "JiyiChatMessageHistory",
    "JiyiEmbeddings",
    "chat_to_langchain",
    "from_langchain",
    "recalled_history",
    "to_langchain",
]
