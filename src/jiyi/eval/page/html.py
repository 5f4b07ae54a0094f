"""Sections become a page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from jiyi import __version__
from jiyi.errors import MissingDependency
from jiyi.eval.page.parts import Bars, Plot, Section, Table
from jiyi.eval.page.plots import legend, svg

if TYPE_CHECKING:
    from jinja2 import Template

_NEEDED = ("jinja2", "matplotlib")


def require() -> None:
    """Says early what a page will need.

    Raises:
        MissingDependency: names the extra.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise MissingDependency(
            f"an HTML page needs {' and '.join(missing)}: pip install 'jiyi[eval]'. "
            "Without them save the result with --json, and make the page later with `jiyi eval report`"
        )


def render(sections: Sequence[Section], *, title: str, made: str) -> str:
    """The page as text.

    Args:
        sections: in order.
        title: of the page.
        made: how and when it was made, for its last line.

    Raises:
        MissingDependency: names the extra.
    """
    require()
    shown = [
        {"title": section.title, "said": section.said, "advice": section.advice, "id": f"s{at}",
         "parts": [_part(part, f"p{at}-{number}") for number, part in enumerate(section.parts)]}
        for at, section in enumerate(sections)
    ]  # fmt: skip
    return _template().render(title=title, made=made, version=__version__, sections=shown)


def _part(part: Table | Bars | Plot, prefix: str) -> dict[str, Any]:
    if isinstance(part, Plot):
        from markupsafe import Markup

        # drawn by us, its texts escaped by matplotlib
        return {"kind": "plot", "part": part, "legend": legend(part), "svg": Markup(svg(part, prefix))}
    return {"kind": "bars" if isinstance(part, Bars) else "table", "part": part}


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    text = (files(__package__ or "") / "page.html.jinja").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(text)
