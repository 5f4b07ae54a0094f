"""Ways of remembering: what they read, and what works for them in the background."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Unpack, runtime_checkable

from jiyi.ports.models import LLM
from jiyi.types import Block, Changes, ChatMessage, Filter, Hit, Message, Record, RecordHit, Scope, Step, Which


class Reader(Protocol):
    """What a strategy may read."""

    async def history(self, limit: int | None = None) -> list[Message]:
        """The active path of the session: all of it, or the last ``limit`` messages, in order."""
        ...

    async def search(self, query: str, *, limit: int, floor: float | None = None) -> list[Hit]:
        """The scope's messages that answer the query, best first, at or above the relevance floor (0..1; None for the
        calibrated one), without the turn that is being asked.
        """
        ...

    async def matching(self, where: Filter) -> list[Message]:
        """The scope's messages that match, as ``Store.messages`` gives them; none of a session off the record."""
        ...

    async def records(self, **which: Unpack[Which]) -> list[Record]:
        """The scope's derived records, as ``Store.records`` gives them."""
        ...

    async def find_records(
        self, query: str, *, limit: int, kind: str | None = None, floor: float | None = None
    ) -> list[RecordHit]:
        """The scope's current records that answer the query, best first, at or above the relevance floor (0..1; None
        for the calibrated one); of one kind, or of any.  All that ask the same of one reader share its embedding.
        """
        ...


@dataclass(frozen=True, slots=True)
class Request:
    """One read: who asks what, and what there is to work with.

    Attributes:
        query: the question, the newest user message when none was given; "" when there is neither.
        budget: tokens of the whole context.
        count: tokens of a message in chat format.
    """

    scope: Scope
    session_id: str
    query: str
    budget: int
    reader: Reader
    count: Callable[[ChatMessage], int]
    language: str = "en"


class Strategy(Protocol):
    """One way of remembering.  Returns data; only the engine writes."""

    name: str
    window: bool
    """Whether it shows the current session's own turns."""

    async def recall(self, request: Request) -> list[Block]:
        """What this strategy would put into the context.  Never calls a model to extract."""
        ...


class Known(Protocol):
    """Reads what was derived of a scope before."""

    async def __call__(self, **which: Unpack[Which]) -> list[Record]:
        """Records that match.  Ask for few (by key, by id, ``newest`` with a ``limit``), so that what a batch costs
        does not grow with the history.
        """
        ...


async def nothing_known(**which: Unpack[Which]) -> list[Record]:
    """Nothing was derived before."""
    return []


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages to derive from: those after the cursor, in seq order, at most the deriver's ``batch_size``; for a step
    with a ``stride`` the messages of one, or after failures a part of it.

    Attributes:
        messages: all branches; a deriver that only wants the active path looks at ``message.active``.
        cursor: the cursor to give back when all were dealt with.
        records: reads what was derived of the scope so far; of the deriver's own step, in the rebuild that is going on.
        put: for a step that works through records instead (``indexable.follows_records``), those of the batch: put
            after the cursor, in seq order.  There are no messages then.
    """

    scope: Scope
    messages: tuple[Message, ...]
    cursor: int
    records: Known = field(default=nothing_known, compare=False)
    put: tuple[Record, ...] = ()


class Deriver(Protocol):
    """Derives records or index entries from the log, in the background, batch by batch.

    Attributes:
        batch_size: messages of one batch, at most.
        asks_llm: it asks a chat model.  Such derivers work in a lane of their own, so that nothing else waits for one.
    """

    step: Step
    batch_size: int
    asks_llm: bool

    async def derive(self, batch: Batch) -> Changes:
        """What to write for this batch.  The same batch, with the same records before it, gives the same changes: they
        may be committed twice.
        """
        ...


@runtime_checkable
class Deriving(Protocol):
    """What a strategy has beside ``recall`` when the records it reads are derived in the background."""

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        """The derivers it needs, asked for once, when the memory opens.  ``llm``: the model that derives, None without
        one: what needs a model is then not among them, and what was said meanwhile is caught up when there is one.
        Strategies that bring the same step share it.
        """
        ...
