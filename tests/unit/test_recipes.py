"""Recipes by name, and lists of strategies."""

from __future__ import annotations

import pytest

from jiyi.errors import InvalidInput, NotFound
from jiyi.recipes import RECIPES, compose, recipe
from jiyi.strategies.recall import Recall
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.strategies.token_buffer import TokenBuffer


def _names(strategies: object) -> list[str]:
    return [strategy.name for strategy in strategies]  # type: ignore[attr-defined]


def test_every_recipe_ends_with_a_window() -> None:
    assert next(iter(RECIPES)) == "balanced"
    for name in RECIPES:
        assert recipe(name)[-1].window
    assert _names(recipe("balanced")) == ["recall", "key_facts", "rolling_summary", "sliding_window"]
    assert _names(compose("support_bot")) == ["full_history", "sliding_window"]


def test_an_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(
        NotFound,
        match="no recipe 'balance'; there are balanced, casual, support_bot, preferences, .*, or name a strategy",
    ):
        compose("balance")
    with pytest.raises(NotFound, match="there are .*importance.*token_buffer"):
        compose("balance")


def test_a_strategy_by_name_is_a_recipe_of_its_own() -> None:
    assert _names(compose("importance")) == ["importance"]
    assert _names(compose("recall")) == ["recall", "sliding_window"]
    assert _names(compose("jiyi.strategies.token_buffer:TokenBuffer")) == ["token_buffer"]


def test_a_list_gets_a_window_only_when_it_has_none() -> None:
    recall, buffer = Recall(), TokenBuffer()
    assert compose([recall, buffer]) == (recall, buffer)
    assert _names(compose([recall])) == ["recall", "sliding_window"]


@pytest.mark.parametrize("wrong", [[], None, 3, [Recall], ["recall"], [None], SlidingWindow()])
def test_what_is_not_a_strategy_is_named(wrong: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        compose(wrong)  # type: ignore[arg-type]
    assert caught.value.field.startswith("recipe")
