"""Short histories: each question with the messages around its evidence in a memory of its own.  Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from jiyi.eval.dataset import Conversation, Label


def shortened(conversation: Conversation, size: int) -> list[Conversation]:
    """For each question that has evidence and an answer, a conversation of at most ``size`` messages, in order.

    They are its evidence and the messages nearest to it; where there is much evidence, it fills half of them and the
    rest of it is no longer looked for.  What comes after a question's moment stays out.  A whole session that is
    evidence is there with its first messages.

    Args:
        conversation: with all its messages.
        size: 2 or more.
    """
    places = {entry.message_id: at for at, entry in enumerate(conversation.entries)}
    found: list[Conversation] = []
    for question, label in zip(conversation.questions, conversation.labels, strict=True):
        end = places[question.before] if question.before else len(conversation.entries)
        kept = [at for at in _evidence(conversation, label) if at < end][: max(1, size // 2)]
        if not kept or not label.answerable:
            continue
        entries = tuple(conversation.entries[at] for at in _around(kept, end, size))
        there = {name for entry in entries for name in (entry.message_id, entry.session_id)}
        left = replace(label, evidence=tuple(name for name in label.evidence if name in there))
        asked = replace(question, before=None)
        found.append(replace(conversation, entries=entries, questions=(asked,), labels=(left,)))
    return found


def _evidence(conversation: Conversation, label: Label) -> Sequence[int]:
    """Places of the evidence: of its messages, or of its sessions' messages in turn."""
    if label.level == "message":
        return [at for at, entry in enumerate(conversation.entries) if entry.message_id in label.evidence]
    sessions: dict[str, list[int]] = {name: [] for name in label.evidence}
    for at, entry in enumerate(conversation.entries):
        if entry.session_id in sessions:
            sessions[entry.session_id].append(at)
    return [at for at in chain.from_iterable(zip_longest(*sessions.values())) if at is not None]


def _around(kept: Sequence[int], end: int, size: int) -> list[int]:
    """These places and those nearest to them, below ``end``, so many in all."""
    chosen = set(kept)
    for distance in range(1, end):
        for at in kept:
            for near in (at - distance, at + distance):
                if len(chosen) < size and 0 <= near < end:
                    chosen.add(near)
        if len(chosen) >= size:
            break
    return sorted(chosen)
