"""Tries models part by part, as Jiyi uses them, and says what works: for ``jiyi doctor --llm``."""

from jiyi.trying.chat import try_llm
from jiyi.trying.embedding import try_embedder
from jiyi.trying.parts import State, Trial, Tried

__all__ = ["Tried", "State", "Trial", "try_embedder", "try_llm"]
