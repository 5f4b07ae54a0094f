"""Reads a directory of the data format: ``conversations.jsonl`` and ``questions.jsonl``.

What is asked (``Question``) and what the answer should be (``Label``) are two values from the start: the asking side
never holds a label.  Ids may say something of the answer too, so they are replaced by hashes (``opaque``).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Literal, TypeAlias, cast

from jiyi import importing
from jiyi.errors import ImportFailed, InvalidInput, NotFound
from jiyi.importing import Entry, Problem
from jiyi.importing.values import Object, lines, moment

log = logging.getLogger("jiyi.eval")

_MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])")

Level: TypeAlias = Literal["message", "session"]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and when: after everything was said, or just before the message ``before``.

    Attributes:
        choices: letter -> text, where one of them is to be taken.
        asked_at: the day or time as the data say it, "" for none.
    """

    text: str
    before: str | None = None
    choices: Mapping[str, str] = field(default_factory=dict[str, str])
    asked_at: str = ""

    @property
    def moment(self) -> datetime | None:
        """When it is asked: of a day or month its end; None where that is not known."""
        return _end(self.asked_at)


@dataclass(frozen=True, slots=True)
class Label:
    """What should be found.

    Attributes:
        evidence: ids of messages or sessions, by ``level``.
        answerable: False for a question that the conversation does not answer.
        answer: what should be answered, "" where the data do not say.
        option: the right one of the question's choices, "" for none.
    """

    question_id: str
    category: str
    evidence: tuple[str, ...]
    level: Level
    answerable: bool
    answer: str = ""
    option: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation in order, with the questions about it; ``labels`` stand in the order of ``questions``.

    Attributes:
        names: hash -> id in the files, of messages and sessions; empty where ids are those of the files.
    """

    id: str
    entries: tuple[Entry, ...]
    questions: tuple[Question, ...] = ()
    labels: tuple[Label, ...] = field(default=(), repr=False)
    names: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    @property
    def session_of(self) -> Mapping[str, str]:
        """Message id -> session id, in order."""
        return {entry.message_id: entry.session_id for entry in self.entries}

    def times_before(self, question: Question) -> Iterator[datetime | None]:
        """When each message before a question's moment was said, None where the data do not say."""
        for entry in self.entries:
            if entry.message_id == question.before:
                return
            yield cast("datetime | None", entry.fields.get("created_at"))


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """The questions of a file, by conversation; ``unwritten`` rows have no question yet and were passed over."""

    pairs: Mapping[str, Sequence[tuple[Question, Label]]]
    unwritten: int = 0


def read_dataset(directory: Path, *, hidden: bool = True) -> list[Conversation]:
    """Reads the conversations that have questions, in the order of the file.

    Args:
        directory: with ``conversations.jsonl`` and ``questions.jsonl``.
        hidden: ids are replaced by hashes.

    Raises:
        NotFound: a file is missing.
        ImportFailed: lines that cannot be read, with their numbers.
    """
    spoken = _read_conversations(directory / "conversations.jsonl")
    asked = read_questions(directory / "questions.jsonl", spoken).pairs
    found = [
        Conversation(name, tuple(entries), tuple(q for q, _ in asked[name]), tuple(label for _, label in asked[name]))
        for name, entries in spoken.items()
        if name in asked
    ]
    _say_what_is_missing(found, directory / "questions.jsonl")
    return [opaque(conversation) for conversation in found] if hidden else found


def _say_what_is_missing(found: Iterable[Conversation], path: Path) -> None:
    """Evidence that no conversation has can never come back: a wrong id must not look like bad recall."""
    missing: list[tuple[str, str]] = []
    for one in found:
        session_of = one.session_of
        known = {"message": session_of.keys(), "session": frozenset(session_of.values())}
        missing += [(q.question_id, name) for q in one.labels for name in q.evidence if name not in known[q.level]]
    if missing:
        log.warning(
            "%s: evidence that is not in the conversation, and counts as not found: %d, first %r of question %s",
            path, len(missing), missing[0][1], missing[0][0],
        )  # fmt: skip


def opaque(conversation: Conversation) -> Conversation:
    """The same conversation with hashes for ids, in messages, questions and labels, and without metadata.

    What a search sees is who said what, when, and what stands together; never an id that somebody wrote.
    """
    messages = {
        entry.message_id: _hashed(conversation.id, "message", entry.message_id) for entry in conversation.entries
    }
    sessions = {name: _hashed(conversation.id, "session", name) for name in conversation.session_of.values()}

    def hide(entry: Entry) -> Entry:
        fields = {key: value for key, value in entry.fields.items() if key != "metadata"}
        fields["message_id"] = messages[entry.message_id]
        return replace(entry, session_id=sessions[entry.session_id], fields=fields, title="")

    def evidence(label: Label) -> tuple[str, ...]:
        known = messages if label.level == "message" else sessions
        return tuple(known.get(name) or _hashed(conversation.id, label.level, name) for name in label.evidence)

    return Conversation(
        conversation.id,
        tuple(map(hide, conversation.entries)),
        tuple(replace(q, before=messages[q.before] if q.before else None) for q in conversation.questions),
        tuple(replace(label, evidence=evidence(label)) for label in conversation.labels),
        {made: name for known in (messages, sessions) for name, made in known.items()},
    )


def _hashed(conversation: str, kind: str, name: str) -> str:
    return blake2b(f"{kind}\0{conversation}\0{name}".encode(), digest_size=10).hexdigest()


def read_questions(path: Path, spoken: Mapping[str, Sequence[Entry]]) -> QuestionFile:
    """Reads a question file; says how many rows have no question yet.

    Args:
        path: of the file.
        spoken: conversation id -> its messages.  Where there is one alone, a row need not name it.

    Raises:
        NotFound: the file is missing.
        ImportFailed: lines that cannot be read, with their numbers.
    """
    asked: dict[str, list[tuple[Question, Label]]] = {}
    problems: list[tuple[int, str]] = []
    unwritten = 0
    with _existing(path).open("rb") as stream:
        for line, value in lines(stream):
            try:
                if isinstance(value, Problem):
                    raise ValueError(value.what)
                if _unwritten(value):
                    unwritten += 1
                    continue
                conversation, question, label = _question(value, spoken)
            except ValueError as error:
                problems.append((line, str(error)))
                continue
            asked.setdefault(conversation, []).append((question, label))
    if problems:
        raise ImportFailed(str(path), problems, "Mend the file")
    if unwritten:
        log.warning(
            "%s: %s without a question yet, passed over", path, "1 row" if unwritten == 1 else f"{unwritten} rows"
        )
    return QuestionFile(asked, unwritten)


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

    alone = len(spoken) == 1 and value.get("conversation_id") is None
    conversation = next(iter(spoken)) if alone else text("conversation_id")
    before, evidence = value.get("before_message_id"), value.get("evidence")
    if conversation not in spoken:
        raise ValueError(f"conversation_id: there is no conversation {conversation!r}")
    if before and before not in {entry.message_id for entry in spoken[conversation]}:
        raise ValueError(f"before_message_id: there is no message {before!r} in {conversation!r}")
    if not isinstance(evidence, list):
        raise ValueError("evidence: must be a list of ids")
    level = value.get("evidence_level")
    if level not in ("message", "session"):
        raise ValueError(f"evidence_level: must be message or session, not {level!r}")
    choices = _choices(value.get("choices"))
    label = Label(
        text("question_id"),
        str(value.get("category") or ""),
        tuple(dict.fromkeys(map(str, cast("list[object]", evidence)))),
        level,
        not value.get("unanswerable"),
        str(value.get("answer") or ""),
        str(value.get("ground_truth") or "") if choices else "",
    )
    if choices and label.option and label.option not in choices:
        raise ValueError(f"ground_truth: is none of the choices {', '.join(choices)}")
    asked_at = str(value.get("asked_at") or "")
    return conversation, Question(text("question"), cast("str", before) if before else None, choices, asked_at), label


def _unwritten(row: Object) -> bool:
    """Whether a row of a skeleton has no question yet."""
    question = row.get("question")
    return isinstance(question, str) and not question.strip() and "evidence" in row


def _end(time: str) -> datetime | None:
    """The time, or the last second of the day or month that the text names, in UTC where it names no zone."""
    if found := _MONTH.fullmatch(time):
        year, month = int(found[1]), int(found[2])
        return datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC) - timedelta(seconds=1)
    try:
        found = moment("asked_at", time, UTC)
    except InvalidInput:
        return None
    return found + timedelta(days=1, seconds=-1) if found and len(time) == len("2024-05-31") else found


def _choices(value: object) -> dict[str, str]:
    """Letter -> text of a question's choices; a list gets letters from A on."""
    if not value:
        return {}
    if isinstance(value, list):
        return {chr(ord("A") + at): str(text) for at, text in enumerate(cast("list[object]", value))}
    if not isinstance(value, dict):
        raise ValueError("choices: must be texts by letter")
    return {str(letter): str(text) for letter, text in cast("dict[object, object]", value).items()}
