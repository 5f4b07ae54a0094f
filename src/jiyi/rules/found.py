"""What a rule finds in a clause, before dates and text are worked out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Found(NamedTuple):
    """One statement of a clause.

    Attributes:
        attribute, value, subject, negated, ends: as in ``Candidate``.
        importance: None for that of the attribute.
        begins: it holds from the time that the clause names, not only at that time.
    """

    attribute: str
    value: str = ""
    subject: str = "user"
    negated: bool = False
    ends: bool = False
    importance: float | None = None
    begins: bool = False


@dataclass(slots=True)
class Talk:
    """What the clauses before said, within a message.

    Attributes:
        about: subject that a pronoun or a clause without subject goes on with.
        third: the relative or animal spoken of last, whom "she" or 它 means.
    """

    about: str = ""
    third: str = ""


class Clause(NamedTuple):
    """A piece of a sentence.

    Attributes:
        text: of the message, for values as they were said.
        low: the same in plain lower case, character by character, with what is quoted blanked.
        start, end: offsets in both.
        first: it begins its sentence.
    """

    text: str
    low: str
    start: int
    end: int
    first: bool = False

    def said(self, start: int, end: int) -> str:
        """Characters of the message without white space around."""
        return self.text[start:end].strip(" \t\"'“”‘’「」『』*_`")
