"""Reads a directory of the data format: ``conversations.jsonl`` and ``questions.jsonl``.

What is asked (``Question``) and what the answer should be (``Label``) are two values from the start: the asking side
never holds a label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias, cast

from jiyi import importing
from jiyi.errors import ImportFailed, NotFound
from jiyi.importing import Entry, Problem
from jiyi.importing.values import Object, lines

Level: TypeAlias = Literal["message", "session"]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and when: after everything was said, or just before the message ``before``."""

    text: str
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """What should be found.

    Attributes:
        evidence: ids of messages or sessions, by ``level``.
        answerable: False for a question that the conversation does not answer.
    """

    question_id: str
    category: str
    evidence: tuple[str, ...]
    level: Level
    answerable: bool


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation in order, with the questions about it; ``labels`` stand in the order of ``questions``."""

    id: str
    entries: tuple[Entry, ...]
    questions: tuple[Question, ...] = ()
    labels: tuple[Label, ...] = field(default=(), repr=False)

    @property
    def session_of(self) -> Mapping[str, str]:
        """Message id -> session id, in order."""
        return {entry.message_id: entry.session_id for entry in self.entries}


def read_dataset(directory: Path) -> list[Conversation]:
    """Reads the conversations that have questions, in the order of the file.

    Raises:
        NotFound: a file is missing.
        ImportFailed: lines that cannot be read, with their numbers.
    """
    spoken = _read_conversations(directory / "conversations.jsonl")
    asked: dict[str, list[tuple[Question, Label]]] = {}
    path = directory / "questions.jsonl"
    problems: list[tuple[int, str]] = []
    with _existing(path).open("rb") as stream:
        for line, value in lines(stream):
            try:
                if isinstance(value, Problem):
                    raise ValueError(value.what)
                conversation, question, label = _question(value, spoken)
            except ValueError as error:
                problems.append((line, str(error)))
                continue
            asked.setdefault(conversation, []).append((question, label))
    if problems:
        raise ImportFailed(str(path), problems, "Mend the file")
    return [
        Conversation(name, tuple(entries), tuple(q for q, _ in asked[name]), tuple(label for _, label in asked[name]))
        for name, entries in spoken.items()
        if name in asked
    ]


def _read_conversations(path: Path) -> dict[str, list[Entry]]:
    spoken: dict[str, list[Entry]] = {}
    problems: list[tuple[int, str]] = []
    with _existing(path).open("rb") as stream:
        for found in importing.read(stream, importing.Source(path.stem, apart=True), "data"):
            if isinstance(found, Problem):
                problems.append((found.line, found.what))
            else:
                spoken.setdefault(found.conversation_id, []).append(found)
    if problems:
        raise ImportFailed(str(path), problems, "Mend the file")
    return spoken


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise NotFound(f"there is no {path.absolute()}; a data directory has conversations.jsonl and questions.jsonl")
    return path


def _question(value: Object, spoken: Mapping[str, Sequence[Entry]]) -> tuple[str, Question, Label]:
    def text(key: str) -> str:
        found = value.get(key)
        if not isinstance(found, str) or not found:
            raise ValueError(f"{key}: must be a text that is not empty")
        return found

    conversation, before, evidence = text("conversation_id"), value.get("before_message_id"), value.get("evidence")
    if conversation not in spoken:
        raise ValueError(f"conversation_id: there is no conversation {conversation!r}")
    if before and before not in {entry.message_id for entry in spoken[conversation]}:
        raise ValueError(f"before_message_id: there is no message {before!r} in {conversation!r}")
    if not isinstance(evidence, list):
        raise ValueError("evidence: must be a list of ids")
    level = value.get("evidence_level")
    if level not in ("message", "session"):
        raise ValueError(f"evidence_level: must be message or session, not {level!r}")
    label = Label(
        text("question_id"),
        str(value.get("category") or ""),
        tuple(dict.fromkeys(map(str, cast("list[object]", evidence)))),
        level,
        not value.get("unanswerable"),
    )
    return conversation, Question(text("question"), cast("str", before) if before else None), label
