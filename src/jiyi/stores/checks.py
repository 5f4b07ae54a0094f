"""What every store asks of what it is given, in the same words."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from jiyi.errors import Conflict, InvalidInput
from jiyi.stores.numeric import numpy
from jiyi.types import Checkpoint, Embedded, Message, Vector

_LONGEST = 3.4e38
"""Length of a vector that 32-bit floats can still hold."""


def check_known(stored: Message, message: Message, digest: str, home: str) -> None:
    """Raises ``Conflict`` unless ``message``, with that digest and bound for session ``home``, is ``stored`` again."""
    if (stored.digest, stored.kind, stored.session_id) != (digest, message.kind, home):
        raise Conflict(f"message id {message.id!r} is taken by another message of this user; give a new id")


def check_free(checkpoint: Checkpoint, *, taken: bool) -> None:
    """Raises ``Conflict`` when the session has one of this name that is to stay."""
    if taken:
        raise Conflict(
            f"session {checkpoint.session_id!r} has a checkpoint {checkpoint.name!r} already; give another name, or "
            "overwrite it"
        )


def check_finite(vectors: Sequence[Embedded]) -> None:
    """Raises ``InvalidInput`` for a vector with a component that is not a number, infinite or beyond 32-bit floats."""
    for entry, length in zip(vectors, _lengths([entry.vector for entry in vectors]), strict=True):
        if not length <= _LONGEST:  # true of NaN as well, which compares as false
            raise InvalidInput("vectors", f"that of message {entry.seq} has a component that is not a finite number")


def _lengths(vectors: Sequence[Vector]) -> list[float]:
    np = numpy()
    if np is None or len(set(map(len, vectors))) != 1:
        return [hypot(*vector) for vector in vectors]
    values = np.asarray(vectors, dtype=np.float64)
    with np.errstate(all="ignore"):  # too long for a 64-bit float is infinite, and that is told
        return np.sqrt(np.einsum("ij,ij->i", values, values)).tolist()
