"""Derived records of one scope, in the reference store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import datetime

from jiyi.indexable import as_message, index_text, is_index
from jiyi.stores.gaps import joined, makes_instead, stretch_of
from jiyi.stores.held import Held, Made, instant, record_seqs
from jiyi.types import Changes, Claim, Record, Which


def write_records(held: Held, claim: Claim, changes: Changes, *, anew: bool) -> set[str]:
    """What a commit does to records; ``anew`` while its step is being rebuilt.  Returns the other steps that have to
    derive something anew.
    """
    maker = claim.step.name

    def is_ours(record: Record, records: dict[str, Made]) -> bool:
        """Whether the step may touch it here: while it is rebuilt, of its own what it made anew."""
        return record.strategy != maker or (records is held.fresh) == anew

    for records in (held.records, held.fresh):
        for name in set(changes.drop) & records.keys():
            if is_ours(records[name].record, records):
                del records[name]
    _, again = derive_anew(held, lambda record: _is_stale(record, changes.stale, maker), maker)
    for record in changes.put:
        if all(source.message_id in held.log for source in record.sources):
            records = held.fresh if anew and record.strategy == maker else held.records
            old = records.get(record.id)
            new = _numbered(held, old.record if old else None, _with_use_of(old.record if old else None, record))
            records[record.id] = Made(new, claim.after, changes.cursor)
    for records in (held.records, held.fresh):
        for name in changes.close.keys() & records.keys():
            made = records[name]
            if (records is held.fresh) == (anew and made.record.strategy == maker):
                records[name] = replace(made, record=replace(made.record, closed_at=changes.close[name]))
    _drop_vectors(held)
    return again


def _is_stale(record: Record, message_ids: Sequence[str], maker: str) -> bool:
    return record.strategy != maker and not record.links and rests_on(record, message_ids)


def _with_use_of(old: Record | None, new: Record) -> Record:
    """The counts are the store's, not the maker's."""
    return replace(new, used=old.used if old else 0, used_at=old.used_at if old else None)


def _numbered(held: Held, old: Record | None, new: Record) -> Record:
    """The record with its seq; one that says the same as before keeps it."""
    if not new.text.strip():
        return deepcopy(replace(new, seq=0))
    if old is not None and index_text(as_message(old)) == index_text(as_message(new)):
        return deepcopy(replace(new, seq=old.seq))
    held.record_head += 1
    return deepcopy(replace(new, seq=held.record_head))


def _drop_vectors(held: Held) -> None:
    """Vectors of records that are gone go as well."""
    there = set(record_seqs(held))
    for stored in held.record_vectors.values():
        for seq in stored.keys() - there:
            del stored[seq]


def rests_on(record: Record, message_ids: Container[str]) -> bool:
    """Whether one of its sources is among these."""
    return any(source.message_id in message_ids for source in record.sources)


def take_out(held: Held, which: Callable[[Record], bool]) -> list[Made]:
    """Takes out records, old and fresh."""
    taken: list[Made] = []
    for records in (held.records, held.fresh):
        names = [name for name, made in records.items() if which(made.record)]
        taken += [records.pop(name) for name in names]
    _drop_vectors(held)
    return taken


def derive_anew(held: Held, which: Callable[[Record], bool], maker: str = "") -> tuple[list[Made], set[str]]:
    """Takes out records; where some of the messages that one rests on are there, whatever may make it again is a gap:
    the batch it was put in last, and the strides of all these messages; these too of steps named after its own.

    Args:
        held: what the scope has.
        which: says of a record whether it goes.
        maker: the step that says so, which does not derive anew.

    Returns:
        The records, and the steps that have something to derive anew.
    """
    taken, again = take_out(held, which), set[str]()
    for made in taken:
        strategy = made.record.strategy
        there = [held.log[s.message_id].seq for s in made.record.sources if s.message_id in held.log]
        for name, cursor in held.cursors.items():
            own = strategy == name
            if there and (own or makes_instead(name, strategy)) and name != maker and not is_index(name):
                strides = [stretch_of(seq, cursor.stride) for seq in there]
                batch = [(made.after, made.upto)] if own else []
                cursor.gaps = joined([*cursor.gaps, *batch, *strides], cursor.after)
                again.add(name)
    return taken, again


def show_fresh(held: Held, step: str, cursor: int) -> set[str]:
    """Records that a step made anew take the place of its old ones.  Where these rest on messages behind its cursor, a
    step named after it has told of them there, and does so again.  Returns the steps that have something to derive
    anew.
    """
    old = [made.record for made in held.records.values() if made.record.strategy == step]
    behind = {held.log[s.message_id].seq for record in old for s in record.sources if s.message_id in held.log}
    behind = {seq for seq in behind if seq > cursor}
    again = {name for name in held.cursors if behind and makes_instead(name, step)}
    for name in again:
        other = held.cursors[name]
        other.gaps = joined([*other.gaps, *(stretch_of(seq, other.stride) for seq in behind)], other.after)
    for name, made in held.fresh.items():
        if made.record.strategy == step:
            old = held.records.get(name)
            held.fresh[name] = replace(made, record=_with_use_of(old.record if old else None, made.record))
    fresh = {name: made for name, made in held.fresh.items() if made.record.strategy == step}
    held.records = {name: made for name, made in held.records.items() if made.record.strategy != step} | fresh
    drop_fresh(held, step)
    return again


def drop_fresh(held: Held, step: str) -> None:
    """Throws away what a step has made anew so far."""
    held.fresh = {name: made for name, made in held.fresh.items() if made.record.strategy != step}
    _drop_vectors(held)


def use(held: Held, record_ids: Sequence[str], at: datetime) -> None:
    """``Store.use`` in one scope."""
    for name, times in Counter(record_ids).items():
        if name in held.records:
            made = held.records[name]
            last = max((made.record.used_at or at, at), key=instant)
            held.records[name] = replace(made, record=replace(made.record, used=made.record.used + times, used_at=last))


# -- reading ---------------------------------------------------------------------------------------------------------


def seen(held: Held, which: Which) -> list[Record]:
    """``Store.records`` of one scope."""
    maker = which.get("maker")
    cursor = held.cursors.get(maker or "")
    anew = cursor is not None and cursor.goal is not None
    there = [made.record for made in held.records.values() if not (anew and made.record.strategy == maker)]
    if anew:
        there += [made.record for made in held.fresh.values() if made.record.strategy == maker]
    found = [record for record in there if _matches(record, which)]
    found.sort(key=_age)
    if which.get("bare"):
        found = [replace(record, sources=()) for record in found]
    limit = which.get("limit")
    if limit is None:
        return found
    if which.get("important"):
        return sorted(sorted(found, key=_weight, reverse=True)[: max(0, limit)], key=_age)
    return found[max(0, len(found) - limit) :] if which.get("newest") else found[:limit]


def _matches(record: Record, which: Which) -> bool:
    ids, sources, links = which.get("ids"), which.get("sources"), which.get("links")
    return (
        which.get("kind") in (None, record.kind)
        and which.get("session_id") in (None, record.session_id)
        and which.get("key") in (None, record.key)
        and (ids is None or record.id in ids)
        and (sources is None or rests_on(record, sources))
        and (links is None or not set(links).isdisjoint(record.links))
        and _holds(record, which)
    )


def _holds(record: Record, which: Which) -> bool:
    """Whether it is current, or was at a time."""
    at = which.get("as_of")
    if at is None:
        return which.get("current", True) in (None, record.closed_at is None)
    said = record.said_at or record.recorded_at
    return instant(said) <= instant(at) and (record.closed_at is None or instant(record.closed_at) > instant(at))


def _age(record: Record) -> tuple[float, str]:
    return instant(record.recorded_at), record.id


def _weight(record: Record) -> tuple[bool, float, float, str]:
    """Pinned first, then by importance (nobody's comes last), of equals the newest."""
    importance = float("-inf") if record.importance is None else record.importance
    return record.pinned, importance, *_age(record)
