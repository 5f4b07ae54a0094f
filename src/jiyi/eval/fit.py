"""Fits a factor for each part of the ranking to labelled questions: a regularised conditional logistic regression.

Of a question's candidates the evidence should be the one that is chosen, with a probability that grows with the
exponential of the score (McFadden's conditional logit).  The factors are those that make the evidence most likely, held
near 1 by a normal prior on their logarithm: halving counts as much as doubling.  Few questions move them little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import log
from typing import TYPE_CHECKING, TypeAlias

from jiyi.errors import MissingDependency
from jiyi.eval.dataset import Label
from jiyi.eval.features import FITTED, features
from jiyi.ranking import Ranked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]

CANDIDATES = 100
"""How many of the best of a ranking the evidence is told from."""

SPREAD = 0.5
"""Standard deviation of the prior on the logarithm of a factor: two in three factors from .6 to 1.65."""

MOST = 4.0
"""No factor is above this, or below one over it."""

LATER = "spread"
"""The part that is not fitted: it makes room for other sessions among the first, which one message against the others
never shows.  Factors are fitted to the scores before it, and it stays as shipped."""

LEAST_CHANGE = 0.05
"""A factor nearer to 1 is 1: what it changes cannot be seen, and what is as shipped need not be explained."""

_STEPS = 50
_SCALE_SPREAD = 2.0  # of the prior on the logarithm of the scale, which no order depends on


def require() -> None:
    """Says early what fitting needs.

    Raises:
        MissingDependency: names the extra.
    """
    if find_spec("numpy") is None:
        raise MissingDependency("fitting needs numpy: pip install 'jiyi[local]', or 'jiyi[eval]' without an embedder")


@dataclass(frozen=True, slots=True)
class Case:
    """One question to learn from.

    Attributes:
        right: a row of features for each evidence that is among the candidates.
        wrong: a row for each other candidate.
    """

    right: Sequence[Sequence[float]]
    wrong: Sequence[Sequence[float]]


def case(ranked: Sequence[Ranked], label: Label, session_of: Mapping[str, str]) -> Case | None:
    """What a question teaches; None where no evidence is among the candidates, or nothing else is.

    Where sessions are the evidence, the best message stands for each session, and its others for nothing: that is how
    sessions are ranked.
    """
    if not ranked or not label.answerable:
        return None
    evidence, seen = set(label.evidence), set[str]()
    right: list[Sequence[float]] = []
    wrong: list[Sequence[float]] = []
    for place, (one, row) in enumerate(zip(ranked, features(ranked), strict=True)):
        name = one.message.id if label.level == "message" else session_of.get(one.message.id, one.message.id)
        if name in seen:
            continue
        seen.add(name)
        if name in evidence:
            right.append(row)
        elif place < CANDIDATES:
            wrong.append(row)
    return Case(right, wrong) if right and wrong else None


def fit(cases: Sequence[Case], reference: str) -> dict[str, float]:
    """A factor for each part; always the same for the same cases.

    Args:
        cases: the questions; each counts the same, and each evidence of one the same.
        reference: the part whose factor is 1: the others count against it.
    """
    import numpy as np

    if not cases:
        return dict.fromkeys(FITTED, 1.0)
    problem = _Problem(cases)
    free = [at for at, name in enumerate(FITTED) if name not in (reference, LATER)]
    place = np.zeros(1 + len(free))  # logarithms: of the scale, then of the factors
    bound = np.array([5.0, *[log(MOST)] * len(free)])
    prior = np.array([_SCALE_SPREAD**-2, *[SPREAD**-2] * len(free)])
    value, gradient, curvature = problem.at(place, free)
    value += 0.5 * float(prior @ place**2)
    for _ in range(_STEPS):
        step = np.linalg.solve(curvature + np.diag(prior), -(gradient + prior * place))
        size = 1.0
        while size > 1e-4:
            there = np.clip(place + size * step, -bound, bound)
            found, ahead, bent = problem.at(there, free)
            found += 0.5 * float(prior @ there**2)
            if found < value - 1e-9:
                break
            size /= 2
        else:
            break
        place, value, gradient, curvature = there, found, ahead, bent
    factors = dict(zip([list(FITTED)[at] for at in free], np.exp(place[1:]).tolist(), strict=True))
    return {name: _plain(factors.get(name, 1.0)) for name in FITTED}


def _plain(factor: float) -> float:
    return 1.0 if abs(factor - 1) < LEAST_CHANGE else round(factor, 2)


class _Problem:
    """The negative logarithm of the likelihood, with its gradient and Fisher information."""

    def __init__(self, cases: Sequence[Case]) -> None:
        import numpy as np

        groups = [([right, *one.wrong], 1 / len(one.right)) for one in cases for right in one.right]
        sizes = [len(rows) for rows, _ in groups]
        self._rows: Array = np.array([row for rows, _ in groups for row in rows])
        self._rows[:, list(FITTED).index(LATER)] = 0.0
        self._weights: Array = np.array([weight for _, weight in groups])
        self._starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])  # of each group, where its evidence stands
        self._group = np.repeat(np.arange(len(groups)), sizes)

    def at(self, place: Array, free: Sequence[int]) -> tuple[float, Array, Array]:
        """Value, gradient and information at the logarithms of scale and factors."""
        import numpy as np

        factors = np.ones(self._rows.shape[1])
        factors[free] = np.exp(place[1:])
        shares = np.exp(place[0]) * self._rows * factors
        scores = shares.sum(axis=1)
        slopes = np.column_stack([scores, shares[:, free]])
        highest = np.maximum.reduceat(scores, self._starts)
        chances = np.exp(scores - highest[self._group])
        total = np.add.reduceat(chances, self._starts)
        chances /= total[self._group]
        value = float(self._weights @ (np.log(total) + highest - scores[self._starts]))
        expected = np.add.reduceat(chances[:, None] * slopes, self._starts)
        gradient = self._weights @ (expected - slopes[self._starts])
        weighted = (self._weights[self._group] * chances)[:, None] * slopes
        information = slopes.T @ weighted - expected.T @ (self._weights[:, None] * expected)
        return value, gradient, information
