"""Measures of recall, against values worked out by hand."""

from __future__ import annotations

import pytest

from jiyi.eval.dataset import Label
from jiyi.eval.scores import measures, percentile, score, summary

SESSION_OF = {"a1": "A", "a2": "A", "b1": "B", "b2": "B", "c1": "C"}


def label(*evidence: str, level: str = "message", category: str = "x", answerable: bool = True) -> Label:
    return Label("q", category, evidence, level, answerable)  # type: ignore[arg-type]


def test_measures_of_a_ranking() -> None:
    found = measures(["b1", "a1", "c1", "a2"], ["a1", "a2", "zz"], [1, 2, 4])
    assert found == {
        "mrr": 0.5,
        "recall@1": 0.0, "recall@2": pytest.approx(1 / 3), "recall@4": pytest.approx(2 / 3),
        "hit@1": 0.0, "hit@2": 1.0, "hit@4": 1.0,
        "all@1": 0.0, "all@2": 0.0, "all@4": 0.0,
    }  # fmt: skip


def test_nothing_found_counts_zero() -> None:
    assert measures([], ["a"], [5]) == {"mrr": 0.0, "recall@5": 0.0, "hit@5": 0.0, "all@5": 0.0}


def test_a_session_ranks_where_its_best_message_does() -> None:
    message, session = score(label("a1", "c1"), ["b1", "b2", "a2", "c1"], SESSION_OF, [2])
    assert (message.level, message.measures["recall@2"], message.measures["mrr"]) == ("message", 0.0, 0.25)
    assert (session.level, session.measures["recall@2"], session.measures["mrr"]) == ("session", 0.5, 0.5)


def test_repeated_and_unknown_ids_take_no_place() -> None:
    message, _ = score(label("a1"), ["b1", "b1", "nobody", "a1"], SESSION_OF, [2])
    assert message.measures["recall@2"] == 1.0


def test_session_evidence_has_no_message_row() -> None:
    (row,) = score(label("C", level="session"), ["c1"], SESSION_OF, [5])
    assert row.level == "session" and row.measures["all@5"] == 1.0


def test_questions_without_evidence_have_no_rows() -> None:
    assert score(label(), ["a1"], SESSION_OF, [5]) == []


def test_unanswerable_questions_stay_out_of_the_total() -> None:
    rows = [
        *score(label("a1", category="easy"), ["a1"], SESSION_OF, [5]),
        *score(label("a1", category="hard"), ["b1", "a1"], SESSION_OF, [5]),
        *score(label("a1", category="trap", answerable=False), [], SESSION_OF, [5]),
    ]
    found = {row["category"]: (row["questions"], row["mrr"]) for row in summary(rows, "message")}
    assert found == {"ALL": (2, 0.75), "easy": (1, 1.0), "hard": (1, 0.5), "trap": (1, 0.0)}


def test_percentiles() -> None:
    values = [float(value) for value in range(1, 101)]
    assert (percentile(values, 0.5), percentile(values, 0.95), percentile(values, 1)) == (50.0, 95.0, 100.0)
    assert percentile([], 0.5) == 0.0 and percentile([3.0], 0.95) == 3.0
