"""An agent of ``langchain.agents.create_agent`` with a memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

try:
    from langchain.agents.middleware.types import AgentMiddleware, AgentState, ModelRequest, ModelResponse
except ModuleNotFoundError as error:
    from jiyi.errors import MissingDependency

    raise MissingDependency("this needs the package langchain: pip install 'jiyi[langchain]'") from error
from langchain_core.messages import BaseMessage, SystemMessage, ToolMessage

from jiyi.integrations.langchain.laying import leading
from jiyi.integrations.langchain.remembering import Remembering

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

    from jiyi.sync import Memory

Request = ModelRequest[Any]
Response = ModelResponse[Any]


class JiyiMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Gives an agent a memory: ``create_agent(model, tools, middleware=[JiyiMiddleware(memory)])``.

    Before each call of the model what is new is stored, and the model sees the memory section, at the end of the system
    message, and the session's messages, within the budget.  What it answers is stored before anything else happens to
    it, so that a run that is interrupted or fails has said what it said.  The agent's state stays as it is: a
    checkpointer keeps the real history.  Without one the session goes on all the same.

    Args:
        memory: the memory; closed by who opened it.
        user_id: whose memory; None to take ``user_id`` from the run's context (``agent.invoke(…, context=…)``, an
            object or a mapping), or else from its config: ``{"configurable": {"user_id": …}}``.
        session_id: one session for everything; None for the run's ``{"configurable": {"thread_id": …}}``.
        max_tokens: of what the model sees, chat format included.  Tools are not counted.

    Raises:
        InvalidInput: when the agent runs, and nobody says whose memory it is, or which conversation.
        BudgetTooSmall: when the agent runs, and its instructions alone do not fit.
    """

    def __init__(
        self, memory: Memory, *, user_id: str | None = None, session_id: str | None = None, max_tokens: int = 4000
    ) -> None:
        super().__init__()
        self._remembering = Remembering(memory, user_id=user_id, session_id=session_id, max_tokens=max_tokens)

    def wrap_model_call(self, request: Request, handler: Callable[[Request], Response]) -> Response:
        """Stores what is new, asks the model with the memory, stores what it answers."""
        said = _said(request)
        self._remembering.record(said)
        response = handler(_asked(request, self._remembering.compose(_given(request))))
        self._remembering.record([*said, *response.result])
        return response

    async def awrap_model_call(self, request: Request, handler: Callable[[Request], Awaitable[Response]]) -> Response:
        """See ``wrap_model_call``."""
        said = _said(request)
        await self._remembering.arecord(said)
        response = await handler(_asked(request, await self._remembering.acompose(_given(request))))
        await self._remembering.arecord([*said, *response.result])
        return response

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Stores what the run left: results that no model saw, and what other middleware made of messages."""
        self._remembering.end(state["messages"])

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """See ``after_agent``."""
        await self._remembering.aend(state["messages"])


def _said(request: Request) -> list[BaseMessage]:
    """The state's messages, with the results that LangChain puts behind calls that could not be read.

    They get ids when they are stored, and go into the state with those: so they are stored once.
    """
    known = {message.id: message for message in request.state["messages"]}
    repaired = [message for message in request.messages if message.id is None and isinstance(message, ToolMessage)]
    if not repaired:
        return list(request.state["messages"])
    return [known.get(m.id, m) for m in request.messages if m.id in known or m in repaired]


def _given(request: Request) -> list[BaseMessage]:
    return [*([request.system_message] if request.system_message else ()), *request.messages]


def _asked(request: Request, messages: Sequence[BaseMessage]) -> Request:
    """The same call with these messages, those of the system joined into one: some models take no more."""
    front = cast("list[SystemMessage]", leading(messages))
    rest: list[Any] = list(messages[len(front) :])
    return request.override(system_message=_joined(front), messages=rest)


def _joined(messages: Sequence[SystemMessage]) -> SystemMessage | None:
    if len(messages) < 2:
        return messages[0] if messages else None
    contents = [message.content for message in messages]
    if all(isinstance(content, str) for content in contents):
        return messages[0].model_copy(update={"content": "\n\n".join(cast("list[str]", contents))})
    parts: list[Any] = []
    for content in contents:
        parts += [{"type": "text", "text": content}] if isinstance(content, str) else content
    return messages[0].model_copy(update={"content": parts})


__all__ = ["JiyiMiddleware"]
