"""Recipes by name, and lists of strategies."""

from __future__ import annotations

from pathlib import Path

import pytest

from jiyi.config import load_settings
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput, NotFound
from jiyi.recipes import RECIPES, compose, recipe
from jiyi.strategies.key_facts import KeyFacts
from jiyi.strategies.recall import Recall
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.strategies.snapshot import Snapshot
from jiyi.strategies.token_buffer import TokenBuffer


def _names(strategies: object) -> list[str]:
    return [strategy.name for strategy in strategies]  # type: ignore[attr-defined]


def test_every_recipe_ends_with_a_window() -> None:
    assert list(RECIPES) == [
        "balanced", "casual", "support_bot", "personal_assistant", "preferences", "project_agent",
        "knowledge_assistant", "medical", "task_agent", "coding", "marathon",
    ]  # fmt: skip
    for name in RECIPES:
        assert recipe(name)[-1].window
    assert _names(recipe("balanced")) == ["recall", "key_facts", "rolling_summary", "sliding_window"]
    assert _names(compose("support_bot")) == ["full_history", "sliding_window"]


def test_an_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(
        NotFound,
        match="no recipe 'balance'; there are balanced, casual, support_bot, .*, or name a strategy",
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


OWN = {
    "shop": (
        {"strategy": "key_facts", "limit": 12, "attributes": [{"name": "size", "values": "one", "importance": 0.7}]},
        {"strategy": "recall", "k": 4},
    ),
    "short": ({"strategy": "sliding_window", "turns": 3},),
}


def test_a_recipe_of_ones_own_is_made_as_it_is_written() -> None:
    facts, recall, window = compose("shop", OWN)
    assert isinstance(facts, KeyFacts) and facts.limit == 12 and facts.attributes[0].name == "size"
    assert isinstance(recall, Recall) and recall.k == 4
    assert isinstance(window, SlidingWindow)  # like every combination, it ends with one
    (short,) = compose("short", OWN)
    assert isinstance(short, SlidingWindow) and short.turns == 3


def test_a_snapshot_gets_fields_of_its_own() -> None:
    part = {"strategy": "snapshot", "fields": {"order": [{"name": "dish", "values": "many", "importance": 0.8}]}}
    snapshot = compose("bistro", {"bistro": (part,)})[0]
    assert isinstance(snapshot, Snapshot) and snapshot.fields["order"][0].name == "dish"
    with pytest.raises(InvalidInput) as caught:
        compose("bistro", {"bistro": ({"strategy": "snapshot", "fields": {"order": [{"nam": "dish"}]}},)})
    assert caught.value.field == "recipes.bistro[0].fields.order"


@pytest.mark.parametrize(
    ("parts", "field", "says"),
    [
        ([{"strategy": "recal"}], "recipes.mine[0]", "Did you mean 'recall'"),
        ([{"strategy": "recall"}, {"strategy": "recall", "kk": 3}], "recipes.mine[1].kk", "it takes k, floor, share"),
        ([{"strategy": "recall", "k": 0}], "recipes.mine[0]", "above 0"),
        ([{"strategy": "recall", "k": "many"}], "recipes.mine[0]", "above 0"),
        ([{"strategy": "key_facts", "attributes": [{"nam": "x"}]}], "recipes.mine[0].attributes", "nam"),
        ([{"strategy": "key_facts", "attributes": "size"}], "recipes.mine[0].attributes", "list of tables"),
        (
            [{"strategy": "key_facts", "attributes": [{"name": "x", "values": "some", "importance": 1}]}],
            "recipes.mine[0].attributes",
            "'some'",
        ),
    ],
)
def test_a_wrong_part_is_named(parts: list[dict[str, object]], field: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says) as caught:
        compose("mine", {"mine": parts})
    assert caught.value.field == field


def test_the_name_of_a_recipe_that_ships_is_taken() -> None:
    with pytest.raises(InvalidInput, match="ships") as caught:
        compose("casual", {"casual": OWN["short"]})
    assert caught.value.field == "recipes.casual"


def test_an_unknown_name_lists_ones_own_too() -> None:
    with pytest.raises(NotFound, match="marathon.*, shop, short, or name a strategy"):
        compose("shopp", OWN)


async def test_a_memory_takes_recipes_from_its_settings(tmp_path: Path) -> None:
    file = tmp_path / "jiyi.toml"
    file.write_text(
        'recipe = "shop"\n\n[recipes]\nshop = ["key_facts", {strategy = "recall", k = 4}]\n', encoding="utf-8"
    )
    settings = load_settings({"HOME": str(tmp_path)}, (file,))
    async with await AsyncMemory.open("memory:", settings=settings, embedder=None) as memory:
        assert _names(memory.strategies) == ["key_facts", "recall", "sliding_window"]
        await memory.use_recipe("casual")
        assert _names(memory.strategies) == ["sliding_window"]
