"""Plants facts early in a chat, lets other talk pass, asks for them in other words, and sees what still comes back."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from math import sqrt
from typing import cast

from jiyi.engine import AsyncMemory
from jiyi.eval.dataset import Conversation
from jiyi.text import language
from jiyi.tokens import REPLY, count_message
from jiyi.types import ChatMessage

PLANTED = 10
"""Facts in one chat, one in each of its first turns."""

FIRST = 5
"""Hits among which a fact counts as found."""

LONGEST = 300
"""Characters of a message that can be planted as a fact; longer ones hold more than one."""

USER = "replayed"
SESSION = "decay"

BATCH = 200
"""Turns that are stored and indexed at once."""

BEGAN = datetime(2026, 1, 5, 9, tzinfo=UTC)
TURN = timedelta(minutes=10)
"""When the first turn is said, and the time from one to the next."""

Turn = tuple[str, str]
"""What the user says, and the answer."""

_NOTED = {"en": "Noted.", "zh": "好的，记下了。"}


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that is said once, and a question for it in other words.

    Attributes:
        source: the conversation it was taken from, "" for a made-up one; talk of the same conversation is no filler.
    """

    text: str
    question: str
    language: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Chat:
    """Facts, and the turns that follow them; as many as the longest distance needs."""

    facts: tuple[Fact, ...]
    filler: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """What was left of one fact after so many turns.

    Attributes:
        found: among the first hits of a search.
        shown: recipe -> whether the fact's message stands in the context.
        tokens: recipe -> tokens of that context.
        full: tokens of the whole history.
    """

    language: str
    turns: int
    found: bool
    shown: Mapping[str, bool]
    tokens: Mapping[str, int]
    full: int


def made_up(spoken: str) -> list[Fact]:
    """The facts that come with the package, in one language; those with the same question are far from each other."""
    text = (files("jiyi.eval") / f"facts.{spoken}.json").read_text(encoding="utf-8")
    rows = cast("list[dict[str, object]]", json.loads(text))
    layers = zip(*(cast("list[str]", row["values"]) for row in rows), strict=True)
    return [
        Fact(str(row["fact"]).format(value), str(row["question"]), spoken)
        for values in layers
        for row, value in zip(rows, values, strict=True)
    ]


def labelled(conversations: Sequence[Conversation]) -> list[Fact]:
    """Facts of labelled data: a question whose whole evidence is one short message of the user."""
    found: list[Fact] = []
    for conversation in conversations:
        said = {entry.message_id: entry.fields for entry in conversation.entries}
        for question, label in zip(conversation.questions, conversation.labels, strict=True):
            fields = said.get(label.evidence[0]) if label.level == "message" and len(label.evidence) == 1 else None
            if fields is None or not label.answerable or fields.get("role") != "user":
                continue
            text = str(fields.get("content") or "")
            if 0 < len(text) <= LONGEST:
                found.append(Fact(text, question.text, language(question.text), conversation.id))
    return found


def chats(facts: Sequence[Fact], conversations: Sequence[Conversation], turns: int, *, seed: int = 7) -> Iterator[Chat]:
    """Chats with ``PLANTED`` facts each and enough filler, always the same for the same input.

    Facts with the same question are not planted in one chat, where they would answer for each other.

    Args:
        facts: of one language.
        conversations: where filler is taken from.
        turns: filler turns of a chat.
        seed: of the order.
    """
    rng = random.Random(seed)
    mixed = list(facts)
    rng.shuffle(mixed)
    talk = [(conversation.id, turn) for conversation in conversations for turn in _turns(conversation)]
    for group in _apart(mixed):
        sources = {fact.source for fact in group}
        usable = [turn for source, turn in talk if source not in sources]
        if not usable:
            continue
        start = rng.randrange(len(usable))
        yield Chat(tuple(group), tuple(usable[(start + n) % len(usable)] for n in range(turns)))


def _apart(facts: Sequence[Fact]) -> Iterator[list[Fact]]:
    """Groups of ``PLANTED`` with a question each of their own; the last may be smaller."""
    by_question: dict[str, list[Fact]] = {}
    for fact in facts:
        by_question.setdefault(fact.question, []).append(fact)
    ordered = [fact for layer in _layers(list(by_question.values())) for fact in layer]
    for start in range(0, len(ordered), PLANTED):
        group = ordered[start : start + PLANTED]
        yield list({fact.question: fact for fact in group}.values())


def _layers(groups: list[list[Fact]]) -> Iterator[list[Fact]]:
    depth = max(map(len, groups), default=0)
    for level in range(depth):
        yield [group[level] for group in groups if level < len(group)]


def _turns(conversation: Conversation) -> Iterator[Turn]:
    """What a user said with what was answered."""
    said = ""
    for entry in conversation.entries:
        text = str(entry.fields.get("content") or "")
        if entry.fields.get("role") == "user":
            if said:
                yield said, ""
            said = text
        elif said:
            yield said, text
            said = ""


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
    replay = _Replay(memory)
    planted = await replay.say([(fact.text, _NOTED[fact.language]) for fact in chat.facts])
    kept: list[Kept] = []
    done = 0
    for distance in distances:
        for start in range(done, distance, BATCH):
            part = chat.filler[start : min(distance, start + BATCH)]
            await replay.say(part)
            passed(len(part))
        done = distance
        for fact, wanted in zip(chat.facts, planted, strict=True):
            kept.append(await replay.ask(fact, wanted, distance, recipes, budget))
    return kept


class _Replay:
    """One session, a turn every ten minutes, and what its whole history takes."""

    def __init__(self, memory: AsyncMemory) -> None:
        self._memory = memory
        self._session = memory.session(SESSION, user_id=USER)
        self._at = BEGAN
        self._full = REPLY

    async def say(self, turns: Sequence[Turn]) -> list[str]:
        """Stores and indexes turns; gives the ids of the user's messages."""
        messages: list[dict[str, object]] = []
        for said, answer in turns:
            messages.append({"role": "user", "content": said, "created_at": self._at})
            if answer:
                messages.append({"role": "assistant", "content": answer, "created_at": self._at})
            self._at += TURN
        for message in messages:
            chat: ChatMessage = {"role": message["role"], "content": message["content"]}
            self._full += count_message(self._memory.counter, chat)
        stored = await self._session.add_many(messages)
        await self._memory.drain()
        return [message.id for message in stored if message.role == "user"]

    async def ask(self, fact: Fact, wanted: str, turns: int, recipes: Sequence[str], budget: int) -> Kept:
        """Searches, and looks at a context of each recipe."""
        hits = await self._memory.search(fact.question, user_id=USER, k=FIRST)
        shown: dict[str, bool] = {}
        tokens: dict[str, int] = {}
        for recipe in recipes:
            await self._memory.use_recipe(recipe)
            context = await self._session.context(fact.question, max_tokens=budget, allow_partial=True)
            shown[recipe] = any(wanted in block.sources for block in context.blocks)
            tokens[recipe] = context.tokens
        return Kept(fact.language, turns, any(hit.message.id == wanted for hit in hits), shown, tokens, self._full)


def share(hits: float, of: int) -> tuple[float, float, float]:
    """A share with its 95 % interval (Wilson, 1927): value, lower and upper end; of nothing (0, 0, 1)."""
    if not of:
        return 0.0, 0.0, 1.0
    z, p = 1.96, hits / of
    middle = (p + z * z / (2 * of)) / (1 + z * z / of)
    half = z * sqrt(p * (1 - p) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return p, max(0.0, middle - half), min(1.0, middle + half)
