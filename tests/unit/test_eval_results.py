"""What is made of scores: contexts, means with their errors, differences; against values worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jiyi.eval.configurations import Configuration
from jiyi.eval.dataset import Label
from jiyi.eval.results import Measured, Table, results
from jiyi.eval.scores import measures, only, score
from jiyi.eval.statistics import paired, standard_error

SESSION_OF = {"a1": "A", "a2": "A", "b1": "B", "b2": "B", "c1": "C"}
IDS = st.lists(st.sampled_from([f"m{n}" for n in range(30)]), unique=True)


def test_evidence_inside_a_context() -> None:
    inside = {100: {"a2", "b1"}, 900: {"a1", "a2", "b1", "c1"}}
    message, session = score(Label("q", "", ("a1", "c1"), "message", True), [], SESSION_OF, [1], inside)
    assert (message.measures["inside@100"], message.measures["inside@900"]) == (0.0, 1.0)
    assert (session.measures["inside@100"], session.measures["inside@900"]) == (0.5, 1.0)
    assert only(session, "inside").measures == {"inside@100": 0.5, "inside@900": 1.0} and session.question_id == "q"


@given(IDS, IDS.filter(bool))
def test_more_hits_never_find_less(ranking: list[str], evidence: list[str]) -> None:
    found = measures(ranking, evidence, range(1, 32))
    for metric in ("recall", "hit", "all"):
        values = [found[f"{metric}@{k}"] for k in range(1, 32)]
        assert values == sorted(values) and all(0 <= value <= 1 for value in values)
    assert all(found[f"all@{k}"] <= found[f"recall@{k}"] <= found[f"hit@{k}"] for k in range(1, 32))
    assert found["hit@31"] == (found["mrr"] > 0)
    assert found["recall@31"] == pytest.approx(len(set(ranking) & set(evidence)) / len(evidence))


@given(IDS, IDS.filter(bool), st.randoms())
def test_the_order_of_the_evidence_says_nothing(ranking: list[str], evidence: list[str], random: object) -> None:
    mixed = evidence.copy()
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert measures(ranking, evidence, [3, 9]) == measures(ranking, mixed, [3, 9])


def test_standard_errors() -> None:
    assert standard_error([0, 1, 0, 1]) == pytest.approx(0.25)  # sqrt(.25 / 4)
    assert standard_error([1, 1, 1]) == standard_error([]) == 0.0


def test_a_clear_difference_and_none() -> None:
    better = paired([0.0] * 30 + [1.0] * 70, [1.0] * 30 + [1.0] * 70)
    assert (better.a, better.b, better.value) == (pytest.approx(0.7), 1.0, pytest.approx(0.3))
    assert (better.wins, better.losses, better.ties) == (30, 0, 70)
    assert better.p < 0.01 and 0.18 < better.low < 0.24 < 0.36 < better.high < 0.42  # .3 ± 1.96 · .0458
    same = paired([0.5, 1.0], [0.5, 1.0])
    assert (same.value, same.low, same.high, same.p, same.ties) == (0.0, 0.0, 0.0, 1.0, 2)
    assert paired([0.0], [1.0]).low == 1.0


def test_the_interval_is_as_wide_as_the_standard_error_says() -> None:
    a, b = [0.0] * 200, [float(n % 5 == 0) - float(n % 7 == 0) for n in range(200)]
    found = paired(a, b)
    half = 1.96 * standard_error(b)
    assert found.low == pytest.approx(found.value - half, abs=0.012)
    assert found.high == pytest.approx(found.value + half, abs=0.012)
    assert paired(a, b) == found
    other = paired(b, a)
    assert (other.wins, other.losses, other.value) == (found.losses, found.wins, -found.value)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=30))
def test_intervals_hold_together(pairs: list[tuple[float, float]]) -> None:
    found = paired([a for a, _ in pairs], [b for _, b in pairs], resamples=200)
    assert found.low <= found.high and 0 < found.p <= 1 and found.wins + found.losses + found.ties == len(pairs)
    assert math.isclose(found.value, found.b - found.a, abs_tol=1e-9)


def test_results_are_a_flat_list() -> None:
    rows = [
        *score(Label("q1", "easy", ("a1",), "message", True), ["a1"], SESSION_OF, [1], {50: {"a1"}}),
        *score(Label("q2", "hard", ("a1", "b1"), "message", True), ["b1", "c1"], SESSION_OF, [1], {50: set[str]()}),
        *score(Label("q3", "trap", ("a1",), "message", False), ["b1"], SESSION_OF, [1], {50: set[str]()}),
    ]
    found = list(results([Measured("集", rows={"default": rows})], [Configuration("default"), Configuration("bm25")]))
    assert {one.configuration for one in found} == {"default"}
    table = Table(found)
    one = table.get("集", "default", "message", "recall@1")
    assert one is not None and (one.value, one.questions, one.k, one.tokens) == (0.75, 2, 1, None)
    assert one.standard_error == pytest.approx(0.25 / math.sqrt(2))
    inside = table.get("集", "default", "message", "inside@50")
    assert inside is not None and (inside.value, inside.k, inside.tokens) == (0.5, None, 50)
    trap = table.get("集", "default", "session", "hit@1", "trap")
    assert trap is not None and trap.to_dict() == {
        "set": "集", "configuration": "default", "level": "session", "category": "trap", "metric": "hit", "k": 1,
        "tokens": None, "value": 0.0, "standard_error": 0.0, "questions": 1,
    }  # fmt: skip
    assert table.get("集", "bm25", "message", "mrr") is None
