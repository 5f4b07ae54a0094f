"""``eval floor``: what the relevance floor keeps out, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from jiyi.cli.app import State, run, shared
from jiyi.cli.evaluate import embedding, empty_memory, spoken
from jiyi.cli.output import console, progress_bars, say, show_table
from jiyi.cli.reporting import delivered, html_option
from jiyi.config import Settings
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput
from jiyi.eval import Conversation, Question, Replay, read_dataset
from jiyi.eval.floor import DEPTH, Own, Point, curve, strangers
from jiyi.eval.recall import USER
from jiyi.prompts import LANGUAGES
from jiyi.ranking import DEFAULT

Sets = Mapping[str, Sequence[Conversation]]


@click.command()
@click.argument("directories", metavar="DIR...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--questions",
    default=300,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="Questions about others, for each language.",
)
@click.option("--cache", type=click.Path(path_type=Path), help="Keep vectors here: a stopped or second run is quick.")
@html_option
@shared
@click.pass_obj  # fmt: skip
def floor(state: State, directories: tuple[Path, ...], questions: int, cache: Path | None) -> None:
    """Ask each conversation its own questions and those about others, and draw the curve of the relevance floor.

    DIR has conversations.jsonl and questions.jsonl.  The questions about others come from the other directories of the
    same language; a good floor lets them bring nothing, and keeps the evidence of a conversation's own.
    """
    sets = {str(directory): read_dataset(directory) for directory in directories}
    curves: dict[str, list[Point]] = {}
    for language in LANGUAGES:
        here = {name: [one for one in found if spoken(one) == language] for name, found in sets.items()}
        here = {name: found for name, found in here.items() if found}
        if not here:
            continue
        asked = strangers(here, questions)
        if not any(asked.values()):
            raise InvalidInput(
                "DIR", f"has a single conversation in {language!r}; nobody else's questions can be asked"
            )
        if len(here) == 1 and not state.json:
            say(f"note: only one directory in {language!r}: others of the same set ask, and may happen to be answered")
        curves[language] = run(_curve(state.settings(), here, asked, cache))
    value = {"default": DEFAULT.floor, "curves": {name: list(map(_row, found)) for name, found in curves.items()}}
    if delivered(state, value):
        return
    for name, points in curves.items():
        _show(name, points)


async def _curve(
    settings: Settings, sets: Sets, asked: Mapping[tuple[str, str], Sequence[Question]], cache: Path | None
) -> list[Point]:
    own: list[Own] = []
    foreign: list[float] = []
    with progress_bars() as bars:
        task = bars.add_task("messages", total=sum(len(one.entries) for found in sets.values() for one in found))
        async with embedding(settings, cache) as embedder:
            for name, found in sets.items():
                for conversation in found:
                    async with empty_memory(settings, embedder) as memory:
                        own += await _own(memory, conversation, partial(bars.advance, task))
                        foreign += await _foreign(memory, asked[name, conversation.id])
    return curve(own, foreign)


async def _own(memory: AsyncMemory, conversation: Conversation, stored: Any) -> list[Own]:
    """Replays the conversation and asks its own questions at their moments."""
    replay = Replay(memory, limit=DEPTH, stored=stored)
    answers = await replay.run(conversation)
    await replay.finish(conversation)
    session_of = conversation.session_of
    found: list[Own] = []
    for answer, label in zip(answers, conversation.labels, strict=True):
        if not label.evidence or not label.answerable:
            continue
        names = [name if label.level == "message" else session_of[name] for name in answer.ranking]
        firsts = [at for at, name in enumerate(names) if name not in names[:at]]
        hits = tuple((answer.relevances[at], names[at] in label.evidence) for at in firsts)
        found.append(Own(hits, len(label.evidence)))
    return found


async def _foreign(memory: AsyncMemory, questions: Sequence[Question]) -> list[float]:
    best: list[float] = []
    for question in questions:
        hits = await memory.search(question.text, user_id=USER, k=DEPTH, floor=0)
        best.append(max((hit.relevance for hit in hits), default=0.0))
    return best


def _row(point: Point) -> dict[str, object]:
    return {
        "floor": point.floor,
        "nothing_brought": [round(value, 4) for value in point.quiet],
        "recall@10": round(point.recall, 4),
        "lost": round(point.lost, 4),
    }


def _show(language: str, points: Sequence[Point]) -> None:
    console().print(f"\n{language}: questions about others that bring nothing, and what the floor costs")
    rows: list[list[str]] = []
    for point in points:
        name = f"{point.floor:.2f}" + (" (default)" if abs(point.floor - DEFAULT.floor) < 1e-9 else "")
        value, low, high = point.quiet
        rows.append([name, f"{value:.3f} ({low:.3f}-{high:.3f})", f"{point.recall:.3f}", f"{point.lost:.3f}"])
    show_table(["floor", "nothing brought (95 %)", "recall@10", "lost"], rows, right=["recall@10", "lost"])
