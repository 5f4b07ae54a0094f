"""What all commands share: global options, opening the database, errors and exit codes."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
import traceback
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast

import click

from jiyi import __version__
from jiyi.cli.output import encodable, say, write_json
from jiyi.config import Settings, load_settings
from jiyi.engine import AsyncMemory
from jiyi.errors import (
    BudgetTooSmall,
    Conflict,
    ImportFailed,
    InvalidInput,
    MissingDependency,
    ModelError,
    NotFound,
    StoreError,
    VectorsError,
)
from jiyi.opening import file_of
from jiyi.options import Options

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

OK, UNEXPECTED, USAGE, MISSING, DATABASE, DEPENDENCY, MODEL, REFUSED, INTERRUPTED = 0, 1, 2, 3, 4, 5, 6, 7, 130

EXIT_CODES = """\b
Exit codes:
  0    done
  1    something unexpected
  2    wrong usage or invalid input
  3    not found: a database, session or message that does not exist
  4    the database is busy, damaged, too new, or the disk is full; or the index of vectors is down
  5    an optional package is missing
  6    a model's server is down, refuses, or gave no usable answer
  7    what was measured speaks against it: eval fit
  130  interrupted
"""


class Interrupted(Exception):
    """Ctrl-C in the middle of a work that can be gone on with; the message says how."""


class _SeenEnough(Exception):
    """The reader of our output, for example `head`, has closed it."""


@dataclass
class State:
    """The global options as they were given, before or after the command."""

    db: str | None = None
    tenant: str | None = None
    agent: str | None = None
    embedder: str | None = None
    vectors: str | None = None
    json: bool = False
    html: Path | None = None
    traceback: bool = False

    def settings(self) -> Settings:
        """The settings in force: those of environment and files, and over them the options given."""
        settings = load_settings()
        names = ("db", "tenant", "agent", "embedder", "vectors")
        given = {name: value for name in names if (value := getattr(self, name)) is not None}
        return replace(settings, **given)


def _keep(ctx: click.Context, param: click.Parameter, value: object) -> None:
    state = ctx.ensure_object(State)
    if value is not None and value is not False and param.name:
        setattr(state, param.name, value)


def _option(*names: str, **attributes: Any) -> Callable[[F], F]:
    return click.option(*names, expose_value=False, callback=_keep, is_eager=True, **attributes)


def shared(command: F) -> F:
    """Adds the options that may stand before or after every command."""
    for option in (
        _option("--traceback", is_flag=True, help="Show where an unexpected error came from."),
        _option("--json", "json", is_flag=True, help="Write JSON to standard output and nothing else."),
        _option(
            "--vectors", metavar="NAME", help="Where vectors of messages lie: none, chroma:DIR…  [env JIYI_VECTORS]"
        ),
        _option(
            "--embedder", metavar="NAME", help="auto, none, local, PROVIDER:MODEL, or a plugin.  [env JIYI_EMBEDDER]"
        ),
        _option("--agent", metavar="NAME", help="Scope beside the user.  [env JIYI_AGENT]"),
        _option("--tenant", metavar="NAME", help="Scope above the user.  [env JIYI_TENANT]"),
        _option("--db", metavar="PATH", help="The database.  [env JIYI_DB; default ./jiyi.db]"),
    ):
        command = option(command)
    return command


class App(click.Group):
    """The ``jiyi`` command.  Turns every error into a message and an exit code."""

    def __init__(self, commands: Sequence[click.Command]) -> None:
        super().__init__(
            name="jiyi",
            help="Jiyi (记忆): long-term memory for chatbots and agents.\n\n"
            "Start with `jiyi demo`, or with `jiyi import FILE` and `jiyi search`.",
            epilog=EXIT_CODES,
            context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "obj": None},
            params=shared(
                click.version_option(__version__, "--version", prog_name="jiyi")(click.Command("jiyi"))
            ).params,
        )
        for command in commands:
            self.add_command(command)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order given, which is that of a day's work, not of the alphabet."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> object:
        """Runs the command; keeps a broken pipe from click, which would take it for a failure."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _SeenEnough from error

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> NoReturn:  # type: ignore[override]
        """Runs one command line and exits."""
        given = list(sys.argv[1:] if args is None else args)
        options = given[: given.index("--")] if "--" in given else given
        report = _Reporter("--json" in options, "--traceback" in options)
        for stream in (sys.stdout, sys.stderr):
            encodable(stream)
        _quiet_logging(report.json)
        extra.pop("standalone_mode", None)
        extra.setdefault("prog_name", "jiyi")
        try:
            code = super().main(given, *rest, standalone_mode=False, **extra)
            sys.stdout.flush()
        except BaseException as error:
            code = report(error)
        sys.exit(code if isinstance(code, int) else OK)


class _Reporter:
    """Says what went wrong, and with which exit code the process ends."""

    def __init__(self, json: bool, traceback: bool) -> None:
        self.json = json
        self.traceback = traceback

    def __call__(self, error: BaseException) -> int:
        if isinstance(error, SystemExit):
            return error.code if isinstance(error.code, int) else UNEXPECTED
        if isinstance(error, click.exceptions.Exit):
            return error.exit_code
        if isinstance(error, (BrokenPipeError, _SeenEnough)):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return OK
        code = exit_code(error)
        with suppress(BrokenPipeError):
            self._say(error, code)
        return code

    def _say(self, error: BaseException, code: int) -> None:
        message = _message(error, code)
        if self.traceback and code == UNEXPECTED:
            say("".join(traceback.format_exception(error)).rstrip())
        if not self.json:
            if isinstance(error, click.UsageError) and error.ctx is not None:
                say(error.ctx.get_usage())
            say(f"jiyi: {message}")
            return
        kind = "UsageError" if isinstance(error, click.ClickException) else type(error).__name__
        param: click.Parameter | None = getattr(error, "param", None)
        field = error.field if isinstance(error, InvalidInput) else param.name if param else None
        value: dict[str, object] = {"type": kind, "field": field, "message": message}
        if isinstance(error, BudgetTooSmall):
            value |= {"needed": error.needed, "budget": error.budget}
        if isinstance(error, ImportFailed):
            value["problems"] = [{"line": line, "message": what} for line, what in error.problems]
        write_json({"error": value}, sys.stderr)


def exit_code(error: BaseException) -> int:
    """The table in the help text."""
    kinds: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], int], ...] = (
        ((KeyboardInterrupt, Interrupted, click.Abort, asyncio.CancelledError), INTERRUPTED),
        ((click.ClickException, InvalidInput, Conflict), USAGE),
        (NotFound, MISSING),
        (MissingDependency, DEPENDENCY),
        (ModelError, MODEL),
        ((StoreError, VectorsError), DATABASE),
        ((FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError, FileExistsError), USAGE),
    )
    if isinstance(error, OSError) and error.errno == 28:  # no space left on the device
        return DATABASE
    return next((code for kind, code in kinds if isinstance(error, kind)), UNEXPECTED)


def _message(error: BaseException, code: int) -> str:
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, Interrupted):
        return str(error)
    if code == INTERRUPTED:
        return "interrupted; what was stored is safe"
    if isinstance(error, OSError) and error.strerror and not isinstance(error, (StoreError, ModelError)):
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if code == UNEXPECTED:
        return (
            f"unexpected {type(error).__name__}: {error}. What was stored is safe. "
            "Run it again with --traceback and report what it shows"
        )
    return _CALL.sub(lambda found: f"`jiyi {_COMMANDS[found[1]]}`", str(error))


_COMMANDS = {
    "correct": "records edit", "delete": "records rm", "records": "records", "forget": "forget", "remember": "remember",
    **{name: f"records {name}" for name in ("confirm", "hide", "merge", "pin", "recover", "rename", "split")},
}  # fmt: skip
"""What the library calls so, and its messages name as a way out, by the command that does it."""
_CALL = re.compile(rf"\b({'|'.join(_COMMANDS)})\(\)")


class _Notes(logging.Handler):
    """The library's warnings as one line each, without traceback."""

    def emit(self, record: logging.LogRecord) -> None:
        say(f"note: {record.getMessage()}")


def _quiet_logging(json: bool) -> None:
    logger = logging.getLogger("jiyi")
    logger.handlers = [logging.NullHandler() if json else _Notes(logging.WARNING)]
    logger.propagate = False
    logging.getLogger("asyncio").setLevel(logging.CRITICAL + 1)


# -- running ------------------------------------------------------------------------------------------------------


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs a command's coroutine to its end; Ctrl-C cancels it, so that it can tidy up."""
    return asyncio.run(work)


def database(settings: Settings) -> str:
    """The database in use, as people should see it: a file with its whole path."""
    path = file_of(settings.db)
    return settings.db if path is None else str(path.absolute())


@asynccontextmanager
async def opened(
    state: State, *, create: bool = False, background: bool = False, **options: Any
) -> AsyncGenerator[AsyncMemory, None]:
    """Opens the memory of a command.  Usually nothing runs in its background: a command does its work before it ends.

    Args:
        state: the options given.
        create: make the database when it does not exist; else that is an error.
        background: derive while the command goes on.
        **options: for ``AsyncMemory.open``.

    Raises:
        NotFound: no such database.
    """
    settings = state.settings()
    path = file_of(settings.db)
    if path is not None and not path.exists():
        if not create:
            raise NotFound(
                f"there is no database {path.absolute()}; make one with `jiyi import` or `jiyi add`, "
                "or name another with --db or JIYI_DB"
            )
        if not path.absolute().parent.is_dir():
            raise NotFound(f"there is no directory {path.absolute().parent} to put the database in; make it first")
    given = cast("Options", {"settings": settings, **options})
    async with await AsyncMemory.open(settings.db, **given) as memory:
        if not background:
            await memory.worker.stop()
        if not state.json:
            for note in memory.warnings:
                say(f"note: {note}")
        yield memory
