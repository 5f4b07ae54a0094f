"""Replays a conversation into an empty memory and asks each question at its moment."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import groupby

from jiyi.engine import AsyncMemory
from jiyi.eval.dataset import Conversation, Question
from jiyi.importing import Entry

USER = "replayed"
BATCH = 500


@dataclass(frozen=True, slots=True)
class Asked:
    """The answer to one question.

    Attributes:
        ranking: message ids, best first.
        relevances: of each of them, 0..1.
        seconds: how long the search took.
    """

    index: int
    ranking: tuple[str, ...]
    relevances: tuple[float, ...]
    seconds: float


class Replay:
    """One conversation in a memory of its own.

    A question with a moment is asked when exactly the messages before that moment are stored, so nothing has to be
    hidden from the search; the others are asked at the end.

    Args:
        memory: empty, and nobody else's.
        limit: how deep the rankings go.
        stored: called with the number of messages that were just stored and indexed.
        asked: called with each answer.
    """

    def __init__(
        self,
        memory: AsyncMemory,
        *,
        limit: int = 200,
        stored: Callable[[int], None] = lambda count: None,
        asked: Callable[[Asked], None] = lambda answer: None,
    ) -> None:
        self._memory = memory
        self._limit = limit
        self._stored = stored
        self._asked = asked
        self._done = 0

    async def run(self, conversation: Conversation) -> list[Asked]:
        """All answers, in the order of the questions.  What comes after the last question's moment is not stored."""
        answers: list[Asked] = []
        async with aclosing(self.moments(conversation)) as moments:
            async for index in moments:
                answer = await self._ask(index, conversation.questions[index])
                answers.append(answer)
                self._asked(answer)
        return sorted(answers, key=lambda answer: answer.index)

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

    async def _ask(self, index: int, question: Question) -> Asked:
        began = time.perf_counter()
        hits = await self._memory.search(question.text, user_id=USER, k=self._limit, floor=0)
        seconds = time.perf_counter() - began
        ids, relevances = (hit.message.id for hit in hits), (hit.relevance for hit in hits)
        return Asked(index, tuple(ids), tuple(relevances), seconds)


def _by_session(entries: Iterable[Entry]) -> Iterable[tuple[str, list[Entry]]]:
    for session_id, said in groupby(entries, key=lambda entry: entry.session_id):
        yield session_id, list(said)
