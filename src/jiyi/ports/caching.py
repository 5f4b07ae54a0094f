"""What keeps texts for speed."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Caching(Protocol):
    """What a model, a token counter or a deriver has beside its own methods when it keeps texts, or what was made of
    them, to be faster the next time.
    """

    def clear(self) -> None:
        """Drops all of it: called after every erasure."""
        ...
