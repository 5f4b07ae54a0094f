"""What a framework says of a message beyond our fields, kept whole without keeping its words twice.  Pure.

An item of a framework is written beside the message with each text that the message has itself replaced by its number:
so it comes back exactly, the words are stored once, and what redaction took out of them is not beside them either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from jiyi.types import JSON

_PLACE = "$"


def texts(content: object, calls: Sequence[Mapping[str, object]] = ()) -> list[str]:
    """The texts of a message that are not written again: of its content in order, then the arguments of its calls."""
    found: list[object] = [content]
    if isinstance(content, Sequence) and not isinstance(content, str):
        parts = cast("Sequence[object]", content)
        found = [cast("Mapping[str, object]", part).get("text") for part in parts if isinstance(part, Mapping)]
    for call in calls:
        function = call.get("function")
        found.append(cast("Mapping[str, object]", function).get("arguments") if isinstance(function, Mapping) else None)
    return [text for text in found if isinstance(text, str)]


def spared(item: JSON, said: Sequence[str]) -> JSON:
    """The item with each text that was said replaced by its place; ``filled`` undoes it."""
    return _spared(item, {text: at for at, text in reversed(list(enumerate(said))) if text})


def _spared(item: JSON, places: Mapping[str, int]) -> JSON:
    if isinstance(item, str):
        return {_PLACE: places[item]} if item in places else item
    if isinstance(item, Mapping):
        kept = {key: _spared(value, places) for key, value in item.items()}
        return {_PLACE: [kept]} if set(kept) == {_PLACE} else kept  # an item's own, that must not be taken for a place
    if isinstance(item, Sequence):
        return [_spared(value, places) for value in item]
    return item


def filled(kept: JSON, said: Sequence[str]) -> JSON:
    """The item again, in new dicts and lists; with the texts as they are now."""
    if isinstance(kept, Mapping):
        if set(kept) == {_PLACE}:
            place = kept[_PLACE]
            if isinstance(place, int):
                return said[place] if place < len(said) else ""
            if isinstance(place, Sequence) and place and isinstance(place[0], Mapping):
                return {key: filled(value, said) for key, value in place[0].items()}
        return {key: filled(value, said) for key, value in kept.items()}
    if isinstance(kept, Sequence) and not isinstance(kept, str):
        return [filled(value, said) for value in kept]
    return kept
