"""A score as a sum: how much of it stands and falls with each part of the ranking.  Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from jiyi.ranking import Ranked
from jiyi.weights import DEFAULT, Weights

FITTED: Mapping[str, tuple[str, ...]] = {
    "dense": ("dense",),
    "words": ("words",),
    "neighbours": ("near_dense", "near_words"),
    "session": ("session_words", "session_sum", "session_terms"),
    "speaker": ("speaker",),
    "date": ("date",),
    "role": ("user", "assistant"),
    "alone": ("alone",),
    "spread": ("spread",),
}
"""Part of a score -> the weights that it is proportional to.  All of them times the same change no order."""


def features(ranked: Sequence[Ranked]) -> list[list[float]]:
    """A row for each, a column for each part of ``FITTED``, that add up to the score.

    Times a factor for each part the row gives the score that weights times these factors would, as long as the same
    messages are lifted (``alone``) and sessions take the same turns (``spread``).  Of a message that is lifted, the
    cosine by itself counts as ``alone``, the usual session as ``session``, and its words, neighbours and own session
    as nothing: its score does not depend on them.

    Args:
        ranked: of one search, not empty.
    """
    columns = ranked[0].columns
    usual = median(columns["session"]) if "alone" in columns else 0.0
    return [_row(one.parts, usual) for one in ranked]


def _row(parts: Mapping[str, float], usual: float) -> list[float]:
    if lift := parts.get("alone", 0.0):
        own = ("dense", "words", "neighbours", "session")
        lifted = lift + sum(parts.get(name, 0.0) for name in own) - usual
        parts = {**parts, **dict.fromkeys(own, 0.0), "session": usual, "alone": lifted}
    return [parts.get(name, 0.0) for name in FITTED]


def multiplied(weights: Weights, factors: Mapping[str, float]) -> Weights:
    """Weights with those of each part times its factor, to four digits; a part without a factor stays."""
    changed = {
        field: float(f"{getattr(weights, field) * factor:.4g}")
        for part, factor in factors.items()
        if factor != 1
        for field in FITTED[part]
    }
    return replace(weights, **changed)


def as_shipped(weights: Weights) -> Weights:
    """Weights with every fitted one as shipped: where a fit begins, and what it has to beat."""
    return replace(weights, **{field: getattr(DEFAULT, field) for part in FITTED.values() for field in part})
