"""Where summaries stand: a tree over the log, so that an erasure touches few and none rests on ever more.  Pure.

A node of level 0 tells of what one session said in one stride of the log; one of level l + 1 of what the session said
in four neighbouring places of level l.  Where a session said something in one of the four only, the lower node stands
for itself.  So the nodes that tell of a whole session are few, and what is made from one is made from few as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from jiyi.types import Record

Node = TypeVar("Node")

KIND = "summary"

STRIDE = 16
"""Messages that are summarised together: eight turns, the width of the usual window."""

GROUP = 4
"""Places that the next level joins.  A node is then told again log4 times in a history, each time from text that is
about as long as itself, and a call has at most four summaries of each session in it."""

TOP = 5
"""The highest level: 16 × 4**5 messages.  Longer sessions have several such nodes."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A stretch of the log: the ``index``-th (from 0) of ``stride`` × 4**level seqs."""

    level: int
    index: int

    @property
    def key(self) -> str:
        """As a record's key."""
        return f"{self.level}:{self.index}"

    @property
    def parent(self) -> Place:
        return Place(self.level + 1, self.index // GROUP)

    @property
    def children(self) -> tuple[Place, ...]:
        """The places of the level below, in order; none of level 0."""
        first = self.index * GROUP
        return tuple(Place(self.level - 1, first + at) for at in range(GROUP)) if self.level else ()

    def first(self, stride: int) -> int:
        """Its first seq."""
        return self.index * GROUP**self.level * stride + 1

    def last(self, stride: int) -> int:
        """Its last seq."""
        return (self.index + 1) * GROUP**self.level * stride

    def within(self) -> Iterator[Place]:
        """It and all places below, from above."""
        yield self
        for child in self.children:
            yield from child.within()


def place_of(seq: int, stride: int) -> Place:
    """The place of level 0 where a message is told of."""
    return Place(0, (seq - 1) // stride)


def node_id(maker: str, place: Place, session_id: str) -> str:
    """Of the node that a step makes of a session at a place; made anew, it takes the old one's place."""
    return f"{maker}:{place.key}:{session_id}"


def stretch(first: int, last: int, stride: int) -> list[Place]:
    """The fewest places that hold these seqs and, where it can be, none behind them.

    The session that is asked about begins with ``first``, so what a place holds before it belongs to others.
    """
    size = GROUP**TOP
    at, end = (first - 1) // stride // size * size, (last - 1) // stride + 1
    found: list[Place] = []
    while at < end:
        level = TOP
        while at % GROUP**level or at + GROUP**level > end:
            level -= 1
        found.append(Place(level, at // GROUP**level))
        at += GROUP**level
    begun = (first - 1) // stride
    return [place for place in found if place.last(1) > begun]


def highest(place: Place, nodes: Mapping[Place, Node]) -> Iterator[Node]:
    """The nodes that tell of a place, the highest ones, in order."""
    if place in nodes:
        yield nodes[place]
        return
    for child in place.children:
        yield from highest(child, nodes)


def due(cursor: int, stride: int) -> list[Place]:
    """The places above level 0 that end with this seq, from below."""
    found: list[Place] = []
    strides, rest = divmod(cursor, stride)
    for level in range(1, TOP + 1):
        if rest or not strides or strides % GROUP**level:
            break
        found.append(Place(level, strides // GROUP**level - 1))
    return found


def covers(node: Record, ids: Iterable[str]) -> bool:
    """Whether a node rests on all of these messages."""
    return {source.message_id for source in node.sources}.issuperset(ids)


def ids_of(nodes: Iterable[Record]) -> tuple[str, ...]:
    """The messages that nodes rest on, each once, in order."""
    return tuple(dict.fromkeys(source.message_id for node in nodes for source in node.sources))
