"""Recall's scores: full text and dense vectors fused, with the conversation around a message.  Pure; plain Python.

A message's score is a sum of named parts.  Both channels are standardised over the scope (how many deviations above
the scope's mean), so that they can be added; the session and the messages before and after lend some of theirs.
Beside the score, which only orders one search, each message has a ``relevance`` that can be compared between searches.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import repeat
from typing import NamedTuple

from jiyi.indexable import MONTHS
from jiyi.types import Dense, Found, Lexical, Message, Standing

PIECE_BYTES = 500
"""UTF-8 bytes of a text that embedders take as one piece: about 120 tokens, in English as in Chinese."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Every constant of the ranking: round numbers, chosen by hand on public conversation sets.

    Scores count in standard deviations over the scope.

    Attributes:
        dense, words: of a message's own cosine and BM25.
        near_dense, near_words: of those of the message before and of the one after.
        session_words: of the best BM25 in the session.
        session_sum: of the session's best three messages together, standardised over the sessions.
        session_mix: of BM25 in that sum, where a cosine counts 1.
        piece: taken off for every doubling of a long message's pieces (see ``_standard_dense``).
        speaker: for a message of the speaker whom the query names; against those of the others.
        date: for a message of the month and day that the query names.
        gate_low, gate_span, gate_least: BM25 weighs ``(c - low) / span``, from ``least`` to 1; c is the largest share
            of the query's idf that one message covers.  Stray words say little.
        reserve: every so many places, one goes to the message nearest in meaning; 0 for none.  A lone fact has neither
            neighbours nor session to lift it.
        prior: messages' worth of belief in ``dense_mean`` … ``words_deviation`` when a scope is small.
        dense_mean, dense_deviation: of cosines, centred as the bundled embedder's are.
        words_mean, words_deviation: of BM25.
        k1, b: of BM25; the usual values.
        slope, middle, cover, growth, few, few_mean: of the relevance, see ``_logits``.
        companions: by how much (logits) a message may fall behind the most relevant one and be let in with it.
        cover_slope, cover_middle: of the relevance where there is no vector.
        floor: least relevance of a hit; .45 turns two in five questions about other people away, .65 three in four,
            .8 nine in ten.
    """

    dense: float = 1.5
    words: float = 0.6
    near_dense: float = 0.2
    near_words: float = 0.14
    session_words: float = 0.14
    session_sum: float = 0.3
    session_mix: float = 0.7
    piece: float = 0.5
    speaker: float = 0.3
    date: float = 1.5
    gate_low: float = 0.15
    gate_span: float = 0.35
    gate_least: float = 0.3
    reserve: int = 4
    prior: float = 20.0
    dense_mean: float = 0.0
    dense_deviation: float = 0.12
    words_mean: float = 0.5
    words_deviation: float = 1.5
    k1: float = 1.2
    b: float = 0.75
    slope: float = 16.0
    middle: float = 0.08
    cover: float = 0.2
    growth: float = 0.02
    few: float = 2.0
    few_mean: float = 0.15
    companions: float = 3.0
    cover_slope: float = 20.0
    cover_middle: float = 0.12
    floor: float = 0.45

    def gate(self, cover: float) -> float:
        """Weight of full text when the best message covers this share of the query's idf."""
        return min(1.0, max(self.gate_least, (cover - self.gate_low) / self.gate_span))


DEFAULT = Weights()


class Ranked(NamedTuple):
    """One message in its place.

    Attributes:
        score: orders one search; the parts add up to it.
        relevance: 0..1, comparable between searches.
        columns, row: where the parts stand; most of them are never looked at.
    """

    message: Message
    score: float
    relevance: float
    columns: Mapping[str, Sequence[float]]
    row: int

    @property
    def parts(self) -> dict[str, float]:
        """What the score is made of, by name; nothing that is 0."""
        return {name: column[self.row] for name, column in self.columns.items() if column[self.row]}


RESERVED = 100
"""Places among which some are reserved; nobody reads further."""


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


def rank(query: str, found: Found, *, weights: Weights = DEFAULT) -> Iterator[Ranked]:
    """Orders candidates by how well they answer ``query``, best first; ties by time (newest first), then id.

    Everything is decided before the first is given; each is made when it is asked for, and few are.

    Args:
        query: the question as it was asked.
        found: candidates, those beside them, and the statistics; what has no meaning is ranked by words alone.
        weights: every constant.
    """
    standing, dense = found.standing, found.dense
    at = dict(zip(standing.seqs, range(len(standing.seqs)), strict=True))
    places = sorted(map(at.__getitem__, found.messages.keys() & at.keys()))
    if not places:
        return iter(())
    seqs = [standing.seqs[i] for i in places]
    candidates = [found.messages[seq] for seq in seqs]
    cosines = {**found.near, **dense.hits} if dense.hits else {}
    spoken = _standard_words(standing, found, weights)
    meaning = _standard_dense(standing, dense, cosines, weights)
    cover = _cover(seqs, found.lexical)
    gate = weights.gate(max(cover)) if dense.hits else 1.0
    own = [meaning[i] for i in places]
    parts = {
        "dense": [weights.dense * value for value in own],
        "words": [weights.words * gate * spoken[i] for i in places],
        "neighbours": _neighbours(standing, at, places, (meaning, spoken), gate, weights),
        "session": _session(standing, places, (meaning, spoken), gate, weights),
        "cues": _cues(query, candidates, weights),
    }
    scores = [a + b + c + d + e for a, b, c, d, e in zip(*parts.values(), strict=True)]
    order = _order(candidates, scores)
    if dense.hits and weights.reserve:
        parts["place"], order = _reserve(order, scores, own, weights.reserve)
        scores = [score + lift for score, lift in zip(scores, parts["place"], strict=True)]
    logits = _logits(seqs, dense, cosines, cover, weights)
    best = max(logits)
    return (
        Ranked(candidates[i], scores[i], _logistic(min(best, logits[i] + weights.companions)), parts, i) for i in order
    )


def standing(messages: Sequence[Message], seqs: Mapping[str, int]) -> Standing:
    """Where these messages stand, in the order given; ``seqs`` of their parents, by id."""
    sessions = {name: number for number, name in enumerate(dict.fromkeys(m.session_id for m in messages), 1)}
    return Standing(
        [message.seq for message in messages],
        [sessions[message.session_id] if message.session_id else 0 for message in messages],
        [seqs.get(message.parent_id or "", 0) for message in messages],
        [len(message.text.encode("utf-8", "replace")) for message in messages],
    )


def _order(candidates: Sequence[Message], scores: Sequence[float]) -> list[int]:
    """Best first; equal scores (to nine digits) by time, newest first, then by id."""
    rounded = [-round(score, 9) for score in scores]
    order = sorted(range(len(scores)), key=rounded.__getitem__)
    if len(set(rounded)) == len(rounded):
        return order

    def key(i: int) -> tuple[float, float, str]:
        said = candidates[i].created_at
        return (rounded[i], -said.timestamp() if said else math.inf, candidates[i].id)

    return sorted(order, key=key)


def _neighbours(
    standing: Standing,
    at: Mapping[int, int],
    places: Sequence[int],
    values: tuple[list[float], list[float]],
    gate: float,
    weights: Weights,
) -> list[float]:
    """What the messages before and after those in some places lend them: a share of their standard cosine and BM25."""
    before = list(map(at.get, standing.parents, repeat(-1)))
    after = dict(zip(before, range(len(before)), strict=True))  # in seq order: of branches the newest
    dense, spoken = weights.near_dense, weights.near_words * gate
    own = [dense * e + spoken * w for e, w in zip(*values, strict=True)]
    own.append(0.0)  # what -1 finds
    follows = after.get
    return [own[before[i]] + own[follows(i, -1)] for i in places]


def _session(
    standing: Standing, places: Sequence[int], values: tuple[list[float], list[float]], gate: float, weights: Weights
) -> list[float]:
    """What the sessions of the messages in some places lend them."""
    mix = weights.session_mix * gate
    mixed, said = defaultdict[int, list[float]](list), defaultdict[int, list[float]](list)
    for name, e, w in zip(standing.sessions, *values, strict=True):
        mixed[name].append(e + mix * w)
        said[name].append(w)
    mixed.pop(0, None)
    if not mixed:
        return [0.0] * len(places)
    total = {name: sum(best) if len(best) <= 3 else sum(sorted(best, reverse=True)[:3]) for name, best in mixed.items()}
    mean = sum(total.values()) / len(total)
    variance = sum([(value - mean) ** 2 for value in total.values()]) / len(total)
    deviation = math.sqrt(variance) + 1.0  # one or two sessions say little
    lent = {0: 0.0}
    for name, together in total.items():
        spoken = weights.session_words * gate * max(said[name])
        lent[name] = spoken + weights.session_sum * ((together - mean) / deviation)
    return [lent[standing.sessions[i]] for i in places]


def _standard_words(standing: Standing, found: Found, weights: Weights) -> list[float]:
    """BM25 in deviations above the scope's mean, leaning on a prior while the scope is small."""
    scores = found.words
    if not scores:
        return [0.0] * len(standing.seqs)
    n, prior = max(found.lexical.documents, len(scores)), weights.prior
    mean = sum(scores.values()) / n
    variance = max(0.0, sum([score * score for score in scores.values()]) / n - mean * mean)
    mean = (n * mean + prior * weights.words_mean) / (n + prior)
    deviation = math.sqrt((n * variance + prior * weights.words_deviation**2) / (n + prior))
    return [(score - mean) / deviation for score in map(scores.get, standing.seqs, repeat(0.0))]


def _standard_dense(
    standing: Standing, dense: Dense, cosines: Mapping[int, float], weights: Weights
) -> list[float]:  # fmt: skip
    """Cosines in deviations above the scope's mean; a message without a vector counts as the mean.

    Of a long message the store gives the best of several pieces, and the best of k tries is higher by chance alone:
    for normal scores by about half a deviation with every doubling of k, which is taken off.
    """
    if not dense.hits:
        return [0.0] * len(standing.seqs)
    n, prior = dense.scanned, weights.prior
    mean = (n * dense.mean + prior * weights.dense_mean) / (n + prior)
    deviation = math.sqrt((n * dense.deviation**2 + prior * weights.dense_deviation**2) / (n + prior))
    standard = [(cosine - mean) / deviation for cosine in map(cosines.get, standing.seqs, repeat(mean))]
    for i, size in enumerate(standing.sizes if max(standing.sizes) > PIECE_BYTES else ()):
        if size > PIECE_BYTES:
            standard[i] -= weights.piece * math.log2(math.ceil(size / PIECE_BYTES))
    return standard


def _cover(seqs: Sequence[int], lexical: Lexical) -> list[float]:
    """Share of the query's idf, 0..1, that each message's terms make up."""
    tells = idf(lexical, lexical.frequency)
    total = sum(tells.values())
    if not total:
        return [0.0] * len(seqs)
    hits, nothing = lexical.hits, (0, dict[str, int]())
    return [sum([tells.get(t, 0.0) for t in hits.get(seq, nothing)[1]]) / total for seq in seqs]


def _cues(query: str, candidates: Sequence[Message], weights: Weights) -> list[float]:
    """Small hints: the query names who speaks, or the message's month or day."""
    low = query.casefold()
    names = {message.name for message in candidates if message.name}
    called = {name for name in names if name.casefold() in low}
    speaker: dict[str | None, float] = {}
    if called and called != names:
        speaker.update({name: weights.speaker if name in called else -weights.speaker for name in names})
    cues = [speaker.get(message.name, 0.0) for message in candidates] if speaker else [0.0] * len(candidates)
    asked = _dates(low)
    if any(asked):
        for i, message in enumerate(candidates):
            if message.created_at is not None:
                cues[i] += weights.date * _on(message.created_at, asked)
    return cues


_DATE = re.compile(
    r"(?P<year>(?:19|20)\d\d)(?!\d)"
    r"|(?P<month>\d{1,2})\s*月(?!前|后)"
    r"|\b(?P<name>" + "|".join(MONTHS).lower() + r")\b"
    r"|(?P<day>\d{1,2})\s*(?:st\b|nd\b|rd\b|th\b|[日号])"
)
_MONTH_NUMBER = {name.lower(): number for number, name in enumerate(MONTHS, 1)}


def _dates(query: str) -> tuple[set[int], set[int], set[int]]:
    """Years, months and days of the month that a casefolded query names."""
    years, months, days = set[int](), set[int](), set[int]()
    for found in _DATE.finditer(query):
        if found["year"]:
            years.add(int(found["year"]))
        elif found["day"]:
            days.add(int(found["day"]))
        else:
            months.add(_MONTH_NUMBER[found["name"]] if found["name"] else int(found["month"]))
    return years, months, days


def _on(said: datetime, asked: tuple[set[int], set[int], set[int]]) -> float:
    """How well a time fits the query's: 1 for month and day, half for one of them; 0 in another year."""
    years, months, days = asked
    if years and said.year not in years:
        return 0.0
    if months and days:
        return ((said.month in months) + (said.day in days)) / 2
    return float(said.month in months or said.day in days)


def _reserve(order: list[int], scores: list[float], meaning: list[float], every: int) -> tuple[list[float], list[int]]:
    """Gives every n-th place to the message nearest in meaning that has none yet.

    Returns what that adds to each score, and the new order.
    """
    lift = [0.0] * len(scores)
    nearest = iter(sorted(order, key=meaning.__getitem__, reverse=True)[:RESERVED])
    placed: dict[int, None] = {}
    least = math.inf
    for i in order:
        if len(placed) >= RESERVED:
            break
        if len(placed) % every == every - 1:
            near = next((j for j in nearest if j not in placed), i)
            lift[near] = max(0.0, least - scores[near])
            placed[near] = None
        if i not in placed:
            placed[i] = None
            least = scores[i]
    return lift, list(placed | dict.fromkeys(order))


def _logits(
    seqs: Sequence[int], dense: Dense, cosines: Mapping[int, float], cover: list[float], weights: Weights
) -> list[float]:
    """How sure it is that a message belongs to the query, as logits: the curve was fitted on own and foreign questions.

    Counts the cosine above the scope's mean, a share of the query's idf on top, and less with every message more in
    the scope, since the best of many is high by chance.  Where the best message is relevant, others come in beside it
    (``Weights.companions``).
    """
    middle = 0.0
    if dense.hits:
        # a mean over very few messages is mostly the message itself
        mean = (dense.scanned * dense.mean + weights.few * weights.few_mean) / (dense.scanned + weights.few)
        middle = mean + weights.middle + weights.growth * math.log(max(1, dense.scanned))
    return [
        weights.slope * (cosines[seq] - middle + weights.cover * share)
        if seq in cosines
        else weights.cover_slope * (share - weights.cover_middle)
        for seq, share in zip(seqs, cover, strict=True)
    ]


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-max(-700.0, value)))
