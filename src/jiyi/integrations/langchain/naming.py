"""Ids for messages that came without one, such that the same message gets the same one again.  Pure."""

from __future__ import annotations

from collections.abc import Sequence

from jiyi.history import digest, is_system, link
from jiyi.types import Message

_DIGITS = 16


def names(given: Sequence[Message], path: Sequence[Message], task: str) -> list[str]:
    """The ids of messages, in order; those that came with one keep it.

    A list whose beginning is the end of the path says again what is there.  Behind that an id follows from the message
    before and from what is said; at the beginning of what is new, from the running task instead, so that a node that
    runs again finds what it stored, and the same words in another run are another message.

    Args:
        given: drafts, with an empty id where there was none.
        path: the end of the session's active path.
        task: see ``Place.task``; "" takes the end of the path instead.
    """
    said = [message for message in path if not is_system(message)]
    known = next((size for size in range(min(len(given), len(said)), 0, -1) if _agree(said[-size:], given)), 0)
    found = [message.id for message in said[len(said) - known :]]
    before = found[-1] if found else task or (said[-1].id if said else "")
    for message in given[known:]:
        before = message.id or link(message.session_id, link(before, digest(b"", message)))[:_DIGITS]
        found.append(before)
    return [message.id or name for message, name in zip(given, found, strict=True)]


def _agree(end: Sequence[Message], given: Sequence[Message]) -> bool:
    return all(
        kept.id == one.id if one.id else digest(b"", kept) == digest(b"", one)
        for kept, one in zip(end, given, strict=False)
    )


__all__ = ["names"]
