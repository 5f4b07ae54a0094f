"""``eval decay``: whether what was said early still comes back after much other talk."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from jiyi.cli.app import Interrupted, State, run, shared
from jiyi.cli.evaluate import embedding, empty_memory, numbers, spoken, stopped, usable
from jiyi.cli.output import console, interval, progress_bars
from jiyi.cli.reporting import delivered, html_option
from jiyi.cli.tabling import print_table
from jiyi.config import Settings
from jiyi.errors import InvalidInput
from jiyi.eval import Conversation, read_dataset
from jiyi.eval.decay import Chat, Kept, chats, chosen, measure, summary
from jiyi.eval.facts import labelled, made_up
from jiyi.eval.vectors import QuestionsOnce
from jiyi.prompts import LANGUAGES


@click.command()
@click.argument("directories", metavar="DIR...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--turns", default="30,100,300,1000", show_default=True, metavar="N,N", help="Turns after the facts.")
@click.option("--facts", default=200, show_default=True, type=click.IntRange(1), metavar="N", help="Of each language.")
@click.option(
    "--recipe",
    "recipes",
    multiple=True,
    metavar="NAME",
    help="A recipe or strategy; may be repeated.  Default: all there are.",
)
@click.option("--max-tokens", default=1000, show_default=True, type=click.IntRange(1), help="Tokens of a context.")
@click.option("--seed", default=7, show_default=True, metavar="N", help="Of what is chosen by chance.")
@click.option("--details", type=click.Path(path_type=Path), help="Write a line for each fact and distance.")
@click.option("--markdown", is_flag=True, help="Print the table as Markdown.")
@click.option("--cache", type=click.Path(path_type=Path), help="Keep vectors here: a stopped or second run is quick.")
@html_option
@shared
@click.pass_obj
def decay(  # noqa: PLR0913
    state: State, directories: tuple[Path, ...], turns: str, facts: int, recipes: tuple[str, ...],
    max_tokens: int, seed: int, details: Path | None, markdown: bool,
    cache: Path | None,
) -> None:  # fmt: skip
    """Plant facts in the first turns of a chat, let other talk pass, and ask for them in other words.

    DIR has conversations.jsonl and questions.jsonl.  Half of the facts come from its labelled questions, as far as
    there are enough, the others are made up; the other talk is that of its conversations.
    """
    names = usable(recipes, state.settings().recipes)
    distances = numbers("turns", turns)
    sets = [read_dataset(directory) for directory in directories]
    plan = _plan([conversation for found in sets for conversation in found], facts, distances[-1], seed)
    if not plan:
        raise InvalidInput("DIR", "holds no talk of a user that could stand between a fact and its question")
    kept: list[Kept] = []
    try:
        run(_whole(state.settings(), plan, _Wanted(distances, names, max_tokens), cache, kept))
    except KeyboardInterrupt as error:
        total = sum(len(chat.facts) for chat in plan)
        raise Interrupted(stopped(len(kept) // len(distances), total, cache, of="facts")) from error
    if details is not None:
        lines = (json.dumps(_detail(one), ensure_ascii=False) + "\n" for one in kept)
        details.write_text("".join(lines), encoding="utf-8")
    rows = summary(kept, distances, names)
    if not delivered(state, {"max_tokens": max_tokens, "seed": seed, "rows": rows}):
        _show(rows, names, max_tokens, markdown=markdown)


class _Wanted:
    """What is measured."""

    def __init__(self, distances: Sequence[int], recipes: Sequence[str], budget: int) -> None:
        self.distances = distances
        self.recipes = recipes
        self.budget = budget


async def _whole(
    settings: Settings, plan: Sequence[Chat], wanted: _Wanted, cache: Path | None, kept: list[Kept]
) -> None:
    with progress_bars() as bars:
        task = bars.add_task("turns", total=len(plan) * wanted.distances[-1])
        async with embedding(settings, cache) as embedder:
            passed = partial(bars.advance, task)
            for chat in plan:
                questions = QuestionsOnce(embedder) if embedder else None
                async with empty_memory(settings, questions) as memory:
                    kept += await measure(
                        memory, chat, wanted.distances, wanted.recipes, budget=wanted.budget, passed=passed
                    )


def _plan(conversations: Sequence[Conversation], facts: int, turns: int, seed: int) -> list[Chat]:
    """The chats of every language that the conversations speak."""
    plan: list[Chat] = []
    for name in LANGUAGES:
        talk = [found for found in conversations if spoken(found) == name]
        given = [fact for fact in labelled(talk) if fact.language == name] if len(talk) > 1 else []
        given = chosen(given, facts // 2, seed=seed)
        plan += chats([*made_up(name)[: facts - len(given)], *given], talk, turns, seed=seed)
    return plan


def _detail(one: Kept) -> Mapping[str, object]:
    return {
        "language": one.fact.language,
        "kind": "made-up" if one.fact.made_up else "labelled",
        "source": one.fact.source,
        "turns": one.turns,
        "fact": one.fact.text,
        "question": one.fact.question,
        "answer": one.fact.answer,
        "found": one.found,
        "rank": one.rank,
        "relevance": round(one.relevance, 4),
        "first": {"text": one.first, "relevance": round(one.first_relevance, 4)},
        "shown": dict(one.shown),
    }


def _show(rows: Sequence[dict[str, Any]], recipes: Sequence[str], budget: int, *, markdown: bool) -> None:
    cells = [
        [row["language"], row["kind"], f"{row['turns']:,}", str(row["facts"]), interval(row["first_five"], 2),
         *(f"{row['recipes'][name]['kept'][0]:.2f}" for name in recipes), f"{row['full_history_tokens']:,}"]
        for row in rows
    ]  # fmt: skip
    heads = ["language", "kind", "turns", "facts", "first five", *recipes, "full history, tokens"]
    console().print(
        f"share of facts that come back: among the first five hits (95 % interval), in contexts of {budget:,} tokens"
    )
    print_table(heads, cells, markdown=markdown, texts=2)
