"""How sure a share or a mean is, and the difference of two.  Pure; plain Python.

Questions are what is drawn again: one stands for the questions that could have been asked.  Those about one
conversation are more alike than that, so the intervals are somewhat narrow; the sets have too few conversations (two
to nine) to draw conversations instead.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import exp, lgamma, log, sqrt
from statistics import fmean

RESAMPLES = 2_000
"""Draws of a bootstrap: p is known to about .01 where it is .05."""


def standard_error(values: Sequence[float]) -> float:
    """Of the mean: what a bootstrap over the values comes to with endless draws; 0 of nothing."""
    if not values:
        return 0.0
    middle = fmean(values)
    return sqrt(fmean([(value - middle) ** 2 for value in values]) / len(values))


def share(hits: float, of: int) -> tuple[float, float, float]:
    """A share with its 95 % interval (Wilson, 1927): value, lower and upper end; of nothing (0, 0, 1)."""
    if not of:
        return 0.0, 0.0, 1.0
    z, p = 1.96, hits / of
    middle = (p + z * z / (2 * of)) / (1 + z * z / of)
    half = z * sqrt(p * (1 - p) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return p, max(0.0, middle - half), min(1.0, middle + half)


def mean(values: Sequence[float]) -> tuple[float, float, float]:
    """A mean with its 95 % interval by the normal approximation: value, lower and upper end; of nothing (0, 0, 0)."""
    if not values:
        return 0.0, 0.0, 0.0
    middle, half = fmean(values), 1.96 * standard_error(values)
    return middle, middle - half, middle + half


def rounded(values: Sequence[float]) -> list[float]:
    """As JSON has them, to four digits."""
    return [round(value, 4) for value in values]


@dataclass(frozen=True, slots=True)
class Difference:
    """The second of two configurations against the first, on the same questions.

    Attributes:
        a, b: both means.
        value: ``b - a``, with its 95 % interval.
        p: how often chance alone would move the difference this far to either side of 0.
        wins, losses, ties: questions on which b is better, worse, equal.
    """

    a: float
    b: float
    value: float
    low: float
    high: float
    p: float
    wins: int
    losses: int
    ties: int


def paired(a: Sequence[float], b: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 7) -> Difference:
    """Compares two measures of the same questions by a paired bootstrap, always the same for the same input.

    Args:
        a, b: a value for each question, in the same order; not empty.
        resamples: draws.
        seed: of the draws.
    """
    changes = [after - before for before, after in zip(a, b, strict=True)]
    moved = [change for change in changes if abs(change) > 1e-12]
    wins = sum(change > 0 for change in moved)
    n = len(changes)
    means = _means(moved, n, resamples, random.Random(seed)) if moved else [0.0]
    at_most, at_least = sum(one <= 1e-12 for one in means), sum(one >= -1e-12 for one in means)
    p = min(1.0, 2 * (min(at_most, at_least) + 1) / (len(means) + 1))
    low, high = means[int(0.025 * len(means))], means[min(len(means) - 1, int(0.975 * len(means)))]
    return Difference(
        fmean(a), fmean(b), fmean(changes), low, high, p, wins, len(moved) - wins, n - len(moved)
    )  # fmt: skip


def _means(moved: Sequence[float], n: int, resamples: int, rng: random.Random) -> list[float]:
    """Means of n draws out of all changes, ascending.  Most changes are 0: how many others are hit is drawn first."""
    hits = _binomial(n, len(moved) / n)
    return sorted(sum(rng.choices(moved, k=bisect(hits, rng.random()))) / n for _ in range(resamples))


def _binomial(n: int, share: float) -> list[float]:
    """The chance of at most 0, 1, 2 … n - 1 hits in n draws."""
    if share >= 1:
        return [0.0] * n
    terms = (
        exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(share) + (n - k) * log(1 - share))
        for k in range(n)
    )
    return list(accumulate(terms))
