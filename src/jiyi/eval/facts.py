"""Facts to plant in a chat, each with a question for it in other words: made-up ones, and those of labelled data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import cast

from jiyi.eval.dataset import Conversation, Label, Question
from jiyi.importing import Entry
from jiyi.text import language, terms

LONGEST = 300
"""Characters of a message that can be planted as a fact; longer ones hold more than one."""

ANSWERED = 0.4
"""Share of an answer's words that must stand in a message for it to be the fact.  Less loses Chinese paraphrases of
the right message; what is above it was read through and answers its question."""

OTHERS = ("multi", "instruction", "preference")
"""Categories that begin so need more than one message, or ask for something to be done and for no fact."""


MARKS = ("?", "？")


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that is said once, and a question for it in other words.

    Attributes:
        answer: what the question wants to hear; "" where the data do not say.
        source: the conversation it was taken from, "" for a made-up one; talk of the same conversation is no filler.
        speaker: whom the question names for the user; all the user's messages of the chat then go by that name.
        lead: what the user had said when the assistant told the fact; "" for a fact of the user's own.
        told: when it was said, where the data know: questions may name the day.
    """

    text: str
    question: str
    language: str
    answer: str = ""
    source: str = ""
    speaker: str = ""
    lead: str = ""
    told: datetime | None = None

    @property
    def made_up(self) -> bool:
        """Whether it comes with the package."""
        return not self.source


def made_up(spoken: str) -> list[Fact]:
    """The facts that come with the package, in one language.

    Each question is answered by its own fact alone, and shares at most a filling word with it.
    """
    text = (files("jiyi.eval") / f"facts.{spoken}.json").read_text(encoding="utf-8")
    rows = cast("list[dict[str, str]]", json.loads(text))
    return [Fact(row["fact"], row["question"], spoken, row["answer"]) for row in rows]


def labelled(conversations: Sequence[Conversation]) -> list[Fact]:
    """Facts of labelled data: a question that one short message of its evidence answers.

    It is the message with most of the answer's words, at least ``ANSWERED`` of them and all of its numbers.  Without an
    answer, the evidence must be this message alone.  What people other than the user and a nameless assistant said,
    lines of talk that are no questions, and questions that need several messages are left out; of questions with the
    same fact the first one counts.
    """
    found: dict[str, Fact] = {}
    for conversation in conversations:
        places = {entry.message_id: at for at, entry in enumerate(conversation.entries)}
        for question, label in zip(conversation.questions, conversation.labels, strict=True):
            if not _asks(question, label):
                continue
            entry = _answering(question, label, list(_evidence(conversation, label, places)))
            if entry is not None:
                fact = _fact(conversation, places[entry.message_id], question, label)
                found.setdefault(fact.text, fact)
    return list(found.values())


def _asks(question: Question, label: Label) -> bool:
    """Whether one message can answer it: a question with an answer, not a line of talk with a reply."""
    other = not label.evidence or label.category.startswith(OTHERS)
    return label.answerable and not other and question.text.endswith(MARKS) and not label.answer.endswith(MARKS)


def _evidence(conversation: Conversation, label: Label, places: Mapping[str, int]) -> Iterator[Entry]:
    if label.level == "message":
        yield from (conversation.entries[places[name]] for name in label.evidence if name in places)
    else:
        yield from (entry for entry in conversation.entries if entry.session_id in label.evidence)


def _answering(question: Question, label: Label, evidence: Sequence[Entry]) -> Entry | None:
    """The message that answers by itself."""
    fitting = [entry for entry in evidence if _fits(entry)]
    if not label.answer:
        return fitting[0] if len(evidence) == len(fitting) == 1 else None
    wanted = words(label.answer) - words(question.text)
    numbers = set(re.findall(r"\d+", label.answer))
    best, share = None, ANSWERED
    for entry in fitting if wanted else ():
        text = _text(entry)
        held = len(wanted & words(text)) / len(wanted)
        if held >= share and (best is None or held > share) and numbers <= set(re.findall(r"\d+", text)):
            best, share = entry, held
    return best


def _fits(entry: Entry) -> bool:
    role = entry.fields.get("role")
    known = role == "user" or (role == "assistant" and not entry.fields.get("name"))
    return known and 0 < len(_text(entry)) <= LONGEST


def _fact(conversation: Conversation, place: int, question: Question, label: Label) -> Fact:
    entry = conversation.entries[place]
    name = str(entry.fields.get("name") or "")
    before = conversation.entries[place - 1] if place and entry.fields.get("role") == "assistant" else None
    return Fact(
        _text(entry),
        question.text,
        language(question.text),
        label.answer,
        conversation.id,
        name if name and name in question.text else "",
        _text(before) if before and before.fields.get("role") == "user" else "",
        cast("datetime | None", entry.fields.get("created_at")),
    )


def words(text: str) -> set[str]:
    """Index terms that tell something: all but single Han characters."""
    return {term for term in terms(text) if len(term) > 1 or term.isascii()}


def _text(entry: Entry) -> str:
    return str(entry.fields.get("content") or "")
