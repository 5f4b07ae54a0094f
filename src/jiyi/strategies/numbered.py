"""Messages as a model that derives sees them: those it is asked about with a number, a line each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby

from jiyi.history import is_system
from jiyi.text import cut_point
from jiyi.types import Message

EVERY = 16
"""Messages that a model is asked about together, unless a strategy is told otherwise: 100 turns cost 13 calls."""

_HEAD, _TAIL = 700, 300  # characters shown of a message that is asked about
_BRIEF = 160  # of an assistant's, which only helps to understand


def numbered_lines(messages: Iterable[Message], asked: Sequence[Message], *, parted: bool = False) -> str:
    """The messages that are asked about, numbered from 1, and what the assistant says between them.

    Args:
        messages: in order, those among them.
        asked: those that are asked about.
        parted: where there are several sessions, a line ``##`` stands before the messages of each.
    """
    numbers = {message.id: number for number, message in enumerate(asked, start=1)}
    shown = [message for message in messages if message.id in numbers or _helps(message)]
    several = parted and len({message.session_id for message in shown}) > 1
    lines: list[str] = []
    for _, of_it in groupby(shown, key=lambda message: message.session_id if several else ""):
        lines += ["##"] * several
        lines += (_line(message, numbers.get(message.id)) for message in of_it)
    return "\n".join(lines)


def _helps(message: Message) -> bool:
    return message.role == "assistant" and message.active and not is_system(message) and bool(message.text.strip())


def _line(message: Message, number: int | None) -> str:
    """The message on one line, its middle left out when it is long."""
    head, tail = (_HEAD, _TAIL) if number else (_BRIEF, 0)
    text = " ".join(message.text.split())
    if len(text) > head + tail:
        text = f"{text[: cut_point(text, head)]} […] {text[cut_point(text, len(text) - tail) :]}"
    said = json.dumps(text, ensure_ascii=False)
    return f"{number}. user: {said}" if number else f"assistant: {said}"
