"""``reindex``, ``backup``, ``restore``, ``stats``."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path

import click

from jiyi.cli.app import Interrupted, State, database, opened, run, shared
from jiyi.cli.indexing import pending, with_bars
from jiyi.cli.output import console, say, show_pairs, write_json
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput, NotFound
from jiyi.opening import file_of
from jiyi.types import Progress


@click.command()
@shared
@click.pass_obj
def reindex(state: State) -> None:
    """Bring both indexes up to date, with the present embedder.  Can be stopped and goes on where it was."""
    began = time.monotonic()

    async def work() -> tuple[list[Progress], list[str]]:
        async with opened(state) as memory:
            last = await with_bars(memory.reindex)
            return last or await memory.progress(), list(await memory.store.models())

    try:
        steps, models = run(work())
    except KeyboardInterrupt as error:
        raise Interrupted("stopped; what is indexed is kept, and `jiyi reindex` goes on from there") from error
    seconds = time.monotonic() - began
    failed = [message for step in steps for message in step.errors]
    if state.json:
        write_json({"steps": steps_json(steps), "models": models, "seconds": round(seconds, 2)})
        return
    for step in steps:
        console().print(f"{step.step.name}: {step.done:,} of {step.total:,} messages")
    console().print(f"done in {seconds:.1f} s" if not failed else "some messages could not be indexed")
    for message in failed[:5]:
        say(f"note: {message}")


def steps_json(steps: list[Progress]) -> list[dict[str, object]]:
    """Progress as JSON."""
    return [
        {"step": step.step.name, "done": step.done, "total": step.total, "errors": list(step.errors)} for step in steps
    ]


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@shared
@click.pass_obj
def backup(state: State, target: Path) -> None:
    """Write a consistent copy of the database to TARGET, while it is in use."""
    if not target.absolute().parent.is_dir():
        raise NotFound(f"there is no directory {target.absolute().parent}; make it first")
    if target.is_dir():
        raise InvalidInput("target", f"{target} is a directory; name a file in it")

    async def work() -> None:
        async with opened(state, embedder=None) as memory:
            await memory.backup(target)

    run(work())
    size = target.stat().st_size
    if state.json:
        write_json({"backup": str(target.absolute()), "bytes": size})
    else:
        console().print(f"backup of {database(state.settings())} in {target.absolute()} ({size:,} bytes)")


@click.command()
@click.argument("backup_file", metavar="BACKUP", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Replace a database that exists.")
@shared
@click.pass_obj
def restore(state: State, backup_file: Path, yes: bool) -> None:
    """Put BACKUP in the place of the database (--db), which nobody may have open."""
    settings = state.settings()
    if not backup_file.is_file():
        raise NotFound(f"there is no backup {backup_file.absolute()}")
    path = file_of(settings.db)
    if path is not None and path.exists() and not yes:
        raise InvalidInput("yes", f"{path.absolute()} exists and would be replaced; confirm it with --yes")
    run(AsyncMemory.restore(backup_file, settings.db))
    if state.json:
        write_json({"db": database(settings), "restored": str(backup_file.absolute())})
    else:
        console().print(f"restored {database(settings)} from {backup_file}")


@click.command()
@click.option("--user", metavar="ID", help="Only this user.")
@shared
@click.pass_obj
def stats(state: State, user: str | None) -> None:
    """Show counts, sizes, what waits to be indexed, and the models in use."""

    async def work() -> dict[str, object]:
        async with opened(state) as memory:
            counts = await memory.stats(user)
            steps = await memory.progress()
            scope = None if user is None else memory.scope(user)
            models = await memory.store.models(scope)
            return {
                "db": database(memory.settings),
                **asdict(counts),
                "pending": pending(steps),
                "steps": steps_json(steps),
                "models": {name: {"dimensions": size, "vectors": count} for name, (size, count) in models.items()},
                "tokenizer": memory.counter.name,
                "warnings": list(memory.warnings),
            }

    found = run(work())
    if state.json:
        write_json(found)
        return
    models = found.pop("models")
    del found["steps"], found["warnings"]
    found["vectors of"] = ", ".join(models) if isinstance(models, dict) and models else "no model"  # pyright: ignore
    show_pairs((name, f"{value:,}" if isinstance(value, int) else str(value)) for name, value in found.items())
