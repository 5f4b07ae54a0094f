"""A session of Jiyi as the message history of a LangChain chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda

from jiyi import intake
from jiyi.errors import Conflict, InvalidInput
from jiyi.history import digest
from jiyi.integrations.langchain.messages import KEY, from_langchain, to_langchain
from jiyi.integrations.langchain.remembering import Remembering
from jiyi.resent import other_id
from jiyi.types import KINDS, Filter
from jiyi.waiting import elsewhere, run

if TYPE_CHECKING:
    from jiyi.sync import Memory


class JiyiChatMessageHistory(BaseChatMessageHistory):
    """A session as LangChain's chat message history, for ``RunnableWithMessageHistory`` and for code of your own.

    Messages keep their ids: adding one again whose id is there adds nothing.  May be used from any thread and any
    loop, with and without ``await``.

    Args:
        memory: where it is kept.
        session_id: the conversation; it begins with the first message.
        user_id: whose it is.
        max_tokens: None for all messages.  A number for what fits into so many tokens: the memory's context (what its
            recipe remembers, then the newest messages, tool calls with their results).  It is then the same at each
            reading until something is added here, because ``RunnableWithMessageHistory`` reads it twice in a turn and
            counts; so give each turn a history of its own, which costs nothing.

    Raises:
        InvalidInput: an id that is none, or no tokens.
    """

    def __init__(self, memory: Memory, session_id: str, *, user_id: str, max_tokens: int | None = None) -> None:
        super().__init__()
        self._memory = memory
        self._session = memory.inner.session(session_id, user_id=user_id)
        self._max_tokens = None if max_tokens is None else intake.positive("max_tokens", max_tokens)
        self._view: list[BaseMessage] | None = None

    @property
    def messages(self) -> list[BaseMessage]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The session's messages in order, or the context within ``max_tokens``; a new list each time."""
        return run(self._read())

    async def aget_messages(self) -> list[BaseMessage]:
        """See ``messages``."""
        return await elsewhere(self._read())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Adds messages at the end of the session, all of them or none.

        Raises:
            InvalidInput: a message that cannot be kept; names it.
        """
        run(self._add(messages))

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """See ``add_messages``."""
        await elsewhere(self._add(messages))

    def clear(self) -> None:
        """Erases the session: its messages, what was derived from them, and the bytes on disk."""
        run(self._clear())

    async def aclear(self) -> None:
        """See ``clear``."""
        await elsewhere(self._clear())

    # -- inside

    async def _read(self) -> list[BaseMessage]:
        if self._max_tokens is None:
            return [to_langchain(message) for message in await self._session.messages()]
        if self._view is None:
            self._view = await self.remembering(self._max_tokens).acompose([])
        return list(self._view)

    def remembering(self, max_tokens: int) -> Remembering:
        """What composes contexts of this session."""
        session = self._session
        return Remembering(self._memory, user_id=session.user_id, session_id=session.id, max_tokens=max_tokens)

    async def _add(self, messages: Sequence[BaseMessage]) -> None:
        given = [from_langchain(message) for message in messages]
        self._view = None
        try:
            await self._session.add_many(given)
        except Conflict:
            await self._session.add_many(await self._renamed(given))

    async def _renamed(self, given: Sequence[dict[str, object]]) -> list[dict[str, object]]:
        """The same with another id where one stands for something else of this user; LangChain sees its own again."""
        memory, session = self._memory.inner, self._session
        drafts = memory.clean(intake.given(given, session.id, now=memory.clock.now(), name_them=False))
        ids = tuple(draft.id for draft in drafts if draft.id)
        where = Filter(ids=ids, active=None, kinds=KINDS)
        found = {m.id: m for m in await memory.store.messages(memory.scope(session.user_id), where)}
        renamed: list[dict[str, object]] = []
        for item, plain in zip(given, drafts, strict=True):
            draft = plain.but(digest=digest(b"", plain))
            taken = found.get(draft.id)
            if taken and (taken.session_id, digest(b"", taken)) != (session.id, draft.digest):
                rest = cast("Mapping[str, object]", draft.metadata.get(KEY, {}))
                item = {**item, "id": other_id(draft, session.id, None), "metadata": {KEY: {**rest, "id": draft.id}}}
            renamed.append(item)
        return renamed

    async def _clear(self) -> None:
        self._view = None
        await self._memory.inner.forget(user_id=self._session.user_id, session_id=self._session.id)


def recalled_history(*, max_tokens: int = 4000, input_messages_key: str = "input") -> Runnable[Any, list[BaseMessage]]:
    """The history that fits a question, as a step of a chain inside ``RunnableWithMessageHistory``.

    ``RunnableWithMessageHistory`` reads the history before anybody has seen the question.  This reads it after that:
    what other sessions and older messages say to the question comes first, then the newest messages::

        chain = RunnablePassthrough.assign(history=recalled_history(max_tokens=2000)) | prompt | model
        chat = RunnableWithMessageHistory(
            chain, get_session_history, input_messages_key="input", history_messages_key="history"
        )

    Args:
        max_tokens: of the messages that it gives and the question together, chat format included.
        input_messages_key: where the question stands in the chain's input.

    Returns:
        A runnable from the chain's input to messages, without the question.  It raises ``InvalidInput`` outside of a
        ``RunnableWithMessageHistory`` over a ``JiyiChatMessageHistory``, and ``BudgetTooSmall`` when the question and
        what must stand beside it do not fit.
    """
    intake.positive("max_tokens", max_tokens)

    def composer(value: Any, config: RunnableConfig) -> tuple[Remembering, list[BaseMessage]]:
        history = config.get("configurable", {}).get("message_history")
        if not isinstance(history, JiyiChatMessageHistory):
            raise InvalidInput(
                "config", "recalled_history works inside RunnableWithMessageHistory, over a Jiyi history"
            )
        return history.remembering(max_tokens), _question(value, input_messages_key)

    def recall(value: Any, config: RunnableConfig) -> list[BaseMessage]:
        remembering, question = composer(value, config)
        return _before(remembering.compose(question), question)

    async def arecall(value: Any, config: RunnableConfig) -> list[BaseMessage]:
        remembering, question = composer(value, config)
        return _before(await remembering.acompose(question), question)

    return RunnableLambda(recall, arecall, name="recalled_history")


def _question(value: Any, key: str) -> list[BaseMessage]:
    asked: Any = cast("Mapping[str, Any]", value).get(key) if isinstance(value, Mapping) else value
    if isinstance(asked, str):
        return [HumanMessage(asked)]
    messages: list[Any] = [*asked] if isinstance(asked, (list, tuple)) else [asked]
    if all(isinstance(message, BaseMessage) for message in messages):
        return messages
    raise InvalidInput(key, f"must be the question, as text or messages, not {type(cast('object', asked)).__name__}")


def _before(composed: Sequence[BaseMessage], question: Sequence[BaseMessage]) -> list[BaseMessage]:
    asked = set(map(id, question))
    return [message for message in composed if id(message) not in asked]


__all__ = ["JiyiChatMessageHistory", "recalled_history"]
