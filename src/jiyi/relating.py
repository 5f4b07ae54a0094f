"""From the relations that messages state to their records: what confirms, ends or replaces what is known.  Pure.

All that is said of a relation is gone through in the order in which it was *said*: that it is so, that it is not so or
no longer so and, where a head has one tail at a time, that it is another one.  So what is current follows from what was
said alone, whatever the order it is derived in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from jiyi.entities import MODEL, RULES, form_of
from jiyi.mentions import Mentioned
from jiyi.naming import Making, RecordChanges
from jiyi.relation_types import RELATIONS
from jiyi.relations import RELATION, TIMES, Stated, entry_of, relation_id, stated_of
from jiyi.sayings import Saying
from jiyi.types import JSON, Record, Source

EVIDENCE = 12
"""Places that a relation keeps: the first, and the newest."""
_LEAST, _EACH, _MOST = 0.4, 0.05, 0.9  # importance: said once, each further time, at most


@dataclass(frozen=True, slots=True)
class _Closing:
    """How a relation came to an end: by what it says itself, or by another one."""

    order: tuple[datetime, int, int]
    source: Source
    step: str
    record: str | None
    valid_to: datetime | None


def stated(mentioned: Mentioned, maker: str, making: Making) -> Iterator[Stated]:
    """The relations in what messages mention, as evidence; of those said twice in a message the first.

    Args:
        mentioned: of one message or several.
        maker: who found it, ``rules`` or ``model``.
        making: who derives.
    """
    seen: set[tuple[str, str, bool]] = set()
    for one in mentioned.edges:
        found = Stated(
            making.said(one.message, one.start, one.end, maker),
            one.head, one.relation, one.tail, one.said, one.negated, one.ends,
            *(getattr(one, name) for name in TIMES),
        )  # fmt: skip
        sign = (one.message.id, found.id, one.ends)
        if form_of(one.head) and form_of(one.tail) and form_of(one.head) != form_of(one.tail) and sign not in seen:
            seen.add(sign)
            yield found


def has_one_tail(relation: str) -> bool:
    """Whether a head has one tail at a time."""
    known = RELATIONS.get(relation)
    return known is not None and known.values == "one"


def relation_changes(said: Iterable[Stated], known: Iterable[Record], making: Making) -> RecordChanges:
    """What these statements change of what is known.

    Args:
        said: from the messages that are derived.
        known: the relations that rest on these messages, those that say the same or the contrary, and where a head has
            one tail at a time those of all tails; closed ones too.
        making: who derives, and what.
    """
    ours = {record.id: record for record in known if record.strategy in (RULES, MODEL)}
    by_id = defaultdict[str, list[Stated]](list)
    for record in ours.values():
        by_id[record.id] += [one for one in stated_of(record) if not making.redone(one.saying)]
    for one in said:
        by_id[one.id].append(one)
    by_id = defaultdict(list, {name: sorted(of_it, key=_order) for name, of_it in by_id.items() if of_it})
    of_key = defaultdict[str, list[Stated]](list)
    for of_it in by_id.values():
        if has_one_tail(of_it[0].relation) and not of_it[0].negated:
            of_key[of_it[0].key] += [one for one in of_it if not one.ends and not _is_past(one)]
    put: list[Record] = []
    for name, of_it in by_id.items():
        before, first = ours.get(name), of_it[0]
        contrary = by_id.get(relation_id(first.head, first.relation, first.tail, negated=not first.negated), ())
        rivals = [*contrary, *(() if first.negated else of_key.get(first.key, ()))]
        closing = _closing(name, of_it, rivals, _known_closing(before, making))
        record = _record(of_it, closing, before, making)
        if not record.is_as_it_was(before):
            put.append(record)
    return RecordChanges(tuple(put), tuple(name for name in ours if name not in by_id))


def _order(one: Stated) -> tuple[datetime, int, int]:
    return one.saying.order


def _is_past(one: Stated) -> bool:
    """Whether it tells of what was over when it was said."""
    return one.valid_to is not None and one.valid_to <= one.saying.at


def _closing(
    name: str, of_it: Sequence[Stated], rivals: Iterable[Stated], known: _Closing | None
) -> _Closing | None:  # fmt: skip
    """The first that was said against a relation after it was last said."""
    last = max((one for one in of_it if not one.ends), key=_order, default=None)
    after = last.saying.order if last else (of_it[0].saying.order[0], -1, 0)
    found = [
        _Closing(one.saying.order, one.saying.source, one.saying.step, None, one.valid_to or one.event_from)
        for one in of_it
        if one.ends and one.saying.order >= after
    ]
    found += [
        _Closing(one.saying.order, one.saying.source, one.saying.step, one.id, one.valid_from or one.event_from)
        for one in rivals
        if one.id != name and not one.ends and one.saying.order > after
        and last is not None and one.saying.message != last.saying.message
    ]  # fmt: skip
    if known is not None and known.order > after:
        found.append(known)
    return min(found, key=lambda one: one.order, default=None)


def _known_closing(record: Record | None, making: Making) -> _Closing | None:
    """How a known relation came to an end, unless that is derived anew."""
    by = record.data.get("closed_by") if record is not None else None
    if record is None or record.closed_at is None or not isinstance(by, Mapping):
        return None
    seq, successor, source = by.get("seq"), by.get("record"), record.sources[-1]
    one = Saying(source, record.closed_at, seq if isinstance(seq, int) else 0, str(by.get("step")), "")
    if making.redone(one):
        return None
    return _Closing(one.order, source, one.step, successor if isinstance(successor, str) else None, record.valid_to)


def _record(of_it: Sequence[Stated], closing: _Closing | None, known: Record | None, making: Making) -> Record:
    """The record of a relation."""
    said = list(of_it) if len(of_it) <= EVIDENCE else [of_it[0], *of_it[1 - EVIDENCE :]]
    so = [one for one in said if not one.ends] or said
    told = max(so, key=lambda one: (one.saying.maker == "model", one.saying.order))
    strategy, version = making.maker((one.saying for one in said), known)
    sources = dict.fromkeys(one.saying.source for one in said)
    if closing:
        sources.pop(closing.source, None)
    count = len({one.saying.message for one in so})
    return Record(
        told.id,
        RELATION,
        " ".join((told.saying.source.quote or "").split()),
        strategy,
        version,
        (*sources, *((closing.source,) if closing else ())),
        key=told.key,
        importance=round(min(_MOST, _LEAST + _EACH * (count - 1)), 4),
        recorded_at=min((at for one in said if (at := one.saying.recorded_at)), default=None),
        said_at=min((one.saying.at for one in so if one.saying.dated), default=None),
        closed_at=closing.order[0] if closing else None,
        event_from=_first(told, so, "event_from"),
        event_to=_first(told, so, "event_to"),
        valid_from=_first(told, so, "valid_from"),
        valid_to=(closing.valid_to or closing.order[0]) if closing else _first(told, so, "valid_to"),
        links=tuple(dict.fromkeys((form_of(told.head), form_of(told.tail)))),
        data=_data(said, told, count, closing),
    )


def _first(told: Stated, so: Sequence[Stated], name: str) -> datetime | None:
    """A time that one of the statements names: the one that is told, or the first that has it."""
    return next((time for one in (told, *so) if (time := getattr(one, name)) is not None), None)


def _data(said: Sequence[Stated], told: Stated, count: int, closing: _Closing | None) -> dict[str, JSON]:
    data: dict[str, JSON] = {
        "head": told.head,
        "relation": told.relation,
        "tail": told.tail,
        "value": told.tail,
        "words": told.words,
        "negated": told.negated,
        "said": [entry_of(one) for one in said],
        "count": count,
        "by": told.saying.maker,
    }
    if told.saying.made:
        data["made"] = told.saying.made
    if closing:
        data["closed_by"] = {
            "record": closing.record,
            "message": closing.source.message_id,
            "seq": closing.order[1],
            "step": closing.step,
        }
    return data
