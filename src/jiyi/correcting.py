"""What of ``AsyncMemory`` is about what people see of what is remembered, and correct."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from jiyi import intake
from jiyi.about import About, Event, about, events
from jiyi.commands import Command, Does, erased_with, evidence, listed, metadata, single
from jiyi.curated import Curated
from jiyi.errors import InvalidInput, NotFound
from jiyi.options import Chosen, known
from jiyi.past import SNAPSHOT
from jiyi.search import WantedRecords
from jiyi.snapshotting import Snapshotting
from jiyi.text import check_text
from jiyi.types import JSON, KINDS, Filter, Message, Record, Scope
from jiyi.writing import Writing

if TYPE_CHECKING:
    from jiyi.ports import Clock


class Correcting(Writing, Snapshotting):
    """The part of ``AsyncMemory`` for people: what is remembered, and their word on it."""

    clock: Clock

    async def records(
        self, *, user_id: str, query: str | None = None, limit: int | None = None, **chosen: Unpack[Chosen]
    ) -> list[Record]:
        """What was derived of a user, as they corrected it: facts, notes, summaries; in order of arrival.

        Args:
            user_id: whose.
            query: only what answers this question, best first.
            limit: at most so many: the best for a question, else the newest.
            **chosen: see ``Chosen``.

        Raises:
            InvalidInput: names the field.
        """
        scope = self.scope(user_id)
        known("field", chosen, Chosen)
        intake.limit("limit", limit)
        kind, key, session_id = chosen.get("kind"), chosen.get("key"), chosen.get("session_id")
        for field, value in (("kind", kind), ("key", key), ("session_id", session_id)):
            if value is not None:
                intake.identifier(field, value)
        as_of = intake.moment("as_of", chosen.get("as_of"), self.clock.now())
        curated = Curated(self.store, scope, as_of=as_of, hidden=bool(chosen.get("hidden", False)))
        current = chosen.get("current", True)
        if query is None:
            found = await curated.records(kind=kind, key=key, session_id=session_id, current=current)
            # those without a text are for their makers alone, but for snapshots, which are told first
            found = [record for record in found if record.text or record.kind == SNAPSHOT]
            found = await self._told(scope, found if limit is None else found[max(0, len(found) - limit) :])
            return [record for record in found if record.text]
        check_text("query", query)
        wanted = WantedRecords(10 if limit is None else limit, None if kind is None else (kind,), current)
        hits = await curated.find(self.searcher, query, wanted)
        found = [hit.record for hit in hits]
        return [r for r in found if key in (None, r.key) and session_id in (None, r.session_id)]

    async def record(self, record_id: str, *, user_id: str) -> Record:
        """One record as it is now, closed and hidden ones too.

        Raises:
            NotFound: there is none of this id, or it was deleted; says what to do.
        """
        scope = self.scope(user_id)
        return (await self._told(scope, [await self._found(scope, record_id)]))[0]

    async def commands(self, *, user_id: str) -> list[Command]:
        """What a user ordered about records, in order: corrections, deletions…"""
        return await Curated(self.store, self.scope(user_id)).orders()

    async def correct(self, record_id: str, text: str, *, user_id: str) -> Record:
        """Puts what the person says in the place of a record.  What is said of the same thing later goes above it.

        Args:
            record_id: which.
            text: the whole statement, as it is right.
            user_id: whose.

        Raises:
            NotFound: no such record.
            InvalidInput: no text, or the record only puts together what others say.
        """
        if not check_text("text", text).strip():
            raise InvalidInput("text", "must not be empty; to have it gone, use delete()")
        record = await self._found(self.scope(user_id), record_id)
        if record.kind in _FOLLOWS:
            way = _FOLLOWS[record.kind]
            raise InvalidInput("record_id", f"is a {record.kind}, which cannot be corrected in other words; {way}")
        return await self._order("correct", record_id, user_id, text)

    async def pin(self, record_id: str, *, user_id: str, pinned: bool = True) -> Record:
        """Has a record always stand among the key facts, and never expire; ``pinned=False`` ends that.

        Raises:
            NotFound: no such record.
        """
        return await self._order("pin" if pinned else "unpin", record_id, user_id)

    async def hide(self, record_id: str, *, user_id: str) -> Record:
        """Keeps a record out of contexts and of what is found; ``records(hidden=True)`` lists it, ``recover`` ends it.

        Raises:
            NotFound: no such record.
        """
        return await self._order("hide", record_id, user_id)

    async def confirm(self, record_id: str, *, user_id: str) -> Record:
        """Says that a record is right: it is current, what contradicts it is closed, and what was unverified counts.

        Raises:
            NotFound: no such record.
        """
        return await self._order("confirm", record_id, user_id)

    async def delete(self, record_id: str, *, user_id: str) -> None:
        """Has a record gone, however it is derived again, until the same is said again.

        The messages that it was derived from stay: ``forget`` erases those.

        Raises:
            NotFound: no such record.
        """
        scope = self.scope(user_id)
        await self._write(scope, "delete", await self._found(scope, record_id))

    async def recover(self, record_id: str, *, user_id: str) -> Record:
        """Takes back that a record was hidden or deleted.

        Raises:
            NotFound: it was neither, or nothing of it is left.
        """
        scope = self.scope(user_id)
        orders = await Curated(self.store, scope).orders()
        if not any(one.record == record_id and one.does in ("hide", "delete") for one in orders):
            raise NotFound(f"the record {record_id!r} was neither hidden nor deleted; there is nothing to recover")
        last = next(one for one in reversed(orders) if one.record == record_id)
        said: dict[str, JSON] = {
            "command": "recover",
            "record": record_id,
            "kind": last.kind,
            "mark": last.mark,
            "place": last.place,
        }
        await self._append(scope, None, {**said, "sources": list(last.sources)})
        return await self._found(scope, record_id)

    async def history(self, record_id: str, *, user_id: str) -> list[Event]:
        """All that happened to a record, oldest first: said where, confirmed, closed by what, ordered by whom; and the
        other values of a thing that has one at a time.

        Raises:
            NotFound: no such record.
        """
        scope = self.scope(user_id)
        record = await self._found(scope, record_id)
        curated = Curated(self.store, scope, hidden=True)
        others = await curated.records(kind=record.kind, key=record.key, current=None) if single(record) else []
        shown = [record, *(other for other in others if other.id != record.id)]
        bare = await self.store.records(scope, ids=[one.id for one in shown], current=None)
        orders = [one for one in await curated.orders() if one.id in _named(shown)]
        return events(shown, bare, orders, await self._sources(scope, (*shown, *bare)))

    async def about(self, user_id: str) -> About:
        """What is known about a user, in groups, with the messages that say so; what stands in every prompt first."""
        scope = self.scope(user_id)
        found = [record for record in await Curated(self.store, scope).records() if record.text]
        return about(found, await self._sources(scope, found))

    # -- inside

    async def _found(self, scope: Scope, record_id: object) -> Record:
        name = intake.identifier("record_id", record_id)
        curated = Curated(self.store, scope, hidden=True)
        found = await curated.records(ids=[name], current=None)
        if found:
            return found[0]
        if any(one.record == name and one.does == "delete" for one in await curated.orders()):
            raise NotFound(f"the record {name!r} was deleted; recover() brings it back")
        raise NotFound(f"{scope.user} has no record {name!r}; records() lists them, with current=None closed ones too")

    async def _order(self, does: Does, record_id: str, user_id: str, text: str | None = None) -> Record:
        scope = self.scope(user_id)
        record = await self._found(scope, record_id)
        await self._write(scope, does, record, text)
        return await self._found(scope, record.id)

    async def _write(self, scope: Scope, does: Does, record: Record, text: str | None = None) -> None:
        salt = await self.store.salt(scope)
        orders = await Curated(self.store, scope).orders()
        sources = [source.message_id for source in evidence(record)]
        sources += [name for one in orders if one.record == record.id for name in one.sources]
        said = metadata(does, record, salt, dict.fromkeys(sources))
        if text is not None:
            said |= self._stated(record, text)
        await self._append(scope, text, said)

    async def _append(self, scope: Scope, text: str | None, said: Mapping[str, JSON]) -> None:
        await self.append(scope, "", [intake.command(text, {"metadata": said}, now=self.clock.now())])

    def _stated(self, record: Record, text: str) -> dict[str, JSON]:
        """What rules read in a correction of the same subject and attribute: the value by itself, and its dates."""
        from jiyi.rules import candidates  # its tables take a tenth of a second

        about = record.data.get("subject"), record.data.get("attribute")
        (said,) = self.clean([intake.command(text, {}, now=self.clock.now())])
        for one in candidates(said) if record.kind == "fact" and all(about) else ():
            if (one.subject.lower(), one.attribute) == about and not one.ends:
                times = {"event_from": one.event_from, "event_to": one.event_to}
                dates: dict[str, JSON] = {name: at.isoformat() for name, at in times.items() if at}
                return {"value": one.value, "negated": one.negated, **dates}
        return {}

    async def _orders_on(
        self, scope: Scope, *, session_id: str | None = None, ids: Sequence[str] = ()
    ) -> list[str]:  # fmt: skip
        """Ids of the commands that are erased with a session, or with messages."""
        orders = await Curated(self.store, scope).orders()
        if not orders:
            return []
        if session_id is not None:
            ids = [m.id for m in await self.store.messages(scope, Filter(session_id=session_id, active=None))]
        there = await self._read(scope, {name for one in orders for name in one.sources})
        sessions = {one.session_id for one in orders if one.does == "topic" and one.session_id}
        ended = {session_id} if session_id is not None else await self._ended(scope, sessions, ids)
        gone = [one.id for one in orders if one.does == "topic" and one.session_id in ended]
        found = dict.fromkeys([*gone, *erased_with(orders, [*ids, *gone], there)])
        return [name for name in found if name not in ids]

    async def _ended(self, scope: Scope, sessions: Collection[str], ids: Sequence[str]) -> set[str]:
        """Those of these sessions of which nothing is left when messages are erased."""
        touched = {message.session_id for message in (await self._read(scope, ids)).values()}
        ended: set[str] = set()
        for session in touched.intersection(sessions):
            said = await self.store.messages(scope, Filter(session_id=session, active=None))
            if {message.id for message in said} <= set(ids):
                ended.add(session)
        return ended

    async def _sources(self, scope: Scope, records: Sequence[Record]) -> dict[str, Message]:
        return await self._read(scope, {source.message_id for record in records for source in record.sources})

    async def _read(self, scope: Scope, ids: Collection[str]) -> dict[str, Message]:
        where = Filter(ids=tuple(sorted(ids)), kinds=KINDS, active=None)
        return {message.id: message for message in await self.store.messages(scope, where)} if ids else {}


_FOLLOWS = {
    "relation": "delete() it where it is wrong, and remember() what is right",
    "snapshot": "correct() the fact that it shows",
    "topic": "rename() it, or forget() the message that says what is wrong; what is decided later goes above it",
}
"""Kinds of records whose text is not what is read, and what to do instead."""


def _named(records: Sequence[Record]) -> set[str]:
    return {name for record in records for name in listed(record, "commands")}
