"""``Context``: the messages for the model, and the account of how they were chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import cast

from jiyi.passages import quoted
from jiyi.types import JSON, ChatMessage, Dropped, Item, Message, Usage, Used

_WORDS = 60  # characters of a message that an explanation shows


@dataclass(frozen=True, slots=True)
class Context:
    """What to send to the chat model.

    Attributes:
        messages: plain dicts, ready for any chat-completions client; fresh copies, yours to change.
        tokens: of the whole in chat format, the start of the reply counted in; never more than ``budget``.
        blocks: what stands in it, by the strategy that put it there; their tokens add up to ``tokens``, less the
            three that start the reply.
        dropped: what is not in it, and why; each message once.
        truncated: a message of the newest turn was shortened to fit.
        full_history_tokens: what the session's whole history would take; None when it was too long to be read.
        usage: what models were used for this user today, by the process that made the context: ``answer``, or the name
            of a step that derived -> calls and tokens.  ``memory.spent`` has all of it.
    """

    messages: list[ChatMessage]
    tokens: int
    budget: int
    blocks: tuple[Used, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    truncated: bool = False
    full_history_tokens: int | None = None
    usage: Mapping[str, Usage] = field(default_factory=dict[str, Usage])

    @property
    def by_strategy(self) -> dict[str, int]:
        """Strategy, or ``system`` -> tokens of what it put into the context."""
        found: dict[str, int] = {}
        for block in self.blocks:
            found[block.strategy] = found.get(block.strategy, 0) + block.tokens
        return found

    @property
    def records(self) -> list[str]:
        """Ids of the records that what stands in it says, or was found by; each once."""
        return list(dict.fromkeys(name for block in self.blocks for item in block.items for name in item.records))

    @property
    def saved(self) -> int | None:
        """Tokens less than the whole history; negative when recall brought more than was left out; None if unknown."""
        return None if self.full_history_tokens is None else self.full_history_tokens - self.tokens

    def explain(self) -> str:
        """Readable account: each block with its tokens and sources, then what was dropped and why."""
        lines = [f"{self.tokens:,} of {self.budget:,} tokens"]
        if self.saved is not None:
            lines[0] += f"; the whole history takes {self.full_history_tokens:,}"
        if self.truncated:
            lines.append("a message of the newest turn was shortened to fit")
        for block in self.blocks:
            plain = Used(block.strategy, block.place, 0, tuple(item for item in block.items if not item.covers))
            count = len(plain.sources) + sum(map(_told, block.items))
            lines += ["", f"{block.strategy} ({block.place}): {block.tokens:,} tokens, {_count(count)}"]
            for item in block.items:
                lines += _item_lines(item)
        if self.dropped:
            texts = sum(entry.item is not None for entry in self.dropped)
            more = f", {texts:,} text{'' if texts == 1 else 's'}" if texts else ""
            lines += ["", f"dropped: {_count(sum(entry.count for entry in self.dropped))}{more}"]
            lines += [f"  {_left(entry)}" for entry in self.dropped]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, JSON]:
        """The same account and the messages, ready for ``json.dumps``."""
        return {
            "messages": cast("list[JSON]", self.messages),
            "tokens": self.tokens,
            "budget": self.budget,
            "truncated": self.truncated,
            "full_history_tokens": self.full_history_tokens,
            "saved": self.saved,
            "by_strategy": self.by_strategy,
            "usage": {purpose: asdict(used) for purpose, used in self.usage.items()},
            "blocks": [
                {
                    "strategy": block.strategy,
                    "place": block.place,
                    "tokens": block.tokens,
                    "items": [_item(item) for item in block.items],
                }
                for block in self.blocks
            ],
            "dropped": [
                {
                    "strategy": entry.strategy,
                    "message_id": entry.message_id,
                    "reason": entry.reason,
                    "older": entry.older,
                    "source": None if entry.message is None else _source(entry.message),
                    "text": entry.item.text if entry.item else None,
                }
                for entry in self.dropped
            ],
        }


def _item_lines(item: Item) -> list[str]:
    """An item's messages, and why they are there; at the first hit, because neighbours are there for its sake."""
    if item.text:
        label = f"[{item.label}] " if item.label else ""
        lines = [f"  {label}{_short(item.text)}" + (f"  <- {item.why}" if item.why else "")]
        if item.covers:
            return [*lines, f"    tells of {_count(_told(item))}, from {_ends(item)}"]
        return [
            *lines,
            *(f"    from {_described(message)}" for message in item.messages),
            *(f"    quotes {one.message_id} {_short(one.quote or '')!r}" for one in item.quotes),
        ]
    lines: list[str] = []
    why = item.why
    for message in item.messages:
        reason = "said next to it" if message.id in item.neighbours else why
        why = "" if reason == why else why
        if spans := item.spans(message):
            shown = sum(end - start for start, end in spans)
            reason = f"{reason + ', ' if reason else ''}{shown:,} of {len(message.text):,} characters"
        lines.append(f"  {_described(message)}" + (f"  <- {reason}" if reason else ""))
    return lines


def _told(item: Item) -> int:
    """How many messages a text tells of as a whole."""
    return sum(last - first + 1 for _, first, last in item.covers)


def _ends(item: Item) -> str:
    return " to ".join(dict.fromkeys(_described(message) for message in (item.messages[:1] + item.messages[-1:])))


def _item(item: Item) -> Mapping[str, JSON]:
    texts = ((message.text, item.spans(message)) for message in item.messages)
    return {
        "text": item.text or "\n".join(quoted(text, spans) if spans else text for text, spans in texts),
        "score": item.score,
        "why": item.why,
        "sources": [_source(message) for message in item.messages],
        "label": item.label,
        "covers": [{"session": session, "first": first, "last": last} for session, first, last in item.covers],
        "neighbours": list(item.neighbours),
        "passages": [{"id": part.message_id, "start": part.start, "end": part.end} for part in item.passages],
        "quotes": [{"id": part.message_id, "quote": part.quote} for part in item.quotes],
    }


def _source(message: Message) -> Mapping[str, JSON]:
    said = message.created_at
    return {
        "id": message.id,
        "session": message.session_id,
        "who": message.name or message.role,
        "when": None if said is None else said.isoformat(),
        "words": _words(message),
    }


def _left(entry: Dropped) -> str:
    what = _described(entry.message) if entry.message else entry.message_id
    if entry.item:
        what = " ".join([*entry.item.records, repr(_short(entry.item.text))])
    older = f", and {_count(entry.older)} before it" if entry.older else ""
    return f"{what}{older}: {entry.reason} ({entry.strategy})"


def _described(message: Message) -> str:
    said = message.created_at
    when = f" {said:%Y-%m-%d %H:%M}" if said else ""
    return f"{message.id}{when} {message.name or message.role} {_words(message)!r}"


def _words(message: Message) -> str:
    """The first words of a message, or what stands in their place."""
    if message.text.strip():
        return _short(message.text)
    calls = [cast("Mapping[str, JSON]", call.get("function") or call).get("name") for call in message.tool_calls]
    if calls:
        return "calls " + ", ".join(str(name) for name in calls)
    kinds = [str(part.get("type")) for part in message.content or () if not isinstance(part, str)]
    return f"[{', '.join(kinds)}]" if kinds else ""


def _short(text: str) -> str:
    line = " ".join(text[: 4 * _WORDS].split())
    return line if len(line) <= _WORDS else line[: _WORDS - 1] + "…"


def _count(messages: int) -> str:
    return f"{messages:,} message" + ("" if messages == 1 else "s")
