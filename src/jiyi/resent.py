"""What is new in a history that is sent again: told by what messages say, or by their ids.  Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jiyi.history import is_system, link
from jiyi.types import Message


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


def plan_by_id(stored: Sequence[Message], incoming: Sequence[Message]) -> SyncPlan:
    """The same for messages that came with ids of their own: an id with the same content is the same message.

    What came may be the whole history, its end, or the new part alone; a message known by its id shows where it goes
    on.  Messages that were left out in between are no edit, and what stands before the first known one is none of the
    log's business: a summary, or what others put there.  A message with a known id and other content is a new one, and
    so is everything behind it: a branch.  The order on the path is that of arrival: what was said at once may come in
    another one, and is known all the same.  Where answers say what they answer (``ANSWERS``), runs at the same time are
    told from regenerated answers, and stand on the path one after the other.

    Args:
        stored: the session with all its branches, in order of arrival.
        incoming: each with an id and a digest made with the same salt.
    """
    path = [message for message in stored if message.active]
    came = tuple(message for message in incoming if not is_system(message))
    by_id = {message.id: message for message in stored}
    named = by_name(stored)
    place: Message | None = None
    known = list[str]()
    end = 0
    for at, message in enumerate(came):
        same = [one for one in named.get(message.id, ()) if one.digest == message.digest]
        if found := [one for one in same if place is None or _is_behind(one, place, by_id)]:
            place = min(found, key=lambda one: (not one.active, one.position))
            known.append(place.id)
        elif place is not None and place.active and (early := [one.id for one in same if one.active]):
            known.append(early[0])
        elif place is not None:
            break
        elif edited := named.get(message.id):
            before = next((one for one in edited if one.active), edited[0]).parent_id
            return SyncPlan(before or _anchor(path, None), came[at:], branch=True, skipped=0)
        else:
            continue
        end = at + 1
    if place is None:
        return SyncPlan("head", came, branch=False, skipped=0)
    talk = [message for message in path if not is_system(message)]
    if place.id == talk[-1].id or (place.active and _is_beside(talk, place, known, came, end)):
        return SyncPlan("head", came[end:], branch=False, skipped=len(known))
    return SyncPlan(_anchor(path, place.id), came[end:], branch=True, skipped=len(known))


ANSWERS = "answers"
"""Key in the metadata of an answer, a call or a result: id of the message that it is about, where that is known."""


def _is_beside(
    talk: Sequence[Message], place: Message, known: Sequence[str], came: Sequence[Message], end: int
) -> bool:
    """Whether what the path goes on with after ``place`` belongs to runs at the same time, and is no course that is
    left: all of it says what it is about, and that is not what the message that came is about.
    """
    before = [message.id for message in talk if message.position <= place.position]
    rest = talk[len(before) :]
    message = came[end] if end < len(came) else came[-1]
    if end == len(came) and message.role != "user":  # a state of before is a stretch of the path
        return not set(known).issuperset(before[-len(known) :])
    question = message.id if message.role == "user" and end == len(came) else message.metadata.get(ANSWERS)
    marks = [one.metadata.get(ANSWERS) for one in rest if one.role != "user"]
    told = question is not None and None not in marks and (end < len(came) or bool(marks))
    return told and question not in marks


def other_id(message: Message, session_id: str, place: str | None) -> str:
    """The id under which a message is stored after ``place`` when its own is taken; ``plan_by_id`` knows it again."""
    return f"{message.id}{_COPY}{link(link(session_id, place or ''), message.digest)[:_COPY_DIGITS]}"


_COPY, _COPY_DIGITS = "~", 12


def by_name(stored: Sequence[Message]) -> Mapping[str, list[Message]]:
    """Stored messages by the ids that they may have come with."""
    found: dict[str, list[Message]] = {}
    for message in stored:
        found.setdefault(message.id, []).append(message)
        name, mark, digits = message.id.rpartition(_COPY)
        if mark and len(digits) == _COPY_DIGITS:
            found.setdefault(name, []).append(message)
    return found


def _is_behind(message: Message, place: Message, by_id: Mapping[str, Message]) -> bool:
    """Whether a message comes after another on a path."""
    if message.active and place.active:
        return message.position > place.position
    at: Message | None = message
    while at is not None and at.position > place.position:
        at = by_id.get(at.parent_id or "")
        if at is not None and at.id == place.id:
            return True
    return False


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
