"""What takes secrets out of what is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Redactor(Protocol):
    """Takes secrets out of a text before it is stored.  Pure, and fast: every message that is written goes through."""

    def redact(self, text: str) -> tuple[str, Mapping[str, int]]:
        """The text with a visible mark in the place of each secret, and what was found: kind -> how many, never the
        secret or a hash of it.  A text without secrets comes back as it is, with an empty mapping; so does a text that
        went through before.
        """
        ...
