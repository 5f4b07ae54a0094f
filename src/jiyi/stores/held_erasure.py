"""What goes from one scope of the reference store with a message, a session, or all."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace

from jiyi.stores.gaps import kept_of
from jiyi.stores.held import Held, drop_checkpoints, placed, vectors_in
from jiyi.stores.held_records import derive_anew, rests_on, take_out
from jiyi.types import Erased, Message


def erase(held: Held, ids: Set[str]) -> Erased:
    """Takes out messages and all that came from them, and closes the gaps in the paths."""
    vectors = vectors_in(held)
    gone = {name: held.log.pop(name) for name in ids}
    if not gone:
        return Erased()
    for name, session in held.sessions.items():
        held.sessions[name] = replace(session, head_id=_survivor(gone, session.head_id))
    for key, checkpoint in held.checkpoints.items():
        held.checkpoints[key] = replace(checkpoint, message_id=_survivor(gone, checkpoint.message_id))
    for message in list(held.log.values()):  # in seq order: parents first
        parent = _survivor(gone, message.parent_id)
        held.log[message.id] = placed(message, None if parent is None else held.log[parent])
    seqs = {message.seq for message in gone.values()}
    for cursor in held.cursors.values():
        cursor.error = None  # it may quote a message
        cursor.failed = {seq: (kept_of(why), at) for seq, (why, at) in cursor.failed.items() if seq not in seqs}
    resting, _ = derive_anew(held, lambda record: rests_on(record, gone))
    indexed = [held.index.pop(seq) for seq in seqs & held.index.keys()]
    for stored in held.vectors.values():
        for seq in seqs & stored.keys():
            del stored[seq]
    return Erased(len(gone), 0, len(resting), vectors - vectors_in(held), len(indexed))


def erase_session(held: Held, session_id: str) -> Erased:
    """Takes out a session, its checkpoints, and all that came from it or belongs to it."""
    if held.sessions.pop(session_id, None) is None:
        return Erased()
    vectors = vectors_in(held)
    its_own = take_out(held, lambda record: record.session_id == session_id)
    erased = erase(held, {message.id for message in held.log.values() if message.session_id == session_id})
    left = drop_checkpoints(held, session_id)
    records, lost = erased.records + len(its_own), vectors - vectors_in(held)
    return replace(erased, sessions=1, records=records, vectors=lost, checkpoints=left)


def _survivor(gone: Mapping[str, Message], message_id: str | None) -> str | None:
    """The message itself, or the nearest one before it that is still there."""
    while message_id is not None and message_id in gone:
        message_id = gone[message_id].parent_id
    return message_id


def everything_in(held: Held) -> Erased:
    """What goes with a whole scope."""
    records = len(held.records) + len(held.fresh)
    gone = (len(held.log), len(held.sessions), records, vectors_in(held), len(held.index))
    return Erased(*gone, checkpoints=len(held.checkpoints))
