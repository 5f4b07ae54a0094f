"""Has a user's messages ordered for one question, in every configuration, and takes the time."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from jiyi.copies import once
from jiyi.engine import AsyncMemory
from jiyi.eval.configurations import Configuration
from jiyi.eval.dataset import Question
from jiyi.eval.recall import asked_at, moment_of
from jiyi.eval.vectors import QuestionsOnce
from jiyi.indexing import LEXICAL
from jiyi.quoting import Day, Sizes, day_of, quoted
from jiyi.text import language, query_terms
from jiyi.tokens import REPLY, count_message
from jiyi.types import Found, Message, Probe
from jiyi.weights import Weights


@dataclass(frozen=True, slots=True)
class Ordered:
    """What one configuration made of one question.

    Attributes:
        ranking: message ids, best first.
        inside: budget in tokens -> the messages that a context of so many tokens quotes.
        seconds: of the search without the question's embedding; None for a yardstick.
    """

    ranking: tuple[str, ...]
    inside: Mapping[int, frozenset[str]]
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """One question, asked in all configurations.

    Attributes:
        ordered: in the order of the configurations.
        embedding: seconds that the question's vector took; None without an embedder.
        history: tokens of everything said so far, as messages of a chat.
    """

    ordered: tuple[Ordered, ...]
    embedding: float | None
    history: int


class Asker:
    """Asks the questions of one user.  Nothing of a label is known here.

    Args:
        memory: everything in it is indexed, and its worker is stopped.
        user_id: whose messages are searched.
        configurations: all with the memory's embedder.
        questions: the memory's embedder, None where it has none.
        limit: how deep rankings go.
        budgets: tokens of the contexts that are filled.
    """

    def __init__(
        self,
        memory: AsyncMemory,
        user_id: str,
        configurations: Sequence[Configuration],
        questions: QuestionsOnce | None,
        *,
        limit: int = 200,
        budgets: Sequence[int] = (),
    ) -> None:
        self._memory = memory
        self._user = user_id
        self._configurations = configurations
        self._questions = questions
        self._limit = limit
        self._budgets = budgets
        self._messages: list[Message] | None = None
        self._history = 0
        self._recitals: dict[tuple[str, str], Ordered] = {}
        self._lines: dict[tuple[str, str], int] = {}
        self._chat: dict[str, int] = {}

    def more(self) -> None:
        """Something was stored since the last question."""
        self._messages = None

    async def ask(self, question: Question) -> Reply:
        """Asks it in every configuration, in order; the first one embeds it."""
        if self._messages is None:
            self._messages = await self._memory.messages(user_id=self._user)
            self._history = REPLY + sum(map(self._as_chat, self._messages))
            self._recitals = {}
        found: Found | None = None
        ordered: list[Ordered] = []
        with asked_at(self._memory, moment_of(question, (message.created_at for message in self._messages))):
            for one in self._configurations:
                if one.how == "search":
                    ranked, seconds = await self._search(question.text, one.weights)
                    ordered.append(self._filled(ranked, question.text, seconds))
                elif one.how in ("bm25", "dense"):
                    found = found or await self._find(question.text)
                    ranked = _by_words(found) if one.how == "bm25" else _by_meaning(found)
                    ordered.append(self._filled(once(ranked, lambda message: message, self._limit), question.text))
                else:
                    ordered.append(self._recited(one.how, question.text))
        embedding = self._questions.seconds(question.text) if self._questions else None
        return Reply(tuple(ordered), embedding, self._history)

    async def _search(self, question: str, weights: Weights) -> tuple[list[Message], float]:
        searcher = self._memory.searcher
        usual, searcher.weights = searcher.weights, weights
        try:
            return await self._timed(question)
        finally:
            searcher.weights = usual

    async def _timed(self, question: str) -> tuple[list[Message], float]:
        """The ranking, and the seconds it took without the question's embedding."""
        began = time.perf_counter()
        before = self._questions.spent if self._questions else 0.0
        hits = await self._memory.search(question, user_id=self._user, k=self._limit, floor=0)
        embedding = self._questions.spent - before if self._questions else 0.0
        return [hit.message for hit in hits], time.perf_counter() - began - embedding

    async def _find(self, question: str) -> Found:
        """Both indexes looked through to the end: a yardstick must not suffer from limits that make a search quick."""
        vector = await self._questions.embed_query(question) if self._questions else None
        probe = Probe(
            terms=query_terms(question),
            model=self._questions.name if self._questions else "",
            vector=vector,
            best=self._limit,
            postings=len(self._messages or ()),
            step=LEXICAL,
        )
        return await self._memory.store.find(self._memory.scope(self._user), probe)

    def _recited(self, how: str, question: str) -> Ordered:
        """The newest messages as far as they fit; or everything, where it fits whole: the same for every question."""
        key = how, language(question)
        if key not in self._recitals:
            newest = (self._messages or [])[::-1]
            if how == "window":
                filled = self._filled(newest, question, skip=False)
                self._recitals[key] = Ordered(filled.ranking[: self._limit], filled.inside)
            else:
                everything, nothing = frozenset(message.id for message in newest), frozenset[str]()
                fits = {budget: everything if self._history <= budget else nothing for budget in self._budgets}
                self._recitals[key] = Ordered((), fits)
        return self._recitals[key]

    def _filled(
        self, ranked: Sequence[Message], question: str, seconds: float | None = None, *, skip: bool = True
    ) -> Ordered:
        """Fills each budget with quoted lines, best first; what does not fit whole is skipped, or ends it."""
        spoken = language(question)
        sizes = Sizes(self._memory.counter, spoken)
        inside: dict[int, frozenset[str]] = {}
        lines = list(self._sized(ranked, sizes, spoken)) if self._budgets else []
        for budget in self._budgets:
            room, taken, begun = budget - sizes.frame, list[str](), set[Day]()
            for message, line in lines:
                size = sizes.together([line], begun)
                if size <= room:
                    room -= size
                    taken.append(message.id)
                    begun.add(line[0])
                elif not skip:
                    break
            inside[budget] = frozenset(taken)
        return Ordered(tuple(message.id for message in ranked), inside, seconds)

    def _sized(self, ranked: Iterable[Message], sizes: Sizes, spoken: str) -> Iterator[tuple[Message, tuple[Day, int]]]:
        """The messages that have a line to quote, with its day and its tokens, each counted once."""
        for message in ranked:
            size = self._lines.get((message.id, spoken))
            if size is None:
                text = quoted(message, spoken)
                size = sizes.line(text) if text else 0
                self._lines[message.id, spoken] = size
            if size:
                yield message, (day_of(message, spoken), size)

    def _as_chat(self, message: Message) -> int:
        found = self._chat.get(message.id)
        if found is None:
            found = count_message(self._memory.counter, {"role": message.role, "content": message.text})
            self._chat[message.id] = found
        return found


def _by_words(found: Found) -> Iterator[Message]:
    order = sorted(found.words, key=lambda seq: (-found.words[seq], -seq))
    return (found.messages[seq] for seq in order if seq in found.messages)


def _by_meaning(found: Found) -> Iterator[Message]:
    return (found.messages[seq] for seq in found.dense.hits if seq in found.messages)
