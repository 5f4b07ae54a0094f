"""Reads the nodes that tell of a session, as few as can be, and only those whose messages all still stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from jiyi.ports import Reader
from jiyi.strategies.summary_making import MODEL, RULES
from jiyi.strategies.summary_tree import KIND, Place, node_id, stretch
from jiyi.types import Filter, Message, Record


@dataclass(frozen=True, slots=True)
class Told:
    """A node, and the first and last message that it tells of."""

    node: Record
    first: Message
    last: Message

    @property
    def stretch(self) -> tuple[str, int, int]:
        """Session, first and last position."""
        return self.first.session_id, self.first.position, self.last.position


async def telling(reader: Reader, session_id: str, upto: int, stride: int, *, finer: int | None = None) -> list[Told]:
    """The nodes that tell of a session from its beginning, in order.

    The model's nodes come before those by rules.  A node of a branch that was left, or one that not all of its
    messages stand behind any more, tells of nothing; the nodes below it may.

    Args:
        upto: seqs that are told of; of the last stride, all.
        stride: of the tree.
        finer: nodes that tell of this seq, or of later ones, are of level 0.
    """
    begin = await reader.matching(Filter(stretches=((session_id, 1, 1),)))
    if not begin or begin[0].seq > upto:
        return []
    found: list[Told] = []
    places = stretch(begin[0].seq, upto, stride)
    while places:
        look = await _look(reader, session_id, places)
        below: list[Place] = []
        for place in places:
            told = None if finer and place.level and place.last(stride) >= finer else _best(look, session_id, place)
            if told is not None:
                found.append(told)
            else:
                below += [child for child in place.children if child.last(stride) >= begin[0].seq]
        places = below
    return sorted(found, key=lambda told: told.first.position)


def _best(look: Mapping[str, Told], session_id: str, place: Place) -> Told | None:
    """What tells of a place best; None to look at the places below."""
    model, rules = (look.get(node_id(maker, place, session_id)) for maker in (MODEL, RULES))
    if model is not None and rules is not None and model.stretch != rules.stretch:
        return max(model, rules, key=lambda told: told.last.position - told.first.position)  # one lacks what failed
    if model is None and any(node_id(MODEL, child, session_id) in look for child in place.children):
        return None
    return model or rules


async def _look(reader: Reader, session_id: str, places: Iterable[Place]) -> dict[str, Told]:
    """The nodes of these places, and those that the model made of the places below, that tell of something."""
    ids = [node_id(maker, place, session_id) for place in places for maker in (MODEL, RULES)]
    ids += [node_id(MODEL, child, session_id) for place in places for child in place.children]
    nodes = await reader.records(kind=KIND, ids=ids, bare=True)
    ends = {str(node.data.get(end)) for node in nodes for end in ("first", "last")}
    there = {m.id: m for m in await reader.matching(Filter(ids=tuple(sorted(ends))))} if ends else {}
    found: dict[str, Told] = {}
    for node in nodes:
        first, last = there.get(str(node.data.get("first"))), there.get(str(node.data.get("last")))
        if first and last and last.position - first.position + 1 == node.data.get("count"):
            found[node.id] = Told(node, first, last)
    return found
