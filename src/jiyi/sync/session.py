"""``Session``: the same as ``AsyncSession``, for code that does not await."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Self, Unpack

from jiyi.answering import Answer, Asking, AsyncAnswerStream
from jiyi.checkpoints import Difference
from jiyi.context import Context
from jiyi.intake import Details
from jiyi.session import AsyncSession
from jiyi.syncing import By, Synced
from jiyi.types import JSON, Checkpoint, Message, Record, SessionInfo
from jiyi.waiting import run


class Session:
    """One conversation of one user; see ``AsyncSession``, which has the same methods.

    Attributes:
        inner: the ``AsyncSession`` behind it; see ``Memory``.
    """

    def __init__(self, session: AsyncSession, *, here: bool = False) -> None:
        self.inner = session
        self._here = here

    @property
    def id(self) -> str:
        """See ``AsyncSession``."""
        return self.inner.id

    @property
    def user_id(self) -> str:
        """See ``AsyncSession.user_id``."""
        return self.inner.user_id

    @property
    def off_record(self) -> bool:
        """See ``AsyncSession``."""
        return self.inner.off_record

    def add(self, role: str, content: object, **details: Unpack[Details]) -> Message:
        """See ``AsyncSession.add``."""
        return run(self.inner.add(role, content, **details), here=self._here)

    def add_many(self, messages: Sequence[Mapping[str, object]]) -> list[Message]:
        """See ``AsyncSession.add_many``."""
        return run(self.inner.add_many(messages), here=self._here)

    def sync(self, messages: Sequence[Mapping[str, object]], *, by: By = "content") -> Synced:
        """See ``AsyncSession.sync``."""
        return run(self.inner.sync(messages, by=by))

    def rename(self, title: str) -> SessionInfo:
        """See ``AsyncSession.rename``."""
        return run(self.inner.rename(title))

    def set_topic(self, topic: str | None) -> Record | None:
        """See ``AsyncSession.set_topic``."""
        return run(self.inner.set_topic(topic))

    def branch(self, message_id: str) -> SessionInfo:
        """See ``AsyncSession.branch``."""
        return run(self.inner.branch(message_id))

    def checkpoint(self, name: str, *, state: Mapping[str, JSON] | None = None, overwrite: bool = False) -> Checkpoint:
        """See ``AsyncSession.checkpoint``."""
        return run(self.inner.checkpoint(name, state=state, overwrite=overwrite))

    def checkpoints(self) -> list[Checkpoint]:
        """See ``AsyncSession.checkpoints``."""
        return run(self.inner.checkpoints())

    def restore(self, name: str) -> Checkpoint:
        """See ``AsyncSession.restore``."""
        return run(self.inner.restore(name))

    def fork(self, name: str | None = None, *, session_id: str | None = None) -> Session:
        """See ``AsyncSession.fork``."""
        return Session(run(self.inner.fork(name, session_id=session_id)), here=self._here)

    def diff(self, a: str | None, b: str | None = None) -> Difference:
        """See ``AsyncSession.diff``."""
        return run(self.inner.diff(a, b))

    def delete_checkpoint(self, name: str) -> None:
        """See ``AsyncSession.delete_checkpoint``."""
        run(self.inner.delete_checkpoint(name))

    def send(self, content: object, **asking: Unpack[Asking]) -> Answer:
        """See ``AsyncSession.send``."""
        return run(self.inner.send(content, **asking))

    def stream(self, content: object, **asking: Unpack[Asking]) -> AnswerStream:
        """See ``AsyncSession.stream``."""
        return AnswerStream(self.inner.stream(content, **asking))

    def messages(self, limit: int | None = None, *, all_branches: bool = False) -> list[Message]:
        """See ``AsyncSession.messages``."""
        return run(self.inner.messages(limit, all_branches=all_branches))

    def info(self) -> SessionInfo | None:
        """See ``AsyncSession.info``."""
        return run(self.inner.info())

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
            self.inner.context(
                query, max_tokens=max_tokens, allow_partial=allow_partial, instructions=instructions, as_of=as_of
            )
        )


class AnswerStream:
    """An answer while it comes in: ``for piece in stream``; see ``AsyncAnswerStream``."""

    def __init__(self, stream: AsyncAnswerStream) -> None:
        self.inner = stream

    @property
    def context(self) -> Context | None:
        """See ``AsyncAnswerStream``."""
        return self.inner.context

    @property
    def thought(self) -> str:
        """See ``AsyncAnswerStream``."""
        return self.inner.thought

    @property
    def message(self) -> Message | None:
        """See ``AsyncAnswerStream``."""
        return self.inner.message

    @property
    def answer(self) -> Answer | None:
        """See ``AsyncAnswerStream``."""
        return self.inner.answer

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        try:
            return run(anext(self.inner))
        except StopAsyncIteration:
            raise StopIteration from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """See ``AsyncAnswerStream.aclose``."""
        run(self.inner.aclose())
