"""Brings what is derived up to the log: cursor, derive, commit; in the background of the process that opened it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from datetime import timedelta

from jiyi.errors import Conflict, ModelRejected
from jiyi.ports import Batch, Caching, Clock, Deriver, Store
from jiyi.refusals import Refused
from jiyi.types import Changes, Claim, Filter, Progress, Step

log = logging.getLogger("jiyi.worker")

LEASE = 20.0
"""Seconds a claim holds unless it is renewed; a worker that was killed is replaced after that."""

RENEWED = 6.0
"""Seconds between renewals while a batch is derived, however long that takes."""

MAX_WAIT = 600.0
"""Longest pause between two tries of a failing batch, in seconds."""

WHOLE_TRIES = 3
"""After that many failures the batch is halved at each further try, down to the message that breaks it."""

ALONE_TRIES = 2
"""A message that fails alone is tried so often again before it is passed over."""

OUTAGES = (OSError, TimeoutError, ImportError, ModelRejected)
"""Errors that say nothing of the message: the network, the disk, a missing package, a key that is no longer valid.
They never pass a message over.  ``Refused`` does: that is about the request.
"""

LINGER = 0.2
"""Seconds between a message and the work on it: what is said together is derived together, and the writer stays free
for those who speak.  A search looks at what is not indexed yet by itself."""

IDLE = 30.0
"""Seconds after which an idle worker looks at the store by itself."""

POLL = 0.05
"""Seconds between looks at the store while another process holds the last leases."""


class Worker:
    """Runs derivers over a store's log.

    Derivers are served in the order given: an index that makes messages findable comes before a slow one.
    """

    def __init__(self, store: Store, derivers: Sequence[Deriver], clock: Clock) -> None:
        self._store = store
        self._derivers = {deriver.step: deriver for deriver in derivers}
        self._clock = clock
        self._wake = asyncio.Event()
        self._grown = False  # the log has, and nobody has looked
        self._asleep: asyncio.AbstractEventLoop | None = None  # the loop that must be told
        self._task: asyncio.Task[None] | None = None
        self._halt = asyncio.Event()
        self._deriving: set[asyncio.Future[Changes]] = set()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps it serves."""
        return tuple(self._derivers)

    async def add(self, deriver: Deriver) -> None:
        """Serves one more deriver from now on."""
        self._derivers[deriver.step] = deriver
        await self._store.register([deriver.step])

    def clear(self) -> None:
        """See ``Caching.clear``; of all derivers."""
        for deriver in self._derivers.values():
            if isinstance(deriver, Caching):
                deriver.clear()

    async def start(self) -> None:
        """Registers the steps and goes to work in the background."""
        await self._store.register(self.steps)
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="jiyi-worker")
            self.wake()

    def wake(self) -> None:
        """Says that the log has grown; from any thread.  A worker that is at work looks by itself when it is done."""
        self._grown = True
        if (loop := self._asleep) is not None:
            self._asleep = None
            with contextlib.suppress(RuntimeError):  # the loop has ended, and the worker with it
                loop.call_soon_threadsafe(self._wake.set)

    async def stop(self) -> None:
        """Ends the background work between two commits; what is left is done at the next start."""
        task, self._task = self._task, None
        if task is None:
            return
        self._halt.set()
        self.wake()
        for deriving in self._deriving:
            deriving.cancel()
        await asyncio.gather(task, return_exceptions=True)
        self._halt.clear()

    async def drain(self, report: Callable[[list[Progress]], None] | None = None) -> None:
        """Works until every step is at the head of the log, or only failing batches are left.

        Args:
            report: called with the progress after each batch.
        """
        while True:
            worked = await self.work()
            progress = await self._store.progress(self.steps)
            if report is not None:
                report(progress)
            if worked:
                continue
            if all(step.done >= step.total or step.errors for step in progress):
                return
            await asyncio.sleep(POLL)

    async def work(self) -> bool:
        """Derives one batch of the first step that has any waiting; False when there is none."""
        for step, deriver in self._derivers.items():
            claim = await self._claim(step)
            if claim is not None:
                await self._derive(claim, deriver)
                return True
        return False

    async def _claim(self, step: Step) -> Claim | None:
        """Takes a lease; one that is taken while we are cancelled is given back, or the next worker would wait."""
        taking = asyncio.ensure_future(self._store.claim([step], now=self._clock.now(), lease=LEASE))
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            if (claim := await taking) is not None:
                await self._store.release(claim, error=None, due=self._clock.now())
            raise

    async def _run(self) -> None:
        while not self._halt.is_set():
            self._grown = False
            try:
                while not self._halt.is_set() and await self.work():
                    pass
            except Exception as error:  # the next message, or the next minute, brings another try
                if _is_exit(error):
                    return
                log.exception("background work paused; the log is complete, what is derived catches up later")
            await self._sleep()
            await _within(LINGER, self._halt)

    async def _sleep(self) -> None:
        """Until the log has grown; not for ever: another process may have written, a failed batch may be due."""
        self._wake.clear()
        self._asleep = asyncio.get_running_loop()
        if not self._grown:  # asked after saying so: whoever comes in between calls
            await _within(IDLE, self._wake)
        self._asleep = None

    async def _derive(self, claim: Claim, deriver: Deriver) -> None:
        halved = max(0, claim.attempts - WHOLE_TRIES + 1)
        size = max(1, deriver.batch_size >> halved)
        try:
            changes = await self._changes(claim, deriver, size)
            await asyncio.shield(self._store.commit(claim, changes, now=self._clock.now()))
        except asyncio.CancelledError:
            await self._store.release(claim, error=None, due=self._clock.now())
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise  # and otherwise only the derivation was ended, by ``stop``
        except Conflict:
            log.info("%s: another worker took over %s", claim.step.name, claim.scope)
        except Exception as error:  # whatever a deriver does, the log and the chat go on
            if _is_exit(error):
                await self._store.release(claim, error=None, due=self._clock.now())
                raise
            alone = claim.attempts >= WHOLE_TRIES + deriver.batch_size.bit_length() + ALONE_TRIES
            outage = isinstance(error, OUTAGES) and not isinstance(error, Refused)
            await self._failed(claim, error, give_up=alone and not outage)

    async def _changes(self, claim: Claim, deriver: Deriver, size: int) -> Changes:
        messages = await self._store.messages(claim.scope, Filter(after_seq=claim.after, active=None), limit=size)
        last = messages[-1].seq if messages else claim.after
        cursor = last if len(messages) == size else max(claim.head, last)
        deriving = asyncio.ensure_future(deriver.derive(Batch(claim.scope, tuple(messages), cursor)))
        self._deriving.add(deriving)
        holding = asyncio.ensure_future(self._hold(claim))
        try:
            return await deriving
        finally:
            self._deriving.discard(deriving)
            holding.cancel()

    async def _hold(self, claim: Claim) -> None:
        """Renews a lease until it is cancelled or lost."""
        renewed = True
        while renewed:
            await asyncio.sleep(RENEWED)
            renewed = await self._store.renew(claim, now=self._clock.now(), lease=LEASE)

    async def _failed(self, claim: Claim, error: Exception, *, give_up: bool) -> None:
        now = self._clock.now()
        reason = f"{type(error).__name__}: {error}"
        log.warning("%s failed after seq %d (try %d): %s", claim.step.name, claim.after, claim.attempts + 1, reason)
        if give_up:
            log.error("%s: passed over the message after seq %d", claim.step.name, claim.after)
            messages = await self._store.messages(claim.scope, Filter(after_seq=claim.after, active=None), limit=1)
            cursor = messages[0].seq if messages else claim.head
            await self._store.commit(claim, Changes(cursor=cursor), now=now)
            return
        wait = min(MAX_WAIT, 2.0 ** min(claim.attempts, 20))
        await self._store.release(claim, error=reason, due=now + timedelta(seconds=wait))


def _is_exit(error: Exception) -> bool:
    """Whether the program ends without ``close``: Python then starts nothing on another thread.  Nobody needs to know;
    what is left is derived when the memory is opened again.
    """
    return isinstance(error, RuntimeError) and str(error).startswith("cannot schedule new futures after")


async def _within(seconds: float, event: asyncio.Event) -> None:
    """Waits for an event, but not longer; not ``wait_for``, which may swallow a cancel in Python 3.11."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
