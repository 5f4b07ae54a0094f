"""``eval fit``: weights of the ranking, fitted to labelled questions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jiyi.cli.app import REFUSED, Interrupted, State, run, shared
from jiyi.cli.evaluate import asked_memory, embedding, own_history, reached, set_names, stopped
from jiyi.cli.output import console, counted, progress_bars, say, write_json
from jiyi.cli.tabling import difference, heading, print_table, share
from jiyi.config import Settings
from jiyi.errors import InvalidInput
from jiyi.eval import Conversation, read_dataset
from jiyi.eval.features import FITTED, as_shipped
from jiyi.eval.fit import require
from jiyi.eval.folds import Asked, Fitted, cross_validated
from jiyi.eval.looks import Looker
from jiyi.eval.own import read_own
from jiyi.eval.recall import USER
from jiyi.eval.vectors import QuestionsOnce
from jiyi.types import SCORE_PARTS
from jiyi.weights import Weights, changes, weights_of

if TYPE_CHECKING:
    from rich.progress import Progress

    from jiyi.ports import Embedder


@click.command("fit")
@click.argument("directories", metavar="[DIR]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--user", metavar="ID", help="Fit to this user of the database, with --questions.")
@click.option("--questions", type=click.Path(path_type=Path), help="Questions about the user, as in questions.jsonl.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="The ranking file to write, where the weights are better.")  # fmt: skip
@click.option("--force", is_flag=True, help="Overwrite FILE.")
@click.option("--k", type=click.IntRange(1), default=10, show_default=True, help="recall@k decides, beside MRR.")
@click.option("--markdown", is_flag=True, help="Print the tables as Markdown.")
@click.option("--cache", type=click.Path(path_type=Path), help="Keep vectors here: a stopped or second run is quick.")
@shared
@click.pass_context
def fit_weights(ctx: click.Context, directories: tuple[Path, ...], **given: Any) -> None:
    """Fit the weights of the ranking to labelled questions, and refuse when that is no better.

    Takes the same directories as `jiyi eval recall`, or --user and --questions for a history of the database (--db).
    Each part of the ranking gets a factor.  The factors are judged on questions that they were not fitted to; unless
    recall@k or MRR is surely better there, and nothing worse, no file is written and the exit code is 7.
    """
    state = ctx.ensure_object(State)
    require()
    out: Path | None = given["out"]
    if out is not None:
        _check(out, force=given["force"])
    settings = state.settings()
    usual = as_shipped(weights_of(settings.ranking))
    own = own_history(directories, given["user"], given["questions"])
    if own is None:
        sets = dict(zip(set_names(directories), map(read_dataset, directories), strict=True))
    else:
        sets = {own[0]: [run(read_own(settings, *own))]}
    work = _Work(settings, given["cache"], given["user"])
    fitted = _fitted(work, sets, usual, given["k"])
    if state.json:
        write_json(_as_json(work.model, usual, fitted))
    else:
        _show(work.model, usual, fitted, markdown=given["markdown"])
    if fitted.against:
        say(f"Refused: {fitted.against}. The shipped weights stay.")
        ctx.exit(REFUSED)
    if out is not None:
        out.write_text(json.dumps(changes(fitted.weights), indent=2) + "\n", encoding="utf-8")
        say(f"{out.absolute()} is written; use it with JIYI_RANKING={out} or ranking={str(out)!r}")
    else:
        say("Better. With --out FILE the weights are written to a file.")


def _check(out: Path, *, force: bool) -> None:
    """Refuses before the work begins what would fail after it."""
    if out.exists() and not force:
        raise InvalidInput("out", f"{out} exists; give another name, or --force to overwrite it")
    if not out.absolute().parent.is_dir():
        raise InvalidInput("out", f"there is no directory {out.absolute().parent} to put the file in; make it first")


def _fitted(work: _Work, sets: Mapping[str, Sequence[Conversation]], usual: Weights, k: int) -> Fitted:
    try:
        with progress_bars() as bars:
            run(work.all(sets, bars))
            task = bars.add_task("fitting", total=None)
            return cross_validated(work.asked, usual, k, done=partial(bars.advance, task))
    except KeyboardInterrupt as error:
        raise Interrupted(stopped(work.done, work.total, work.cache)) from error


@dataclass
class _Work:
    """What is found for each question; nothing is ranked yet."""

    settings: Settings
    cache: Path | None
    user: str | None
    asked: list[Asked] = field(default_factory=list[Asked])
    model: str = ""
    done: int = 0
    total: int = 0

    async def all(self, sets: Mapping[str, Sequence[Conversation]], bars: Progress) -> None:
        """Looks for the questions of every conversation."""
        self.total = sum(map(len, sets.values()))
        async with embedding(self.settings, self.cache) as embedder:
            self.model = embedder.name if embedder else "none (full text alone)"
            for name, conversations in sets.items():
                total = sum(len(found.entries) for found in conversations)
                task = bars.add_task(name, total=total)
                for conversation in conversations:
                    await self._conversation(name, conversation, embedder, bars, task)
                    self.done += 1
                bars.update(task, completed=total)

    async def _conversation(
        self, name: str, conversation: Conversation, embedder: Embedder | None, bars: Progress, task: Any
    ) -> None:
        questions = QuestionsOnce(embedder) if embedder else None
        async with asked_memory(self.settings, questions, self.user) as memory:
            looker = Looker(memory, self.user or USER)

            def more(count: int) -> None:
                looker.more()
                bars.advance(task, count)

            async with aclosing(reached(memory, conversation, self.user, more)) as indices:
                looks = {index: await looker.look(conversation.questions[index]) async for index in indices}
        session_of = conversation.session_of
        for index, label in enumerate(conversation.labels):  # labels are looked at only from here on
            self.asked.append(Asked(name, conversation.id, looks[index], label, session_of))


def _as_json(model: str, usual: Weights, fitted: Fitted) -> dict[str, object]:
    return {
        "embedder": model,
        "questions": fitted.questions,
        "folds": fitted.folds,
        "held_out": fitted.by,
        "better": not fitted.against,
        "against": fitted.against,
        "parts": [
            {"part": name, "factor": fitted.factors[name],
             "low": fitted.ranges[name][0], "high": fitted.ranges[name][1],
             "weights": {one: [getattr(usual, one), getattr(fitted.weights, one)] for one in fields}}
            for name, fields in FITTED.items()
        ],
        "results": [
            {"set": one.set, "measure": one.measure, "shipped": round(one.found.a, 4), "fitted": round(one.found.b, 4),
             "difference": round(one.found.value, 4), "low": round(one.found.low, 4), "high": round(one.found.high, 4),
             "p": round(one.found.p, 4), "wins": one.found.wins, "losses": one.found.losses, "ties": one.found.ties}
            for one in fitted.held
        ],
        "weights": changes(fitted.weights),
    }  # fmt: skip


def _show(model: str, usual: Weights, fitted: Fitted, *, markdown: bool) -> None:
    out = console()
    out.print(f"embedder: {model}")
    out.print(
        f"\nFitted to {counted(fitted.questions, 'question')}: what each part counts, against what it does as shipped"
    )
    rows = [
        [name, "\n".join(f"{one} {getattr(usual, one):g} → {getattr(fitted.weights, one):g}" for one in fields)
         if fitted.factors[name] != 1 else "as shipped",
         f"{fitted.factors[name]:.2f}", "{:.2f} to {:.2f}".format(*fitted.ranges[name])]
        for name, fields in FITTED.items()
    ]  # fmt: skip
    print_table(["part", "weights", "factor", "in the folds"], rows, markdown=markdown, texts=2)
    for line in _words(fitted.factors):
        out.print(line)
    out.print(f"\nOn questions that were held out ({counted(fitted.folds, 'fold')}, {fitted.by})")
    rows = [
        [one.set, heading(one.measure), share(one.found.a), share(one.found.b), *difference(one.found)]
        for one in fitted.held
    ]
    heads = ["set", "", "shipped", "fitted", "added", "95 % interval", "p", "wins", "losses", "ties"]
    print_table(heads, rows, markdown=markdown, texts=2)


def _words(factors: Mapping[str, float]) -> list[str]:
    """A line for each part that changes, what changes most first."""
    changed = sorted((name for name, factor in factors.items() if factor != 1),
                     key=lambda name: -max(factors[name], 1 / factors[name]))  # fmt: skip
    return [
        f"{name} ({SCORE_PARTS[name]}) counts {factors[name]:g} times as much"
        if factors[name] > 1
        else f"{name} ({SCORE_PARTS[name]}) counts less: {factors[name]:g} of what it does as shipped"
        for name in changed
    ]
