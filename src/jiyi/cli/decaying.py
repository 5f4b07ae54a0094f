"""``eval decay``: whether what was said early still comes back after much other talk."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import click

from jiyi.cli.app import State, run, shared
from jiyi.cli.evaluate import embedding, empty_memory, numbers, spoken
from jiyi.cli.output import console, progress_bars, show_table
from jiyi.cli.reporting import delivered, html_option
from jiyi.config import Settings
from jiyi.errors import InvalidInput
from jiyi.eval import Conversation, read_dataset
from jiyi.eval.decay import Chat, Fact, Kept, chats, labelled, made_up, measure, share
from jiyi.prompts import LANGUAGES
from jiyi.recipes import RECIPES, compose


@click.command()
@click.argument("directories", metavar="DIR...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--turns", default="30,100,300,1000", show_default=True, metavar="N,N", help="Turns after the facts.")
@click.option("--facts", default=200, show_default=True, type=click.IntRange(1), metavar="N", help="Of each language.")
@click.option("--recipe", "recipes", multiple=True, metavar="NAME", help="May be repeated.  Default: all that ship.")
@click.option("--max-tokens", default=1000, show_default=True, type=click.IntRange(1), help="Tokens of a context.")
@click.option("--cache", type=click.Path(path_type=Path), help="Keep vectors here: a stopped or second run is quick.")
@html_option
@shared
@click.pass_obj
def decay(  # noqa: PLR0913
    state: State, directories: tuple[Path, ...], turns: str, facts: int, recipes: tuple[str, ...],
    max_tokens: int, cache: Path | None,
) -> None:  # fmt: skip
    """Plant facts in the first turns of a chat, let other talk pass, and ask for them in other words.

    DIR has conversations.jsonl and questions.jsonl.  Half of the facts come from its labelled questions, as far as
    there are enough, the others are made up; the other talk is that of its conversations.
    """
    names = list(recipes or RECIPES)
    for name in names:
        compose(name)
    distances = numbers("turns", turns)
    sets = [read_dataset(directory) for directory in directories]
    plan = _plan([conversation for found in sets for conversation in found], facts, distances[-1])
    if not plan:
        raise InvalidInput("DIR", "holds no talk of a user that could stand between a fact and its question")
    kept = run(_whole(state.settings(), plan, distances, names, max_tokens, cache))
    rows = summary(kept, distances, names)
    if not delivered(state, {"max_tokens": max_tokens, "rows": rows}):
        _show(rows, names, max_tokens)


async def _whole(
    settings: Settings, plan: Sequence[Chat], distances: Sequence[int], recipes: Sequence[str], budget: int,
    cache: Path | None,
) -> list[Kept]:  # fmt: skip
    kept: list[Kept] = []
    with progress_bars() as bars:
        task = bars.add_task("turns", total=len(plan) * distances[-1])
        async with embedding(settings, cache) as embedder:
            passed = partial(bars.advance, task)
            for chat in plan:
                async with empty_memory(settings, embedder) as memory:
                    kept += await measure(memory, chat, distances, recipes, budget=budget, passed=passed)
    return kept


def _plan(conversations: Sequence[Conversation], facts: int, turns: int) -> list[Chat]:
    """The chats of every language that the conversations speak."""
    plan: list[Chat] = []
    for name in LANGUAGES:
        talk = [found for found in conversations if spoken(found) == name]
        given = labelled(talk) if len(talk) > 1 else []  # a conversation is no filler for its own facts
        given = [fact for fact in given if fact.language == name][: facts // 2]
        chosen: list[Fact] = [*given, *made_up(name)[: facts - len(given)]]
        plan += chats(chosen, talk, turns) if talk else []
    return plan


def summary(kept: Sequence[Kept], distances: Sequence[int], recipes: Sequence[str]) -> list[dict[str, object]]:
    """One row a language and distance: shares with their 95 % intervals, and tokens against the whole history."""
    rows: list[dict[str, object]] = []
    for language in LANGUAGES:
        for distance in distances:
            here = [one for one in kept if (one.language, one.turns) == (language, distance)]
            if not here:
                continue
            row: dict[str, object] = {"language": language, "turns": distance, "facts": len(here)}
            row["first_five"] = _rounded(share(sum(one.found for one in here), len(here)))
            row["full_history_tokens"] = round(fmean(one.full for one in here))
            row["recipes"] = {
                name: {
                    "kept": _rounded(share(sum(one.shown[name] for one in here), len(here))),
                    "tokens": round(fmean(one.tokens[name] for one in here)),
                }
                for name in recipes
            }
            rows.append(row)
    return rows


def _rounded(values: tuple[float, float, float]) -> list[float]:
    return [round(value, 4) for value in values]


def _show(rows: Sequence[dict[str, Any]], recipes: Sequence[str], budget: int) -> None:
    cells = [
        [row["language"], f"{row['turns']:,}", str(row["facts"]), _interval(row["first_five"]),
         *(_interval(row["recipes"][name]["kept"]) for name in recipes), f"{row['full_history_tokens']:,}"]
        for row in rows
    ]  # fmt: skip
    heads = ["language", "turns", "facts", "first five", *recipes, "full history"]
    console().print(f"share of facts that come back (95 % interval); contexts of {budget:,} tokens")
    show_table(heads, cells, right=heads[1:])


def _interval(values: Sequence[float]) -> str:
    value, low, high = values
    return f"{value:.2f} ({low:.2f}-{high:.2f})"
