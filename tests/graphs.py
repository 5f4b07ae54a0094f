"""Records of entities and relations as a derivation leaves them, written by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from jiyi import AsyncMemory, SlidingWindow
from jiyi.entities import Named, entity, entity_id, form_of
from jiyi.graph import EntityGraph
from jiyi.graph.building import Ground, graph_parts
from jiyi.ports import LLM, Batch, Deriver, Request
from jiyi.relations import Stated, entry_of
from jiyi.sayings import Saying, saying
from jiyi.types import Block, Changes, Message, Record, Role, Step

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Told:
    """Messages, and what each says of named things."""

    def __init__(self) -> None:
        self.messages: dict[str, Message] = {}
        self.entities: dict[str, Record] = {}
        self.relations: dict[str, Record] = {}
        self.facts: list[Record] = []

    def message(self, text: str, *, days: float | None = None, session: str = "s", role: Role = "user") -> str:
        """A message, a day after the one before."""
        at = START + timedelta(days=len(self.messages) if days is None else days)
        name = f"m{len(self.messages) + 1}"
        self.messages[name] = Message(
            name, session, role, text, seq=len(self.messages) + 1, created_at=at, recorded_at=at
        )
        return name

    def _saying(self, message: str) -> Saying:
        said = self.messages[message]
        return saying(said, 0, len(said.text.rstrip(".。")), "entities:rules", "rules", {})

    def entity(self, name: str, *messages: str, sense: str = "", also: Iterable[str] = (), **more: Any) -> str:
        """An entity that these messages name; ``also`` are other names of it."""
        made = self.entity_of(name, *messages, sense=sense, also=also, **more)
        self.entities[made.id] = made
        return made.id

    def entity_of(self, name: str, *messages: str, sense: str = "", also: Iterable[str] = (), **more: Any) -> Record:
        """The same, by itself."""
        places = [
            Named(self._saying(one), 0, 0, name, also=tuple(also), **(more if number == 0 else {}))
            for number, one in enumerate(messages)
        ]
        places += [Named(self._saying(messages[0]), 0, 0, other) for other in also]
        id_ = entity_id(form_of(name), sense)
        return entity(id_, places, strategy="entities:rules", version="1", sense=sense, name=name)

    def relation(self, head: str, relation: str, tail: str, *messages: str, **more: Any) -> str:
        """A relation that these messages state."""
        negated = bool(more.pop("negated", False))
        said = [Stated(self._saying(one), head, relation, tail, negated=negated) for one in messages]
        first = said[0]
        data = {"head": head, "tail": tail, "relation": relation, "negated": negated, "value": tail,
                "said": [dict(entry_of(one)) for one in said], "count": len(said), "by": "rules"}  # fmt: skip
        self.relations[first.id] = replace(
            Record(
                first.id, "relation", first.saying.source.quote or "", "entities:rules", "1",
                tuple(one.saying.source for one in said), key=first.key, said_at=first.saying.at,
                recorded_at=first.saying.at, links=(form_of(head), form_of(tail)), data=data,
            ),
            **more,
        )  # fmt: skip
        return first.id

    def fact(self, subject: str, text: str, message: str) -> None:
        """A fact about somebody."""
        source = self._saying(message).source
        said = [{"message": message, "at": START.isoformat(), "text": text, "value": text}]
        self.facts.append(
            Record(
                f"fact:{len(self.facts)}",
                "fact",
                text,
                "facts:rules",
                "1",
                (source,),
                importance=0.5,
                recorded_at=START,
                said_at=START,
                links=(form_of(subject),),
                data={"subject": subject, "attribute": "", "value": text, "by": "rules", "said": said},  # type: ignore[dict-item]
            )  # fmt: skip
        )

    def graph(self, **more: Any) -> EntityGraph:
        """All of it."""
        newest = max(one.created_at for one in self.messages.values() if one.created_at)
        parts = graph_parts(list(self.entities.values()), list(self.relations.values()), Ground(newest, **more))
        return EntityGraph(*parts)


def pen_name() -> Told:
    """A person, a pen name, a project and its backend, in English."""
    said = (
        "Chen Mo writes under the pen name Moyu.",
        "Moyu started the project Starfinch last spring.",
        "Starfinch uses FastAPI as its backend.",
        "Chen Mo works at Alder Labs.",
    )
    return _pen_name(said, "Chen Mo", "Moyu", "Starfinch", "Alder Labs")


def pen_name_zh() -> Told:
    """The same in Chinese."""
    said = (
        "陈默写作时用的笔名是墨鱼。",
        "墨鱼去年发起了星雀项目。",
        "星雀的后端用的是FastAPI。",
        "陈默在青木实验室工作。",
    )
    return _pen_name(said, "陈默", "墨鱼", "星雀", "青木实验室")


def _pen_name(said: Sequence[str], person: str, pen_name: str, project: str, employer: str) -> Told:
    told = Told()
    one, two, three, four = map(told.message, said)
    told.entity(person, one, four, type="person")
    told.entity(pen_name, one, two, type="person")
    told.entity(project, two, three, type="project")
    told.entity("FastAPI", three, type="technology")
    told.entity(employer, four, type="organisation")
    told.relation(person, "pen_name", pen_name, one)
    told.relation(pen_name, "created", project, two)
    told.relation(project, "backend", "FastAPI", three)
    told.relation(person, "works_at", employer, four)
    return told


class Planted:
    """A strategy with a deriver that puts the records of messages with these texts, as they were written by hand."""

    name = "planted"
    window = False

    def __init__(self, told: Told) -> None:
        self.told = told

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        return [_Planting(self.told)]

    async def recall(self, request: Request) -> list[Block]:
        return []


class _Planting:
    step = Step("entities:rules", "1")
    batch_size = 1000
    asks_llm = False

    def __init__(self, told: Told) -> None:
        self.told = told

    async def derive(self, batch: Batch) -> Changes:
        texts = {message.text: message.id for message in batch.messages}
        ids = {name: texts.get(message.text, "") for name, message in self.told.messages.items()}
        told = self.told
        found = [_moved(one, ids) for one in (*told.entities.values(), *told.relations.values(), *told.facts)]
        return Changes(batch.cursor, put=tuple(record for record in found if all(s.message_id for s in record.sources)))


def _moved(record: Record, ids: dict[str, str]) -> Record:
    """The record with the ids that its messages have in a store."""
    data = json.loads(json.dumps(record.data))
    for said in data["said"]:
        said["message"] = ids[said["message"]]
    sources = tuple(replace(source, message_id=ids[source.message_id]) for source in record.sources)
    return replace(record, sources=sources, data=data)


async def remembered(told: Told, **options: Any) -> AsyncMemory:
    """A memory that has these messages and records, of the user ``ada``."""
    given = {"embedder": None, "recipe": [Planted(told), SlidingWindow(turns=2)]} | options
    memory = await AsyncMemory.open("memory:", **given)
    for message in told.messages.values():
        session = memory.session(message.session_id, user_id="ada")
        await session.add(message.role, message.content, created_at=message.created_at)
    await memory.drain()
    return memory
