"""Nodes for graphs: one before the model, which composes what it sees, and one that records.

Neither changes what stands in the graph's state, and both work in graphs that are invoked and that are awaited.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import BaseMessage, convert_to_messages
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda

from jiyi.errors import InvalidInput
from jiyi.integrations.langchain.remembering import Remembering, run_of
from jiyi.sync import Memory
from jiyi.waiting import elsewhere, run

SUMMARY_ID = "jiyi-summary"
"""Id of the message that stands for those that the summarising node took out of a state."""

Node = Runnable[Any, dict[str, Any]]
Work = Callable[[Any, RunnableConfig], Coroutine[Any, Any, dict[str, Any]]]


def jiyi_pre_model_hook(
    memory: Memory, *, user_id: str | None = None, session_id: str | None = None, max_tokens: int = 4000
) -> Node:
    """What the model is to see, in ``llm_input_messages``: memory and history within a budget.

    It records first what is new in the state's ``messages``, and changes nothing there.  For ``create_react_agent``
    (``pre_model_hook=…``), or as a node of any graph whose state has a key ``llm_input_messages``.

    Args:
        memory: where it is remembered.
        user_id: whose; None for the ``user_id`` in the run's ``context`` or in ``config["configurable"]``.
        session_id: None for ``config["configurable"]["thread_id"]``.
        max_tokens: tokens of what the model is to see.

    Raises:
        InvalidInput: when it runs: the state has no ``messages``, or nobody says whose they are.
        BudgetTooSmall: when it runs: says how many tokens are needed.
    """
    remembering = Remembering(memory, user_id=user_id, session_id=session_id, max_tokens=max_tokens)

    async def work(state: Any, config: RunnableConfig) -> dict[str, Any]:
        messages = said(state)
        await remembering.arecord(messages, config)
        return {"llm_input_messages": await remembering.acompose(messages, config)}

    return node("jiyi_pre_model_hook", work)


def jiyi_recording_node(memory: Memory, *, user_id: str | None = None, session_id: str | None = None) -> Node:
    """Records what is new in the state's ``messages``: after the model, or wherever something was said.

    Run again, after an interrupt, an error or a crash, it stores nothing twice.  In ``create_react_agent`` it is the
    ``post_model_hook``.

    Args:
        memory: where it is remembered.
        user_id: whose; None for the ``user_id`` in the run's ``context`` or in ``config["configurable"]``.
        session_id: None for ``config["configurable"]["thread_id"]``.

    Raises:
        InvalidInput: when it runs: the state has no ``messages``, or nobody says whose they are.
    """
    remembering = Remembering(memory, user_id=user_id, session_id=session_id)

    async def work(state: Any, config: RunnableConfig) -> dict[str, Any]:
        await remembering.arecord(said(state), config)
        return {}

    return node("jiyi_recording_node", work)


def node(name: str, work: Work) -> Node:
    """A node that is written once, and runs on the memories' loop whichever way its graph is called."""

    def invoked(state: Any, config: RunnableConfig) -> dict[str, Any]:
        return run(work(state, run_of(config)))

    async def awaited(state: Any, config: RunnableConfig) -> dict[str, Any]:
        return await elsewhere(work(state, run_of(config)))

    return RunnableLambda(invoked, afunc=awaited, name=name)


def said(state: object) -> list[BaseMessage]:
    """The messages of a state, without the one that is a summary of ours.

    Raises:
        InvalidInput: there are none.
    """
    return [message for message in messages_of(state) if message.id != SUMMARY_ID]


def messages_of(state: object) -> list[BaseMessage]:
    """All messages of a state, whether it is a mapping, an object or the list itself.

    Raises:
        InvalidInput: there are none.
    """
    found: object = state
    if isinstance(state, Mapping):
        found = cast("Mapping[str, object]", state).get("messages")
    elif not isinstance(state, list):
        found = getattr(state, "messages", None)
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise InvalidInput("messages", "is missing in the graph's state; give it a key messages, as MessagesState has")
    return convert_to_messages(cast("list[BaseMessage]", list(cast("Sequence[object]", found))))
