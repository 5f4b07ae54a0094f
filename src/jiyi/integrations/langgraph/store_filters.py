"""Which items a search means: filters over values, and patterns over namespaces.  Pure."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from langgraph.store.base import MatchCondition

from jiyi.errors import InvalidInput

_ORDERED: Mapping[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
OPERATORS = ("$eq", "$ne", *_ORDERED)


def check_filter(where: object) -> None:
    """Checks a filter before anything is read.

    Raises:
        InvalidInput: names the field; an operator that is not one of ``OPERATORS``, or that cannot order its value.
    """
    if where is None:
        return
    if not isinstance(where, Mapping):
        raise InvalidInput("filter", f"must be a mapping of fields to values, not {type(where).__name__}")
    for name, value in cast("Mapping[object, object]", where).items():
        if not isinstance(name, str):
            raise InvalidInput("filter", f"has the field {name!r}; names of fields must be text")
        if name.startswith("$"):
            raise InvalidInput("filter", f"begins with {name!r}; it belongs below a field: {{'price': {{'$gt': 3}}}}")
        _check_wanted(value, f"filter.{name}")


def _check_wanted(wanted: object, at: str) -> None:
    if isinstance(wanted, Mapping):
        fields = cast("Mapping[object, object]", wanted)
        compares = any(isinstance(name, str) and name.startswith("$") for name in fields)
        for name, value in fields.items():
            if compares:
                _check_operator(name, value, at)
            else:
                _check_wanted(value, f"{at}.{name}")
    elif isinstance(wanted, (list, tuple)):
        for place, value in enumerate(cast("Sequence[object]", wanted)):
            _check_wanted(value, f"{at}[{place}]")


def _check_operator(name: object, value: object, at: str) -> None:
    if name not in OPERATORS:
        raise InvalidInput(at, f"has no operator {name!r}; there are {', '.join(OPERATORS)}")
    if name in _ORDERED and (isinstance(value, bool) or not isinstance(value, int | float | str)):
        raise InvalidInput(at, f"{name} takes a number or text, not {value!r}")


def matches(value: Any, where: Mapping[str, Any] | None) -> bool:
    """Whether the fields of a value are as a filter (one that was checked) says."""
    return all(_is_as(value.get(name), wanted) for name, wanted in (where or {}).items())


def _is_as(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        fields = cast("Mapping[str, Any]", wanted)
        if any(name.startswith("$") for name in fields):
            return all(_holds(value, name, than) for name, than in fields.items())
        return isinstance(value, Mapping) and matches(value, fields)
    if isinstance(wanted, (list, tuple)):
        parts = cast("Sequence[Any]", wanted)
        return (
            isinstance(value, (list, tuple))
            and len(cast("Sequence[Any]", value)) == len(parts)
            and all(map(_is_as, cast("Sequence[Any]", value), parts))
        )
    return value == wanted


def _holds(value: Any, name: str, than: Any) -> bool:
    """Numbers, and text that is a number, are compared as numbers; other text with text by its characters, which orders
    dates that are written as ISO 8601 says.  What cannot be compared is not meant.
    """
    if name == "$eq":
        return value == than
    if name == "$ne":
        return value != than
    compare = _ORDERED[name]
    try:
        return compare(float(value), float(than))
    except (TypeError, ValueError, OverflowError):
        return isinstance(value, str) and isinstance(than, str) and compare(value, than)


def is_under(namespace: tuple[str, ...], prefix: Sequence[str]) -> bool:
    """Whether a namespace begins so."""
    return namespace[: len(prefix)] == tuple(prefix)


def fits(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    """Whether a namespace begins or ends as a pattern says; ``*`` stands for any one label.

    Raises:
        InvalidInput: the condition is neither for the beginning nor for the end.
    """
    length = len(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise InvalidInput("match_type", f"must be prefix or suffix, not {condition.match_type!r}")
    part = namespace[:length] if condition.match_type == "prefix" else namespace[max(0, len(namespace) - length) :]
    return len(part) == length and all(
        wanted in ("*", label) for label, wanted in zip(part, condition.path, strict=True)
    )  # fmt: skip
