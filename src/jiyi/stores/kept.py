"""What stays in memory of the scopes read last, up to a limit: messages, where they stand, posting lists.

Nothing here outlives what it was read from.  A scope's ``generation`` grows with everything that changes or removes a
message or an index entry, in whatever process (triggers in the schema count), and is read in the transaction of each
look: what was kept of another generation is let go of.  What was only added since is added here as well.
"""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from jiyi.stores.record_words import RecordWords
from jiyi.types import Indexed, Message, Scope

_MESSAGE = 1_200  # bytes of a message beside its text
_POSTING = 110  # of one entry of a posting list
_ENTRY = 150  # of an empty list


@dataclass(frozen=True, slots=True)
class State:
    """A scope's row, as it is in one transaction."""

    key: int
    generation: int
    head: int
    documents: int
    terms: int
    record_head: int = 0
    record_generation: int = 0


_UNKNOWN, _GONE = -1, -2  # sizes of a message that was not looked at, and of one that is not there


@dataclass(slots=True, eq=False)
class Kept:
    """What is kept of one scope.

    Attributes:
        messages: the messages themselves, by seq.
        sessions, parents, sizes, asks: see ``types.Standing``; by seq, where they are known.
        lengths: terms in the index, by seq, where they are known.
        aside: messages that lend no support: on no active path, not indexable, or commands.
        postings: token -> seq -> times, oldest first; complete for the first ``documents`` of the index.
        beginnings: the same for all tokens together that begin so.
        last: newest seq in the index that the posting lists know.
        fresh: messages that are not indexed yet, from behind ``fresh_after`` up to ``fresh_to``.
        left: messages that are not on an active path; None while nobody asked.
        commands: those up to a seq, and that seq.
        records: the derived ones.
    """

    state: State
    messages: dict[int, Message] = field(default_factory=dict[int, Message])
    sessions: array[int] = field(default_factory=lambda: array("q"))
    parents: array[int] = field(default_factory=lambda: array("q"))
    sizes: array[int] = field(default_factory=lambda: array("i"))
    asks: array[int] = field(default_factory=lambda: array("b"))
    lengths: array[int] = field(default_factory=lambda: array("i"))
    aside: set[int] = field(default_factory=set[int])
    postings: dict[str, dict[int, int]] = field(default_factory=dict[str, dict[int, int]])
    beginnings: dict[str, dict[int, int]] = field(default_factory=dict[str, dict[int, int]])
    documents: int = 0
    last: int = 0
    fresh: dict[int, Indexed] = field(default_factory=dict[int, Indexed])
    fresh_after: int = 0
    fresh_to: int = 0
    left: frozenset[int] | None = None
    commands: tuple[frozenset[int], int] = (frozenset(), 0)
    records: RecordWords = field(default_factory=RecordWords)
    bytes: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    _record_bytes: int = 0

    def keep(self, found: Mapping[int, Message]) -> None:
        """Keeps messages."""
        self.messages.update(found)
        self.bytes += sum(_MESSAGE + 2 * len(message.text) for message in found.values())

    def column(self, name: Literal["sessions", "parents", "sizes", "asks", "lengths"], head: int) -> array[int]:
        """A column that reaches to ``head``."""
        column: array[int] = getattr(self, name)
        if (room := head + 1 - len(column)) > 0:
            column.extend(array(column.typecode, [_UNKNOWN]) * room)
            self.bytes += column.itemsize * room
        return column

    def unknown(self, seqs: Iterable[int], head: int) -> list[int]:
        """Those of these seqs, all up to ``head``, whose place is not known."""
        sizes = self.column("sizes", head)
        return [seq for seq in seqs if sizes[seq] == _UNKNOWN]

    def place(
        self, asked: Sequence[int], rows: Iterable[tuple[int, int, int, int, bool]], aside: Iterable[int], head: int
    ) -> None:  # fmt: skip
        """Fills the columns of what was asked: rows of seq, session, parent, size, asks; the others are not
        there.
        """
        sessions, parents, sizes = (self.column(name, head) for name in ("sessions", "parents", "sizes"))
        asking = self.column("asks", head)
        self.aside.update(aside)
        for seq, session, parent, size, asks in rows:
            sessions[seq], parents[seq], asking[seq] = session, parent, asks
            sizes[seq] = size  # last: others look at it first
        for seq in asked:
            if sizes[seq] == _UNKNOWN:
                sizes[seq] = _GONE

    def learn_fresh(self, entries: Iterable[Indexed], to: int) -> None:
        """Keeps what is not indexed yet, up to a seq."""
        for entry in entries:
            self.fresh[entry.seq] = entry
            self.bytes += _POSTING * len(entry.terms)
        self.fresh_to = to

    def forget_fresh(self, to: int) -> None:
        """What was fresh up to a seq is not, or is to be read anew."""
        self.bytes -= _POSTING * sum(len(entry.terms) for entry in self.fresh.values())
        self.fresh.clear()
        self.fresh_after = self.fresh_to = to

    def count_records(self) -> None:
        """Counts what the records take now."""
        self.bytes -= self._record_bytes
        self._record_bytes = _POSTING * self.records.size
        self.bytes += self._record_bytes

    def enlist(self, lists: dict[str, dict[int, int]], name: str, found: dict[int, int]) -> dict[int, int]:
        """Keeps a posting list under its name."""
        lists[name] = found
        self.bytes += _ENTRY + len(name) + _POSTING * len(found)
        return found

    def add(self, seq: int, tokens: Mapping[str, int]) -> None:
        """Takes a message that was indexed after all others into the lists that it belongs to."""
        for token in tokens.keys() & self.postings.keys():
            self.postings[token][seq] = tokens[token]
            self.bytes += _POSTING
        for beginning, found in self.beginnings.items():
            if times := sum(times for token, times in tokens.items() if token.startswith(beginning)):
                found[seq] = times
                self.bytes += _POSTING


class Keeper:
    """Keeps scopes up to so many bytes, as estimated; those read longest ago leave first.  Safe for several threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._scopes: OrderedDict[Scope, Kept] = OrderedDict()
        self._lock = threading.Lock()
        self._erasures = 0

    @property
    def bytes(self) -> int:
        """Memory held, about."""
        return sum(kept.bytes for kept in self._scopes.values())

    @property
    def erasures(self) -> int:
        """Taken before a transaction begins, and given to ``at``: what an erasure overtakes is not kept."""
        return self._erasures

    def clear(self) -> None:
        """Lets go of everything: after an erasure no copy stays."""
        with self._lock:
            self._erasures += 1
            self._scopes.clear()

    def at(self, scope: Scope, state: State | None, erasures: int) -> Kept | None:
        """What is kept of a scope in this state; something empty when it is of another, None when there is no scope."""
        with self._lock:
            kept = self._scopes.get(scope)
            if state is None:
                self._scopes.pop(scope, None)
                return None
            if kept is not None and (kept.state.key, kept.state.generation) == (state.key, state.generation):
                self._scopes.move_to_end(scope)
                return kept
            new = Kept(state)
            older = kept is not None and (kept.state.key, kept.state.generation) > (state.key, state.generation)
            if erasures == self._erasures and not older:  # else it is for this look alone
                self._scopes[scope] = new
            return new

    def settle(self) -> None:
        """Brings what is kept back under the limit."""
        with self._lock:
            held = self.bytes
            while held > self._limit:
                _, oldest = self._scopes.popitem(last=False)
                held -= oldest.bytes
