"""Which values a store takes, and what of them is indexed.  Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, cast

from langgraph.store.base import get_text_at_path

from jiyi.errors import InvalidInput
from jiyi.intake import MAX_CONTENT_BYTES
from jiyi.text import check_text
from jiyi.types import JSON

Index = Sequence[str] | Literal[False] | None
"""Paths of the fields that are indexed, False for none, None for all."""

_DEEPEST = 100


def checked(value: object, at: str = "value", depth: int = 0) -> JSON:
    """The value as JSON gives it back: a copy, with lists for tuples.

    Raises:
        InvalidInput: names the place of what cannot be written as JSON and read again as it was.
    """
    if depth > _DEEPEST:
        raise InvalidInput(at, f"is more than {_DEEPEST} deep")
    if isinstance(value, str):
        return check_text(at, value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput(at, f"{value} has no place in JSON; store None or text")
        return value
    if isinstance(value, Mapping):
        return dict(_fields(cast("Mapping[object, object]", value), at, depth))
    if isinstance(value, (list, tuple)):
        parts = cast("Sequence[object]", value)
        return [checked(part, f"{at}[{place}]", depth + 1) for place, part in enumerate(parts)]
    raise InvalidInput(
        at,
        f"is of the type {type(value).__name__}, which JSON does not have; store it as text, numbers, lists and "
        "mappings, for example isoformat() of a date or model_dump(mode='json') of a pydantic model",
    )


def _fields(value: Mapping[object, object], at: str, depth: int) -> Iterator[tuple[str, JSON]]:
    for name, part in value.items():
        if not isinstance(name, str):
            raise InvalidInput(at, f"has the key {name!r}; keys must be text")
        yield check_text(f"a key of {at}", name), checked(part, f"{at}.{name}", depth + 1)


def checked_object(value: object) -> Mapping[str, JSON]:
    """The same for a whole value, which is a mapping."""
    if not isinstance(value, Mapping):
        raise InvalidInput("value", f"must be a mapping, not {type(value).__name__}; to delete an item, give None")
    try:
        return json.loads(json.dumps(checked(cast("object", value)), ensure_ascii=False))
    except ValueError as error:  # a number of more digits than Python reads
        raise InvalidInput("value", f"cannot be written as JSON: {error}") from error


def checked_index(index: object) -> Index:
    """What is to be indexed.

    Raises:
        InvalidInput: neither paths nor False nor None.
    """
    if index is None:
        return None
    if index is False:
        return False
    if isinstance(index, Mapping):
        raise InvalidInput(
            "index",
            "takes the paths of the fields alone: index=['text'].  Vectors are the memory's, of the embedder "
            "that it was opened with: Memory.open(…, embedder=…)",
        )
    if isinstance(index, (list, tuple)):
        paths = cast("Sequence[object]", index)
        if all(isinstance(path, str) for path in paths):
            return [check_text("index", path) for path in paths]
    raise InvalidInput("index", f"must be a list of paths, False or None, not {index!r}")


def indexed(value: Mapping[str, JSON], index: Index) -> str | None:
    """The text by which an item is found; None where nothing is indexed.

    Raises:
        InvalidInput: more text than a message can have.
    """
    if index is False:
        return None
    texts = list[str]()
    for path in ("$",) if index is None else index:
        texts += _lines(value) if path in ("$", "") else get_text_at_path(value, path)
    text = "\n".join(line for line in texts if line.strip())
    if len(text) > MAX_CONTENT_BYTES // 4 and (size := len(text.encode())) > MAX_CONTENT_BYTES:
        raise InvalidInput(
            "value", f"{size:,} bytes to index; at most {MAX_CONTENT_BYTES:,}. Name the fields that matter: index=[…]"
        )
    return text or None


def _lines(value: Mapping[str, JSON]) -> list[str]:
    """A whole value as lines that people, models and both indexes read more easily than JSON."""
    leaves = list(_leaves(value, ""))
    if len(leaves) == 1:
        return [leaves[0][1]]
    return [f"{name}: {text}" if name else text for name, text in leaves]


def _leaves(value: JSON, name: str) -> Iterator[tuple[str, str]]:
    """Everything that says something, under the name of its field."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _leaves(part, key)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _leaves(part, name)
    elif isinstance(value, bool):
        yield name, "true" if value else "false"
    elif value is not None and (text := str(value)).strip():
        yield name, text
