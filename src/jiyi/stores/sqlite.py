"""The SQLite store: one file, the standard library's driver, no extension.

This class only says what reads and what writes; ``connections`` runs it.  What is done stands in plain functions
beside it:
``log``, ``checkpoints``, ``records``, ``finding`` with ``wording``, ``postings``, ``segments`` and ``scan``,
``record_finding`` with ``record_words``, ``cursors``, ``erasure``, ``spending``.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TypeVar, Unpack

from jiyi.errors import InvalidInput
from jiyi.stores import (
    checkpoints,
    cursors,
    database,
    erasure,
    filters,
    finding,
    log,
    record_finding,
    records,
    spending,
)
from jiyi.stores.connections import Connections
from jiyi.stores.kept import Keeper
from jiyi.stores.scan import Scanner
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

T = TypeVar("T")

_TRIES, _PAUSE = 40, 0.03  # an erasure waits about two seconds for readers to let go of the write-ahead log


class SqliteStore(Connections):
    """``Store`` in an SQLite file; several processes may open the same one.

    Attributes:
        adds_inline: see ``jiyi.ports.Store``.
        url: ``sqlite:///`` and the absolute path, so four slashes where paths begin with one: ``sqlite:////tmp/x.db``.
            It can be opened again from any directory.
    """

    adds_inline = True

    def __init__(self, path: Path, db: sqlite3.Connection, timeout: float, cache_bytes: int) -> None:
        super().__init__(path, db, timeout)
        self.url = f"sqlite:///{path}"
        self._keeper = Keeper(cache_bytes // 4)
        self._scanner = Scanner(cache_bytes - cache_bytes // 4)

    @classmethod
    async def open(
        cls,
        path: str | Path,
        *,
        timeout: float = 30.0,  # noqa: ASYNC109 - the driver waits, not asyncio
        cache_bytes: int = 256 * 1024 * 1024,
    ) -> SqliteStore:
        """Opens or makes a database.

        Args:
            path: the file; its directory must exist.
            timeout: seconds to wait for another program's lock.
            cache_bytes: memory for what was read: three quarters for vectors, the rest for messages and posting lists;
                what does not fit is read for each query.

        Raises:
            StoreCorrupt: the file is not a database, or not one of ours.
            StoreTooNew: a newer version made it.
            StoreBusy: another program holds it.
            StoreError: it cannot be read or written.
        """

        def make() -> SqliteStore:
            file = Path(path).absolute()
            db = database.prepare(file, timeout)
            with database.wrapped(file):
                return cls(file, db, timeout, cache_bytes)

        return await asyncio.to_thread(make)

    @staticmethod
    async def restore(backup: Path, path: Path, *, timeout: float = 30.0) -> None:  # noqa: ASYNC109
        """Puts a backup in the place of a database that nobody has open; see ``database.restore``."""
        await asyncio.to_thread(database.restore, backup, path, timeout)

    @staticmethod
    async def copy(path: Path, target: Path, *, timeout: float = 30.0) -> None:  # noqa: ASYNC109
        """Copies a database without writing to it; see ``database.copy``."""
        await asyncio.to_thread(database.copy, path, target, timeout)

    async def _in_scope(self, scope: Scope, nothing: T, work: Callable[[sqlite3.Connection, int], T]) -> T:
        def run(db: sqlite3.Connection) -> T:
            key = log.scope_key(db, scope)
            return nothing if key is None else work(db, key)

        return await self._read(run)

    # -- log

    async def append(
        self, scope: Scope, session_id: str, messages: Sequence[Message], *, after: str | None = "head"
    ) -> list[Message]:
        """See ``Store.append``."""
        return await self._write(lambda db: log.append(db, scope, session_id, messages, after))

    async def messages(
        self, scope: Scope, where: Filter = ACTIVE, *, limit: int | None = None, newest: bool = False
    ) -> list[Message]:
        """See ``Store.messages``."""
        return await self._read(lambda db: filters.messages(db, scope, where, limit, newest))

    async def seqs(self, scope: Scope, where: Filter) -> list[int]:
        """See ``Store.seqs``."""
        return await self._in_scope(scope, [], lambda db, key: filters.seqs(db, key, where))

    async def sessions(self, scope: Scope, session_id: str | None = None) -> list[SessionInfo]:
        """See ``Store.sessions``."""
        return await self._read(lambda db: log.sessions(db, scope, session_id))

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
        return await self._write(
            lambda db: log.update_session(db, scope, session_id, at, title=title, metadata=metadata, head=head)
        )

    async def put_checkpoint(self, scope: Scope, checkpoint: Checkpoint, *, overwrite: bool = False) -> Checkpoint:
        """See ``Store.put_checkpoint``."""
        return await self._write(lambda db: checkpoints.put(db, scope, checkpoint, overwrite=overwrite))

    async def checkpoints(self, scope: Scope, session_id: str, name: str | None = None) -> list[Checkpoint]:
        """See ``Store.checkpoints``."""
        return await self._in_scope(scope, [], lambda db, key: checkpoints.find(db, key, session_id, name))

    async def delete_checkpoints(self, scope: Scope, session_id: str, names: Sequence[str]) -> int:
        """See ``Store.delete_checkpoints``."""
        return await self._write(lambda db: checkpoints.delete(db, scope, session_id, names))

    async def scopes(self, tenant: str | None = None) -> list[Scope]:
        """See ``Store.scopes``."""
        return await self._read(lambda db: log.scopes(db, tenant))

    async def salt(self, scope: Scope) -> bytes:
        """See ``Store.salt``.

        Asked before every message, so it is read where we are: microseconds, where another thread would take ten times
        as long.  Not remembered: another process may have erased the user.
        """
        self._check()
        with self._reading() as db:
            found = log.salt(db, scope)
        return found if found is not None else await self._write(lambda db: log.make_salt(db, scope))

    # -- derived

    async def records(self, scope: Scope, **which: Unpack[Which]) -> list[Record]:
        """See ``Store.records``."""
        return await self._read(lambda db: records.records(db, scope, which))

    async def use(self, scope: Scope, record_ids: Sequence[str], *, at: datetime) -> None:
        """See ``Store.use``."""
        await self._write(lambda db: records.use(db, scope, record_ids, at))

    async def drop(self, scope: Scope, record_ids: Sequence[str]) -> None:
        """See ``Store.drop``."""
        await self._write(lambda db: records.expire(db, scope, record_ids))

    async def find(self, scope: Scope, probe: Probe) -> Found:
        """See ``Store.find``."""
        erasures = self._keeper.erasures
        return await self._read(lambda db: finding.find(db, scope, probe, self._keeper, self._scanner, erasures))

    async def indexed(self, scope: Scope, step: Step) -> list[int]:
        """See ``Store.indexed``."""
        return await self._read(lambda db: finding.indexed(db, scope, step))

    async def records_after(self, scope: Scope, seq: int, *, limit: int) -> list[Record]:
        """See ``Store.records_after``."""
        return await self._read(lambda db: records.after(db, scope, seq, limit))

    async def find_records(self, scope: Scope, probe: RecordProbe) -> FoundRecords:
        """See ``Store.find_records``."""
        keeper, scanner, erasures = self._keeper, self._scanner, self._keeper.erasures
        return await self._read(lambda db: record_finding.find_records(db, scope, probe, keeper, scanner, erasures))

    # -- derivation

    async def register(self, steps: Sequence[Step]) -> None:
        """See ``Store.register``."""
        if not await self._read(lambda db: cursors.registered(db, steps)):
            await self._write(lambda db: cursors.register(db, steps))

    async def claim(
        self, steps: Sequence[Step], *, now: datetime, lease: float, scope: Scope | None = None
    ) -> Claim | None:
        """See ``Store.claim``; when nothing is due, the write lock is not taken."""
        if await self._read(lambda db: cursors.due(db, steps, now, scope)) is None:
            return None
        return await self._write(lambda db: cursors.claim(db, steps, now, lease, scope))

    async def commit(self, claim: Claim, changes: Changes, *, now: datetime) -> None:
        """See ``Store.commit``."""
        await self._write(lambda db: cursors.commit(db, claim, changes, now))

    async def renew(self, claim: Claim, *, now: datetime, lease: float) -> bool:
        """See ``Store.renew``."""
        return await self._write(lambda db: cursors.renew(db, claim, now, lease))

    async def release(self, claim: Claim, *, error: str | None, due: datetime) -> None:
        """See ``Store.release``."""
        await self._write(lambda db: cursors.release(db, claim, error, due))

    async def progress(self, steps: Sequence[Step], scope: Scope | None = None) -> list[Progress]:
        """See ``Store.progress``."""
        return await self._read(lambda db: cursors.progress(db, steps, scope))

    async def begun(self) -> list[Step]:
        """See ``Store.begun``."""
        return await self._read(cursors.begun)

    async def cursors(self, scope: Scope, steps: Sequence[Step]) -> dict[str, int]:
        """See ``Store.cursors``."""
        return await self._read(lambda db: cursors.cursors(db, scope, steps))

    async def failures(self, scope: Scope | None = None) -> list[Failure]:
        """See ``Store.failures``."""
        return await self._read(lambda db: cursors.failures(db, scope))

    async def retry(self, steps: Sequence[Step], scope: Scope | None = None) -> int:
        """See ``Store.retry``."""
        return await self._write(lambda db: cursors.retry(db, steps, scope))

    async def rebuild(self, steps: Sequence[Step], scope: Scope | None = None) -> None:
        """See ``Store.rebuild``."""
        await self._write(lambda db: cursors.rebuild(db, steps, scope))

    async def reset(self, steps: Sequence[Step], scope: Scope | None = None) -> None:
        """See ``Store.reset``."""
        await self._write(lambda db: cursors.reset(db, steps, scope))
        self._forget_copies()

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
        """See ``Store.forget``.

        When another connection reads an older state for longer than a moment, the erased bytes stay in the ``-wal``
        file until it is done; a warning is logged, and the next erasure or ``close`` takes them away.
        """
        if (session_id is not None) + (message_ids is not None) + everything != 1:
            raise InvalidInput("forget", "give exactly one of session_id, message_ids, everything=True")
        erased = await self._write(lambda db: erasure.forget(db, scope, session_id, message_ids, upto))
        self._forget_copies()
        if everything or erased != Erased():  # of a user there may be more than what is counted
            await self._wipe()
        return erased

    def _forget_copies(self) -> None:
        self._keeper.clear()
        self._scanner.clear()

    async def _wipe(self) -> None:
        """Takes what was erased out of the bytes of the files, in steps between which others may write."""
        more = await self._write(lambda db: database.merge_postings(db, first=True), transaction=False)
        while more:
            more = await self._write(lambda db: database.merge_postings(db, first=False), transaction=False)
        for _ in range(_TRIES):
            if await self._write(database.truncate_log, transaction=False):
                return
            await asyncio.sleep(_PAUSE)
        database.warn_log_held(self._path)

    async def stats(self, scope: Scope | None = None) -> Stats:
        """See ``Store.stats``."""
        names = (self._path, self._path.with_name(self._path.name + "-wal"))
        size = sum(name.stat().st_size for name in names if name.exists())
        return await self._read(lambda db: erasure.stats(db, scope, size))

    async def spend(self, scope: Scope, purpose: str, day: date, usage: Usage, *, saved: int = 0) -> None:
        """See ``Store.spend``."""
        await self._write(lambda db: spending.spend(db, Spent(scope, day, purpose, usage, saved)))

    async def spent(self, scope: Scope | None = None, *, since: date | None = None) -> list[Spent]:
        """See ``Store.spent``."""
        return await self._read(lambda db: spending.spent(db, scope, since))

    async def models(self, scope: Scope | None = None) -> dict[str, tuple[int, int]]:
        """See ``Store.models``."""
        return await self._read(lambda db: erasure.models(db, scope))

    async def backup(self, target: Path) -> None:
        """See ``Store.backup``."""
        self._check()
        await asyncio.to_thread(database.backup, self._path, target, self._timeout)

    async def close(self) -> None:
        """See ``Store.close``."""
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        super()._shut()
        self._forget_copies()
