"""Two configurations on the same questions: what is better, how surely, and on which questions.  Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jiyi.eval.dataset import Level
from jiyi.eval.results import Measured, parts
from jiyi.eval.scores import LEVELS, groups
from jiyi.eval.statistics import Difference, paired


@dataclass(frozen=True, slots=True)
class Compared:
    """One difference; fields as in ``Result``, ``a`` and ``b`` are the configurations."""

    set: str
    a: str
    b: str
    level: Level
    category: str
    measure: str
    found: Difference

    def to_dict(self) -> dict[str, object]:
        """As JSON, rounded to four digits."""
        metric, k, tokens = parts(self.measure)
        found = self.found
        return {
            "set": self.set, "a": self.a, "b": self.b, "level": self.level, "category": self.category,
            "metric": metric, "k": k, "tokens": tokens, "questions": found.wins + found.losses + found.ties,
            "value_a": round(found.a, 4), "value_b": round(found.b, 4), "difference": round(found.value, 4),
            "low": round(found.low, 4), "high": round(found.high, 4), "p": round(found.p, 4),
            "wins": found.wins, "losses": found.losses, "ties": found.ties,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Changed:
    """One question and what became of it.

    Attributes:
        before, after: of both configurations: the measure asked for, and one over the rank of the first evidence.
    """

    set: str
    level: Level
    question_id: str
    question: str
    category: str
    before: tuple[float, float]
    after: tuple[float, float]


def compare(measured: Sequence[Measured], a: str, b: str) -> Iterator[Compared]:
    """Every measure that both configurations have, of every set, level and category."""
    for found in measured:
        for level in LEVELS:
            first, second = (groups(found.rows.get(name, ()), level) for name in (a, b))
            for category, rows in first.items():
                pairs = list(zip(rows, second.get(category, []), strict=True)) if category in second else []
                for measure in pairs[0][0].measures if pairs else ():
                    if measure in pairs[0][1].measures:
                        before = [one.measures[measure] for one, _ in pairs]
                        after = [other.measures[measure] for _, other in pairs]
                        yield Compared(found.name, a, b, level, category, measure, paired(before, after))


def changed(measured: Sequence[Measured], a: str, b: str, measure: str, most: int) -> list[Changed]:
    """The questions whose ``measure`` changed most, by the rank of the first evidence where that is equal.

    Of a question with evidence at both levels only the messages are looked at.
    """
    found: list[Changed] = []
    for one in measured:
        rows = list(zip(one.rows.get(a, ()), one.rows.get(b, ()), strict=False))
        seen: set[str] = set()
        for before, after in rows:
            if before.question_id in seen or measure not in before.measures or measure not in after.measures:
                continue
            seen.add(before.question_id)
            values = [(row.measures[measure], row.measures.get("mrr", 0.0)) for row in (before, after)]
            if values[0] != values[1]:
                text = one.texts.get(before.question_id, "")
                found.append(
                    Changed(one.name, before.level, before.question_id, text, before.category, values[0], values[1])
                )
    found.sort(key=lambda row: [-abs(y - x) for x, y in zip(row.before, row.after, strict=True)])
    return found[:most]
