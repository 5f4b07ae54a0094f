"""``Memory``: the same as ``AsyncMemory``, part by part, for code that does not await."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack

from jiyi.engine import AsyncMemory
from jiyi.options import Options, Stated, Where
from jiyi.sync.checking import Checking
from jiyi.sync.gathering import Gathering
from jiyi.sync.grouping import Grouping
from jiyi.sync.linking import Linking
from jiyi.sync.session import Session
from jiyi.sync.snapshotting import Snapshotting
from jiyi.sync.upkeep import Upkeep
from jiyi.types import Erased, Hit, Message, SessionInfo, Stats, Usage
from jiyi.waiting import run

if TYPE_CHECKING:
    from jiyi.ports import Strategy


class Memory(Checking, Gathering, Grouping, Linking, Snapshotting, Upkeep):
    """The memory of all users of one tenant and agent; see ``AsyncMemory``, which has the same methods.

    Attributes:
        inner: the ``AsyncMemory`` behind it, on the loop of ``jiyi.waiting``: await it through ``waiting.elsewhere``.
    """

    def __init__(self, memory: AsyncMemory) -> None:
        self.inner = memory
        self._here = memory.store.adds_inline

    @classmethod
    def open(cls, url: str | Path | None = None, **options: Unpack[Options]) -> Memory:
        """See ``AsyncMemory.open``."""
        return cls(run(AsyncMemory.open(url, **options)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def usage(self) -> dict[str, Usage]:
        """See ``AsyncMemory.usage``."""
        return self.inner.usage

    @property
    def warnings(self) -> list[str]:
        """See ``AsyncMemory.warnings``."""
        return self.inner.warnings

    def close(self) -> None:
        """See ``AsyncMemory.close``."""
        run(self.inner.close())

    def use_recipe(self, recipe: str | Sequence[Strategy]) -> None:
        """See ``AsyncMemory.use_recipe``."""
        run(self.inner.use_recipe(recipe))

    def session(
        self,
        session_id: str | None = None,
        *,
        user_id: str,
        off_record: bool = False,
        checkpoint_every: int | None = None,
    ) -> Session:
        """See ``AsyncMemory.session``."""
        session = self.inner.session(
            session_id, user_id=user_id, off_record=off_record, checkpoint_every=checkpoint_every
        )
        counts = checkpoint_every is not None  # turns, and that is for one thread
        return Session(session, here=self._here and not counts)

    def remember(self, text: str, *, user_id: str, **details: Unpack[Stated]) -> Message:
        """See ``AsyncMemory.remember``."""
        return run(self.inner.remember(text, user_id=user_id, **details), here=self._here)

    def search(
        self,
        query: str,
        *,
        user_id: str,
        k: int = 10,
        floor: float | None = None,
        neighbours: int = 0,
        **where: Unpack[Where],
    ) -> list[Hit]:
        """See ``AsyncMemory.search``."""
        return run(self.inner.search(query, user_id=user_id, k=k, floor=floor, neighbours=neighbours, **where))

    def messages(self, *, user_id: str, limit: int | None = None, **where: Unpack[Where]) -> list[Message]:
        """See ``AsyncMemory.messages``."""
        return run(self.inner.messages(user_id=user_id, limit=limit, **where))

    def sessions(self, *, user_id: str) -> list[SessionInfo]:
        """See ``AsyncMemory.sessions``."""
        return run(self.inner.sessions(user_id=user_id))

    def users(self) -> list[str]:
        """See ``AsyncMemory.users``."""
        return run(self.inner.users())

    def stats(self, user_id: str | None = None) -> Stats:
        """See ``AsyncMemory.stats``."""
        return run(self.inner.stats(user_id))

    def forget(
        self, *, user_id: str, session_id: str | None = None, message_ids: Sequence[str] | None = None
    ) -> Erased:
        """See ``AsyncMemory.forget``."""
        return run(self.inner.forget(user_id=user_id, session_id=session_id, message_ids=message_ids))

    def backup(self, target: str | Path) -> None:
        """See ``AsyncMemory.backup``."""
        run(self.inner.backup(target))

    @staticmethod
    def restore(backup: str | Path, url: str | Path) -> None:
        """See ``AsyncMemory.restore``."""
        run(AsyncMemory.restore(backup, url))
