"""Plants facts early in a chat, lets other talk pass, asks for them in other words, and sees what still comes back."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from statistics import fmean

from jiyi.engine import AsyncMemory
from jiyi.eval.dataset import Conversation
from jiyi.eval.facts import Fact, words
from jiyi.eval.recall import USER
from jiyi.eval.statistics import rounded, share
from jiyi.prompts import LANGUAGES
from jiyi.text import terms
from jiyi.tokens import REPLY, count_message
from jiyi.types import ChatMessage, Hit, Item

PLANTED = 10
"""Facts in one chat, one in each of its first turns."""

FIRST = 5
"""Hits among which a fact counts as found."""

DEEP = 100
"""How far a fact's place is looked for."""

STRETCH = 50
"""Turns of one conversation that stand together in the talk between."""

SESSION = "decay"

LONG = 1000
"""Characters of a turn that serves as filler, at most."""

POOL = 2
"""So many times the turns of a chat are what its filler is drawn from: vectors are made once for all chats."""

BATCH = 250
"""Turns that are stored and indexed at once."""

BEGAN = datetime(2026, 1, 5, tzinfo=UTC)
TURN = timedelta(minutes=1)
"""When the first turn after the facts is said, and the time from one to the next.

A thousand turns lie on one day: the indexed text has the day in it, so each filler has one vector, wherever it stands.
"""

Turn = tuple[str, str]
"""What the user says, and the answer."""

_NOTED = {"en": "Noted.", "zh": "好的，记下了。"}


@dataclass(frozen=True, slots=True)
class Chat:
    """Facts of one person, and the turns that follow them; as many as the longest distance needs."""

    facts: tuple[Fact, ...]
    filler: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """What was left of one fact after so many turns.

    Attributes:
        found: among the first hits of a search.
        rank: its place without a relevance floor, from 1; 0 when it is not among the first ``DEEP``.
        relevance: of its message; 0 when it is not there.
        first: the text of the first hit without a floor, and ``first_relevance`` its relevance.
        shown: recipe -> whether the fact's message, or what was derived of it with the answer, stands in the context.
        tokens: recipe -> tokens of that context.
        full: tokens of the whole history.
    """

    fact: Fact
    turns: int
    found: bool
    rank: int
    relevance: float
    first: str
    first_relevance: float
    shown: Mapping[str, bool]
    tokens: Mapping[str, int]
    full: int


def chosen(facts: Sequence[Fact], wanted: int, *, seed: int = 7) -> list[Fact]:
    """So many facts of labelled data, always the same ones: up to ``PLANTED`` of each person before more of any."""
    rng = random.Random(seed)
    by_person: dict[str, list[Fact]] = {}
    for fact in rng.sample(facts, len(facts)):
        by_person.setdefault(fact.source, []).append(fact)
    deepest = max(map(len, by_person.values()), default=0)
    rounds = range(0, deepest, PLANTED)
    return [fact for at in rounds for found in by_person.values() for fact in found[at : at + PLANTED]][:wanted]


def chats(facts: Sequence[Fact], conversations: Sequence[Conversation], turns: int, *, seed: int = 7) -> Iterator[Chat]:
    """Chats with up to ``PLANTED`` facts of one person each and enough filler, always the same for the same input.

    Filler comes in stretches of conversations that the facts are not from, drawn for each chat out of ``POOL`` times as
    many turns.  A turn with all words of a fact's answer and one of its question is left out: it might answer as well.

    Args:
        facts: of one language.
        conversations: where filler is taken from.
        turns: filler turns of a chat.
        seed: of the order.
    """
    rng = random.Random(seed)
    stretches = _stretches(conversations, POOL * turns, rng)
    for group in _groups(facts):
        there = [found for name, found in stretches if name != group[0].source]
        filler = tuple(islice(_filler(there, group, rng), turns))
        if len(filler) == turns:
            yield Chat(tuple(group), filler)


def _groups(facts: Sequence[Fact]) -> Iterator[list[Fact]]:
    """Those of one person under one name, and no question twice; in order of time."""
    groups: dict[tuple[str, str, int], list[Fact]] = {}
    for fact in facts:
        part = 0
        while len(group := groups.setdefault((fact.source, fact.speaker, part), [])) == PLANTED or any(
            fact.question == other.question for other in group
        ):
            part += 1
        group.append(fact)
    for group in groups.values():
        yield sorted(group, key=lambda fact: fact.told or BEGAN)


def _stretches(
    conversations: Sequence[Conversation], wanted: int, rng: random.Random
) -> list[tuple[str, Sequence[Turn]]]:
    """(Conversation, turns that stand together) until there are enough; the conversations take turns."""
    left: list[tuple[str, list[Turn]]] = []
    for conversation in conversations:
        turns = list(_turns(conversation))
        start = rng.randrange(len(turns)) if turns else 0
        left.append((conversation.id, turns[start:] + turns[:start]))
    found: list[tuple[str, Sequence[Turn]]] = []
    count = 0
    while count < wanted and (left := [(name, turns) for name, turns in left if turns]):
        for name, turns in left:
            found.append((name, turns[:STRETCH]))
            count += len(turns[:STRETCH])
            del turns[:STRETCH]
    return found


def _filler(stretches: Sequence[Sequence[Turn]], facts: Sequence[Fact], rng: random.Random) -> Iterator[Turn]:
    """The turns of the stretches in an order drawn by chance; then again."""
    answers = [(set(terms(fact.answer)), words(fact.question)) for fact in facts if fact.answer]
    fitting: list[Turn] = []
    for stretch in rng.sample(stretches, len(stretches)):
        for turn in stretch:
            said = terms(" ".join(turn)).keys()
            if not any(answer <= said and asked & said for answer, asked in answers):
                fitting.append(turn)
    return cycle(fitting)


def _turns(conversation: Conversation) -> Iterator[Turn]:
    """What a user said with what was answered, where it is not too long."""
    said = ""
    for entry in [*conversation.entries, None]:
        text = str(entry.fields.get("content") or "") if entry else ""
        answer = "" if entry is None or entry.fields.get("role") == "user" else text
        if said and len(said) + len(answer) <= LONG:
            yield said, answer
        said = "" if answer else text


async def measure(
    memory: AsyncMemory,
    chat: Chat,
    distances: Sequence[int],
    recipes: Sequence[str],
    *,
    budget: int,
    passed: Callable[[int], None] = lambda turns: None,
) -> list[Kept]:
    """Replays one chat into an empty memory and asks for its facts at each distance.

    Args:
        memory: empty, its worker stopped.
        chat: at least as long as the largest distance.
        distances: turns after the facts, ascending.
        recipes: whose contexts are looked at.
        budget: tokens of a context.
        passed: called with the turns that were just stored and indexed.
    """
    replay = _Replay(memory, chat.facts[0].speaker)
    planted = await replay.plant(chat.facts)
    kept: list[Kept] = []
    done = 0
    for distance in distances:
        for start in range(done, distance, BATCH):
            part = chat.filler[start : min(distance, start + BATCH)]
            await replay.say(part)
            passed(len(part))
        done = distance
        found = [await replay.search(fact, wanted) for fact, wanted in zip(chat.facts, planted, strict=True)]
        shown = await replay.contexts(list(zip(chat.facts, planted, strict=True)), recipes, budget)
        kept += [
            Kept(fact, distance, *seen, *context, replay.full)
            for fact, seen, context in zip(chat.facts, found, shown, strict=True)
        ]
    return kept


class _Replay:
    """One session of a user who may have a name, and what its whole history takes."""

    def __init__(self, memory: AsyncMemory, name: str) -> None:
        self._memory = memory
        self._session = memory.session(SESSION, user_id=USER)
        self._name = name
        self._at = BEGAN
        self.full = REPLY

    async def plant(self, facts: Sequence[Fact]) -> list[str]:
        """Stores the facts, each at its time; gives the ids of their messages."""
        messages: list[dict[str, object]] = []
        for fact in facts:
            turn = (fact.lead, fact.text) if fact.lead else (fact.text, _NOTED[fact.language])
            messages += self._messages(turn, fact.told or self._at)
        ids = await self._store(messages)
        return [ids[2 * at + bool(fact.lead)] for at, fact in enumerate(facts)]

    async def say(self, turns: Sequence[Turn]) -> None:
        """Stores and indexes turns."""
        messages: list[dict[str, object]] = []
        for turn in turns:
            messages += self._messages(turn, self._at)
            self._at += TURN
        await self._store(messages)

    def _messages(self, turn: Turn, at: datetime) -> list[dict[str, object]]:
        said, answer = turn
        name = {"name": self._name} if self._name else {}
        messages: list[dict[str, object]] = [{"role": "user", "content": said, "created_at": at, **name}]
        if answer:
            messages.append({"role": "assistant", "content": answer, "created_at": at})
        return messages

    async def _store(self, messages: Sequence[dict[str, object]]) -> list[str]:
        for message in messages:
            chat: ChatMessage = {"role": message["role"], "content": message["content"]}
            self.full += count_message(self._memory.counter, chat)
        stored = await self._session.add_many(messages)
        await self._memory.drain()
        return [message.id for message in stored]

    async def search(self, fact: Fact, wanted: str) -> tuple[bool, int, float, str, float]:
        """What ``Kept`` has of a search, from ``found`` to ``first_relevance``."""
        hits = await self._memory.search(fact.question, user_id=USER, k=FIRST)
        found = any(hit.message.id == wanted for hit in hits)
        every = await self._memory.search(fact.question, user_id=USER, k=DEEP, floor=0)
        place: dict[str, tuple[int, Hit]] = {hit.message.id: (at, hit) for at, hit in enumerate(every, 1)}
        rank, relevance = (place[wanted][0], place[wanted][1].relevance) if wanted in place else (0, 0.0)
        return found, rank, relevance, every[0].message.text if every else "", every[0].relevance if every else 0.0

    async def contexts(
        self, asked: Sequence[tuple[Fact, str]], recipes: Sequence[str], budget: int
    ) -> list[tuple[Mapping[str, bool], Mapping[str, int]]]:
        """For each fact what ``Kept`` has of the contexts: ``shown`` and ``tokens``."""
        shown: list[tuple[dict[str, bool], dict[str, int]]] = [({}, {}) for _ in asked]
        for recipe in recipes:
            await self._memory.use_recipe(recipe)
            for (fact, wanted), (there, tokens) in zip(asked, shown, strict=True):
                context = await self._session.context(fact.question, max_tokens=budget, allow_partial=True)
                there[recipe] = any(shows(item, fact, wanted) for block in context.blocks for item in block.items)
                tokens[recipe] = context.tokens
        return list(shown)


def shows(item: Item, fact: Fact, wanted: str) -> bool:
    """Whether an item quotes the fact's message, or says in words of its own all that the message says of the answer.

    A quoted passage counts as the message: it is chosen by the question.
    """
    if wanted not in item.sources:
        return False
    said = words(fact.answer) & words(fact.text) or words(fact.text)
    return not item.text or said <= words(item.text)


def summary(kept: Sequence[Kept], distances: Sequence[int], recipes: Sequence[str]) -> list[dict[str, object]]:
    """One row for each language, kind of fact and distance: shares with their intervals, and tokens.

    The kinds are ``all``, ``made-up`` and ``labelled``; rows that would count nothing are left out.
    """
    kinds = {"all": (True, False), "made-up": (True,), "labelled": (False,)}
    rows: list[dict[str, object]] = []
    for language in LANGUAGES:
        for kind, which in kinds.items():
            for turns in distances:
                here = [one for one in kept if (one.fact.language, one.turns) == (language, turns)]
                here = [one for one in here if one.fact.made_up in which]
                if here:
                    rows.append({"language": language, "kind": kind, **_row(here, turns, recipes)})
    return rows


def _row(kept: Sequence[Kept], turns: int, recipes: Sequence[str]) -> dict[str, object]:
    def part(flags: Sequence[bool]) -> list[float]:
        return rounded(share(sum(flags), len(flags)))

    return {
        "turns": turns,
        "facts": len(kept),
        "first_five": part([one.found for one in kept]),
        "first_five_without_floor": part([0 < one.rank <= FIRST for one in kept]),
        "full_history_tokens": round(fmean(one.full for one in kept)),
        "recipes": {
            name: {
                "kept": part([one.shown[name] for one in kept]),
                "tokens": round(fmean(one.tokens[name] for one in kept)),
            }
            for name in recipes
        },
    }
