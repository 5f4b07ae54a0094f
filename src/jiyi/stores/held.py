"""What the reference store keeps of one scope, and what happens to it: plain dictionaries and plain functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta

from jiyi.errors import NotFound
from jiyi.history import link
from jiyi.indexable import is_index
from jiyi.stores.checks import check_free
from jiyi.stores.gaps import Gap, joined, stretch_of
from jiyi.types import (
    Checkpoint,
    Filter,
    Indexed,
    Message,
    Record,
    SessionInfo,
    Stats,
    Usage,
    Vector,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LONG_AGO = timedelta.min


@dataclass(slots=True)
class Cursor:
    """How far a step is in a scope.

    Attributes:
        due: since when there is work, or from when on it may be taken (after a failure, or when a lease ends); None
            when there is none.
        goal: while the step derives anew, where its cursor was; None otherwise.
        failed: seq -> why and when it was passed over.
    """

    after: int = 0
    due: timedelta | None = None
    token: int = 0
    attempts: int = 0
    error: str | None = None
    stride: int = 1
    goal: int | None = None
    follows_records: bool = False
    gaps: list[Gap] = field(default_factory=list[Gap])
    failed: dict[int, tuple[str, datetime]] = field(default_factory=dict[int, tuple[str, datetime]])

    def waits(self, head: int) -> bool:
        """Whether there is work in a log of this length."""
        return bool(self.gaps) or head - head % self.stride > self.after

    def is_open(self, seq: int, head: int) -> bool:
        """Whether the message is still to be derived."""
        if any(after < seq <= upto for after, upto in self.gaps):
            return True
        return self.after < seq <= head - head % self.stride


@dataclass(frozen=True, slots=True)
class Made:
    """A record with the batch it was made in, (after, upto]."""

    record: Record
    after: int
    upto: int


@dataclass(slots=True)
class Held:
    """All that one scope has.

    Attributes:
        head: newest seq that was given; those of erased messages are not given again.
        log: id -> message, in seq order.
        sessions: ``messages`` of these is not kept up; it is counted when asked for.
        checkpoints: (session, name) -> checkpoint; the same holds for its ``messages``.
        fresh: records of steps that derive anew; they take the place of the others when that is done.
        record_head: newest seq that was given to a record.
        vectors: model -> seq -> vectors of its chunks.
        record_vectors: the same of records.
        spent: (day, purpose) -> what was spent, and saved.
    """

    salt: bytes = b""
    head: int = 0
    log: dict[str, Message] = field(default_factory=dict[str, Message])
    sessions: dict[str, SessionInfo] = field(default_factory=dict[str, SessionInfo])
    checkpoints: dict[tuple[str, str], Checkpoint] = field(default_factory=dict[tuple[str, str], Checkpoint])
    records: dict[str, Made] = field(default_factory=dict[str, Made])
    fresh: dict[str, Made] = field(default_factory=dict[str, Made])
    record_head: int = 0
    index: dict[int, Indexed] = field(default_factory=dict[int, Indexed])
    vectors: dict[str, dict[int, list[Vector]]] = field(default_factory=dict[str, dict[int, list[Vector]]])
    record_vectors: dict[str, dict[int, list[Vector]]] = field(default_factory=dict[str, dict[int, list[Vector]]])
    cursors: dict[str, Cursor] = field(default_factory=dict[str, Cursor])
    spent: dict[tuple[date, str], tuple[Usage, int]] = field(default_factory=dict[tuple[date, str], tuple[Usage, int]])

    @property
    def anything(self) -> bool:
        """Whether there is more than a salt."""
        return bool(self.log or self.sessions or self.records or self.fresh)

    def reach(self, cursor: Cursor) -> int:
        """How far that goes which the cursor works through."""
        return self.record_head if cursor.follows_records else self.head


# -- paths -----------------------------------------------------------------------------------------------------------


def in_session(held: Held, session_id: str, message_id: str) -> Message:
    """The message of the session; ``NotFound`` when it is not there."""
    message = held.log.get(message_id)
    if message is None or not session_id or message.session_id != session_id:
        raise NotFound(f"message {message_id!r} is not in session {session_id!r}")
    return message


def find_place(held: Held, session_id: str, after: str | None) -> Message | None:
    """The message that the next one follows, None for the beginning."""
    if after != "head":
        return None if after is None else in_session(held, session_id, after)
    session = held.sessions.get(session_id)
    return None if session is None or session.head_id is None else held.log[session.head_id]


def follows(message: Message, parent: Message | None, session_id: str) -> bool:
    """Whether the message stands right behind ``parent`` in the session."""
    return message.session_id == session_id != "" and message.parent_id == (parent and parent.id)


def placed(message: Message, parent: Message | None) -> Message:
    """The message behind its parent."""
    if not message.session_id:
        return message.but(parent_id=None, position=0, chain="")
    parent_id, position, chain = (parent.id, parent.position, parent.chain) if parent else (None, 0, "")
    if message.role not in ("system", "developer"):
        chain = link(chain, message.digest)
    return message.but(parent_id=parent_id, position=position + 1, chain=chain)


def add(held: Held, session_id: str, new: Mapping[str, Message]) -> None:
    """Puts placed messages into the log, at the end of the active path."""
    held.log.update(new)
    held.head += len(new)
    at = list(new.values())[-1].recorded_at
    for cursor in held.cursors.values():
        if cursor.due is None and cursor.waits(held.reach(cursor)):
            cursor.due = LONG_AGO if at is None else at - EPOCH
    inside = [message for message in new.values() if message.session_id]
    if inside:
        session = held.sessions.get(session_id) or SessionInfo(session_id, created_at=inside[0].recorded_at)
        held.sessions[session_id] = replace(session, head_id=inside[-1].id, updated_at=at)


def activate(held: Held, session_id: str, head: str | None) -> bool:
    """Makes the path from the beginning to ``head`` the active one; None for the beginning alone.  What is derived
    from messages that come to it or leave it is derived anew; whether there are any.
    """
    path, seqs = set[str](), list[int]()
    while head is not None:
        path.add(head)
        head = held.log[head].parent_id
    for message in list(held.log.values()):
        if message.session_id == session_id and message.active != (message.id in path):
            held.log[message.id] = message.but(active=not message.active)
            seqs.append(message.seq)
    for name, cursor in held.cursors.items():
        if seqs and not is_index(name):
            cursor.gaps = joined([*cursor.gaps, *(stretch_of(seq, cursor.stride) for seq in seqs)], cursor.after)
    return bool(seqs)


def counted(held: Held, session: SessionInfo) -> SessionInfo:
    """The session with the number of its active messages."""
    return replace(session, messages=sum(m.active and m.session_id == session.id for m in held.log.values()))


# -- checkpoints -----------------------------------------------------------------------------------------------------


def put_checkpoint(held: Held, checkpoint: Checkpoint, *, overwrite: bool) -> Checkpoint:
    """Checks everything, then keeps the checkpoint, and its session when that is new."""
    session_id, at = checkpoint.session_id, checkpoint.created_at
    if checkpoint.message_id is not None:
        in_session(held, session_id, checkpoint.message_id)
    key = session_id, checkpoint.name
    check_free(checkpoint, taken=key in held.checkpoints and not overwrite)
    held.sessions.setdefault(session_id, SessionInfo(session_id, created_at=at, updated_at=at))
    held.checkpoints[key] = deepcopy(checkpoint)
    return placed_checkpoint(held, held.checkpoints[key])


def placed_checkpoint(held: Held, checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint with the number of messages up to it."""
    head = checkpoint.message_id
    return replace(checkpoint, messages=0 if head is None else held.log[head].position)


def drop_checkpoints(held: Held, session_id: str, names: Set[str] | None = None) -> int:
    """Takes out those named, or all of the session, and counts them."""
    gone = [key for key in held.checkpoints if key[0] == session_id and (names is None or key[1] in names)]
    for key in gone:
        del held.checkpoints[key]
    return len(gone)


# -- counts ----------------------------------------------------------------------------------------------------------


def counts(chosen: Sequence[Held]) -> Stats:
    """``Store.stats`` of these scopes."""
    kinds = Counter(message.kind for held in chosen for message in held.log.values())
    return Stats(
        scopes=sum(held.anything for held in chosen),
        sessions=sum(len(held.sessions) for held in chosen),
        messages=kinds["message"],
        statements=kinds["statement"],
        records=sum(len(held.records) for held in chosen),
        indexed=sum(len(held.index) for held in chosen),
        vectors=sum(map(vectors_in, chosen)),
        checkpoints=sum(len(held.checkpoints) for held in chosen),
        commands=kinds["command"],
    )


def vectors_in(held: Held) -> int:
    """Vectors by chunk."""
    spaces = (*held.vectors.values(), *held.record_vectors.values())
    return sum(len(chunks) for stored in spaces for chunks in stored.values())


def message_seqs(held: Held) -> list[int]:
    """Of all messages."""
    return [message.seq for message in held.log.values()]


def record_seqs(held: Held) -> list[int]:
    """Of all records that have one, those made anew as well."""
    return [made.record.seq for records in (held.records, held.fresh) for made in records.values() if made.record.seq]


# -- values ----------------------------------------------------------------------------------------------------------


def instant(moment: datetime | None) -> float:
    """Microseconds since 1970; no time at all comes before every time.

    Two times of one zone cannot be compared as they are: Python then looks at the clock on the wall, which shows an
    hour twice in autumn.
    """
    return float("-inf") if moment is None else (moment - EPOCH) // timedelta(microseconds=1)


def matches(message: Message, where: Filter) -> bool:
    """Whether every field of the filter that is set holds."""
    said = message.created_at
    return (
        where.session_id in (None, message.session_id)
        and (where.ids is None or message.id in where.ids)
        and (where.seqs is None or message.seq in where.seqs)
        and (where.stretches is None or _within(message, where.stretches))
        and (where.roles is None or message.role in where.roles)
        and (message.kind != "command" if where.kinds is None else message.kind in where.kinds)
        and where.category in (None, message.category)
        and (where.since is None or (said is not None and instant(said) >= instant(where.since)))
        and (where.until is None or (said is not None and instant(said) < instant(where.until)))
        and message.seq > where.after_seq
        and where.active in (None, message.active)
    )


def _within(message: Message, stretches: Iterable[tuple[str, int, int]]) -> bool:
    at = message.position
    return any(message.session_id == session and 0 < first <= at <= last for session, first, last in stretches)
