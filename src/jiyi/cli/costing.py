"""``eval cost``: what each strategy asks a model for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import click

from jiyi.cli.app import Interrupted, State, run, shared
from jiyi.cli.output import console, progress_bars, show_table, write_json
from jiyi.config import Settings
from jiyi.errors import NotFound
from jiyi.eval.cost import EARLY, Cost, asking, measure, opened
from jiyi.ports import Strategy
from jiyi.prompts import LANGUAGES
from jiyi.recipes import compose


@click.command()
@click.option("--strategy", "names", multiple=True, metavar="NAME", help="May be repeated.  Default: all that ask one.")
@click.option(
    "--recipe",
    "recipes",
    multiple=True,
    metavar="NAME",
    help="A recipe as a whole; may be repeated.  Instead of strategies.",
)
@click.option("--turns", default=220, show_default=True, type=click.IntRange(1), metavar="N", help="Of each talk.")
@click.option(
    "--llm", metavar="PROVIDER:MODEL", help="Ask this model.  Default: a stand-in, whose answers have no content."
)
@shared
@click.pass_obj
def cost(state: State, names: tuple[str, ...], recipes: tuple[str, ...], turns: int, llm: str | None) -> None:
    """Count what each strategy, or recipe, asks a model for in a made-up talk, in every language.

    Calls, tokens in and out of 100 turns, and the tokens in of one call early and late: they must not grow.
    """
    found: list[Cost] = []
    try:
        run(_whole(state.settings(), _chosen(state.settings(), names, recipes), turns, llm, found))
    except KeyboardInterrupt as error:
        raise Interrupted(f"stopped; {len(found)} were measured, nothing was kept") from error
    if state.json:
        rows = [{**asdict(row), "growth": row.growth} for row in found]
        write_json({"evaluation": "cost", "model": llm or "stand-in", "turns": turns, "costs": rows})
        return
    _show(found)


def _chosen(settings: Settings, names: Sequence[str], recipes: Sequence[str]) -> Mapping[str, str | list[Strategy]]:
    """Name -> what is put to work: recipes where there are any, else strategies, each alone."""
    if names and recipes:
        raise click.UsageError("give either --strategy or --recipe")
    for name in recipes:
        compose(name, settings.recipes)
    if recipes:
        return {name: name for name in recipes}
    there = asking()
    for name in names:
        if name not in there:
            raise NotFound(f"no strategy {name!r} that asks a model; there are {', '.join(there)}")
    return {name: [there[name]] for name in names or there}


async def _whole(
    settings: Settings, chosen: Mapping[str, str | list[Strategy]], turns: int, llm: str | None, found: list[Cost]
) -> None:
    with progress_bars() as bars:
        for name, recipe in chosen.items():
            for language in LANGUAGES:
                task = bars.add_task(f"{name}, {language}", total=turns)
                async with await opened(llm, language, settings) as memory:
                    found += await measure(memory, name, recipe, language, turns, lambda t=task: bars.advance(t))


def _show(found: Sequence[Cost]) -> None:
    heads = ["calls", "tokens in", "tokens out", f"call by turn {EARLY}", "call at the end", "largest call"]
    rows = [
        [row.strategy, row.step, row.language, *(f"{number:,}" for number in asdict(row.per_100).values()),
         *("" if number is None else f"{number:,}" for number in (row.early, row.late)), f"{row.largest:,}"]
        for row in found
    ]  # fmt: skip
    console().print("Of 100 turns: calls, tokens in and out. Of one call: tokens in.")
    show_table(["what", "step", "", *heads], rows, right=heads)
