"""What a relevance floor keeps out and what it costs: false recalls on questions about others against evidence lost."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from jiyi.eval.dataset import Conversation, Question
from jiyi.eval.decay import share

FLOORS = tuple(step / 20 for step in range(20))
"""Floors of the curve: 0, .05 … .95."""

DEPTH = 10
"""Hits of a search that are looked at."""


@dataclass(frozen=True, slots=True)
class Own:
    """A question that the conversation answers: its hits as (relevance, whether it is evidence), and the evidence."""

    hits: tuple[tuple[float, bool], ...]
    evidence: int


@dataclass(frozen=True, slots=True)
class Point:
    """One floor of the curve.

    Attributes:
        quiet: share of the questions about others that bring nothing, with its 95 % interval.
        recall: mean share of the evidence among the first ten hits at or above the floor.
        lost: how much less that is than without a floor.
    """

    floor: float
    quiet: tuple[float, float, float]
    recall: float
    lost: float


def curve(own: Sequence[Own], foreign: Sequence[float], floors: Sequence[float] = FLOORS) -> list[Point]:
    """The floors with what they keep out and what they cost.

    Args:
        own: questions that are answered.
        foreign: the best relevance that each question about others brought; 0 for none.
        floors: ascending.
    """
    points: list[Point] = []
    whole = _recall(own, 0.0)
    for floor in floors:
        quiet = sum(best < floor or best == 0.0 for best in foreign)
        recall = _recall(own, floor)
        points.append(Point(floor, share(quiet, len(foreign)), recall, whole - recall))
    return points


def _recall(own: Sequence[Own], floor: float) -> float:
    shares = [sum(right for relevance, right in one.hits if relevance >= floor) / one.evidence for one in own]
    return fmean(shares) if shares else 0.0


def strangers(
    sets: Mapping[str, Sequence[Conversation]], wanted: int, *, seed: int = 7
) -> dict[tuple[str, str], list[Question]]:
    """Questions about others for each conversation: (set, conversation id) -> questions of other sets.

    Where there is only one set, those of its other conversations serve; they may happen to be answered.

    Args:
        sets: of one language, by name.
        wanted: questions in all, spread evenly.
        seed: of the choice.
    """
    rng = random.Random(seed)
    places = [(name, conversation) for name, found in sets.items() for conversation in found]
    if not places:
        return {}
    each = -(-wanted // len(places))
    chosen: dict[tuple[str, str], list[Question]] = {}
    for name, conversation in places:
        others = [
            question
            for other, found in sets.items()
            for one in found
            if (other != name if len(sets) > 1 else one.id != conversation.id)
            for question in one.questions
        ]
        chosen[name, conversation.id] = rng.sample(others, min(each, len(others)))
    return chosen
