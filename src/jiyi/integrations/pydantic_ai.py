"""``JiyiHistory``: the message history of pydantic-ai's agents, kept in a memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jiyi import intake
from jiyi.errors import MissingDependency
from jiyi.integrations.composing import compose
from jiyi.integrations.pydantic_messages import dumped, from_messages, mark_of, marks, to_messages
from jiyi.tokens import count_message
from jiyi.waiting import elsewhere, run

try:
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelMessage, ModelRequest, SystemPromptPart, UserPromptPart
except ImportError as error:
    raise MissingDependency(
        f"the message history of pydantic-ai needs: pip install 'jiyi[pydantic-ai]' ({error})"
    ) from error

if TYPE_CHECKING:
    from pydantic_ai import RunContext
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.run import AgentRunResult

    from jiyi.sync import Memory


class JiyiHistory:
    """What was said to an agent and by it, exactly; and what it is to know of it.

    Attributes:
        session_id: the Jiyi session beneath, resumed by the same id.
    """

    def __init__(self, memory: Memory, session_id: str | None = None, *, user_id: str, max_tokens: int = 4000) -> None:
        """Opens the session, or makes it.

        Args:
            memory: where everything is kept.
            session_id: None for a fresh id.
            user_id: whose it is.
            max_tokens: tokens of what a model gets with ``capability``, the run's own messages counted in.

        Raises:
            InvalidInput: names the field.
        """
        self._max_tokens = intake.positive("max_tokens", max_tokens)
        self._session = memory.session(session_id, user_id=user_id).inner
        self._memory = memory.inner
        self.session_id = self._session.id

    def load(self) -> list[ModelMessage]:
        """The whole session, for ``agent.run(…, message_history=…)``."""
        return run(self._load())

    async def aload(self) -> list[ModelMessage]:
        """See ``load``."""
        return await elsewhere(self._load())

    def save(self, messages: Sequence[ModelMessage]) -> None:
        """Keeps ``result.new_messages()``; those that are kept already, as they say the same, are not kept twice.

        Raises:
            InvalidInput: names what cannot be kept.
        """
        run(self._save(messages))

    async def asave(self, messages: Sequence[ModelMessage]) -> None:
        """See ``save``."""
        await elsewhere(self._save(messages))

    def capability(self) -> JiyiMemory:
        """For ``Agent(…, capabilities=[…])`` or ``agent.run(…, capabilities=[…])``: remembers, keeps what is new."""
        return JiyiMemory(self)

    async def abefore(self, messages: Sequence[ModelMessage], run_id: str | None) -> list[ModelMessage]:
        """What a model is to get: what is remembered, the session as far as it fits, and the run's own messages.

        Args:
            messages: as the agent would send them; those before the run's own give way to what the session holds.
            run_id: the run that sends them.
        """
        return await elsewhere(self._before(messages, run_id))

    # -- inside, on the memory's loop

    async def _load(self) -> list[ModelMessage]:
        return from_messages(await self._session.messages())

    async def _save(self, messages: Sequence[ModelMessage]) -> None:
        await self._session.add_many(to_messages(messages, session_id=self.session_id))

    async def _before(self, messages: Sequence[ModelMessage], run_id: str | None) -> list[ModelMessage]:
        own = list(messages[_own(messages, run_id) :])
        ours = to_messages(own)
        room = self._max_tokens - sum(count_message(self._memory.counter, message) for message in ours)
        composed = await compose(self._memory, self._session, _asked(own) or None, room)
        here = set(marks(dumped(own), self.session_id))
        said = {part.content for message in own for part in message.parts if isinstance(part, SystemPromptPart)}
        told = dict.fromkeys([*(message.text for message in composed.system), composed.section])
        parts = [SystemPromptPart(text) for text in told if text and text not in said]
        head: list[ModelMessage] = [ModelRequest(parts)] if parts else []
        return [*head, *from_messages([one for one in composed.history if mark_of(one) not in here]), *own]


def _own(messages: Sequence[ModelMessage], run_id: str | None) -> int:
    """Where the turn begins that the model is to answer: the run's first message, or the user's last words."""
    asked = [at for at, message in enumerate(messages) if _asked([message])]
    begun = [at for at, message in enumerate(messages) if run_id and message.run_id == run_id]
    return min([*asked[-1:], *begun[:1]], default=max(0, len(messages) - 1))


def _asked(messages: Sequence[ModelMessage]) -> str:
    """What the user says in them."""
    prompts = [part.content for message in messages for part in message.parts if isinstance(part, UserPromptPart)]
    said = [piece for content in prompts for piece in ([content] if isinstance(content, str) else content)]
    return "\n".join(piece for piece in said if isinstance(piece, str)).strip()


@dataclass
class JiyiMemory(AbstractCapability[Any]):
    """Adds memory before the model, and keeps what a run added when it has ended well; see ``JiyiHistory.capability``.

    The run's own message history stays as it is: only what the model gets is another.
    """

    history: JiyiHistory

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Puts what is remembered before the run's own messages."""
        request_context.messages = await self.history.abefore(request_context.messages, ctx.run_id)
        return request_context

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Keeps the run's messages."""
        await self.history.asave(result.new_messages())
        return result
