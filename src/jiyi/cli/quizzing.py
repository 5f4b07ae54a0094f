"""``eval answers``: whether a model answers right with what the memory gives it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from jiyi.cli.app import Interrupted, State, run, shared
from jiyi.cli.evaluate import embedding, empty_memory
from jiyi.cli.models import HOW
from jiyi.cli.output import console, counted, interval, progress_bars, say, show_table
from jiyi.cli.reporting import delivered, html_option
from jiyi.config import Settings
from jiyi.errors import InvalidInput
from jiyi.eval import Conversation, read_dataset
from jiyi.eval.judging import REPLY as VERDICT
from jiyi.eval.ledger import Key, Ledger
from jiyi.eval.marks import summary
from jiyi.eval.quiz import Plan, Quiz, usable
from jiyi.opening import open_llm
from jiyi.ports import LLM
from jiyi.prompts import LANGUAGES, prompt
from jiyi.recipes import compose

DOUBTED = 0.7
"""Agreement of rules and judge below which neither should be believed unread."""

JUDGED = 700
"""Prompt tokens of a verdict, about: the judge's instructions, and a question with two answers."""

Sets = Mapping[str, Sequence[Conversation]]


@click.command()
@click.argument("directories", metavar="DIR...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--llm", metavar="ADDRESS", help="Who answers, for example ollama:qwen3:8b.  [env JIYI_LLM]")
@click.option("--judge", metavar="ADDRESS", help="Who marks beside the rules.  Default: the one that answers.")
@click.option("--no-judge", is_flag=True, help="Mark by rules alone.")
@click.option("--recipe", metavar="NAME", help="A recipe or strategy, by name.  [env JIYI_RECIPE; default balanced]")
@click.option("--max-tokens", default=2000, show_default=True, type=click.IntRange(1), help="Tokens of a context.")
@click.option("--reply-tokens", default=200, show_default=True, type=click.IntRange(1), help="Of an answer at most.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Ask so many questions, chosen by the seed.")
@click.option("--seed", default=7, show_default=True, help="Of the choice.")
@click.option(
    "--concurrency",
    default=4,
    show_default=True,
    type=click.IntRange(1, 64),
    metavar="N",
    help="Questions that are with a model at once.",
)
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=Path("answers.jsonl"),
    show_default=True,
    help="A line for each question; the same command goes on from there.",
)
@click.option("--price", type=click.FloatRange(0), metavar="AMOUNT", help="Of a million prompt tokens: shows the cost.")
@click.option("--dry-run", is_flag=True, help="Only say what it would take.")
@click.option("--cache", type=click.Path(path_type=Path), help="Keep vectors here: a stopped or second run is quick.")
@html_option
@shared
@click.pass_obj
def answers(state: State, directories: tuple[Path, ...], **given: Any) -> None:  # fmt: skip
    """Ask a model the questions, with contexts from the memory, and mark its answers.

    DIR has conversations.jsonl and questions.jsonl.  Each question is asked in a new session, as eval recipes does it.
    Answers are marked by rules, and by a model as a judge; both are shown.
    """
    settings = state.settings()
    options = _Options(**{name: given[name] for name in _Options.__dataclass_fields__})
    options.recipe = options.recipe or settings.recipe
    compose(options.recipe, settings.recipes)
    sets = {str(directory): read_dataset(directory) for directory in directories}
    wanted = _chosen(sets, options.limit, options.seed)
    if not wanted:
        raise InvalidInput("DIR", "no question has an answer to compare with, choices, or is marked as unanswerable")
    llm = open_llm(options.llm or settings.llm, settings)
    if llm is None:
        raise InvalidInput("llm", f"no model is set. {HOW.replace('jiyi chat', 'jiyi eval answers')}")
    judge = None if options.no_judge else open_llm(options.judge, settings) or llm
    about = _about(options, llm, judge)
    if options.dry_run:
        say(_cost(len(wanted), options, judge))
        return
    with closing(Ledger(options.results, about)) as ledger:
        left = wanted - {key for key in wanted if ledger.done(key)}
        if left and not state.json:
            say((f"{len(wanted) - len(left):,} of {len(wanted):,} are done. " if len(left) < len(wanted) else "")
                + _cost(len(left), options, judge))  # fmt: skip
        try:
            run(_ask(settings, options, sets, left, _Models(llm, judge), ledger))
        except KeyboardInterrupt as error:
            done = sum(ledger.done(key) for key in wanted)
            raise Interrupted(
                f"stopped; {done:,} of {counted(len(wanted), 'answer')} are in {options.results}. "
                "Run the same command again to go on"
            ) from error
        value = _value(sets, wanted, ledger, about, options)
    if not delivered(state, value):
        _show(value)


@dataclass
class _Options:
    """The options of the command, as given."""

    llm: str | None
    judge: str | None
    no_judge: bool
    recipe: str
    max_tokens: int
    reply_tokens: int
    limit: int | None
    seed: int
    concurrency: int
    results: Path
    price: float | None
    dry_run: bool
    cache: Path | None


@dataclass(frozen=True)
class _Models:
    llm: LLM
    judge: LLM | None

    async def close(self) -> None:
        await self.llm.close()
        if self.judge is not None and self.judge is not self.llm:
            await self.judge.close()


def _about(options: _Options, llm: LLM, judge: LLM | None) -> dict[str, object]:
    """What answers depend on; a results file holds those of one such run."""
    names = ["quiz", "judge"] if judge else ["quiz"]
    return {
        "llm": llm.name,
        "judge": judge and judge.name,
        "recipe": options.recipe,
        "max_tokens": options.max_tokens,
        "reply_tokens": options.reply_tokens,
        "prompts": [prompt(name, language).id for name in names for language in LANGUAGES],
    }


def _chosen(sets: Sets, limit: int | None, seed: int) -> set[Key]:
    keys = [
        (name, conversation.id, label.question_id)
        for name, found in sets.items()
        for conversation in found
        for label in conversation.labels
        if usable(label)
    ]
    return set(keys if limit is None or limit >= len(keys) else random.Random(seed).sample(keys, limit))


def _cost(questions: int, options: _Options, judge: LLM | None) -> str:
    tokens = questions * (options.max_tokens + (JUDGED if judge else 0))
    replies = questions * (options.reply_tokens + (VERDICT if judge else 0))
    calls = questions * (2 if judge else 1)
    said = (
        f"{counted(questions, 'question')}: {counted(calls, 'call')}, at most about {tokens:,} prompt tokens "
        f"and {replies:,} of answers"
    )
    return said if options.price is None else f"{said}; the prompts cost at most {tokens * options.price / 1e6:.2f}"


async def _ask(
    settings: Settings, options: _Options, sets: Sets, left: set[Key], models: _Models, ledger: Ledger
) -> None:  # fmt: skip
    plan = Plan(models.llm, models.judge, options.max_tokens, options.reply_tokens, options.concurrency)
    settings = replace(settings, llm="", memory_llm=settings.memory_llm or settings.llm)
    with ExitStack() as stack:
        bars = stack.enter_context(progress_bars())
        quiz = Quiz(plan, ledger, partial(bars.advance, bars.add_task("questions", total=len(left))))
        try:
            async with embedding(settings, options.cache) as embedder:
                for name, found in sets.items():
                    for conversation in found:
                        asked = _only(conversation, {key[2] for key in left if key[:2] == (name, conversation.id)})
                        if not asked.questions:
                            continue
                        async with empty_memory(settings, embedder) as memory:
                            await memory.use_recipe(options.recipe)
                            await quiz.run(memory, asked, name)
        finally:
            await models.close()


def _only(conversation: Conversation, wanted: set[str]) -> Conversation:
    """The conversation with these questions alone."""
    pairs = [
        pair for pair in zip(conversation.questions, conversation.labels, strict=True) if pair[1].question_id in wanted
    ]
    return replace(conversation, questions=tuple(q for q, _ in pairs), labels=tuple(label for _, label in pairs))


def _value(
    sets: Sets, wanted: set[Key], ledger: Ledger, about: Mapping[str, object], options: _Options
) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    for name in sets:
        rows = [row for key, row in ledger.rows.items() if key in wanted and key[0] == name]
        if rows:
            found.append({"directory": name, **summary(rows)})
    return {"evaluation": "answers", **about, "price": options.price, "sets": found}


def _show(value: dict[str, Any]) -> None:
    judged = f"; judge: {value['judge']}" if value["judge"] else ""
    console().print(f"{value['llm']} with {value['recipe']}, contexts of {value['max_tokens']:,} tokens{judged}")
    for found in value["sets"]:
        console().print(f"\n{found['directory']}")
        heads = ["category", "questions", "right by rules", "F1", "declined", "right by judge", "agreement", "tokens"]
        cells = [
            [row["category"], str(row["questions"]), interval(row["match"]), _number(row["f1"]), str(row["declined"]),
             interval(row["judge"]), _number(row["agreement"] and row["agreement"][0]), f"{row['tokens']:,}"]
            for row in found["categories"]
        ]  # fmt: skip
        show_table(heads, cells, right=heads[1:])
        agreement = found["categories"][0]["agreement"]
        if agreement and agreement[0] < DOUBTED:
            console().print(
                f"Rules and judge agree on {agreement[0]:.0%} only: read the answers before you believe either."
            )
        for role, usage in found["usage"].items():
            if usage["calls"]:
                cost = (
                    ""
                    if value["price"] is None
                    else f", {usage['prompt_tokens'] * value['price'] / 1e6:.2f} for the prompts"
                )
                console().print(
                    f"{role}: {counted(usage['calls'], 'call')}, {usage['prompt_tokens']:,} prompt tokens, "
                    f"{usage['completion_tokens']:,} of answers{cost}"
                )
        for what in ("errors", "judge_errors"):
            if found[what]:
                listed = ", ".join(f"{kind} {count}" for kind, count in found[what].items())
                console().print(
                    f"{what.replace('_', ' ')}, not counted above: {listed}; the same command asks them again"
                )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
