"""Whether fitted weights beat the shipped ones on questions that they were not fitted to.  Pure.

Conversations are held out in turn: weights are fitted to the questions about the others, and its own are asked again
with them, by the whole ranking.  Of a single conversation stretches of sessions are held out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from jiyi.errors import InvalidInput
from jiyi.eval.dataset import Label
from jiyi.eval.features import FITTED, multiplied
from jiyi.eval.fit import case, fit
from jiyi.eval.looks import Look
from jiyi.eval.scores import score
from jiyi.eval.statistics import Difference, paired
from jiyi.weights import Weights

FEWEST = 50
"""Questions with evidence below which nothing is fitted: intervals of a share are as wide as ±.14 then."""

SURE = 0.025
"""A measure is better where p is below this: two of them may decide, so each must be twice as sure as 1 in 20."""

MOST_FOLDS = 10
BLOCKS = 5
"""Stretches that a single conversation is cut into."""

TOGETHER = "all together"


@dataclass(frozen=True, slots=True)
class Asked:
    """One labelled question.

    Attributes:
        set, conversation: where it comes from.
        look: what was found for it.
        label: what should be found.
        session_of: message id -> session id, of the conversation, in order.
    """

    set: str
    conversation: str
    look: Look
    label: Label
    session_of: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A measure of the held-out questions of a set: a with the shipped weights, b with the fitted ones."""

    set: str
    measure: str
    found: Difference


@dataclass(frozen=True, slots=True)
class Fitted:
    """What came of it.

    Attributes:
        weights: fitted to all questions.
        factors: of each part.
        ranges: of each part the smallest and largest factor of the folds.
        questions: how many count.
        held: what the held-out questions say, by set, and all together where there are several.
        folds, by: how many, and what was held out in each.
        against: why the weights are not to be used; "" when they are better.
    """

    weights: Weights
    factors: Mapping[str, float]
    ranges: Mapping[str, tuple[float, float]]
    questions: int
    held: Sequence[HeldOut]
    folds: int
    by: str
    against: str


def cross_validated(
    asked: Sequence[Asked], usual: Weights, k: int, *, done: Callable[[], None] = lambda: None
) -> Fitted:  # fmt: skip
    """Fits weights to all questions, and judges them on held-out ones.

    Args:
        asked: the questions; those that cannot be answered or have no evidence do not count.
        usual: what is multiplied, and has to be beaten.
        k: recall@k and the reciprocal rank decide.
        done: called after each fit.

    Raises:
        InvalidInput: too few questions.
    """
    asked = [one for one in asked if one.label.evidence and one.label.answerable]
    if len(asked) < FEWEST:
        raise InvalidInput(
            "questions",
            f"fitting needs at least {FEWEST} with evidence, better some hundreds, and there are {len(asked)}; "
            "the shipped weights serve meanwhile",
        )
    reference = "dense" if any(one.look.model for one in asked) else "words"
    before = [one.look.ranked(usual) for one in asked]
    cases = [case(ranked, one.label, one.session_of) for ranked, one in zip(before, asked, strict=True)]
    of, by = folds(asked)
    texts = [" ".join(one.look.question.split()).casefold() for one in asked]
    after = [usual] * len(asked)
    found: list[dict[str, float]] = []
    for fold in range(max(of) + 1):
        hidden = {text for text, its in zip(texts, of, strict=True) if its == fold}
        rest = [
            one for one, text, its in zip(cases, texts, of, strict=True) if one and its != fold and text not in hidden
        ]
        factors = fit(rest, reference)
        found.append(factors)
        after = [multiplied(usual, factors) if its == fold else one for one, its in zip(after, of, strict=True)]
        done()
    held = _held(
        asked, [(_measured(one, usual, k), _measured(one, its, k)) for one, its in zip(asked, after, strict=True)]
    )
    factors = fit([one for one in cases if one], reference)
    done()
    return Fitted(
        multiplied(usual, factors), factors,
        {name: (min(one[name] for one in found), max(one[name] for one in found)) for name in FITTED},
        len(asked), held, len(found), by, _against(held, factors),
    )  # fmt: skip


def folds(asked: Sequence[Asked]) -> tuple[list[int], str]:
    """The fold of each question, and what a fold holds out."""
    talks = list(dict.fromkeys((one.set, one.conversation) for one in asked))
    if len(talks) > 1:
        return _spread([talks.index((one.set, one.conversation)) for one in asked]), "conversations"
    order = {name: at for at, name in enumerate(dict.fromkeys(asked[0].session_of.values()))}
    sessions = [min(order.get(session, 0) for session in _sessions(one)) for one in asked]
    if len(set(sessions)) < BLOCKS:
        sessions = list(range(len(asked)))
    ranks = {at: place for place, at in enumerate(sorted(range(len(asked)), key=lambda at: sessions[at]))}
    first: dict[int, int] = {}
    for at in ranks:
        first.setdefault(sessions[at], ranks[at] * BLOCKS // len(asked))
    numbers = {block: number for number, block in enumerate(sorted(set(first.values())))}
    return [numbers[first[session]] for session in sessions], "stretches of sessions"


def _spread(groups: Sequence[int]) -> list[int]:
    """A fold for each group, or so many that all weigh about the same."""
    sizes = {group: groups.count(group) for group in dict.fromkeys(groups)}
    loads = [0] * min(MOST_FOLDS, len(sizes))
    fold: dict[int, int] = {}
    for group in sorted(sizes, key=lambda group: -sizes[group]):
        fold[group] = loads.index(min(loads))
        loads[fold[group]] += sizes[group]
    return [fold[group] for group in groups]


def _sessions(one: Asked) -> list[str]:
    return [one.session_of.get(name, name) if one.label.level == "message" else name for name in one.label.evidence]


def _measured(one: Asked, weights: Weights, k: int) -> Mapping[str, float]:
    """The measures at the level of the evidence."""
    ranking = [ranked.message.id for ranked in one.look.ranked(weights)]
    return score(one.label, ranking, one.session_of, [k])[0].measures


def _held(asked: Sequence[Asked], measured: Sequence[tuple[Mapping[str, float], Mapping[str, float]]]) -> list[HeldOut]:
    sets: dict[str, list[int]] = {}
    for at, one in enumerate(asked):
        sets.setdefault(one.set, []).append(at)
    if len(sets) > 1:
        sets[TOGETHER] = list(range(len(asked)))
    deciding = next(name for name in measured[0][0] if name.startswith("recall@"))
    return [
        HeldOut(name, measure, paired(*([measured[at][which][measure] for at in places] for which in (0, 1))))
        for name, places in sets.items()
        for measure in (deciding, "mrr")
    ]  # fmt: skip


def _against(held: Sequence[HeldOut], factors: Mapping[str, float]) -> str:
    """Why the weights are not to be used; "" where one of the two measures is surely better, and nothing is worse."""
    if all(factor == 1 for factor in factors.values()):
        return "the questions give no reason to change a weight"
    for one in held:
        if one.found.high < 0:
            return f"{_said(one)}: surely worse"
    overall = held[-2:]
    for one in overall:
        if one.found.value < -1e-9:
            return f"{_said(one)}: rather worse"
    if any(one.found.value > 0 and one.found.p < SURE for one in overall):
        return ""
    best = min(overall, key=lambda one: one.found.p)
    return f"{_said(best)}: that may be chance, p is {best.found.p:.3f} and must be below {SURE}"


def _said(one: HeldOut) -> str:
    found = one.found
    return (
        f"{one.measure} of held-out questions ({one.set}) goes from {found.a:.3f} to {found.b:.3f} "
        f"({found.value:+.3f}, 95 % interval {found.low:+.3f} to {found.high:+.3f})"
    )
