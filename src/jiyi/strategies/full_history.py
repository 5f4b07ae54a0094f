"""Every message of the session, as far as the budget goes."""

from __future__ import annotations

from jiyi.ports import Request
from jiyi.strategies.reading import history_block, read_tail
from jiyi.types import Block, Message
from jiyi.wire import chat_message


class FullHistory:
    """Proposes the whole session; what does not fit into the budget leaves from the beginning, turn by turn."""

    name = "full_history"
    window = True

    async def recall(self, request: Request) -> list[Block]:
        """One history block; messages that cannot fit whatever happens are counted and not read."""

        def cost(turn: tuple[Message, ...]) -> int:
            return sum(request.count(chat_message(message)) for message in turn)

        tail = await read_tail(request.reader, lambda turns: sum(map(cost, turns)) > request.budget)
        return [history_block(self.name, tail, len(tail.turns), "budget")]
