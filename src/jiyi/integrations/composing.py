"""A session's context in parts, for frameworks that send messages of their own beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from jiyi.errors import BudgetTooSmall
from jiyi.types import Message

if TYPE_CHECKING:
    from jiyi.engine import AsyncMemory
    from jiyi.session import AsyncSession


@dataclass(frozen=True, slots=True)
class Composed:
    """What of a context a framework sends.

    Attributes:
        system: the session's own system messages.
        section: the text of the memory section; "" where nothing is remembered.
        history: the session's messages that stand in the context, in order.
    """

    system: tuple[Message, ...] = ()
    section: str = ""
    history: tuple[Message, ...] = ()


async def compose(memory: AsyncMemory, session: AsyncSession, query: str | None, max_tokens: int) -> Composed:
    """The recipe's parts within a budget.

    Where not even the session's newest turn fits, what is remembered of it must do: the framework's own messages come
    behind, and they are what is asked.

    Args:
        memory: whose session it is.
        session: what was said before.
        query: what recall looks for; None for the session's newest user message.
        max_tokens: tokens of all of it; nothing comes back for less than what a context takes.
    """
    if max_tokens <= 0:
        return Composed()
    try:
        context = await session.context(query, max_tokens=max_tokens)
    except BudgetTooSmall:
        aside = memory.session(user_id=session.user_id, off_record=True)
        try:
            context = await aside.context(query, max_tokens=max_tokens)
        except BudgetTooSmall:
            return Composed()
    placed: dict[str, list[Message]] = {"system": [], "history": []}
    for block in context.blocks:
        for item in block.items:
            placed.setdefault(block.place, []).extend(item.messages)
    system, history = placed["system"], sorted(placed["history"], key=lambda message: message.position)
    section = context.messages[len(system) : len(context.messages) - len(history)]
    return Composed(tuple(system), "\n".join(cast("str", chat["content"]) for chat in section), tuple(history))
