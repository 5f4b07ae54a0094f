"""One lane of the background work: claim, derive, commit, one batch after another."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Container
from datetime import timedelta
from functools import partial

from jiyi.errors import Conflict, LimitReached, ModelRejected, StoreBusy, VectorsError
from jiyi.indexable import follows_records, is_index
from jiyi.overtaken import TRIES, UnderWay
from jiyi.ports import Batch, Clock, Deriver, Store
from jiyi.refusals import Refused
from jiyi.types import KINDS, Changes, Claim, Filter, Message, Step
from jiyi.usage import Replies, used_for

log = logging.getLogger("jiyi.worker")

LEASE = 20.0
"""Seconds a claim holds unless it is renewed; a worker that was killed is replaced after that."""

RENEWED = 6.0
"""Seconds between renewals while a batch is derived, however long that takes."""

LIMIT = 600.0
"""Seconds a batch may take; then it counts as failed, and the next user's turn comes.  A model server that is silent is
given up much earlier, by the limits of its own."""

LET_GO = 3.0
"""Seconds a derivation has to end once it is cancelled; after that nobody waits for it any more."""

MAX_WAIT = 600.0
"""Longest pause between two tries of a failing batch, in seconds."""

WHOLE_TRIES = 3
"""After that many failures the batch is halved at each further try, down to the message that breaks it."""

ALONE_TRIES = 2
"""A message that fails alone is tried so often again before it is passed over."""

LONGEST = 500
"""Characters kept of the reason why a message was passed over."""

OUTAGES = (OSError, TimeoutError, ImportError, ModelRejected, VectorsError)
"""Errors that say nothing of the message: the network, the disk, a missing package, a key that is no longer valid, an
index of vectors that refuses.
They never pass a message over.  ``Refused`` does: that is about the request.
"""

LINGER = 0.2
"""Seconds between a message and the work on it: what is said together is derived together, and the writer stays free
for those who speak.  A search looks at what is not indexed yet by itself."""

IDLE = 30.0
"""Seconds after which an idle lane looks at the store by itself."""


class Lane:
    """Runs some derivers over a store's log, one batch at a time.

    Args:
        store, clock: what it works with.
        name: of its task.
        under_way: of all lanes that work on the same store.
        fair: whoever waits longest comes first, whatever the step.  Otherwise a step is served when those before it
            have nothing to do.

    Attributes:
        put: called when records were put.
    """

    def __init__(self, store: Store, clock: Clock, name: str, under_way: UnderWay, *, fair: bool) -> None:
        self.derivers: dict[Step, Deriver] = {}
        self.chores: list[Callable[[], Awaitable[object]]] = []  # when nothing is left to derive; True for more to do
        self._store = store
        self._clock = clock
        self._name = name
        self._under_way = under_way
        self._fair = fair
        self.put: Callable[[], None] | None = None
        self._wake = asyncio.Event()
        self._grown = False  # the log has, and nobody has looked
        self._asleep: asyncio.AbstractEventLoop | None = None  # the loop that must be told
        self._task: asyncio.Task[None] | None = None
        self._halt = asyncio.Event()

    def start(self) -> None:
        """Goes to work in the background, where there is something to serve; a second call does nothing."""
        if self._task is None and self.derivers:
            self._task = asyncio.create_task(self._run(), name=self._name)

    def wake(self) -> None:
        """Says that the log has grown; from any thread.  A lane that is at work looks by itself when it is done."""
        self._grown = True
        if (loop := self._asleep) is not None:
            self._asleep = None
            with contextlib.suppress(RuntimeError):  # the loop has ended, and the lane with it
                loop.call_soon_threadsafe(self._wake.set)

    def halt(self) -> None:
        """Says that nothing more is to be begun; ``stop`` waits for the end of what was."""
        if self._task is not None:
            self._halt.set()
            self.wake()

    async def stop(self) -> None:
        """Ends the background work between two commits, within ``LET_GO`` and the time of a commit."""
        self.halt()
        task, self._task = self._task, None
        if task is not None:
            await asyncio.gather(task, return_exceptions=True)
            self._halt.clear()

    async def work(self, steps: Container[Step] | None = None) -> bool:
        """Derives one batch of one step, of these or of any; False when there is none."""
        derivers = self.derivers  # another recipe may put others in their place meanwhile
        chosen = [step for step in derivers if steps is None or step in steps]
        for together in [chosen] if self._fair else [[step] for step in chosen]:
            claim = await self._claim(together)
            if claim is not None:
                await self._derive(claim, derivers[claim.step])
                return True
        return False

    async def _claim(self, steps: list[Step]) -> Claim | None:
        """Takes a lease; one that is taken while we are cancelled is given back, or the next worker would wait."""
        taking = asyncio.ensure_future(self._store.claim(steps, now=self._clock.now(), lease=LEASE))
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
                while not self._halt.is_set() and (await self.work() or await self._tidied()):
                    pass
            except Exception as error:  # the next message, or the next minute, brings another try
                if _is_exit(error):
                    return
                log.exception("background work paused; the log is complete, what is derived catches up later")
            await self._sleep()
            await _within(LINGER, self._halt)

    async def _tidied(self) -> bool:
        """Does every chore once; whether one of them has more to do."""
        return any([await chore() for chore in self.chores])

    async def _sleep(self) -> None:
        """Until the log has grown; not for ever: another process may have written, a failed batch may be due."""
        self._wake.clear()
        self._asleep = asyncio.get_running_loop()
        if not self._grown:  # asked after saying so: whoever comes in between calls
            await _within(IDLE, self._wake)
        self._asleep = None

    async def _derive(self, claim: Claim, deriver: Deriver) -> None:
        whole = claim.step.stride if claim.step.stride > 1 else deriver.batch_size
        halved = max(0, claim.attempts - WHOLE_TRIES + 1)
        try:
            await self._written(claim, deriver, max(1, whole >> halved))
        except asyncio.CancelledError:
            await self._store.release(claim, error=None, due=self._clock.now())
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise  # and otherwise only the derivation was ended, by ``stop``
        except LimitReached as error:  # no failure; not the whole time at once, because the limit may be raised
            due = min(error.until, self._clock.now() + timedelta(seconds=MAX_WAIT))
            await self._store.release(claim, error=None, due=due)
        except Conflict:
            log.info("%s: another worker took over %s", claim.step.name, claim.scope)
        except Exception as error:  # whatever a deriver does, the log and the chat go on
            if _is_exit(error):
                await self._store.release(claim, error=None, due=self._clock.now())
                raise
            alone = claim.attempts >= WHOLE_TRIES + whole.bit_length() + ALONE_TRIES
            outage = isinstance(error, OUTAGES) and not isinstance(error, Refused)
            await self._failed(claim, error, give_up=alone and not outage)

    async def _written(self, claim: Claim, deriver: Deriver, size: int) -> None:
        """Derives and commits; again, where another derivation has changed the scope's records meanwhile."""
        replies = Replies()
        with self._under_way.derivation(claim.scope) as mine:
            for left in range(TRIES - 1, -1, -1):
                mine.overtaken = False
                changes = await self._changes(claim, deriver, size, replies)
                async with self._under_way.writing:
                    if not mine.overtaken or not left or is_index(claim.step.name):
                        await asyncio.shield(self._store.commit(claim, changes, now=self._clock.now()))
                        self._under_way.written(claim.scope, changes, mine)
                        if changes.put and self.put is not None:
                            self.put()
                        return
                replies.rewind()

    async def _changes(self, claim: Claim, deriver: Deriver, size: int, replies: Replies) -> Changes:
        batch = await self._batch(claim, size)
        holding = asyncio.ensure_future(self._hold(claim))
        try:
            with used_for(claim.scope, claim.step.name, replies=replies):  # of the task that is made inside
                deriving = asyncio.ensure_future(deriver.derive(batch))
            return await self._derived(deriver, deriving, holding)
        finally:
            holding.cancel()

    async def _batch(self, claim: Claim, size: int) -> Batch:
        """What to derive from, and the cursor when that is done: the end of the stride, of the gap, of the log."""
        records = partial(self._store.records, claim.scope, maker=claim.step.name)
        if follows_records(claim.step.name):
            put = await self._store.records_after(claim.scope, claim.after, limit=size)
            last = put[-1].seq if put else claim.after
            cursor = last if len(put) == size else max(claim.head, last)
            return Batch(claim.scope, (), cursor, records, tuple(put))
        messages, cursor = await self._stretch(claim, size)
        return Batch(claim.scope, tuple(messages), cursor, records)

    async def _stretch(self, claim: Claim, size: int) -> tuple[list[Message], int]:
        kinds = KINDS if is_index(claim.step.name) else None  # commands are for the indexes alone
        where = Filter(after_seq=claim.after, active=None, kinds=kinds)
        messages = await self._store.messages(claim.scope, where, limit=size)
        ends = [] if claim.upto is None else [claim.upto]
        if claim.step.stride > 1:
            ends.append(claim.step.end(claim.after) + claim.step.stride)
        inside = [message for message in messages if not ends or message.seq <= min(ends)]
        if len(inside) == size:
            return inside, inside[-1].seq
        return inside, min(ends) if ends else max(claim.head, inside[-1].seq if inside else claim.after)

    async def _derived(
        self, deriver: Deriver, deriving: asyncio.Future[Changes], holding: asyncio.Future[None]
    ) -> Changes:
        """What the deriver makes of a batch.  When it takes too long, when the lease is lost (what it reads may be
        erased by now), when the lane stops and when we are cancelled, it is cancelled, and left alone when it does not
        care.

        Raises:
            Conflict: ``holding``, which renews the lease, has lost it.
            RuntimeError: it cancelled itself.
            TimeoutError: it took longer than ``LIMIT``.
        """
        halted = asyncio.ensure_future(self._halt.wait())
        try:
            await asyncio.wait([deriving, halted, holding], timeout=LIMIT, return_when=asyncio.FIRST_COMPLETED)
            if deriving.cancelled():  # else it would look as if we were, and be tried again at once, for ever
                raise RuntimeError(f"{deriver.step.name} cancelled itself")
            if deriving.done():
                return deriving.result()
            if halted.done():
                raise asyncio.CancelledError
            if holding.done():
                holding.result()
                raise Conflict(f"the lease on {deriver.step.name} was lost while it was at work")
            raise TimeoutError(f"not done after {LIMIT:.0f} seconds")
        finally:
            halted.cancel()
            if not deriving.done():
                deriving.cancel()
                await asyncio.wait([deriving], timeout=LET_GO)
            if not deriving.done():
                log.warning("%s does not end although it was cancelled; it is left alone", deriver.step.name)

    async def _hold(self, claim: Claim) -> None:
        """Renews a lease until it is cancelled or lost; a store that is busy just now is asked again."""
        renewed = True
        while renewed:
            await asyncio.sleep(RENEWED)
            with contextlib.suppress(StoreBusy):
                renewed = await self._store.renew(claim, now=self._clock.now(), lease=LEASE)

    async def _failed(self, claim: Claim, error: Exception, *, give_up: bool) -> None:
        now = self._clock.now()
        reason = f"{type(error).__name__}: {error}"
        log.warning("%s failed after seq %d (try %d): %s", claim.step.name, claim.after, claim.attempts + 1, reason)
        if give_up:
            log.error("%s: passed over what comes after seq %d", claim.step.name, claim.after)
            batch = await self._batch(claim, 1)
            failed = {message.seq: reason[:LONGEST] for message in batch.messages}  # a record stays without a vector
            with contextlib.suppress(Conflict):  # somebody else has it, and finds out the same
                await self._store.commit(claim, Changes(cursor=batch.cursor, failed=failed), now=now)
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
