"""The ranking without one of its parts: how much each of them matters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from jiyi.eval.configurations import Configuration

PARTS: Mapping[str, Mapping[str, float]] = {
    "dense": {"dense": 0.0},
    "words": {"words": 0.0},
    "neighbours": {"near_dense": 0.0, "near_words": 0.0, "answer": 0.0},
    "session": {"session_words": 0.0, "session_sum": 0.0, "session_terms": 0.0},
    "gate": {"gate_least": 1.0},
    "length": {"piece": 0.0},
    "speaker": {"speaker": 0.0},
    "date": {"date": 0.0},
    "role": {"user": 0.0, "assistant": 0.0},
    "answer": {"answer": 0.0},
    "alone": {"alone": 0.0},
    "spread": {"spread": 0.0},
}
"""Part -> the weights that take it away; each is 0 but the gate's, which weighs full text by 1 at least."""


def without_each(usual: Configuration) -> list[Configuration]:
    """The configuration itself, then without each part that it has."""
    found = [usual]
    for name, fields in PARTS.items():
        weights = replace(usual.weights, **fields)  # pyright: ignore[reportArgumentType] - whole where the field is
        if weights != usual.weights:
            found.append(replace(usual, name=f"without {name}", weights=weights))
    return found
