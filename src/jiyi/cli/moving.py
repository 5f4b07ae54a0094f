"""``import`` and ``export``: histories from files and into files."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO, cast

import click

from jiyi import exporting, importing
from jiyi.cli.app import Interrupted, State, database, opened, run, shared
from jiyi.cli.indexing import derive, pending, with_bars
from jiyi.cli.loading import Loaded, Loading
from jiyi.cli.output import clean, console, progress_bars, say, show_pairs, write_json
from jiyi.cli.values import counted
from jiyi.errors import InvalidInput, NotFound
from jiyi.types import KINDS, Message

CONVERSATIONS = "conversations.jsonl"
LISTED = 20
_MEMORY_BYTES = 32 * 1024 * 1024


@click.command("import")
@click.argument("path", metavar="FILE|DIR|-")
@click.option("--format", "form", type=click.Choice(["auto", *importing.FORMATS]), default="auto", show_default=True)
@click.option("--user", metavar="ID", help="Whose everything is, whatever the file says.")
@click.option("--session", metavar="ID", help="Put everything into this session.")
@click.option("--timezone", default="UTC", show_default=True, metavar="ZONE", help="Of times that name none.")
@click.option("--skip-broken", is_flag=True, help="Leave out what cannot be read, and list it.")
@click.option("--no-index", is_flag=True, help="Only store; `jiyi reindex` indexes later.")
@shared
@click.pass_obj
def import_(state: State, path: str, form: str, skip_broken: bool, no_index: bool, **options: str | None) -> None:
    """Import a history: all of it, or nothing when a line is broken.

    \b
    data    a directory with conversations.jsonl, or such a file
    openai  chat messages as a JSON array, or chats with {"messages": [...]}; needs --user
    jsonl   a message a line, with user_id, session_id, id, created_at where known

    Importing the same file again adds nothing, so a stopped import is gone on with by the same command.
    """  # noqa: D301 - click's mark for lines that stay as they are
    zone = importing.zone(options["timezone"] or "UTC")
    source = importing.Source(importing.stem(path), options["user"], options["session"], zone)
    began = time.monotonic()
    loaded = Loaded()
    with _file(path) as stream:
        chosen = importing.detect(stream) if form == "auto" else cast("importing.Format", form)
        loading = Loading(stream, source, chosen, loaded)

        async def work() -> None:
            with progress_bars() as bars:
                await loading.check(bars)
                if loaded.problems and not skip_broken:
                    loading.refuse(path)
                async with opened(state, create=True, embedder=None) as memory:
                    await loading.store(memory, bars, skip_broken=skip_broken)
            if no_index or not loaded.stored:
                return
            async with opened(replace(state), create=True) as memory:
                steps = await with_bars(partial(derive, memory))
                loaded.waiting = pending(steps)

        try:
            run(work())
        except KeyboardInterrupt as error:
            raise Interrupted(_stopped(loaded)) from error
    _summary(state, loaded, chosen, time.monotonic() - began, no_index)


@contextmanager
def _file(path: str) -> Generator[BinaryIO, None, None]:
    """The file to read, from its start and more than once; standard input is kept aside."""
    if path == "-":
        with tempfile.SpooledTemporaryFile(_MEMORY_BYTES) as kept:
            while block := sys.stdin.buffer.read(1 << 20):
                kept.write(block)
            kept.seek(0)
            yield cast("BinaryIO", kept)
        return
    file = Path(path)
    if file.is_dir():
        if not (file / CONVERSATIONS).is_file():
            raise NotFound(f"{file} has no {CONVERSATIONS}; name a file, or a directory of the data format")
        file = file / CONVERSATIONS
    if not file.exists():
        raise NotFound(f"there is no file {file.absolute()}")
    with file.open("rb") as stream:
        yield stream


def _stopped(loaded: Loaded) -> str:
    if loaded.total == 0:
        return "stopped while the file was read; nothing was stored"
    if not loaded.complete:
        return (
            f"stopped; {loaded.done:,} of {loaded.total:,} messages are stored. "
            "Run the same command again: it goes on from there"
        )
    return f"stopped; all {loaded.total:,} messages are stored, but not all are indexed. `jiyi reindex` goes on"


def _summary(state: State, loaded: Loaded, form: str, seconds: float, no_index: bool) -> None:
    if state.json:
        value = asdict(loaded)
        value["redacted"] = dict(loaded.redacted)
        value["problems"] = [{"line": found.line, "message": found.what} for found in loaded.problems]
        write_json({**value, "format": form, "seconds": round(seconds, 2), "db": database(state.settings())})
        return
    show_pairs(
        [
            ("database", database(state.settings())),
            ("format", form),
            ("users", f"{loaded.users:,}"),
            ("sessions", f"{loaded.sessions:,}"),
            ("messages", f"{loaded.total:,}: {loaded.new:,} new, {loaded.total - loaded.new:,} known already"),
            *([("redacted", counted(loaded.redacted))] if loaded.redacted else []),
            ("time", f"{seconds:.1f} s"),
        ]
    )
    for found in loaded.problems[:LISTED]:
        say(f"left out: line {found.line}: {found.what}")
    if len(loaded.problems) > LISTED:
        say(f"left out: {len(loaded.problems) - LISTED} more (--json lists them all)")
    if no_index or loaded.waiting:
        console().print("not everything is indexed yet; `jiyi reindex` does it")


@click.command()
@click.argument("target", required=False, default="-", metavar="[FILE]")
@click.option("--user", metavar="ID", help="Only this user; everybody without.")
@click.option("--session", metavar="ID", help="Only this session (with --user).")
@click.option("--format", "form", type=click.Choice(list(importing.FORMATS)), default="jsonl", show_default=True,
              help="jsonl keeps everything; openai and data leave out statements and commands.")  # fmt: skip
@shared
@click.pass_obj
def export(state: State, target: str, user: str | None, session: str | None, form: str) -> None:
    """Write what is stored to FILE or standard output, in a format that `import` reads.

    Messages on branches that were left are not written.
    """
    if session is not None and user is None:
        raise InvalidInput("user", "give --user with --session")

    async def work() -> dict[str, list[Message]]:
        async with opened(state, embedder=None) as memory:
            names = await memory.users() if user is None else [user]
            filters = {"kinds": KINDS} if session is None else {"session_id": session}
            return {name: await memory.messages(user_id=name, **filters) for name in names}  # pyright: ignore

    found = {name: said for name, said in run(work()).items() if said}
    if user is not None and not found:
        raise NotFound(f"{user} has nothing stored here" + (f" in session {session}" if session else ""))
    if target == "-":
        _write(sys.stdout, found, form)
        return
    _write_file(Path(target), found, form, Path(database(state.settings())))
    count = sum(map(len, found.values()))
    if state.json:
        write_json({"file": str(Path(target).absolute()), "users": len(found), "messages": count, "format": form})
    else:
        console().print(clean(f"{count:,} messages of {len(found):,} users in {target}"))


def _write_file(target: Path, found: dict[str, list[Message]], form: str, db: Path) -> None:
    """Writes a whole file or none: beside the target first, then in its place."""
    if target.exists() and db.exists() and target.samefile(db):
        raise InvalidInput("file", f"{target} is the database itself; give another path")
    part = target.with_name(f".{target.name}.part")
    try:
        with part.open("w", encoding="utf-8") as stream:
            _write(stream, found, form)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _write(stream: IO[str], found: dict[str, list[Message]], form: str) -> None:
    def line(value: object) -> str:
        return json.dumps(value, ensure_ascii=False)

    if form == "openai":
        chats = [chat for said in found.values() for chat in exporting.as_chats(said)]
        stream.write("[\n" + ",\n".join(map(line, chats)) + "\n]\n")
    for user, said in found.items():
        if form == "jsonl":
            stream.writelines(line(exporting.as_line(user, message)) + "\n" for message in said)
        elif form == "data":
            stream.write(line(exporting.as_conversation(user, said)) + "\n")
    outside = sum(message.kind != "message" for said in found.values() for message in said)
    if form != "jsonl" and outside:
        say(f"note: {outside} statements and commands have no place in this format and were left out; jsonl keeps them")
