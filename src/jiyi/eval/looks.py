"""What a search finds for a question before it ranks, kept so that many weights may rank it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from jiyi.copies import once
from jiyi.engine import AsyncMemory
from jiyi.eval.dataset import Question
from jiyi.eval.recall import moment_of
from jiyi.ranking import Ranked, rank
from jiyi.search import Wanted
from jiyi.types import Found, Message
from jiyi.weights import Weights

DEPTH = 200
"""How deep rankings go, as in ``eval recall``."""


@dataclass(frozen=True, slots=True)
class Look:
    """One question and what the store has for it.  Nothing of a label is known here.

    Attributes:
        found: the candidates with their statistics; they depend on no weight.
        now: when it is asked.
        model: whose cosines they are, "" without an embedder.
    """

    question: str
    found: Found
    now: datetime
    model: str

    def ranked(self, weights: Weights) -> list[Ranked]:
        """What a search with these weights and no floor brings: of a message and its copies in forks the best."""
        ranked = rank(self.question, self.found, self.now, model=self.model, weights=weights)
        return once(ranked, lambda one: one.message, DEPTH)


class Looker:
    """Looks for the questions of one user.

    Args:
        memory: everything in it is indexed.
        user_id: whose messages are searched.
    """

    def __init__(self, memory: AsyncMemory, user_id: str) -> None:
        self._memory = memory
        self._user = user_id
        self._messages: Sequence[Message] | None = None

    def more(self) -> None:
        """Something was stored or erased since the last question."""
        self._messages = None

    async def look(self, question: Question) -> Look:
        """What there is for a question at this moment."""
        if self._messages is None:
            self._messages = await self._memory.messages(user_id=self._user)
        searcher, scope = self._memory.searcher, self._memory.scope(self._user)
        found = await searcher.look(scope, question.text, Wanted(k=DEPTH, floor=0))
        moment = moment_of(question, (message.created_at for message in self._messages))
        return Look(question.text, found, moment or self._memory.clock.now(), searcher.model)
