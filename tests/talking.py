"""A user who talks while what is derived keeps up, and all that was derived of some kinds."""

from __future__ import annotations

from collections.abc import Sequence

from jiyi import AsyncMemory, Message, Record
from jiyi.testing import FakeClock


async def talk(memory: AsyncMemory, clock: FakeClock, lines: Sequence[str]) -> list[Message]:
    """Says one line a minute, in session ``s`` of ``ada``, and waits for what is derived after each."""
    said: list[Message] = []
    for text in lines:
        clock.advance(60)
        said.append(await memory.session("s", user_id="ada").add("user", text))
        await memory.drain()
    return said


async def everything(memory: AsyncMemory, *kinds: str) -> list[Record]:
    """The records of these kinds, closed ones too, by id."""
    found = [
        record for kind in kinds for record in await memory.store.records(memory.scope("ada"), kind=kind, current=None)
    ]
    return sorted(found, key=lambda record: record.id)
