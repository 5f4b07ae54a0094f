"""The reference store: plain Python in memory, simple enough to be seen to be right.

No method waits for anything, so each runs whole before the next begins; and each checks everything before it changes
anything.  What it returns is what it keeps: values are frozen, and their mappings are not to be written to.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import date, datetime, timedelta
from operator import itemgetter
from pathlib import Path
from typing import Unpack

from jiyi.errors import InvalidInput, NotFound, StoreError
from jiyi.history import digest
from jiyi.stores.checks import check_known
from jiyi.stores.held import (
    EPOCH,
    Cursor,
    Held,
    activate,
    add,
    counted,
    counts,
    drop_checkpoints,
    find_place,
    follows,
    in_session,
    instant,
    matches,
    placed,
    placed_checkpoint,
    put_checkpoint,
)
from jiyi.stores.held_derived import indexed, look, models_of, passed_over, throw_away
from jiyi.stores.held_erasure import erase, erase_session, everything_in
from jiyi.stores.held_found import listed, look_at_records
from jiyi.stores.held_records import seen, take_out, use
from jiyi.stores.held_steps import Steps
from jiyi.types import (
    ACTIVE,
    JSON,
    Changes,
    Checkpoint,
    Claim,
    Erased,
    Failure,
    Filter,
    Found,
    FoundRecords,
    Message,
    Probe,
    Progress,
    Record,
    RecordProbe,
    Scope,
    SessionInfo,
    Spent,
    Stats,
    Step,
    Usage,
    Which,
)


class MemoryStore:
    """``Store`` in the memory of this process, for one event loop; gone when it ends."""

    url = "memory:"
    adds_inline = False  # nothing here is safe against threads

    def __init__(self) -> None:
        self._scopes: dict[Scope, Held] = {}
        self._steps = Steps()
        self._closed = False

    @classmethod
    async def open(cls) -> MemoryStore:
        """An empty store."""
        return cls()

    def _all(self) -> dict[Scope, Held]:
        if self._closed:
            raise StoreError("the store in memory was closed; what it held is gone")
        return self._scopes

    def _read(self, scope: Scope) -> Held:
        return self._all().get(scope) or Held()

    def _make(self, scope: Scope) -> Held:
        """What the scope has, or what it will have when the caller puts it there."""
        held = self._all().get(scope)
        if held is None:
            held = Held(secrets.token_bytes(16), cursors=self._steps.cursors())
        return held

    def _chosen(self, scope: Scope | None) -> list[Held]:
        return list(self._all().values()) if scope is None else [self._read(scope)]

    # -- log

    async def append(
        self, scope: Scope, session_id: str, messages: Sequence[Message], *, after: str | None = "head"
    ) -> list[Message]:
        """See ``Store.append``."""
        held = self._make(scope)
        parent = find_place(held, session_id, after) if messages else None
        new: dict[str, Message] = {}
        for message in messages:
            stored = held.log.get(message.id) or new.get(message.id)
            fingerprint = message.digest or digest(held.salt, message)
            home = session_id if message.kind == "message" else ""
            if stored is None:
                seq = held.head + len(new) + 1
                stored = placed(
                    deepcopy(message).but(digest=fingerprint, session_id=home, seq=seq, active=True), parent
                )
                new[message.id] = stored
                parent = stored if home else parent
                continue
            check_known(stored, message, fingerprint, home)
            if after != "head" and follows(stored, parent, session_id):
                parent = stored
        if new:
            self._scopes[scope] = held
            inside = [message for message in new.values() if message.session_id]
            if after != "head" and inside and activate(held, session_id, inside[0].parent_id):
                self._steps.free(held)
            add(held, session_id, new)
        return [held.log[message.id] for message in messages]

    async def messages(
        self, scope: Scope, where: Filter = ACTIVE, *, limit: int | None = None, newest: bool = False
    ) -> list[Message]:
        """See ``Store.messages``; seq order is path order, because a message comes later than its parent."""
        found = [message for message in self._read(scope).log.values() if matches(message, where)]
        if limit is None:
            return found
        return found[max(0, len(found) - limit) :] if newest else found[:limit]

    async def seqs(self, scope: Scope, where: Filter) -> list[int]:
        """See ``Store.seqs``."""
        return [message.seq for message in self._read(scope).log.values() if matches(message, where)]

    async def sessions(self, scope: Scope, session_id: str | None = None) -> list[SessionInfo]:
        """See ``Store.sessions``."""
        held = self._read(scope)
        found = [counted(held, session) for name, session in held.sessions.items() if session_id in (None, name)]
        return sorted(found, key=lambda session: (-instant(session.updated_at), session.id))

    async def update_session(
        self,
        scope: Scope,
        session_id: str,
        *,
        at: datetime,
        title: str | None = None,
        metadata: Mapping[str, JSON] | None = None,
        head: str | None = None,
    ) -> SessionInfo:
        """See ``Store.update_session``."""
        held = self._read(scope)
        session = held.sessions.get(session_id)
        if session is None:
            raise NotFound(f"session {session_id!r} does not exist")
        if head is not None:
            end = in_session(held, session_id, head).id if head else None
            session = replace(session, head_id=end)
            if activate(held, session_id, end):
                self._steps.free(held)
        session = held.sessions[session_id] = replace(
            session,
            title=session.title if title is None else title,
            metadata=session.metadata if metadata is None else deepcopy(metadata),
            updated_at=at,
        )
        return counted(held, session)

    async def put_checkpoint(self, scope: Scope, checkpoint: Checkpoint, *, overwrite: bool = False) -> Checkpoint:
        """See ``Store.put_checkpoint``."""
        held = self._make(scope)
        put = put_checkpoint(held, checkpoint, overwrite=overwrite)
        self._scopes[scope] = held
        return put

    async def checkpoints(self, scope: Scope, session_id: str, name: str | None = None) -> list[Checkpoint]:
        """See ``Store.checkpoints``."""
        held = self._read(scope)
        found = [c for key, c in held.checkpoints.items() if key[0] == session_id and name in (None, key[1])]
        return [placed_checkpoint(held, c) for c in sorted(found, key=lambda c: (instant(c.created_at), c.name))]

    async def delete_checkpoints(self, scope: Scope, session_id: str, names: Sequence[str]) -> int:
        """See ``Store.delete_checkpoints``."""
        return drop_checkpoints(self._read(scope), session_id, set(names))

    async def scopes(self, tenant: str | None = None) -> list[Scope]:
        """See ``Store.scopes``."""
        found = [scope for scope, held in self._all().items() if held.anything and tenant in (None, scope.tenant)]
        return sorted(found, key=lambda scope: (scope.tenant, scope.user, scope.agent))

    async def salt(self, scope: Scope) -> bytes:
        """See ``Store.salt``."""
        held = self._scopes[scope] = self._make(scope)
        return held.salt

    # -- derived

    async def records(self, scope: Scope, **which: Unpack[Which]) -> list[Record]:
        """See ``Store.records``."""
        return seen(self._read(scope), which)

    async def find(self, scope: Scope, probe: Probe) -> Found:
        """See ``Store.find``; cosines are exact."""
        if scope not in self._all():
            return Found()
        held = self._read(scope)
        done = held.head if probe.step is None else (self._steps.of(held, probe.step) or Cursor()).after
        return look(held, probe, done)

    async def indexed(self, scope: Scope, step: Step) -> list[int]:
        """See ``Store.indexed``."""
        return indexed(self._read(scope), step)

    async def records_after(self, scope: Scope, seq: int, *, limit: int) -> list[Record]:
        """See ``Store.records_after``."""
        return listed(self._read(scope), seq, limit)

    async def find_records(self, scope: Scope, probe: RecordProbe) -> FoundRecords:
        """See ``Store.find_records``; cosines are exact."""
        return look_at_records(self._read(scope), probe)

    async def use(self, scope: Scope, record_ids: Sequence[str], *, at: datetime) -> None:
        """See ``Store.use``."""
        use(self._read(scope), record_ids, at)

    async def drop(self, scope: Scope, record_ids: Sequence[str]) -> None:
        """See ``Store.drop``."""
        gone = set(record_ids)
        take_out(self._read(scope), lambda record: record.id in gone)

    # -- derivation

    async def register(self, steps: Sequence[Step]) -> None:
        """See ``Store.register``."""
        self._steps.register(steps, self._all().values())

    async def claim(
        self, steps: Sequence[Step], *, now: datetime, lease: float, scope: Scope | None = None
    ) -> Claim | None:
        """See ``Store.claim``."""
        scopes = {owner: held for owner, held in self._all().items() if scope in (None, owner)}
        return self._steps.claim(steps, scopes, now, lease)

    async def commit(self, claim: Claim, changes: Changes, *, now: datetime) -> None:
        """See ``Store.commit``."""
        self._steps.commit(self._read(claim.scope), claim, changes, now)

    async def renew(self, claim: Claim, *, now: datetime, lease: float) -> bool:
        """See ``Store.renew``."""
        cursor = self._steps.claimed(self._read(claim.scope), claim)
        if cursor is not None:
            cursor.due = now - EPOCH + timedelta(seconds=lease)
        return cursor is not None

    async def release(self, claim: Claim, *, error: str | None, due: datetime) -> None:
        """See ``Store.release``."""
        self._steps.release(self._read(claim.scope), claim, error, due)

    async def progress(self, steps: Sequence[Step], scope: Scope | None = None) -> list[Progress]:
        """See ``Store.progress``."""
        chosen = self._chosen(scope)
        return [self._steps.progress(step, chosen) for step in steps]

    async def begun(self) -> list[Step]:
        """See ``Store.begun``."""
        return self._steps.begun(self._all().values())

    async def cursors(self, scope: Scope, steps: Sequence[Step]) -> dict[str, int]:
        """See ``Store.cursors``."""
        held = self._read(scope)
        return {step.name: (self._steps.of(held, step) or Cursor()).after for step in steps}

    async def failures(self, scope: Scope | None = None) -> list[Failure]:
        """See ``Store.failures``."""
        found = [f for owner, held in self._all().items() if scope in (None, owner) for f in passed_over(owner, held)]
        return [failure for _, failure in sorted(found, key=itemgetter(0))]

    async def retry(self, steps: Sequence[Step], scope: Scope | None = None) -> int:
        """See ``Store.retry``."""
        return sum(self._steps.retry(held, step) for held in self._chosen(scope) for step in steps)

    async def rebuild(self, steps: Sequence[Step], scope: Scope | None = None) -> None:
        """See ``Store.rebuild``."""
        for held in self._chosen(scope):
            for step in steps:
                if self._steps.of(held, step) is not None:
                    self._steps.rebuild(held, step.name)

    async def reset(self, steps: Sequence[Step], scope: Scope | None = None) -> None:
        """See ``Store.reset``."""
        for held in self._chosen(scope):
            for step in steps:
                throw_away(held, step)
                if step.name in held.cursors:
                    self._steps.restart(held, step.name)

    # -- upkeep

    async def forget(
        self,
        scope: Scope,
        *,
        session_id: str | None = None,
        message_ids: Sequence[str] | None = None,
        upto: int | None = None,
        everything: bool = False,
    ) -> Erased:
        """See ``Store.forget``."""
        if (session_id is not None) + (message_ids is not None) + everything != 1:
            raise InvalidInput("forget", "give exactly one of session_id, message_ids, everything=True")
        held = self._read(scope)
        if everything:
            self._scopes.pop(scope, None)
            return everything_in(held)
        if message_ids is not None:
            named = held.log.keys() & set(message_ids)
            erased = erase(held, {name for name in named if upto is None or held.log[name].seq <= upto})
        else:
            erased = erase_session(held, session_id or "")
        if erased.messages:
            self._steps.free(held)
        return erased

    async def stats(self, scope: Scope | None = None) -> Stats:
        """See ``Store.stats``."""
        return counts(self._chosen(scope))

    async def spend(self, scope: Scope, purpose: str, day: date, usage: Usage, *, saved: int = 0) -> None:
        """See ``Store.spend``."""
        spent = self._read(scope).spent
        before, kept = spent.get((day, purpose), (Usage(), 0))
        spent[day, purpose] = before + usage, kept + saved

    async def spent(self, scope: Scope | None = None, *, since: date | None = None) -> list[Spent]:
        """See ``Store.spent``."""
        found = [
            Spent(owner, day, purpose, usage, saved)
            for owner, held in self._all().items()
            if scope in (None, owner)
            for (day, purpose), (usage, saved) in held.spent.items()
            if since is None or day >= since
        ]
        return sorted(found, key=lambda s: (s.day, s.scope.tenant, s.scope.user, s.scope.agent, s.purpose))

    async def models(self, scope: Scope | None = None) -> dict[str, tuple[int, int]]:
        """See ``Store.models``."""
        return models_of(self._chosen(scope))

    async def backup(self, target: Path) -> None:
        """Not to be had.

        Raises:
            StoreError: always.
        """
        self._all()
        raise StoreError("a store in memory has no backup; export its messages, or open a file instead")

    async def close(self) -> None:
        """See ``Store.close``."""
        self._closed = True
        self._scopes.clear()
