"""What is measured side by side: the memory's search with some weights, and yardsticks that everybody knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from jiyi.errors import InvalidInput
from jiyi.weights import DEFAULT, Weights, weights_of

How: TypeAlias = Literal["search", "bm25", "dense", "window", "full history"]


@dataclass(frozen=True, slots=True)
class Configuration:
    """One way to order a user's messages for a question.

    Attributes:
        name: in tables and results.
        how: ``search`` as the memory does it; ``bm25`` its full text alone; ``dense`` its vectors alone; ``window`` the
            newest messages; ``full history`` all of them or nothing.
        weights: of a search.
        embedder: another one than that of the settings; None for the same.
    """

    name: str
    how: How = "search"
    weights: Weights = DEFAULT
    embedder: str | None = None


BASELINES: tuple[Configuration, ...] = (
    Configuration("bm25", "bm25"),
    Configuration("dense", "dense"),
    Configuration("window", "window"),
    Configuration("full history", "full history"),
)
"""Measured beside every search, on what it finds in the same indexes; they cost one more look into the store."""

_ALONE = {"default": Configuration("default"), **{found.name: found for found in BASELINES}}


def configuration(spec: str, usual: Weights = DEFAULT) -> Configuration:
    """The configuration that a text names.

    Args:
        spec: parts with commas: ``default`` (the shipped weights), ``bm25``, ``dense``, ``window``; a ranking file or
            ``ranking=FILE``; ``embedder=NAME``.
        usual: weights where none are named, as where only the embedder is.

    Raises:
        InvalidInput: names what is not understood.
    """
    found = Configuration(spec, weights=usual)
    how: How = found.how
    weights, embedder = found.weights, found.embedder
    for part in spec.split(","):
        key, sign, value = part.strip().partition("=")
        if not sign and key in _ALONE and key != "full history":
            how, weights = _ALONE[key].how, _ALONE[key].weights
        elif not sign and key.endswith(".json"):
            weights = weights_of(key)
        elif key == "ranking" and value:
            weights = weights_of(value)
        elif key == "embedder" and value:
            embedder = value
        else:
            raise InvalidInput(
                "compare",
                f"{part.strip()!r} is not understood; write default, bm25, dense, window, a ranking file (tuned.json), "
                "embedder=NAME, or several of these with commas",
            )
    return Configuration(spec, how, weights, embedder)
