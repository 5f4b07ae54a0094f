"""Turns, tool calls with their results, digests, and what is new in a history that a client sends again."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jiyi.types import Content, Message

_HEX = 32  # 128 bits


def digest(salt: bytes, message: Message) -> str:
    """Keyed fingerprint of what was said: role, content, name, tool calls, the call a result belongs to; 32 hex digits.

    One text part counts as the plain text, and no content as the empty text, because clients change one into the other
    when they send a history again.
    """
    said = [message.role, _plain(message.content), message.name, message.tool_calls, message.tool_call_id]
    return hmac.digest(salt, _CANONICAL.encode(said).encode("ascii"), "sha256").hex()[:_HEX]


def link(parent_chain: str, digest: str) -> str:
    """The chain value of a message: fingerprint of the whole path up to it; ``parent_chain`` is "" at the start."""
    return hashlib.sha256(f"{parent_chain}:{digest}".encode()).hexdigest()[:_HEX]


def _plain(content: Content) -> object:
    if content is None:
        return ""
    if not isinstance(content, str) and len(content) == 1 and set(content[0]) == {"type", "text"}:
        return content[0]["text"] if content[0]["type"] == "text" else content
    return content


def _as_json(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(value, Sequence):
        return list(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    raise TypeError(f"{type(value).__name__} is not JSON")


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=_as_json)


# -- turns and groups ------------------------------------------------------------------------------------------------


def is_system(message: Message) -> bool:
    """Instructions to the model (system or developer), not part of what was said."""
    return message.role in ("system", "developer")


def system_messages(messages: Sequence[Message]) -> list[Message]:
    """The system and developer messages, in order."""
    return [message for message in messages if is_system(message)]


def turns(messages: Sequence[Message]) -> list[tuple[Message, ...]]:
    """Splits a history into turns: a user message and everything up to the next user message.

    What stands before the first user message is a piece of its own; system messages are left out.
    """
    pieces: list[list[Message]] = []
    for message in messages:
        if is_system(message):
            continue
        if message.role == "user" or not pieces:
            pieces.append([])
        pieces[-1].append(message)
    return [tuple(piece) for piece in pieces]


def groups(messages: Sequence[Message]) -> list[tuple[Message, ...]]:
    """Splits messages into pieces that may be left out separately.

    An assistant message with tool calls and the results right after it are one piece; a result that answers none of
    the open calls is a piece of its own.
    """
    pieces: list[list[Message]] = []
    open_calls: Counter[str] = Counter()
    for message in messages:
        if message.role == "tool" and open_calls[message.tool_call_id or ""] > 0:
            open_calls[message.tool_call_id or ""] -= 1
            pieces[-1].append(message)
            continue
        pieces.append([message])
        open_calls = Counter(_call_ids(message))
    return [tuple(piece) for piece in pieces]


def whole(messages: Sequence[Message]) -> list[Message]:
    """What a model accepts: without results whose call is missing, and without calls that lack one of their results."""
    return [message for group in groups(messages) if _complete(group) for message in group]


def _call_ids(message: Message) -> list[str]:
    """One id per tool call; "" where the client gives none (results then have none either)."""
    if message.role != "assistant":
        return []
    ids = (call.get("id") for call in message.tool_calls)
    return [call_id if isinstance(call_id, str) else "" for call_id in ids]


def _complete(group: tuple[Message, ...]) -> bool:
    return group[0].role != "tool" and len(group) == 1 + len(_call_ids(group[0]))


# -- a history that is sent again ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """What to do so that the active path ends with the history that came in.

    Attributes:
        after: id of the message that ``new`` follows, ``"head"`` for the current end, None for the very beginning.
            With nothing new and an id, the head moves back to that message.
        new: messages to append.
        branch: messages after ``after`` leave the active path.
        skipped: messages that came in and are stored already.
    """

    after: str | None
    new: tuple[Message, ...]
    branch: bool
    skipped: int


def plan_sync(stored: Sequence[Message], incoming: Sequence[Message]) -> SyncPlan:
    """Finds out which messages of a history that a client sent again are new.

    Both have digests made with the same salt; ``stored`` is the session with all its branches, in order of arrival.
    System messages count on neither side.  Afterwards the active path ends with exactly the incoming messages:

    * the same beginning: go on, or branch, after the common part;
    * a beginning that lies inside the active path: the client cut off the front, when the common stretch is more than
      small talk (see ``_is_evidence``);
    * a branch that was left and says the same: back to it;
    * anything else: another conversation, a branch from the very beginning.
    """
    path = [message for message in stored if message.active]
    talk = [message for message in path if not is_system(message)]
    came = tuple(message for message in incoming if not is_system(message))
    if not came:
        return SyncPlan("head", (), branch=False, skipped=0)
    end, shared = _aligned(talk, came)
    place = talk[end - 1].id if shared else None
    children = _children(stored)
    while shared < len(came) and (child := children.get((place, came[shared].digest))) is not None:
        place, shared = child, shared + 1
    if place == (talk[-1].id if talk else None):
        return SyncPlan("head", came[shared:], branch=False, skipped=shared)
    return SyncPlan(_anchor(path, place), came[shared:], branch=True, skipped=shared)


def _aligned(talk: Sequence[Message], came: Sequence[Message]) -> tuple[int, int]:
    """Where the stretch that both have ends on the path, and its length; (0, 0) when they have nothing in common."""
    if not talk:
        return 0, 0
    common = _common_lengths([message.digest for message in came], [message.digest for message in talk])
    if common[0]:
        return common[0], common[0]
    offset = max(range(len(talk)), key=lambda at: (common[at], at))
    shared = common[offset]
    overlap = talk[offset : offset + shared]
    named = any(ours.id == theirs.id for ours, theirs in zip(overlap, came, strict=False))
    if named or _is_evidence(overlap, ends=offset + shared == len(talk)):
        return offset + shared, shared
    return 0, 0


def _children(stored: Sequence[Message]) -> dict[tuple[str | None, str], str]:
    """(the message before, system messages aside; digest) -> id, of every branch; the active one where two agree."""
    before: dict[str, str | None] = {}
    children: dict[tuple[str | None, str], str] = {}
    taken: set[tuple[str | None, str]] = set()
    for message in stored:
        parent = message.parent_id
        parent = before.get(parent, parent) if parent is not None else None
        if is_system(message):
            before[message.id] = parent
            continue
        key = (parent, message.digest)
        if key not in taken:
            children[key] = message.id
        if message.active:
            taken.add(key)
    return children


def _anchor(path: Sequence[Message], place: str | None) -> str | None:
    """The message that a branch after ``place`` follows: instructions that stand there stay."""
    at = next((i for i, message in enumerate(path) if message.id == place), -1) if place is not None else -1
    if place is not None and at < 0:
        return place  # on a branch that was left
    while at + 1 < len(path) and is_system(path[at + 1]):
        at += 1
    return path[at].id if at >= 0 else None


def _is_evidence(overlap: Sequence[Message], *, ends: bool) -> bool:
    """Whether a common stretch shows that it is the same conversation, and not only the same greeting.

    Three messages up to the stored end do; otherwise both sides must speak, in four messages or 20 characters.
    """
    if ends and len(overlap) >= 3:
        return True
    if not {"user", "assistant"} <= {message.role for message in overlap}:
        return False
    return len(overlap) >= 4 or sum(len(message.text) for message in overlap) >= 20


def _common_lengths(pattern: Sequence[str], text: Sequence[str]) -> list[int]:
    """For each place in ``text`` how many items from there on agree with the beginning of ``pattern``.

    The Z algorithm: linear, so that a thousand equal messages cost no more than different ones.
    """
    items: list[str | None] = [*pattern, None, *text]
    lengths = [0] * len(items)
    left = right = 0
    for index in range(1, len(items)):
        length = min(right - index, lengths[index - left]) if index < right else 0
        while index + length < len(items) and items[length] == items[index + length]:
            length += 1
        lengths[index] = length
        if index + length > right:
            left, right = index, index + length
    return lengths[len(pattern) + 1 :]
