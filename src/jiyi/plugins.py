"""From a name to a class: built in by convention, else an entry point, else ``package.module:Class``."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Literal

from jiyi.errors import MissingDependency, NotFound

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

Kind = Literal["stores", "embedders", "llms", "strategies", "vectors"]

BUILT_IN: dict[Kind, dict[str, str]] = {
    "stores": {"memory": "jiyi.stores.memory:MemoryStore", "sqlite": "jiyi.stores.sqlite:SqliteStore"},
    "embedders": {
        "hashing": "jiyi.embedders.hashing:HashingEmbedder",
        "langchain": "jiyi.embedders.langchain:LangChainEmbedder",
        "local": "jiyi.embedders.local:LocalEmbedder",
        "openai": "jiyi.embedders.openai:OpenAIEmbedder",
        "sentence_transformers": "jiyi.embedders.sentence_transformers:SentenceTransformersEmbedder",
    },
    "llms": {
        "langchain": "jiyi.llms.langchain:LangChainChat",
        "llamacpp": "jiyi.llms.llamacpp:LlamaCpp",
        "openai": "jiyi.llms.openai:OpenAIChat",
    },
    "strategies": {
        "entities": "jiyi.strategies.entities:Entities",
        "facts": "jiyi.strategies.facts:Facts",
        "full_history": "jiyi.strategies.full_history:FullHistory",
        "graph": "jiyi.strategies.graph:Graph",
        "importance": "jiyi.strategies.importance:Importance",
        "notes": "jiyi.strategies.notes:Notes",
        "key_facts": "jiyi.strategies.key_facts:KeyFacts",
        "recall": "jiyi.strategies.recall:Recall",
        "rolling_summary": "jiyi.strategies.rolling_summary:RollingSummary",
        "sliding_window": "jiyi.strategies.sliding_window:SlidingWindow",
        "snapshot": "jiyi.strategies.snapshot:Snapshot",
        "summary_buffer": "jiyi.strategies.summary_buffer:SummaryBuffer",
        "token_buffer": "jiyi.strategies.token_buffer:TokenBuffer",
        "topics": "jiyi.strategies.topics:Topics",
    },
    "vectors": {
        "chroma": "jiyi.vectors.chroma:ChromaVectors",
        "memory": "jiyi.vectors.memory:MemoryVectors",
        "milvus": "jiyi.vectors.milvus:MilvusVectors",
        "pinecone": "jiyi.vectors.pinecone:PineconeVectors",
        "qdrant": "jiyi.vectors.qdrant:QdrantVectors",
    },
}


_FORMS: dict[Kind, str] = {
    "llms": "write it with its model, for example ollama:qwen3:8b",
    "vectors": "write it with its place, for example chroma:DIR",
}
"""How a name must be written where it alone says too little."""


def load(kind: Kind, name: str) -> Any:
    """The class a name stands for.

    Args:
        kind: what it must be; also the last part of the entry point group ``jiyi.<kind>``.
        name: ``sqlite``, the name of an entry point, or ``package.module:Class``.

    Raises:
        NotFound: nothing goes by that name; the message lists what there is.
        MissingDependency: it needs a package that is not installed.
    """
    if target := BUILT_IN[kind].get(name):
        return _import(kind, target)
    points = _registered(kind)
    if name in points.names:
        return _import(kind, points[name].value)
    if ":" in name:
        return _import(kind, name)
    raise unknown(kind, name, names(kind))


def _import(kind: Kind, target: str) -> Any:
    module, _, attribute = target.partition(":")
    try:
        imported = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and not module.startswith(error.name):
            raise MissingDependency(f"{target} needs the package {error.name!r}; install it") from error
        raise NotFound(f"{kind}: there is no module {module!r}") from error
    try:
        return getattr(imported, attribute)
    except AttributeError as error:
        raise NotFound(f"{kind}: {module} has no {attribute!r}") from error


def names(kind: Kind) -> list[str]:
    """Every name that is built in or registered, sorted."""
    return sorted({*BUILT_IN[kind], *_registered(kind).names})


def unknown(kind: Kind, name: str, known: list[str]) -> NotFound:
    """The error for a name that nothing goes by."""
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    form = f"{_FORMS[kind]}, or give package.module:Class" if kind in _FORMS else "or give package.module:Class"
    return NotFound(f"{kind}: unknown name {name!r}; there are {', '.join(known)}; {form}.{hint}")


def _registered(kind: Kind) -> EntryPoints:
    from importlib.metadata import entry_points  # takes a seventh of the time of `import jiyi`, and few have plugins

    return entry_points(group=f"jiyi.{kind}")
