"""``Memory`` and ``Session``: the same as the async ones, for code that does not await.  No logic.

One daemon thread runs an event loop for all memories of the process, so this works inside notebooks and running loops,
and a script that forgets ``close()`` still exits.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from jiyi import inline
from jiyi.answering import Answer, Asking, AsyncAnswerStream
from jiyi.checkpoints import Difference
from jiyi.context import Context
from jiyi.engine import AsyncMemory
from jiyi.errors import JiyiError
from jiyi.intake import Details
from jiyi.options import Options, Stated, Where
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

if TYPE_CHECKING:
    from jiyi.ports import Strategy

T = TypeVar("T")


_starting = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_thread: threading.Thread | None = None


def _running_loop() -> asyncio.AbstractEventLoop:
    """The loop of all memories; its thread ends with the process."""
    global _loop, _thread
    with _starting:
        if _loop is None:
            loop = asyncio.new_event_loop()
            _thread = threading.Thread(target=loop.run_forever, name="jiyi", daemon=True)
            _thread.start()
            _loop = loop
        return _loop


def _start_anew() -> None:
    """A forked child has its parent's loop but not its thread, and perhaps a lock that the parent held."""
    global _starting, _loop, _thread
    _starting, _loop, _thread = threading.Lock(), None, None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anew)


def _run(work: Coroutine[Any, Any, T], *, here: bool = False) -> T:
    """Runs a coroutine on the loop's thread; an interrupt cancels it there before it is passed on.

    Args:
        work: the coroutine.
        here: on the calling thread instead: it adds to a store that needs no loop for that.
    """
    if threading.current_thread() is _thread:
        work.close()
        raise JiyiError(
            "this runs inside the memory (a callback, strategy or embedder), where a call that waits for the memory "
            "would never return; use AsyncMemory there, or call it afterwards"
        )
    if here:
        return inline.run(work)
    inline.check_free(work)
    future = asyncio.run_coroutine_threadsafe(work, _running_loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


class Memory:
    """The memory of all users of one tenant and agent; see ``AsyncMemory``, which has the same methods."""

    def __init__(self, memory: AsyncMemory) -> None:
        self._async = memory
        self._here = memory.store.adds_inline

    @classmethod
    def open(cls, url: str | Path | None = None, **options: Unpack[Options]) -> Memory:
        """See ``AsyncMemory.open``."""
        return cls(_run(AsyncMemory.open(url, **options)))

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
        _run(self._async.close())

    def use_recipe(self, recipe: str | Sequence[Strategy]) -> None:
        """See ``AsyncMemory.use_recipe``."""
        _run(self._async.use_recipe(recipe))

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
        return _run(self._async.remember(text, user_id=user_id, **details), here=self._here)

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
        return _run(self._async.search(query, user_id=user_id, k=k, floor=floor, neighbours=neighbours, **where))

    def messages(self, *, user_id: str, limit: int | None = None, **where: Unpack[Where]) -> list[Message]:
        """See ``AsyncMemory.messages``."""
        return _run(self._async.messages(user_id=user_id, limit=limit, **where))

    def sessions(self, *, user_id: str) -> list[SessionInfo]:
        """See ``AsyncMemory.sessions``."""
        return _run(self._async.sessions(user_id=user_id))

    def users(self) -> list[str]:
        """See ``AsyncMemory.users``."""
        return _run(self._async.users())

    def stats(self, user_id: str | None = None) -> Stats:
        """See ``AsyncMemory.stats``."""
        return _run(self._async.stats(user_id))

    def drain(
        self, progress: Callable[[list[Progress]], None] | None = None, *, steps: Sequence[str] | None = None
    ) -> None:
        """See ``AsyncMemory.drain``."""
        _run(self._async.drain(progress, steps=steps))

    def progress(self) -> list[Progress]:
        """See ``AsyncMemory.progress``."""
        return _run(self._async.progress())

    def reindex(self, progress: Callable[[list[Progress]], None] | None = None) -> None:
        """See ``AsyncMemory.reindex``."""
        _run(self._async.reindex(progress))

    def rebuild(
        self,
        steps: Sequence[str] | None = None,
        *,
        user_id: str | None = None,
        progress: Callable[[list[Progress]], None] | None = None,
    ) -> None:
        """See ``AsyncMemory.rebuild``."""
        _run(self._async.rebuild(steps, user_id=user_id, progress=progress))

    def spent(self, user_id: str | None = None, *, since: date | None = None) -> list[Spent]:
        """See ``AsyncMemory.spent``."""
        return _run(self._async.spent(user_id, since=since))

    def expire(self, user_id: str | None = None, *, days: int | None = None, dry_run: bool = False) -> list[Record]:
        """See ``AsyncMemory.expire``."""
        return _run(self._async.expire(user_id, days=days, dry_run=dry_run))

    def failures(self, user_id: str | None = None) -> list[Failure]:
        """See ``AsyncMemory.failures``."""
        return _run(self._async.failures(user_id))

    def retry(self, steps: Sequence[str] | None = None, *, user_id: str | None = None) -> int:
        """See ``AsyncMemory.retry``."""
        return _run(self._async.retry(steps, user_id=user_id))

    def forget(
        self, *, user_id: str, session_id: str | None = None, message_ids: Sequence[str] | None = None
    ) -> Erased:
        """See ``AsyncMemory.forget``."""
        return _run(self._async.forget(user_id=user_id, session_id=session_id, message_ids=message_ids))

    def backup(self, target: str | Path) -> None:
        """See ``AsyncMemory.backup``."""
        _run(self._async.backup(target))

    @staticmethod
    def restore(backup: str | Path, url: str | Path) -> None:
        """See ``AsyncMemory.restore``."""
        _run(AsyncMemory.restore(backup, url))


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
        return _run(self._async.add(role, content, **details), here=self._here)

    def add_many(self, messages: Sequence[Mapping[str, object]]) -> list[Message]:
        """See ``AsyncSession.add_many``."""
        return _run(self._async.add_many(messages), here=self._here)

    def sync(self, messages: Sequence[Mapping[str, object]]) -> Synced:
        """See ``AsyncSession.sync``."""
        return _run(self._async.sync(messages))

    def rename(self, title: str) -> SessionInfo:
        """See ``AsyncSession.rename``."""
        return _run(self._async.rename(title))

    def branch(self, message_id: str) -> SessionInfo:
        """See ``AsyncSession.branch``."""
        return _run(self._async.branch(message_id))

    def checkpoint(self, name: str, *, state: Mapping[str, JSON] | None = None, overwrite: bool = False) -> Checkpoint:
        """See ``AsyncSession.checkpoint``."""
        return _run(self._async.checkpoint(name, state=state, overwrite=overwrite))

    def checkpoints(self) -> list[Checkpoint]:
        """See ``AsyncSession.checkpoints``."""
        return _run(self._async.checkpoints())

    def restore(self, name: str) -> Checkpoint:
        """See ``AsyncSession.restore``."""
        return _run(self._async.restore(name))

    def fork(self, name: str | None = None, *, session_id: str | None = None) -> Session:
        """See ``AsyncSession.fork``."""
        return Session(_run(self._async.fork(name, session_id=session_id)), here=self._here)

    def diff(self, a: str | None, b: str | None = None) -> Difference:
        """See ``AsyncSession.diff``."""
        return _run(self._async.diff(a, b))

    def delete_checkpoint(self, name: str) -> None:
        """See ``AsyncSession.delete_checkpoint``."""
        _run(self._async.delete_checkpoint(name))

    def send(self, content: object, **asking: Unpack[Asking]) -> Answer:
        """See ``AsyncSession.send``."""
        return _run(self._async.send(content, **asking))

    def stream(self, content: object, **asking: Unpack[Asking]) -> AnswerStream:
        """See ``AsyncSession.stream``."""
        return AnswerStream(self._async.stream(content, **asking))

    def messages(self, limit: int | None = None, *, all_branches: bool = False) -> list[Message]:
        """See ``AsyncSession.messages``."""
        return _run(self._async.messages(limit, all_branches=all_branches))

    def info(self) -> SessionInfo | None:
        """See ``AsyncSession.info``."""
        return _run(self._async.info())

    def context(
        self,
        query: str | None = None,
        *,
        max_tokens: int = 4000,
        allow_partial: bool = False,
        instructions: bool = False,
    ) -> Context:
        """See ``AsyncSession.context``."""
        return _run(
            self._async.context(query, max_tokens=max_tokens, allow_partial=allow_partial, instructions=instructions)
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
            return _run(anext(self._async))
        except StopAsyncIteration:
            raise StopIteration from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """See ``AsyncAnswerStream.aclose``."""
        _run(self._async.aclose())
