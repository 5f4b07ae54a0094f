"""Reads records as people want them: what is derived, with their commands laid over it (``jiyi.curation``)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Unpack

from jiyi.commands import COMMANDS, Command, commands, listed, single
from jiyi.curation import Reach, curate
from jiyi.groups import GROUPED
from jiyi.search import Wanted, WantedRecords
from jiyi.types import NEVER, Filter, Record, RecordHit, Scope, Which

if TYPE_CHECKING:
    from jiyi.ports import Store
    from jiyi.search import Searcher


class Curated:
    """The records of one scope, for one read: the commands are read once.

    Args:
        store: where they are.
        scope: whose.
        as_of: as they were at that time, with the commands given by then.
        hidden: with those that people want out of prompts.
    """

    def __init__(self, store: Store, scope: Scope, *, as_of: datetime | None = None, hidden: bool = False) -> None:
        self._store = store
        self._scope = scope
        self._as_of = as_of
        self._hidden = hidden
        self._orders: list[Command] | None = None
        self._touched: list[Record] | None = None
        self._reach: Reach | None = None

    async def orders(self) -> list[Command]:
        """The scope's commands, in order of arrival."""
        if self._orders is None:
            self._orders = commands(await self._store.messages(self._scope, COMMANDS), self._as_of)
        return self._orders

    async def records(self, **which: Unpack[Which]) -> list[Record]:
        """Records that match, as ``Store.records`` gives them; what a command touches has to match as it is now."""
        if self._as_of is not None:
            which["as_of"] = self._as_of
        orders = await self.orders()
        if not orders:
            return await self._store.records(self._scope, **which)
        limit = which.get("limit")
        more = which.copy()
        more["limit"] = None if limit is None else limit + len(orders)
        derived = await self._store.records(self._scope, **more)
        found = await self._laid(derived, which)
        if limit is not None and len(found) < limit and len(derived) == more["limit"]:
            more["limit"] = None
            found = await self._laid(await self._store.records(self._scope, **more), which)
        return _first(found, which)

    async def find(self, searcher: Searcher, query: str, wanted: WantedRecords) -> list[RecordHit]:
        """Records that answer the query, best first: those that people corrected by their new words."""
        wanted = replace(wanted, as_of=self._as_of)
        orders = await self.orders()
        if not orders:
            return await searcher.records(self._scope, query, wanted)
        wide = replace(wanted, k=2 * wanted.k + len(orders), current=None if wanted.as_of is None else wanted.current)
        hits = {hit.record.id: hit for hit in await searcher.records(self._scope, query, wide)}
        which: Which = {"as_of": self._as_of} if self._as_of else {"current": wanted.current}
        now = await self._laid([hit.record for hit in hits.values()], which)
        found = _with_records(hits, now)
        for hit in await self._corrections(searcher, query, wanted, now):
            found = [other for other in found if other.record.id != hit.record.id]
            place = next((at for at, other in enumerate(found) if other.relevance < hit.relevance), len(found))
            found.insert(place, hit)
        kinds = wanted.kinds
        return [hit for hit in found if kinds is None or hit.kind in kinds][: wanted.k]

    async def _corrections(
        self, searcher: Searcher, query: str, wanted: WantedRecords, now: Iterable[Record]
    ) -> list[RecordHit]:
        """The corrected and renamed ones whose new text answers the query."""
        words = ("corrected", "renamed")
        corrected = {str(record.data[name]): record for record in now for name in words if name in record.data}
        if not corrected:
            return []
        look = Wanted(len(corrected), replace(COMMANDS, ids=tuple(corrected)), wanted.floor)
        return [
            RecordHit(hit.score, hit.relevance, corrected[hit.message.id], hit.parts, hit.terms, hit.asked, hit.floor)
            for hit in await searcher.search(self._scope, query, look)
        ]

    async def _laid(self, derived: Sequence[Record], which: Which) -> list[Record]:
        """The derived records and those that commands are about, as they are now, as far as they match."""
        orders, salt = await self.orders(), await self._store.salt(self._scope)
        reach = self._reach = self._reach or Reach(orders, salt)
        about = {record.id: record for record in await self._about_commands()}
        all_ = {record.id: about.get(record.id, record) for record in derived} | about
        several = [r for r in all_.values() if len(r.sources) > 1 and (r.id in about or reach.of(r))]
        said = await self._said({source.message_id for record in several for source in record.sources})
        there = {record.id for record in derived}
        found = curate(all_.values(), orders, salt=salt, said=said, reach=reach)
        return [record for record in found if self._fits(record, which, there)]

    async def _said(self, ids: set[str]) -> dict[str, datetime]:
        """When these messages were said, as far as that is known, and was by then."""
        where = Filter(ids=tuple(ids), active=None)
        times = {m.id: m.created_at for m in await self._store.messages(self._scope, where)} if ids else {}
        return {name: at for name, at in times.items() if at and (self._as_of is None or at <= self._as_of)}

    async def _about_commands(self) -> list[Record]:
        """What the commands are about, wherever it stands now: the records, those that rest on the same first message,
        and what else there is of a thing that has one value.
        """
        if self._touched is None:
            orders = await self.orders()
            read = self._store.records
            names = {name for one in orders for name in _meant(one)}
            firsts = {one.sources[0] for one in orders if one.sources}
            found = await read(self._scope, ids=sorted(names), current=None)
            found += await read(self._scope, sources=sorted(firsts), current=None) if firsts else []
            keys = {record.key for record in found if single(record)}
            keys |= {one.key for one in orders if one.kind == "fact" and one.key}
            for key in sorted(key for key in keys if key):
                found += await read(self._scope, kind="fact", key=key, current=None)
            made = (one.other if one.does == "split" else one.record for one in orders if _makes(one))
            there = {record.id for record in found}.union(made)
            for kind in {one.kind for one in orders if one.kind in GROUPED and not _meant(one) <= there}:
                found += await read(self._scope, kind=kind, current=None)  # one has another id now
            self._touched = list({record.id: record for record in found if self._was_said(record)}.values())
        return self._touched

    def _was_said(self, record: Record) -> bool:
        said = record.said_at or record.recorded_at
        return self._as_of is None or said is None or said <= self._as_of

    def _fits(self, record: Record, which: Which, there: set[str]) -> bool:
        ids, sources, links = which.get("ids"), which.get("sources"), which.get("links")
        names = {record.id, *listed(record, "joined")}
        return (
            (self._hidden or not record.hidden)
            and which.get("kind") in (None, record.kind)
            and which.get("session_id") in (None, record.session_id)
            and which.get("key") in (None, record.key)
            and (ids is None or bool(names.intersection(ids)))
            and (
                sources is None or bool(names & there) or any(source.message_id in sources for source in record.sources)
            )
            and (links is None or not set(links).isdisjoint(record.links))
            and self._holds(record, which)
        )

    def _holds(self, record: Record, which: Which) -> bool:
        if self._as_of is None:
            return which.get("current", True) in (None, record.closed_at is None)
        return self._was_said(record) and (record.closed_at is None or record.closed_at > self._as_of)


def _makes(order: Command) -> bool:
    """Whether an order makes a record: it parts one off, or names a topic that nobody spoke of yet."""
    return order.does == "split" or (order.does == "topic" and bool(order.text))


def _meant(order: Command) -> set[str]:
    return {order.record, order.other} if order.does == "merge" else {order.record}


def _with_records(hits: Mapping[str, RecordHit], now: Iterable[Record]) -> list[RecordHit]:
    """Each record once, in the order of the best hit of what it was derived as."""
    by_name: defaultdict[str, list[Record]] = defaultdict(list)
    for record in now:
        for name in (record.id, *listed(record, "joined"), record.data.get("parted")):
            by_name[str(name)].append(record)
    found: dict[str, RecordHit] = {}
    for name, hit in hits.items():
        for record in by_name[name]:
            found.setdefault(record.id, replace(hit, record=record))
    return list(found.values())


def _first(found: list[Record], which: Which) -> list[Record]:
    """In the order of a store, as many as wanted."""
    limit = which.get("limit")
    found.sort(key=_age)
    if limit is None:
        return found
    if which.get("important"):
        return sorted(sorted(found, key=_weight, reverse=True)[:limit], key=_age)
    return found[max(0, len(found) - limit) :] if which.get("newest") else found[:limit]


def _age(record: Record) -> tuple[datetime, str]:
    return record.recorded_at or NEVER, record.id


def _weight(record: Record) -> tuple[bool, float, datetime, str]:
    return record.pinned, float("-inf") if record.importance is None else record.importance, *_age(record)
