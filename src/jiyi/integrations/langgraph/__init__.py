"""Jiyi in LangGraph: its store, what stands before and after the model, and what keeps a state small."""

from __future__ import annotations

try:
    import langgraph.store.base as _installed  # noqa: F401  # pyright: ignore[reportUnusedImport]
except ModuleNotFoundError as error:
    from jiyi.errors import MissingDependency

    raise MissingDependency("this needs the package langgraph: pip install 'jiyi[langgraph]'") from error

from jiyi.integrations.langgraph.nodes import SUMMARY_ID, jiyi_pre_model_hook, jiyi_recording_node
from jiyi.integrations.langgraph.store import JiyiStore
from jiyi.integrations.langgraph.summarising import jiyi_summarising_node

__all__ = ["SUMMARY_ID", "JiyiStore", "jiyi_pre_model_hook", "jiyi_recording_node", "jiyi_summarising_node"]
