"""Recall's scores: full text and dense vectors fused, with the conversation around a message.  Pure; plain Python.

A message's score is a sum of named parts.  Both channels are standardised over the scope (how many deviations above
the scope's mean), so that they can be added; the session and the messages before and after lend some of theirs.
Beside the score, which only orders one search, each message has a ``relevance`` that can be compared between searches.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import repeat
from operator import add, sub
from typing import NamedTuple

from jiyi.asking import Asking, asking
from jiyi.bm25 import K1, cover, idf
from jiyi.periods import fitting, periods
from jiyi.relevance import relevances
from jiyi.text import MAX_QUERY, asks
from jiyi.types import Dense, Found, Message, Standing
from jiyi.weights import DEFAULT, Weights

PIECE_BYTES = 500
"""UTF-8 bytes of a text that embedders take as one piece: about 120 tokens, in English as in Chinese."""

_EQUAL = 1e-9
"""Scores further apart than this are not equal to nine digits."""


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


def rank(query: str, found: Found, now: datetime, *, model: str = "", weights: Weights = DEFAULT) -> Iterator[Ranked]:
    """Orders candidates by how well they answer ``query``, best first; ties by time (newest first), then id.

    Everything is decided before the first is given; each is made when it is asked for, and few are.

    Args:
        query: the question as it was asked.
        found: candidates, those beside them, and the statistics; what has no meaning is ranked by words alone.
        now: when it is asked; ``last week`` is counted from here.
        model: whose cosines they are.
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
    tells = idf(found.lexical, found.lexical.frequency)
    covered = cover(found.lexical, tells, seqs)
    gate = weights.gate(max(covered)) if dense.hits else 1.0
    own = [meaning[i] for i in places]
    called, asked = _called(query, candidates), asking(query)
    cues = _cues(query, asked, candidates, called, now, weights)
    parts = {
        "dense": [weights.dense * value for value in own],
        "words": [weights.words * gate * spoken[i] for i in places],
        "neighbours": _neighbours(standing, at, places, (meaning, spoken), gate, weights),
        "session": _session(found, places, (meaning, spoken), tells, gate, weights),
        **cues,
    }
    scores = list(map(sum, zip(*parts.values(), strict=True)))
    if len(found.lexical.frequency) > weights.short_question:
        parts["spread"] = _spread([standing.sessions[i] for i in places], scores, weights)
        scores = list(map(add, scores, parts["spread"]))
    elif dense.hits and asked.personal and not asked.answers:
        parts["alone"] = _alone(own, scores, parts["session"], cues, weights)
        scores = list(map(add, scores, parts["alone"]))
    order = _order(candidates, scores)
    hints = ((cosines.get(seqs[i]), covered[i]) for i in order)
    relevant = relevances(query, found, hints, bool(called), model=model, weights=weights)
    return (Ranked(candidates[i], scores[i], sure, parts, i) for i, sure in zip(order, relevant, strict=True))


def standing(messages: Sequence[Message], seqs: Mapping[str, int]) -> Standing:
    """Where these messages stand, in the order given; ``seqs`` of their parents, by id."""
    sessions = {name: number for number, name in enumerate(dict.fromkeys(m.session_id for m in messages), 1)}
    return Standing(
        [message.seq for message in messages],
        [sessions[message.session_id] if message.session_id else 0 for message in messages],
        [seqs.get(message.parent_id or "", 0) for message in messages],
        [len(message.text.encode("utf-8", "replace")) for message in messages],
        [int(asks(message.text)) for message in messages],
    )


def _order(candidates: Sequence[Message], scores: Sequence[float]) -> list[int]:
    """Best first; equal scores (to nine digits) by time, newest first, then by id."""
    order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
    best = [scores[i] for i in order]
    if min(map(sub, best, best[1:]), default=1.0) > _EQUAL:
        return order

    def key(i: int) -> tuple[float, float, str]:
        said = candidates[i].created_at
        return (-round(scores[i], 9), -said.timestamp() if said else math.inf, candidates[i].id)

    return sorted(order, key=key)


def _neighbours(
    standing: Standing,
    at: Mapping[int, int],
    places: Sequence[int],
    values: tuple[list[float], list[float]],
    gate: float,
    weights: Weights,
) -> list[float]:
    """What the messages before and after those in some places lend them: a share of their standard cosine and BM25.

    A question lends more to what follows it: "eight people" says what was asked just before.
    """
    before = list(map(at.get, standing.parents, repeat(-1)))
    after = dict(zip(before, range(len(before)), strict=True))  # in seq order: of branches the newest
    dense, spoken = weights.near_dense, weights.near_words * gate
    own = [dense * e + spoken * w for e, w in zip(*values, strict=True)]
    more = 1.0 + weights.answer
    on = [lent * more if asked else lent for lent, asked in zip(own, standing.asks, strict=True)]
    own.append(0.0)  # what -1 finds
    on.append(0.0)
    follows = after.get
    return [on[before[i]] + own[follows(i, -1)] for i in places]


def _session(
    found: Found,
    places: Sequence[int],
    values: tuple[list[float], list[float]],
    tells: Mapping[str, float],
    gate: float,
    weights: Weights,
) -> list[float]:
    """What the sessions of the messages in some places lend them."""
    standing = found.standing
    mix = weights.session_mix * gate
    mixed, said = defaultdict[int, list[float]](list), dict[int, float]()
    for name, e, w in zip(standing.sessions, *values, strict=True):
        mixed[name].append(e + mix * w)
        if w > said.get(name, -math.inf):
            said[name] = w
    mixed.pop(0, None)
    if not mixed:
        return [0.0] * len(places)
    total = {name: sum(best) if len(best) <= 3 else sum(sorted(best, reverse=True)[:3]) for name, best in mixed.items()}
    best, terms = _standardised(total), _session_terms(found, places, tells)
    lent = {0: 0.0}
    for name in total:
        spoken = weights.session_words * gate * said[name]
        lent[name] = spoken + weights.session_sum * best[name] + weights.session_terms * terms.get(name, 0.0)
    return [lent[standing.sessions[i]] for i in places]


def _session_terms(found: Found, places: Sequence[int], tells: Mapping[str, float]) -> dict[int, float]:
    """Session -> how much of the question its candidates say together: what one of them leaves out, another has.

    BM25 without lengths over the candidates' words, standardised; only for sessions with more than one candidate.
    """
    standing, lexical = found.standing, found.lexical
    sessions = [standing.sessions[i] for i in places]
    members = Counter(sessions)
    members.pop(0, None)
    gain = {term: value * (K1 + 1) for term, value in tells.items()}
    said: dict[int, dict[str, int]] = {name: {} for name in members}
    for i, name in zip(places, sessions, strict=True):
        if name and (hit := lexical.hits.get(standing.seqs[i])):
            counts = said[name]
            for term, times in hit[1].items():
                counts[term] = counts.get(term, 0) + times
    scores = {
        name: sum([gain.get(term, 0.0) * times / (times + K1) for term, times in counts.items()])
        for name, counts in said.items()
    }
    standard = _standardised(scores)
    return {name: max(-1.0, standard[name]) for name, count in members.items() if count > 1}


def _standardised(values: Mapping[int, float]) -> dict[int, float]:
    """Deviations above the mean; one or two values say little, so a deviation is at least 1."""
    if not values:
        return {}
    mean = sum(values.values()) / len(values)
    variance = sum([(value - mean) ** 2 for value in values.values()]) / len(values)
    deviation = math.sqrt(variance) + 1.0
    return {name: (value - mean) / deviation for name, value in values.items()}


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


def _called(query: str, candidates: Sequence[Message]) -> dict[str, bool]:
    """Speakers -> whether the query names them; empty when it names none."""
    low = query.casefold()
    called = {message.name: message.name.casefold() in low for message in candidates if message.name}
    return called if any(called.values()) else {}


def _cues(
    query: str,
    asked: Asking,
    candidates: Sequence[Message],
    called: Mapping[str, bool],
    now: datetime,
    weights: Weights,
) -> dict[str, list[float]]:
    """Hints beside the words: the query names who speaks or a time, or asks for what one of the two said."""
    cues: dict[str, list[float]] = {}
    if called and not all(called.values()):
        speaker = {name: weights.speaker if named else -weights.speaker for name, named in called.items()}
        cues["speaker"] = [speaker.get(message.name or "", 0.0) for message in candidates]
    now = _there(now, candidates)
    fit = fitting(periods(query[:MAX_QUERY], now), now)
    if fit is not None:
        cues["date"] = [weights.date * fit(said) if (said := message.created_at) else 0.0 for message in candidates]
    if asked.personal or asked.answers:
        role, weight = ("assistant", weights.assistant) if asked.answers else ("user", weights.user)
        cues["role"] = [weight if message.role == role else 0.0 for message in candidates]
    return cues


def _there(now: datetime, candidates: Sequence[Message]) -> datetime:
    """The same moment where the newest candidate was said: where the user is, as far as is known."""
    said = max((message.created_at for message in candidates if message.created_at), default=None)
    try:
        return now.astimezone(said.tzinfo if said else UTC)
    except OverflowError:  # the first and the last day of the calendar
        return now


def _spread(sessions: Sequence[int], scores: Sequence[float], weights: Weights) -> list[float]:
    """What is taken off so that sessions take turns: something for every better message of the same session."""
    off = [0.0] * len(scores)
    taken = Counter[int]()
    for i in sorted(range(len(scores)), key=scores.__getitem__, reverse=True):
        if name := sessions[i]:
            off[i] = -weights.spread * taken[name]
            taken[name] += 1
    return off


def _alone(
    own: Sequence[float],
    scores: Sequence[float],
    sessions: Sequence[float],
    cues: Mapping[str, Sequence[float]],
    weights: Weights,
) -> list[float]:
    """What lifts a message to the score that its cosine gives it by itself, in a session like most."""
    ordered, half = sorted(sessions), len(sessions) // 2
    usual = (ordered[half] + ordered[~half]) / 2  # the median; `statistics` takes 4 ms to import
    hints = list(map(sum, zip(*cues.values(), strict=True))) if cues else [0.0] * len(own)
    return [
        max(0.0, weights.alone * value + usual + hint - score)
        for value, hint, score in zip(own, hints, scores, strict=True)
    ]
