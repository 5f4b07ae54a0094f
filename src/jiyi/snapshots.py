"""Who the user is and where the task stands at one moment, and what lies between two of them.  Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from jiyi.text import mostly
from jiyi.types import Source

_IN_FULL = frozenset(("amount", "appointment", "budget", "deadline", "event", "rule"))
"""Attributes of which the value alone does not say what it is of."""
_HEADS = {"profile": {"en": "profile", "zh": "用户"}, "task": {"en": "task", "zh": "任务"}}
_CONFLICT = {"en": " (contradicts another statement)", "zh": "（与另一说法矛盾）"}


@dataclass(frozen=True, slots=True)
class SnapshotEntry:
    """One fact as it stood at the moment of a snapshot.

    Attributes:
        section: ``profile``, ``task``, or one of the user's own.
        attribute, subject: what it says, and of whom; ``user`` for the user.
        value: the value alone; "" where the fact has none.
        text: the whole statement.
        record: id of the fact.
        source: where it was said, with the quote.
        said_at: when; None when nobody knows.
        since: when it was said first, or when the store took it.
        until: when it stopped being so, as far as is known by now; None while it holds.
        negated, conflict: it is denied; it contradicts another entry.
        single: there is one value at a time.
        label: what the attribute is called in Chinese; "" for its name.
        instead_of: ids of facts that it has taken the place of.
    """

    section: str
    attribute: str
    subject: str
    value: str
    text: str
    record: str
    source: Source
    said_at: datetime | None
    since: datetime
    until: datetime | None = None
    negated: bool = False
    conflict: bool = False
    single: bool = False
    label: str = ""
    instead_of: tuple[str, ...] = ()

    @property
    def quote(self) -> str:
        """The words that say so."""
        return self.source.quote or self.text

    @property
    def message_id(self) -> str:
        """The message that they stand in."""
        return self.source.message_id

    @property
    def says(self) -> str:
        """The value, or the whole statement where that alone says too little."""
        return self.text if self.negated or not self.value or self.attribute in _IN_FULL else self.value

    def line(self, spoken: str) -> str:
        """It as a short line, ``home: Porto``, 住址：波尔图."""
        chinese = spoken == "zh"
        name = self.label if chinese and self.label else self.attribute
        about = "" if self.subject == "user" else f"（{self.subject}）" if chinese else f" ({self.subject})"
        said = " ".join(self.says.split())
        more = _CONFLICT["zh" if chinese else "en"] if self.conflict else ""
        return f"{name}{about}：{said}{more}" if chinese else f"{name}{about}: {said}{more}"


@dataclass(frozen=True, slots=True)
class ProfileSnapshot:
    """Who the user is and where the task stands, at one moment.

    Attributes:
        id: of its record.
        number: its place among the user's snapshots: the stretches of the log are counted from 1.
        at: the moment: when the last message of its stretch was said.
        entries: by section, in the order of the sections.
        left_out: facts that have no place in it, because there are more important ones.
    """

    id: str
    number: int
    at: datetime
    entries: tuple[SnapshotEntry, ...] = ()
    left_out: int = 0

    @property
    def sections(self) -> dict[str, tuple[SnapshotEntry, ...]]:
        """Section -> its entries; those that have some."""
        found: dict[str, tuple[SnapshotEntry, ...]] = {}
        for entry in self.entries:
            found[entry.section] = (*found.get(entry.section, ()), entry)
        return found

    @property
    def language(self) -> str:
        """``zh`` or ``en``: that of most of it."""
        return language_of(self.entries)

    @property
    def text(self) -> str:
        """A line for each section, and one for each entry; "" without entries."""
        spoken = self.language
        parts = ((_head(name, spoken), entries) for name, entries in self.sections.items())
        return "\n".join(line for head, some in parts for line in (head, *(f"  {one.line(spoken)}" for one in some)))

    def since(self, older: ProfileSnapshot) -> SnapshotChanges:
        """What has changed since an older snapshot of the same user."""
        return _changes(older, self)


@dataclass(frozen=True, slots=True)
class SnapshotChanges:
    """What lies between two snapshots.

    Attributes:
        older, newer: the snapshots.
        added, removed: entries that are only in the newer, or only in the older one.
        changed: (before, now): another value of the same thing, or one that is contradicted, or no longer.
    """

    older: ProfileSnapshot
    newer: ProfileSnapshot
    added: tuple[SnapshotEntry, ...] = ()
    changed: tuple[tuple[SnapshotEntry, SnapshotEntry], ...] = ()
    removed: tuple[SnapshotEntry, ...] = ()

    @property
    def text(self) -> str:
        """A line for each: ``+ pet: a cat``, ``~ home: Lisbon -> Porto``, ``- task: book the hotel``."""
        spoken = language_of([*self.added, *(now for _, now in self.changed), *self.removed])
        found = [f"~ {before.line(spoken)} -> {now.says}{_mark(now, spoken)}" for before, now in self.changed]
        found += [f"+ {entry.line(spoken)}" for entry in self.added]
        found += [f"- {entry.line(spoken)}" for entry in self.removed]
        return "\n".join(found)


def _changes(older: ProfileSnapshot, newer: ProfileSnapshot) -> SnapshotChanges:
    """Compared by fact: another one is the same thing changed where it took the place of the old one."""
    old, new = ({entry.record: entry for entry in one.entries} for one in (older, newer))
    gone = {name: entry for name, entry in old.items() if name not in new and not _crowded_out(entry, newer)}
    came = [entry for name, entry in new.items() if name not in old and not _was_crowded_out(entry, older)]
    changed: list[tuple[SnapshotEntry, SnapshotEntry]] = []
    added: list[SnapshotEntry] = []
    for entry in came:
        before = next((name for name in entry.instead_of if name in gone), None)
        before = before or next((name for name, one in gone.items() if entry.single and _about(one, entry)), None)
        if before is None:
            added.append(entry)
        else:
            changed.append((gone.pop(before), entry))
    still = ((old[name], entry) for name, entry in new.items() if name in old)
    changed += [(before, now) for before, now in still if (before.says, before.conflict) != (now.says, now.conflict)]
    return SnapshotChanges(older, newer, tuple(added), tuple(changed), tuple(gone.values()))


def _crowded_out(entry: SnapshotEntry, newer: ProfileSnapshot) -> bool:
    """Whether it still holds, and only had no place any more."""
    return bool(newer.left_out) and (entry.until is None or entry.until > newer.at)


def _was_crowded_out(entry: SnapshotEntry, older: ProfileSnapshot) -> bool:
    return bool(older.left_out) and entry.since <= older.at


def _about(one: SnapshotEntry, other: SnapshotEntry) -> bool:
    return (one.subject, one.attribute) == (other.subject, other.attribute)


def _head(section: str, spoken: str) -> str:
    return _HEADS.get(section, {}).get(spoken, section)


def language_of(entries: Sequence[SnapshotEntry]) -> str:
    """``zh`` or ``en``: that of most of them."""
    return mostly(entry.text for entry in entries)


def _mark(entry: SnapshotEntry, spoken: str) -> str:
    return _CONFLICT[spoken] if entry.conflict else ""
