"""An index of vectors in a file, and a process that is killed between it and the store:
``python -m tests.e2e.keeping DIRECTORY put|drop``.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from jiyi import Memory
from jiyi.embedders.hashing import HashingEmbedder
from jiyi.types import Embedded
from jiyi.vectors.memory import MemoryVectors

TEXTS = ["我的侄女上一年级", "The boat leaves at nine", "The greenhouse needs glass"]


class FileVectors(MemoryVectors):
    """Writes all it holds after every change.

    Args:
        path: of the file.
        dies: after this method, the process does.
    """

    def __init__(self, path: str = "vectors.bin", dies: str = "") -> None:
        super().__init__("file")
        self._path, self._dies = Path(path), dies
        if self._path.exists():
            self._spaces = pickle.loads(self._path.read_bytes())

    async def put(self, space: str, model: str, entries: Sequence[Embedded]) -> None:
        await super().put(space, model, entries)
        self._written("put")

    async def drop(self, space: str, seqs: Collection[int] | None, *, model: str | None = None) -> None:
        await super().drop(space, seqs, model=model)
        self._written("drop")

    async def close(self) -> None:
        """What it holds stays in the file."""

    def seqs(self) -> set[int]:
        """Of whatever space."""
        return {seq for models in self._spaces.values() for held in models.values() for seq in held}

    def _written(self, method: str) -> None:
        self._path.write_bytes(pickle.dumps(self._spaces))
        if method == self._dies:
            os.kill(os.getpid(), signal.SIGKILL)


class Down(MemoryVectors):
    """Nobody answers."""

    async def drop(self, space: str, seqs: Collection[int] | None, *, model: str | None = None) -> None:
        raise ConnectionError("connection refused")


def open_memory(directory: Path, dies: str = "") -> tuple[Memory, FileVectors]:
    """The memory of a directory, and its index."""
    index = FileVectors(str(directory / "vectors.bin"), dies)
    memory = Memory.open(
        directory / "jiyi.db", vectors=index, embedder=HashingEmbedder(), tokenizer="estimate", recipe="casual"
    )
    return memory, index


def main(directory: Path, dies: str) -> None:
    """Says something, has it embedded, erases it; unless it is killed before."""
    memory, _ = open_memory(directory, dies)
    session = memory.session("s", user_id="李雪")
    for at, text in enumerate(TEXTS):
        session.add("user", text, message_id=f"m{at}")
    memory.drain()
    memory.forget(user_id="李雪", message_ids=["m0"])


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
