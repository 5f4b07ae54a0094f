"""What is measured side by side, and what is made of two of them."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

from jiyi.errors import InvalidInput
from jiyi.eval.ablation import PARTS, without_each
from jiyi.eval.comparison import changed, compare
from jiyi.eval.configurations import Configuration, configuration
from jiyi.eval.dataset import Label
from jiyi.eval.results import Measured
from jiyi.eval.scores import score
from jiyi.weights import DEFAULT, Weights

SESSION_OF = {"a1": "A", "a2": "A", "b1": "B"}


def test_configurations_are_named_in_words(tmp_path: Path) -> None:
    path = tmp_path / "tuned.json"
    path.write_text('{"floor": 0.5}', encoding="utf-8")
    tuned, usual = replace(DEFAULT, floor=0.5), replace(DEFAULT, floor=0.25)
    assert configuration("default", usual) == Configuration("default")
    assert configuration("bm25").how == "bm25" and configuration("dense").how == "dense"
    assert configuration(str(path)).weights == configuration(f"ranking={path}").weights == tuned
    both = configuration(f"{path}, embedder=hashing")
    assert (both.weights, both.embedder, both.how) == (tuned, "hashing", "search")
    only = configuration("embedder=ollama:bge-m3", usual)
    assert (only.weights, only.embedder) == (usual, "ollama:bge-m3")


@pytest.mark.parametrize("spec", ["", "best", "recipe=casual", "embedder=", "full history", "default,,bm25"])
def test_what_is_not_understood_is_named(spec: str) -> None:
    with pytest.raises(InvalidInput, match="not understood") as caught:
        configuration(spec)
    assert caught.value.field == "compare"


def test_every_part_is_made_of_weights_and_is_taken_away_once() -> None:
    names = {field.name for field in fields(Weights)}
    assert all(names >= changes.keys() for changes in PARTS.values())
    usual, *others = without_each(Configuration("mine", weights=DEFAULT))
    assert usual.name == "mine" and len({one.weights for one in [usual, *others]}) == len(others) + 1
    assert all(one.name.startswith("without ") and one.how == "search" for one in others)
    blind = Configuration("blind", weights=replace(DEFAULT, **{name: 0.0 for name in PARTS["date"]}))
    assert "without date" not in [one.name for one in without_each(blind)]


def measured() -> Measured:
    def rows(*rankings: list[str]) -> list[object]:
        labels = [Label(f"q{n}", f"c{n % 2}", ("a1",), "message", True) for n in range(len(rankings))]
        return [
            row
            for label, found in zip(labels, rankings, strict=True)
            for row in score(label, found, SESSION_OF, [1, 2])
        ]

    a = rows(["a1"], ["b1", "a1"], ["b1", "a2", "a1"], ["a1"])
    b = rows(["a1"], ["a1"], ["b1", "a1"], ["b1"])
    return Measured("集", rows={"A": a, "B": b}, texts={"q1": "什么？"})  # type: ignore[dict-item]


def test_differences_of_every_measure_level_and_category() -> None:
    found = {(one.level, one.category, one.measure): one for one in compare([measured()], "A", "B")}
    first = found["message", "ALL", "recall@1"]
    assert (first.found.a, first.found.b, first.found.wins, first.found.losses, first.found.ties) == (0.5, 0.5, 1, 1, 2)
    assert found["message", "c0", "recall@2"].found.value == 0.5 and ("session", "c1", "mrr") in found
    value = found["message", "ALL", "recall@2"].to_dict()
    assert (value["a"], value["b"], value["metric"], value["k"], value["questions"]) == ("A", "B", "recall", 2, 4)
    assert list(compare([measured()], "A", "C")) == []


def test_the_questions_that_changed_most() -> None:
    found = changed([measured()], "A", "B", "recall@1", 9)
    assert [(one.question_id, one.before, one.after) for one in found] == [
        ("q3", (1.0, 1.0), (0.0, 0.0)), ("q1", (0.0, 0.5), (1.0, 1.0)), ("q2", (0.0, 1 / 3), (0.0, 0.5)),
    ]  # fmt: skip
    assert found[1].question == "什么？" and changed([measured()], "A", "B", "recall@1", 1) == found[:1]
