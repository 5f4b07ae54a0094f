"""A chat model for tests of the command line, named there as ``tests.e2e.talker:Talker``."""

from __future__ import annotations

from jiyi.errors import ModelUnavailable
from jiyi.testing import Call, ScriptedLLM, Streamed


class Talker(ScriptedLLM):
    """Says what it heard; hangs when asked for something long, and is down when asked to be."""

    def __init__(self) -> None:
        super().__init__(_said, name="talker")


def _said(call: Call) -> str | Streamed:
    if "long story" in call.last:
        return Streamed("Once upon a time", hangs=True)
    if "think for ever" in call.last:
        return Streamed(hangs=True)
    if "be down" in call.last:
        return Streamed(error=ModelUnavailable("talker is down; try again later"))
    return f"heard <{call.last}>"
