"""``reindex``, ``rebuild``, ``failures``, ``backup``, ``restore``, ``stats``."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import date
from pathlib import Path

import click

from jiyi.cli.app import Interrupted, State, database, opened, run, shared
from jiyi.cli.costs import costs_json, show_costs
from jiyi.cli.indexing import unindexed, with_bars
from jiyi.cli.output import clean, console, say, short, show_pairs, show_table, write_json
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput, NotFound
from jiyi.opening import file_of
from jiyi.types import Checked, Failure, Progress, Spent


@click.command()
@click.option("--check", is_flag=True, help="Then look whether they have all they should, and mend what they lack.")
@shared
@click.pass_obj
def reindex(state: State, check: bool) -> None:
    """Bring both indexes up to date, with the present embedder.  Can be stopped and goes on where it was."""
    began = time.monotonic()
    checked = Checked()

    async def work() -> tuple[list[Progress], list[str]]:
        nonlocal checked
        async with opened(state) as memory:
            last = await with_bars(memory.reindex)
            if check:

                async def checking(report: Callable[[list[Progress]], None]) -> None:
                    nonlocal checked
                    checked = await memory.check_indexes(progress=report)

                await with_bars(checking)
            return last or await memory.progress(), list(await memory.store.models())

    try:
        steps, models = run(work())
    except KeyboardInterrupt as error:
        raise Interrupted("stopped; what is indexed is kept, and `jiyi reindex` goes on from there") from error
    seconds = time.monotonic() - began
    failed = [message for step in steps for message in step.errors]
    if state.json:
        value = {"steps": steps_json(steps), "models": models, "seconds": round(seconds, 2)}
        write_json({**value, "checked": asdict(checked)} if check else value)
        return
    for step in steps:
        console().print(f"{step.step.name}: {step.done:,} of {step.total:,} messages")
    if check:
        mended = (
            f"{checked.terms:,} without terms, {checked.vectors:,} without vectors, {checked.leftovers:,} left over"
        )
        console().print(f"checked {checked.messages:,} messages: {mended}")
    console().print(f"done in {seconds:.1f} s" if not failed else "some messages could not be indexed")
    for message in failed[:5]:
        say(f"note: {message}")


@click.command()
@click.argument("steps", metavar="[STEP]...", nargs=-1)
@click.option("--user", metavar="ID", help="Only this user.")
@shared
@click.pass_obj
def rebuild(state: State, steps: tuple[str, ...], user: str | None) -> None:
    """Derive STEPs, or everything, anew from the log.  What was derived before serves until that is done."""

    async def work() -> list[Progress]:
        async with opened(state) as memory:

            async def again(report: Callable[[list[Progress]], None]) -> None:
                await memory.rebuild(list(steps) or None, user_id=user, progress=report)

            return await with_bars(again)

    try:
        done = run(work())
    except KeyboardInterrupt as error:
        raise Interrupted("stopped; what was derived before still serves, and the rest goes on later") from error
    if state.json:
        write_json({"steps": steps_json(done)})
        return
    for step in done:
        console().print(f"{step.step.name}: {step.done:,} of {step.total:,} messages")


@click.command()
@click.option("--user", metavar="ID", help="Only this user.")
@click.option("--retry", is_flag=True, help="Try them again, now.")
@shared
@click.pass_obj
def failures(state: State, user: str | None, retry: bool) -> None:
    """List messages that were passed over because they could not be derived, and why."""

    async def work() -> tuple[int, list[Failure]]:
        async with opened(state) as memory:
            tried = await memory.retry(user_id=user) if retry else 0
            if tried:
                await memory.drain()
            return tried, await memory.failures(user)

    tried, left = run(work())
    if state.json:
        write_json({"tried": tried, "failures": [failure_json(failure) for failure in left]})
        return
    if retry:
        console().print(f"{tried:,} tried again")
    if not left:
        console().print("nothing was passed over")
        return
    rows = [(f.scope.user, f.step, f.message_id, short(clean(f.reason), 60)) for f in left]
    show_table(["user", "step", "message", "reason"], rows)


def failure_json(failure: Failure) -> dict[str, object]:
    """A failure as JSON."""
    return {
        "user": failure.scope.user, "step": failure.step, "message": failure.message_id, "reason": failure.reason,
        "failed_at": failure.failed_at.isoformat(),
    }  # fmt: skip


def steps_json(steps: list[Progress]) -> list[dict[str, object]]:
    """Progress as JSON."""
    return [
        {
            "step": step.step.name,
            "done": step.done,
            "total": step.total,
            "errors": list(step.errors),
            "failed": step.failed,
            "limited": step.limited,
        }
        for step in steps  # fmt: skip
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
    """Show counts, sizes, what waits to be derived, and what models were used for."""

    async def work() -> tuple[dict[str, object], list[Progress], list[Spent], date]:
        async with opened(state) as memory:
            counts = await memory.stats(user)
            steps = await memory.progress()
            scope = None if user is None else memory.scope(user)
            models = await memory.store.models(scope)
            spent, today = await memory.spent(user), memory.spending.today()
            found: dict[str, object] = {
                "db": database(memory.settings),
                **asdict(counts),
                "pending": unindexed(steps),
                "limited": sum(step.limited for step in steps),
                "failed": len(await memory.failures(user)),
                "steps": steps_json(steps),
                "models": {name: {"dimensions": size, "vectors": count} for name, (size, count) in models.items()},
                "tokenizer": memory.counter.name,
                "warnings": list(memory.warnings),
                "daily_tokens": memory.spending.limit,
            }
            return found, steps, spent, today

    found, steps, spent, today = run(work())
    if state.json:
        write_json({**found, "spent": costs_json(spent, today)})
        return
    models = found.pop("models")
    del found["steps"], found["warnings"]
    found["vectors of"] = ", ".join(models) if isinstance(models, dict) and models else "no model"  # pyright: ignore
    show_pairs((name, f"{value:,}" if isinstance(value, int) else str(value)) for name, value in found.items())
    for step in steps:
        if step.errors:
            why = short(clean("; ".join(step.errors)), 200)
            say(f"note: {step.step.name} waits, {step.done:,} of {step.total:,} messages are done: {why}")
    show_costs(spent, today)
