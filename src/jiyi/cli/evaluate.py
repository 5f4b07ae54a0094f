"""``eval recall``: how well search finds marked evidence, on whole data directories."""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jiyi.cli.app import Interrupted, State, run, shared
from jiyi.cli.output import console, progress_bars, say, show_table, write_json
from jiyi.config import Settings
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput
from jiyi.eval import Asked, Conversation, KeptVectors, Replay, Row, read_dataset, score, summary
from jiyi.eval.scores import LEVELS, percentile
from jiyi.opening import close_embedder, open_embedder
from jiyi.text import language

if TYPE_CHECKING:
    from rich.progress import Progress

    from jiyi.ports import Embedder


@click.group("eval")
def evaluate() -> None:
    """Measure the memory on conversations with known answers."""


@dataclass
class Result:
    """What was measured on one directory."""

    directory: str
    rows: list[Row] = field(default_factory=list[Row])
    seconds: list[float] = field(default_factory=list[float])
    left_out: int = 0

    def to_dict(self) -> dict[str, object]:
        """Everything as JSON."""
        return {
            "directory": self.directory,
            "questions": len(self.seconds),
            "without_evidence": self.left_out,
            "search_ms": {"p50": round(percentile(self.seconds, 0.5) * 1000, 2),
                          "p95": round(percentile(self.seconds, 0.95) * 1000, 2)},
            "levels": {level: rows for level in LEVELS if (rows := summary(self.rows, level))},
        }  # fmt: skip


@evaluate.command()
@click.argument("directories", metavar="DIR...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--rankings", type=click.Path(path_type=Path), help="Write a line for each question, with its ranking.")
@click.option("--k", "ks", default="5,10,20", show_default=True, metavar="N,N", help="Where rankings are cut.")
@click.option("--limit", type=click.IntRange(1), default=200, show_default=True, help="How deep rankings go.")
@click.option("--cache", type=click.Path(path_type=Path), help="Keep vectors here: a stopped or second run is quick.")
@shared
@click.pass_obj
def recall(state: State, directories: tuple[Path, ...], rankings: Path | None, ks: str, limit: int,
           cache: Path | None) -> None:  # fmt: skip
    """Replay conversations, ask their questions, and see whether the evidence comes back.

    DIR has conversations.jsonl and questions.jsonl.  Each conversation gets a memory of its own; a question with a
    before_message_id is asked when only what came before is stored.
    """
    cuts = numbers("k", ks)
    sets = [(directory, read_dataset(directory)) for directory in directories]
    run_ = _Run(state.settings(), cuts, limit)
    try:
        with ExitStack() as stack:
            if rankings is not None:
                run_.rankings = stack.enter_context(rankings.open("w", encoding="utf-8"))
            bars = stack.enter_context(progress_bars())
            run(run_.all(sets, bars, cache))
    except KeyboardInterrupt as error:
        raise Interrupted(_stopped(run_, cache)) from error
    model = run_.embedder.name if run_.embedder else "none (full text alone)"
    if state.json:
        write_json({"embedder": model, "sets": [result.to_dict() for result in run_.results]})
        return
    console().print(f"embedder: {model}")
    for result in run_.results:
        _show(result)


class _Run:
    """The work over all directories, with what is done so far."""

    def __init__(self, settings: Settings, ks: list[int], limit: int) -> None:
        self.settings = settings
        self.results: list[Result] = []
        self.conversations = 0
        self.total = 0
        self.embedder: Embedder | None = None
        self.rankings: Any = None
        self._ks = ks
        self._limit = limit

    async def all(self, sets: list[tuple[Path, list[Conversation]]], bars: Progress, cache: Path | None) -> None:
        async with embedding(self.settings, cache) as self.embedder:
            await self._sets(sets, bars)

    async def _sets(self, sets: list[tuple[Path, list[Conversation]]], bars: Progress) -> None:
        self.total = sum(len(found) for _, found in sets)
        for directory, conversations in sets:
            result = Result(str(directory))
            self.results.append(result)
            task = bars.add_task(directory.name, total=sum(len(found.entries) for found in conversations))
            for conversation in conversations:
                await self._one(conversation, result, partial(bars.advance, task))
                self.conversations += 1
            bars.update(task, completed=sum(len(found.entries) for found in conversations))

    async def _one(self, conversation: Conversation, result: Result, stored: Any) -> None:
        async with empty_memory(self.settings, self.embedder) as memory:
            answers = await Replay(memory, limit=self._limit, stored=stored).run(conversation)
        session_of = conversation.session_of
        for answer, label in zip(answers, conversation.labels, strict=True):
            rows = score(label, answer.ranking, session_of, self._ks)
            result.rows += rows
            result.left_out += not rows
            result.seconds.append(answer.seconds)
            self._write(label.question_id, answer)

    def _write(self, question_id: str, answer: Asked) -> None:
        if self.rankings is not None:
            line = {"question_id": question_id, "ranking": answer.ranking}
            self.rankings.write(json.dumps(line, ensure_ascii=False) + "\n")
            self.rankings.flush()


def numbers(field: str, text: str) -> list[int]:
    """Whole numbers with commas between them, ascending, each once.

    Raises:
        InvalidInput: names the field.
    """
    try:
        found = sorted({int(part) for part in text.split(",")})
    except ValueError as error:
        raise InvalidInput(field, f"must be numbers with commas, such as 5,10,20, not {text!r}") from error
    if not found or found[0] < 1:
        raise InvalidInput(field, "must be 1 or more")
    return found


def spoken(conversation: Conversation) -> str:
    """The language of a conversation, by its beginning."""
    return language(" ".join(str(entry.fields.get("content") or "") for entry in conversation.entries[:40]))


@asynccontextmanager
async def embedding(settings: Settings, cache: Path | None) -> AsyncGenerator[Embedder | None, None]:
    """The embedder of the settings; with a cache, passages are embedded once."""
    opened = open_embedder(settings.embedder, settings)
    try:
        if cache is None or opened is None:
            yield opened
            return
        if not opened.size:  # only the model's server knows it
            await opened.embed_query("?")
        with closing(KeptVectors(opened, cache)) as kept:
            yield kept
    finally:
        await close_embedder(opened)


@asynccontextmanager
async def empty_memory(settings: Settings, embedder: Embedder | None) -> AsyncGenerator[AsyncMemory, None]:
    """A memory to replay one conversation into; nothing runs in its background, and it is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="jiyi-eval-") as folder:
        async with await AsyncMemory.open(Path(folder) / "eval.db", settings=settings, embedder=embedder) as memory:
            await memory.worker.stop()
            yield memory


def _stopped(work: _Run, cache: Path | None) -> str:
    done = f"stopped; {work.conversations} of {work.total} conversations are done"
    if cache is not None:
        return f"{done}. Run the same command again: vectors made so far are in {cache} and need not be made again"
    return f"{done}. With --cache DIR a second run need not make the same vectors again"


def _show(result: Result) -> None:
    value = result.to_dict()
    levels: Any = value["levels"]
    for level, rows in levels.items():
        console().print(f"\n{result.directory}, {level} level")
        names = list(rows[0])
        cells = [
            [f"{row[name]:.3f}" if isinstance(row[name], float) else str(row[name]) for name in names] for row in rows
        ]
        heads = [name.replace("@", "\n@") for name in names]
        show_table(heads, cells, right=heads[1:], whole=heads[:1])
    times: Any = value["search_ms"]
    console().print(f"search: p50 {times['p50']} ms, p95 {times['p95']} ms over {value['questions']} questions")
    if result.left_out:
        say(f"{result.directory}: {result.left_out} questions without evidence are not scored")
