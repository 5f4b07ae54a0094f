"""From the nodes that tell of a session to the items of a context: within a number of tokens, nothing passed over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jiyi.extractive import Sentence, parted
from jiyi.history import is_system
from jiyi.importance import importance
from jiyi.passages import MARK
from jiyi.ports import Reader, Request
from jiyi.strategies.facts_lines import items_of
from jiyi.strategies.summary_telling import Told
from jiyi.text import flat
from jiyi.types import Filter, Item, Message, Record

RAW = 32
"""Messages that no node tells of yet, at most, quoted as they were said; twice what waits for a stride to fill."""

_FACTS = 12  # values that a summary lacks, at most, beside it
_LOOKED_AT = 60  # facts among which they are found, the most important ones
_IMPORTANT = 0.8
_UNTIL = {"en": "(until {}) ", "zh": "（至{}）"}


@dataclass(frozen=True, slots=True)
class Shown:
    """What stands for a part of a session.

    Attributes:
        items: most wanted first.
        text: of all nodes that come in.
    """

    items: tuple[Item, ...]
    text: str


def shown(told: Sequence[Told], request: Request, tokens: int) -> Shown:
    """The nodes' texts, the newest first.  Where they are too long together each gives its first sentence, and then the
    most important ones come in.

    A node that has no room for a sentence tells of nothing; one that was made of small talk alone counts to the next.
    """
    texts = list(reversed(told))
    kept = _within([_sentences(one.node) for one in texts], request, tokens)
    items: list[Item] = []
    silent: list[Told] = []
    for one, said in zip(texts, kept, strict=True):
        if not one.node.text:
            silent.append(one)
        elif said:
            stretches = tuple(other.stretch for other in (one, *silent))
            silent = []
            why = f"{one.node.data.get('by')}, level {one.node.data.get('level')}"
            text = _dated(one, said, request.language)
            ends = (one.first, one.last) if one.first is not one.last else (one.first,)
            items.append(Item(ends, text=text, label="summary", why=why, records=(one.node.id,), covers=stretches))
    return Shown(tuple(items), "\n".join(item.text for item in items))


async def lost(request: Request, told: Sequence[Told], text: str) -> list[Item]:
    """What is important enough that it must not get lost, was said where these nodes tell of, and does not stand in
    their text: values of facts, as lines of their own.
    """
    facts = await request.reader.records(kind="fact", important=True, limit=_LOOKED_AT)
    facts = [fact for fact in facts if fact.pinned or (fact.importance or 0.0) >= _IMPORTANT]
    said = flat(text)
    missing = [fact for fact in facts if flat(str(fact.data.get("value") or fact.text)) not in said]
    if not missing or not told:
        return []
    missing = sorted(missing, key=_weight, reverse=True)
    why = dict.fromkeys((fact.id for fact in missing), "not in the summary")
    lines = await items_of(request.reader, missing, request.language, {}, why)
    return [line for line in lines if any(_is_told(message, told) for message in line.messages)][:_FACTS]


async def untold(reader: Reader, session_id: str, told: Iterable[Told], before: int) -> list[Message]:
    """Messages of a session at positions before this one that no node tells of: the newest ``RAW``, in order."""
    gaps: list[tuple[str, int, int]] = []
    at = before
    for one in sorted(told, key=lambda one: -one.last.position):
        if one.last.position < at - 1:
            gaps.append((session_id, one.last.position + 1, at - 1))
        at = min(at, one.first.position)
    if at > 1:
        gaps.append((session_id, 1, at - 1))
    left, asked = RAW, list[tuple[str, int, int]]()
    for session, first, last in gaps:
        if left > 0:
            asked.append((session, max(first, last - left + 1), last))
            left -= last - first + 1
    found = await reader.matching(Filter(stretches=tuple(asked))) if asked else []
    return sorted((message for message in found if not is_system(message)), key=lambda message: message.position)


def _weight(fact: Record) -> tuple[bool, float]:
    return fact.pinned, fact.importance or 0.0


def _is_told(message: Message, told: Iterable[Told]) -> bool:
    stretches = (one.stretch for one in told)
    return any(
        message.session_id == session and first <= message.position <= last for session, first, last in stretches
    )


def _sentences(node: Record) -> list[Sentence]:
    """The sentences of a node, ``before`` the end of the line before.  What it says first matters more, and alone where
    a model was told to write so; rating them takes longer than all the rest.
    """
    found: list[Sentence] = []
    rated = node.data.get("by") != "model"
    for line in node.text.splitlines():
        for at, text in enumerate(parted(line)):
            score = importance(Message("", "", "user", text)).score if rated else 0.5
            found.append(Sentence(text, score + 1 / (2 + len(found)), "" if at else "\n"))
    return found


def _within(nodes: Sequence[Sequence[Sentence]], request: Request, tokens: int) -> list[str]:
    """What of each node comes in."""

    def size(text: str) -> int:
        return request.count({"role": "system", "content": text}) - request.count({"role": "system", "content": ""})

    best = [(0, 0.0, at, 0) for at, lines in enumerate(nodes) if lines]
    best += [(1, -lines[n].score, at, n) for at, lines in enumerate(nodes) for n in range(1, len(lines))]
    taken: list[set[int]] = [set() for _ in nodes]
    for _, _, at, number in sorted(best):
        cost = size(nodes[at][number].text + "\n")
        if cost <= tokens and (number == 0 or taken[at]):
            tokens -= cost
            taken[at].add(number)
    return [_joined(lines, chosen) for lines, chosen in zip(nodes, taken, strict=True)]


def _joined(lines: Sequence[Sentence], chosen: set[int]) -> str:
    """Sentences in order, with a mark where some are left out."""
    text = ""
    for at in sorted(chosen):
        apart = lines[at].before or (" " if text[-1:].isascii() else "")
        text += apart * bool(text) + lines[at].text
    return f"{text} {MARK}" if text and len(chosen) < len(lines) else text


def _dated(told: Told, text: str, language: str) -> str:
    """A text under the date of its first message says until when it goes."""
    first, last = told.first.created_at, told.last.created_at
    if first is None or last is None or first.date() == last.date():
        return text
    return _UNTIL["zh" if language == "zh" else "en"].format(last.date().isoformat()) + text
