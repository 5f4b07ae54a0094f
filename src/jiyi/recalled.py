"""The memory section while a context is put together: what is offered for it, asked for, and taken.  Pure.

Everything is quoted whole when it all fits.  Otherwise long messages come in with the passages that matter first, so
that more of them do, and what room is left then widens them again, the most wanted first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from jiyi.copies import origin
from jiyi.passages import SIZE, Span, passages
from jiyi.ports import TokenCounter
from jiyi.quoting import Day, Sizes, day_of, derived, quoted, section, supported
from jiyi.types import Block, ChatMessage, Item, Message, Source

_WORTH = 60  # tokens: less room than this widens no passage
_BYTES = 3  # of a token, at least about: how far a passage may grow into the room there is


@dataclass(slots=True, eq=False)
class Piece:
    """One message of an item, or its derived text, as a line of the section.

    Most are never needed, so tokens are counted when they are first asked for (``Recalled.tokens``).

    Attributes:
        day: under which it stands.
        origin: of the message; "" for a derived text.
        spans: the parts that are quoted; empty for the whole.
        short: the same with only its passages, once these were looked for; itself where it is not cut.
    """

    text: str
    day: Day
    message: Message | None = None
    origin: str = ""
    spans: tuple[Span, ...] = ()
    tokens: int = -1
    short: Piece | None = None


@dataclass(slots=True, eq=False)
class Line:
    """One item of the section as it is offered, or with what of it came in; ``block`` is the place of its block."""

    item: Item
    block: int
    pieces: list[Piece]
    tokens: int = 0


class Recalled:
    """The lines that blocks offer, and those of them that come in.

    Attributes:
        lines: those that came in.
        frame: tokens of a section without lines.
        share: the part of what is left for history and memories that is held free for memories that ask for it, 0..1.
        nothing: (place of the block, item) of what has no text to quote.
        unsupported: the same of texts in cited blocks that no message says.
    """

    def __init__(self, blocks: Sequence[Block], counter: TokenCounter, language: str) -> None:
        self.lines: list[Line] = []
        self.nothing: list[tuple[int, Item]] = []
        self.unsupported: list[tuple[int, Item]] = []
        self._blocks = blocks
        memories = [block for block in blocks if block.place == "memory"]
        offered = [item for block in memories for item in block.items]
        self._sizes = Sizes(counter, language, offered, cited=any(block.cited for block in memories))
        self._language = language
        self.frame = self._sizes.frame
        self._offers = [self._offer(at, block) for at, block in enumerate(blocks)]
        self._shares = max(1.0, sum(block.share for block in blocks))
        self.share = sum(block.share for block in blocks if block.place == "memory") / self._shares

    @property
    def offered(self) -> set[str]:
        """Origins of all messages that are offered."""
        return {first for lines in self._offers for line in lines for first in origins(line.item)}

    def section(self) -> list[ChatMessage]:
        """The system message with the lines that came in; none without lines."""
        cited = [line.item for line in self.lines if self._blocks[line.block].cited]
        return section((line.item for line in self.lines if not self._blocks[line.block].cited), self._language, cited)

    def told(self) -> dict[str, list[Span]]:
        """Session -> stretches [first, last] that the texts which came in tell of as a whole, in order, apart."""
        found: dict[str, list[Span]] = {}
        stretches = sorted(stretch for line in self.lines for stretch in line.item.covers)
        for session, first, last in stretches:
            known = found.setdefault(session, [])
            if known and first <= known[-1][1] + 1:
                first, last = known[-1][0], max(known.pop()[1], last)
            known.append((first, last))
        return found

    def tokens(self, pieces: Iterable[Piece], begun: AbstractSet[Day]) -> int:
        """What lines add to a section that has lines of some days already."""
        return self._sizes.together(((piece.day, self._alone(piece)) for piece in pieces), begun)

    def claims(self, history: set[str]) -> int:
        """Tokens that the memories ask for beside a history of messages with these origins."""
        total, seen, begun = 0, set(history), set[Day]()
        for block, lines in zip(self._blocks, self._offers, strict=True):
            for line in [line for line in lines if not covered(line.item, seen)][: block.most]:
                fresh = _fresh(line.pieces, seen)
                total += self.tokens(fresh, begun)
                begun.update(piece.day for piece in fresh)
                seen.update(() if line.item.text else origins(line.item))
        return total + self.frame if total else 0

    def fill(self, rest: int, room: int, present: set[str]) -> None:
        """Lines up to each block's share in order of preference, then whatever still fits, block by block.

        Args:
            rest: tokens for history and memories together; the shares are of these.
            room: tokens there are for lines.
            present: origins of what stands in the context; what comes in is added.
        """
        known = set(present)
        lines, left, all_fit = self._take(rest, room, known, cut=False)
        if not all_fit and any(block.asked is not None for block in self._blocks):
            known = set(present)
            lines, left, _ = self._take(rest, room, known, cut=True)
        self._widen(lines, self._rejoin(lines, left, known))
        present |= known
        begun = set[Day]()
        for line in lines:
            line.item, line.tokens = _shown(line), self.tokens(line.pieces, begun)
            begun.update(piece.day for piece in line.pieces)
        self.lines = lines

    def missed(self, present: set[str]) -> Iterator[tuple[int, Item]]:
        """(Place of the block, item) of what a larger budget would have shown."""
        shown = {first for line in self.lines for first in origins(line.item)}
        texts = {line.item.text for line in self.lines}
        for at, block in enumerate(self._blocks):
            taken = sum(line.block == at for line in self.lines)
            unused = [line.item for line in self._offers[at] if not line.item.text or line.item.text not in texts]
            unused = [item for item in unused if not covered(item, present if item.text else present | shown)]
            yield from ((at, item) for item in unused[: None if block.most is None else max(0, block.most - taken)])

    def _offer(self, at: int, block: Block) -> list[Line]:
        """What a block offers, in order of preference."""
        lines: list[Line] = []
        for item in block.items if block.place == "memory" else ():
            if item.text:
                if block.cited:
                    item = replace(item, quotes=supported(item))
                    if not item.quotes:
                        self.unsupported.append((at, item))
                        continue
                first = item.messages[0] if item.messages else None
                pieces = [Piece(derived(item, self._language, cited=block.cited), day_of(first, self._language))]
            else:
                texts = [(quoted(message, self._language, cited=block.cited), message) for message in item.messages]
                pieces = [Piece(text, day_of(m, self._language), m, origin(m)) for text, m in texts if text]
            if any(piece.message is None or piece.message.id not in item.neighbours for piece in pieces):
                lines.append(Line(item, at, pieces))
            else:
                self.nothing.append((at, item))
        return lines

    def _take(self, rest: int, room: int, present: set[str], *, cut: bool) -> tuple[list[Line], int, bool]:
        """The lines that come in, the room that is left, and whether nothing was too long; adds to ``present``."""
        lines: list[Line] = []
        used, said, begun, all_fit, parts = set[int](), set[str](), set[Day](), True, set[str]()
        passed: list[Line] = []
        taken = [0] * len(self._blocks)
        for again in (False, True):
            for at, block in enumerate(self._blocks):
                share = rest if again else int(rest * block.share / self._shares)
                for line in self._offers[at]:
                    if taken[at] == block.most or id(line) in used or covered(line.item, present, parts):
                        continue
                    if line.item.text in said and not line.item.covers:  # the same fact, of two strategies
                        continue
                    fresh = _fresh(line.pieces, present)
                    fresh = [self._short(piece, line) for piece in fresh] if cut else fresh
                    pieces = self._fitting(line.item, fresh, min(room, share), begun)
                    if not pieces:
                        passed.append(line)
                        continue
                    all_fit = all_fit and len(pieces) == len(fresh)
                    used.add(id(line))
                    said.update([line.item.text] if line.item.text else [])
                    taken[at] += 1
                    tokens = self.tokens(pieces, begun)
                    begun.update(piece.day for piece in pieces)
                    share -= tokens
                    room -= tokens
                    present.update(piece.origin for piece in pieces if piece.message)
                    parts.update(piece.origin for piece in pieces if piece.spans)
                    lines.append(Line(line.item, at, pieces))
        # what was too long for a share counts too: shorter ones, less wanted, may have had its place since
        left = (line for line in passed if id(line) not in used and not covered(line.item, present, parts))
        return lines, room, all_fit and next(left, None) is None

    def _fitting(self, item: Item, pieces: list[Piece], room: int, begun: AbstractSet[Day]) -> list[Piece]:
        """What of an item goes into so much room: all of it, all but the neighbours, or nothing."""
        if self.tokens(pieces, begun) <= room:
            return pieces
        pieces = [piece for piece in pieces if piece.message is None or piece.message.id not in item.neighbours]
        return pieces if self.tokens(pieces, begun) <= room else []

    def _short(self, piece: Piece, line: Line) -> Piece:
        """A piece with only the passages that matter, when it is long."""
        if piece.short is None:
            piece.short = self._cut(piece, line, SIZE)
        return piece.short

    def _cut(self, piece: Piece, line: Line, size: int) -> Piece:
        """A piece cut to about so many bytes; of a message that another one answers, to its end."""
        block, message = self._blocks[line.block], piece.message
        asked = block.asked
        if asked is None or message is None:
            return piece
        ends = message.id in line.item.neighbours
        spans = passages(message.text, {} if ends else asked, size, end=ends)
        if spans == [(0, len(message.text))]:
            return piece
        text = quoted(message, self._language, spans, cited=block.cited)
        short = Piece(text, piece.day, message, piece.origin, tuple(spans))
        return short if self._alone(short) < self._alone(piece) else piece

    def _alone(self, piece: Piece) -> int:
        """Tokens of a line without its date."""
        if piece.tokens < 0:
            piece.tokens = self._sizes.line(piece.text)
        return piece.tokens

    def _rejoin(self, lines: Sequence[Line], room: int, present: set[str]) -> int:
        """Gives lines back the neighbours that they had to leave, where there is room now; returns what is left."""
        offered = {id(line.item): line for offers in self._offers for line in offers}
        begun = {piece.day for line in lines for piece in line.pieces}
        for line in lines:
            for piece in _fresh(offered[id(line.item)].pieces, present):
                short = self._short(piece, line)
                if (tokens := self.tokens([short], begun)) <= room:
                    line.pieces.append(short)
                    begun.add(short.day)
                    present.add(piece.origin)
                    room -= tokens
        return room

    def _widen(self, lines: Sequence[Line], room: int) -> None:
        """Gives what was cut back its words while there is room, the most wanted first."""
        whole = {id(piece.short): piece for offers in self._offers for line in offers for piece in line.pieces}
        for line in lines:
            for at, piece in enumerate(line.pieces):
                full = whole.get(id(piece), piece)
                if not piece.spans or room < _WORTH:
                    continue
                if self._alone(full) - piece.tokens > room:
                    full = self._cut(full, line, SIZE + _BYTES * room)
                more = self._alone(full) - piece.tokens
                if 0 < more <= room:
                    line.pieces[at] = full
                    room -= more


def covered(item: Item, present: AbstractSet[str], parts: AbstractSet[str] = frozenset()) -> bool:
    """Whether everything it quotes stands in the context already, neighbours aside; what it tells of may be more.

    ``parts``: of what is there, what is quoted in part: a derived text may rest on the words that are left out.
    """
    if not item.messages or item.covers:
        return False
    said = (origin(message) for message in item.messages if message.id not in item.neighbours)
    return all(name in present and not (item.text and name in parts) for name in said)


def origins(item: Item) -> list[str]:
    """The origins (``copies.origin``) of what it quotes."""
    return [origin(message) for message in item.messages]


def _fresh(pieces: Iterable[Piece], present: set[str]) -> list[Piece]:
    """Those that do not stand in the context already."""
    return [piece for piece in pieces if piece.message is None or piece.origin not in present]


def _shown(line: Line) -> Item:
    """The item as it came in."""
    item = line.item
    if item.text:
        return item
    said = {piece.message.id: piece for piece in line.pieces if piece.message}
    messages = tuple(message for message in item.messages if message.id in said)
    parts = tuple(Source(m.id, start, end) for m in messages for start, end in said[m.id].spans)
    if len(messages) == len(item.messages) and not parts:
        return item
    ids = said.keys()
    return replace(item, messages=messages, passages=parts, neighbours=tuple(n for n in item.neighbours if n in ids))
