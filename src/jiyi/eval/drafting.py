"""Picks what could be asked about a history, by rules: a question file to fill in.  Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from jiyi.importance import importance
from jiyi.types import Message

KINDS = ("id", "amount", "date", "name", "preference", "prohibition", "commitment", "identity", "number")
"""Signals of ``jiyi.importance`` that can be asked for, the most telling first; a row has the first of its own."""

WEAK = frozenset({"date", "name", "commitment"})
"""Say too little alone in few words ("today is lovely", "I'll do that")."""

_WORDY = 0.08  # part of the importance that length gives to some twelve words

SHORTEST, LONGEST = 6, 600
"""Characters of a message that is picked: shorter ones say nothing alone, longer ones too much for one question."""

CONTEXT = 200
"""Characters that are shown of the messages beside it."""

_AGAIN = 0.15  # importance that a message loses for each one of its session, and of its kind, that is picked already


def draft(messages: Sequence[Message], count: int) -> list[dict[str, object]]:
    """Rows of a question file with ``question`` left empty, in order of time.

    The history is cut into as many stretches as questions are wanted, and each gives the message that is most worth
    asking for; sessions and kinds that were taken already come later.

    Args:
        messages: of one user, in order.
        count: rows at most.
    """
    found = {at: kind for at, message in enumerate(messages) if (kind := _kind(message))}
    taken, kinds, sessions = set[int](), Counter[str](), Counter[str]()

    def worth(at: int) -> float:
        again = kinds[found[at]] + (sessions[messages[at].session_id] if messages[at].session_id else 0)
        return importance(messages[at]).score - _AGAIN * again

    for stretch in (*_stretches(len(messages), count), *([range(len(messages))] * count)):
        left = [at for at in stretch if at in found and at not in taken]
        if not left or len(taken) == count:
            continue
        best = max(left, key=lambda at: (worth(at), -at))
        taken.add(best)
        kinds[found[best]] += 1
        sessions[messages[best].session_id] += 1
    return [_row(messages, at, found[at]) for at in sorted(taken)]


def _stretches(length: int, count: int) -> Iterator[range]:
    for number in range(count):
        yield range(number * length // count, (number + 1) * length // count)


def _kind(message: Message) -> str:
    """What can be asked for in a message of the user; "" for nothing."""
    if message.role != "user" or not SHORTEST <= len(message.text.strip()) <= LONGEST:
        return ""
    if message.text.rstrip().endswith(("?", "？", "吗")):
        return ""
    parts = importance(message).parts
    signals = parts.keys() - {"length", "negation"}
    if signals <= WEAK and len(signals) < 2 and parts.get("length", 0.0) < _WORDY:
        return ""
    return next((kind for kind in KINDS if kind in signals), "")


def _row(messages: Sequence[Message], at: int, kind: str) -> dict[str, object]:
    message = messages[at]
    beside = [messages[near] for near in (at - 1, at + 1) if 0 <= near < len(messages)]
    beside = [one for one in beside if message.session_id and one.session_id == message.session_id]
    said = message.created_at
    return {
        "question": "",
        "quote": message.text,
        "said": said.strftime("%Y-%m-%d %H:%M") if said else None,
        "before": next((_line(one) for one in beside if one.seq < message.seq), None),
        "after": next((_line(one) for one in beside if one.seq > message.seq), None),
        "answer": None,
        "question_id": f"q-{message.id}",
        "category": kind,
        "evidence": [message.id],
        "evidence_level": "message",
        "unanswerable": False,
    }


def _line(message: Message) -> str:
    text = " ".join(message.text.split())
    shown = text if len(text) <= CONTEXT else text[: CONTEXT - 1] + "…"
    return f"{message.name or message.role}: {shown}"
