"""Whose an item is: the user whose memory it stands in follows from its namespace.  Pure."""

from __future__ import annotations

from collections.abc import Callable

from jiyi.errors import InvalidInput
from jiyi.intake import identifier

Whose = str | int | Callable[[tuple[str, ...]], str | None]
"""One user's id for everything; the place of the user's id in the namespace, from 0; or what tells it, given a
namespace or the beginning of one, and None where that does not say it."""


class Users:
    """Tells the user of a namespace."""

    def __init__(self, whose: Whose) -> None:
        if isinstance(whose, str):
            identifier("user_id", whose)
        elif isinstance(whose, bool) or not (callable(whose) or isinstance(whose, int)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("user_id", f"must be a user's id, a place in the namespace or a function, not {whose!r}")
        elif isinstance(whose, int) and whose < 0:
            raise InvalidInput("user_id", f"must be a place from 0, not {whose}: it is known from the beginning")
        self._whose = whose

    def of_prefix(self, prefix: tuple[str, ...]) -> str | None:
        """The user of all namespaces that begin so; None where they may be several users'."""
        if isinstance(self._whose, str):
            return self._whose
        if isinstance(self._whose, int):
            user = prefix[self._whose] if self._whose < len(prefix) else None
        else:
            try:
                user = self._whose(prefix)
            except IndexError:  # lambda namespace: namespace[1]
                return None
        return user if user is None else identifier("user_id", user)

    def of(self, namespace: tuple[str, ...]) -> str:
        """The user of a namespace.

        Raises:
            InvalidInput: it does not say whose it is.
        """
        user = self.of_prefix(namespace)
        if user is None:
            raise InvalidInput(
                "namespace", f"{namespace} does not say whose it is (user_id={self._whose!r}); nothing was stored"
            )
        return user
