"""The values that pass between the parts: frozen, without behaviour beyond small properties.

A file for each thing that they are about; they are imported from here.
"""

from __future__ import annotations

from jiyi.types.context import Block, Dropped, Item, Used
from jiyi.types.counts import Checked, Erased, Progress, Spent, Stats
from jiyi.types.derived import Changes, Claim, Embedded, Failure, Indexed, Record, Source, Step, Vector, Which
from jiyi.types.log import (
    ACTIVE,
    JSON,
    KINDS,
    NEVER,
    ROLES,
    Checkpoint,
    Content,
    Filter,
    Message,
    MessageKind,
    Part,
    Role,
    Scope,
    SessionInfo,
)
from jiyi.types.models import Capacity, ChatMessage, Delta, Finish, Reply, Usage
from jiyi.types.search import (
    SCORE_PARTS,
    Dense,
    Found,
    FoundRecords,
    Hit,
    Lexical,
    Probe,
    RecordHit,
    RecordProbe,
    Standing,
)

__all__ = [
    "ACTIVE",
    "JSON",
    "KINDS",
    "NEVER",
    "ROLES",
    "SCORE_PARTS",
    "Block",
    "Changes",
    "Capacity",
    "ChatMessage",
    "Checked",
    "Checkpoint",
    "Claim",
    "Content",
    "Delta",
    "Dense",
    "Dropped",
    "Embedded",
    "Erased",
    "Failure",
    "Filter",
    "Finish",
    "Found",
    "FoundRecords",
    "Hit",
    "Indexed",
    "Item",
    "Lexical",
    "Message",
    "MessageKind",
    "Part",
    "Probe",
    "Progress",
    "Record",
    "RecordHit",
    "RecordProbe",
    "Reply",
    "Role",
    "Scope",
    "SessionInfo",
    "Source",
    "Spent",
    "Standing",
    "Stats",
    "Step",
    "Usage",
    "Used",
    "Vector",
    "Which",
]
