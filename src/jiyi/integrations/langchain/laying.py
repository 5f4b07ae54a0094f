"""The messages of a state over those that a context chose: nothing that others put there vanishes.  Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from langchain_core.messages import BaseMessage, RemoveMessage, SystemMessage, ToolMessage


def is_said(message: BaseMessage) -> bool:
    """Whether somebody said it: no instructions, no order to remove something, nothing that the harness wrote.

    LangChain marks a human message that no human typed, such as a summary, with ``lc_source``; and so a tool message
    that gives a person's decision, which is the result of its call all the same.
    """
    if isinstance(message, (RemoveMessage, SystemMessage)):
        return False
    return isinstance(message, ToolMessage) or not isinstance(message.additional_kwargs.get("lc_source"), str)


def leading(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The system messages that come before everything else."""
    end = next((at for at, message in enumerate(messages) if not isinstance(message, SystemMessage)), len(messages))
    return list(messages[:end])


def laid(
    shown: Sequence[tuple[str, tuple[BaseMessage, bool]]], talk: Sequence[BaseMessage], stored: Mapping[str, str]
) -> list[BaseMessage]:
    """A context's history with the state's own messages in it.

    Args:
        shown: the history in order: stored id, the message, and whether it was shortened.
        talk: the state's messages, leading system messages aside.
        stored: id in the state -> stored id, of those that the session has.
    """
    kept = [stored.get(message.id or "", "") for message in talk]
    own = dict(zip(kept, talk, strict=True))
    if not shown:  # what begins with no user message is no history for a context; the model sees it all the same
        return list(talk)
    history = [_own(message, own.get(key), cut=cut) for key, (message, cut) in shown]
    places = {key: at for at, (key, _) in enumerate(shown)}
    before: dict[int, list[BaseMessage]] = {}
    place = len(history)
    for message, key in zip(reversed(talk), reversed(kept), strict=True):
        if not key:
            before.setdefault(_outside(history, place), []).insert(0, message)
        elif key in places:
            place = places[key]
    return [one for at in range(len(history) + 1) for one in (*before.get(at, ()), *history[at : at + 1])]


def _own(message: BaseMessage, own: BaseMessage | None, *, cut: bool) -> BaseMessage:
    """The state's message for the stored one: images, signatures and what others changed for the model stand there."""
    if own is None:
        return message
    return own.model_copy(update={"content": message.content}) if cut else own


def _outside(history: Sequence[BaseMessage], place: int) -> int:
    """The nearest place before that parts no call from its results."""
    while 0 < place < len(history) and isinstance(history[place], ToolMessage):
        place -= 1
    return place


__all__ = ["is_said", "laid", "leading"]
