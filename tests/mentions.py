"""What holds for all that the rules find of named things, in any language."""

from __future__ import annotations

from jiyi.mentions import USER, Mentioned
from jiyi.relation_types import relation_of
from jiyi.text import flat


def stand_in_their_message(found: Mentioned, text: str) -> None:
    """Each mention is words of the text, in order, none over another."""
    places: list[tuple[int, int]] = []
    for one in found.mentions:
        assert 0 <= one.begin <= one.start < one.end <= one.until <= len(text)
        assert one.name == USER or one.name == text[one.start : one.end]
        assert one.role in text
        assert all(words in one.quote and words for words in one.traits.values())
        places.append((one.start, one.end))
    assert places == sorted(set(places))
    assert all(first[1] <= second[0] for first, second in zip(places, places[1:], strict=False))


def tie_two_mentions(found: Mentioned, text: str) -> None:
    """Each end of a relation and each name of an alias has a mention; no relation leads to itself."""
    said = {one.name for one in found.mentions}
    for edge in found.edges:
        assert {edge.head, edge.tail} <= said
        assert flat(edge.head) != flat(edge.tail)
        assert edge.relation
        assert relation_of(edge.relation) == (edge.relation, False)
        assert edge.quote == text[edge.start : edge.end]
        assert all(name == USER or name in edge.quote for name in (edge.head, edge.tail))
    for alias in found.aliases:
        assert set(alias.names) <= said
        assert flat(alias.names[0]) != flat(alias.names[1])
