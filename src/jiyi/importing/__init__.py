"""Reads histories that others wrote: a file becomes entries for the log, and problems with their line numbers.

Three formats:

``data``    ``conversations.jsonl``: a conversation a line, with sessions and their messages.
``openai``  a JSON array of chat messages, ``{"messages": [...]}``, or several of these.
``jsonl``   a message a line, with user_id, session_id, id and created_at where they are known; what ``export`` writes.

Pure readers: nothing is stored here.  A message without an id gets one made of its session, place and content, so that
reading the same file again names the same messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import BinaryIO, Literal, TypeAlias

from jiyi.importing.entries import LONG_AGO, Entry, Read, Source
from jiyi.importing.formats import read_chats, read_conversations, read_lines
from jiyi.importing.values import Problem, digest, moment, parse, zone

Format: TypeAlias = Literal["data", "openai", "jsonl"]
FORMATS: tuple[Format, ...] = ("data", "openai", "jsonl")


def detect(stream: BinaryIO) -> Format:
    """Guesses the format from the beginning of a file, and goes back to the start of it."""
    start = b""
    try:
        for _, line in zip(range(20), stream, strict=False):
            start = start or line.removeprefix(b"\xef\xbb\xbf").strip()
            if start.startswith(b"["):
                return "openai"
            try:
                value = parse(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                return "data" if "sessions" in value else "openai" if "messages" in value else "jsonl"
    finally:
        stream.seek(0)
    return "openai" if start == b"{" else "jsonl"


def read(stream: BinaryIO, source: Source, form: Format) -> Iterator[Read]:
    """Reads a file from its present position to its end.

    Yields what it holds in order; a line that cannot be read is a ``Problem``, and the reading goes on after it.
    """
    reader = {"data": read_conversations, "openai": read_chats, "jsonl": read_lines}[form]
    seen: dict[tuple[str, str, str], tuple[int, bytes]] = {}
    for found in reader(stream, source):
        if isinstance(found, Entry):
            key = (found.user_id, found.conversation_id if source.apart else "", found.message_id)
            said = digest(found.session_id, found.fields.get("role"), found.fields.get("content"))
            line, before = seen.setdefault(key, (found.line, said))
            if before != said:
                what = f"message_id: {found.message_id!r} names another message on line {line}"
                found = Problem(found.line, what)
        yield found


def stem(path: str) -> str:
    """What sessions of this file are called; ``-`` is the standard input."""
    return "stdin" if path == "-" else PurePath(path).stem or "import"


__all__ = [
    "FORMATS",
    "LONG_AGO",
    "Entry",
    "Format",
    "Problem",
    "Read",
    "Source",
    "detect",
    "moment",
    "read",
    "stem",
    "zone",
]
