"""A session of Jiyi beside the messages of a LangChain agent or a LangGraph graph: what is new is stored, what matters
comes back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from langchain_core.messages import BaseMessage, RemoveMessage
from langchain_core.runnables.config import RunnableConfig, ensure_config

from jiyi import intake
from jiyi.errors import BudgetTooSmall, InvalidInput
from jiyi.history import digest
from jiyi.integrations.langchain.laying import is_said, laid, leading
from jiyi.integrations.langchain.messages import chat_to_langchain, from_langchain, to_langchain
from jiyi.integrations.langchain.naming import names
from jiyi.resent import ANSWERS, by_name
from jiyi.tokens import count_message
from jiyi.types import Message
from jiyi.waiting import elsewhere, run
from jiyi.wire import chat_message

if TYPE_CHECKING:
    from jiyi.context import Context
    from jiyi.session import AsyncSession
    from jiyi.sync import Memory

_TAIL = 64  # messages read of a path beside twice those of the state: usually all that the state knows is among them


@dataclass(frozen=True, slots=True)
class Place:
    """Where messages belong.

    Attributes:
        user_id, session_id: whose they are, and the conversation.
        task: what LangGraph calls the running node's checkpoint namespace: the same when the node runs again after an
            interrupt or an error, another one in every other run; "" outside of LangGraph.
    """

    user_id: str
    session_id: str
    task: str = ""


class Remembering:
    """Stores what a graph's messages say, and composes what its model is to see.

    The session holds what was said, under the ids that the messages have: sending a state again, running a node again
    and resuming after an interrupt add nothing; going back to an earlier state, editing and regenerating become
    branches of the session.  System messages, and what the harness put in the user's mouth (LangChain marks it with
    ``lc_source``: summaries, notifications), were not said by anybody: they are not stored, and the model sees them
    all the same.

    Args:
        memory: the memory; usable from every thread and loop.
        user_id: whose memory; None to take it from the run, see ``user_of``.
        session_id: one session for everything; None for the run's ``configurable["thread_id"]``.
        max_tokens: of what ``compose`` gives, chat format included.  Tools are not counted.
    """

    def __init__(
        self, memory: Memory, *, user_id: str | None = None, session_id: str | None = None, max_tokens: int = 4000
    ) -> None:
        self.memory = memory
        self._user_id = None if user_id is None else intake.identifier("user_id", user_id)
        self._session_id = None if session_id is None else intake.identifier("session_id", session_id)
        self._max_tokens = intake.positive("max_tokens", max_tokens)

    def place(self, config: RunnableConfig | None = None) -> Place:
        """Whose messages they are, and of which conversation.

        Args:
            config: the run's; None for that of the runnable that is running.

        Raises:
            InvalidInput: nobody says it.
        """
        known = ensure_config(config)
        settings = known.get("configurable", {})
        task = known.get("metadata", {}).get("langgraph_checkpoint_ns") or settings.get("checkpoint_ns") or ""
        return Place(
            user_of(self._user_id, known),
            self._session_id or _setting(settings, "thread_id", "session_id"),
            str(task),
        )

    def record(self, messages: Sequence[BaseMessage], config: RunnableConfig | None = None) -> None:
        """Stores what is new of a state's messages, or of the new messages alone; the session then ends with them.

        A message without an id gets one, in place: the one under which it is stored, so that a state that takes it in
        afterwards knows it by the same.

        Args:
            messages: in order.
            config: the run's; None for that of the runnable that is running.

        Raises:
            InvalidInput: nobody says whose they are, or a message cannot be stored.
        """
        run(self._record(messages, self.place(config)))

    async def arecord(self, messages: Sequence[BaseMessage], config: RunnableConfig | None = None) -> None:
        """See ``record``."""
        await elsewhere(self._record(messages, self.place(config)))

    def end(self, messages: Sequence[BaseMessage], config: RunnableConfig | None = None) -> None:
        """The same at the end of a run whose messages were recorded as they came: where the path has all of them as
        they are, it stays as it is.  A run beside it, which began later, has its messages behind them.
        """
        run(self._end(messages, self.place(config)))

    async def aend(self, messages: Sequence[BaseMessage], config: RunnableConfig | None = None) -> None:
        """See ``end``."""
        await elsewhere(self._end(messages, self.place(config)))

    def compose(self, messages: Sequence[BaseMessage], config: RunnableConfig | None = None) -> list[BaseMessage]:
        """What the model is to see: the system messages that come first, the memory section, the session's messages.

        The session is taken as it is recorded, so ``record`` comes first.  Messages that the state has stand there as
        the state has them.  Those that are not recorded stay, before the message of the state that follows them.  Tool
        calls stay with their results; where the newest turn alone is too long, its longest texts are shortened, with a
        mark.

        Args:
            messages: the state's messages, in order; or the new ones alone.
            config: the run's; None for that of the runnable that is running.

        Raises:
            InvalidInput: nobody says whose they are.
            BudgetTooSmall: what always stands there does not fit; says how many tokens are needed.
        """
        return run(self._compose(messages, self.place(config)))

    async def acompose(
        self, messages: Sequence[BaseMessage], config: RunnableConfig | None = None
    ) -> list[BaseMessage]:
        """See ``compose``."""
        return await elsewhere(self._compose(messages, self.place(config)))

    # -- inside

    def _session(self, place: Place) -> AsyncSession:
        return self.memory.inner.session(place.session_id, user_id=place.user_id)

    async def _record(self, messages: Sequence[BaseMessage], place: Place) -> None:
        said = [message for message in messages if is_said(message)]
        if not said:
            return
        session = self._session(place)
        if not all(message.id for message in said):
            drafts = self.memory.inner.clean(self._drafts(said, session.id))
            path = await session.messages(len(said) + _TAIL)
            for message, name in zip(said, names(drafts, path, place.task), strict=True):
                message.id = name
        await session.sync(_about(said), by="id")

    async def _end(self, messages: Sequence[BaseMessage], place: Place) -> None:
        said = [message for message in messages if is_said(message)]
        stored = await _stored(self._session(place), said)
        drafts = self.memory.inner.clean(self._drafts(said, place.session_id))
        kept = [stored.get(message.id or "") for message in said]
        same = [
            one is not None and digest(b"", one) == digest(b"", draft) for one, draft in zip(kept, drafts, strict=True)
        ]
        if not all(same):
            await self._record(messages, place)

    async def _compose(self, messages: Sequence[BaseMessage], place: Place) -> list[BaseMessage]:
        session = self._session(place)
        given = [message for message in messages if not isinstance(message, RemoveMessage)]
        front = leading(given)
        talk = given[len(front) :]
        stored = await _stored(session, talk)
        beside = [message for message in talk if message.id not in stored]
        asked = [message for message in talk if message.type == "human" and is_said(message)][-1:]
        context = await self._context(
            session,
            asked[0].text if asked and asked[0] in beside else None,
            sum(map(self._tokens, (*front, *beside))),
        )
        instructions, memories, history = _parts(context)
        shown = [(message.id, _shown(message, chat)) for message, chat in history]
        told = {message.text for message in front}
        return [
            *front,
            *(to_langchain(message) for message in instructions if message.text not in told),
            *memories,
            *laid(shown, talk, {key: message.id for key, message in stored.items()}),
        ]

    async def _context(self, session: AsyncSession, query: str | None, taken: int) -> Context:
        room = self._max_tokens - taken
        try:
            return await session.context(query, max_tokens=max(1, room), allow_partial=True)
        except BudgetTooSmall as error:
            raise BudgetTooSmall(error.needed + taken, self._max_tokens) from None

    def _tokens(self, message: BaseMessage) -> int:
        return count_message(self.memory.inner.counter, chat_message(self._drafts([message], "")[0]))

    def _drafts(self, messages: Sequence[BaseMessage], session_id: str) -> list[Message]:
        given = [from_langchain(message) for message in messages]
        return intake.given(given, session_id, now=self.memory.inner.clock.now(), name_them=False)


def user_of(user_id: str | None, config: RunnableConfig | None = None) -> str:
    """Whose memory is meant: the one given, or whom the run names in its ``context`` (an object or a mapping with
    ``user_id``), or else in its config: ``configurable["user_id"]``.

    Args:
        user_id: goes above all.
        config: the run's; None for that of the runnable that is running.

    Raises:
        InvalidInput: nobody says it.
    """
    if user_id is not None:
        return intake.identifier("user_id", user_id)
    return _setting(run_of(config).get("configurable", {}), "user_id", "user_id")


def run_of(config: RunnableConfig | None = None) -> RunnableConfig:
    """The config of the running runnable, with the user whom the ``context`` of the running graph names, if it does.

    To be asked for where the runnable runs; another thread or loop does not know it.
    """
    known, user = ensure_config(config), _in_context()
    return known if user is None else {**known, "configurable": {**known.get("configurable", {}), "user_id": user}}


def _in_context() -> object:
    try:
        from langgraph.runtime import get_runtime

        context: object = cast("Any", get_runtime()).context
    except (ImportError, KeyError, RuntimeError, AttributeError):  # not installed, or not in a graph
        return None
    if isinstance(context, Mapping):
        return cast("Mapping[str, object]", context).get("user_id")
    return getattr(context, "user_id", None)


def _about(said: Sequence[BaseMessage]) -> list[dict[str, object]]:
    """Messages as ``sync`` takes them; each that is not the user's names the user's message before it."""
    found: list[dict[str, object]] = []
    question: str | None = None
    for message in said:
        given = from_langchain(message)
        if given["role"] == "user":
            question = message.id
        elif question is not None:
            given["metadata"] = {**cast("Mapping[str, object]", given.get("metadata") or {}), ANSWERS: question}
        found.append(given)
    return found


def _setting(settings: Mapping[str, Any], name: str, field: str) -> str:
    value = settings.get(name)
    if value is None or value == "":
        raise InvalidInput(
            field,
            f'nobody says which; give {field}=… once, or config={{"configurable": {{"{name}": …}}}} with each run',
        )
    return intake.identifier(field, str(value))


async def _stored(session: AsyncSession, talk: Sequence[BaseMessage]) -> dict[str, Message]:
    """The messages that the session's path has: id in the state -> as stored."""
    wanted = {message.id for message in talk if message.id and is_said(message)}
    if not wanted:
        return {}
    limit = 2 * len(talk) + _TAIL
    path = await session.messages(limit)
    found = by_name(path)
    if not wanted <= found.keys() and len(path) == limit:
        found = by_name(await session.messages())
    return {name: found[name][-1] for name in wanted & found.keys()}


_History = list[tuple[Message, Mapping[str, object]]]


def _parts(context: Context) -> tuple[list[Message], list[BaseMessage], _History]:
    """A context's stored system messages, its memory section, and its history with each message as it is shown."""
    of = {
        place: [m for block in context.blocks if block.place == place for item in block.items for m in item.messages]
        for place in ("system", "history")
    }
    history = sorted(of["history"], key=lambda message: message.position)
    end = len(context.messages) - len(history)
    memories = context.messages[len(of["system"]) : end]
    chats = cast("list[Mapping[str, object]]", context.messages[end:])
    return of["system"], [chat_to_langchain(chat) for chat in memories], list(zip(history, chats, strict=True))


def _shown(message: Message, chat: Mapping[str, object]) -> tuple[BaseMessage, bool]:
    """A stored message as LangChain has it, and whether it was shortened."""
    made = to_langchain(message)
    if chat["content"] == chat_message(message)["content"]:
        return made, False
    return made.model_copy(update={"content": chat["content"]}), True


__all__ = ["Place", "Remembering", "run_of", "user_of"]
