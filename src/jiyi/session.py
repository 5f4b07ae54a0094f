"""``AsyncSession``: one conversation of one user."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

from jiyi import intake
from jiyi.assembly import Context, assemble
from jiyi.errors import InvalidInput
from jiyi.history import digest, link, plan_sync, system_messages, turns
from jiyi.ports import Request
from jiyi.search import Searcher, Wanted
from jiyi.text import check_text, language
from jiyi.tokens import count_message
from jiyi.types import Filter, Hit, Message, Scope, Session

if TYPE_CHECKING:
    from jiyi.engine import AsyncMemory
    from jiyi.ports import Store


TAIL = 64
"""Messages read from the end of a session at first; enough for the usual window."""


@dataclass(frozen=True, slots=True)
class Synced:
    """What ``sync`` did.

    Attributes:
        added: messages that were new, as stored.
        known: how many of the given ones were stored already.
        branched: an edited or regenerated history left the old path; it stays stored, off the active path.
    """

    added: tuple[Message, ...]
    known: int
    branched: bool


class AsyncSession:
    """One conversation of one user; made by ``AsyncMemory.session``, and resumed by the same id.

    Attributes:
        id: its name within the user's memory.
        off_record: nothing that is added is kept.
    """

    def __init__(self, memory: AsyncMemory, scope: Scope, session_id: str, *, off_record: bool) -> None:
        self.id = session_id
        self.off_record = off_record
        self._memory = memory
        self._scope = scope
        self._unkept: list[Message] = []
        self._syncing = asyncio.Lock()

    @property
    def user_id(self) -> str:
        """Whose session it is."""
        return self._scope.user

    # -- writing

    async def add(self, role: str, content: object, **details: Unpack[intake.Details]) -> Message:
        """Appends one message, exactly as it was said; returns after it is safe on disk.

        Args:
            role: system, developer, user, assistant or tool.
            content: text, a list of OpenAI-style parts, or None for an assistant that only called tools.
            **details: name, created_at, message_id, metadata, tool_calls, tool_call_id.  The same message_id again
                adds nothing and returns the stored message.

        Raises:
            InvalidInput: names the field.
            Conflict: the message_id belongs to a message with other content.
        """
        message = intake.draft(self.id, role, content, details, now=self._memory.clock.now())
        return (await self._append([message]))[0]

    async def add_many(self, messages: Sequence[Mapping[str, object]]) -> list[Message]:
        """Appends messages in one transaction: all of them or, when one is wrong, none.

        Raises:
            InvalidInput: names ``messages[i].field``.
        """
        drafts = intake.given(messages, self.id, now=self._memory.clock.now())
        return await self._append(drafts) if drafts else []

    async def sync(self, messages: Sequence[Mapping[str, object]]) -> Synced:
        """Takes a whole history as clients resend it, and adds only what is new.

        Afterwards the session's active path ends with exactly these messages, system text aside.  A history whose
        front was cut off is aligned with what is stored; an edited, shortened or regenerated one becomes a branch.

        Raises:
            InvalidInput: names ``messages[i].field``, or the session when it is off the record.
        """
        if self.off_record:
            raise InvalidInput("messages", "a session off the record keeps no history to compare with; use add")
        now = self._memory.clock.now()
        drafts = intake.given(messages, self.id, now=now, name_them=False)
        drafts = [draft for draft in drafts if draft.role not in ("system", "developer")]
        salt = await self._memory.store.salt(self._scope)
        drafts = [replace(draft, digest=digest(salt, draft)) for draft in drafts]
        async with self._syncing:
            return await self._sync(drafts)

    async def rename(self, title: str) -> Session:
        """Gives the session a title; its id stays.

        Raises:
            NotFound: nothing has been added yet.
        """
        check_text("title", title)
        return await self._update(title=title)

    async def branch(self, message_id: str) -> Session:
        """Goes back to a message: what follows it leaves the active path, and the next message is added after it.

        The messages that were left stay stored; going to the last of them brings their path back.

        Raises:
            NotFound: no such message in this session.
        """
        return await self._update(head=intake.identifier("message_id", message_id))

    # -- reading

    async def messages(self, limit: int | None = None, *, all_branches: bool = False) -> list[Message]:
        """The active path in order, or all branches in order of arrival; ``limit`` keeps the newest messages."""
        if self.off_record:
            return self._unkept[-limit:] if limit else list(self._unkept)
        where = Filter(session_id=self.id, active=None if all_branches else True)
        return await self._memory.store.messages(self._scope, where, limit=limit, newest=True)

    async def info(self) -> Session | None:
        """Title, length and times; None while nothing has been added."""
        found = await self._memory.store.sessions(self._scope, self.id)
        return found[0] if found else None

    async def context(
        self, query: str | None = None, *, max_tokens: int = 4000, allow_partial: bool = False
    ) -> Context:
        """What to send to the chat model: the recipe's parts within a token budget.

        Args:
            query: what recall looks for; None for the newest user message.
            max_tokens: tokens of the whole, chat format included; never exceeded.
            allow_partial: shorten the newest message when it alone does not fit, instead of raising.

        Raises:
            BudgetTooSmall: says how many tokens are needed.
        """
        if isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or max_tokens <= 0:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("max_tokens", f"must be a whole number above 0, not {max_tokens!r}")
        memory = self._memory
        reader = _SessionReader(self, memory.searcher, memory.store, self._scope)
        newest = await reader.newest_turn()
        asked = check_text("query", query) if query is not None else _question(newest)
        request = Request(
            scope=self._scope,
            session_id=self.id,
            query=asked,
            budget=max_tokens,
            reader=reader,
            count=lambda message: count_message(memory.counter, message),
            language=language(asked or " ".join(message.text for message in newest)),
        )
        proposals = await asyncio.gather(*(strategy.recall(request) for strategy in memory.strategies))
        return assemble(
            [block for blocks in proposals for block in blocks],
            system=await reader.system(),
            newest=newest,
            budget=max_tokens,
            counter=memory.counter,
            language=request.language,
            allow_partial=allow_partial,
        )

    # -- inside

    async def _append(self, drafts: Sequence[Message], *, after: str | None = "head") -> list[Message]:
        if not self.off_record:
            return await self._memory.append(self._scope, self.id, drafts, after=after)
        start = len(self._unkept)
        self._unkept += [replace(draft, position=start + i + 1) for i, draft in enumerate(drafts)]
        return self._unkept[start:]

    async def _update(self, *, title: str | None = None, head: str | None = None) -> Session:
        if self.off_record:
            raise InvalidInput("session", "is off the record; there is nothing stored to change")
        now = self._memory.clock.now()
        return await self._memory.store.update_session(self._scope, self.id, at=now, title=title, head=head)

    async def _sync(self, drafts: list[Message]) -> Synced:
        everything = await self.messages(all_branches=True)
        path = [message for message in everything if message.active]
        plan = plan_sync(path, drafts)
        if plan.after == "head" and not plan.new:
            return Synced((), len(drafts), branched=False)
        after, new = self._follow(everything, path, plan.after, plan.new)
        known = len(drafts) - len(new)
        if not new:
            await self._update(head=after)
            return Synced((), known, plan.branch)
        added = await self._append(self._named(everything, after, new), after=after)
        return Synced(tuple(added), known, plan.branch)

    def _follow(
        self, everything: Sequence[Message], path: Sequence[Message], after: str | None, new: Sequence[Message]
    ) -> tuple[str | None, list[Message]]:
        """Walks down branches that hold the next messages already; gives where to go on, and what is really new."""
        tail = next((m.id for m in reversed(path)), None)
        place = tail if after == "head" else after
        children = {(m.parent_id, m.digest): m for m in everything if m.role not in ("system", "developer")}
        rest = list(new)
        while rest and (child := children.get((place, rest[0].digest))) is not None:
            place = child.id
            rest.pop(0)
        return (after if after == "head" and len(rest) == len(new) else place), rest

    def _named(self, everything: Sequence[Message], after: str | None, new: Sequence[Message]) -> list[Message]:
        """Gives messages without an id one that follows from their place, so that syncs at once store them once."""
        chains = {m.id: m.chain for m in everything}
        chain = (
            chains.get(after or "", "")
            if after != "head"
            else next((m.chain for m in reversed(everything) if m.active), "")
        )
        named: list[Message] = []
        for message in new:
            chain = link(chain, message.digest)
            named.append(message if message.id else replace(message, id=link(self.id, chain)[:16]))
        return named


class _SessionReader:
    """What strategies may read for one context; the end of the history is read once."""

    def __init__(self, session: AsyncSession, searcher: Searcher, store: Store, scope: Scope) -> None:
        self._session = session
        self._searcher = searcher
        self._store = store
        self._scope = scope
        self._tail: list[Message] = []
        self._whole = False

    async def history(self, limit: int | None = None) -> list[Message]:
        """The active path, or its last messages."""
        if not self._whole and (limit is None or limit > len(self._tail)):
            self._tail = await self._session.messages(limit)
            self._whole = limit is None or len(self._tail) < limit
        return list(self._tail if limit is None else self._tail[-limit:] if limit else ())

    async def search(self, query: str, *, limit: int, floor: float | None = None) -> list[Hit]:
        """Hits in the whole memory of the user, except what is being asked just now."""
        asked = frozenset(message.id for message in await self.newest_turn())
        return await self._searcher.search(self._scope, query, Wanted(k=limit, floor=floor, exclude=asked))

    async def newest_turn(self) -> tuple[Message, ...]:
        """From the newest user message on; everything when no user has spoken."""
        reach = TAIL
        while True:
            tail = await self.history(reach)
            found = turns(tail)[-1:]
            if len(tail) < reach or (found and found[0][0].role == "user"):
                return found[0] if found else ()
            reach *= 4

    async def system(self) -> list[Message]:
        """The session's system messages, in order."""
        if self._session.off_record:
            return system_messages(await self._session.messages())
        where = Filter(session_id=self._session.id, roles=("system", "developer"))
        return await self._store.messages(self._scope, where)


def _question(newest: Sequence[Message]) -> str:
    return newest[0].text if newest and newest[0].role == "user" else ""
