"""``--html`` of the evaluations, and ``eval report``: results as one page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from jiyi.cli.app import State, shared
from jiyi.cli.output import say, when, write_json
from jiyi.clock import SystemClock
from jiyi.errors import InvalidInput, NotFound
from jiyi.eval.page import render, require, sections

F = TypeVar("F", bound=Callable[..., Any])


def _page(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
    """Refuses before the work begins what would fail after it."""
    if value is None:
        return None
    require()
    if value.is_dir() or not value.absolute().parent.is_dir():
        raise InvalidInput("html", f"{value} must be a file to write in a directory that exists")
    if param.name and not param.expose_value:
        ctx.ensure_object(State).html = value
    return value


def html_option(command: F) -> F:
    """Adds ``--html`` to an evaluation that ends with ``delivered``."""
    option = click.option(
        "--html", type=click.Path(path_type=Path), metavar="FILE", expose_value=False, callback=_page,
        help="Also write a page with tables and plots.",
    )  # fmt: skip
    return option(command)


def delivered(state: State, value: object) -> bool:
    """Writes what was asked for besides the table: the page, and JSON; True when there shall be no table."""
    if state.html is not None:
        _write(state.html, [("", value)])
        if not state.json:
            say(f"{state.html.absolute()} is written")
    if state.json:
        write_json(value)
    return state.json


@click.command()
@click.argument("results", metavar="RESULT...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="FILE", required=True, callback=_page, help="The page to write."
)
@click.option("--title", metavar="TEXT", default="Memory, measured", show_default=True, help="The page's title.")
@shared
@click.pass_obj
def report(state: State, results: tuple[Path, ...], html: Path, title: str) -> None:  # fmt: skip
    """Make one page of saved results.

    RESULT is a file with what an evaluation wrote with --json.
    """
    values = [(path.name if len(results) > 1 else "", _read(path)) for path in results]
    _write(html, values, title)
    if state.json:
        write_json({"html": str(html.absolute())})
    else:
        say(f"{html.absolute()} is written")


def _read(path: Path) -> object:
    if not path.is_file():
        raise NotFound(f"there is no {path.absolute()}; save a result first: jiyi eval recall DIR --json > {path.name}")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # of JSON, and of UTF-8
        raise InvalidInput(str(path), f"is no JSON: {error}") from error


def _write(path: Path, values: list[tuple[str, object]], title: str = "Memory, measured") -> None:
    shown = [section for origin, value in values for section in sections(value, origin)]
    page = render(shown, title=title, made=f"Made on {when(SystemClock().now())}")
    path.write_text(page, encoding="utf-8", errors="backslashreplace")
