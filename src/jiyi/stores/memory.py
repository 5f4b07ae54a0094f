"""The reference store: plain Python in memory, simple enough to be seen to be right.

No method waits for anything, so each runs whole before the next begins; and each checks everything before it changes
anything.  What it returns is what it keeps: values are frozen, and their mappings are not to be written to.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import Unpack

from jiyi.errors import Conflict, InvalidInput, NotFound, StoreError
from jiyi.history import digest
from jiyi.indexable import is_index
from jiyi.stores.checks import check_known
from jiyi.stores.gaps import joined, stretch_of
from jiyi.stores.held import (
    EPOCH,
    LONG_AGO,
    Cursor,
    Held,
    activate,
    add,
    counted,
    counts,
    drop_checkpoints,
    erase,
    erase_session,
    everything_in,
    find_place,
    follows,
    in_session,
    instant,
    matches,
    placed,
    placed_checkpoint,
    put_checkpoint,
)
from jiyi.stores.held_derived import (
    advance,
    drop_fresh,
    look,
    models_of,
    passed_over,
    seen,
    throw_away,
)
from jiyi.stores.held_found import look_at_records
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
    Stats,
    Step,
    Which,
)


class MemoryStore:
    """``Store`` in the memory of this process, for one event loop; gone when it ends."""

    url = "memory:"
    adds_inline = False  # nothing here is safe against threads

    def __init__(self) -> None:
        self._scopes: dict[Scope, Held] = {}
        self._steps: dict[str, Step] = {}  # by name
        self._tokens = count(1)  # of the whole store, so that none comes again when a scope does
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
            cursors = {name: Cursor(stride=step.stride) for name, step in self._steps.items()}
            held = Held(secrets.token_bytes(16), cursors=cursors)
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
            home = "" if message.kind == "statement" else session_id
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
            add(held, session_id, new, at_end=after == "head")
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
            activate(held, session_id, end)
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
        done = held.head if probe.step is None else (self._cursor(held, probe.step) or Cursor()).after
        return look(held, probe, done)

    async def find_records(self, scope: Scope, probe: RecordProbe) -> FoundRecords:
        """See ``Store.find_records``; cosines are exact."""
        return look_at_records(self._read(scope), probe)

    # -- derivation

    async def register(self, steps: Sequence[Step]) -> None:
        """See ``Store.register``."""
        for step in steps:
            if self._steps.get(step.name) != step:
                self._steps[step.name] = step
                for held in self._all().values():
                    self._rebuild(held, step.name)

    def _rebuild(self, held: Held, step: str) -> None:
        """Derives anew; what is there stays visible until the cursor is where it was."""
        old = held.cursors.get(step)
        self._restart(held, step)
        drop_fresh(held, step)
        if old is not None:
            held.cursors[step].goal = old.after if old.goal is None else old.goal

    def _restart(self, held: Held, step: str) -> None:
        cursor = held.cursors[step] = Cursor(stride=self._steps[step].stride)
        self._free(held, cursor)

    def _free(self, held: Held, cursor: Cursor) -> None:
        """Takes the claim on a cursor away; what there is to do may be taken at once."""
        cursor.token = next(self._tokens)
        cursor.due = LONG_AGO if cursor.waits(held.head) else None

    def _cursor(self, held: Held, step: Step) -> Cursor | None:
        return held.cursors.get(step.name) if self._steps.get(step.name) == step else None

    async def claim(
        self, steps: Sequence[Step], *, now: datetime, lease: float, scope: Scope | None = None
    ) -> Claim | None:
        """See ``Store.claim``."""
        ready = [
            (cursor.due, owner, held, step, cursor)
            for step in steps
            for owner, held in self._all().items()
            if scope in (None, owner)
            and (cursor := self._cursor(held, step)) is not None
            and cursor.due is not None
            and cursor.due <= now - EPOCH
        ]
        if not ready:
            return None
        _, owner, held, step, cursor = min(ready, key=lambda found: found[0])  # the first of equals
        cursor.token, cursor.due = next(self._tokens), now - EPOCH + timedelta(seconds=lease)
        after, upto = cursor.gaps[0] if cursor.gaps else (cursor.after, None)
        return Claim(owner, step, after, held.head, cursor.token, cursor.attempts, upto)

    def _claimed(self, claim: Claim) -> tuple[Held, Cursor] | None:
        """What the claim is for, None when its token is not the newest."""
        held = self._read(claim.scope)
        cursor = self._cursor(held, claim.step)
        return None if cursor is None or cursor.token != claim.token else (held, cursor)

    async def commit(self, claim: Claim, changes: Changes, *, now: datetime) -> None:
        """See ``Store.commit``."""
        found = self._claimed(claim)
        if found is None:
            raise Conflict(f"the lease on {claim.step.name} of user {claim.scope.user!r} was lost; nothing was written")
        held, cursor = found
        advance(held, cursor, claim, changes, now)
        cursor.token = next(self._tokens)

    async def renew(self, claim: Claim, *, now: datetime, lease: float) -> bool:
        """See ``Store.renew``."""
        found = self._claimed(claim)
        if found is not None:
            found[1].due = now - EPOCH + timedelta(seconds=lease)
        return found is not None

    async def release(self, claim: Claim, *, error: str | None, due: datetime) -> None:
        """See ``Store.release``."""
        found = self._claimed(claim)
        if found is not None:
            cursor = found[1]
            cursor.token, cursor.due = next(self._tokens), due - EPOCH if cursor.waits(found[0].head) else None
            if error is not None:
                cursor.attempts, cursor.error = cursor.attempts + 1, error

    async def progress(self, steps: Sequence[Step], scope: Scope | None = None) -> list[Progress]:
        """See ``Store.progress``."""
        chosen, progress = self._chosen(scope), list[Progress]()
        total = sum(len(held.log) for held in chosen)
        for step in steps:
            pairs = [(held, cursor) for held in chosen if (cursor := self._cursor(held, step)) is not None]
            done = sum(not cursor.is_open(m.seq, held.head) for held, cursor in pairs for m in held.log.values())
            errors = tuple(cursor.error for _, cursor in pairs if cursor.error is not None)
            failed = sum(len(cursor.failed) for _, cursor in pairs)
            progress.append(Progress(step, done, total, errors, failed))
        return progress

    async def cursors(self, scope: Scope, steps: Sequence[Step]) -> dict[str, int]:
        """See ``Store.cursors``."""
        held = self._read(scope)
        return {step.name: (self._cursor(held, step) or Cursor()).after for step in steps}

    async def failures(self, scope: Scope | None = None) -> list[Failure]:
        """See ``Store.failures``."""
        found = [f for owner, held in self._all().items() if scope in (None, owner) for f in passed_over(owner, held)]
        return [failure for _, failure in sorted(found, key=itemgetter(0))]

    async def retry(self, steps: Sequence[Step], scope: Scope | None = None) -> int:
        """See ``Store.retry``."""
        count = 0
        for held in self._chosen(scope):
            for step in steps:
                cursor = self._cursor(held, step)
                if cursor is not None and cursor.failed:
                    again = [stretch_of(seq, cursor.stride) for seq in cursor.failed]
                    cursor.gaps = joined([*cursor.gaps, *again], cursor.after)
                    count += len(cursor.failed)
                    cursor.failed = {}
                    self._free(held, cursor)
        return count

    async def rebuild(self, steps: Sequence[Step], scope: Scope | None = None) -> None:
        """See ``Store.rebuild``."""
        for held in self._chosen(scope):
            for step in steps:
                if self._cursor(held, step) is not None:
                    self._rebuild(held, step.name)

    async def reset(self, steps: Sequence[Step], scope: Scope | None = None) -> None:
        """See ``Store.reset``."""
        for held in self._chosen(scope):
            for step in steps:
                throw_away(held, step)
                if step.name in held.cursors:
                    self._restart(held, step.name)

    # -- upkeep

    async def forget(
        self,
        scope: Scope,
        *,
        session_id: str | None = None,
        message_ids: Sequence[str] | None = None,
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
            erased = erase(held, held.log.keys() & set(message_ids))
        else:
            erased = erase_session(held, session_id or "")
        if erased.messages:
            for name, cursor in held.cursors.items():
                if not is_index(name):
                    self._free(held, cursor)
        return erased

    async def stats(self, scope: Scope | None = None) -> Stats:
        """See ``Store.stats``."""
        return counts(self._chosen(scope))

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
