"""What strategies read of the log: the end of a session, as far back as needed; the messages that records name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from jiyi.assembly import BEFORE_USER
from jiyi.commands import COMMANDS
from jiyi.history import is_system, turns
from jiyi.ports import Reader
from jiyi.types import Block, Dropped, Filter, Item, Message

_FIRST = 64  # messages
_GROWTH = 4
_WHOLE = 0.8  # of a message that is quoted: the message itself is shown
_SHORT = 400  # characters of such a message

Turn = tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Tail:
    """The last whole turns of a session.

    Attributes:
        turns: newest first; each begins with a user message.
        before: what was read before the first of them: the end of a turn, or what preceded the first user message.
        older: messages of the session that were not read, system messages among them.
    """

    turns: tuple[Turn, ...]
    before: Turn
    older: int


async def read_tail(reader: Reader, enough: Callable[[Sequence[Turn]], bool]) -> Tail:
    """Reads the history from its end until ``enough`` says so of the turns (newest first), or all of it."""
    reach = _FIRST
    while True:
        messages = await reader.history(reach)
        complete = len(messages) < reach
        pieces = turns(messages)
        first = pieces.pop(0) if pieces and pieces[0][0].role != "user" else ()
        pieces.reverse()
        if complete or enough(pieces):
            older = 0 if complete else max(0, messages[0].position - 1)
            return Tail(tuple(pieces), first, older)
        reach *= _GROWTH


def history_block(strategy: str, tail: Tail, keep: int, reason: str) -> Block:
    """A history block of the newest ``keep`` turns, with account of the others that were read."""
    kept, left = tail.turns[:keep], tail.turns[keep:]
    before = BEFORE_USER if tail.older == 0 else reason
    out = [Dropped(strategy, message.id, reason, message=message) for turn in left for message in turn]
    out += [Dropped(strategy, message.id, before, message=message) for message in tail.before if not is_system(message)]
    items = tuple(Item(turn, score=-float(age)) for age, turn in enumerate(kept))
    return Block(strategy, "history", items, left_out=tuple(out), older=tail.older)


async def standing(reader: Reader, ids: Iterable[str]) -> dict[str, Message]:
    """The messages of these ids that stand on a path that was not left, and orders about records, by id."""
    wanted = tuple(dict.fromkeys(ids))
    there = {message.id: message for message in await reader.matching(Filter(ids=wanted))} if wanted else {}
    if missing := tuple(name for name in wanted if name not in there):
        there |= {order.id: order for order in await reader.matching(replace(COMMANDS, ids=missing))}
    return there


def nearly_whole(quotes: Iterable[tuple[Message, int, int]]) -> set[str]:
    """Ids of the short messages of which nearly every character is quoted: quotes as message and [start, end)."""
    places: dict[str, set[int]] = {}
    messages: dict[str, Message] = {}
    for message, start, end in quotes:
        if len(message.text) <= _SHORT:
            messages[message.id] = message
            places.setdefault(message.id, set()).update(range(start, end))
    return {name for name, quoted in places.items() if len(quoted) >= _WHOLE * len(messages[name].text.strip())}
