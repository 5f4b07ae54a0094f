"""What chat models take and give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

ChatMessage: TypeAlias = dict[str, object]
"""A message as chat-completion clients take it."""

Finish: TypeAlias = Literal["stop", "length", "filtered"]
"""Why a reply ended: by itself, at its longest, or because the server withheld the rest."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model was used for, in tokens as its server counts them; 0 where it does not say."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Of prompts and answers together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True)
class Capacity:
    """How long prompt and answer together may be, in tokens; 0 where it is not known.

    Attributes:
        tokens: as the model is being served.
        most: what the model was made for.
    """

    tokens: int = 0
    most: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's whole answer.

    Attributes:
        text: the answer without what the model thought before it.
    """

    text: str
    finish: Finish = "stop"
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of an answer while it comes in.

    Attributes:
        text: what is added to the answer; may be empty.
        thought: what a reasoning model thinks meanwhile; never part of the answer.
        finish, usage: on the last piece of a complete answer only.
    """

    text: str = ""
    thought: str = ""
    finish: Finish | None = None
    usage: Usage | None = None
