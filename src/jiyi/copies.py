"""Messages that a fork took along: told from the ones they are copies of, so that the same words count once.  Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from jiyi.history import link
from jiyi.types import Message

T = TypeVar("T")

COPY_OF = "copy_of"
"""Key in a copy's metadata: ``{"message": id of the first original, "session": the session it was copied from}``."""


def origin(message: Message) -> str:
    """The id under which the words were first stored: the message's own, unless it is a copy, or a copy of one."""
    mark = message.metadata.get(COPY_OF)
    if mark is None:
        return message.id
    first = mark.get("message") if isinstance(mark, Mapping) else None
    return first if isinstance(first, str) else message.id


def once(found: Iterable[T], message: Callable[[T], Message], limit: int) -> list[T]:
    """Up to ``limit`` (1 or more) of what was found, in order: of a message and its copies in forks the first alone."""
    first: dict[str, T] = {}
    for one in found:
        first.setdefault(origin(message(one)), one)
        if len(first) == limit:
            break
    return list(first.values())


def copied(message: Message, session_id: str) -> Message:
    """A draft of the message for another session: with an id that follows from both, and a note of where it is from."""
    mark = {"message": origin(message), "session": message.session_id}
    metadata = {**message.metadata, COPY_OF: mark}
    return replace(message, id=link(session_id, message.id)[:16], session_id=session_id, metadata=metadata)
