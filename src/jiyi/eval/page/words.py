"""How a page says numbers and names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Result: TypeAlias = Mapping[str, Any]
"""What an evaluation wrote as JSON, or an object in it."""

_LANGUAGES = {"en": "English", "zh": "Chinese"}


def titled(what: str, of: str, origin: str) -> str:
    """The title of a section; ``origin`` is the file, "" for none."""
    return f"{what}: {of}" + (f" ({origin})" if origin else "")


def spoken(language: Any) -> str:
    """A language by its name."""
    return _LANGUAGES.get(language, str(language))


def interval(values: Sequence[float]) -> str:
    """A share with its interval."""
    value, low, high = values
    return f"{value:.3f} ({low:.3f}–{high:.3f})"


def counted(number: int, what: str) -> str:
    """A number with its noun."""
    return f"{number:,} {what}" + ("" if number == 1 else "s")
