"""A process that writes to one SQLite store until it is done or killed: ``python -m tests.e2e.writing PATH NAME …``.

Every message that was acknowledged is noted in a file with one unbuffered write, which a kill cannot take back.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

from jiyi import Memory
from jiyi.stores.sqlite import SqliteStore
from jiyi.types import Changes, Filter, Indexed, Message, Scope, Step

SCOPE = Scope("ada")
LEXICAL = Step("lexical", "1")


def text_of(message_id: str) -> str:
    """What the message with this id says: nothing else may ever be read under the id."""
    return f"note {message_id} " + "0123456789" * (len(message_id) * 7 % 60)


async def index(store: SqliteStore) -> None:
    """Brings the full-text index a little further."""
    now = datetime.now(UTC)
    claim = await store.claim([LEXICAL], now=now, lease=5)
    if claim is None:
        return
    found = await store.messages(SCOPE, Filter(after_seq=claim.after, active=None), limit=50)
    entries = tuple(Indexed(message.seq, {"note": 1, message.id: 1}) for message in found)
    await store.commit(claim, Changes(found[-1].seq if found else claim.head, index=entries), now=now)


async def write(store: SqliteStore, name: str, sessions: list[str], count: int, acknowledged: int) -> None:
    """Appends messages one by one, ``count`` or for ever, in turn to the sessions; indexes now and then."""
    at = 0
    while not count or at < count:
        message_id = f"{name}-{at}"
        new = Message(message_id, "", "user", text_of(message_id), digest=message_id, recorded_at=datetime.now(UTC))
        await store.append(SCOPE, sessions[at % len(sessions)], [new])
        os.write(acknowledged, f"{message_id}\n".encode())
        at += 1
        if at % 8 == 0 and not count:
            await index(store)


def add(memory: Memory, name: str, sessions: list[str], count: int, acknowledged: int) -> None:
    """The same through the sync API, whose callers write on their own threads; its worker indexes."""
    at = 0
    while not count or at < count:
        message_id = f"{name}-{at}"
        chat = memory.session(sessions[at % len(sessions)], user_id=SCOPE.user)
        chat.add("user", text_of(message_id), message_id=message_id)
        os.write(acknowledged, f"{message_id}\n".encode())
        at += 1


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("path", type=Path)
    parser.add_argument("name")
    parser.add_argument("acknowledged", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--own-sessions", action="store_true")
    parser.add_argument("--sync", action="store_true", help="through Memory")
    options = parser.parse_args()
    acknowledged = os.open(options.acknowledged, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    memory = Memory.open(options.path, embedder=None) if options.sync else None
    store = asyncio.run(SqliteStore.open(options.path))
    asyncio.run(store.register([LEXICAL]))
    failed: list[BaseException] = []

    def work(number: int) -> None:
        name = f"{options.name}-{number}"
        sessions = ["shared", name] if options.own_sessions else ["shared"]
        try:
            if memory is not None:
                add(memory, name, sessions, options.count, acknowledged)
            else:
                asyncio.run(write(store, name, sessions, options.count, acknowledged))
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(options.threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if memory is not None:
        memory.close()
    asyncio.run(store.close())
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
