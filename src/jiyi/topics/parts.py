"""Parts, and the topic that they make: by the same rule, in whatever order they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from jiyi.topics.composing import composed
from jiyi.topics.values import KINDS, TOPIC, Content, Kind, TopicPoint, TopicSession, points_of, written_of
from jiyi.types import Record

MODEL, RULES = "topics", "topics:rules"
"""Names of the two steps that make parts and topics."""

WORD, SESSION = "~", "@"
"""Stand before an index term, and before a session's id, among the links of a part: neither is taken for a name."""

_VERSION = "1"


def message_of(part: Record) -> str:
    """Id of the message that a part is of."""
    return str(part.data.get("message", ""))


def topic_of_parts(key: str, parts: Iterable[Record]) -> Record | None:
    """A topic of its parts, in any order; None where nobody named it and only one message speaks of it, without
    anything decided or left open.

    Of a message of which both makers have a part the model's counts, and of a message and its copies in forks the
    first.
    """
    every = _once_a_message(parts)
    first: dict[str, str] = {}
    for one in every:
        first.setdefault(str(one.data.get("origin")), message_of(one))
    counted = [one for one in every if first[str(one.data.get("origin"))] == message_of(one)]
    said: dict[Kind, list[TopicPoint]] = {k: [p for one in counted for p in points_of(one, k)] for k in KINDS}
    named = any(one.data.get("how") == "named" for one in counted)
    if not (named or len(first) > 1 or said["decisions"] or said["open"]):
        return None
    words = Counter(link.removeprefix(WORD) for one in counted for link in one.links if link.startswith(WORD))
    record = Record(
        id=key,
        kind=TOPIC,
        text="",
        strategy=MODEL if any(one.strategy == MODEL for one in every) else RULES,
        version=_VERSION,
        sources=(),
        recorded_at=max((one.recorded_at for one in every if one.recorded_at), default=None),
        data={"by": "model" if any(one.data.get("by") == "model" for one in counted) else "rules"},
    )
    copies = {message_of(one) for one in every} - set(first.values())
    sessions = [_session(one, counts=message_of(one) not in copies) for one in every]
    terms = [term for term, _ in sorted(words.items(), key=lambda one: (-one[1], one[0]))]
    written = [name for one in counted for name in written_of(one)]
    return composed(record, Content(written, said, sessions, terms, len(first)))


def _once_a_message(parts: Iterable[Record]) -> list[Record]:
    """The parts in order, without the rules' of messages of which the model has one."""
    ordered = sorted(parts, key=place_in_log)
    by_model = {message_of(one) for one in ordered if one.strategy == MODEL}
    return [one for one in ordered if one.strategy == MODEL or message_of(one) not in by_model]


def _session(one: Record, *, counts: bool) -> TopicSession:
    message = message_of(one)
    return TopicSession(one.session_id or "", message, message, one.said_at, one.said_at, int(counts))


def place_in_log(one: Record) -> tuple[int, int, str]:
    """Sorts parts by their messages in the log, and by their places in these."""
    seq, start = one.data.get("seq"), one.data.get("place")
    return seq if isinstance(seq, int) else 0, start if isinstance(start, int) else 0, one.id
