"""Jiyi (记忆): long-term memory for chatbots and agents."""

from __future__ import annotations

from jiyi.answering import Answer
from jiyi.assembly import Context
from jiyi.engine import AsyncMemory
from jiyi.errors import (
    BudgetTooSmall,
    Conflict,
    ContextOverflow,
    ImportFailed,
    InvalidInput,
    JiyiError,
    MissingDependency,
    ModelError,
    ModelRejected,
    ModelUnavailable,
    NotFound,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreTooNew,
)
from jiyi.session import AsyncSession
from jiyi.strategies.full_history import FullHistory
from jiyi.strategies.importance import Importance
from jiyi.strategies.recall import Recall
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.strategies.token_buffer import TokenBuffer
from jiyi.sync import Memory, Session
from jiyi.types import Checkpoint, Hit, Message, Record, Scope, Source, Usage

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AsyncMemory",
    "AsyncSession",
    "BudgetTooSmall",
    "Checkpoint",
    "Conflict",
    "Context",
    "ContextOverflow",
    "FullHistory",
    "Hit",
    "ImportFailed",
    "Importance",
    "InvalidInput",
    "JiyiError",
    "Memory",
    "Message",
    "MissingDependency",
    "ModelError",
    "ModelRejected",
    "ModelUnavailable",
    "NotFound",
    "Recall",
    "Record",
    "Scope",
    "Session",
    "SlidingWindow",
    "Source",
    "StoreBusy",
    "StoreCorrupt",
    "StoreError",
    "StoreTooNew",
    "TokenBuffer",
    "Usage",
]
