"""The suite that every strategy passes, and what it needs to run one without a store."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Unpack, cast

from jiyi.assembly import assemble
from jiyi.context import Context
from jiyi.errors import BudgetTooSmall
from jiyi.history import is_system, system_messages, turns, whole
from jiyi.indexable import record_entry
from jiyi.ports import Request, Strategy, TokenCounter
from jiyi.stores.held import matches
from jiyi.text import language, query_terms
from jiyi.tokens import Estimate, count_message
from jiyi.types import Block, ChatMessage, Content, Filter, Hit, Message, Part, Record, RecordHit, Role, Scope, Which

START = datetime(2024, 3, 1, 9, 0, tzinfo=UTC)


class ListReader:
    """A reader over lists: a session's messages, what a search brings back, what was derived, what other sessions hold.

    Attributes:
        asked: the questions it was asked.
        looks: how often it was asked for messages by a filter.
        most_read: messages of the session that were read at once, at most.
    """

    def __init__(
        self,
        messages: Sequence[Message] = (),
        hits: Sequence[Hit] = (),
        records: Sequence[Record] = (),
        stored: Sequence[Message] = (),
    ) -> None:
        self.messages = list(messages)
        self.hits = list(hits)
        self.derived = list(records)
        self.stored = list(stored)
        self.asked: list[str] = []
        self.looks = 0
        self.most_read = 0

    async def history(self, limit: int | None = None) -> list[Message]:
        found = self.messages if limit is None else self.messages[-limit:] if limit else []
        self.most_read = max(self.most_read, len(found))
        return list(found)

    async def search(self, query: str, *, limit: int, floor: float | None = None) -> list[Hit]:
        self.asked.append(query)
        return [hit for hit in self.hits if hit.relevance >= (floor or 0.0)][:limit]

    async def matching(self, where: Filter) -> list[Message]:
        self.looks += 1
        known = {message.id: message for message in (*self.stored, *self.messages)}
        return [message for message in known.values() if matches(message, where)]

    async def records(self, **which: Unpack[Which]) -> list[Record]:
        limit, ids, newest, links = (which.get(name) for name in ("limit", "ids", "newest", "links"))
        found = [
            record
            for record in self.derived
            if which.get("kind") in (None, record.kind)
            and which.get("session_id") in (None, record.session_id)
            and which.get("key") in (None, record.key)
            and which.get("current", True) in (None, record.closed_at is None)
            and (ids is None or record.id in ids)
            and (links is None or not set(links).isdisjoint(record.links))
        ]
        if which.get("bare"):
            found = [replace(record, sources=()) for record in found]
        return found if limit is None else found[max(0, len(found) - limit) :] if newest else found[:limit]

    async def find_records(
        self, query: str, *, limit: int, kind: str | None = None, floor: float | None = None
    ) -> list[RecordHit]:
        """The records that share a word with the query, those that share most first; each is quite relevant."""
        self.asked.append(query)
        terms = set(query_terms(query))
        shared = [(terms & record_entry(record).terms.keys(), record) for record in await self.records(kind=kind)]
        shared.sort(key=lambda one: -len(one[0]))
        hits = [RecordHit(len(words), 0.9, record, terms=dict.fromkeys(words, 1)) for words, record in shared if words]
        return hits[:limit]


def conversation(*lines: tuple[Role, Content] | Message, session: str = "s", start: datetime = START) -> list[Message]:
    """Messages as a store would give them back: ids ``s-1``, ``s-2``…, a minute apart, each after the one before."""
    messages: list[Message] = []
    for place, line in enumerate(lines, start=1):
        draft = line if isinstance(line, Message) else Message("", session, line[0], line[1])
        at = start + timedelta(minutes=place)
        parent = messages[-1].id if messages else None
        messages.append(
            replace(
                draft,
                id=f"{session}-{place}",
                seq=place,
                position=place,
                parent_id=parent,
                created_at=at,
                recorded_at=at,
            )
        )
    return messages


def called(*ids: str) -> Message:
    """An assistant message that calls one tool per id."""
    calls: list[Part] = [{"id": id_, "name": "look_up", "arguments": {"key": id_}} for id_ in ids]
    return Message("", "s", "assistant", None, tool_calls=tuple(calls))


def answered(id_: str, text: str = "found") -> Message:
    """The result of a tool call."""
    return Message("", "s", "tool", text, tool_call_id=id_)


def request(reader: ListReader, *, query: str | None = None, budget: int = 4000,
            counter: TokenCounter | None = None) -> Request:  # fmt: skip
    """A request as a session makes it; ``query`` None for the newest user message."""
    users = [message.text for message in reader.messages if message.role == "user"]
    asked = query if query is not None else users[-1] if users else ""
    count = counter or Estimate()

    def cost(message: ChatMessage) -> int:
        return count_message(count, message)

    return Request(Scope("ada"), "s", asked, budget, reader, cost, language(asked))


async def context_of(
    strategies: Sequence[Strategy],
    reader: ListReader,
    *,
    query: str | None = None,
    budget: int = 4000,
    counter: TokenCounter | None = None,
    allow_partial: bool = False,
) -> Context:
    """The context that these strategies make of the reader's session."""
    asked = request(reader, query=query, budget=budget, counter=counter)
    blocks = [block for strategy in strategies for block in await strategy.recall(asked)]
    newest = turns(reader.messages)[-1:]
    return assemble(
        blocks,
        system=system_messages(reader.messages),
        newest=newest[0] if newest else (),
        budget=budget,
        counter=counter or Estimate(),
        language=asked.language,
        allow_partial=allow_partial,
    )


def check_context(context: Context, messages: Sequence[Message], counter: TokenCounter | None = None) -> None:
    """Asserts what holds for every context of a session, whatever made it."""
    count = counter or Estimate()
    assert context.tokens <= context.budget
    assert context.tokens == 3 + sum(count_message(count, message) for message in context.messages)
    assert sum(block.tokens for block in context.blocks) == (context.tokens - 3 if context.messages else 0)
    said = [message for message in context.messages if message["role"] not in ("system", "developer")]
    assert not said or said[0]["role"] == "user"
    open_calls: set[str] = set()
    for message in said:
        if message["role"] == "tool":
            assert message["tool_call_id"] in open_calls, "a result without its call"
            open_calls.discard(str(message["tool_call_id"]))
            continue
        assert not open_calls, "a call without its result"
        calls = cast("list[dict[str, str]]", message.get("tool_calls", []))
        open_calls = {call["id"] for call in calls}
    assert not open_calls, "a call without its result"
    history = [source for block in context.blocks if block.place == "history" for source in block.sources]
    assert len(history) == len(set(history)) == len(said)
    order = {message.id: at for at, message in enumerate(messages)}
    places = [order[source] for source in history]
    assert len({block.strategy for block in context.blocks if block.place == "history"}) > 1 or places == sorted(places)
    shown = _shown(context, messages)
    left = [entry for entry in context.dropped if entry.item is None]
    listed = {entry.message_id for entry in left}
    assert len(listed) == len(left) and not shown & listed
    older = [entry for entry in context.dropped if entry.older]
    assert len(older) <= 1
    unread = {message.id for entry in older for message in messages[: order[entry.message_id]]}
    assert {message.id for message in messages} <= shown | listed | unread, (
        "a message is neither shown nor accounted for"
    )
    assert sum(entry.count for entry in context.dropped) == sum(message.id not in shown for message in messages) + len(
        listed - order.keys()
    )
    json.dumps(context.to_dict())
    assert context.explain()


def _shown(context: Context, messages: Sequence[Message]) -> set[str]:
    """Ids of the messages that stand in a context, or that a text in it tells of."""
    stretches = [stretch for block in context.blocks for item in block.items for stretch in item.covers]
    told = {m.id for m in messages for s, first, last in stretches if m.session_id == s and first <= m.position <= last}
    return told | {source for block in context.blocks for source in block.sources}


class StrategyConformance:
    """Subclass it, and give ``strategy`` a new instance each time::

    class TestSlidingWindow(StrategyConformance):
        def strategy(self):
            return SlidingWindow(turns=2)
    """

    def strategy(self) -> Strategy:
        """The strategy under test, made anew."""
        raise NotImplementedError

    def messages(self) -> list[Message]:
        """A session with everything that can occur in one."""
        return conversation(
            ("system", "You help with parcels."),
            ("assistant", "Hello, how can I help?"),
            ("user", "Where is parcel 88-401? My budget is 500."),
            called("a"),
            answered("a", "Rotterdam"),
            ("assistant", "In Rotterdam."),
            ("user", "还有 88-402 和 88-403 呢？"),
            called("b", "c"),
            answered("b", "Ghent"),
            answered("c", "Lille"),
            ("assistant", "都是星期二到。"),
            (
                "user",
                ({"type": "text", "text": "And this one?"}, {"type": "image_url", "image_url": {"url": "file:p"}}),
            ),
            called("d"),
            ("user", "Change the address of the second one."),
        )

    def reader(self) -> ListReader:
        """The session, and hits in it and in another one."""
        other = conversation(("user", "I moved to Lisbon."), ("assistant", "好的。"), session="old")
        found = [*other, *self.messages()[2:6:3]]
        return ListReader(self.messages(), [Hit(1 / at, 0.9, message) for at, message in enumerate(found, start=1)])

    def _of_session(self, block: Block) -> list[Message]:
        return [message for item in block.items for message in item.messages if message.session_id == "s"]

    async def test_blocks_are_well_formed(self) -> None:
        strategy = self.strategy()
        assert isinstance(strategy.name, str) and strategy.name
        assert isinstance(strategy.window, bool)
        blocks = await strategy.recall(request(self.reader()))
        assert strategy.window == any(block.place == "history" for block in blocks)
        for block in blocks:
            assert block.strategy == strategy.name
            assert block.place in ("history", "memory")
            assert 0 < block.share <= 1
            assert block.older >= 0
            assert all(item.messages or item.text for item in block.items)

    async def test_messages_are_proposed_as_they_were_said(self) -> None:
        for block in await self.strategy().recall(request(self.reader())):
            assert all(message in self.messages() for message in self._of_session(block))

    async def test_history_is_whole_turns_newest_first_without_gap(self) -> None:
        expected = turns(self.messages())[::-1]
        for block in await self.strategy().recall(request(self.reader())):
            if block.place == "history":
                proposed = [item.messages for item in block.items]
                if block.gaps:
                    assert proposed[:1] == expected[:1]
                    assert len({turn[0].id for turn in proposed}) == len(proposed)
                    assert all(turn in expected for turn in proposed)
                else:
                    assert proposed == expected[: len(proposed)]
                assert not any(is_system(message) for turn in proposed for message in turn)

    async def test_the_same_request_gives_the_same(self) -> None:
        reader = self.reader()
        before = list(reader.messages)
        strategy = self.strategy()
        first = await strategy.recall(request(reader))
        assert await strategy.recall(request(reader)) == first
        assert await self.strategy().recall(request(self.reader())) == first
        assert reader.messages == before

    async def test_nothing_said_and_nothing_asked(self) -> None:
        blocks = await self.strategy().recall(request(ListReader(), query=""))
        assert not [item for block in blocks for item in block.items]

    async def test_a_session_without_a_user(self) -> None:
        for lines in ([("assistant", "Hello!")], [("system", "Be kind.")]):
            reader = ListReader(conversation(*cast("list[tuple[Role, Content]]", lines)))
            context = await context_of([self.strategy()], reader)
            assert all(message["role"] == "system" for message in context.messages)

    async def test_every_budget_gives_a_legal_context_or_a_typed_error(self) -> None:
        reader, least = self.reader(), None
        for budget in range(5, 400, 7):
            try:
                context = await context_of([self.strategy()], reader, budget=budget)
            except BudgetTooSmall as error:
                assert least is None and error.needed > error.budget
                continue
            least = budget
            if self.strategy().window:
                check_context(context, reader.messages)
            assert context.messages[0] == {"role": "system", "content": "You help with parcels."}
            assert context.messages[-1]["content"] == reader.messages[-1].text
        assert least is not None

    async def test_a_long_session_is_accounted_for(self) -> None:
        lines: list[tuple[Role, Content]] = [("system", "Be brief.")]
        for at in range(300):
            lines.extend((("user", f"question {at}"), ("assistant", f"answer {at}")))
        reader = ListReader(conversation(*lines))
        context = await context_of([self.strategy()], reader, budget=300)
        if self.strategy().window:
            check_context(context, reader.messages)
            shown = _shown(context, reader.messages)
            assert len(shown) + sum(entry.count for entry in context.dropped) == len(reader.messages)

    async def test_tool_calls_stay_with_their_results(self) -> None:
        reader = ListReader(self.messages())
        context = await context_of([self.strategy()], reader)
        shown = {source for block in context.blocks if block.place == "history" for source in block.sources}
        kept = [message for message in reader.messages if message.id in shown]
        assert whole(kept) == kept
