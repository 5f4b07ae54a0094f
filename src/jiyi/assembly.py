"""From what the strategies propose to one context within the budget: pure, and the same for the same input.

The order of things: system messages, one system message with the quoted memories, the history.  The fixed part (system,
newest user message) comes first; then the rest of the newest turn; then the older turns and the memories share
what is left.  Turns are taken in one order, whatever the budget, up to the first that does not fit, and how much
history there is depends on what the memories *ask for*, not on which of them fit: so a larger budget never shows less.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from jiyi.context import Context
from jiyi.copies import origin
from jiyi.errors import BudgetTooSmall
from jiyi.history import groups, whole
from jiyi.ports import TokenCounter
from jiyi.recalled import Recalled, origins
from jiyi.tokens import REPLY, count_message
from jiyi.types import Block, ChatMessage, Dropped, Item, Message, Used
from jiyi.wire import chat_message, shortened

BUDGET = "budget"
BEFORE_USER = "before the first user message"
IMPORTANCE = "budget, the less important first"
_ORPHAN = "a tool call without its result, or a result without its call"
_REPEATED = "the same system message again"
_NOTHING = "no text to quote"
_UNSUPPORTED = "no quote in a stored message"


def assemble(  # noqa: PLR0913
    blocks: Sequence[Block],
    *,
    system: Sequence[Message],
    newest: Sequence[Message],
    budget: int,
    counter: TokenCounter,
    language: str = "en",
    allow_partial: bool = False,
) -> Context:
    """Fits what strategies propose into a budget, and keeps account of what stays out.

    Args:
        blocks: in the order in which what is left over is offered again.
        system: the session's system and developer messages, in order; always kept.
        newest: the newest user message and what follows it.  The user message is always kept, and so is the last call
            with its results when the model is to go on from them; earlier ones leave, oldest first, when the turn
            alone is over the budget.
        budget: tokens of the whole, chat format included.
        counter: counts as the model does.
        language: of the few words that are added, ``zh`` or ``en``.
        allow_partial: shorten the longest messages of the newest turn, visibly, when it does not fit otherwise.

    Raises:
        BudgetTooSmall: what is always kept does not fit.
    """
    run = _Assembly(tuple(blocks), budget, counter, "zh" if language == "zh" else "en")
    run.keep_system(system)
    run.keep_newest(newest, allow_partial=allow_partial)
    run.fill_history()
    run.fill_memory()
    return run.result()


@dataclass(slots=True)
class _Turn:
    """One turn of the history that may be shown, and the blocks that propose it."""

    messages: tuple[Message, ...]
    why: str
    gaps: bool
    proposers: list[int] = field(default_factory=list[int])


@dataclass(slots=True)
class _Assembly:
    """The state of one ``assemble``: each step spends from the budget and notes what it left out."""

    blocks: tuple[Block, ...]
    budget: int
    counter: TokenCounter
    language: str
    system: list[Message] = field(default_factory=list[Message])
    newest: list[Message] = field(default_factory=list[Message])
    newest_chat: list[ChatMessage] = field(default_factory=list[ChatMessage])
    newest_complete: bool = True
    truncated: bool = False
    shown: list[tuple[int, Item]] = field(default_factory=list[tuple[int, Item]])  # (block, turn), newest first
    fixed: int = REPLY
    history: int = 0
    dropped: dict[str, Dropped] = field(default_factory=dict[str, Dropped])
    section: int = 0
    recalled: Recalled = field(init=False)
    counted: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        self.recalled = Recalled(self.blocks, self.counter, self.language)
        for at, item in self.recalled.nothing:
            self._drop_item(at, item, _NOTHING)

    # -- the fixed part

    def keep_system(self, system: Sequence[Message]) -> None:
        """All system messages; one that says the same again stays out."""
        for message in system:
            if any((message.role, message.content) == (other.role, other.content) for other in self.system):
                self._drop("system", message, _REPEATED)
            else:
                self.system.append(message)
        self.fixed += sum(map(self._tokens, self.system))

    def keep_newest(self, newest: Sequence[Message], *, allow_partial: bool) -> None:
        """The newest turn, as much of it as fits."""
        turn, rest = self._legal("newest", newest), self._history_blocks()
        limit = min(self.budget, max((b.limit or self.budget for _, b in rest), default=self.budget))
        pieces = groups(turn[1:])
        kept = pieces[-1:] if pieces and pieces[-1][-1].role == "tool" else []
        needed = [*turn[:1], *(message for piece in kept for message in piece)]
        self.newest_chat = [chat_message(message) for message in needed]
        total = self.fixed + sum(map(self._tokens, needed))
        if total > limit:
            if not (allow_partial or any(b.partial for _, b in rest)):
                raise BudgetTooSmall(total, limit)
            total = self._shorten(limit)
        more: list[Message] = []
        for piece in reversed(pieces[: len(pieces) - len(kept)]):
            tokens = sum(map(self._tokens, piece))
            if not self.newest_complete or total + tokens > limit:
                self.newest_complete = False
                for message in piece:
                    self._drop("newest", message, BUDGET)
                continue
            total += tokens
            more = [*piece, *more]
        self.newest = [*needed[:1], *more, *needed[1:]]
        self.newest_chat[1:1] = [chat_message(message) for message in more]
        self.fixed = total

    def _shorten(self, limit: int) -> int:
        """Cuts the newest turn down to the limit; gives the tokens of the fixed part."""
        try:
            self.newest_chat = shortened(self.newest_chat, limit - self.fixed, self.counter, self.language)
        except BudgetTooSmall as error:
            raise BudgetTooSmall(self.fixed + error.needed, limit) from None
        total = self.fixed + sum(count_message(self.counter, chat) for chat in self.newest_chat)
        if total > limit:
            raise BudgetTooSmall(total, limit)
        self.truncated, self.newest_complete = True, False
        return total

    # -- the history

    def fill_history(self) -> None:
        """Older turns up to the first that does not fit beside what the memories may claim.

        Those of blocks without gaps come first, from the newest on; then those of blocks with gaps, in their order.
        """
        if self.newest:
            self.shown.append(self._shown_newest())
        rest = self.budget - self.fixed
        present = set(map(origin, (*self.system, *self.newest)))
        reserved = int(rest * self.recalled.share)
        offered = self.recalled.offered
        claims = self.recalled.claims(present)
        full, outside = not self.newest_complete, ""
        for turn in self._order():
            if origin(turn.messages[0]) in present:
                continue
            refused = "" if turn.gaps else outside  # a limit ends the turns without gaps; the budget ends all
            wanted = self.history + (0 if refused or full else sum(map(self._tokens, turn.messages)))
            ids = set(map(origin, turn.messages))
            owner = next((at for at in turn.proposers if self._within_limit(at, wanted)), None)
            if owner is None and not refused and not full:
                limit = max(self.blocks[at].limit or 0 for at in turn.proposers)
                refused = outside = f"outside the last {limit:,} tokens"
            if owner is not None and not refused and not full:
                claims = claims if offered.isdisjoint(ids) else self.recalled.claims(present | ids)
                full = wanted + min(reserved, claims) > rest
            if refused or full or owner is None:
                reason = refused or (IMPORTANCE if turn.gaps else BUDGET)
                for message in turn.messages:
                    self._drop(self.blocks[turn.proposers[0]].strategy, message, reason)
                continue
            present |= ids
            self.history = wanted
            self.shown.append((owner, Item(turn.messages, why=turn.why)))
        fixed = len(self.newest[:1])
        self.shown[fixed:] = sorted(self.shown[fixed:], key=lambda shown: -shown[1].messages[0].position)

    def _within_limit(self, block: int, history: int) -> bool:
        limit = self.blocks[block].limit
        return limit is None or self.fixed + history <= limit

    def _history_blocks(self) -> list[tuple[int, Block]]:
        return [(at, block) for at, block in enumerate(self.blocks) if block.place == "history"]

    def _shown_newest(self) -> tuple[int, Item]:
        """The newest turn, and who proposes it."""
        for at, block in self._history_blocks():
            for item in block.items:
                if item.messages[:1] == tuple(self.newest[:1]):
                    return at, Item(tuple(self.newest), why=item.why)
        return -1, Item(tuple(self.newest))

    def _order(self) -> list[_Turn]:
        """The older turns of all history blocks in the order to take them in; one may stand with gaps and without."""
        found: dict[tuple[bool, str], _Turn] = {}
        newest = self.newest[0].id if self.newest else None
        for at, block in self._history_blocks():
            for item in block.items:
                if item.messages and item.messages[0].id == newest:
                    continue
                messages = self._legal(block.strategy, item.messages)
                if messages:
                    turn = _Turn(tuple(messages), item.why, block.gaps)
                    found.setdefault((block.gaps, messages[0].id), turn).proposers.append(at)
        # what arrived while the strategies were reading comes after the newest turn: it waits for the next context
        last = self.newest[0].position if self.newest else 0
        turns = [turn for turn in found.values() if not last or turn.messages[0].position <= last]
        # sorting keeps the blocks' own order among those with gaps
        return sorted(turns, key=lambda turn: (turn.gaps, 0 if turn.gaps else -turn.messages[0].position))

    def _legal(self, strategy: str, messages: Sequence[Message]) -> list[Message]:
        """A turn that a model accepts: begins with the user, and no call is parted from its results."""
        if not messages or messages[0].role != "user":
            for message in messages:
                self._drop(strategy, message, BEFORE_USER)
            return []
        kept = whole(messages)
        ids = {message.id for message in kept}
        for message in messages:
            if message.id not in ids:
                self._drop(strategy, message, _ORPHAN)
        return kept

    # -- the memory section

    def fill_memory(self) -> None:
        """What is recalled, beside the history."""
        rest = self.budget - self.fixed
        present = self._present()
        self.recalled.fill(rest, rest - self.history - self.recalled.frame, present)
        for at, item in self.recalled.missed(present):
            self._drop_item(at, item, BUDGET)

    # -- the result

    def result(self) -> Context:
        """Puts everything in its order and counts it as it will be sent."""
        system = [chat_message(message) for message in self.system]
        older = [m for _, item in reversed(self.shown[1:] if self.newest else self.shown) for m in item.messages]
        history = [*map(chat_message, older), *self.newest_chat]
        while True:
            memories = self.recalled.section()
            self.section = sum(count_message(self.counter, chat) for chat in memories)
            tokens = self.fixed + self.section + self.history
            if tokens <= self.budget or not self.recalled.lines:
                break
            # lines together may count a token more than alone
            line = self.recalled.lines.pop()
            self._drop_item(line.block, line.item, BUDGET)
        self._drop_left_out()
        return Context(
            messages=[*system, *memories, *history],
            tokens=tokens,
            budget=self.budget,
            blocks=tuple(self._used()),
            dropped=(*self.dropped.values(), *self._unsupported()),
            truncated=self.truncated,
            full_history_tokens=self._full_history(),
        )

    def _unsupported(self) -> Iterable[Dropped]:
        for at, item in self.recalled.unsupported:
            yield Dropped(self.blocks[at].strategy, "", _UNSUPPORTED, item=item)

    def _used(self) -> Iterable[Used]:
        if self.system:
            yield Used("system", "system", sum(map(self._tokens, self.system)), (Item(tuple(self.system)),))
        weight, before = sum(line.tokens for line in self.recalled.lines), 0
        for at, block in enumerate(self.blocks):
            if lines := [line for line in self.recalled.lines if line.block == at]:
                upto = before + sum(line.tokens for line in lines)
                tokens = self.section * upto // weight - self.section * before // weight  # all of it, to the token
                yield Used(block.strategy, "memory", tokens, tuple(line.item for line in lines))
                before = upto
        for at in sorted({owner for owner, _ in self.shown}):
            items = [item for owner, item in self.shown if owner == at]
            tokens = sum(self._tokens(m) for item in items for m in item.messages)
            if self.truncated and at == self.shown[0][0]:
                tokens += sum(count_message(self.counter, chat) for chat in self.newest_chat)
                tokens -= sum(map(self._tokens, self.newest))
            yield Used("newest" if at < 0 else self.blocks[at].strategy, "history", tokens, tuple(reversed(items)))

    def _drop_left_out(self) -> None:
        """Adds what strategies left out themselves, takes away what is there after all, and counts what nobody read."""
        for block in self.blocks:
            for entry in block.left_out:
                self.dropped.setdefault(entry.message_id, entry)
        present = self._present()
        present.update(first for line in self.recalled.lines for first in origins(line.item))
        said = {key: origin(entry.message) if entry.message else key for key, entry in self.dropped.items()}
        told = self.recalled.told()
        self.dropped = {
            key: entry
            for key, entry in self.dropped.items()
            if said[key] not in present and not _is_told(entry.message, told)
        }
        readers = [block for _, block in self._history_blocks()]
        block = min(readers, key=lambda block: block.older, default=None)
        read = _read(block) if block else []
        if not block or not block.older or not read:
            return
        first = min(read, key=lambda message: message.position)
        there = {m.id: m for line in self.recalled.lines for m in line.item.messages} | {m.id: m for m in self.system}
        there |= {key: entry.message for key, entry in self.dropped.items() if entry.message}
        known = {m.position for m in there.values() if m.session_id == first.session_id and not _is_told(m, told)}
        older = block.older - sum(0 < position <= block.older for position in known)
        older -= sum(max(0, min(last, block.older) - begin + 1) for begin, last in told.get(first.session_id, ()))
        if not older:
            return
        if first.id in self.dropped:
            self.dropped[first.id] = replace(self.dropped[first.id], older=older)
        elif first.parent_id is not None:
            self.dropped[first.parent_id] = Dropped(block.strategy, first.parent_id, "outside what was read", older - 1)

    def _full_history(self) -> int | None:
        """Tokens of the whole session, when it has messages and some strategy has read all of them."""
        readers = [block for _, block in self._history_blocks()]
        if (
            not readers
            or not (self.newest or any(block.items or block.left_out for block in readers))
            or min(block.older for block in readers) > 0
        ):
            return None
        messages = {m.id: m for m in (*self.system, *self.newest)}
        for block in readers:
            messages.update((message.id, message) for message in _read(block))
        return REPLY + sum(map(self._tokens, messages.values()))

    # -- small things

    def _present(self) -> set[str]:
        """Origins of the messages that stand in the context as themselves."""
        history = (origin(message) for _, item in self.shown for message in item.messages)
        return {*map(origin, self.system), *history}

    def _tokens(self, message: Message) -> int:
        if message.id not in self.counted:
            self.counted[message.id] = count_message(self.counter, chat_message(message))
        return self.counted[message.id]

    def _drop_item(self, block: int, item: Item, reason: str) -> None:
        for message in item.hits:
            self._drop(self.blocks[block].strategy, message, reason)

    def _drop(self, strategy: str, message: Message, reason: str) -> None:
        self.dropped.setdefault(message.id, Dropped(strategy, message.id, reason, message=message))


def _is_told(message: Message | None, told: Mapping[str, Sequence[tuple[int, int]]]) -> bool:
    """Whether a text that stands in the context tells of a message."""
    if message is None:
        return False
    return any(first <= message.position <= last for first, last in told.get(message.session_id, ()))


def _read(block: Block) -> list[Message]:
    left = [entry.message for entry in block.left_out if entry.message]
    return [*(message for item in block.items for message in item.messages), *left]
