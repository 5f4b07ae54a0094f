from __future__ import annotations

from pathlib import Path

import pytest

from jiyi.config import Settings, load_settings
from jiyi.errors import InvalidInput


def test_defaults_files_and_variables_in_this_order(tmp_path: Path) -> None:
    first, second = tmp_path / "a.toml", tmp_path / "b.toml"
    first.write_text('db = "one.db"\nagent = "helper"\ntimeout = 5\n', encoding="utf-8")
    second.write_text('db = "two.db"\n', encoding="utf-8")
    settings = load_settings({"JIYI_DB": "three.db", "JIYI_CACHE_MB": "12"}, (first, second, tmp_path / "none.toml"))
    assert (settings.db, settings.agent, settings.timeout, settings.cache_mb) == ("three.db", "helper", 5.0, 12)
    assert settings.recipe == Settings().recipe


@pytest.mark.parametrize("text", ["dbb = 'x'\n", "db = \n", "cache_mb = 'many'\n"])
def test_a_wrong_file_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "jiyi.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"jiyi\.toml"):
        load_settings({}, (file,))


def test_a_name_in_chinese_stands_in_quotes(tmp_path: Path) -> None:
    file = tmp_path / "jiyi.toml"
    file.write_text('[recipes]\n诊所 = ["graph"]\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match='put the name in quotes: "诊所" = …'):
        load_settings({}, (file,))
    file.write_text('[recipes]\n"诊所" = ["graph"]\n', encoding="utf-8")
    assert "诊所" in load_settings({}, (file,)).recipes


@pytest.mark.parametrize(
    "text",
    ['recipe = ["a"]', "cache_mb = 2.7", "cache_mb = '12'", "cache_mb = true", "timeout = true", "timeout = '5'", "db = 5",
     "tenant = 2026-01-01"],
)  # fmt: skip
def test_a_wrong_type_in_a_file_is_refused_and_not_converted(tmp_path: Path, text: str) -> None:
    file = tmp_path / "jiyi.toml"
    file.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=rf"jiyi\.toml: {text.split()[0]} must be"):
        load_settings({}, (file,))


def test_a_whole_number_of_seconds_is_a_number(tmp_path: Path) -> None:
    file = tmp_path / "jiyi.toml"
    file.write_text("timeout = 5\n", encoding="utf-8")
    settings = load_settings({}, (file,))
    assert settings.timeout == 5.0 and isinstance(settings.timeout, float)


def test_a_wrong_variable_is_named() -> None:
    with pytest.raises(InvalidInput, match="JIYI_TIMEOUT"):
        load_settings({"JIYI_TIMEOUT": "soon"}, ())


def test_recipes_of_several_files_stand_together(tmp_path: Path) -> None:
    first, second = tmp_path / "config.toml", tmp_path / "jiyi.toml"
    first.write_text('[recipes]\na = ["recall"]\nb = ["notes"]\n', encoding="utf-8")
    second.write_text('[[recipes.b]]\nstrategy = "facts"\nk = 3\n', encoding="utf-8")
    found = load_settings({}, (first, second)).recipes
    assert found == {"a": ({"strategy": "recall"},), "b": ({"strategy": "facts", "k": 3},)}


@pytest.mark.parametrize(
    "text",
    ["recipes = 3", 'recipes = ["recall"]', '[recipes]\nx = "recall"', "[recipes]\nx = []", "[recipes]\nx = [3]",
     "[recipes]\nx = [{k = 3}]", "[recipes]\nx = [{strategy = 3}]"],
)  # fmt: skip
def test_a_recipe_that_is_no_list_of_strategies_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "jiyi.toml"
    file.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"jiyi\.toml: recipes.* must be"):
        load_settings({}, (file,))
