"""How well rankings find the evidence.  Pure.

For a ranking and the evidence of a question, ``recall@k`` is the share of the evidence among the first k, ``hit@k``
whether there is any, ``all@k`` whether all of it is there, and ``mrr`` one over the rank of the first evidence (0 when
none is ranked).  ``inside@n`` is the share of the evidence in a context of n tokens.  All are averaged over questions.
At session level a session ranks where its best message does, and is inside when one of its messages is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from statistics import fmean

from jiyi.eval.dataset import Label, Level

LEVELS: tuple[Level, ...] = ("message", "session")

ALL = "ALL"
"""The category that stands for all answerable questions."""


@dataclass(frozen=True, slots=True)
class Row:
    """The measures of one question at one level; ``counts`` is False where they stay out of the totals."""

    level: Level
    category: str
    counts: bool
    measures: Mapping[str, float]
    question_id: str = ""


def measures(ranking: Sequence[str], evidence: Sequence[str], ks: Sequence[int]) -> dict[str, float]:
    """recall, hit and all at each k, and the reciprocal rank."""
    place = {name: rank for rank, name in reversed(list(enumerate(ranking, 1)))}
    ranks = sorted(place[name] for name in evidence if name in place)
    found = {k: sum(rank <= k for rank in ranks) for k in ks}
    return {
        "mrr": 1 / ranks[0] if ranks else 0.0,
        **{f"recall@{k}": found[k] / len(evidence) for k in ks},
        **{f"hit@{k}": float(found[k] > 0) for k in ks},
        **{f"all@{k}": float(found[k] == len(evidence)) for k in ks},
    }


def within(inside: Mapping[int, Set[str]], evidence: Sequence[str]) -> dict[str, float]:
    """The share of the evidence in each budget."""
    return {
        f"inside@{budget}": sum(name in found for name in evidence) / len(evidence) for budget, found in inside.items()
    }


def score(
    label: Label,
    ranking: Sequence[str],
    session_of: Mapping[str, str],
    ks: Sequence[int],
    inside: Mapping[int, Set[str]] | None = None,
) -> list[Row]:
    """The rows of one question: at message level where the evidence is messages, and at session level.

    Args:
        label: what should be found; without evidence there are no rows.
        ranking: message ids, best first.
        session_of: message id -> session id.
        ks: where the ranking is cut.
        inside: budget in tokens -> the messages that stand in such a context.
    """
    if not label.evidence:
        return []
    ranking = [name for name in dict.fromkeys(ranking) if name in session_of]
    sessions, wanted = list(dict.fromkeys(session_of[name] for name in ranking)), label.evidence
    about, inside = (label.category, label.answerable), inside or {}
    rows: list[Row] = []
    if label.level == "message":
        found = measures(ranking, label.evidence, ks) | within(inside, label.evidence)
        rows.append(Row("message", *about, found, label.question_id))
        wanted = tuple(dict.fromkeys(session_of[name] for name in label.evidence if name in session_of))
    if wanted:
        there = {budget: {session_of[name] for name in names if name in session_of} for budget, names in inside.items()}
        found = measures(sessions, wanted, ks) | within(there, wanted)
        rows.append(Row("session", *about, found, label.question_id))
    return rows


def only(row: Row, metric: str) -> Row:
    """A row with the measures of one metric alone."""
    kept = {name: value for name, value in row.measures.items() if name.partition("@")[0] == metric}
    return replace(row, measures=kept)


def summary(rows: Sequence[Row], level: Level) -> list[dict[str, object]]:
    """Averages of one level: over all answerable questions (``ALL``), then by category."""
    return [
        {
            "category": name,
            "questions": len(group),
            **{key: round(fmean(row.measures[key] for row in group), 4) for key in group[0].measures},
        }
        for name, group in groups(rows, level).items()
    ]


def groups(rows: Sequence[Row], level: Level) -> dict[str, list[Row]]:
    """The rows of a level: all that count (``ALL``), then by category; none that is empty."""
    here = [row for row in rows if row.level == level]
    found = {ALL: [row for row in here if row.counts]}
    for category in sorted({row.category for row in here}):
        found[category] = [row for row in here if row.category == category]
    return {name: group for name, group in found.items() if group}


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least ``share`` of the values do not exceed; 0 of nothing."""
    ordered = sorted(values)
    return ordered[max(0, min(len(ordered) - 1, int(-(-share * len(ordered) // 1)) - 1))] if ordered else 0.0
