"""The newest messages that fit a number of tokens."""

from __future__ import annotations

from dataclasses import replace

from jiyi.errors import InvalidInput
from jiyi.intake import positive
from jiyi.ports import Request
from jiyi.strategies.reading import Turn, history_block, read_tail
from jiyi.types import Block
from jiyi.wire import chat_message


class TokenBuffer:
    """Proposes as many whole turns, newest first, as fit ``max_tokens`` together with the system messages.

    Memories that other strategies propose come on top, within the budget of the context.
    """

    name = "token_buffer"
    window = True

    def __init__(self, max_tokens: int = 4000, *, allow_partial: bool = False) -> None:
        """Sets the size.

        Args:
            max_tokens: tokens of system messages and history in chat format, as the model's tokenizer counts them.
            allow_partial: shorten the newest message, visibly, when it alone is too long; otherwise that raises
                ``BudgetTooSmall``.

        Raises:
            InvalidInput: a size that is not a whole number above 0, or a flag that is not a bool.
        """
        self.max_tokens = positive("max_tokens", max_tokens)
        if not isinstance(allow_partial, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("allow_partial", f"must be True or False, not {allow_partial!r}")
        self.allow_partial = allow_partial

    async def recall(self, request: Request) -> list[Block]:
        """One history block with a limit of its own."""

        def cost(turn: Turn) -> int:
            return sum(request.count(chat_message(message)) for message in turn)

        tail = await read_tail(request.reader, lambda turns: sum(map(cost, turns)) > self.max_tokens)
        block = history_block(self.name, tail, len(tail.turns), f"outside the last {self.max_tokens:,} tokens")
        return [replace(block, share=0.5, limit=self.max_tokens, partial=self.allow_partial)]
