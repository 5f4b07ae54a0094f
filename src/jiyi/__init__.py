"""Jiyi (记忆): long-term memory for chatbots and agents."""

from __future__ import annotations

from jiyi import interrupts  # first  # noqa: F401  # pyright: ignore[reportUnusedImport]
from jiyi.about import About, Event
from jiyi.answering import Answer, AsyncAnswerStream
from jiyi.attributes import Attribute
from jiyi.checkpoints import Difference
from jiyi.commands import Command
from jiyi.context import Context
from jiyi.engine import AsyncMemory
from jiyi.errors import (
    BudgetTooSmall,
    Conflict,
    ContextOverflow,
    ImportFailed,
    InvalidInput,
    JiyiError,
    LimitReached,
    MissingDependency,
    ModelError,
    ModelRejected,
    ModelUnavailable,
    NotFound,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreTooNew,
    VectorsError,
    VectorsUnavailable,
)
from jiyi.session import AsyncSession
from jiyi.snapshots import ProfileSnapshot, SnapshotChanges, SnapshotEntry
from jiyi.strategies.entities import Entities
from jiyi.strategies.facts import Facts
from jiyi.strategies.full_history import FullHistory
from jiyi.strategies.graph import Graph
from jiyi.strategies.importance import Importance
from jiyi.strategies.key_facts import KeyFacts
from jiyi.strategies.notes import Notes
from jiyi.strategies.recall import Recall
from jiyi.strategies.rolling_summary import RollingSummary
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.strategies.snapshot import Snapshot
from jiyi.strategies.summary_buffer import SummaryBuffer
from jiyi.strategies.token_buffer import TokenBuffer
from jiyi.strategies.topics import Topics
from jiyi.sync import AnswerStream, Memory, Session
from jiyi.syncing import Synced
from jiyi.topics import Topic, TopicPoint, TopicSession
from jiyi.types import (
    Checked,
    Checkpoint,
    Erased,
    Failure,
    Hit,
    Message,
    Progress,
    Record,
    Scope,
    SessionInfo,
    Source,
    Stats,
    Usage,
)

__version__ = "0.1.0"

__all__ = [
    "About",
    "Answer",
    "AnswerStream",
    "AsyncAnswerStream",
    "AsyncMemory",
    "AsyncSession",
    "Attribute",
    "BudgetTooSmall",
    "Checked",
    "Checkpoint",
    "Command",
    "Conflict",
    "Context",
    "ContextOverflow",
    "Difference",
    "Entities",
    "Erased",
    "Event",
    "Facts",
    "Failure",
    "FullHistory",
    "Graph",
    "Hit",
    "ImportFailed",
    "Importance",
    "InvalidInput",
    "JiyiError",
    "KeyFacts",
    "LimitReached",
    "Memory",
    "Message",
    "MissingDependency",
    "ModelError",
    "ModelRejected",
    "ModelUnavailable",
    "NotFound",
    "Notes",
    "ProfileSnapshot",
    "Progress",
    "Recall",
    "Record",
    "RollingSummary",
    "Scope",
    "Session",
    "SessionInfo",
    "SlidingWindow",
    "Snapshot",
    "SnapshotChanges",
    "SnapshotEntry",
    "Source",
    "Stats",
    "StoreBusy",
    "StoreCorrupt",
    "StoreError",
    "StoreTooNew",
    "SummaryBuffer",
    "Synced",
    "TokenBuffer",
    "Topic",
    "TopicPoint",
    "TopicSession",
    "Topics",
    "Usage",
    "VectorsError",
    "VectorsUnavailable",
]
