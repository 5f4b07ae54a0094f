"""What was measured, as one flat list that tables, files and pages are made of.  Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean, median

from jiyi.eval.configurations import Configuration
from jiyi.eval.dataset import Level
from jiyi.eval.scores import ALL, LEVELS, Row, groups, percentile
from jiyi.eval.statistics import standard_error


@dataclass(frozen=True, slots=True)
class Result:
    """One number.

    Attributes:
        set: the data set.
        configuration: its name.
        level: ``message`` or ``session``.
        category: of the questions; ``ALL`` for all that can be answered.
        metric: ``recall``, ``hit``, ``all``, ``mrr`` or ``inside``, see ``jiyi.eval.scores``.
        k: where the ranking is cut; None for ``mrr`` and ``inside``.
        tokens: budget of ``inside``; else None.
        value: 0..1, the mean over the questions.
        standard_error: of the mean, see ``jiyi.eval.statistics``.
        questions: how many.
    """

    set: str
    configuration: str
    level: Level
    category: str
    metric: str
    k: int | None
    tokens: int | None
    value: float
    standard_error: float
    questions: int

    def to_dict(self) -> dict[str, object]:
        """As JSON, rounded to four digits."""
        return {**asdict(self), "value": round(self.value, 4), "standard_error": round(self.standard_error, 4)}


@dataclass(slots=True)
class Measured:
    """What one set gave.

    Attributes:
        name: of the set.
        conversations, messages, questions: how many were replayed and asked.
        left_out: questions without evidence, which are not scored.
        rows: configuration -> its rows; in the same order for each.
        seconds: configuration -> of each search, without the question's embedding.
        embedding: seconds of each question's embedding.
        history: tokens of everything that was said, at each question.
        texts: question id -> the question.
    """

    name: str
    conversations: int = 0
    messages: int = 0
    questions: int = 0
    left_out: int = 0
    rows: dict[str, list[Row]] = field(default_factory=dict[str, list[Row]])
    seconds: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    embedding: list[float] = field(default_factory=list[float])
    history: list[int] = field(default_factory=list[int])
    texts: dict[str, str] = field(default_factory=dict[str, str])

    def to_dict(self) -> dict[str, object]:
        """What is known of the set itself, as JSON."""
        return {
            "set": self.name,
            "conversations": self.conversations,
            "messages": self.messages,
            "questions": self.questions,
            "without_evidence": self.left_out,
            "full_history_tokens": round(median(self.history)) if self.history else 0,
            "embedding_ms": times(self.embedding) if self.embedding else None,
            "search_ms": {name: times(found) for name, found in self.seconds.items()},
        }


def times(seconds: Sequence[float]) -> dict[str, float]:
    """Milliseconds that half, and 95 in 100, do not exceed."""
    return {name: round(percentile(seconds, share) * 1000, 2) for name, share in (("p50", 0.5), ("p95", 0.95))}


def results(measured: Sequence[Measured], configurations: Sequence[Configuration]) -> Iterator[Result]:
    """Every number of every set, in the order of sets, configurations, levels, categories."""
    for found in measured:
        for one in configurations:
            for level in LEVELS:
                for category, rows in groups(found.rows.get(one.name, ()), level).items():
                    for measure in rows[0].measures:
                        values = [row.measures[measure] for row in rows]
                        yield Result(
                            found.name, one.name, level, category, *parts(measure), fmean(values),
                            standard_error(values), len(values),
                        )  # fmt: skip


def parts(measure: str) -> tuple[str, int | None, int | None]:
    """The metric of a measure, its k and its tokens."""
    metric, _, cut = measure.partition("@")
    number = int(cut) if cut else None
    return (metric, None, number) if metric == "inside" else (metric, number, None)


class Table:
    """Looks numbers up: ``table[set, configuration, level, category, "recall@10"]``."""

    def __init__(self, found: Sequence[Result]) -> None:
        self._found: Mapping[tuple[str, str, str, str, str], Result] = {
            (one.set, one.configuration, one.level, one.category, _measure(one)): one for one in found
        }

    def get(self, set_: str, configuration: str, level: str, measure: str, category: str = ALL) -> Result | None:
        """The result, None where nothing was measured."""
        return self._found.get((set_, configuration, level, category, measure))


def _measure(one: Result) -> str:
    cut = one.k if one.k is not None else one.tokens
    return one.metric if cut is None else f"{one.metric}@{cut}"
