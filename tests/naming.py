"""Entities, relations and topics without rules or a model, for tests of what people order about them.

``<Tom>`` and ``<Tom:person>`` name something, ``<Mia> works at <Acme>`` relates it, ``#Atlas`` is a topic.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from jiyi.mentions import Edge, Mention, Mentioned
from jiyi.ports import LLM, Batch, Deriver, Request
from jiyi.strategies.entities_known import derived, resting
from jiyi.topics import Content, TopicPoint, TopicSession, Written, composed, content_of, topic_id
from jiyi.types import Block, Changes, Message, Record, Source, Step

ENTITIES, TOPICS = Step("entities:rules", "1"), Step("topics:rules", "1")
_NAME = re.compile(r"<([^<>:]+)(?::(\w+))?>")
_EDGE = re.compile(r"<([^<>:]+)(?::\w+)?> (works at|knows|在) ?<([^<>:]+)(?::\w+)?>")
_KNOWN = {"works at": "works_at", "在": "works_at", "knows": "knows"}
_TOPIC = re.compile(r"#(\w+)")


def mentioned(message: Message) -> Mentioned:
    """What the message names."""
    text = message.text
    places = [
        Mention(message, *match.span(1), match[1], match[2] or "", "", {}, 0, len(text))
        for match in _NAME.finditer(text)
    ]
    edges = [
        Edge(message, *match.span(), match[1], _KNOWN[match[2]], match[3], match[2]) for match in _EDGE.finditer(text)
    ]  # fmt: skip
    return Mentioned(tuple(places), (), tuple(edges))


class Naming:
    """Derives entities and relations."""

    batch_size = 16
    asks_llm = False
    step = ENTITIES

    async def derive(self, batch: Batch) -> Changes:
        touched = await resting(batch)
        found = [(mentioned(message), "rules") for message in batch.messages if message.role == "user"]
        return await derived(batch, [one for one in found if one[0].mentions], touched, self.step, {})


class Filing:
    """Derives topics."""

    batch_size = 16
    asks_llm = False
    step = TOPICS

    async def derive(self, batch: Batch) -> Changes:
        made: dict[str, Record] = {}
        for message in batch.messages:
            for match in _TOPIC.finditer(message.text):
                name = topic_id(match[1])
                known = [made[name]] if name in made else await batch.records(ids=[name], kind="topic")
                made[name] = _filed(known[0] if known else None, message, match[1], match.start(1))
        return Changes(batch.cursor, put=tuple(made.values()))


def _filed(known: Record | None, message: Message, name: str, start: int) -> Record:
    bare = Record(
        topic_id(name), "topic", "", "topics:rules", "1", (), recorded_at=message.recorded_at, data={"by": "rules"}
    )
    old = content_of(known or bare)
    point = TopicPoint(message.text, message.id, 0, len(message.text), message.text, message.created_at, message.seq)
    there = message.id in {one.message_id for one in old.points["decisions"]}
    session = TopicSession(message.session_id, message.id, message.id, message.created_at, message.created_at)
    written = Written(name, Source(message.id, start, start + len(name), name), message.seq)
    content = Content(
        [*old.written, written],
        {**old.points, "decisions": [*old.points["decisions"], point]},
        [*old.sessions, *(() if there else (session,))],
        (),
        old.count + (not there),
    )
    return composed(known or bare, content)


class Named:
    """A strategy that has both derived, and shows nothing."""

    name = "named"
    window = False

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        return [Naming(), Filing()]

    async def recall(self, request: Request) -> list[Block]:
        return []
