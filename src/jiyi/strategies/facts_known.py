"""What both derivers of facts share: which messages are the user's own, what is known about what they say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from jiyi.attributes import Attribute
from jiyi.candidates import Candidate
from jiyi.facts import MODEL, Making, changes
from jiyi.ledger import OPPOSITES
from jiyi.ports import Batch
from jiyi.statements import FACT, RETRACTION, forgotten_key, key_of, statements_of
from jiyi.types import JSON, Changes, Message, Record, Step

_OF_A_KEY = 200  # records, at most: the newest.  A key with more values than that is no key
_OTHERS = 100  # the newest, and the most important: what somebody means who says "forget the old address"


def is_own(message: Message) -> bool:
    """Whether a message may hold facts: what the user says, on the path that the session took."""
    return message.role == "user" and message.kind != "command" and message.active and bool(message.text.strip())


async def resting(batch: Batch) -> list[Record]:
    """The facts and retractions, closed ones too, that rest on the batch's messages."""
    ids = [message.id for message in batch.messages]
    found: list[Record] = []
    for kind in (FACT, RETRACTION):
        found += await batch.records(kind=kind, sources=ids, current=None)
    return found


def handled(records: Iterable[Record]) -> set[str]:
    """Ids of the messages that the model's step has made something of."""
    return {said.message for record in records for said in statements_of(record) if said.step == MODEL}


async def derived(
    batch: Batch,
    candidates: Sequence[tuple[Candidate, str]],
    touched: Iterable[Record],
    step: Step,
    attributes: Mapping[str, Attribute],
    made: Mapping[str, JSON],
) -> Changes:
    """The changes of a batch in which this was found (with who found it).

    Reads what rests on the batch, all of the keys concerned, and for what has no key, or is taken back, some others:
    however long the history is.
    """
    known = {record.id: record for record in touched}
    keys = {record.key for record in known.values() if record.key}
    keys.update(key for one, _ in candidates if (key := key_of(one.subject, one.attribute)))
    keys.update(forgotten_key(one.subject) for one, _ in candidates)
    for key in list(keys):
        subject, _, attribute = key.rpartition(".")
        keys.update(f"{subject}.{b}" for pair in OPPOSITES.items() for a, b in (pair, pair[::-1]) if a == attribute)
    for key in sorted(keys):
        known |= {
            record.id: record
            for record in await batch.records(key=key, current=None, newest=True, limit=_OF_A_KEY)
            if record.kind in (FACT, RETRACTION)
        }
    if any(one.ends or not one.attribute for one, _ in candidates):
        for record in await batch.records(kind=FACT, newest=True, limit=_OTHERS):
            known.setdefault(record.id, record)
        for record in await batch.records(kind=FACT, important=True, limit=_OTHERS):
            known.setdefault(record.id, record)
    making = Making(step, frozenset(message.id for message in batch.messages), made, keys, attributes)
    found = changes(candidates, list(known.values()), making)
    return Changes(batch.cursor, put=found.put, drop=found.drop, stale=found.stale)
