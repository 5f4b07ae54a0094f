"""What every store asks of what it is given, in the same words."""

from __future__ import annotations

from jiyi.errors import Conflict
from jiyi.types import Message


def check_known(stored: Message, message: Message, home: str) -> None:
    """Raises ``Conflict`` unless ``message``, bound for session ``home``, is ``stored`` sent again."""
    if (stored.digest, stored.kind, stored.session_id) != (message.digest, message.kind, home):
        raise Conflict(f"message id {message.id!r} is taken by another message of this user; give a new id")
