"""``AsyncSession``: one conversation of one user."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Unpack

from jiyi import intake
from jiyi.answering import Answer, Asking, AsyncAnswerStream, check
from jiyi.assembly import assemble
from jiyi.checkpoints import Automatic, Checkpoints
from jiyi.context import Context
from jiyi.errors import InvalidInput
from jiyi.ports import Request
from jiyi.reader import SessionReader
from jiyi.saving import Saving
from jiyi.syncing import Syncing
from jiyi.text import check_text, language
from jiyi.tokens import count_message
from jiyi.types import Filter, Message, Record, Scope, SessionInfo

if TYPE_CHECKING:
    from jiyi.engine import AsyncMemory


class AsyncSession(Saving, Syncing):
    """One conversation of one user; made by ``AsyncMemory.session``, and resumed by the same id.

    Attributes:
        id: its name within the user's memory.
        off_record: nothing that is added is kept.
    """

    def __init__(
        self, memory: AsyncMemory, scope: Scope, session_id: str, *, off_record: bool, checkpoint_every: int | None
    ) -> None:
        self.id = session_id
        self.off_record = off_record
        self._memory = memory
        self._scope = scope
        self._places = Checkpoints(memory.store, scope, session_id, memory.clock)
        self._automatic = None if checkpoint_every is None else Automatic(self._places, checkpoint_every)
        self._unkept: list[Message] = []
        self._adding = threading.Lock()  # the sync facade adds on its callers' threads
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
            **details: name, created_at, message_id, metadata, tool_calls, tool_call_id, importance (0..1, goes above
                what the rules give), pinned.  The same message_id again adds nothing and returns the stored message.

        Raises:
            InvalidInput: names the field.
            Conflict: the message_id belongs to a message with other content, or in another session.
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

    async def rename(self, title: str) -> SessionInfo:
        """Gives the session a title; its id stays.

        Raises:
            NotFound: nothing has been added yet.
        """
        check_text("title", title)
        return await self._update(title=title)

    async def set_topic(self, topic: str | None) -> Record | None:
        """Says which topic the session belongs to, whatever is found in it.

        Args:
            topic: id or name of a topic, or the name of a new one; None takes back what was said.

        Returns:
            The topic's record; None for None.

        Raises:
            InvalidInput: an empty name, or the session is off the record.
        """
        if self.off_record:
            raise InvalidInput("session", "is off the record; nothing of it is stored, so it belongs to no topic")
        return await self._memory.choose_topic(self._scope, self.id, topic)

    async def branch(self, message_id: str) -> SessionInfo:
        """Goes back to a message: what follows it leaves the active path, and the next message is added after it.

        The messages that were left stay stored; going to the last of them brings their path back.

        Raises:
            NotFound: no such message in this session.
        """
        return await self._update(head=intake.identifier("message_id", message_id))

    # -- talking

    async def send(self, content: object, **asking: Unpack[Asking]) -> Answer:
        """One turn: stores what the user says, asks the model with the context for it, stores the answer.

        Args:
            content: what the user says, text or parts; None to answer what was stored and has no complete answer yet.
            **asking: see ``Asking``.

        Raises:
            InvalidInput: no model, a wrong argument, or nothing to answer.
            BudgetTooSmall, ModelError: there is no answer; what the user said is stored, so ask again with None.
        """
        stream = self.stream(content, **asking)
        async for _ in stream:
            pass
        assert stream.answer is not None
        return stream.answer

    def stream(self, content: object, **asking: Unpack[Asking]) -> AsyncAnswerStream:
        """Like ``send``, piece by piece: ``async for piece in session.stream("…")``.  Nothing happens before the first
        piece is asked for.

        Raises:
            InvalidInput: no model, or a wrong argument.
        """
        check(asking)
        if self._memory.llm is None:
            raise InvalidInput(
                "llm",
                "no model is set; open the memory with llm=…, for example llm='ollama:qwen3:8b', or set JIYI_LLM. "
                "context() gives what to send with a client of your own",
            )
        return AsyncAnswerStream(self, self._memory.llm, self._scope, content, asking)

    # -- reading

    async def messages(self, limit: int | None = None, *, all_branches: bool = False) -> list[Message]:
        """The active path in order, or all branches in order of arrival; ``limit`` keeps the newest messages."""
        intake.limit("limit", limit)
        if self.off_record:
            return self._unkept[max(0, len(self._unkept) - limit) :] if limit is not None else list(self._unkept)
        where = Filter(session_id=self.id, active=None if all_branches else True)
        return await self._memory.store.messages(self._scope, where, limit=limit, newest=True)

    async def info(self) -> SessionInfo | None:
        """Title, length and times; None while nothing has been added."""
        found = await self._memory.store.sessions(self._scope, self.id)
        return found[0] if found else None

    async def context(
        self,
        query: str | None = None,
        *,
        max_tokens: int = 4000,
        allow_partial: bool = False,
        instructions: bool = False,
        as_of: datetime | None = None,
    ) -> Context:
        """What to send to the chat model: the recipe's parts within a token budget.

        Args:
            query: what recall looks for; None for the newest user message.
            max_tokens: tokens of the whole, chat format included; never exceeded.
            allow_partial: shorten the newest message when it alone does not fit, instead of raising.
            instructions: with the answering prompt, after the session's own system messages, as ``send`` sends it.
            as_of: as it would have been at that time: with what had been said by then, and what was known of it.

        Raises:
            BudgetTooSmall: says how many tokens are needed.
        """
        intake.positive("max_tokens", max_tokens)
        memory = self._memory
        then = intake.moment("as_of", as_of, memory.clock.now())
        reader = SessionReader(self, memory.searcher, memory.store, self._scope, then)
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
        system = [*await reader.system(), *(memory.instructed(request.language) if instructions else ())]
        proposals = await asyncio.gather(*(strategy.recall(request) for strategy in memory.strategies))
        context = assemble(
            [block for blocks in proposals for block in blocks],
            system=system,
            newest=newest,
            budget=max_tokens,
            counter=memory.counter,
            language=request.language,
            allow_partial=allow_partial,
        )
        memory.uses.add(self._scope, context.records)
        return replace(context, usage=memory.spending.counted(self._scope))

    # -- inside

    async def unanswered(self) -> None:
        """Makes sure that the path ends with something to answer; an answer that broke off leaves it.

        Raises:
            InvalidInput: the last message is a whole answer, or there is none.
        """
        last = await self.messages(1)
        if last and last[0].role == "assistant" and last[0].incomplete:
            if self.off_record:
                self._unkept.pop()
            elif last[0].parent_id is not None:
                await self._update(head=last[0].parent_id)
            last = await self.messages(1)
        if not last or last[0].role not in ("user", "tool"):
            raise InvalidInput("content", "there is nothing to answer; say something, or go back with branch()")

    async def _append(self, drafts: Sequence[Message], *, after: str | None = "head") -> list[Message]:
        if not self.off_record:
            stored = await self._memory.append(self._scope, self.id, drafts, after=after)
            if self._automatic is not None:
                await self._automatic.added(stored)
            return stored
        with self._adding:
            said = {message.id: message for message in self._unkept}
            for draft in self._memory.clean(drafts):
                if draft.id not in said:
                    said[draft.id] = draft.but(position=len(said) + 1)
            self._unkept = list(said.values())
        return [said[draft.id] for draft in drafts]

    async def _update(self, *, title: str | None = None, head: str | None = None) -> SessionInfo:
        if self.off_record:
            raise InvalidInput("session", "is off the record; there is nothing stored to change")
        now = self._memory.clock.now()
        info = await self._memory.store.update_session(self._scope, self.id, at=now, title=title, head=head)
        self._memory.worker.wake()  # what leaves the path, or comes to it, is derived anew
        return info


def _question(newest: Sequence[Message]) -> str:
    return newest[0].text if newest and newest[0].role == "user" else ""
