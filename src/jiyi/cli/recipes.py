"""``recipes``: the combinations of strategies there are, and what each is made of."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import click

from jiyi.cli.app import State, shared
from jiyi.cli.output import console, show_table, write_json
from jiyi.errors import MissingDependency
from jiyi.ports import Strategy
from jiyi.recipes import RECIPES, Parts, recipe

_OWN = "your own"


@click.command()
@click.argument("name", required=False)
@shared
@click.pass_obj
def recipes(state: State, name: str | None) -> None:
    """List the recipes, those of your own too; with NAME show what one of them is made of.

    A recipe of your own stands in jiyi.toml: `[recipes]`, and below it `shop = ["key_facts", {strategy = "recall", k =
    4}]`.  The name of a strategy stands for that strategy alone.
    """
    settings = state.settings()
    if name is None:
        _list(state, settings.recipes, settings.recipe)
    else:
        _show(state, name, recipe(name, settings.recipes))


def _list(state: State, own: Mapping[str, Parts], default: str) -> None:
    purposes = {name: one.purpose for name, one in RECIPES.items()} | dict.fromkeys(own, _OWN)
    parts = {name: _parts(name, own) for name in purposes}
    if state.json:
        write_json(
            [
                {"name": name, "parts": parts[name], "for": purpose, "own": name in own, "default": name == default}
                for name, purpose in purposes.items()
            ]
        )
        return
    rows = [
        [f"{name} *" if name == default else name, " + ".join(parts[name]), purpose]
        for name, purpose in purposes.items()
    ]
    show_table(["recipe", "parts", "for"], rows, whole=["recipe"])
    console().print('* in force; another with --recipe, JIYI_RECIPE, or recipe = "…" in jiyi.toml', style="dim")


def _parts(name: str, own: Mapping[str, Parts]) -> list[str]:
    try:
        return [strategy.name for strategy in recipe(name, own)]
    except MissingDependency as error:
        return [f"({error})"]


def _show(state: State, name: str, strategies: Sequence[Strategy]) -> None:
    if state.json:
        parts = [{"strategy": one.name, "what": _what(one), "options": _options(one)} for one in strategies]
        write_json({"name": name, "parts": parts})
        return
    rows = [
        [one.name, ", ".join(f"{key}={value!r}" for key, value in _options(one).items()), _what(one)]
        for one in strategies
    ]
    show_table(["strategy", "options", "what"], rows, whole=["strategy"])


def _what(strategy: Strategy) -> str:
    """The first paragraph of its documentation."""
    return " ".join((inspect.getdoc(type(strategy)) or "").partition("\n\n")[0].split())


def _options(strategy: Strategy) -> dict[str, Any]:
    """What its constructor was given, as far as it keeps it under the same name and it can be written down."""
    names = [name for name in inspect.signature(type(strategy)).parameters if name != "self"]
    found = {name: getattr(strategy, name) for name in names if hasattr(strategy, name)}
    return {name: value for name, value in found.items() if isinstance(value, str | int | float | None)}
