"""Topics without a model: what rules find named, decided and left open, in its own words."""

from __future__ import annotations

from collections.abc import Sequence

from jiyi.ports import Batch
from jiyi.strategies.topics_known import Place, known_before, message_of
from jiyi.strategies.topics_making import MODEL, RULES, changes, part, point, speaks
from jiyi.topics import PART, Kind, TopicPoint
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
    """A part for each topic of the message: what is said behind its name, up to the next one."""
    if not places:
        return []
    said = points_by_rules(message)
    found: list[Record] = []
    for at, place in enumerate(places):
        upto = places[at + 1].start if at + 1 < len(places) else len(message.text) + 1
        begin = 0 if at == 0 else place.start
        own = {kind: [one for one in points if begin <= one.end - 1 < upto] for kind, points in said.items()}
        found.append(part(step, message, place, own))
    return found


def points_by_rules(message: Message) -> dict[Kind, list[TopicPoint]]:
    """What rules find decided, left open, done and told in a message."""
    from jiyi.rules.decided import decided  # many expressions, which take a while to compile

    found: dict[Kind, list[TopicPoint]] = {}
    for one in decided(message):
        found.setdefault(one.kind, []).append(point(message, (one.start, one.end), one.importance))
    return found
