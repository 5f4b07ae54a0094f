"""What the indexes see of a message: whether it is indexed at all, its text with date and speaker, its terms.  Pure.

A derived record is indexed apart from the messages, as if somebody had said it when its first source was said.
"""

from __future__ import annotations

from collections.abc import Mapping

from jiyi.history import is_system
from jiyi.text import language, terms
from jiyi.types import Indexed, Message, Record

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


LEXICAL_STEP, DENSE_STEPS, RECORD_STEPS = "lexical", "dense:", "records:"
"""Names of the steps that make index entries and no records; a model's name follows the second and the third."""

FINDS = "finds"
"""Name in a record's ``data`` of a few words by which it is found beside those of its text."""


def is_index(step: str) -> bool:
    """Whether a step of this name makes index entries."""
    return step == LEXICAL_STEP or step.startswith((DENSE_STEPS, RECORD_STEPS))


def follows_records(step: str) -> bool:
    """Whether a step of this name works through the records that were put, and not through the log."""
    return step.startswith(RECORD_STEPS)


def is_indexed(message: Message) -> bool:
    """Whether recall may bring the message back: everything that was said, not what the bot was told to be."""
    return not is_system(message) and bool(message.text.strip())


def index_text(message: Message) -> str:
    """A message as both indexes see it: ``8 May 2023, Caroline: text``, ``2023年5月8日 李雪：text``."""
    text = message.text
    chinese = language(text) == "zh"
    day = message.created_at
    head: list[str] = []
    if day is not None:
        head.append(
            f"{day.year}年{day.month}月{day.day}日" if chinese else f"{day.day} {MONTHS[day.month - 1]} {day.year}"
        )
    if message.name:
        head.append(message.name)
    if not head:
        return text
    return f"{' '.join(head)}：{text}" if chinese else f"{', '.join(head)}: {text}"


def lexical_entry(message: Message) -> Indexed:
    """The index terms of one message, date and speaker included."""
    return Indexed(message.seq, terms(index_text(message)))


def as_message(record: Record) -> Message:
    """A record as a message outside any session, for what works on messages."""
    role = "assistant" if record.data.get("speaker") == "assistant" else "user"
    text = record_text(record.text, record.data.get(FINDS))
    return Message(record.id, "", role, text, kind="statement", created_at=record.said_at, seq=record.seq)


def record_text(text: str, finds: object) -> str:
    """A record's text as the indexes see it: with the words in ``data[FINDS]`` by which it is found too."""
    if not isinstance(finds, str) or not finds:
        return text
    return f"{text}（{finds}）" if language(text) == "zh" else f"{text} ({finds})"


def record_entry(record: Record) -> Indexed:
    """The index terms of one record, the date when it was said included."""
    return lexical_entry(as_message(record))


def occurrences(term: str, terms: Mapping[str, int]) -> int:
    """How often a query term stands in a message of these terms; ``term*`` for all that begin so."""
    if term.endswith("*"):
        return sum(count for found, count in terms.items() if found.startswith(term[:-1]))
    return terms.get(term, 0)
