"""What somebody seems to have stated: proposed by rules or by a model, before it is checked and becomes a fact."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from jiyi.types import Message


@dataclass(frozen=True, slots=True)
class Candidate:
    """One statement that stands in a message.

    Attributes:
        message: where it was said.
        start, end: the characters [start, end) of ``message.text`` that say so, whole words or a whole clause.
        text: the statement by itself, in the language in which it was said; words such as "yesterday" have the date
            beside them.
        subject: whom or what it is about: ``user``, or a name or relation such as ``daughter``.
        attribute: what is said of it (``attributes``); "" for a statement that fits none.
        value: the value alone, as it was said; "" where the whole text is the value.
        negated: it says that something is not so ("I don't eat pork").
        ends: it says that something is no longer so, or is to be forgotten; ``value`` may then be "".
        importance: 0..1.
        event_from, event_to: when what it tells of happens, [from, to); None when it does not say.
        valid_from, valid_to: from and until when it holds, where it says so.
    """

    message: Message
    start: int
    end: int
    text: str
    subject: str = "user"
    attribute: str = ""
    value: str = ""
    negated: bool = False
    ends: bool = False
    importance: float = 0.5
    event_from: datetime | None = None
    event_to: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None

    @property
    def quote(self) -> str:
        """The words that say so."""
        return self.message.text[self.start : self.end]
