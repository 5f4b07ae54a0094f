"""Recall's scores: full text and dense vectors fused, with the conversation around a message.  Pure; plain Python.

A message's score is a sum of named parts.  Both channels are standardised over the scope (how many deviations above
the scope's mean), so that they can be added; the session and the messages before and after lend some of theirs.
Beside the score, which only orders one search, each message has a ``relevance`` that can be compared between searches.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from jiyi.text import language, query_terms
from jiyi.types import Dense, Lexical, Message

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


@dataclass(frozen=True, slots=True)
class Weights:
    """Every constant of the ranking."""

    dense: float = 1.5
    words: float = 0.6
    near_dense: float = 0.2
    near_words: float = 0.14
    session_dense: float = 0.2
    session_words: float = 0.14
    session_sum: float = 0.3
    speaker: float = 0.3
    question: float = 0.3
    reply: float = 0.2
    date: float = 0.4
    gate_low: float = 0.15
    gate_span: float = 0.35
    gate_least: float = 0.15
    reserve: int = 4
    z_cap: float = 99.0
    prior: float = 20.0
    dense_mean: float = 0.0
    dense_deviation: float = 0.12
    words_mean: float = 0.5
    words_deviation: float = 1.5
    k1: float = 1.2
    b: float = 0.75
    floor: float = 0.5
    cosine_mid: float = 0.3
    cosine_slope: float = 20.0
    cover_mid: float = 0.5
    cover_slope: float = 10.0

    def gate(self, cover: float) -> float:
        """Weight of full text when the best message covers this share of the query's idf."""
        return min(1.0, max(self.gate_least, (cover - self.gate_low) / self.gate_span))


DEFAULT = Weights()


@dataclass(frozen=True, slots=True)
class Ranked:
    """One message in its place.

    Attributes:
        score: orders one search; the parts add up to it.
        relevance: 0..1, comparable between searches.
        parts: what the score is made of, by name.
    """

    message: Message
    score: float
    relevance: float
    parts: Mapping[str, float]


def index_text(message: Message) -> str:
    """A message as both indexes see it: ``8 May 2023, Caroline: text``, ``2023年5月8日 李雪：text``."""
    text = message.text
    chinese = language(text) == "zh"
    day = message.created_at
    head: list[str] = []
    if day is not None:
        head.append(
            f"{day.year}年{day.month}月{day.day}日" if chinese else f"{day.day} {MONTHS[day.month - 1]} {day.year}"
        )
    if message.name:
        head.append(message.name)
    if not head:
        return text
    return f"{' '.join(head)}：{text}" if chinese else f"{', '.join(head)}: {text}"


def idf(lexical: Lexical, terms: Iterable[str]) -> dict[str, float]:
    """How much each query term tells: ``log(1 + (N - n + .5) / (n + .5))``, of a term that n of N messages have."""
    count, frequency = lexical.documents, lexical.frequency
    return {
        term: math.log(1 + (count - seen + 0.5) / (seen + 0.5))
        for term in terms
        if (seen := frequency.get(term, 0)) <= count
    }


def bm25(lexical: Lexical, terms: Iterable[str], *, weights: Weights = DEFAULT) -> dict[int, float]:
    """Seq -> BM25 of every hit of a full-text search; 0 for all others."""
    gain = {term: value * (weights.k1 + 1) for term, value in idf(lexical, terms).items()}
    flat = weights.k1 * (1 - weights.b)
    slope = weights.k1 * weights.b / (lexical.mean_length or 1.0)
    scores: dict[int, float] = {}
    for seq, (length, found) in lexical.hits.items():
        norm = flat + slope * length
        score = 0.0
        for term, times in found.items():
            if term in gain:
                score += gain[term] * times / (times + norm)
        scores[seq] = score
    return scores


def rank(
    query: str,
    candidates: Sequence[Message],
    lexical: Lexical,
    dense: Dense | None,
    *,
    weights: Weights = DEFAULT,
) -> list[Ranked]:
    """Orders candidates by how well they answer ``query``, best first; ties by time (newest first), then id.

    Args:
        query: the question as it was asked.
        candidates: messages worth a look and those beside them in their sessions, in any order.
        lexical: the query's full-text statistics and hits.
        dense: cosines of the candidates with a vector; None without an embedder.
        weights: every constant.
    """
    if not candidates:
        return []
    terms = idf(lexical, query_terms(query))
    near = _Near(candidates)
    words = _standard_words(candidates, bm25(lexical, terms, weights=weights), lexical.documents, weights)
    cover = _cover(candidates, lexical, terms)
    meaning = _standard_dense(candidates, dense, weights)
    gate = weights.gate(max(cover)) if dense is not None and dense.hits else 1.0
    parts = {
        "dense": [weights.dense * value for value in meaning],
        "words": [weights.words * gate * value for value in words],
        "neighbours": near.neighbours(meaning, words, gate, weights),
        "session": near.session(meaning, words, gate, weights),
        "cues": _cues(query, candidates, near, weights),
    }
    scores = [sum(column) for column in zip(*parts.values(), strict=True)]
    order = sorted(range(len(candidates)), key=lambda i: _place(scores[i], candidates[i]))
    lift = [0.0] * len(candidates)
    if dense is not None and weights.reserve:
        order = _reserve(order, scores, meaning, lift, weights.reserve)
    relevance = _relevance(candidates, dense, cover, weights)
    parts["place"] = lift
    return [
        Ranked(
            candidates[i],
            scores[i] + lift[i],
            relevance[i],
            {name: column[i] for name, column in parts.items() if column[i]},
        )
        for i in order
    ]


def _place(score: float, message: Message) -> tuple[float, float, str]:
    said = message.created_at
    return (-round(score, 9), -said.timestamp() if said else 0.0, message.id)


class _Near:
    """Who stands beside whom: indexes into the candidates."""

    def __init__(self, candidates: Sequence[Message]) -> None:
        self.place = {message.id: i for i, message in enumerate(candidates)}
        find = self.place.get
        self.before = [find(message.parent_id, -1) if message.parent_id else -1 for message in candidates]
        self.after = [-1] * len(candidates)
        for i, parent in enumerate(self.before):
            if parent >= 0:
                self.after[parent] = i
        self.sessions: dict[str, list[int]] = {}
        for i, message in enumerate(candidates):
            if message.session_id:
                self.sessions.setdefault(message.session_id, []).append(i)

    def neighbours(self, meaning: list[float], words: list[float], gate: float, weights: Weights) -> list[float]:
        own = [weights.near_dense * e + weights.near_words * gate * w for e, w in zip(meaning, words, strict=True)]
        own.append(0.0)  # what -1 finds
        return [own[before] + own[after] for before, after in zip(self.before, self.after, strict=True)]

    def session(self, meaning: list[float], words: list[float], gate: float, weights: Weights) -> list[float]:
        lent = [0.0] * len(meaning)
        mixed = [e + 0.7 * gate * w for e, w in zip(meaning, words, strict=True)]
        total: dict[str, float] = {}
        for name, places in self.sessions.items():
            total[name] = sum(sorted([mixed[i] for i in places], reverse=True)[:3])
        if not total:
            return lent
        mean = sum(total.values()) / len(total)
        deviation = math.sqrt(sum((value - mean) ** 2 for value in total.values()) / len(total)) + 1.0
        for name, places in self.sessions.items():
            value = (
                weights.session_dense * max([meaning[i] for i in places])
                + weights.session_words * gate * max([words[i] for i in places])
                + weights.session_sum * (total[name] - mean) / deviation
            )
            for i in places:
                lent[i] = value
        return lent


def _standard_words(
    candidates: Sequence[Message], scores: Mapping[int, float], documents: int, weights: Weights
) -> list[float]:
    """BM25 in deviations above the scope's mean, leaning on a prior while the scope is small."""
    if not scores:
        return [0.0] * len(candidates)
    n, prior = max(documents, len(scores)), weights.prior
    mean = sum(scores.values()) / n
    variance = max(0.0, sum([score * score for score in scores.values()]) / n - mean * mean)
    mean = (n * mean + prior * weights.words_mean) / (n + prior)
    deviation = math.sqrt((n * variance + prior * weights.words_deviation**2) / (n + prior))
    cap = weights.z_cap
    return [min(cap, (scores.get(message.seq, 0.0) - mean) / deviation) for message in candidates]


def _standard_dense(candidates: Sequence[Message], dense: Dense | None, weights: Weights) -> list[float]:
    """Cosines in deviations above the scope's mean; a message without a vector counts as the mean."""
    if dense is None or not dense.hits:
        return [0.0] * len(candidates)
    n, prior = dense.scanned, weights.prior
    mean = (n * dense.mean + prior * weights.dense_mean) / (n + prior)
    deviation = math.sqrt((n * dense.deviation**2 + prior * weights.dense_deviation**2) / (n + prior))
    hits = dense.hits
    return [(hits.get(message.seq, mean) - mean) / deviation for message in candidates]


def _cover(candidates: Sequence[Message], lexical: Lexical, idf: Mapping[str, float]) -> list[float]:
    """Share of the query's idf, 0..1, that each message's terms make up."""
    total = sum(idf.values())
    if not total:
        return [0.0] * len(candidates)
    hits, nothing = lexical.hits, (0, dict[str, int]())
    return [sum([idf.get(t, 0.0) for t in hits.get(message.seq, nothing)[1]]) / total for message in candidates]


def _cues(query: str, candidates: Sequence[Message], near: _Near, weights: Weights) -> list[float]:
    """Small hints: who speaks, whether it asks or answers, whether its date is the query's."""
    asks = [message.text.rstrip().endswith(("?", "？")) for message in candidates]
    asks.append(False)
    low = query.casefold()
    names = {message.name for message in candidates if message.name}
    called = {name for name in names if name.casefold() in low}
    speaker = {name: weights.speaker if name in called else -weights.speaker for name in names}
    if not called or called == names:
        speaker = {}
    months, days = _dates(low)
    cues: list[float] = []
    for i, message in enumerate(candidates):
        cue = speaker.get(message.name, 0.0) if message.name else 0.0
        if asks[i]:
            cue -= weights.question
        if asks[near.before[i]]:
            cue += weights.reply
        said = message.created_at
        if said is not None and (said.month in months or said.day in days):
            cue += weights.date
        cues.append(cue)
    return cues


_MONTH = re.compile("|".join(rf"\b{name.lower()}\b" for name in MONTHS) + r"|(\d{1,2})\s*月")
_DAY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b|(\d{1,2})\s*[日号]")


def _dates(query: str) -> tuple[set[int], set[int]]:
    names = {name.lower(): i + 1 for i, name in enumerate(MONTHS)}
    months = {int(found[1]) if found[1] else names[found[0]] for found in _MONTH.finditer(query)}
    days = {int(found[1] or found[2]) for found in _DAY.finditer(query)}
    return months, days


def _reserve(order: list[int], scores: list[float], meaning: list[float], lift: list[float], every: int) -> list[int]:
    """Gives every n-th place to the message nearest in meaning that has none yet; ``lift`` takes what that adds."""
    nearest = iter(sorted(order, key=lambda i: -meaning[i]))
    rest = iter(order)
    placed: dict[int, None] = {}
    floor = math.inf
    for place in range(1, len(order) + 1):
        chosen = next(i for i in (nearest if place % every == 0 else rest) if i not in placed)
        lift[chosen] = max(0.0, floor - scores[chosen]) if place % every == 0 else 0.0
        floor = scores[chosen] + lift[chosen]
        placed[chosen] = None
    return list(placed)


def _relevance(candidates: Sequence[Message], dense: Dense | None, cover: list[float], weights: Weights) -> list[float]:
    """Either channel alone can make a message relevant: 1 - (1 - a)(1 - b) of two logistic curves."""
    hits: Mapping[int, float] = dense.hits if dense is not None else {}
    return [
        1
        - (1 - _logistic(weights.cosine_slope * (hits.get(message.seq, -1.0) - weights.cosine_mid)))
        * (1 - _logistic(weights.cover_slope * (share - weights.cover_mid)))
        for message, share in zip(candidates, cover, strict=True)
    ]


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))
