"""Every interface of Jiyi.  Each docstring is the contract; ``jiyi.testing`` has the suite that checks it.

A file for each kind; they are imported from here.
"""

from __future__ import annotations

from jiyi.ports.caching import Caching
from jiyi.ports.clock import Clock
from jiyi.ports.models import LLM, Embedder, TokenCounter
from jiyi.ports.redactor import Redactor
from jiyi.ports.store import Store
from jiyi.ports.strategy import Batch, Deriver, Deriving, Known, Reader, Request, Strategy, nothing_known
from jiyi.ports.vectors import VectorIndex

__all__ = [
    "LLM",
    "Batch",
    "Caching",
    "Clock",
    "Deriver",
    "Deriving",
    "Embedder",
    "Known",
    "Reader",
    "Redactor",
    "Request",
    "Store",
    "Strategy",
    "TokenCounter",
    "VectorIndex",
    "nothing_known",
]
