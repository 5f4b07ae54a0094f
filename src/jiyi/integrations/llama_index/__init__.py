"""Jiyi in LlamaIndex: a memory block, and chat stores."""

from __future__ import annotations

try:
    import llama_index.core as _installed  # noqa: F401  # pyright: ignore[reportUnusedImport]
except ModuleNotFoundError as error:
    from jiyi.errors import MissingDependency

    raise MissingDependency("this needs the package llama-index-core: pip install 'jiyi[llama-index]'") from error

from jiyi.integrations.llama_index.block import JiyiMemoryBlock
from jiyi.integrations.llama_index.chat_store import JiyiChatStore
from jiyi.integrations.llama_index.queue_store import JiyiQueueStore

__all__ = ["JiyiChatStore", "JiyiMemoryBlock", "JiyiQueueStore"]
