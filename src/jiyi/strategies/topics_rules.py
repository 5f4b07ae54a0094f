"""Topics without a model: what rules find named, decided and left open, in its own words."""

from __future__ import annotations

from collections.abc import Sequence

from jiyi.ports import Batch
from jiyi.strategies.topics_known import Place, known_before
from jiyi.strategies.topics_making import changes, part, point, speaks
from jiyi.topics import MODEL, PART, RULES, Kind, TopicPoint, message_of
from jiyi.types import Changes, Message, Record, Step


class RuleTopics:
    """Derives topics message by message; none from messages at which the model's step has looked."""

    step = Step(RULES, "1")
    batch_size = 64
    asks_llm = False

    async def derive(self, batch: Batch) -> Changes:
        """The topics of one batch."""
        ids = [message.id for message in batch.messages]
        there = await batch.records(kind=PART, sources=ids) if ids else []
        done = {message_of(one) for one in there if one.strategy == MODEL}
        messages = [message for message in batch.messages if speaks(message) and message.id not in done]
        before, of_sessions = await known_before(batch, messages)
        parts: list[Record] = []
        for message in messages:
            for one in parts_by_rules(self.step, message, before.places(message)):
                before.add(one)
                parts.append(one)
        return await changes(batch, self.step, parts, of_sessions)


def parts_by_rules(step: Step, message: Message, places: Sequence[Place]) -> list[Record]:
    """A part for each topic of the message, with what is said where its name stands, and behind it."""
    if not places:
        return []
    said: list[dict[Kind, list[TopicPoint]]] = [{} for _ in places]
    for kind, points in points_by_rules(message).items():
        for one in points:
            said[whose(one, places)].setdefault(kind, []).append(one)
    return [part(step, message, place, own) for place, own in zip(places, said, strict=True)]


def whose(one: TopicPoint, places: Sequence[Place]) -> int:
    """Number of the topic that a point of a message belongs to: whose name stands in it, else stood before it last."""
    inside = [at for at, place in enumerate(places) if one.start <= place.start < one.end]
    before = [at for at, place in enumerate(places) if place.start <= one.start]
    return inside[0] if inside else before[-1] if before else 0


def points_by_rules(message: Message) -> dict[Kind, list[TopicPoint]]:
    """What rules find decided, left open, done and told in a message."""
    from jiyi.rules.decided import decided  # many expressions, which take a while to compile

    found: dict[Kind, list[TopicPoint]] = {}
    for one in decided(message):
        found.setdefault(one.kind, []).append(point(message, (one.start, one.end), one.importance))
    return found
