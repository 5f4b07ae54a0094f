"""Tells what a reasoning model thinks from what it answers, piece by piece as the text comes in.  Pure.

A thought stands between two tags at the very beginning of a reply.  Some chat templates have put the opening tag into
the prompt already, so that the reply only has the closing one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TAGS: tuple[tuple[str, str], ...] = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
)
"""Opening and closing tags: of DeepSeek R1, Qwen 3, GLM and most others; some fine-tunes; Gemini; Seed; Magistral."""

# Standing alone on its line, as templates put it: an answer that mentions the tag has it within a sentence.
_CLOSING = "|".join(re.escape(close) for _, close in TAGS)
_ALONE = re.compile(rf"(?:\A|\n)[ \t]*(?:{_CLOSING})[ \t]*(?=\n|\Z)")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)


class Parts(NamedTuple):
    """What a piece of a reply is made of."""

    text: str = ""
    thought: str = ""


class Thinking:
    """Takes a reply piece by piece.  However it is cut, the parts add up to the same.

    Args:
        opened: the opening tag is taken to be in the prompt: all is thought until a closing tag comes.  When none
            comes, ``finish`` gives it back as the answer.
    """

    def __init__(self, *, opened: bool = False) -> None:
        self._opened = opened
        self._closes: tuple[str, ...] = ()
        self._guessed: list[str] = []
        self._held = ""
        self._answering = False

    def told(self) -> None:
        """The server tells the thought apart itself: nothing is guessed any more."""
        if self._opened and not self._closes:
            self._opened = False

    def feed(self, piece: str) -> Parts:
        """What is certain after this piece of the reply."""
        if self._answering:
            return Parts(text=piece)
        self._held += piece
        thought: list[str] = []
        while not self._answering and self._held:
            if not (self._think(thought) if self._closes else self._begin()):
                break
        text = ""
        if self._answering:
            text, self._held = self._held, ""
        return Parts(text, "".join(thought))

    def finish(self, *, whole: bool = True) -> Parts:
        """What was held back.  ``whole``: the reply came to its own end; one that was cut off while it was only taken
        to be a thought stays one.
        """
        held, self._held = self._held, ""
        if self._opened and whole:
            return Parts(text=("".join(self._guessed) + held).lstrip())
        if self._opened or self._closes:
            return Parts(thought=held)
        return Parts(text=held.lstrip())

    def _begin(self) -> bool:
        """Before anything was said: looks for an opening tag; False while there is not enough text to tell."""
        start = self._held.lstrip()
        for open_, close in TAGS:
            if start.startswith(open_):
                self._held, self._closes, self._opened = start[len(open_) :], (close,), False
                return True
        if not start or any(open_.startswith(start) for open_, _ in TAGS):
            return False
        if self._opened:
            self._closes = tuple(close for _, close in TAGS)
        else:
            self._held, self._answering = start, True
        return True

    def _think(self, thought: list[str]) -> bool:
        """Inside a thought: gives out what is certain; False when nothing more can be done without more text."""
        ends = [(at, close) for close in self._closes if (at := self._held.find(close)) >= 0]
        if ends:
            at, close = min(ends)
            thought.append(self._held[:at])
            self._held = self._held[at + len(close) :]
            self._closes, self._opened = (), False
            return True
        keep = max(_overlap(self._held, close) for close in self._closes)
        certain, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        thought.append(certain)
        if self._opened:
            self._guessed.append(certain)
        return False


def answer_of(reply: str, *, opened: bool = False, whole: bool = True) -> str:
    """The answer in a whole reply, without its thought: also where only the closing tag is there, alone on a line."""
    if not opened and (end := bare_end(reply)):
        return reply[end:].lstrip()
    filter_ = Thinking(opened=opened)
    return filter_.feed(reply).text + filter_.finish(whole=whole).text


def bare_end(reply: str) -> int:
    """Where the answer begins behind a closing tag that no opening one belongs to; 0 when there is none."""
    found = _ALONE.search(reply)
    if not found:
        return 0
    before = reply[: found.start()]
    if any(open_ in before for open_, _ in TAGS) or len(_FENCE.findall(before)) % 2:
        return 0
    return found.end()


def _overlap(text: str, tag: str) -> int:
    """Length of the longest end of ``text`` that is a beginning of ``tag``."""
    return next((size for size in range(min(len(text), len(tag) - 1), 0, -1) if tag.startswith(text[-size:])), 0)


__all__ = ["TAGS", "Parts", "Thinking", "answer_of", "bare_end"]
