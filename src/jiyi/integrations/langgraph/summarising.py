"""A node that keeps a graph's state small: old messages give way to Jiyi's own summary of them.

What goes is in the log first, word for word, and stands in the summary; what no summary tells of yet stays as it is.
No model is waited for: it takes what was derived in the background.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, RemoveMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph.message import REMOVE_ALL_MESSAGES  # pyright: ignore[reportMissingTypeStubs]

from jiyi import intake
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput
from jiyi.integrations.langchain.remembering import Remembering
from jiyi.integrations.langgraph.nodes import SUMMARY_ID, Node, messages_of, node
from jiyi.ports import Request
from jiyi.quoting import section
from jiyi.reader import SessionReader
from jiyi.resent import by_name
from jiyi.session import AsyncSession
from jiyi.strategies.rolling_summary import RollingSummary
from jiyi.strategies.summary_buffer import SummaryBuffer
from jiyi.strategies.summary_showing import Shown, lost, shown
from jiyi.strategies.summary_telling import Told, telling
from jiyi.sync import Memory
from jiyi.text import language
from jiyi.tokens import count_message
from jiyi.types import Message

_MORE = 64  # messages of the path that the state may lack, or hold under other ids
_MOST = 100  # times the tokens, until each part has a sentence
_READ = 2_000  # characters that tell the language


@dataclass(frozen=True, slots=True)
class Width:
    """How much stays, and how long the summary is; see ``jiyi_summarising_node``."""

    recent: int
    after: int
    max_tokens: int


def jiyi_summarising_node(
    memory: Memory,
    *,
    user_id: str | None = None,
    session_id: str | None = None,
    recent: int = 8,
    after: int = 4,
    max_tokens: int = 400,
) -> Node:
    """Takes old turns out of the state's ``messages`` and puts one system message with their summary in their place.

    The summary is the one that the memory's recipe derives, by rules or by its ``memory_llm``, with important values
    that it lacks.  It has the id ``SUMMARY_ID``, and is replaced as the conversation goes on.  Turns leave as a whole,
    with all their tool calls and results.

    Args:
        memory: opened with a recipe that summarises, as ``balanced`` does.
        user_id: whose; None for the ``user_id`` in the run's ``context`` or in ``config["configurable"]``.
        session_id: None for ``config["configurable"]["thread_id"]``.
        recent: turns that always stay.
        after: turns more than that, before any go.
        max_tokens: tokens of the summary; more where each of its parts would not have a sentence.

    Raises:
        InvalidInput: the recipe derives no summaries, or a number is out of range.  When it runs: the state has no
            ``messages`` with ids, as ``add_messages`` gives them.
    """
    _stride(memory.inner)
    width = Width(
        intake.positive("recent", recent), intake.positive("after", after), intake.positive("max_tokens", max_tokens)
    )
    remembering = Remembering(memory, user_id=user_id, session_id=session_id)

    async def work(state: Any, config: RunnableConfig) -> dict[str, Any]:
        messages = messages_of(state)
        if any(message.id is None for message in messages):
            raise InvalidInput("messages", "have no ids, so none can be taken out; give the state's key add_messages")
        said = [message for message in messages if message.id != SUMMARY_ID]
        await remembering.arecord(said, config)
        place = remembering.place(config)
        session = memory.inner.session(place.session_id, user_id=place.user_id)
        update = await _Run(memory.inner, session, width).update(messages)
        return {"messages": update} if update else {}

    return node("jiyi_summarising_node", work)


class _Run:
    """One look at one state."""

    def __init__(self, memory: AsyncMemory, session: AsyncSession, width: Width) -> None:
        self._memory = memory
        self._session = session
        self._width = width

    async def update(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """What to write into the state; nothing where it stays as it is."""
        said = [message for message in messages if message.type != "system"]
        old = next((message for message in messages if message.id == SUMMARY_ID), None)
        starts = [at for at, message in enumerate(said) if message.type == "human"]
        many = len(starts) > self._width.recent + self._width.after
        if not said or not (old or many):
            return []
        stored = await self._stored(said)
        wanted = starts[-self._width.recent] if many else 0
        first, last = stored[0], stored[wanted]
        if first is None or last is None:
            return []
        summary = await self._summary(last)
        known = next((at for at, one in enumerate(stored) if one is None or one.position > summary.end), len(said))
        gone = max((at for at in starts if at <= min(wanted, known) and _parts_no_pair(said, at)), default=0)
        stays = stored[gone] or first
        if gone != wanted:
            summary = await self._summary(stays)
        if summary.end < stays.position - 1 or (gone and not summary.text):
            return []
        return _update(messages, said[:gone], said[gone], old, summary.text)

    async def _stored(self, said: Sequence[BaseMessage]) -> list[Message | None]:
        """The messages as they stand on the session's path; None for one that does not."""
        path = await self._session.messages(2 * len(said) + _MORE)
        found = by_name(path)
        return [found[message.id or ""][-1] if message.id in found else None for message in said]

    async def _summary(self, before: Message) -> _Summary:
        """What tells of the session from its beginning, without a gap, and not of what stands behind a message, as far
        as can be.
        """
        reader = SessionReader(
            self._session, self._memory.searcher, self._memory.store, scope := self._memory.scope(self._session.user_id)
        )
        told, end = list[Told](), 0
        for one in await telling(reader, self._session.id, before.seq - 1, _stride(self._memory)):
            if one.first.position > end + 1:
                break
            told.append(one)
            end = max(end, one.last.position)
        request = Request(
            scope=scope,
            session_id=self._session.id,
            query="",
            budget=self._width.max_tokens,
            reader=reader,
            count=lambda message: count_message(self._memory.counter, message),
            language=language(" ".join(one.node.text for one in told)[:_READ]),
        )
        found = _all_shown(told, request)
        lines = section([*await lost(request, told, found.text), *found.items], request.language)
        return _Summary(str(lines[0]["content"]) if lines else "", end)


@dataclass(frozen=True, slots=True)
class _Summary:
    """A text, and the position up to which it tells of everything."""

    text: str
    end: int


def _update(
    messages: Sequence[BaseMessage],
    gone: Sequence[BaseMessage],
    stays: BaseMessage,
    old: BaseMessage | None,
    text: str,
) -> list[BaseMessage]:
    if old is not None and old.content == text and not gone:
        return []
    if not text:  # what it told of was erased
        return [RemoveMessage(id=SUMMARY_ID)] if old else []
    summary = SystemMessage(text, id=SUMMARY_ID)
    if old is not None:  # it takes the old one's place
        return [*(RemoveMessage(id=message.id or "") for message in gone), summary]
    if not gone:
        return []
    at = next(at for at, message in enumerate(messages) if message is stays)
    before = [message for message in messages[:at] if message.type == "system"]
    # add_messages puts what is new at the end, so the whole list is written anew
    return [RemoveMessage(id=REMOVE_ALL_MESSAGES), *before, summary, *messages[at:]]


def _parts_no_pair(said: Sequence[BaseMessage], at: int) -> bool:
    """Whether no result from here on belongs to a call before."""
    calls = {call["id"] for message in said[:at] if isinstance(message, AIMessage) for call in message.tool_calls}
    return not any(isinstance(message, ToolMessage) and message.tool_call_id in calls for message in said[at:])


def _all_shown(told: Sequence[Told], request: Request) -> Shown:
    """What of these texts comes in: of each at least a sentence."""
    tokens = request.budget
    while True:
        found = shown(told, request, tokens)
        there = {stretch for item in found.items for stretch in item.covers}
        if all(one.stretch in there or not one.node.text.strip() for one in told) or tokens > _MOST * request.budget:
            return found
        tokens *= 2


def _stride(memory: AsyncMemory) -> int:
    for strategy in memory.strategies:
        if isinstance(strategy, (RollingSummary, SummaryBuffer)):
            return strategy.every
    raise InvalidInput("recipe", "derives no summaries; open the memory with one that does, for example balanced")
