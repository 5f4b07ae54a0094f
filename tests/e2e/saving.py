"""A process that saves checkpoints until it is killed: ``python -m tests.e2e.saving PATH ACKNOWLEDGED``; or, with a
third argument, tries to save each of so many names once and writes which it got.

What was acknowledged is noted with one unbuffered write, which a kill cannot take back.
"""

from __future__ import annotations

import os
import sys

from jiyi import Conflict, Memory


def main(path: str, acknowledged: str, names: int) -> None:
    """Saves, and notes what is safe."""
    notes = os.open(acknowledged, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with Memory.open(path, embedder=None, tokenizer="estimate") as memory:
        chat = memory.session("s", user_id="李雪", checkpoint_every=1)
        for number in range(names):
            try:
                chat.checkpoint(f"方案{number}", state={"pid": os.getpid()})
            except Conflict:
                continue
            os.write(notes, f"{os.getpid()} 方案{number}\n".encode())
        number = 0
        while not names:
            number += 1
            chat.add("user", f"question {number}")
            chat.add("assistant", f"answer {number}")
            name = f"{os.getpid()}-{number % 5}"
            saved = chat.checkpoint(name, state={"n": number, "long": "词" * 3000}, overwrite=True)
            os.write(notes, f"{name} {number} {saved.message_id}\n".encode())
            if number % 7 == 0:
                chat.fork(name)
            if number % 3 == 0:
                chat.restore(f"{os.getpid()}-{(number - 1) % 5}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0)
