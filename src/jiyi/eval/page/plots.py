"""Plots as SVG for a page: drawn by matplotlib, coloured by the page, their text left as text."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any

from jiyi.eval.page.parts import Line, Plot

INK, FAINT = "#010203", "#040506"
"""Stand-ins for colours that the page gives: text and axes, and the grid."""

COLOURS = tuple(f"#0a0b{at:02x}" for at in range(1, 9))
"""Stand-ins for the colours of lines; further lines begin anew."""

MARKS = {
    "o": "M4 5a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z",
    "s": "M4 2h6v6h-6z",
    "^": "M7 1.5L10.5 8h-7z",
    "D": "M7 1L11 5L7 9L3 5z",
    "v": "M7 8.5L3.5 2h7z",
}
"""Mark of a line -> the same as a path, for the legend.  Lines differ by it too: in print colours may not be seen."""

_SIZE = (4.1, 2.8)  # inches; at the width of a phone its text is about as large as the text around it
_LOOK = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.size": 9.0,
    "axes.linewidth": 0.7,
    "path.simplify": False,
}


def svg(plot: Plot, prefix: str) -> str:
    """One plot as an SVG element to stand in a page.

    Args:
        plot: at least one line.
        prefix: makes the ids of this plot unlike those of the others on the page.

    Raises:
        ImportError: matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    matplotlib: Any = import_module("matplotlib")  # newer versions type its settings by name, older ones do not
    out = io.StringIO()
    with matplotlib.rc_context({**_LOOK, "svg.hashsalt": prefix}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # the reader's own fonts are used
        figure: Any = Figure(figsize=_SIZE, layout="constrained")
        axes = figure.add_subplot()
        for at, line in enumerate(plot.lines):
            _draw(axes, line, at, dodge=plot.log)
        _frame(axes, plot)
        figure.savefig(
            out, format="svg", transparent=True, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type"))
        )
    return _embedded(out.getvalue(), prefix, plot.title)


def _draw(axes: Any, line: Line, at: int, *, dodge: bool) -> None:
    colour, mark = COLOURS[at % len(COLOURS)], list(MARKS)[at % len(MARKS)]
    shift = 1 + 0.015 * at if dodge else 1  # so that intervals do not hide each other
    x, y = [point.x * shift for point in line.points], [point.y for point in line.points]
    low = [0.0 if point.low is None else max(0.0, point.y - point.low) for point in line.points]
    high = [0.0 if point.high is None else max(0.0, point.high - point.y) for point in line.points]
    axes.errorbar(
        x, y, yerr=[low, high], color=colour, marker=mark, markersize=7 if len(x) == 1 else 4, linewidth=1.4,
        elinewidth=0.9, capsize=2, zorder=3 if len(x) == 1 else 2,
    )  # fmt: skip


def _frame(axes: Any, plot: Plot) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    axes.set_xlabel(plot.x, color=INK)
    axes.set_ylabel(plot.y, color=INK)
    axes.set_ylim(-0.03, 1.05)
    percent, plain = FuncFormatter(_percent), FuncFormatter(_plain)
    axes.yaxis.set_major_formatter(percent)
    if plot.log:
        axes.set_xscale("log")
        xs = sorted({point.x for line in plot.lines for point in line.points if len(line.points) > 1})
        axes.xaxis.set_minor_formatter(NullFormatter())
        if len(xs) > 1 and all(after > 1.6 * before for before, after in pairwise(xs)):
            axes.set_xticks(xs)
        else:
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.minorticks_off()
    else:
        axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(percent if plot.share else plain)
    axes.grid(color=FAINT, linewidth=0.6)
    axes.tick_params(colors=INK, width=0.7, length=3)
    for name, spine in axes.spines.items():
        spine.set_visible(name in ("left", "bottom"))
        spine.set_color(INK)


def _percent(value: float, place: object) -> str:
    return f"{value:.0%}"


def _plain(value: float, place: object) -> str:
    return f"{value:,.0f}"


def _embedded(text: str, prefix: str, title: str) -> str:
    """The element alone, in the page's colours and fonts, with ids of its own."""
    from markupsafe import escape

    text = text[text.index("<svg") :]
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.DOTALL)
    box = re.findall('viewBox="([^"]*)"', text)[0]
    text = f'<svg viewBox="{box}" role="img" aria-label="{escape(title)}">' + text[text.index(">") + 1 :]
    text = re.sub(r'\bid="', f'id="{prefix}-', text)
    text = re.sub(r"(xlink:href=\"#|url\(#)", rf"\g<1>{prefix}-", text).replace("xlink:href", "href")
    text = re.sub(r"font-family: [^;\"]*;?", "", text)
    for stand_in, name in named_colours():
        text = text.replace(stand_in, f"var(--{name})")
    return text


def legend(plot: Plot) -> list[tuple[str, str, str]]:
    """Name, variable of the colour, and path of the mark of each line."""
    marks = list(MARKS.values())
    return [(line.name, f"line-{at % len(COLOURS)}", marks[at % len(MARKS)]) for at, line in enumerate(plot.lines)]


def named_colours() -> Sequence[tuple[str, str]]:
    """Stand-in -> the page's variable."""
    return [(INK, "ink"), (FAINT, "faint"), *((colour, f"line-{at}") for at, colour in enumerate(COLOURS))]
