"""``eval``: the group of evaluations, and what they share."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jiyi.cli.output import say
from jiyi.config import Settings
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput, MissingDependency
from jiyi.eval import Conversation, KeptVectors, Replay
from jiyi.eval.own import copied, moments
from jiyi.opening import close_embedder, open_embedder
from jiyi.plugins import names as plugins
from jiyi.recipes import RECIPES, Parts, compose
from jiyi.text import language

if TYPE_CHECKING:
    from jiyi.ports import Embedder


@click.group("eval")
def evaluate() -> None:
    """Measure the memory on conversations with known answers."""


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


def set_names(directories: Sequence[Path]) -> list[str]:
    """What a directory is called in tables: its last part, the whole path where that would name two."""
    last = [directory.resolve().name or str(directory) for directory in directories]
    named = [name if last.count(name) == 1 else str(path) for name, path in zip(last, directories, strict=True)]
    return [name if named.count(name) == 1 else f"{name} ({at + 1})" for at, name in enumerate(named)]


def own_history(
    directories: Sequence[Path], user: str | None, questions: Path | None
) -> tuple[str, Path] | None:  # fmt: skip
    """Whose history of the database is asked, and the file of questions; None for directories."""
    if user is None and questions is None:
        if not directories:
            raise click.UsageError("name directories with conversations, or --user and --questions for a database")
        return None
    if directories:
        raise click.UsageError("give either directories, or --user and --questions for a database")
    if user is None or questions is None:
        raise click.UsageError("--user and --questions belong together")
    return user, questions


def stopped(done: int, total: int, cache: Path | None, *, of: str = "conversations") -> str:
    """What Ctrl-C left, and how to go on."""
    found = f"stopped; {done} of {total} {of} are done"
    if cache is not None:
        return f"{found}. Run the same command again: vectors made so far are in {cache} and need not be made again"
    return f"{found}. With --cache DIR a second run need not make the same vectors again"


def usable(given: Sequence[str], own: Mapping[str, Parts]) -> list[str]:
    """The recipes asked for, those of one's own too; else all recipes and strategies that work here."""
    if given:
        for name in given:
            compose(name, own)
        return list(dict.fromkeys(given))
    found: list[str] = []
    for name in dict.fromkeys((*RECIPES, *own, *plugins("strategies"))):
        try:
            compose(name, own)
        except MissingDependency as error:
            say(f"note: {name} is left out: {error}")
        else:
            found.append(name)
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


@asynccontextmanager
async def asked_memory(
    settings: Settings, embedder: Embedder | None, user: str | None
) -> AsyncGenerator[AsyncMemory, None]:
    """An empty memory to replay a conversation into; for a user of the database an indexed copy of it."""
    if user is None:
        async with empty_memory(settings, embedder) as memory:
            yield memory
    else:
        async with copied(settings, embedder) as memory:
            await memory.reindex()  # what the original has not indexed yet, or with another embedder
            yield memory


def reached(
    memory: AsyncMemory, conversation: Conversation, user: str | None, more: Callable[[int], None]
) -> AsyncGenerator[int, None]:
    """The number of each question at its moment, in an ``asked_memory``; ``more`` is called when messages changed."""
    if user is None:
        return Replay(memory, stored=more).moments(conversation)
    return moments(memory, conversation, user, left=more)
