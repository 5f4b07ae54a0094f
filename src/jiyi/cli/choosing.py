"""``eval recipes``: which recipe to take, by evidence and tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from jiyi.cli.app import Interrupted, State, run, shared
from jiyi.cli.evaluate import embedding, empty_memory, numbers, set_names, stopped, usable
from jiyi.cli.output import console, counted, interval, progress_bars, show_table
from jiyi.cli.reporting import delivered, html_option
from jiyi.config import Settings
from jiyi.eval import Conversation, read_dataset
from jiyi.eval.recipes import Scored, Setting, advice, contexts, scored, table
from jiyi.eval.vectors import QuestionsOnce

Sets = Mapping[str, Sequence[Conversation]]


@click.command()
@click.argument("directories", metavar="DIR...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--recipe", "recipes", multiple=True, metavar="NAME", help="May be repeated.  Default: all there are.")
@click.option(
    "--max-tokens",
    "budgets",
    default="500,1000,2000,4000",
    show_default=True,
    metavar="N,N",
    help="Tokens of a context.",
)
@click.option("--price", type=click.FloatRange(0), metavar="AMOUNT", help="Of a million prompt tokens: shows the cost.")
@click.option("--cache", type=click.Path(path_type=Path), help="Keep vectors here: a stopped or second run is quick.")
@html_option
@shared
@click.pass_obj
def recipes(state: State, directories: tuple[Path, ...], recipes: tuple[str, ...], budgets: str,
            price: float | None, cache: Path | None) -> None:  # fmt: skip
    """Ask the same questions with every recipe, and say which to take.

    DIR has conversations.jsonl and questions.jsonl.  Each question is asked in a session that has just begun, with all
    that was said before it stored: the share of its evidence in the context stands against the context's tokens.
    """
    chosen = usable(recipes, state.settings().recipes)
    settings = [(name, budget) for name in chosen for budget in numbers("max-tokens", budgets)]
    sets = dict(zip(set_names(directories), map(read_dataset, directories), strict=True))
    asked: dict[str, list[Conversation]] = {name: [] for name in sets}
    try:
        rows = run(_whole(state.settings(), sets, settings, cache, asked))
    except KeyboardInterrupt as error:
        done, total = (sum(map(len, found.values())) for found in (asked, sets))
        raise Interrupted(stopped(done, total, cache)) from error
    value = _value(rows, price)
    if delivered(state, value):
        return
    for found in value["sets"]:
        _show(found, price)


async def _whole(
    settings: Settings,
    sets: Sets,
    wanted: Sequence[Setting],
    cache: Path | None,
    asked: Mapping[str, list[Conversation]],
) -> dict[str, list[Scored]]:
    """The rows of each set; what is done is put into ``asked``."""
    found: dict[str, list[Scored]] = {}
    with progress_bars() as bars:
        async with embedding(settings, cache) as opened:
            embedder = opened and QuestionsOnce(opened)
            for name, conversations in sets.items():
                rows = found.setdefault(name, [])
                task = bars.add_task(name, total=sum(len(one.entries) for one in conversations))
                for one in conversations:
                    async with empty_memory(settings, embedder) as memory:
                        brought = await contexts(memory, one, wanted, stored=partial(bars.advance, task))
                    rows += scored(brought, one.labels, one.session_of)
                    asked[name].append(one)
                bars.update(task, completed=sum(len(one.entries) for one in conversations))
    return found


def _value(rows: dict[str, list[Scored]], price: float | None) -> dict[str, Any]:
    groups = dict(rows)
    if len(rows) > 1:
        groups["all together"] = [row for found in rows.values() for row in found]
    sets = [
        {"directory": name, "recipes": table(found, price), "recommended": advice(found)}
        for name, found in groups.items()
    ]
    return {"evaluation": "recipes", "price": price, "sets": sets}


def _show(found: dict[str, Any], price: float | None) -> None:
    rows: list[dict[str, Any]] = found["recipes"]
    questions = rows[0]["questions"] if rows else 0
    console().print(f"\n{found['directory']}: {counted(questions, 'question')} with evidence")
    bring = {row["recipe"] for row in rows if row["evidence"][0]}
    heads = ["recipe", "max tokens", "evidence (95 %)", "all of it (95 %)", "tokens", "saved"]
    heads += [] if price is None else ["cost of 1,000"]
    cells = [
        [row["recipe"], f"{row['max_tokens']:,}", interval(row["evidence"]), interval(row["all"]),
         f"{row['tokens']:,}", f"{row['saved']:.0%}", *([] if price is None else [f"{row['cost_of_1000']:.3f}"])]
        for row in rows if row["recipe"] in bring
    ]  # fmt: skip
    if cells:
        show_table(heads, cells, right=heads[1:])
    if rest := [name for name in dict.fromkeys(row["recipe"] for row in rows) if name not in bring]:
        console().print(f"Nothing from earlier sessions with: {', '.join(rest)}.")
    console().print(found["recommended"]["text"])
