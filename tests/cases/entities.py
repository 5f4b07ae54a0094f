"""What the field cases about entities share: a model that a test plays, and what is known in short."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from jiyi import AsyncMemory, Record
from jiyi.entities import ENTITY, names_of
from jiyi.relations import RELATION, ends_of, is_negated, name_of
from jiyi.testing.scripted import Call, ScriptedLLM

Item = Mapping[str, object]


def playing(tells: Mapping[str, Sequence[Item]]) -> ScriptedLLM:
    """A model that tells these items of each message with certain words in it; their quote is that, unless they say."""

    def tell(call: Call) -> str:
        found: list[object] = []
        for line in call.last.splitlines():
            if line[0].isdigit():
                number, said = int(line.partition(".")[0]), json.loads(line.partition("user: ")[2])
                found += [
                    {"number": number, "quote": words, **item}
                    for words, items in tells.items()
                    if words in said
                    for item in items
                ]
        return json.dumps({"relations": found}, ensure_ascii=False)

    return ScriptedLLM(tell)


def naming(*names: str) -> list[Item]:
    """Items that only name something."""
    return [{"head": name} for name in names]


async def entities(memory: AsyncMemory, user: str = "ada") -> list[Record]:
    """The entities of a user, but for the user."""
    found = await memory.store.records(memory.scope(user), kind=ENTITY)
    return [record for record in found if "user" not in record.links]


async def relations(memory: AsyncMemory, *, current: bool | None = True, user: str = "ada") -> list[Record]:
    """The relations of a user."""
    return await memory.store.records(memory.scope(user), kind=RELATION, current=current)


def triples(records: Sequence[Record]) -> list[tuple[str, str, str]]:
    """Head, relation and tail of relations, sorted; "not " before the relation of what is denied."""
    return sorted((ends_of(r)[0], f"not {name_of(r)}" if is_negated(r) else name_of(r), ends_of(r)[1]) for r in records)


def called(records: Sequence[Record]) -> list[set[str]]:
    """The names of each entity."""
    return [set(names_of(record)) for record in records]


async def say(memory: AsyncMemory, *texts: str, session: str | None = None) -> list[str]:
    """Messages of the user, each in its own session unless one is given, and all background work; their ids."""
    ids: list[str] = []
    for at, text in enumerate(texts):
        (message,) = await memory.session(session or f"s{at}", user_id="ada").add_many(
            [{"role": "user", "content": text}]
        )
        ids.append(message.id)
    await memory.drain()
    return ids
