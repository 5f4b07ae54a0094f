"""What a relevance floor keeps out and what it costs: false recalls on questions about others against evidence lost."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from jiyi.eval.dataset import Conversation, Label, Question
from jiyi.eval.facts import MARKS
from jiyi.eval.statistics import mean, share
from jiyi.types import Hit

FLOORS = tuple(step / 20 for step in range(20))
"""Floors of the curve: 0, .05 … .95."""

DEPTH = 10
"""Hits that count."""

DEEP = 100
"""Hits that are looked at: where a floor takes some of the first away, others move up."""


@dataclass(frozen=True, slots=True)
class Own:
    """A question that the conversation answers: its hits as (relevance, whether it is evidence), and the evidence."""

    hits: tuple[tuple[float, bool], ...]
    evidence: int


@dataclass(frozen=True, slots=True)
class Stranger:
    """A question about others, and the set whose conversation it is about."""

    question: Question
    source: str


@dataclass(frozen=True, slots=True)
class Point:
    """One floor of the curve; values in threes are with the ends of their 95 % interval.

    Attributes:
        quiet: share of the questions about others that bring nothing.
        recall: mean share of the evidence among the first ten hits at or above the floor.
        lost: how much less that is than without a floor.
        empty: share of the answerable questions that bring nothing.
    """

    floor: float
    quiet: tuple[float, float, float]
    recall: float
    lost: tuple[float, float, float]
    empty: tuple[float, float, float]


def curve(own: Sequence[Own], foreign: Sequence[float], floors: Sequence[float] = FLOORS) -> list[Point]:
    """The floors with what they keep out and what they cost.

    Args:
        own: questions that are answered.
        foreign: the best relevance that each question about others brought; 0 for none.
        floors: ascending.
    """
    points: list[Point] = []
    whole = [_recall(one, 0.0) for one in own]
    for floor in floors:
        quiet = sum(best < floor or best == 0.0 for best in foreign)
        left = [_recall(one, floor) for one in own]
        empty = sum(not any(relevance >= floor for relevance, _ in one.hits) for one in own)
        lost = mean([before - after for before, after in zip(whole, left, strict=True)])
        points.append(
            Point(floor, share(quiet, len(foreign)), fmean(left) if left else 0.0, lost, share(empty, len(own)))
        )
    return points


def _recall(one: Own, floor: float) -> float:
    return sum([right for relevance, right in one.hits if relevance >= floor][:DEPTH]) / one.evidence


def judged(hits: Sequence[Hit], label: Label, session_of: Mapping[str, str]) -> Own:
    """The hits of a question that is answered, by its label.

    At session level each session counts once, where its best message stands.
    """
    names = [hit.message.id if label.level == "message" else session_of[hit.message.id] for hit in hits]
    firsts = dict.fromkeys(names)
    best = {name: hit.relevance for name, hit in reversed(list(zip(names, hits, strict=True)))}
    return Own(tuple((best[name], name in label.evidence) for name in firsts), len(label.evidence))


def sample(conversation: Conversation, wanted: int | None, *, seed: int = 7) -> Conversation:
    """The conversation with so many of its questions, always the same ones; None for all."""
    count = len(conversation.questions)
    if wanted is None or wanted >= count:
        return conversation
    places = sorted(random.Random(f"{seed} {conversation.id}").sample(range(count), wanted))
    questions = tuple(conversation.questions[at] for at in places)
    labels = tuple(conversation.labels[at] for at in places)
    return replace(conversation, questions=questions, labels=labels)


def strangers(
    sets: Mapping[str, Sequence[Conversation]], wanted: int, *, seed: int = 7
) -> dict[tuple[str, str], list[Stranger]]:
    """Questions about others for each conversation: (set, conversation id) -> questions of other sets.

    Lines of talk that ask nothing are left out: what they should bring to mind nobody can say.  The others are spread
    evenly over the sets and over the conversations of a set, and come from the other sets in turn.
    Where there is only one set, those of its other conversations serve; they may happen to be answered.

    Args:
        sets: of one language, by name.
        wanted: questions in all, at least, as far as there are enough.
        seed: of the choice.
    """
    rng = random.Random(seed)
    chosen: dict[tuple[str, str], list[Stranger]] = {}
    for name, found in sets.items():
        each = -(-wanted // (len(sets) * len(found))) if found else 0
        for conversation in found:
            chosen[name, conversation.id] = _others(sets, name, conversation.id, each, rng)
    return chosen


def _others(
    sets: Mapping[str, Sequence[Conversation]], name: str, own: str, wanted: int, rng: random.Random
) -> list[Stranger]:
    pools: list[list[Stranger]] = []
    for other, found in sets.items():
        if other == name and len(sets) > 1:
            continue
        asked = (q for one in found if other != name or one.id != own for q in one.questions)
        pool = [Stranger(question, other) for question in asked if question.text.endswith(MARKS)]
        pools.append(rng.sample(pool, len(pool)))
    chosen: list[Stranger] = []
    while len(chosen) < wanted and any(pools):
        chosen += [pool.pop() for pool in pools if pool]
    return chosen[:wanted]
