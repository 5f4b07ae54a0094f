"""One connection that writes: jobs that gather while a transaction runs are committed together in the next one.

They run on a thread of their own; one that may wait where it is, and finds nobody writing, runs right there: changing
threads twice takes as long as the commit.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias, TypeVar

from jiyi.errors import StoreError
from jiyi.stores.database import wrap

T = TypeVar("T")
Work: TypeAlias = "Callable[[sqlite3.Connection], T]"
_Job: TypeAlias = "tuple[Work[Any], Future[Any], bool]"

_GROUP = 256  # jobs in one transaction, so that the first of them does not wait for ever


class Writer:
    """Runs jobs in order of arrival, in transactions that begin IMMEDIATE.

    A job's future gets its result after the commit.  Several jobs share a commit, each under its own savepoint: one
    that fails undoes itself alone.
    """

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db = db
        self._path = path
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._ahead: list[_Job | None] = []  # taken from the queue, but not part of this transaction
        self._lock = threading.Lock()  # no job is queued after the end mark
        self._turn = threading.Lock()  # whoever has it uses the connection
        self._waiting = 0  # jobs that were queued and are not done
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="jiyi-writer", daemon=True)
        self._thread.start()

    def submit(self, work: Work[T], *, transaction: bool = True) -> Future[T]:
        """Queues a job; without ``transaction`` it runs alone and makes its own."""
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise self._was_closed()
            self._waiting += 1  # first: an interrupt comes after a call, so both are done or neither
            self._jobs.put((work, future, transaction))
        return future

    def run(self, work: Work[T]) -> T:
        """Runs a job and waits for its commit: on this thread when nobody else writes, else together with the others.

        What interrupts it before the commit, Ctrl-C too, undoes it.
        """
        if not self._waiting and not self._turn.locked():
            with self._turn:
                if self._closed:
                    raise self._was_closed()
                try:
                    return self._transaction(work)
                except Exception as error:
                    ours = wrap(error, self._path)
                    if ours is error:
                        raise
                    raise ours from error
        future = self.submit(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Does what is queued, then ends the thread; the connection stays open."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._thread.join()
        with self._turn:  # whoever still writes on a thread of its own
            pass

    def _run(self) -> None:
        while (job := self._next()) is not None:
            with self._turn:
                group = self._gather(job)
                ready = [(work, future) for work, future, _ in group if future.set_running_or_notify_cancel()]
                if len(ready) == 1:
                    self._alone(*ready[0], transaction=group[0][2])
                elif ready:
                    self._together(ready)
            with self._lock:
                self._waiting -= len(group)
            del job, group, ready  # an idle thread holds on to nobody's messages

    def _next(self) -> _Job | None:
        return self._ahead.pop() if self._ahead else self._jobs.get()

    def _gather(self, first: _Job) -> list[_Job]:
        """The jobs of the next transaction: what has come in meanwhile."""
        group = [first]
        while first[2] and len(group) < _GROUP:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                break
            if job is None or not job[2]:
                self._ahead.append(job)
                break
            group.append(job)
        return group

    def _alone(self, work: Work[Any], future: Future[Any], *, transaction: bool) -> None:
        try:
            result = self._transaction(work) if transaction else work(self._db)
        except BaseException as error:
            self._rollback()
            self._fail(future, error)
        else:
            future.set_result(result)

    def _transaction(self, work: Work[T]) -> T:
        self._rollback()  # nothing, unless Ctrl-C came twice: into the work, and into the undoing of it
        try:
            self._db.execute("BEGIN IMMEDIATE")
            result = work(self._db)
            self._db.execute("COMMIT")
        except BaseException:
            self._rollback()
            raise
        return result

    def _together(self, jobs: list[tuple[Work[Any], Future[Any]]]) -> None:
        done: list[tuple[Future[Any], Any, BaseException | None]] = []
        try:
            self._rollback()
            self._db.execute("BEGIN IMMEDIATE")
        except BaseException as error:
            for _, future in jobs:
                self._fail(future, error)
            return
        try:
            for work, future in jobs:
                self._db.execute("SAVEPOINT job")
                try:
                    done.append((future, work(self._db), None))
                except BaseException as error:
                    if not self._db.in_transaction:  # a full disk undoes the whole transaction
                        raise
                    self._db.execute("ROLLBACK TO job")
                    done.append((future, None, error))
                self._db.execute("RELEASE job")
            self._db.execute("COMMIT")
        except BaseException:
            self._rollback()
            for work, future in jobs:  # so that each gets its own answer
                self._alone(work, future, transaction=True)
            return
        for future, result, error in done:
            if error is None:
                future.set_result(result)
            else:
                self._fail(future, error)

    def _rollback(self) -> None:
        if self._db.in_transaction:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")

    def _was_closed(self) -> StoreError:
        return StoreError(f"{self._path} was closed; open it again")

    def _fail(self, future: Future[Any], error: BaseException) -> None:
        ours = wrap(error, self._path) if isinstance(error, Exception) else error
        if ours is not error:
            ours.__cause__ = error
        future.set_exception(ours)
