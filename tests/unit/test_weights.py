"""Constants of the ranking that somebody sets."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from jiyi import InvalidInput, Memory
from jiyi.config import Settings, load_settings
from jiyi.weights import DEFAULT, Weights, changes, settable, weights_of


def test_nothing_said_is_as_shipped() -> None:
    assert weights_of(None) is weights_of("") is DEFAULT and weights_of({}) == DEFAULT and changes(DEFAULT) == {}


def test_every_weight_can_be_set() -> None:
    assert settable().keys() == {field.name for field in fields(Weights)}
    for name, value in settable().items():
        other = 0.75
        made = weights_of({name: other})
        assert getattr(made, name) == other and type(getattr(made, name)) is type(value)
        assert changes(made) == ({} if other == value else {name: other})


def test_a_file_a_mapping_and_weights_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "权重.json"
    path.write_text('\ufeff{"floor": 1, "alone": 3}', encoding="utf-8")
    made = replace(DEFAULT, floor=1.0, alone=3.0)
    assert weights_of(path) == weights_of(str(path)) == weights_of({"floor": 1, "alone": 3}) == weights_of(made) == made
    assert type(weights_of(path).floor) is float


@pytest.mark.parametrize(
    ("given", "field", "way_out"),
    [
        ({"floors": 1}, "ranking.floors", "there are"),
        ({"floor": "high"}, "ranking.floor", "must be a number"),
        ({"floor": True}, "ranking.floor", "must be a number"),
        ({"floor": float("nan")}, "ranking.floor", "must be a number"),
        ({"dense": 1e308}, "ranking.dense", "must be a number"),
        ({"dense": 10**400}, "ranking.dense", "must be a number"),
        ({"prior": 0}, "ranking.prior", "above 0"),
        ({"prior": -20}, "ranking.prior", "above 0"),
        ({"floor": 2}, "ranking.floor", "from 0 to 1"),
        ({"gate_span": 0}, "ranking.gate_span", "above 0"),
        (7, "ranking", "mapping"),
        ([], "ranking", "mapping"),
    ],
)
def test_what_cannot_be_is_named_with_the_way_out(given: Any, field: str, way_out: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=way_out) as caught:
        weights_of(given)
    assert caught.value.field == field
    if isinstance(given, dict):
        path = tmp_path / "w.json"
        path.write_text(json.dumps(given), encoding="utf-8")
        with pytest.raises(InvalidInput, match=way_out) as caught:
            weights_of(path)
        assert caught.value.field == field


@pytest.mark.parametrize("text", ["{", "[1]", "7", "\xff"])
def test_a_broken_file_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InvalidInput, match=r"w\.json"):
        weights_of(path)
    with pytest.raises(InvalidInput, match="cannot read"):
        weights_of(tmp_path / "none.json")


def test_a_memory_ranks_by_them(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    path.write_text('{"floor": 1.0}', encoding="utf-8")
    assert load_settings({"JIYI_RANKING": str(path)}, ()).ranking == str(path)
    for options, found in (({}, 1), ({"ranking": {"floor": 1.0}}, 0), ({"settings": Settings(ranking=str(path))}, 0)):
        given: Any = {"settings": Settings(), **options}
        with Memory.open("memory:", embedder=None, **given) as memory:
            memory.remember("The kettle in the attic is green", user_id="ada")
            assert len(memory.search("kettle in the attic", user_id="ada")) == found
    with pytest.raises(InvalidInput, match="there is no such weight"):
        Memory.open("memory:", embedder=None, settings=Settings(), ranking={"flor": 1})
