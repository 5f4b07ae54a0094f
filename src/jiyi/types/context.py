"""What strategies propose for a context, and what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from jiyi.types.derived import Source
from jiyi.types.log import Message


@dataclass(frozen=True, slots=True)
class Item:
    """The smallest thing that goes into a context or stays out: a turn, or one recalled passage.

    Attributes:
        messages: kept together and in order.  In the history a whole turn, which begins with a user message.
        text: what the memory section says, with ``messages`` as its sources; empty to quote the messages themselves.
        score: best first within the block.
        why: for the reader of an explanation, why it was proposed; may be empty.
        neighbours: ids of those messages that only help to understand the others; they stay out when there is no room
            for all, or when they stand in the context anyway.
        passages: of messages that are quoted in part, the parts, in order; filled in where a context is put together.
        records: ids of the records that it says or was found by; their use is counted when it stands in a context.
        label: of a text: what it is, ``summary``, ``note`` or ``fact``; stands in the place of a speaker.
        covers: stretches of a path (session, first and last position) that a text tells of as a whole; none of their
            messages counts as dropped while it stands in the context.
        quotes: of a text: the words of ``messages`` that say so; a ``cited`` block shows no text without.
    """

    messages: tuple[Message, ...]
    text: str = ""
    score: float = 0.0
    why: str = ""
    neighbours: tuple[str, ...] = ()
    passages: tuple[Source, ...] = ()
    records: tuple[str, ...] = ()
    label: str = ""
    covers: tuple[tuple[str, int, int], ...] = ()
    quotes: tuple[Source, ...] = ()

    @property
    def hits(self) -> tuple[Message, ...]:
        """The messages without the neighbours."""
        return tuple(message for message in self.messages if message.id not in self.neighbours)

    def spans(self, message: Message) -> list[tuple[int, int]]:
        """The characters [start, end) of a message that are quoted; an empty list for all of it."""
        found = ((part.start, part.end) for part in self.passages if part.message_id == message.id)
        return [(start, end) for start, end in found if start is not None and end is not None]

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(message.id for message in self.messages)


@dataclass(frozen=True, slots=True)
class Dropped:
    """A message that a strategy proposed, or could have, and that is not in the context; and why.

    Attributes:
        older: so many further messages of the session, all those before this one, stay out with it.
        message: the message itself where it was read.
        item: a text that stays out; no message is missing for it, and ``message_id`` is "".
    """

    strategy: str
    message_id: str
    reason: str
    older: int = 0
    message: Message | None = None
    item: Item | None = None

    @property
    def count(self) -> int:
        """Messages that this entry stands for."""
        return 0 if self.item else 1 + self.older


@dataclass(frozen=True, slots=True)
class Block:
    """What one strategy proposes.

    Attributes:
        strategy: who proposes it.
        place: ``history`` items become chat messages; ``memory`` items become lines of one system message.
        items: in order of preference, most wanted first; in the history the newest turn first, without gap, unless
            ``gaps``.
        share: part of the budget it may fill before the others had theirs, 0..1.
        most: items at most in the context; one that only repeats the history does not count.
        gaps: the turns of the history stand in order of importance, and leave from the end of that order.
        limit: the history may grow up to so many tokens, system messages and newest turn counted in.
        partial: the newest message may be shortened when it alone is over the limit.
        asked: the question's index terms -> what each tells; where given, long messages may be quoted in part, by them.
        left_out: what the strategy read of the session and does not propose.
        older: messages of the session before all of these, which were not read.
        cited: each line in the memory section names its message; a text also quotes the words that it rests on, with
            their date, and stays out where no message that it names says them.
    """

    strategy: str
    place: Literal["history", "memory"]
    items: tuple[Item, ...]
    share: float = 1.0
    most: int | None = None
    gaps: bool = False
    limit: int | None = None
    partial: bool = False
    asked: Mapping[str, float] | None = None
    left_out: tuple[Dropped, ...] = ()
    older: int = 0
    cited: bool = False


@dataclass(frozen=True, slots=True)
class Used:
    """One block as it stands in the context."""

    strategy: str
    place: Literal["system", "memory", "history"]
    tokens: int
    items: tuple[Item, ...]

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(source for item in self.items for source in item.sources))
