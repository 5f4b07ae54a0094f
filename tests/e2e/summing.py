"""A process that talks, summarises, erases and rebuilds in one store until it is killed: ``python -m tests.e2e.summing``.

The model says again the numbers of what it is shown, so that one sees what each node was made from.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

from jiyi import lane
from jiyi.clock import SystemClock
from jiyi.stores.sqlite import SqliteStore
from jiyi.strategies.summary_model import summarisers
from jiyi.testing.scripted import Call, ScriptedLLM
from jiyi.types import Message, Scope
from jiyi.worker import Worker

SCOPE = Scope("ada")
EVERY = 4
SESSIONS = ("one", "two")


def told(call: Call) -> str:
    parts = [part for part in re.split(r"^# \d+$", call.last, flags=re.MULTILINE) if part.strip()]
    said = ((" ".join(sorted(set(re.findall(r"\w+-\d+n", part))))) for part in parts)
    return json.dumps({"summaries": [{"number": n, "summary": f"On {s}"} for n, s in enumerate(said, start=1)]})


def worker(store: SqliteStore) -> Worker:
    return Worker(store, summarisers(ScriptedLLM(told), EVERY, 0), SystemClock())


def message(name: str, session: str) -> Message:
    now = datetime.now(UTC)
    text = f"My locker is {name}n."
    return Message(name, session, "user", text, digest=name, created_at=now, recorded_at=now)


async def main(path: Path, name: str, acknowledged: int, seed: int) -> None:
    lane.LEASE, lane.RENEWED = 2.0, 0.5  # those of the killed are waited for
    rng = random.Random(seed)
    store = await SqliteStore.open(path)
    working = worker(store)
    await store.register(working.steps)
    at = 0
    while True:
        session = rng.choice(SESSIONS)
        ids = [f"{name}-{at + n}" for n in range(rng.randrange(1, 7))]
        await store.append(SCOPE, session, [message(i, session) for i in ids])
        os.write(acknowledged, "".join(f"said {i}\n" for i in ids).encode())
        at += len(ids)
        if rng.random() < 0.2:
            gone = rng.choice(ids)
            os.write(acknowledged, f"erasing {gone}\n".encode())
            await store.forget(SCOPE, message_ids=[gone])
        if rng.random() < 0.02:
            await store.rebuild(working.steps)
        for _ in range(rng.randrange(6)):
            await working.work()


if __name__ == "__main__":
    handle = os.open(sys.argv[3], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], handle, int(sys.argv[4])))
