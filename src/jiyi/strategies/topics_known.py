"""Which topic a message belongs to, by what was said before it: names, the session, words that few topics share.  Pure,
but for ``known_before``, which reads the parts that are wanted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from jiyi.ports import Batch
from jiyi.text import flat
from jiyi.topics import PART, SESSION, WORD, Written, message_of, names_of, topic_id, written_of
from jiyi.types import Message, Record, Source

if TYPE_CHECKING:
    from jiyi.rules.subject_words import Subject

How: TypeAlias = Literal["named", "session", "words", "new"]
"""Why a part belongs to its topic: the message names it, its session speaks of it, they share words, it begins it."""

WORDS = 10
"""Index terms among the links of a part, at most."""

_LOOKED_UP = 40  # terms of a message by which earlier parts are found
_PROJECT = "project"  # type of the mentions that name a topic
_SHARING = 400  # parts that are read for the terms of a batch, the newest
_OF_SESSION = 32  # parts that are read of a session, the newest; all where the batch stands before these
_ENOUGH = 1.4  # words that a message and one topic alone share, at least, to belong together
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


class Earlier:
    """What is known of a part, or of a topic that is only known by its name."""

    def __init__(self, record: Record, key: str) -> None:
        self.key = key
        self.seq, self.start = _number(record, "seq"), _number(record, "place")
        self._record = record

    @cached_property
    def written(self) -> Written | None:
        """Its topic's name, where it was written."""
        return next(iter(written_of(self._record)), None)

    @property
    def name(self) -> str:
        """Its topic's name."""
        return self.written.name if self.written else ""


class Before:
    """The parts of messages that were said before the one that is asked about.

    Args:
        parts: records of parts, in any order.
        topics: further topics that go by their names alone.
    """

    def __init__(self, parts: Iterable[Record], topics: Iterable[Record] = ()) -> None:
        self._topics = {flat(name): one for one in topics for name in names_of(one)}
        self._of_session: dict[str, list[Earlier]] = {}
        self._by_word: dict[str, dict[str, list[Earlier]]] = {}
        for record in parts:
            self.add(record)

    def add(self, record: Record) -> None:
        """One more part; one without a topic tells nothing."""
        if not record.key:
            return
        part = Earlier(record, record.key)
        if record.session_id:
            self._of_session.setdefault(record.session_id, []).append(part)
        for link in record.links:
            if link[:1] == WORD:
                self._by_word.setdefault(link[1:], {}).setdefault(part.key, []).append(part)

    def places(self, message: Message) -> list[Place]:
        """The topics that a message speaks of, in order of the places from which on it does; none for small talk that
        belongs to no session with a topic.
        """
        from jiyi.periods import plain  # these take a while, and only who derives needs them
        from jiyi.rules.own import own_words
        from jiyi.rules.subject_words import phrase

        low = own_words(plain(message.text))
        words = told_words(message.text)
        found = self._named(message, low, words)
        if found and found[0].start > 0 and (current := self._current(message)) and current.key != found[0].key:
            head = message.text[: found[0].start]
            if len(_LATIN.findall(head)) + len(_HAN.findall(head)) / 2 >= _LEAST_WORDS:
                return [Place(current.key, _names(current), "session"), *found]
        if found:
            return found
        current = self._current(message)
        other = self._sharing(message, words, _ENOUGH if current is None else _OTHER, current)
        if other is not None:
            return [Place(other.key, _names(other), "words")]
        if current is not None:
            return [Place(current.key, _names(current), "session")]
        first = phrase(message.text, low) if _says_enough(message.text, words) and message.session_id else None
        if first is None:
            return []
        if known := self.named(first.name, message.seq):
            return [Place(known.key, _names(known), "words")]
        return [Place(topic_id(first.name), (_written(message, first),), "new")]

    def _current(self, message: Message) -> Earlier | None:
        """What the session spoke of last."""
        there = self._of_session.get(message.session_id, ()) if message.session_id else ()
        return _last(there, message.seq)

    def _having(self, words: Iterable[str], seq: int) -> list[Earlier]:
        """Of each topic that had one of these words the part that was said last."""
        found: dict[str, list[Earlier]] = {}
        for word in words:
            for key, parts in self._by_word.get(word, {}).items():
                found.setdefault(key, []).extend(parts)
        return [part for _, parts in sorted(found.items()) if (part := _last(parts, seq)) and part.written]

    def named(self, name: str, seq: int) -> Earlier | None:
        """The topic that goes by this name, or the only one whose name has all its words."""
        low, words = flat(name), frozenset(_telling(name))
        near = self._having(words, seq)
        for part in near:
            if part.key == topic_id(name) or flat(part.name) == low:
                return part
        having = [part for part in near if words and words <= frozenset(_telling(part.name))]
        return having[0] if len(having) == 1 else None

    def topic(self, name: str) -> Earlier | None:
        """The further topic of this name."""
        record = self._topics.get(flat(name))
        return Earlier(record, record.id) if record else None

    def _named(self, message: Message, low: str, words: Sequence[str]) -> list[Place]:
        """The topics that the message names, on purpose or by a name that is known."""
        from jiyi.rules.mentioned import mentioned
        from jiyi.rules.subject_words import Subject
        from jiyi.rules.subjects import named

        found: list[Place] = []
        subjects = named(message.text, low)
        subjects += [
            Subject(one.name, one.start, one.end) for one in mentioned(message).mentions if one.type == _PROJECT
        ]
        for subject in subjects:
            known = self.named(subject.name, message.seq)
            key = known.key if known else topic_id(subject.name)
            found.append(Place(key, both(known, _written(message, subject)), "named", subject.start))
        for part in self._having(words, message.seq):
            name = flat(part.name)
            if _stands(name, low):
                at = low.find(name)
                subject = Subject(message.text[at : at + len(name)], at, at + len(name))
                found.append(Place(part.key, both(part, _written(message, subject)), "named", at))
        once: dict[str, Place] = {}
        for place in sorted(found, key=lambda one: one.start):
            once.setdefault(place.key, place)
        return list(once.values())

    def _sharing(
        self, message: Message, words: Sequence[str], enough: float, current: Earlier | None
    ) -> Earlier | None:
        """The topic that shares most words with a message: a word counts less, the more topics have it."""
        scores: dict[str, float] = {}
        alone: dict[str, int] = {}  # words that no other topic has
        for word in words:
            keys = [key for key, parts in self._by_word.get(word, {}).items() if _last(parts, message.seq)]
            for key in keys:
                scores[key] = scores.get(key, 0.0) + (1.0 if word.isascii() else _PAIR) / len(keys)
                alone[key] = alone.get(key, 0) + (len(keys) == 1)
        if not scores:
            return None
        best = max(scores, key=lambda key: (scores[key], key))
        if current is not None and (best == current.key or current.key in scores):
            return None
        most = current is None and len(scores) == 1 and 2 * alone[best] >= len(words)  # of a short message
        if not most and scores[best] < enough:
            return None
        return next((part for part in self._having(words, message.seq) if part.key == best), None)


def _last(parts: Iterable[Earlier], seq: int) -> Earlier | None:
    """The part that was said last before this place in the log."""
    before = (part for part in parts if part.seq < seq)
    return max(before, key=lambda part: (part.seq, part.start, part.key), default=None)


def _names(part: Earlier) -> tuple[Written, ...]:
    return (part.written,) if part.written else ()


def both(known: Earlier | None, own: Written | None) -> tuple[Written, ...]:
    """A name as it is known, and as a message writes it; that alone where it is the same."""
    names = _names(known) if known else ()
    if own is None:
        return names
    return (own,) if not names or flat(names[0].name) == flat(own.name) else (*names, own)


def links_of(names: Sequence[Written], session_id: str | None, words: Iterable[str]) -> tuple[str, ...]:
    """By what a part is found: its topic's name, its session, and the words that tell what its message is about."""
    told = [term for one in names for term in _telling(one.name)]
    linked = [f"{WORD}{word}" for word in dict.fromkeys([*told, *words])][:WORDS]
    session = [f"{SESSION}{session_id}"] if session_id else []
    return (*dict.fromkeys(flat(one.name) for one in names), *session, *linked)


async def known_before(
    batch: Batch, messages: Sequence[Message], topics: Iterable[Record] = ()
) -> tuple[Before, list[Record]]:
    """What the topics of these messages may depend on, and the parts that were read of their sessions; these without
    their sources.
    """
    words = sorted({f"{WORD}{word}" for message in messages for word in told_words(message.text)})
    most = min(_SHARING, _SHARING // 10 + 8 * len(messages))
    sharing = await batch.records(kind=PART, links=words, newest=True, limit=most, bare=True) if words else []
    first = min((message.seq for message in messages), default=0)
    own = {message.id for message in messages}
    of_sessions: list[Record] = []
    for session in sorted({message.session_id for message in messages if message.session_id}):
        of_sessions += await _of_session(batch, session, first)
    every = {part.id: part for part in (*sharing, *of_sessions) if message_of(part) not in own}
    return Before(every.values(), topics), of_sessions


async def _of_session(batch: Batch, session: str, first: int) -> list[Record]:
    """The newest parts of a session; all where none of these stands before the batch."""
    links = [f"{SESSION}{session}"]
    parts = await batch.records(kind=PART, links=links, newest=True, limit=_OF_SESSION, bare=True)
    if len(parts) < _OF_SESSION or any(_number(part, "seq") < first for part in parts):
        return parts
    return await batch.records(kind=PART, links=links, bare=True)


def _number(part: Record, name: str) -> int:
    number = part.data.get(name)
    return number if isinstance(number, int) else 0


def told_words(text: str) -> list[str]:
    """The index terms of a text that tell most of what it is about, the most frequent first."""
    return [term for term, _ in sorted(_telling(text).items(), key=lambda one: (-one[1], one[0]))][:_LOOKED_UP]


def _telling(text: str) -> Mapping[str, int]:
    from jiyi.rules.subject_words import telling

    return telling(text)


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
