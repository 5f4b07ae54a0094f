"""What people and programs get to see: tables, token bars, JSON, progress bars."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import IO, TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

SHOWN = 240
"""Characters of a message that a table shows."""

PIPED_WIDTH = 120
"""Columns of a table that goes to a file or another program, unless COLUMNS says otherwise."""

COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red")
FILLS = ("█", "▓", "▒", "▚", "▞", "▤")
PLAIN_FILLS = ("#", "=", "+", "%", "@", "*")

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def encodable(stream: IO[str]) -> None:
    """Makes a stream write what its encoding lacks as an escape, instead of failing."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def unicode_fits(stream: IO[str]) -> bool:
    """Whether the stream takes every character."""
    return (getattr(stream, "encoding", None) or "").lower().replace("-", "").startswith("utf")


def write_json(value: object, stream: IO[str] | None = None, *, indent: int | None = 2) -> None:
    """Writes one JSON value and a newline; on one line when ``indent`` is None."""
    out: IO[str] = sys.stdout if stream is None else stream
    text = json.dumps(value, ensure_ascii=not unicode_fits(out), indent=indent, default=_plain)
    out.write(text + "\n")


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def say(text: str) -> None:
    """A line for people on standard error."""
    sys.stderr.write(clean(text) + "\n")
    sys.stderr.flush()


def clean(text: str) -> str:
    """Text that cannot steer the terminal: control and direction characters become U+FFFD."""
    return _CONTROL.sub("\ufffd", text)


def interval(values: Sequence[float] | None, digits: int = 3) -> str:
    """A share with the ends of its interval: 0.758 (0.711-0.798); "" where there is none."""
    return "" if values is None else "{:.{n}f} ({:.{n}f}-{:.{n}f})".format(*values, n=digits)


def counted(number: int, what: str) -> str:
    """A number with its noun: ``1 message``, ``2,000 messages``."""
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def short(text: str, length: int = SHOWN) -> str:
    """A text on one line, cut to a length."""
    line = " ".join(clean(text[: 8 * length]).split())
    return line if len(line) <= length and len(text) <= 8 * length else line[: length - 1] + "…"


_WIDE = "\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef"
_PIECE = re.compile(rf"\s+|[“‘（《〈「『【]*[{_WIDE}][{_WIDE}]??[，。；：、！？”’）》〉」』】…]*|[^\s{_WIDE}]+")


def hung(head: str, text: str, width: int) -> str:
    """A text in lines of so many columns behind a head, which the further lines stand beside.

    Chinese breaks between any two characters, but not before a mark; a word longer than a line is left whole.
    """
    from rich.cells import cell_len

    indent = cell_len(head)
    lines, line, used = list[str](), head, indent
    for piece in _PIECE.findall(text):
        if used + cell_len(piece.rstrip()) > width and used > indent:
            lines.append(line.rstrip())
            line, used = " " * indent, indent
            piece = piece.lstrip()
        line, used = line + piece, used + cell_len(piece)
    return "\n".join([*lines, line.rstrip()])


def when(moment: datetime | None) -> str:
    """A time to the minute."""
    return moment.strftime("%Y-%m-%d %H:%M") if moment else ""


def console(*, err: bool = False) -> Console:
    """A console on the present standard output or error, with colours only on a terminal."""
    from rich.console import Console

    stream = sys.stderr if err else sys.stdout
    width = None if stream.isatty() else shutil.get_terminal_size((PIPED_WIDTH, 25)).columns  # COLUMNS, if it is set
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


def show_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = (), whole: Sequence[str] = ()
) -> None:
    """Prints a table; the last column takes the room that is left.

    Args:
        columns: their heads.
        rows: a cell for each column.
        right: columns of numbers.
        whole: columns that are never broken into lines; numbers are not either.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        table.add_column(
            name,
            justify="right" if name in right else "left",
            no_wrap=name in right or name in whole,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(clean(cell)) for cell in row))
    console().print(table)


def show_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    """Prints names and values, aligned."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in pairs:
        table.add_row(name, Text(clean(value)))
    console().print(table)


# -- the token bar ------------------------------------------------------------------------------------------------


class Shown(Protocol):
    """What the bar needs of a context."""

    @property
    def tokens(self) -> int: ...
    @property
    def budget(self) -> int: ...
    @property
    def blocks(self) -> Sequence[Any]: ...


def segments(context: Shown) -> list[tuple[str, int]]:
    """(name, tokens) of each block; what belongs to none comes last: the tokens that begin the reply."""
    found = [(str(block.strategy), int(block.tokens)) for block in context.blocks if block.tokens]
    rest = context.tokens - sum(tokens for _, tokens in found)
    return [*found, ("start of the reply", rest)] if rest > 0 else found


def cells(parts: Sequence[tuple[str, int]], budget: int, width: int) -> list[int]:
    """Columns of each part: in proportion, at least one each, never more than ``width`` together."""
    edges, total = [0], 0
    for _, tokens in parts:
        total += tokens
        edges.append(round(total / max(budget, total, 1) * width))
    found = [max(1, end - start) for start, end in zip(edges, edges[1:], strict=False)]
    while sum(found) > width and max(found) > 1:
        found[found.index(max(found))] -= 1
    return found


def show_bar(context: Shown, title: str = "") -> None:
    """Prints the budget as a bar, a segment for each block, with its legend."""
    from rich.text import Text

    out = console()
    fills, empty = (FILLS, "░") if unicode_fits(sys.stdout) else (PLAIN_FILLS, ".")
    parts, width = segments(context), min(out.width - 2, 96)
    sizes = cells(parts, context.budget, width)
    bar, legend = Text(), Text()
    for index, ((name, tokens), size) in enumerate(zip(parts, sizes, strict=True)):
        colour, fill = COLOURS[index % len(COLOURS)], fills[index % len(fills)]
        bar.append(fill * size, style=colour)
        legend.append(fill, style=colour).append(f" {name} {tokens:,}   ")
    bar.append(empty * max(0, width - sum(sizes)), style="bright_black")
    legend.append(empty, style="bright_black").append(f" free {max(0, context.budget - context.tokens):,}")
    share = context.tokens / context.budget if context.budget else 0
    out.print(Text(f"{title or 'tokens'}: {context.tokens:,} of {context.budget:,} ({share:.0%})", style="bold"))
    out.print(bar)
    out.print(legend)


# -- progress -----------------------------------------------------------------------------------------------------


@contextmanager
def progress_bars() -> Generator[Progress, None, None]:
    """Progress bars on standard error, only when that is a terminal."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    bars = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console(err=True),
        disable=not sys.stderr.isatty(),
    )
    with bars:
        yield bars
