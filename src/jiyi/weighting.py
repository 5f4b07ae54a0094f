"""The constants of the ranking as somebody sets them: a file, a mapping, or a value that is ready."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TypeAlias, cast

from jiyi.errors import InvalidInput
from jiyi.ranking import DEFAULT, Weights

Ranking: TypeAlias = "Weights | Mapping[str, object] | str | Path | None"
"""``Weights``; a mapping of some of its fields; the path of a JSON file with such an object; None or "" for the
shipped ones."""

FIXED = frozenset({"k1", "b"})
"""Cannot be set: the stores weigh words by them too, where no setting reaches."""

_ABOVE_ZERO = frozenset({"gate_span", "dense_deviation", "words_deviation"})  # something is divided by them


def settable() -> dict[str, float | int]:
    """Every field that may be set, with its shipped value, in the order of ``Weights``."""
    return {field.name: getattr(DEFAULT, field.name) for field in fields(Weights) if field.name not in FIXED}


def weights_of(ranking: Ranking) -> Weights:
    """The constants that ``ranking`` stands for; what it leaves out is as shipped.

    Raises:
        InvalidInput: a file that cannot be read, a field that is not there or cannot be set, a value that is no finite
            number; names the field.
    """
    if ranking is None or ranking == "":
        return DEFAULT
    if isinstance(ranking, Weights):
        changed = changes(ranking)
        if fixed := FIXED & changed.keys():
            raise InvalidInput(f"ranking.{min(fixed)}", "cannot be set; leave it at its default")
        return _checked(changed, "ranking")
    if isinstance(ranking, str | Path):
        return _checked(_read(Path(ranking).expanduser()), str(ranking))
    if isinstance(ranking, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        return _checked(ranking, "ranking")
    raise InvalidInput("ranking", f"must be a file's path, a mapping or Weights, not {type(ranking).__name__}")


def changes(weights: Weights) -> dict[str, float | int]:
    """The fields in which weights differ from the shipped ones."""
    values = {field.name: getattr(weights, field.name) for field in fields(Weights)}
    return {name: value for name, value in values.items() if value != getattr(DEFAULT, name)}


def _read(path: Path) -> Mapping[str, object]:
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        why = error.strerror or str(error)
        raise InvalidInput(
            "ranking", f"cannot read {path.absolute()}: {why}. Name a JSON file with weights, or leave the setting out"
        ) from error
    except ValueError as error:  # neither UTF-8 nor JSON
        raise InvalidInput("ranking", f"{path} is not a JSON file: {error}") from error
    if not isinstance(value, dict):
        raise InvalidInput("ranking", f'{path} must hold one object such as {{"floor": 0.6}}')
    return cast("Mapping[str, object]", value)


def _checked(given: Mapping[str, object], origin: str) -> Weights:
    known = settable()
    values: dict[str, float | int] = {}
    for name, value in given.items():
        field = f"ranking.{name}"
        if name in FIXED:
            raise InvalidInput(field, f"cannot be set ({origin}): the store weighs words by it too; leave it out")
        if name not in known:
            raise InvalidInput(field, f"there is no such weight ({origin}); there are {', '.join(sorted(known))}")
        values[name] = _number(field, value, whole=isinstance(known[name], int))
        if name in _ABOVE_ZERO and values[name] <= 0:
            raise InvalidInput(field, f"must be above 0, not {value!r}")
    if not 0 <= values.get("floor", 0) <= 1:
        raise InvalidInput("ranking.floor", f"must be a number from 0 to 1, not {values['floor']!r}")
    return replace(DEFAULT, **values)  # pyright: ignore[reportArgumentType] - whole where the field is


def _number(field: str, value: object, *, whole: bool) -> float | int:
    kind = "a whole number from 0" if whole else "a finite number"
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not number or (whole and (not isinstance(value, int) or value < 0)):
        raise InvalidInput(field, f"must be {kind}, not {value!r}")
    return cast("int", value) if whole else float(cast("float", value))
