"""Topics composed of what was said about them: within limits, nothing twice, nothing open that was settled later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache

from jiyi.text import flat, language, terms
from jiyi.topics.values import (
    KINDS,
    TOPIC,
    Content,
    Kind,
    TopicPoint,
    TopicSession,
    Written,
    content_of,
    kept_name,
    kept_point,
    kept_session,
    name_of,
    names_of,
    points_of,
)
from jiyi.types import NEVER, Record, Source

MOST: Mapping[Kind, int] = {"summary": 8, "decisions": 16, "open": 16, "done": 8}
"""Points of each kind that a topic keeps: of the summary the most important, of the others the newest."""

_SESSIONS, _NAMES, _TERMS = 20, 8, 24  # that a topic keeps
_TOLD = 8  # points in the text
_SHARED = 3  # one in so many of an open point's words, at least, are in what settles it
_SAYS_STATE = (
    "decide decided decision decisions choose chose chosen pick picked agree agreed settle settled use using go",
    "need needs needed still open todo do done have to next step question point issue pending left not yet waiting",
    "finish finished complete completed fixed resolved solved ready we i our let's final finally will must should",
    "going now already which what whether how figure out clear unclear sure undecided no be been get it's",
)
_SAYS_STATE_HAN = frozenset(
    "我你他她它们的了着在是有和与就都也还没未要需得先再吗呢吧啊个这那已经好完不定决选用待事做下步问题把被给让"
)


def composed(record: Record, content: Content) -> Record:
    """The record with this content, whatever the order that it comes in.

    Args:
        record: gives the id, who made it, and what is not said here.
        content: what is known of the topic.
    """
    points, sessions, written = _chosen(content.points), _sessions(content.sessions), _names(content.written)
    name = written[0].name if written else name_of(record)
    every = [point for kind in KINDS for point in points[kind]]
    names = [one.name for one in written]
    told = list(content.terms)[:_TERMS]
    return replace(
        record,
        kind=TOPIC,
        text=_text(name, points),
        sources=_sources(every, written, sessions),
        links=tuple(dict.fromkeys(map(flat, names))),
        importance=round(max((point.importance for point in every), default=0.3), 3),
        said_at=max((one.until for one in sessions if one.until), default=None),
        data={
            **record.data,
            "name": name,
            "value": record.data.get("value") or name,
            "names": [kept_name(one) for one in written],
            **{kind: [kept_point(point) for point in points[kind]] for kind in KINDS},
            "sessions": [kept_session(one) for one in sessions],
            "terms": told,
            "count": content.count,
            "finds": " ".join(dict.fromkeys([*names[1:], *told])),
        },
    )


def joined(into: Record, other: Record) -> Record:
    """Two topics as one, under the first one's id and name; what one left open and the other settled is not open."""
    first, second = content_of(into), content_of(other)
    content = Content(
        [*first.written, *second.written],
        {kind: [*first.points[kind], *second.points[kind]] for kind in KINDS},
        [*first.sessions, *second.sessions],
        list(dict.fromkeys([*first.terms, *second.terms])),
        first.count + second.count,
    )
    taken = [at for at in (into.recorded_at, other.recorded_at) if at]
    record = replace(composed(into, content), pinned=into.pinned or other.pinned, recorded_at=max(taken, default=None))
    return renamed(record, name_of(into))


def renamed(record: Record, name: str) -> Record:
    """A topic under another name; it still goes by the old ones as well."""
    name = " ".join(name.split())
    points: dict[Kind, list[TopicPoint]] = {kind: points_of(record, kind) for kind in KINDS}
    return replace(
        record,
        text=_text(name, points),
        links=tuple(dict.fromkeys(map(flat, (name, *names_of(record))))),
        data={**record.data, "name": name},
    )


def united(records: Iterable[Record]) -> list[Record]:
    """Topics of the same name as one, in the place of the first: people give topics names that are also said."""
    found: dict[str, Record] = {}
    for record in records:
        name = flat(name_of(record))
        found[name] = joined(found[name], record) if name in found else record
    return list(found.values())


def unsettled(left_open: Sequence[TopicPoint], others: Iterable[TopicPoint]) -> list[TopicPoint]:
    """What was left open and is not settled: nothing that was decided or done later shares enough of its words."""
    answers = [(one.order, _telling(one.text)) for one in others] if left_open else []
    found: list[TopicPoint] = []
    for point in left_open:
        asked = _telling(point.text)
        if not any(order > point.order and _shares(answer, asked) for order, answer in answers):
            found.append(point)
    return found


def _shares(answer: Set[str], asked: Set[str]) -> bool:
    shared = asked & answer
    return bool(shared) and _SHARED * len(shared) >= min(len(asked), len(answer))


def _telling(text: str) -> Set[str]:
    """Terms of a text without those that only say that something is open, or decided."""
    state = _state_terms()
    return {term for term in terms(text) if len(term) > 1 and term not in state and not set(term) <= _SAYS_STATE_HAN}


@cache
def _state_terms() -> frozenset[str]:
    """At first use: stemming takes a package that not every program needs."""
    return frozenset(term for line in _SAYS_STATE for word in line.split() for term in (word, *terms(word)))


# -- within limits ---------------------------------------------------------------------------------------------------


def _chosen(points: Mapping[Kind, Sequence[TopicPoint]]) -> dict[Kind, list[TopicPoint]]:
    """Of each kind what a topic keeps, each thing once, in order of time."""
    once: dict[Kind, list[TopicPoint]] = {}
    said: set[str] = set()
    for kind in ("decisions", "done", "open", "summary"):
        own: dict[str, TopicPoint] = {}
        for point in sorted(points.get(kind, ()), key=_last_first):
            own.setdefault(flat(point.text), point)
        once[kind] = [point for text, point in own.items() if text not in said]
        said.update(own)
    once["open"] = unsettled(once["open"], [*once["decisions"], *once["done"]])
    once["summary"].sort(key=lambda one: -one.importance)
    return {kind: sorted(once[kind][: MOST[kind]], key=_in_order) for kind in KINDS}


def _in_order(point: TopicPoint) -> tuple[object, ...]:
    return (*point.order, point.message_id, point.text)


def _last_first(point: TopicPoint) -> tuple[float, int, int, str, str]:
    at, seq, start = point.order
    return -at.timestamp() if point.at else 0.0, -seq, -start, point.message_id, point.text


def _names(written: Iterable[Written]) -> list[Written]:
    """Each name once, the one that was written first in front."""
    once: dict[str, Written] = {}
    for one in sorted(written, key=lambda one: (one.seq, one.source.start or 0, one.name)):
        once.setdefault(flat(one.name), one)
    return list(once.values())[:_NAMES]


def _sessions(sessions: Iterable[TopicSession]) -> list[TopicSession]:
    """Each session once, the newest ones, in order of their last message."""
    once: dict[str, TopicSession] = {}
    for one in sessions:
        other = once.get(one.session_id)
        once[one.session_id] = one if other is None else _both(other, one)
    return sorted(once.values(), key=lambda one: (one.until or NEVER, one.session_id))[-_SESSIONS:]


def _both(one: TopicSession, other: TopicSession) -> TopicSession:
    first = min((one, other), key=lambda each: each.since or NEVER)
    last = max((other, one), key=lambda each: each.until or NEVER)
    return TopicSession(one.session_id, first.first, last.last, first.since, last.until, one.count + other.count)


def _sources(
    points: Sequence[TopicPoint], written: Iterable[Written], sessions: Iterable[TopicSession]
) -> tuple[Source, ...]:
    """The words of each point in order of time, then what else is named."""
    sources = list(dict.fromkeys(point.source for point in sorted(points, key=_in_order)))
    there = {source.message_id for source in sources}
    places = [one.source for one in written]
    places += [Source(message) for one in sessions for message in (one.first, one.last)]
    for source in places:
        if source.message_id not in there:
            there.add(source.message_id)
            sources.append(source)
    return tuple(sources)


def _text(name: str, points: Mapping[Kind, Sequence[TopicPoint]]) -> str:
    """Name and summary: the most important of all that is kept, each as a sentence, in order of time."""
    found = [point for kind in ("summary", "decisions", "open") for point in points[kind]]
    best = sorted(sorted(found, key=_last_first), key=lambda one: -one.importance)[:_TOLD]
    said = [point.text for point in sorted(best, key=_in_order) if point.text]
    chinese = language(" ".join(said) or name) == "zh"
    ended = [one if one[-1] in ".!?。！？…" else f"{one}{'。' if chinese else '.'}" for one in said]
    return f"{name}{'：' if chinese else ': '}{('' if chinese else ' ').join(ended)}" if ended else name
