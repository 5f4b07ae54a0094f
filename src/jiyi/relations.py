"""Records of relations: what one holds, and how it is read.  Pure.

A record of the kind ``relation`` stands for one edge: that a head stands in a relation to a tail, or that it does not.
``links`` are the names of both ends (``entities.form_of``), ``key`` is ``head.relation``, ``text`` the clause as it was
said, ``sources`` the clauses that say so.  It is closed when it ended, or when what has one value got another; the
message that says so is then its last source.  ``data`` has

* ``head``, ``tail``: names as they were written, or ``user``; ``relation``: of ``relation_types``, or the words for it;
* ``words``: how the newest clause calls it; ``value``: the tail; ``negated``: that it is not so;
* ``said``: the places that say so (``Stated``), also those that say that it is over; the first, and the newest;
* ``count``: messages among them that say so; ``by``: who found the newest, ``rules`` or ``model``;
* ``closed_by``: as of a fact: ``record`` that took its place, ``message``, ``seq``, ``step``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from jiyi.entities import form_of
from jiyi.sayings import Saying, kept, read, time_of
from jiyi.text import fingerprint
from jiyi.types import JSON, Record

RELATION = "relation"
"""The kind of the records."""

TIMES = ("event_from", "event_to", "valid_from", "valid_to")


@dataclass(frozen=True, slots=True)
class Stated:
    """A place in a message that states a relation.

    Attributes:
        saying: the clause, and when it was said.
        head, relation, tail, negated, ends and times: as of an ``Edge``.
        words: how the message calls it.
    """

    saying: Saying
    head: str
    relation: str
    tail: str
    words: str = ""
    negated: bool = False
    ends: bool = False
    event_from: datetime | None = None
    event_to: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None

    @property
    def key(self) -> str:
        """What all with the same head and relation have in common."""
        return key_of(self.head, self.relation)

    @property
    def id(self) -> str:
        """Id of the record."""
        return relation_id(self.head, self.relation, self.tail, negated=self.negated)


def key_of(head: str, relation: str) -> str:
    """``head.relation``."""
    return f"{form_of(head)}.{relation}"


def relation_id(head: str, relation: str, tail: str, *, negated: bool = False) -> str:
    """The id of a relation between two names, which follows from what it says."""
    return f"{RELATION}:{fingerprint(RELATION, form_of(head), relation, form_of(tail), str(negated))}"


# -- reading


def ends_of(record: Record) -> tuple[str, str]:
    """Head and tail, as they were written."""
    return str(record.data.get("head", "")), str(record.data.get("tail", ""))


def name_of(record: Record) -> str:
    """What the relation is called: of ``relation_types.RELATIONS``, or the words for it."""
    return str(record.data.get("relation", ""))


def is_negated(record: Record) -> bool:
    """Whether it says that something is not so."""
    return bool(record.data.get("negated"))


def stated_of(record: Record) -> list[Stated]:
    """The places that say so or that it is over, oldest first."""
    data = record.data
    found: list[Stated] = []
    for saying, entry in read(data.get("said"), record.sources):
        found.append(
            Stated(
                saying,
                str(entry.get("head", data.get("head", ""))),
                str(data.get("relation", "")),
                str(entry.get("tail", data.get("tail", ""))),
                str(entry.get("words", "")),
                bool(data.get("negated")),
                bool(entry.get("ends")),
                **{name: time_of(entry.get(name)) for name in TIMES},
            )
        )
    return found


def entry_of(one: Stated) -> Mapping[str, JSON]:
    """A place as it is kept in ``data`` of its record."""
    entry = kept(one.saying)
    entry |= {"head": one.head, "tail": one.tail, "words": one.words}
    if one.ends:
        entry["ends"] = True
    for name in TIMES:
        if (time := getattr(one, name)) is not None:
            entry[name] = time.isoformat()
    return entry
