"""``eval floor``: what the relevance floor keeps out, and what it costs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from jiyi.cli.app import Interrupted, State, run, shared
from jiyi.cli.evaluate import embedding, empty_memory, set_names, spoken, stopped
from jiyi.cli.output import console, interval, progress_bars, say
from jiyi.cli.reporting import delivered, html_option
from jiyi.cli.tabling import print_table
from jiyi.config import Settings
from jiyi.errors import InvalidInput
from jiyi.eval import Conversation, Replay, read_dataset
from jiyi.eval.floor import DEEP, DEPTH, FLOORS, Own, Point, Stranger, curve, judged, sample, strangers
from jiyi.eval.recall import USER
from jiyi.eval.statistics import rounded
from jiyi.prompts import LANGUAGES
from jiyi.types import Hit
from jiyi.weights import weights_of

if TYPE_CHECKING:
    from jiyi.engine import AsyncMemory
    from jiyi.ports import Embedder

Sets = Mapping[str, Sequence[Conversation]]
ALL = "all"
"""Instead of a directory: the questions of all of them together."""


@dataclass
class Asked:
    """What the questions to the conversations of one directory brought."""

    own: list[Own] = field(default_factory=list[Own])
    foreign: list[float] = field(default_factory=list[float])


Curve: TypeAlias = tuple[str, str, Asked, list[Point]]
"""Language, directory or ``ALL``, questions, and what each floor does."""


@click.command()
@click.argument("directories", metavar="DIR...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--questions",
    default=600,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="Questions about others, for each language.",
)
@click.option("--own", type=click.IntRange(1), metavar="N", help="A conversation's own questions.  Default: all.")
@click.option("--seed", default=7, show_default=True, metavar="N", help="Of what is chosen by chance.")
@click.option("--dump", type=click.Path(path_type=Path), help="Write a line for each question, with its best ten hits.")
@click.option("--markdown", is_flag=True, help="Print the tables as Markdown.")
@click.option("--cache", type=click.Path(path_type=Path), help="Keep vectors here: a stopped or second run is quick.")
@html_option
@shared
@click.pass_obj
def floor(  # noqa: PLR0913
    state: State, directories: tuple[Path, ...], questions: int, own: int | None, seed: int, dump: Path | None,
    markdown: bool, cache: Path | None,
) -> None:  # fmt: skip
    """Ask each conversation its own questions and those about others, and draw the curve of the relevance floor.

    DIR has conversations.jsonl and questions.jsonl.  The questions about others come from the other directories of the
    same language; a good floor lets them bring nothing, and keeps the evidence of a conversation's own.
    """
    settings = state.settings()
    usual = weights_of(settings.ranking).floor
    work = _Work(own, seed)
    sets = dict(zip(set_names(directories), map(read_dataset, directories), strict=True))
    for language in LANGUAGES:
        here = {name: [one for one in found if spoken(one) == language] for name, found in sets.items()}
        here = {name: found for name, found in here.items() if found}
        if not here:
            continue
        work.plan(language, here, questions)
        if len(here) == 1 and not state.json:
            say(f"note: only one directory in {language!r}: others of the same set ask, and may happen to be answered")
    try:
        run(work.all(settings, cache))
    except KeyboardInterrupt as error:
        raise Interrupted(work.stopped(cache)) from error
    if dump is not None:
        dump.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in work.lines), encoding="utf-8")
    curves = work.curves(usual)
    if delivered(state, {"default": usual, "seed": seed, "curves": [_row(*found) for found in curves]}):
        return
    for language in LANGUAGES:
        if here := [found for found in curves if found[0] == language]:
            _show(here, usual, markdown=markdown)


class _Work:
    """The questions to ask, and what was found so far."""

    def __init__(self, own: int | None, seed: int) -> None:
        self.lines: list[dict[str, object]] = []
        self._own = own
        self._seed = seed
        self._sets: dict[str, Sets] = {}
        self._strangers: dict[tuple[str, str, str], list[Stranger]] = {}
        self._asked: dict[tuple[str, str], Asked] = {}
        self._done = 0

    def plan(self, language: str, sets: Sets, questions: int) -> None:
        """Chooses the questions of one language."""
        chosen = strangers(sets, questions, seed=self._seed)
        if not any(chosen.values()):
            raise InvalidInput(
                "DIR", f"has a single conversation in {language!r}; nobody else's questions can be asked"
            )
        self._sets[language] = sets
        self._strangers |= {(language, *place): found for place, found in chosen.items()}

    async def all(self, settings: Settings, cache: Path | None) -> None:
        """Asks everything, with one embedder."""
        everything = [one for sets in self._sets.values() for found in sets.values() for one in found]
        with progress_bars() as bars:
            task = bars.add_task("messages", total=sum(len(one.entries) for one in everything))
            async with embedding(settings, cache) as embedder:
                for language, sets in self._sets.items():
                    for name, found in sets.items():
                        asked = self._asked.setdefault((language, name), Asked())
                        for conversation in found:
                            chosen = sample(conversation, self._own, seed=self._seed)
                            foreign = self._strangers[language, name, conversation.id]
                            work = _Memory(settings, embedder, name, partial(bars.advance, task))
                            await work.ask(chosen, foreign, asked)
                            self.lines += work.lines
                            self._done += 1

    def stopped(self, cache: Path | None) -> str:
        """What is said when somebody stops it."""
        total = sum(len(found) for sets in self._sets.values() for found in sets.values())
        return stopped(self._done, total, cache)

    def curves(self, usual: float) -> list[Curve]:
        """Those of a language together first; the floor in use is on all of them."""
        floors = sorted({*FLOORS, usual})
        found: list[Curve] = []
        for language in self._sets:
            parts = {name: asked for (spoken_, name), asked in self._asked.items() if spoken_ == language}
            whole = Asked([one for part in parts.values() for one in part.own],
                          [one for part in parts.values() for one in part.foreign])  # fmt: skip
            groups = {ALL: whole, **parts} if len(parts) > 1 else parts
            found += [
                (language, name, asked, curve(asked.own, asked.foreign, floors)) for name, asked in groups.items()
            ]
        return found


class _Memory:
    """One conversation in a memory, asked everything."""

    def __init__(self, settings: Settings, embedder: Embedder | None, name: str, stored: Any) -> None:
        self.lines: list[dict[str, object]] = []
        self._settings = settings
        self._embedder = embedder
        self._name = name
        self._stored = stored

    async def ask(self, conversation: Conversation, foreign: Sequence[Stranger], asked: Asked) -> None:
        """Its own questions at their moments, those about others when everything is stored."""
        session_of = conversation.session_of
        async with empty_memory(self._settings, self._embedder) as memory:
            replay = Replay(memory, stored=self._stored)
            async with aclosing(replay.moments(conversation)) as moments:
                async for index in moments:
                    label, text = conversation.labels[index], conversation.questions[index].text
                    if not label.evidence or not label.answerable:
                        continue
                    hits = await _search(memory, text)
                    asked.own.append(judged(hits, label, session_of))
                    self._line(conversation, self._name, text, hits, {*label.evidence})
            await replay.finish(conversation)
            for stranger in foreign:
                hits = await _search(memory, stranger.question.text)
                asked.foreign.append(max((hit.relevance for hit in hits), default=0.0))
                self._line(conversation, stranger.source, stranger.question.text, hits, None)

    def _line(
        self, conversation: Conversation, source: str, text: str, hits: Sequence[Hit], evidence: set[str] | None
    ) -> None:
        """What ``--dump`` writes of one question; without evidence it is one about others."""
        self.lines.append(
            {
                "set": self._name,
                "conversation_id": conversation.id,
                "about": "others" if evidence is None else "own",
                "source": source,
                "question": text,
                "hits": [
                    {
                        "message_id": conversation.names.get(hit.message.id, hit.message.id),
                        "text": hit.message.text,
                        "relevance": round(hit.relevance, 4),
                        "evidence": bool(evidence and evidence & {hit.message.id, hit.message.session_id}),
                        "parts": {name: round(part, 3) for name, part in hit.parts.items()},
                    }
                    for hit in hits[:DEPTH]
                ],
            }
        )


async def _search(memory: AsyncMemory, text: str) -> Sequence[Hit]:
    return await memory.search(text, user_id=USER, k=DEEP, floor=0)


def _row(language: str, name: str, asked: Asked, points: Sequence[Point]) -> dict[str, object]:
    return {
        "language": language,
        "set": name,
        "own": len(asked.own),
        "foreign": len(asked.foreign),
        "points": [
            {
                "floor": point.floor,
                "nothing_brought": rounded(point.quiet),
                "recall@10": round(point.recall, 4),
                "lost": rounded(point.lost),
                "own_nothing_brought": rounded(point.empty),
            }
            for point in points
        ],
    }


def _show(found: Sequence[Curve], usual: float, *, markdown: bool) -> None:
    """The whole curve of all sets together, and of each set what the floor in use does."""
    whole, *parts = found
    language, name, asked, points = whole
    console().print(
        f"\n{language}, {name}: {len(asked.foreign)} questions about others, {len(asked.own)} own; 95 % intervals"
    )
    heads = ["others: nothing brought", "own: recall@10", "lost", "nothing brought"]
    rows = [[f"{point.floor:.2f}" + (" (in use)" if point.floor == usual else ""), *_cells(point)] for point in points]
    print_table(["floor", *heads], rows, markdown=markdown)
    if parts:
        console().print(f"\n{language}, each set at {usual:.2f}")
        rows = [
            [name, str(len(asked.foreign)), str(len(asked.own)), *_cells(point)]
            for _, name, asked, points in parts
            for point in points
            if point.floor == usual
        ]
        print_table(["set", "others", "own", *heads], rows, markdown=markdown)


def _cells(point: Point) -> list[str]:
    return [interval(point.quiet), f"{point.recall:.3f}", interval(point.lost), interval(point.empty)]
