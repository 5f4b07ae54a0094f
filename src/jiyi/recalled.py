"""The memory section while a context is put together: what is offered for it, asked for, and taken.  Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jiyi.copies import origin
from jiyi.ports import TokenCounter
from jiyi.quoting import HEADER, quoted, section
from jiyi.tokens import count_message
from jiyi.types import Block, ChatMessage, Item

_LINE_SLACK = 2  # tokens: a line's end, and an empty line before another session


@dataclass(slots=True, eq=False)
class Line:
    """One item of the section; ``block`` is the place of the block that offers it.

    Most are never needed, so tokens are counted when they are first asked for (``Recalled.tokens``).
    """

    item: Item
    text: str
    block: int
    tokens: int = -1


class Recalled:
    """The lines that blocks offer, and those of them that come in.

    Attributes:
        lines: those that came in.
        frame: tokens of a section without lines.
        share: the part of what is left for history and memories that is held free for memories that ask for it, 0..1.
        nothing: (place of the block, item) of what has no text to quote.
    """

    def __init__(self, blocks: Sequence[Block], counter: TokenCounter, language: str) -> None:
        self.lines: list[Line] = []
        self.nothing: list[tuple[int, Item]] = []
        self._blocks = blocks
        self._counter = counter
        self._language = language
        self.frame = count_message(counter, {"role": "system", "content": HEADER[language] + "\n"})
        self._offers = [self._offer(at, block) for at, block in enumerate(blocks)]
        self._shares = max(1.0, sum(block.share for block in blocks))
        self.share = sum(block.share for block in blocks if block.place == "memory") / self._shares

    @property
    def offered(self) -> set[str]:
        """Origins of all messages that are offered."""
        return {first for lines in self._offers for line in lines for first in origins(line.item)}

    def section(self) -> list[ChatMessage]:
        """The system message with the lines that came in; none without lines."""
        return section((line.item for line in self.lines), self._language)

    def tokens(self, line: Line) -> int:
        """What a line takes up."""
        if line.tokens < 0:
            line.tokens = self._counter.count(line.text) + _LINE_SLACK
        return line.tokens

    def claims(self, history: set[str]) -> int:
        """Tokens that the memories ask for beside a history of messages with these origins."""
        total, seen = 0, set(history)
        for block, lines in zip(self._blocks, self._offers, strict=True):
            fresh = [line for line in lines if not covered(line.item, seen)][: block.most]
            seen.update(first for line in fresh if not line.item.text for first in origins(line.item))
            total += sum(map(self.tokens, fresh))
        return total + self.frame if total else 0

    def fill(self, rest: int, room: int, present: set[str]) -> None:
        """Lines up to each block's share in order of preference, then whatever still fits, block by block.

        Args:
            rest: tokens for history and memories together; the shares are of these.
            room: tokens there are for lines.
            present: origins of what stands in the context; what comes in is added.
        """
        taken = [0] * len(self._blocks)
        for again in (False, True):
            for at, block in enumerate(self._blocks):
                share = rest if again else int(rest * block.share / self._shares)
                for line in self._offers[at]:
                    done = taken[at] == block.most or line in self.lines or covered(line.item, present)
                    if done or self.tokens(line) > min(room, share):
                        continue
                    self.lines.append(line)
                    taken[at] += 1
                    share -= line.tokens
                    room -= line.tokens
                    present.update(() if line.item.text else origins(line.item))

    def missed(self, present: set[str]) -> Iterator[tuple[int, Item]]:
        """(Place of the block, item) of what a larger budget would have shown."""
        for at, block in enumerate(self._blocks):
            taken = sum(line.block == at for line in self.lines)
            unused = [line.item for line in self._offers[at] if line not in self.lines]
            unused = [item for item in unused if not covered(item, present)]
            yield from ((at, item) for item in unused[: None if block.most is None else max(0, block.most - taken)])

    def _offer(self, at: int, block: Block) -> list[Line]:
        """The lines of a block, in order of preference."""
        lines: list[Line] = []
        for item in block.items if block.place == "memory" else ():
            if text := quoted(item, self._language):
                lines.append(Line(item, text, at))
            else:
                self.nothing.append((at, item))
        return lines


def covered(item: Item, present: set[str]) -> bool:
    """Whether everything it quotes stands in the context already."""
    return bool(item.messages) and present.issuperset(origins(item))


def origins(item: Item) -> list[str]:
    """The origins (``copies.origin``) of what it quotes."""
    return [origin(message) for message in item.messages]
