"""Parts and topics as records, and what both makers, the rules and the model, do alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from jiyi.copies import origin
from jiyi.importance import SMALL_TALK, importance
from jiyi.ports import Batch
from jiyi.strategies.topics_known import WORDS, Place, links_of, told_words
from jiyi.text import fingerprint
from jiyi.topics import (
    KINDS,
    MODEL,
    PART,
    RULES,
    TOPIC,
    Kind,
    TopicPoint,
    kept_name,
    kept_point,
    message_of,
    place_in_log,
    points_of,
    topic_of_parts,
    written_of,
)
from jiyi.types import JSON, Changes, Message, Record, Source, Step

_NEWEST, _IMPORTANT = 64, 64  # parts that a topic is composed of


def speaks(message: Message) -> bool:
    """Whether a message may belong to a topic: a user's words, or a statement, and not small talk alone."""
    own = message.role == "user" and message.kind != "command"
    return own and message.active and importance(message).score > SMALL_TALK


def part(
    step: Step, message: Message, place: Place | None, points: Mapping[Kind, Sequence[TopicPoint]], made: JSON = None
) -> Record:  # fmt: skip
    """What a message says of one topic; without a topic, that it was looked at."""
    key = place.key if place else None
    names = place.names if place else ()
    said = [point for kind in KINDS for point in points.get(kind, ())]
    sources = [Source(message.id), *(point.source for point in said), *(one.source for one in names)]
    mark = "m" if step.name == MODEL else "r"
    words = told_words(message.text)[:WORDS] if place else []
    data: dict[str, JSON] = {
        "message": message.id,
        "by": "model" if any(point.by == "model" for point in said) else "rules",
        "how": place.how if place else "",
        "names": [kept_name(one) for one in names],
        "seq": message.seq,
        "place": place.start if place else 0,
        "origin": origin(message),
        "words": list(words),
        **{kind: [kept_point(point) for point in points.get(kind, ())] for kind in KINDS},
    }
    return Record(
        id=f"{PART}:{message.seq:010d}:{mark}:{fingerprint(message.id, key or '')}",
        kind=PART,
        text="",
        strategy=step.name,
        version=step.version,
        sources=tuple(dict.fromkeys(sources)),
        session_id=message.session_id or None,
        key=key,
        importance=max((point.importance for point in said), default=0.0),
        recorded_at=message.recorded_at,
        said_at=message.created_at,
        data=data if made is None else {**data, "made": made},
        links=links_of(names, message.session_id, words),
    )


def point(message: Message, span: tuple[int, int], score: float, text: str = "", by: str = "rules") -> TopicPoint:
    """A point of a message: its words, or ``text`` for them."""
    quote = message.text[span[0] : span[1]]
    at = message.created_at
    return TopicPoint(text or quote, message.id, *span, quote, at, message.seq, round(score, 3), by)


async def changes(batch: Batch, step: Step, parts: Sequence[Record], of_sessions: Iterable[Record]) -> Changes:
    """What to write where these are the step's parts of the batch's messages: they, those that follow them in their
    sessions, and the topics that are concerned.

    Args:
        of_sessions: parts that were read of these sessions.
    """
    ids = [message.id for message in batch.messages]
    resting = await batch.records(kind=PART, sources=ids) if ids else []
    own = [one for one in resting if message_of(one) in set(ids)]
    redone = {one.id for one in own if step.name == MODEL or one.strategy == RULES}
    stay = [one for one in own if one.id not in redone]
    followed = _following(batch, [*parts, *stay], of_sessions)
    put = {one.id: one for one in (*parts, *followed.values())}
    drop = sorted((redone | followed.keys()) - put.keys())
    known = {one.id: one for one in (*of_sessions, *own)}
    new = [one for one in put.values() if not one.is_as_it_was(known.get(one.id))]
    keys = {one.id for one in (await batch.records(kind=TOPIC, sources=ids) if ids else ())}
    keys |= {one.key for one in (*put.values(), *own) if one.key} | {known[n].key or "" for n in followed}
    changed: dict[str, Record | None] = {**dict.fromkeys(drop), **put}
    there = {one.id: one for one in await batch.records(kind=TOPIC, ids=sorted(keys))} if keys else {}
    for key in sorted(keys - {""}):
        topic = await _topic(batch, key, changed)
        if topic is None:
            drop += [key] if key in there else []
        elif not topic.is_as_it_was(there.get(key)):
            new.append(topic)
    return Changes(batch.cursor, put=tuple(new), drop=tuple(drop))


def _following(batch: Batch, made: Iterable[Record], of_sessions: Iterable[Record]) -> dict[str, Record]:
    """Id -> what takes its place, of the rules' parts after the batch that belong to a topic only because their session
    spoke of it, where it speaks of another now.
    """
    last: dict[str, Record] = {}
    for one in sorted(made, key=place_in_log):
        if one.session_id and one.key:
            last[one.session_id] = one
    end = max((message.seq for message in batch.messages), default=0)
    found: dict[str, Record] = {}
    for one in sorted(of_sessions, key=place_in_log):
        before = last.get(one.session_id or "")
        if before is None or place_in_log(one)[0] <= end:
            continue
        if one.data.get("how") != "session" or one.strategy == MODEL:
            del last[one.session_id or ""]
        elif one.key != before.key or written_of(one)[:1] != written_of(before)[:1]:
            found[one.id] = _moved(one, before)
    return found


def _moved(one: Record, before: Record) -> Record:
    """A part as one of the topic that the session spoke of before."""
    names = written_of(before)[:1]
    said = [point for kind in KINDS for point in points_of(one, kind)]
    message = message_of(one)
    sources = [Source(message), *(point.source for point in said), *(each.source for each in names)]
    words = one.data.get("words")
    return replace(
        one,
        id=f"{one.id.rpartition(':')[0]}:{fingerprint(message, before.key or '')}",
        key=before.key,
        sources=tuple(dict.fromkeys(sources)),
        links=links_of(names, one.session_id, map(str, words) if isinstance(words, list) else ()),
        data={**one.data, "names": [kept_name(each) for each in names]},
    )


async def _topic(batch: Batch, key: str, changed: Mapping[str, Record | None]) -> Record | None:
    """A topic, composed of its parts; None where they are too few for one."""
    parts = {one.id: one for one in await batch.records(kind=PART, key=key, newest=True, limit=_NEWEST, bare=True)}
    parts |= {
        one.id: one for one in await batch.records(kind=PART, key=key, important=True, limit=_IMPORTANT, bare=True)
    }
    parts = {name: one for name, one in parts.items() if name not in changed}
    parts |= {name: one for name, one in changed.items() if one is not None and one.key == key}
    return topic_of_parts(key, parts.values())
