"""``eval recall``: how well search finds marked evidence, beside yardsticks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, aclosing
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from jiyi.cli import tabling
from jiyi.cli.app import Interrupted, State, run, shared
from jiyi.cli.evaluate import asked_memory, embedding, numbers, own_history, reached, set_names, stopped
from jiyi.cli.output import progress_bars, say
from jiyi.cli.reporting import delivered, html_option
from jiyi.config import Settings
from jiyi.errors import InvalidInput
from jiyi.eval import Conversation, read_dataset, score
from jiyi.eval.ablation import without_each
from jiyi.eval.comparison import changed, compare
from jiyi.eval.configurations import BASELINES, Configuration, configuration
from jiyi.eval.ordering import Asker, Reply
from jiyi.eval.own import read_own
from jiyi.eval.recall import USER
from jiyi.eval.results import Measured, results
from jiyi.eval.scores import only
from jiyi.eval.short import shortened
from jiyi.eval.vectors import TIMED, QuestionsOnce
from jiyi.weights import weights_of

if TYPE_CHECKING:
    from rich.progress import Progress

    from jiyi.ports import Embedder


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured, and how.

    Attributes:
        settings: of the memories.
        configurations: what is measured side by side.
        ks: where rankings are cut.
        budgets: tokens of contexts, ascending.
        limit: how deep rankings go.
        cache: where vectors are kept.
        compared: nothing may be left out; else a yardstick that needs an embedder is, where there is none.
    """

    settings: Settings
    configurations: Sequence[Configuration]
    ks: Sequence[int]
    budgets: Sequence[int]
    limit: int
    cache: Path | None
    compared: bool = False


@click.command()
@click.argument("directories", metavar="[DIR]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--user", metavar="ID", help="Ask the database itself about this user, with --questions.")
@click.option("--questions", type=click.Path(path_type=Path), help="Questions about the user, as in questions.jsonl.")
@click.option("--rankings", type=click.Path(path_type=Path), help="Write a line for each question, with its ranking.")
@click.option("--k", "ks", default="5,10,20", show_default=True, metavar="N,N", help="Where rankings are cut.")
@click.option("--max-tokens", "budgets", default="500,1000,2000,4000", show_default=True, metavar="N,N",
              help="Tokens of contexts.")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), default=200, show_default=True, help="How deep rankings go.")
@click.option("--short", type=click.IntRange(2), metavar="N", help="Give each question N messages around its evidence.")
@click.option("--no-baselines", is_flag=True, help="Measure the search alone, without yardsticks.")
@click.option("--compare", nargs=2, metavar="A B", help="Two configurations: default, bm25, tuned.json, embedder=NAME…")
@click.option("--changed", type=click.IntRange(0), default=0, metavar="N", help="List the questions that changed most.")
@click.option("--ablation", is_flag=True, help="Take each part of the ranking away once.")
@click.option("--markdown", is_flag=True, help="Print the tables as Markdown.")
@click.option("--cache", type=click.Path(path_type=Path), help="Keep vectors here: a stopped or second run is quick.")
@html_option
@shared
@click.pass_obj
def recall(state: State, directories: tuple[Path, ...], **given: Any) -> None:
    """Replay conversations, ask their questions, and see whether the evidence comes back.

    DIR has conversations.jsonl and questions.jsonl.  Each conversation gets a memory of its own; a question with a
    before_message_id is asked when only what came before is stored.  Or --user and --questions name a history of the
    database (--db), of which a copy is asked; `jiyi eval export-questions` makes the file.

    Beside the search stand, on the same questions: full text alone (bm25), vectors alone (dense), the newest messages
    (window), and everything (full history).

    --compare takes two configurations instead: default (the shipped weights), bm25, dense, window, a ranking file
    (tuned.json), embedder=NAME, or several of these with commas.

    With --short, each question is asked of a memory of its own that holds its evidence and the messages around it.
    """
    if given["changed"] and not given["compare"]:
        raise click.UsageError("--changed goes with --compare: the questions are those that differ between the two")
    settings = state.settings()
    plan = Plan(
        settings,
        _configurations(settings, given["compare"], given["ablation"], given["no_baselines"]),
        numbers("k", given["ks"]),
        numbers("max-tokens", given["budgets"]),
        given["limit"],
        given["cache"],
        compared=given["compare"] is not None,
    )
    own = own_history(directories, given["user"], given["questions"])
    if own is None:
        sets = dict(zip(set_names(directories), map(read_dataset, directories), strict=True))
    else:
        sets = {own[0]: [run(read_own(settings, *own))]}
    if given["short"]:
        sets = _short(sets, given["short"], own is not None)
    work = measure(plan, sets, given["rankings"], user=given["user"])
    pairs = _pairs(plan.configurations, given["compare"], given["ablation"])
    differences = [one for a, b in pairs for one in compare(work.measured, a, b)]
    tables = tabling.Tables(plan.configurations, plan.ks, plan.budgets, work.measured, markdown=given["markdown"])
    moved = changed(work.measured, *pairs[0], f"recall@{tables.k}", given["changed"]) if given["changed"] else []
    value = as_json(plan, work) | ({"short": given["short"]} if given["short"] else {})
    value |= {"differences": [one.to_dict() for one in differences]} if pairs else {}
    value |= {"changed": list(map(asdict, moved))} if given["changed"] else {}
    if delivered(state, value):
        return
    tables.model(work.model)
    if given["ablation"]:
        tables.ablation(differences)
    elif pairs:
        tables.differences(differences)
        tables.changed(moved)
    else:
        tables.sets() if len(sets) > 1 else tables.one_set()
    for found in work.measured:
        if found.left_out:
            say(f"{found.name}: {found.left_out} questions without evidence are not scored")


def _configurations(
    settings: Settings, compared: tuple[str, str] | None, ablation: bool, alone: bool
) -> Sequence[Configuration]:
    """What is measured side by side."""
    weights = weights_of(settings.ranking)
    usual = Configuration(f"ranking={settings.ranking}" if settings.ranking else "default", weights=weights)
    if compared:
        if ablation:
            raise InvalidInput("ablation", "compares the ranking with itself; leave out --compare")
        if compared[0] == compared[1]:
            raise InvalidInput("compare", f"needs two different configurations, not {compared[0]!r} twice")
        return [configuration(spec, weights) for spec in compared]
    if ablation:
        return without_each(usual)
    return [usual] if alone else [usual, *BASELINES]


def _pairs(
    configurations: Sequence[Configuration], compared: tuple[str, str] | None, ablation: bool
) -> list[tuple[str, str]]:
    """What is compared with what."""
    first, *others = [one.name for one in configurations]
    return [(first, other) for other in others] if compared or ablation else []


def as_json(plan: Plan, work: Work) -> dict[str, object]:
    """Everything that was measured; docs/benchmarks/format.md says what each field means."""
    return {
        "embedder": work.model,
        "tokens_counted_by": work.counter,
        "k": list(plan.ks),
        "tokens": list(plan.budgets),
        "limit": plan.limit,
        "configurations": [one.name for one in plan.configurations],
        "sets": [found.to_dict() for found in work.measured],
        "results": [one.to_dict() for one in results(work.measured, plan.configurations)],
    }


def _short(sets: Mapping[str, Sequence[Conversation]], size: int, stored: bool) -> dict[str, list[Conversation]]:
    if stored:
        raise InvalidInput("short", "replays parts of a history; it goes with DIR, not with one's own database")
    return {name: [part for one in found for part in shortened(one, size)] for name, found in sets.items()}


def measure(
    plan: Plan, sets: Mapping[str, Sequence[Conversation]], rankings: Path | None, *, user: str | None = None
) -> Work:
    """Replays and asks everything, with progress bars; Ctrl-C says how to go on.

    Args:
        plan: how.
        sets: conversations by name.
        rankings: a file to write rankings to.
        user: the set is this user's history in the database; a copy is asked instead of a replay.

    Raises:
        Interrupted: by Ctrl-C.
    """
    work = Work(plan, [Measured(name) for name in sets], user=user)
    try:
        with ExitStack() as stack:
            if rankings is not None:
                work.rankings = stack.enter_context(rankings.open("w", encoding="utf-8"))
            bars = stack.enter_context(progress_bars())
            run(work.all(sets, bars))
    except KeyboardInterrupt as error:
        raise Interrupted(stopped(work.done, work.total, plan.cache)) from error
    return work


@dataclass
class Work:
    """The work over all sets, with what is done so far."""

    plan: Plan
    measured: list[Measured]
    rankings: IO[str] | None = None
    user: str | None = None
    model: str = ""
    counter: str = ""
    done: int = 0
    total: int = 0

    async def all(self, sets: Mapping[str, Sequence[Conversation]], bars: Progress) -> None:
        """Everything: a pass for each embedder that a configuration wants."""
        passes = list(_by_embedder(self.plan.configurations))
        self.total = len(passes) * sum(map(len, sets.values()))
        for name, configurations in passes:
            settings = self.plan.settings if name is None else replace(self.plan.settings, embedder=name)
            async with embedding(settings, self.plan.cache) as embedder:
                model = embedder.name if embedder else "none (full text alone)"
                self.model = f"{self.model}, {model}" if self.model else model
                for measured, conversations in zip(self.measured, sets.values(), strict=True):
                    task = bars.add_task(measured.name, total=sum(len(found.entries) for found in conversations))
                    one = _Pass(self, settings, embedder, configurations, measured)
                    for conversation in conversations:
                        await one.asked(conversation, partial(bars.advance, task))
                        self.done += 1
                    bars.update(task, completed=sum(len(found.entries) for found in conversations))

    def write(self, measured: Measured, question_id: str, name: str, ranking: Sequence[str]) -> None:
        """A line of the rankings file: searches only, not their yardsticks."""
        if self.rankings is not None:
            line = {"set": measured.name, "question_id": question_id, "configuration": name, "ranking": ranking}
            self.rankings.write(json.dumps(line, ensure_ascii=False) + "\n")
            self.rankings.flush()


@dataclass
class _Pass:
    """One set in the configurations that share an embedder."""

    work: Work
    settings: Settings
    embedder: Embedder | None
    configurations: Sequence[Configuration]
    measured: Measured

    async def asked(self, conversation: Conversation, stored: Callable[[int], None]) -> None:
        """Asks the questions of a conversation at their moments: in a replay, or in a copy of the user's database."""
        plan, user = self.work.plan, self.work.user
        questions = QuestionsOnce(self.embedder, timed=TIMED) if self.embedder else None
        usable = [one for one in self.configurations if questions or one.how != "dense"]
        if len(usable) < len(self.configurations) and plan.compared:
            raise InvalidInput(
                "compare", "dense needs an embedder, and there is none; `jiyi doctor` says how to get one"
            )
        replies: dict[int, Reply] = {}
        async with asked_memory(self.settings, questions, user) as memory:
            self.work.counter = memory.counter.name
            asker = Asker(memory, user or USER, usable, questions, limit=plan.limit, budgets=plan.budgets)

            def more(count: int) -> None:
                asker.more()
                stored(count)

            async with aclosing(reached(memory, conversation, user, more)) as indices:
                async for index in indices:
                    replies[index] = await asker.ask(conversation.questions[index])
        self.scored(conversation, usable, [replies[index] for index in range(len(conversation.questions))])

    def scored(self, conversation: Conversation, usable: Sequence[Configuration], replies: Sequence[Reply]) -> None:
        """Only here are labels looked at."""
        plan, measured = self.work.plan, self.measured
        first = plan.configurations[0] in usable  # other passes have the same questions
        session_of, names = conversation.session_of, conversation.names
        for question, reply, label in zip(conversation.questions, replies, conversation.labels, strict=True):
            if first:
                measured.questions += 1
                measured.texts[label.question_id] = question.text
                measured.left_out += not label.evidence
                measured.history.append(reply.history)
                measured.embedding += [] if reply.embedding is None else [reply.embedding]
            for one, ordered in zip(usable, reply.ordered, strict=True):
                rows = score(label, ordered.ranking, session_of, plan.ks, ordered.inside)
                if one.how == "full history":  # has no order
                    rows = [only(row, "inside") for row in rows]
                measured.rows.setdefault(one.name, []).extend(rows)
                if ordered.seconds is not None:
                    measured.seconds.setdefault(one.name, []).append(ordered.seconds)
                    ranking = [names.get(name, name) for name in ordered.ranking]
                    self.work.write(measured, label.question_id, one.name, ranking)
        if first:
            measured.conversations += 1
            measured.messages += len(conversation.entries)


def _by_embedder(configurations: Sequence[Configuration]) -> Iterator[tuple[str | None, list[Configuration]]]:
    names = dict.fromkeys(one.embedder for one in configurations)
    return ((name, [one for one in configurations if one.embedder == name]) for name in names)
