"""Every message of the session, as far as the budget goes."""

from __future__ import annotations

from jiyi.intake import positive
from jiyi.ports import Request
from jiyi.strategies.reading import history_block, read_tail
from jiyi.types import Block, Message
from jiyi.wire import chat_message


class FullHistory:
    """Proposes the whole session; what does not fit into the budget leaves from the beginning, turn by turn."""

    name = "full_history"
    window = True

    def __init__(self, *, checkpoint_every: int | None = None) -> None:
        """Sets what sessions do beside.

        Args:
            checkpoint_every: turns from one automatic checkpoint of a session to the next, unless the session is given
                its own; None for none.

        Raises:
            InvalidInput: names what is out of range.
        """
        self.checkpoint_every = None if checkpoint_every is None else positive("checkpoint_every", checkpoint_every)

    async def recall(self, request: Request) -> list[Block]:
        """One history block; messages that cannot fit whatever happens are counted and not read."""

        def cost(turn: tuple[Message, ...]) -> int:
            return sum(request.count(chat_message(message)) for message in turn)

        tail = await read_tail(request.reader, lambda turns: sum(map(cost, turns)) > request.budget)
        return [history_block(self.name, tail, len(tail.turns), "budget")]
