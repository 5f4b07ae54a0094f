"""What people order about records, laid over what is derived, at reading.  Pure.

Commands are applied where records are read, so they act at once, survive every rebuild, and go above whatever is
derived.  One reaches the record of its id, one that says the same, and one of the same thing in the same place
(``jiyi.commands``).  What is said after a command goes above it, as it goes above everything said before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from jiyi.commands import PERSON, Command, evidence, listed, mark, place, single, values
from jiyi.entities import ENTITY
from jiyi.groups import GROUPED, grouped, renamed, said_since
from jiyi.text import flat
from jiyi.types import JSON, Record, Source

Said: TypeAlias = Mapping[str, datetime]
"""Message id -> when it was said, of messages that records rest on."""


def curate(
    records: Iterable[Record], orders: Sequence[Command], *, salt: bytes, said: Said, reach: Reach | None = None
) -> list[Record]:  # fmt: skip
    """The records as people want them, in the order given; those that people's words alone still hold come last.

    Args:
        records: as derived; curated ones stay as they are.
        orders: of the same scope, in order of arrival.  Later ones win.
        salt: the scope's.
        said: when the sources of those records were said that a command may reach; what is not there was not said
            again.
        reach: of these orders, where it was asked for already.
    """
    if not orders:
        return list(records)
    reach = reach or Reach(orders, salt)
    kept: dict[str, _Told] = {}
    gone: set[str] = set()
    records = list(records)
    groups = grouped((record for record in records if record.kind in GROUPED), orders, salt)
    for record in records:
        if record.kind not in GROUPED:
            _keep(kept, gone, record, _laid(record, orders) or _told(record, reach.of(record), said))
        elif one := groups.pop(record.id, None):
            _keep(kept, gone, one.record, _laid(record, orders) or _told(one.record, one.orders, said))
    for one in groups.values():
        _keep(kept, gone, one.record, _told(one.record, one.orders, said))
    there = gone.union(kept, *(listed(told.record, "joined") for told in kept.values()))
    for command in orders:
        if command.does == "correct" and command.kind not in GROUPED and command.record not in there:
            there.add(command.record)
            made = _made(command)
            _keep(kept, gone, made, _told(made, reach.named(command.record), said))
    _merge(kept)
    _settle(kept, gone, said)
    return [told.record for told in kept.values()]


def _laid(record: Record, orders: Sequence[Command]) -> _Told | None:
    """A record that commands were laid over already."""
    names = listed(record, "commands")
    if not names:
        return None
    return _Told(record, _assertion(command for command in orders if command.id in names))


def _keep(kept: dict[str, _Told], gone: set[str], record: Record, told: _Told | None) -> None:
    if told is None:
        gone.add(record.id)
    elif told.record.id in kept:
        first, other = kept[told.record.id], told
        if first.record.closed_at and not other.record.closed_at:
            first, other = other, first
        kept[told.record.id] = first
        _join(first, other.record)
    else:
        kept[told.record.id] = told


@dataclass(slots=True)
class _Told:
    """A record as it is now, the last command that says it is true, and how it was when that opened it again."""

    record: Record
    by: Command | None = None
    was: Record | None = None


class Reach:
    """Which commands reach a record: all those about it, and about what has its mark or place, together."""

    def __init__(self, orders: Sequence[Command], salt: bytes) -> None:
        self._salt = salt
        self._known: dict[str, tuple[Record, list[Command]]] = {}  # fingerprints take time
        # by record id, mark and place; all that hang together share one list
        self._groups: dict[str, list[Command]] = {}
        for command in orders:
            names = [name for name in (command.record, command.mark, command.place) if name]
            group = self._joined(names) + [command]
            for name in {*names, *(sign for one in group for sign in (one.record, one.mark, one.place) if sign)}:
                self._groups[name] = group

    def _joined(self, names: Iterable[str]) -> list[Command]:
        """The groups of these names as one, in order of arrival."""
        found = {id(group): group for name in names if (group := self._groups.get(name))}
        if len(found) < 2:
            return list(*found.values())
        return sorted((one for group in found.values() for one in group), key=lambda command: command.number)

    def named(self, record_id: str) -> list[Command]:
        """The commands about the record of an id, and what they hang together with."""
        return self._groups.get(record_id, [])

    def of(self, record: Record) -> list[Command]:
        """The commands that reach a record, in order of arrival."""
        known = self._known.get(record.id)
        if known is None or known[0] is not record:
            names = (record.id, mark(self._salt, record), place(self._salt, record))
            known = self._known[record.id] = record, self._joined(name for name in names if name)
        return known[1]


@dataclass(slots=True)
class _State:
    gone: Command | None = None
    hidden: bool = False
    pinned: bool | None = None
    told: Command | None = None
    named: Command | None = None
    after: list[Command] = field(default_factory=list[Command])  # what was ordered after the deletion


def _told(record: Record, orders: Sequence[Command], said: Said) -> _Told | None:
    """The record after its commands; None when it was deleted and not said again."""
    if not orders:
        return _Told(record)
    state = _state(orders)
    if state.gone:
        left = _since(record, state.gone.at, said)
        return _told(left, state.after, said) if left else None
    told, named = state.told, state.named
    if told and _said_after(record, told.at, said):  # what is said later goes above a correction, as above all else
        told = None
    laid = [one for one in orders if one in (told, named) or one.does not in ("correct", "rename")]
    if named:
        record = renamed(record, named)
    if told:
        record = _corrected(record, told)
    data = {**record.data, "commands": [command.id for command in laid]} if laid else dict(record.data)
    if data.get("status") == "unverified" and _assertion(laid):
        data["status"] = ""
    pinned = record.pinned if state.pinned is None else state.pinned
    now, by = replace(record, pinned=pinned, hidden=state.hidden, data=data), _assertion(laid)
    if by and now.closed_at and now.closed_at <= by.at:
        others = [command.id for command in laid if not _asserts(command)]
        return _Told(_opened(now), by, replace(now, data={**data, "commands": others}))
    return _Told(now, by)


def _assertion(laid: Iterable[Command]) -> Command | None:
    """The last command that says the record is true."""
    return max(filter(_asserts, laid), key=lambda command: command.number, default=None)


def _asserts(command: Command) -> bool:
    return command.does == "confirm" or (command.does == "correct" and command.opens)


def _state(orders: Sequence[Command]) -> _State:
    state = _State()
    for index, command in enumerate(orders):
        match command.does:
            case "delete":
                state.gone, state.after = command, list(orders[index + 1 :])
            case "recover":
                state.gone, state.hidden = None, False
            case "hide":
                state.hidden = True
            case "pin" | "unpin":
                state.pinned = command.does == "pin"
            case "rename":
                state.named = command
            case "topic":  # somebody works on it
                state.gone = None
            case "correct":
                state.told, state.gone = command, None
            case "confirm" | "merge" | "split" | "undo":
                pass
    return state


def _times(record: Record, said: Said) -> list[datetime]:
    """When it was said, as far as that is known."""
    times = [said[source.message_id] for source in evidence(record) if source.message_id in said]
    return times if record.said_at is None else [record.said_at, *times]


def _since(record: Record, moment: datetime, said: Said) -> Record | None:
    """What is left of a record that was deleted then; None when it was not said again."""
    if record.kind in GROUPED:
        return said_since(record, moment)
    return record if _said_after(record, moment, said) else None


def _said_after(record: Record, moment: datetime, said: Said) -> bool:
    if record.kind == ENTITY:  # it is spoken of all the time, and that says nothing about who it is
        return False
    return any(time > moment for time in _times(record, said))


def _corrected(record: Record, command: Command) -> Record:
    """The record with what the person said.  What it was derived from does not say so: of a fact it is left out; a
    note or summary still stands for the messages that it is about.
    """
    own = Source(command.id, 0, len(command.text), command.text)
    closing = record.sources[len(evidence(record)) :]
    data: dict[str, JSON] = {"by": PERSON, "corrected": command.id, "status": ""}
    if record.kind != "fact":
        sources = (*evidence(record), own, *closing)
        data = {**record.data, **data}
    else:
        sources = (own, *closing)
        names = ("subject", "attribute", "speaker", "conflicts", "closed_by")
        data |= {name: record.data[name] for name in names if name in record.data}
        data |= {"value": command.value or command.text, "negated": command.negated}
    return replace(
        record,
        id=command.record,
        text=command.text,
        sources=sources,
        said_at=command.at if command.opens and record.kind == "fact" else record.said_at,
        event_from=command.event_from,
        event_to=command.event_to,
        valid_from=None,
        valid_to=None,
        data=data,
    )


def _made(command: Command) -> Record:
    """The record that a correction makes by itself, where nothing derives it any more."""
    subject, _, attribute = (command.key or "").rpartition(".")
    bare = Record(
        command.record,
        command.kind,
        command.text,
        PERSON,
        "1",
        (),
        session_id=command.session_id,
        key=command.key,
        importance=command.importance,
        recorded_at=command.at,
        closed_at=None if command.opens else command.at,
        data={"subject": subject, "attribute": attribute} if attribute else {},
        links=(flat(subject),) if attribute else (),
    )
    return _corrected(bare, command)


def _merge(kept: dict[str, _Told]) -> None:
    """What says the same as a correction is the same record: its sources join, and it goes."""
    corrected: dict[tuple[str, str | None, str], _Told] = {}
    for by_person in (True, False):
        for name, told in list(kept.items()):
            record = told.record
            if record.kind in GROUPED or (record.data.get("by") == PERSON) is not by_person:
                continue
            says = [(record.kind, record.key, text) for text in _wordings(record)]
            first = next((corrected[one] for one in says if one in corrected), None)
            if first is not None and record.closed_at is None and _closer(first.record) in (None, record.id):
                _join(first, record)
                del kept[name]
            elif by_person:
                corrected |= {one: told for one in says}
        if not corrected:
            return


def _wordings(record: Record) -> set[str]:
    value = record.data.get("value")
    return {flat(record.text), flat(value if isinstance(value, str) and value else record.text)}


def _closer(record: Record) -> str | None:
    """The record that closed it, "" where none did; None while it is open."""
    closed = record.data.get("closed_by")
    return None if record.closed_at is None else str((isinstance(closed, Mapping) and closed.get("record")) or "")


def _join(first: _Told, record: Record) -> None:
    if _closer(first.record) == record.id:
        first.record = _opened(first.record)
    joined = dict.fromkeys((*listed(first.record, "joined"), record.id, *listed(record, "joined")))
    joined.pop(first.record.id, None)
    first.record = replace(
        first.record,
        sources=tuple(dict.fromkeys((*first.record.sources, *evidence(record)))),
        hidden=first.record.hidden or record.hidden,
        links=tuple(dict.fromkeys((*first.record.links, *record.links))),
        data={**first.record.data, "joined": list(joined)} if joined else first.record.data,
    )


def _opened(record: Record) -> Record:
    data = _without(record.data, "closed_by")
    return replace(record, closed_at=None, sources=evidence(record), data=data)


def _settle(kept: dict[str, _Told], gone: set[str], said: Said) -> None:
    """What a person said is true closes what contradicts it, as far as that was not said later."""
    by_key = defaultdict[tuple[str, str | None], list[_Told]](list)
    for told in kept.values():
        if single(told.record):
            by_key[told.record.kind, told.record.key].append(told)
    for told in kept.values():
        same = by_key[told.record.kind, told.record.key] if told.was and single(told.record) else ()
        if told.was and any(_holds_already(other, told.record) for other in same):
            told.record, told.by = told.was, None
    for told in list(kept.values()):
        if told.by is None:
            _forget_conflicts(told, gone)
            continue
        rivals = list(by_key[told.record.kind, told.record.key]) if single(told.record) else []
        rivals += [kept[name] for name in listed(told.record, "conflicts") if name in kept]
        _decide(told, [rival for rival in rivals if rival is not told], said)


def _holds_already(other: _Told, record: Record) -> bool:
    """Whether another record says the same and is open by itself: it was said again."""
    return other.was is None and other.record.closed_at is None and bool(_wordings(other.record) & _wordings(record))


def _decide(told: _Told, rivals: Sequence[_Told], said: Said) -> None:
    assert told.by is not None
    at, record, later = told.by.at, told.record, _later(told.record, told.by, rivals, said)
    if record.closed_at and record.closed_at <= at:
        record = _opened(record)
    first = min(later, key=lambda one: (one[0], one[1].id), default=None)
    if first is None:
        told.record = replace(record, data=_without(record.data, "conflicts") | _plain(record))
    elif values(record) == "fixed":  # nothing replaces it: both stand until a person says more
        told.record = replace(
            record, data={**record.data, "status": "conflict", "conflicts": sorted({rival.id for _, rival in later})}
        )
    elif record.closed_at is None or record.closed_at > first[0]:
        closing = evidence(first[1])[:1]
        told.record = _closed(record, first[0], first[1].id, closing[0] if closing else Source(""))


def _later(record: Record, by: Command, rivals: Sequence[_Told], said: Said) -> list[tuple[datetime, Record]]:
    """What contradicts a record and was said after the command that says it is true; what was not is closed."""
    last = max([by.at, *_times(record, said)])  # said again after the command: what came between is over
    found: list[tuple[datetime, Record]] = []
    for rival in rivals:
        if rival.by and (rival.by.at, rival.by.number) >= (by.at, by.number):  # says the same, or decides itself
            continue
        times = [time for time in _times(rival.record, said) if time > by.at]
        if times and (max(times) < last or _wordings(rival.record) & _wordings(record)):
            continue
        if times and rival.record.data.get("status") != "unverified":
            found.append((min(times), rival.record))
        elif not times and (rival.record.closed_at is None or rival.record.closed_at > by.at):
            rival.record = _closed(rival.record, by.at, record.id, Source(by.id))
    return found


def _closed(record: Record, at: datetime, by: str, source: Source) -> Record:
    data = _without(record.data, "conflicts") | _plain(record)
    return replace(
        record,
        closed_at=at,
        sources=(*evidence(record), source),
        data={**data, "closed_by": {"record": by, "message": source.message_id}},
    )


def _plain(record: Record) -> dict[str, JSON]:
    return {"status": ""} if record.data.get("status") == "conflict" else {}


def _without(data: Mapping[str, JSON], name: str) -> dict[str, JSON]:
    return {key: value for key, value in data.items() if key != name}


def _forget_conflicts(told: _Told, gone: set[str]) -> None:
    """What contradicted it was deleted, so it contradicts nothing."""
    record = told.record
    named = listed(record, "conflicts")
    left = [name for name in named if name not in gone]
    if len(left) < len(named):
        data = {**record.data, "conflicts": left} if left else _without(record.data, "conflicts") | _plain(record)
        told.record = replace(record, data=data)
