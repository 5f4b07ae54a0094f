"""``Memory`` and ``Session``: the same as the async ones, for code that does not await.  No logic.

One daemon thread runs an event loop for all memories of the process, so this works inside notebooks and running loops,
and a script that forgets ``close()`` still exits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack

from jiyi.about import About, Event
from jiyi.answering import Answer, Asking, AsyncAnswerStream
from jiyi.checkpoints import Difference
from jiyi.commands import Command
from jiyi.context import Context
from jiyi.engine import AsyncMemory
from jiyi.intake import Details
from jiyi.options import Chosen, Options, Stated, Where
from jiyi.session import AsyncSession, Synced
from jiyi.types import (
    JSON,
    Checkpoint,
    Erased,
    Failure,
    Hit,
    Message,
    Progress,
    Record,
    SessionInfo,
    Spent,
    Stats,
    Usage,
)
from jiyi.waiting import run

if TYPE_CHECKING:
    from jiyi.ports import Strategy


class Memory:
    """The memory of all users of one tenant and agent; see ``AsyncMemory``, which has the same methods."""

    def __init__(self, memory: AsyncMemory) -> None:
        self._async = memory
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
        return self._async.usage

    @property
    def warnings(self) -> list[str]:
        """See ``AsyncMemory.warnings``."""
        return self._async.warnings

    def close(self) -> None:
        """See ``AsyncMemory.close``."""
        run(self._async.close())

    def use_recipe(self, recipe: str | Sequence[Strategy]) -> None:
        """See ``AsyncMemory.use_recipe``."""
        run(self._async.use_recipe(recipe))

    def session(
        self,
        session_id: str | None = None,
        *,
        user_id: str,
        off_record: bool = False,
        checkpoint_every: int | None = None,
    ) -> Session:
        """See ``AsyncMemory.session``."""
        session = self._async.session(
            session_id, user_id=user_id, off_record=off_record, checkpoint_every=checkpoint_every
        )
        counts = checkpoint_every is not None  # turns, and that is for one thread
        return Session(session, here=self._here and not counts)

    def remember(self, text: str, *, user_id: str, **details: Unpack[Stated]) -> Message:
        """See ``AsyncMemory.remember``."""
        return run(self._async.remember(text, user_id=user_id, **details), here=self._here)

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
        return run(self._async.search(query, user_id=user_id, k=k, floor=floor, neighbours=neighbours, **where))

    def messages(self, *, user_id: str, limit: int | None = None, **where: Unpack[Where]) -> list[Message]:
        """See ``AsyncMemory.messages``."""
        return run(self._async.messages(user_id=user_id, limit=limit, **where))

    def records(
        self, *, user_id: str, query: str | None = None, limit: int | None = None, **chosen: Unpack[Chosen]
    ) -> list[Record]:
        """See ``AsyncMemory.records``."""
        return run(self._async.records(user_id=user_id, query=query, limit=limit, **chosen))

    def record(self, record_id: str, *, user_id: str) -> Record:
        """See ``AsyncMemory.record``."""
        return run(self._async.record(record_id, user_id=user_id))

    def commands(self, *, user_id: str) -> list[Command]:
        """See ``AsyncMemory.commands``."""
        return run(self._async.commands(user_id=user_id))

    def correct(self, record_id: str, text: str, *, user_id: str) -> Record:
        """See ``AsyncMemory.correct``."""
        return run(self._async.correct(record_id, text, user_id=user_id))

    def pin(self, record_id: str, *, user_id: str, pinned: bool = True) -> Record:
        """See ``AsyncMemory.pin``."""
        return run(self._async.pin(record_id, user_id=user_id, pinned=pinned))

    def hide(self, record_id: str, *, user_id: str) -> Record:
        """See ``AsyncMemory.hide``."""
        return run(self._async.hide(record_id, user_id=user_id))

    def confirm(self, record_id: str, *, user_id: str) -> Record:
        """See ``AsyncMemory.confirm``."""
        return run(self._async.confirm(record_id, user_id=user_id))

    def delete(self, record_id: str, *, user_id: str) -> None:
        """See ``AsyncMemory.delete``."""
        run(self._async.delete(record_id, user_id=user_id))

    def recover(self, record_id: str, *, user_id: str) -> Record:
        """See ``AsyncMemory.recover``."""
        return run(self._async.recover(record_id, user_id=user_id))

    def history(self, record_id: str, *, user_id: str) -> list[Event]:
        """See ``AsyncMemory.history``."""
        return run(self._async.history(record_id, user_id=user_id))

    def about(self, user_id: str) -> About:
        """See ``AsyncMemory.about``."""
        return run(self._async.about(user_id))

    def sessions(self, *, user_id: str) -> list[SessionInfo]:
        """See ``AsyncMemory.sessions``."""
        return run(self._async.sessions(user_id=user_id))

    def users(self) -> list[str]:
        """See ``AsyncMemory.users``."""
        return run(self._async.users())

    def stats(self, user_id: str | None = None) -> Stats:
        """See ``AsyncMemory.stats``."""
        return run(self._async.stats(user_id))

    def drain(
        self, progress: Callable[[list[Progress]], None] | None = None, *, steps: Sequence[str] | None = None
    ) -> None:
        """See ``AsyncMemory.drain``."""
        run(self._async.drain(progress, steps=steps))

    def progress(self) -> list[Progress]:
        """See ``AsyncMemory.progress``."""
        return run(self._async.progress())

    def reindex(self, progress: Callable[[list[Progress]], None] | None = None) -> None:
        """See ``AsyncMemory.reindex``."""
        run(self._async.reindex(progress))

    def rebuild(
        self,
        steps: Sequence[str] | None = None,
        *,
        user_id: str | None = None,
        progress: Callable[[list[Progress]], None] | None = None,
    ) -> None:
        """See ``AsyncMemory.rebuild``."""
        run(self._async.rebuild(steps, user_id=user_id, progress=progress))

    def spent(self, user_id: str | None = None, *, since: date | None = None) -> list[Spent]:
        """See ``AsyncMemory.spent``."""
        return run(self._async.spent(user_id, since=since))

    def expire(self, user_id: str | None = None, *, days: int | None = None, dry_run: bool = False) -> list[Record]:
        """See ``AsyncMemory.expire``."""
        return run(self._async.expire(user_id, days=days, dry_run=dry_run))

    def failures(self, user_id: str | None = None) -> list[Failure]:
        """See ``AsyncMemory.failures``."""
        return run(self._async.failures(user_id))

    def retry(self, steps: Sequence[str] | None = None, *, user_id: str | None = None) -> int:
        """See ``AsyncMemory.retry``."""
        return run(self._async.retry(steps, user_id=user_id))

    def forget(
        self, *, user_id: str, session_id: str | None = None, message_ids: Sequence[str] | None = None
    ) -> Erased:
        """See ``AsyncMemory.forget``."""
        return run(self._async.forget(user_id=user_id, session_id=session_id, message_ids=message_ids))

    def backup(self, target: str | Path) -> None:
        """See ``AsyncMemory.backup``."""
        run(self._async.backup(target))

    @staticmethod
    def restore(backup: str | Path, url: str | Path) -> None:
        """See ``AsyncMemory.restore``."""
        run(AsyncMemory.restore(backup, url))


class Session:
    """One conversation of one user; see ``AsyncSession``, which has the same methods."""

    def __init__(self, session: AsyncSession, *, here: bool = False) -> None:
        self._async = session
        self._here = here

    @property
    def id(self) -> str:
        """See ``AsyncSession``."""
        return self._async.id

    @property
    def user_id(self) -> str:
        """See ``AsyncSession.user_id``."""
        return self._async.user_id

    @property
    def off_record(self) -> bool:
        """See ``AsyncSession``."""
        return self._async.off_record

    def add(self, role: str, content: object, **details: Unpack[Details]) -> Message:
        """See ``AsyncSession.add``."""
        return run(self._async.add(role, content, **details), here=self._here)

    def add_many(self, messages: Sequence[Mapping[str, object]]) -> list[Message]:
        """See ``AsyncSession.add_many``."""
        return run(self._async.add_many(messages), here=self._here)

    def sync(self, messages: Sequence[Mapping[str, object]]) -> Synced:
        """See ``AsyncSession.sync``."""
        return run(self._async.sync(messages))

    def rename(self, title: str) -> SessionInfo:
        """See ``AsyncSession.rename``."""
        return run(self._async.rename(title))

    def branch(self, message_id: str) -> SessionInfo:
        """See ``AsyncSession.branch``."""
        return run(self._async.branch(message_id))

    def checkpoint(self, name: str, *, state: Mapping[str, JSON] | None = None, overwrite: bool = False) -> Checkpoint:
        """See ``AsyncSession.checkpoint``."""
        return run(self._async.checkpoint(name, state=state, overwrite=overwrite))

    def checkpoints(self) -> list[Checkpoint]:
        """See ``AsyncSession.checkpoints``."""
        return run(self._async.checkpoints())

    def restore(self, name: str) -> Checkpoint:
        """See ``AsyncSession.restore``."""
        return run(self._async.restore(name))

    def fork(self, name: str | None = None, *, session_id: str | None = None) -> Session:
        """See ``AsyncSession.fork``."""
        return Session(run(self._async.fork(name, session_id=session_id)), here=self._here)

    def diff(self, a: str | None, b: str | None = None) -> Difference:
        """See ``AsyncSession.diff``."""
        return run(self._async.diff(a, b))

    def delete_checkpoint(self, name: str) -> None:
        """See ``AsyncSession.delete_checkpoint``."""
        run(self._async.delete_checkpoint(name))

    def send(self, content: object, **asking: Unpack[Asking]) -> Answer:
        """See ``AsyncSession.send``."""
        return run(self._async.send(content, **asking))

    def stream(self, content: object, **asking: Unpack[Asking]) -> AnswerStream:
        """See ``AsyncSession.stream``."""
        return AnswerStream(self._async.stream(content, **asking))

    def messages(self, limit: int | None = None, *, all_branches: bool = False) -> list[Message]:
        """See ``AsyncSession.messages``."""
        return run(self._async.messages(limit, all_branches=all_branches))

    def info(self) -> SessionInfo | None:
        """See ``AsyncSession.info``."""
        return run(self._async.info())

    def context(
        self,
        query: str | None = None,
        *,
        max_tokens: int = 4000,
        allow_partial: bool = False,
        instructions: bool = False,
        as_of: datetime | None = None,
    ) -> Context:
        """See ``AsyncSession.context``."""
        return run(
            self._async.context(
                query, max_tokens=max_tokens, allow_partial=allow_partial, instructions=instructions, as_of=as_of
            )
        )


class AnswerStream:
    """An answer while it comes in: ``for piece in stream``; see ``AsyncAnswerStream``."""

    def __init__(self, stream: AsyncAnswerStream) -> None:
        self._async = stream

    @property
    def context(self) -> Context | None:
        """See ``AsyncAnswerStream``."""
        return self._async.context

    @property
    def thought(self) -> str:
        """See ``AsyncAnswerStream``."""
        return self._async.thought

    @property
    def message(self) -> Message | None:
        """See ``AsyncAnswerStream``."""
        return self._async.message

    @property
    def answer(self) -> Answer | None:
        """See ``AsyncAnswerStream``."""
        return self._async.answer

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        try:
            return run(anext(self._async))
        except StopAsyncIteration:
            raise StopIteration from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """See ``AsyncAnswerStream.aclose``."""
        run(self._async.aclose())
