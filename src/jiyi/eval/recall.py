"""Replays a conversation into an empty memory up to the moment of each question, and sets the clock by it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from jiyi.engine import AsyncMemory
from jiyi.eval.dataset import Conversation, Question
from jiyi.importing import Entry

USER = "replayed"
BATCH = 500


class Replay:
    """One conversation in a memory of its own.

    A question with a moment is asked when exactly the messages before that moment are stored, so nothing has to be
    hidden from the search; the others are asked at the end.

    Args:
        memory: empty, and nobody else's.
        stored: called with the number of messages that were just stored and indexed.
    """

    def __init__(self, memory: AsyncMemory, *, stored: Callable[[int], None] = lambda count: None) -> None:
        self._memory = memory
        self._stored = stored
        self._done = 0

    async def moments(self, conversation: Conversation) -> AsyncGenerator[int, None]:
        """The number of each question when exactly the messages before its moment are stored and indexed."""
        place = {entry.message_id: number for number, entry in enumerate(conversation.entries)}
        end = len(conversation.entries)
        moments = [place[q.before] if q.before else end for q in conversation.questions]
        for index in sorted(range(len(moments)), key=lambda index: moments[index]):
            await self._append(conversation.entries[self._done : moments[index]])
            self._done = max(self._done, moments[index])
            yield index

    async def finish(self, conversation: Conversation) -> None:
        """Stores the rest of a conversation whose questions were asked."""
        await self._append(conversation.entries[self._done :])

    async def _append(self, entries: Sequence[Entry]) -> None:
        """Stores and indexes what was said next."""
        for start in range(0, len(entries), BATCH):
            part = entries[start : start + BATCH]
            for session_id, said in _by_session(part):
                chat = self._memory.session(session_id, user_id=USER)
                await chat.add_many([entry.fields for entry in said])
            await self._memory.drain()
            self._stored(len(part))


def _by_session(entries: Iterable[Entry]) -> Iterable[tuple[str, list[Entry]]]:
    for session_id, said in groupby(entries, key=lambda entry: entry.session_id):
        yield session_id, list(said)


# -- the clock -------------------------------------------------------------------------------------------------------


def moment_of(question: Question, said: Iterable[datetime | None]) -> datetime | None:
    """When a question is asked: as the data say, else a day after the newest of what was said before it.

    Args:
        question: to ask.
        said: when that was, as far as it is known; of nothing known the moment is None.
    """
    newest = max((time for time in said if time), default=None)
    return question.moment or (newest and newest + timedelta(days=1))


@dataclass(frozen=True, slots=True)
class _Stopped:
    at: datetime

    def now(self) -> datetime:
        return self.at


@contextmanager
def asked_at(memory: AsyncMemory, moment: datetime | None) -> Generator[None]:
    """Lets the memory search as if it were that time, so that "last week" is the week that was meant; None for now."""
    searcher = memory.searcher
    usual = searcher.clock
    searcher.clock = usual if moment is None else _Stopped(moment)
    try:
        yield
    finally:
        searcher.clock = usual
