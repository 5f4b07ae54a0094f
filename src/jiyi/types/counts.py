"""How much there is: kept, derived, erased."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from jiyi.types.derived import Step
from jiyi.types.log import Scope
from jiyi.types.models import Usage


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one step is: messages derived and messages in the log, of every kind, over all scopes asked for.

    Attributes:
        done: those that wait for a stride to fill count as derived, those in a gap do not.
        errors: of batches that will be tried again.
        failed: messages that were passed over.
        limited: messages that wait for the next day, because their users' ``daily_tokens`` are used up.  A store does
            not know.
    """

    step: Step
    done: int
    total: int
    errors: tuple[str, ...] = ()
    failed: int = 0
    limited: int = 0


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure removed, as counts."""

    messages: int = 0
    sessions: int = 0
    records: int = 0
    vectors: int = 0
    indexed: int = 0
    checkpoints: int = 0

    def __add__(self, other: Erased) -> Erased:
        return Erased(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class Checked:
    """What a look through the indexes found, as counts of messages; all of it was mended.

    Attributes:
        messages: looked at.
        terms: that lacked their terms in the full text.
        vectors: that lacked their vectors of the present model.
        leftovers: of which an index still had something, though they are no longer in the log.
    """

    messages: int = 0
    terms: int = 0
    vectors: int = 0
    leftovers: int = 0

    def __add__(self, other: Checked) -> Checked:
        return Checked(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class Spent:
    """What models were used for on one day, for one user and one purpose.

    Attributes:
        day: of the clock that counted.
        purpose: the name of the step that asked, or ``answer``.
        saved: prompt tokens that an answer did not need, because not all of the history was sent.
    """

    scope: Scope
    day: date
    purpose: str
    usage: Usage = Usage()
    saved: int = 0


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of a store or of one scope; ``bytes`` is 0 where nothing is on disk."""

    scopes: int = 0
    sessions: int = 0
    messages: int = 0
    statements: int = 0
    records: int = 0
    indexed: int = 0
    vectors: int = 0
    bytes: int = 0
    checkpoints: int = 0
    commands: int = 0
