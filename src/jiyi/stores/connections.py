"""Where things run on one SQLite file: what reads, on a few threads, each look with a connection to itself; what
writes, on one thread that commits together what has gathered.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from jiyi import inline
from jiyi.errors import StoreError
from jiyi.stores import database
from jiyi.stores.writer import Work, Writer

T = TypeVar("T")

_READERS = 4


class Connections:
    """Reads and writes one file.

    Args:
        path: the file.
        db: the connection that writes.
        timeout: seconds to wait for another program's lock.
    """

    def __init__(self, path: Path, db: sqlite3.Connection, timeout: float) -> None:
        self._path = path
        self._timeout = timeout
        self._db = db
        self._writer = Writer(db, path)
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="jiyi-reader")
        self._open = list[sqlite3.Connection]()  # for reading
        self._idle = list[sqlite3.Connection]()  # those that nobody uses, the last used at the end
        self._closed = False
        self._process = os.getpid()

    async def _read(self, work: Work[T]) -> T:
        """Runs ``work`` in a read transaction on a reader thread: everything it sees is of one moment."""
        self._check()
        if inline.here():
            return self._read_now(work)
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read_now, work)

    def _read_now(self, work: Work[T]) -> T:
        with self._reading() as db:
            db.execute("BEGIN")
            try:
                return work(db)
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection]:
        """A connection for this thread alone: the one used last, which has the most of the file in its memory."""
        with database.wrapped(self._path):
            try:
                db = self._idle.pop()
            except IndexError:
                db = database.connect(self._path, self._timeout)
                self._open.append(db)
            try:
                yield db
            finally:
                self._idle.append(db)

    async def _write(self, work: Work[T], *, transaction: bool = True) -> T:
        """Runs ``work`` on the writer thread, or on this one where that may wait; returns after the commit."""
        self._check()
        if inline.here() and transaction:
            return self._writer.run(work)
        future: Future[T] = self._writer.submit(work, transaction=transaction)
        return await asyncio.wrap_future(future)

    def _check(self) -> None:
        if self._closed:
            raise StoreError(f"{self._path} was closed; open it again")
        if os.getpid() != self._process:  # SQLite's locks do not pass to a forked child
            raise StoreError(f"{self._path} was opened before this process was forked; open it again in this process")

    def _shut(self) -> None:
        self._writer.close()
        self._readers.shutdown(wait=True)
        for db in (*self._open, self._db):  # the last one takes the write-ahead log with it
            db.close()
