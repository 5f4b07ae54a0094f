"""A process that talks, derives, erases and rebuilds in one store until it is killed: ``python -m tests.e2e.deriving``.

Each stride of messages gives one record, under an id of its own: two that were committed for one stride would show.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from jiyi import lane
from jiyi.clock import SystemClock
from jiyi.ports import Batch
from jiyi.stores.sqlite import SqliteStore
from jiyi.types import Changes, Message, Record, Scope, Source, Step
from jiyi.worker import Worker

SCOPE = Scope("ada")
STEP = Step("gists", "1", stride=4)


class Gists:
    """One record for the messages of a stride."""

    step = STEP
    batch_size = 4
    asks_llm = True

    async def derive(self, batch: Batch) -> Changes:
        await asyncio.sleep(0.002)  # time to be killed in
        if not batch.messages:
            return Changes(batch.cursor)
        sources = tuple(Source(message.id) for message in batch.messages)
        text = " ".join(message.text for message in batch.messages)
        record = Record(uuid4().hex, "gist", text, STEP.name, STEP.version, sources, key=str(batch.cursor))
        return Changes(batch.cursor, put=(record,))


async def main(path: Path, name: str, acknowledged: int, seed: int) -> None:
    lane.LEASE, lane.RENEWED = 2.0, 0.5  # those of the killed are waited for
    rng = random.Random(seed)
    store = await SqliteStore.open(path)
    worker = Worker(store, [Gists()], SystemClock())
    await store.register([STEP])
    at = 0
    while True:
        ids = [f"{name}-{at + n}" for n in range(rng.randrange(1, 7))]
        said = [Message(i, "s", "user", i, digest=i, recorded_at=datetime.now(UTC)) for i in ids]
        await store.append(SCOPE, "s", said)
        os.write(acknowledged, "".join(f"said {i}\n" for i in ids).encode())
        at += len(ids)
        if rng.random() < 0.2:
            gone = rng.choice(ids)
            os.write(acknowledged, f"erasing {gone}\n".encode())
            await store.forget(SCOPE, message_ids=[gone])
        if rng.random() < 0.02:
            await store.rebuild([STEP])
        for _ in range(rng.randrange(4)):
            await worker.work()


if __name__ == "__main__":
    handle = os.open(sys.argv[3], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], handle, int(sys.argv[4])))
