"""BM25: how well a message's words fit a question's.  Pure; plain Python."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from jiyi.types import Lexical

K1 = 1.2
B = 0.75
"""How soon repeats stop counting, and how much long texts pay: the usual values (Robertson and Zaragoza, 2009)."""


def idf(lexical: Lexical, terms: Iterable[str]) -> dict[str, float]:
    """How much each query term tells: ``log(1 + (N - n + .5) / (n + .5))``, of a term that n of N messages have."""
    count, frequency = lexical.documents, lexical.frequency
    return {
        term: math.log(1 + (count - seen + 0.5) / (seen + 0.5))
        for term in terms
        if (seen := frequency.get(term, 0)) <= count
    }


def bm25(lexical: Lexical, terms: Iterable[str]) -> dict[int, float]:
    """Seq -> BM25 of every hit of a full-text search; 0 for all others."""
    gain = {term: value * (K1 + 1) for term, value in idf(lexical, terms).items()}
    flat = K1 * (1 - B)
    slope = K1 * B / (lexical.mean_length or 1.0)
    scores: dict[int, float] = {}
    for seq, (length, found) in lexical.hits.items():
        norm = flat + slope * length
        score = 0.0
        for term, times in found.items():
            if term in gain:
                score += gain[term] * times / (times + norm)
        scores[seq] = score
    return scores


def cover(lexical: Lexical, tells: Mapping[str, float], seqs: Iterable[int]) -> list[float]:
    """Share of the query's idf (``tells``), 0..1, that each message's terms make up."""
    total = sum(tells.values())
    if not total:
        return [0.0 for _ in seqs]
    hits = map(lexical.hits.get, seqs)
    return [sum([tells.get(term, 0.0) for term in hit[1]]) / total if hit else 0.0 for hit in hits]
