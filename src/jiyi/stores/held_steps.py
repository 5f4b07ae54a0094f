"""The steps of the reference store: who may work on what, and how far each is in each scope."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import count

from jiyi.errors import Conflict
from jiyi.indexable import follows_records, is_index
from jiyi.stores.gaps import joined, stretch_of
from jiyi.stores.held import EPOCH, LONG_AGO, Cursor, Held, message_seqs, record_seqs
from jiyi.stores.held_derived import advance
from jiyi.stores.held_records import drop_fresh
from jiyi.types import Changes, Claim, Progress, Scope, Step


class Steps:
    """The steps that are registered, and the leases on them."""

    def __init__(self) -> None:
        self._known: dict[str, Step] = {}  # by name
        self._tokens = count(1)  # of the whole store, so that none comes again when a scope does

    def cursors(self) -> dict[str, Cursor]:
        """Those of a new scope."""
        return {name: self._new(step) for name, step in self._known.items()}

    def _new(self, step: Step) -> Cursor:
        return Cursor(stride=step.stride, follows_records=follows_records(step.name))

    def of(self, held: Held, step: Step) -> Cursor | None:
        """The step's cursor; None when it is not registered in this version."""
        return held.cursors.get(step.name) if self._known.get(step.name) == step else None

    def begun(self, scopes: Iterable[Held]) -> list[Step]:
        """``Store.begun``."""
        names = {name for held in scopes for name, cursor in held.cursors.items() if cursor.after > 0}
        return [step for name, step in sorted(self._known.items()) if name in names]

    def register(self, steps: Sequence[Step], scopes: Iterable[Held]) -> None:
        """``Store.register``."""
        for step in steps:
            if self._known.get(step.name) != step:
                self._known[step.name] = step
                for held in scopes:
                    self.rebuild(held, step.name)

    def rebuild(self, held: Held, step: str) -> None:
        """Derives anew; what is there stays visible until the cursor is where it was."""
        old = held.cursors.get(step)
        self.restart(held, step)
        drop_fresh(held, step)
        if old is not None:
            held.cursors[step].goal = old.after if old.goal is None else old.goal

    def restart(self, held: Held, step: str) -> None:
        """Puts the cursor to 0."""
        cursor = held.cursors[step] = self._new(self._known[step])
        self._free(held, cursor)

    def free(self, held: Held) -> None:
        """Whoever derives records begins again: they may rest on what was erased, or on what left the active path."""
        for name, cursor in held.cursors.items():
            if not is_index(name):
                self._free(held, cursor)

    def _free(self, held: Held, cursor: Cursor) -> None:
        """Takes the claim on a cursor away; what there is to do may be taken at once."""
        cursor.token = next(self._tokens)
        cursor.due = LONG_AGO if cursor.waits(held.reach(cursor)) else None

    # -- leases

    def claim(self, steps: Sequence[Step], scopes: Mapping[Scope, Held], now: datetime, lease: float) -> Claim | None:
        """``Store.claim``."""
        ready = [
            (cursor.due, owner, held, step, cursor)
            for step in steps
            for owner, held in scopes.items()
            if (cursor := self.of(held, step)) is not None and cursor.due is not None and cursor.due <= now - EPOCH
        ]
        if not ready:
            return None
        _, owner, held, step, cursor = min(ready, key=lambda found: found[0])  # the first of equals
        cursor.token, cursor.due = next(self._tokens), now - EPOCH + timedelta(seconds=lease)
        after, upto = cursor.gaps[0] if cursor.gaps else (cursor.after, None)
        return Claim(owner, step, after, held.reach(cursor), cursor.token, cursor.attempts, upto)

    def claimed(self, held: Held, claim: Claim) -> Cursor | None:
        """The cursor that the claim is for, None when its token is not the newest."""
        cursor = self.of(held, claim.step)
        return None if cursor is None or cursor.token != claim.token else cursor

    def commit(self, held: Held, claim: Claim, changes: Changes, now: datetime) -> None:
        """``Store.commit``."""
        cursor = self.claimed(held, claim)
        if cursor is None:
            raise Conflict(f"the lease on {claim.step.name} of user {claim.scope.user!r} was lost; nothing was written")
        stale = advance(held, cursor, claim, changes, now)
        cursor.token = next(self._tokens)
        for name in stale & held.cursors.keys():
            self._free(held, held.cursors[name])

    def release(self, held: Held, claim: Claim, error: str | None, due: datetime) -> None:
        """``Store.release``."""
        cursor = self.claimed(held, claim)
        if cursor is not None:
            cursor.token, cursor.due = next(self._tokens), due - EPOCH if cursor.waits(held.reach(cursor)) else None
            if error is not None:
                cursor.attempts, cursor.error = cursor.attempts + 1, error

    # -- how far

    def progress(self, step: Step, chosen: Sequence[Held]) -> Progress:
        """``Store.progress`` of one step."""
        pairs = [(held, cursor) for held in chosen if (cursor := self.of(held, step)) is not None]
        seqs = record_seqs if follows_records(step.name) else message_seqs
        total = sum(len(seqs(held)) for held in chosen)
        done = sum(not cursor.is_open(seq, held.reach(cursor)) for held, cursor in pairs for seq in seqs(held))
        errors = tuple(cursor.error for _, cursor in pairs if cursor.error is not None)
        return Progress(step, done, total, errors, sum(len(cursor.failed) for _, cursor in pairs))

    def retry(self, held: Held, step: Step) -> int:
        """``Store.retry`` of one step in one scope."""
        cursor = self.of(held, step)
        if cursor is None or not cursor.failed:
            return 0
        count = len(cursor.failed)
        cursor.gaps = joined([*cursor.gaps, *(stretch_of(seq, cursor.stride) for seq in cursor.failed)], cursor.after)
        cursor.failed = {}
        self._free(held, cursor)
        return count
