"""What a rule finds, before dates and text are worked out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias


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


Span: TypeAlias = tuple[int, int]
"""Characters [start, end) of a message's text."""


class Stretch(NamedTuple):
    """Clauses of a sentence that state something and follow one another: what reads names and relations.

    Attributes:
        text, low: as in ``Clause``.
        start, end: from the first clause to the last, the commas and brackets between them included.
        clauses: what it consists of.
    """

    text: str
    low: str
    start: int
    end: int
    clauses: tuple[Clause, ...]


class Name(NamedTuple):
    """A name that stands in a stretch, or a word for the user.

    Attributes:
        start, end: its characters, without an article, "'s" or quotes around.
        type: of ``mentions.TYPES``, or another word; "" where nobody can tell.
        role: the words that tell namesakes apart ("my brother", 邻居); (0, 0) without.
        traits: attribute ("" for a description) and the words for it.
        user: it is a word such as "I" and 我.
    """

    start: int
    end: int
    type: str = ""
    role: Span = (0, 0)
    traits: tuple[tuple[str, Span], ...] = ()
    user: bool = False


class Same(NamedTuple):
    """Two names of one thing, said to be so."""

    first: Name
    second: Name


class Link(NamedTuple):
    """A relation between two names, as it was said.

    Attributes:
        head, tail: in the order in which ``words`` read.
        words: what ``relation_types.relation_of`` turns into a relation and its direction ("acquired by", 子公司).
        said: the words of the message; "" for ``words``.
        negated, ends: as in ``Edge``.
        begins: it holds from the time that the clause names, not only at that time.
        undated: the times of the clause are those of something else that it says ("my friend Bo moved last month").
    """

    head: Name
    words: str
    tail: Name
    said: str = ""
    negated: bool = False
    ends: bool = False
    begins: bool = False
    undated: bool = False
