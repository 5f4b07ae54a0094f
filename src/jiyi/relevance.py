"""How sure it is that a message belongs to a question: 0..1, comparable between searches.  Pure; plain Python.

The score of ``ranking`` only orders one search.  Whether anything of it should be brought up at all is asked here, of
the cosine itself and of what is known of the question, and calibrated on own questions and questions about others
(docs/benchmarks/floor.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from jiyi.bm25 import idf
from jiyi.text import query_terms
from jiyi.types import Dense, Found, Lexical
from jiyi.weights import Weights

FEWEST = 10
SMALL = 64
"""Messages that the smallest scopes count as, and from which on a scope is not small: see ``Weights.small_scope``."""

RARE = 5
"""Messages that may share a word which is as good as a name."""

FITTED = frozenset({"e5-small"})
"""Models to whose cosines the curve was fitted.  Those of others are brought to the same mean and deviation first: that
tells less, since it hides whether a scope has much to do with the question at all."""

_NAME = re.compile(r"(?<=[\w,;] )[A-Z][a-z]+")
"""A word with a capital that does not begin the sentence."""


def relevances(
    query: str,
    found: Found,
    candidates: Iterable[tuple[float | None, float]],
    called: bool,
    *,
    model: str,
    weights: Weights,
) -> Iterator[float]:
    """The relevance of each candidate, when it is asked for: a logistic curve over a sum of hints.

    Counted are: the cosine, less a part of the scope's mean; a share of the query's idf that the message covers; less
    with every doubling of the scope, since the best of many is high by chance (of a question about others the 95th
    percentile grows by .03 with the logarithm, from 4 messages to 4,000); more in a small memory, where a fact asked in
    other words would not come back else, and a wrong hit costs little; that the query names a speaker; that it names
    somebody of whom there is no word.  A message that has nearly all of a telling question's words (an id, a name, an
    emoji) is relevant whatever its cosine.  Where the best message is relevant, others come in beside it
    (``Weights.companions``).

    Args:
        query: the question as it was asked.
        found: the statistics.
        candidates: of each its cosine, None without a vector, and the share of the query's idf that it covers, 0..1.
        called: whether the query names a speaker of the scope.
        model: whose cosines they are.
        weights: every constant.
    """
    many = found.dense.scanned
    scale, shift = (1.0, 0.0) if model in FITTED or many < FEWEST else _rescaled(found.dense, weights)
    mean = scale * found.dense.mean + shift
    least = weights.middle + weights.scope_mean * mean + weights.growth * math.log(max(FEWEST, many))
    least -= weights.small_scope * max(0.0, 1 - many / SMALL)
    if called:
        least -= weights.speaker_named
    if _names_a_stranger(query, found.lexical):
        least += weights.stranger_named
    middle = weights.exact if _is_telling(found.lexical) else math.inf
    logits = [
        weights.cover_slope * (share - weights.cover_middle)
        if cosine is None
        else max(
            weights.slope * (scale * cosine + shift + weights.cover * share - least),
            weights.cover_slope * (share - middle),
        )
        for cosine, share in candidates
    ]
    best = max(logits)
    return (_logistic(_beside(logit, best, weights.companions)) for logit in logits)


def _beside(logit: float, best: float, companions: float) -> float:
    """The logit of a message beside the most relevant one.

    One that lies ``companions`` below even odds has even odds then, and the others more, up to the best's own: what
    comes in with another is seen to be less sure.
    """
    lifted = logit + companions
    if best <= 0 or lifted <= 0:
        return min(best, lifted)
    return best * lifted / (best + companions)


def _rescaled(dense: Dense, weights: Weights) -> tuple[float, float]:
    """Factor and summand that give the scan's cosines the mean and deviation of the bundled embedder's."""
    scale = weights.dense_deviation / (dense.deviation or 1.0)
    return scale, weights.dense_mean - scale * dense.mean


def _is_telling(lexical: Lexical) -> bool:
    """Whether a question's words together tell as much as a word does that only ``RARE`` messages have."""
    rare = Lexical(lexical.documents, frequency={"": min(RARE, lexical.documents)})
    return sum(idf(lexical, lexical.frequency).values()) >= idf(rare, [""])[""]


def _names_a_stranger(query: str, lexical: Lexical) -> bool:
    """Whether there is no word of somebody or something that the query calls by name."""
    known = lexical.frequency
    return any(
        not any(known.get(term, 0) for term in terms)
        for name in _NAME.findall(query[:1_000])
        if (terms := query_terms(name))
    )


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-max(-700.0, value)))
