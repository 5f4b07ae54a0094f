"""Stretches of a log that were derived and are to be derived anew, as (after, upto].  Pure."""

from __future__ import annotations

from collections.abc import Iterable

Gap = tuple[int, int]


def joined(gaps: Iterable[Gap], within: int) -> list[Gap]:
    """The same stretches in order, without overlap, as far as a cursor at ``within``: what lies behind it is waiting
    anyway.
    """
    found: list[Gap] = []
    for after, upto in sorted((after, min(upto, within)) for after, upto in gaps):
        if upto <= after:
            continue
        if found and after <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], upto)
        else:
            found.append((after, upto))
    return found


def stretch_of(seq: int, stride: int) -> Gap:
    """Those that are derived together with this one."""
    after = (seq - 1) // stride * stride
    return after, after + stride


def makes_instead(step: str, lost: str) -> bool:
    """Whether a step is named after another (``notes:rules`` after ``notes``): it may have left to that one what it
    would have made itself.
    """
    return step.startswith(f"{lost}:")


def kept_of(reason: str) -> str:
    """What may stay of an error when something was erased: its class, not its words."""
    return reason.partition(":")[0]
