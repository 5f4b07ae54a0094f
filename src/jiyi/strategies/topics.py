"""The project or subject that a session is about, with its decisions and open points, and others asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jiyi.commands import COMMANDS, commands, listed
from jiyi.intake import fraction, part, positive
from jiyi.ports import LLM, Deriver, Request
from jiyi.strategies.numbered import EVERY
from jiyi.strategies.reading import standing
from jiyi.topics import PART, SESSION, TOPIC, Kind, name_of, points_of, united
from jiyi.types import Block, Item, Message, Record

_LOOKED_AT = 8  # newest parts of a session, among which is one of a topic
_KINDS: tuple[Kind, ...] = ("open", "decisions", "summary")
_SAID = {
    "en": {"open": "{}, open", "decisions": "{}, decided", "summary": "{}"},
    "zh": {"open": "{}，待定", "decisions": "{}，已定", "summary": "{}"},
}


class Topics:
    """Proposes the topic of this session, chosen by a person or found, and those that answer the question: what is open
    and decided, each with its date and message, and a summary.
    """

    name = "topics"
    window = False

    def __init__(
        self,
        k: int = 3,
        *,
        max_tokens: int = 400,
        floor: float | None = None,
        every: int = EVERY,
        share: float = 0.25,
        cited: bool = False,
    ) -> None:
        """Sets how much is recalled.

        Args:
            k: topics at most, that of the session included.
            max_tokens: of all their lines together, at most.
            floor: least relevance of a topic that is not the session's, 0..1; None for the memory's calibrated floor.
            every: messages of a user that a model is asked about together.
            share: part of the budget held free for them where others compete, above 0, at most 1.
            cited: each line names its message, and quotes what it rests on.

        Raises:
            InvalidInput: names what is out of range.
        """
        self.k = positive("k", k)
        self.max_tokens = positive("max_tokens", max_tokens)
        self.floor = None if floor is None else fraction("floor", floor)
        self.every = positive("every", every)
        self.share = part("share", share)
        self.cited = cited

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        """The topics by rules, and those by the model where there is one."""
        from jiyi.strategies.topics_model import ModelTopics  # what derives is not needed by those who only read
        from jiyi.strategies.topics_rules import RuleTopics

        return [RuleTopics(), *([ModelTopics(llm, self.every)] if llm is not None else [])]

    async def recall(self, request: Request) -> list[Block]:
        """One memory block: of each topic what is open, what was decided, and then the rest."""
        own = await self._own(request)
        asked = request.query.strip()
        hits = await request.reader.find_records(asked, kind=TOPIC, limit=self.k, floor=self.floor) if asked else []
        scores = {hit.record.id: hit.score for hit in hits}
        why = {hit.record.id: hit.why for hit in hits} | {record.id: "topic of this session" for record in own}
        found = {record.id: record for record in (*own, *(hit.record for hit in hits))}
        records = united(found.values())[: self.k]
        ids = {point.message_id for record in records for kind in _KINDS for point in points_of(record, kind)}
        said = await standing(request.reader, sorted(ids))
        items = [
            item
            for record in records
            for item in _items(record, said, request.language, scores.get(record.id, 0.0), why.get(record.id, ""))
        ]
        items = _within(items, request, self.max_tokens)
        return [Block(self.name, "memory", tuple(items), share=self.share, cited=self.cited)] if items else []

    async def _own(self, request: Request) -> list[Record]:
        """The topic of the session: the one that a person chose, else the one that it spoke of last."""
        reader, session = request.reader, request.session_id
        orders = commands(await reader.matching(COMMANDS))
        names = {one.record for one in orders if one.does == "topic" and one.session_id == session}
        chosen = await reader.records(kind=TOPIC, ids=sorted(names)) if names else []
        if found := [record for record in chosen if session in listed(record, "chosen")]:
            return found[:1]
        parts = await reader.records(kind=PART, links=[f"{SESSION}{session}"], newest=True, limit=_LOOKED_AT)
        keys = [one.key for one in reversed(parts) if one.key]
        return (await reader.records(kind=TOPIC, ids=keys[:1]))[:1] if keys else []


def _items(record: Record, said: dict[str, Message], language: str, score: float, why: str) -> Iterable[Item]:
    """What is open and decided, the newest first, then the most important sentences."""
    for kind in _KINDS:
        points = points_of(record, kind)[::-1]
        if kind == "summary":
            points.sort(key=lambda point: -point.importance)
        label = _SAID["zh" if language == "zh" else "en"][kind].format(name_of(record))
        for point in points:
            message = said.get(point.message_id)
            if message is not None:
                yield Item(
                    (message,), point.text, score, why, records=(record.id,), label=label, quotes=(point.source,)
                )


def _within(items: Iterable[Item], request: Request, tokens: int) -> list[Item]:
    """The first ones that go into so many tokens together."""
    frame = request.count({"role": "system", "content": ""})
    found: list[Item] = []
    for item in items:
        tokens -= request.count({"role": "system", "content": f"[{item.label}] {item.text}\n"}) - frame
        if tokens < 0:
            break
        found.append(item)
    return found
