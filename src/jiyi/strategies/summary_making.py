"""The nodes of the tree of summaries, made stride by stride: what both makers, the rules and the model, do alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from jiyi.history import is_system
from jiyi.importance import SMALL_TALK, importance
from jiyi.ports import Batch
from jiyi.strategies.summary_tree import (
    KIND,
    TOP,
    Place,
    covers,
    due,
    highest,
    ids_of,
    node_id,
    place_of,
)
from jiyi.types import JSON, Changes, Message, Record, Source, Step

MODEL = "summary"
RULES = "summary:rules"
"""Names of the two steps."""

TOKENS = 200
"""Of one node, about.  Three of them, what a session of three hours comes to, are more than a context shows."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one node is to be made from: a session at a place.

    Attributes:
        messages: what was said, on level 0.
        nodes: what was summarised before, in order of time: the nodes below, or an older one of the same place.
    """

    session_id: str
    place: Place
    messages: tuple[Message, ...] = ()
    nodes: tuple[Record, ...] = ()

    @property
    def spoken(self) -> tuple[Message, ...]:
        """The messages without instructions."""
        return tuple(message for message in self.messages if not is_system(message))

    @property
    def says_something(self) -> bool:
        """False for greetings, thanks, and tool calls without a word."""
        return any(node.text for node in self.nodes) or any(importance(m).score > SMALL_TALK for m in self.spoken)


@dataclass(frozen=True, slots=True)
class Text:
    """A node's text, who wrote it (``rules`` or ``model``), and with which model and prompt."""

    text: str
    by: str
    made: Mapping[str, JSON] = field(default_factory=dict[str, JSON])


class Summaries(ABC):
    """Derives the nodes of one step: those of a stride, and above them those of the places that end with it.

    A node that rests on the same messages as before stays as it is: a gap that an erasure leaves costs calls for those
    nodes alone that were touched.
    """

    maker: str
    other: str
    asks_llm: bool

    def __init__(self, every: int) -> None:
        self.step = Step(self.maker, "1", stride=every)
        self.batch_size = every

    @abstractmethod
    async def write(self, parts: Sequence[Part]) -> list[Text]:
        """A text for each part."""

    async def derive(self, batch: Batch) -> Changes:
        """The nodes of one batch.

        Raises:
            ModelError: there was no text that could be used.
        """
        run = _Run(self, batch)
        await run.lowest()
        ends = due(batch.cursor, self.step.stride)
        for level in range(1, TOP + 1):
            await run.above(level, ends)
        return Changes(batch.cursor, put=tuple(run.put.values()), drop=tuple(run.drop))


class _Run:
    """One batch."""

    def __init__(self, deriver: Summaries, batch: Batch) -> None:
        self.put: dict[str, Record] = {}
        self.drop: dict[str, None] = {}
        self._deriver = deriver
        self._batch = batch
        self._place = place_of(max(1, batch.cursor), deriver.step.stride)
        self._yields = deriver.maker == RULES  # to what the model made
        self._standing: set[str] = set()

    async def lowest(self) -> None:
        """The nodes of level 0."""
        said = _sessions(self._batch.messages)
        known = await self._standing_nodes(said)
        parts: list[Part] = []
        for session, messages in said.items():
            mine = known.get(node_id(self._deriver.maker, self._place, session))
            theirs = known.get(node_id(self._deriver.other, self._place, session))
            ids = [message.id for message in messages]
            if any(node is not None and covers(node, ids) for node in (mine, theirs if self._yields else None)):
                continue
            # of a stride that is derived in parts after a failure, the second part goes on from the first
            before = () if mine is None or covers_no_more(mine, ids) else (mine,)
            parts.append(Part(session, self._place, tuple(messages), before))
        await self._write(parts)

    async def above(self, level: int, ends: Sequence[Place]) -> None:
        """The nodes of a level that end here, and those above a node that was made anew."""
        place = self._place
        while place.level < level:
            place = place.parent
        complete = place in ends
        remade = {record.session_id or "" for record in self.put.values()}
        remade = {name for name in remade if node_id(self._deriver.maker, place, name) in self._standing}
        if not complete and not remade:
            return
        parts: list[Part] = []
        for session, nodes in (await self._below(place)).items():
            mine, children = nodes.pop(place, None), list(highest(place, nodes))
            if len(children) < 2 or not (complete or session in remade):
                continue
            if self._yields and any(node.strategy == MODEL for node in children):
                continue
            if mine is None or set(ids_of([mine])) != set(ids_of(children)):
                parts.append(Part(session, place, nodes=tuple(children)))
        await self._write(parts)

    async def _write(self, parts: Sequence[Part]) -> None:
        """Makes the nodes, and has those of the other step that they make needless dropped."""
        if not parts:
            return
        for part, text in zip(parts, await self._deriver.write(parts), strict=True):
            record = _record(self._deriver.step, part, text)
            self.put[record.id] = record
        if not self._yields:
            ids = {node_id(RULES, part.place, part.session_id): part for part in parts}
            for node in await self._batch.records(kind=KIND, ids=list(ids)):
                mine = self.put[node_id(MODEL, ids[node.id].place, ids[node.id].session_id)]
                if covers(mine, ids_of([node])):
                    self.drop[node.id] = None

    async def _standing_nodes(self, sessions: Iterable[str]) -> dict[str, Record]:
        """The nodes of these sessions at the place, by id, and this step's above it, of which only the ids are kept."""
        above = [self._place]
        while above[-1].level < TOP:
            above.append(above[-1].parent)
        here = [node_id(maker, self._place, session) for session in sessions for maker in (MODEL, RULES)]
        higher = [node_id(self._deriver.maker, place, session) for session in sessions for place in above[1:]]
        if not here:
            return {}
        self._standing = {node.id for node in await self._batch.records(kind=KIND, ids=higher, bare=True)}
        return {node.id: node for node in await self._batch.records(kind=KIND, ids=here)}

    async def _below(self, place: Place) -> dict[str, dict[Place, Record]]:
        """Session -> place -> node: at the place this step's, below it whichever tells of more."""
        maker, other = self._deriver.maker, self._deriver.other
        found: dict[str, dict[Place, Record]] = {}
        for at in place.within():
            nodes = {node.id: node for node in await self._batch.records(kind=KIND, key=at.key)}
            nodes |= {node.id: node for node in self.put.values() if node.key == at.key}
            for session in dict.fromkeys(node.session_id or "" for node in nodes.values()):
                mine, theirs = nodes.get(node_id(maker, at, session)), nodes.get(node_id(other, at, session))
                if mine and theirs and covers(mine, ids_of([theirs])):
                    if not self._yields:  # the rules made it while the model was being asked
                        self.drop[theirs.id] = None
                    theirs = None
                serves = mine if at == place else theirs or mine
                if serves:
                    found.setdefault(session, {})[at] = serves
        return found


def covers_no_more(node: Record, ids: Iterable[str]) -> bool:
    """Whether a node rests on these messages only."""
    return set(ids).issuperset(ids_of([node]))


def _sessions(messages: Sequence[Message]) -> dict[str, list[Message]]:
    """Session -> its messages on the active path, in order."""
    found: dict[str, list[Message]] = {}
    for message in messages:
        if message.session_id and message.active:
            found.setdefault(message.session_id, []).append(message)
    return found


def _record(step: Step, part: Part, text: Text) -> Record:
    """A node.  Instructions count among its sources, though it says nothing of them: so they are a whole stretch."""
    ids = ids_of(part.nodes)
    ids += tuple(message.id for message in part.messages if message.id not in set(ids))
    times = [node.said_at for node in part.nodes] + [message.created_at for message in part.messages]
    taken = [node.recorded_at for node in part.nodes] + [message.recorded_at for message in part.messages]
    return Record(
        id=node_id(step.name, part.place, part.session_id),
        kind=KIND,
        text=text.text,
        strategy=step.name,
        version=step.version,
        sources=tuple(map(Source, ids)),
        session_id=part.session_id,
        key=part.place.key,
        recorded_at=max((at for at in taken if at), default=None),
        said_at=max((at for at in times if at), default=None),  # before that, nobody could have said all of it
        data={
            "by": text.by,
            "made": text.made,
            "level": part.place.level,
            "first": ids[0],
            "last": ids[-1],
            "count": len(ids),
        },
    )
