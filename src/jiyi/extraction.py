"""What a model's reply says: JSON as models really write it, with fences, talk around it, or cut off in the middle."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import cast

from jiyi.types import JSON

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_OPEN = re.compile(r"[{\[]")
_READ = 200_000  # characters of a reply that are looked at
_TRIES = 2_000  # brackets at which a value may begin
_decoder = json.JSONDecoder()


def items(reply: str, field: str) -> list[Mapping[str, JSON]]:
    """The objects that a reply lists.

    Args:
        reply: an object with the list under ``field``, or the list alone, or objects one after the other; around it
            anything.  Of a list that is cut off, the whole objects are given.
        field: the list's name.
    """
    found: list[JSON] = []
    for value in _values(_THOUGHT.sub("", reply[:_READ])):
        inner = value.get(field) if isinstance(value, Mapping) and field in value else value
        found.extend(inner if isinstance(inner, list) else [inner])
    return [item for item in found if isinstance(item, Mapping)]


def _values(text: str) -> Iterator[JSON]:
    """The outermost objects and lists that are complete, in order."""
    position = 0
    for _ in range(_TRIES):
        start = _OPEN.search(text, position)
        if start is None:
            return
        try:
            value, position = cast("tuple[JSON, int]", _decoder.raw_decode(text, start.start()))
            yield value
        except ValueError:
            position = start.end()
        except RecursionError:  # brackets without end: nothing that a model was asked for
            return
