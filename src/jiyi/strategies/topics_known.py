"""Which topic a message belongs to, by what was said before it: names, the session, words that few topics share.  Pure,
but for ``known_before``, which reads the parts that are wanted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from jiyi.periods import plain
from jiyi.ports import Batch
from jiyi.rules.own import own_words
from jiyi.rules.subject_words import Subject, phrase, telling
from jiyi.rules.subjects import named
from jiyi.text import flat
from jiyi.topics import PART, Written, names_of, topic_id, written_of
from jiyi.types import Message, Record, Source

How: TypeAlias = Literal["named", "session", "words", "new"]
"""Why a part belongs to its topic: the message names it, its session speaks of it, they share words, it begins it."""

WORD = "~"
"""Stands before an index term among the links of a part, so that none is taken for a name."""

_WORDS = 16  # index terms among the links of a part, at most
_LOOKED_UP = 40  # terms of a message by which earlier parts are found
_SHARING = 400  # parts that are read for the terms of a batch, the newest
_OF_SESSION = 32  # parts that are read of a session, the newest; all where the batch stands before these
_ENOUGH = 1.5  # words that a message and one topic alone share, at least, to belong together
_OTHER = 2.5  # the same where its session speaks of another topic
_PAIR = 0.7  # what a pair of Han characters counts: two of them are often one word
_LEAST_WORDS, _LEAST_HAN = 6, 8  # of a message that begins a topic which nobody has named
_HAN = re.compile("[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z][\w'-]*")


@dataclass(frozen=True, slots=True)
class Place:
    """A topic as a message speaks of it.

    Attributes:
        key: id of the topic.
        names: where the name is written: the reason, first, and in other writing in the message itself.
        how: the reason.
        start: from which character of the message on.
    """

    key: str
    names: tuple[Written, ...]
    how: How
    start: int = 0


@dataclass(frozen=True, slots=True)
class Earlier:
    """What is known of a part."""

    key: str
    seq: int
    start: int
    session: str
    written: Written
    words: frozenset[str]


class Before:
    """The parts of messages that were said before the one that is asked about.

    Args:
        parts: records of parts, in any order.
        topics: further topics that go by their names alone.
    """

    def __init__(self, parts: Iterable[Record], topics: Iterable[Record] = ()) -> None:
        self._topics = {flat(name): one for one in topics for name in names_of(one)}
        self._parts: list[Earlier] = []
        self._by_word: dict[str, list[Earlier]] = {}
        for record in parts:
            self.add(record)

    def add(self, record: Record) -> None:
        """One more part; one without a topic tells nothing."""
        names = written_of(record)
        if not record.key or not names:
            return
        seq, start = record.data.get("seq"), record.data.get("place")
        words = frozenset(link[len(WORD) :] for link in record.links if link.startswith(WORD))
        part = Earlier(
            record.key,
            seq if isinstance(seq, int) else 0,
            start if isinstance(start, int) else 0,
            record.session_id or "",
            names[0],
            words,
        )
        self._parts.append(part)
        for word in words:
            self._by_word.setdefault(word, []).append(part)

    def places(self, message: Message) -> list[Place]:
        """The topics that a message speaks of, in order of the places from which on it does; none for small talk that
        belongs to no session with a topic.
        """
        low = own_words(plain(message.text))
        words = _told_words(message.text)
        found = self._named(message, low, words)
        if found and found[0].start > 0 and (current := self._current(message)) and current.key != found[0].key:
            head = message.text[: found[0].start]
            if len(_LATIN.findall(head)) + len(_HAN.findall(head)) / 2 >= _LEAST_WORDS:
                return [Place(current.key, (current.written,), "session"), *found]
        if found:
            return found
        current = self._current(message)
        other = self._sharing(message, words, _ENOUGH if current is None else _OTHER, current)
        if other is not None:
            return [Place(other.key, (other.written,), "words")]
        if current is not None:
            return [Place(current.key, (current.written,), "session")]
        first = phrase(message.text, low) if _says_enough(message.text, words) and message.session_id else None
        if first is None:
            return []
        if known := self.named(first.name, message.seq):
            return [Place(known.key, (known.written,), "words")]
        return [Place(topic_id(first.name), (_written(message, first),), "new")]

    def _current(self, message: Message) -> Earlier | None:
        """What the session spoke of last."""
        if not message.session_id:
            return None
        there = [one for one in self._parts if one.session == message.session_id and one.seq < message.seq]
        return max(there, key=lambda one: (one.seq, one.start, one.key), default=None)

    def named(self, name: str, seq: int) -> Earlier | None:
        """The earliest part of the topic that goes by this name, or of the only one whose name has all its words."""
        low, words = flat(name), frozenset(telling(name))
        near: dict[str, Earlier] = {}
        for word in words:
            for part in self._by_word.get(word, ()):
                if part.seq < seq and (part.key not in near or part.seq < near[part.key].seq):
                    near[part.key] = part
        for part in near.values():
            if part.key == topic_id(name) or flat(part.written.name) == low:
                return part
        having = [part for part in near.values() if words and words <= frozenset(telling(part.written.name))]
        return having[0] if len(having) == 1 else None

    def topic(self, name: str) -> Earlier | None:
        """The further topic of this name."""
        record = self._topics.get(flat(name))
        written = written_of(record) if record else []
        return Earlier(record.id, 0, 0, "", written[0], frozenset()) if record and written else None

    def _named(self, message: Message, low: str, words: Sequence[str]) -> list[Place]:
        """The topics that the message names, on purpose or by a name that is known."""
        found: list[Place] = []
        for subject in named(message.text, low):
            own = _written(message, subject)
            known = self.named(subject.name, message.seq)
            if known is None:
                found.append(Place(topic_id(subject.name), (own,), "named", subject.start))
            else:
                found.append(Place(known.key, (known.written, own), "named", subject.start))
        for part in self._known_names(message, low, words):
            at = low.find(flat(part.written.name))
            end = at + len(flat(part.written.name))
            subject = Subject(message.text[at:end], at, end)
            found.append(Place(part.key, (part.written, _written(message, subject)), "named", at))
        once: dict[str, Place] = {}
        for place in sorted(found, key=lambda one: one.start):
            once.setdefault(place.key, place)
        return list(once.values())

    def _known_names(self, message: Message, low: str, words: Sequence[str]) -> list[Earlier]:
        """Topics whose name stands in the message as it was written before."""
        near: dict[str, Earlier] = {}
        for word in words:
            for part in self._by_word.get(word, ()):
                if part.seq < message.seq and (part.key not in near or part.seq < near[part.key].seq):
                    near[part.key] = part
        return [part for part in near.values() if _stands(flat(part.written.name), low)]

    def _sharing(
        self, message: Message, words: Sequence[str], enough: float, current: Earlier | None
    ) -> Earlier | None:
        """The topic that shares most words with a message: a word counts less, the more topics have it."""
        scores: dict[str, float] = {}
        alone: dict[str, int] = {}  # words that no other topic has
        first: dict[str, Earlier] = {}
        for word in words:
            having = {part.key: part for part in reversed(self._by_word.get(word, ())) if part.seq < message.seq}
            if len(having) == 1:
                alone[next(iter(having))] = alone.get(next(iter(having)), 0) + 1
            for key, part in having.items():
                scores[key] = scores.get(key, 0.0) + (1.0 if word.isascii() else _PAIR) / len(having)
                if key not in first or part.seq < first[key].seq:
                    first[key] = part
        if not scores:
            return None
        best = max(scores, key=lambda key: (scores[key], key))
        if current is not None and (best == current.key or current.key in scores):
            return None
        most = current is None and len(scores) == 1 and 2 * alone.get(best, 0) >= len(words)  # of a short message
        return first[best] if most or scores[best] >= enough else None


def links_of(names: Iterable[Written], text: str) -> tuple[str, ...]:
    """By what a part is found: its topic's name, and the words that tell what its message is about."""
    names = list(names)
    words = [term for one in names for term in telling(one.name)]
    words += [term for term, _ in sorted(telling(text).items(), key=lambda one: (-one[1], one[0]))]
    told = [f"{WORD}{word}" for word in dict.fromkeys(words)][:_WORDS]
    return (*dict.fromkeys(flat(one.name) for one in names), *told)


async def known_before(
    batch: Batch, messages: Sequence[Message], topics: Iterable[Record] = ()
) -> tuple[Before, list[Record]]:
    """What the topics of these messages may depend on, and the parts that were read of their sessions."""
    words = sorted({f"{WORD}{word}" for message in messages for word in _told_words(message.text)})
    sharing = await batch.records(kind=PART, links=words, newest=True, limit=_SHARING) if words else []
    first = min((message.seq for message in messages), default=0)
    own = {message.id for message in messages}
    sessions: list[Record] = []
    for session in sorted({message.session_id for message in messages if message.session_id}):
        parts = await batch.records(kind=PART, session_id=session, newest=True, limit=_OF_SESSION)
        if len(parts) == _OF_SESSION and not any(_seq(part) < first for part in parts):
            parts = await batch.records(kind=PART, session_id=session)
        sessions += parts
    every: Mapping[str, Record] = {part.id: part for part in (*sharing, *sessions) if message_of(part) not in own}
    return Before(every.values(), topics), sessions


def message_of(part: Record) -> str:
    """Id of the message that a part is of."""
    return part.sources[0].message_id if part.sources else ""


def _seq(part: Record) -> int:
    seq = part.data.get("seq")
    return seq if isinstance(seq, int) else 0


def _told_words(text: str) -> list[str]:
    return [term for term, _ in sorted(telling(text).items(), key=lambda one: (-one[1], one[0]))][:_LOOKED_UP]


def _written(message: Message, subject: Subject) -> Written:
    return Written(
        subject.name,
        Source(message.id, subject.start, subject.end, message.text[subject.start : subject.end]),
        message.seq,
    )


def _stands(name: str, low: str) -> bool:
    """Whether a name stands in a text, and not within a word."""
    if len(name) < 2:
        return False
    at = low.find(name)
    while at >= 0:
        before, after = low[at - 1 : at], low[at + len(name) : at + len(name) + 1]
        if not (before.isascii() and before.isalnum() and name[0].isascii()) and not (
            after.isascii() and after.isalnum() and name[-1].isascii()
        ):
            return True
        at = low.find(name, at + 1)
    return False


def _says_enough(text: str, words: Sequence[str]) -> bool:
    latin, han = len(_LATIN.findall(text[:1_000])), len(_HAN.findall(text[:1_000]))
    return len(words) >= 2 and (latin >= _LEAST_WORDS or han >= _LEAST_HAN or latin + han / 2 >= _LEAST_WORDS)
