from __future__ import annotations

import pytest

from jiyi.errors import MissingDependency, NotFound
from jiyi.plugins import BUILT_IN, load


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in BUILT_IN.items() for name in names])
def test_every_built_in_name_is_a_class(kind: str, name: str) -> None:
    assert isinstance(load(kind, name), type)  # type: ignore[arg-type]


def test_a_class_by_its_path() -> None:
    assert load("stores", "jiyi.stores.memory:MemoryStore").__name__ == "MemoryStore"


@pytest.mark.parametrize("name", ["sqlit", "", "nothing:Here", "jiyi.types:Nothing"])
def test_an_unknown_name_says_what_there_is(name: str) -> None:
    with pytest.raises(NotFound):
        load("stores", name)
    with pytest.raises(NotFound, match="Did you mean 'sqlite'"):
        load("stores", "sqlit")


def test_a_plugin_whose_package_is_missing(tmp_path, monkeypatch) -> None:
    (tmp_path / "needy_plugin.py").write_text("import surely_not_installed\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(MissingDependency, match="surely_not_installed"):
        load("stores", "needy_plugin:Store")


def test_an_error_inside_a_plugin_is_shown_as_it_is(tmp_path, monkeypatch) -> None:
    (tmp_path / "broken_plugin.py").write_text("import os\nos.surely_not_there\nclass Store: ...\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(AttributeError, match="surely_not_there"):
        load("stores", "broken_plugin:Store")
