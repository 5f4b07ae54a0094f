"""A store whose vectors of messages lie in an index outside; everything else it does as before.

What both hold is kept together by order, because no transaction spans them: vectors go out before the cursor says that
they are there, and are dropped before the message is erased.  A crash in between leaves vectors that are put again, or
a message without any; ``indexed`` tells which.  Within a process, what is put and what is erased take turns.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from math import fsum, sqrt
from typing import Any, TypeVar

from jiyi.errors import InvalidInput, JiyiError, MissingDependency, VectorsError, VectorsUnavailable
from jiyi.indexable import DENSE_STEPS, is_indexed
from jiyi.indexing import LEXICAL, dense_step
from jiyi.ports import Store, VectorIndex
from jiyi.stores.checks import check_finite
from jiyi.types import ACTIVE, KINDS, Changes, Claim, Dense, Embedded, Erased, Filter, Found, Probe, Scope, Step, Vector

T = TypeVar("T")

log = logging.getLogger("jiyi.vectors")

SAMPLE = 256
"""Messages whose cosines stand for all of a scope: mean and deviation are then off by 0.05 deviations on average, and
the best ten nearly always the same (docs/adr/0027)."""

FEW = 1_000
"""Up to so many messages that may be found, all their cosines are asked for; of more, the nearest."""

LOOK, WORK = 10.0, 60.0
"""Seconds that an index may take for a search, and for being written to."""

BEYOND = 1_000
"""Seqs behind the end of the log that are looked at: a message may have been embedded and erased since."""

_EVERY = Filter(active=None, kinds=KINDS)
_PLAIN = (ACTIVE, Filter(active=None))


class Outside:
    """A ``Store`` beside an index, as one ``Store``.

    Args:
        store: keeps everything else.
        index: keeps the vectors of messages.
        ours: the index is closed with the store.
    """

    def __init__(self, store: Store, index: VectorIndex, *, ours: bool = False) -> None:
        self._store = store
        self.index = index
        self._ours = ours
        self._steps: dict[Step, str] = {}  # with the models whose vectors are put
        self._writing = asyncio.Lock()
        self._said: str | None = None  # the last warning: one for each outage

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def register(self, steps: Sequence[Step]) -> None:
        """See ``Store.register``."""
        self._steps |= {step: model for step in steps if (model := self._model(step))}
        await self._store.register(steps)

    async def close(self) -> None:
        """See ``Store.close``."""
        if self._ours:
            await self.index.close()
        await self._store.close()

    # -- writing

    async def commit(self, claim: Claim, changes: Changes, *, now: datetime) -> None:
        """See ``Store.commit``.  Vectors are put first: a crash between has them derived and put again.

        Raises:
            VectorsError: the index could not take them; nothing is committed.
        """
        model = self._model(claim.step)
        if model is None or not changes.vectors:
            return await self._store.commit(claim, changes, now=now)
        check_finite(changes.vectors)
        async with self._writing:
            space = await self._put(claim.scope, model, changes.vectors)
            try:
                await self._store.commit(claim, replace(changes, vectors=()), now=now)
            finally:
                await self._tidy(claim.scope, space, {entry.seq for entry in changes.vectors})

    async def mend(self, scope: Scope, step: Step, vectors: Sequence[Embedded]) -> None:
        """Puts vectors of messages that lack them; the cursor stays where it is.

        Raises:
            VectorsError: the index could not take them.
        """
        async with self._writing:
            space = await self._put(scope, self._model(step) or "", vectors)
            await self._tidy(scope, space, {entry.seq for entry in vectors})

    async def sweep(self, scope: Scope, seqs: Collection[int]) -> None:
        """Drops vectors of what is no longer in the log.

        Raises:
            VectorsError: the index could not do it.
        """
        async with self._writing:
            gone = set(seqs) - await self._there(scope, seqs)
            await self._drop(await self._space(scope), gone, "its leftovers are still there")

    async def reset(self, steps: Sequence[Step], scope: Scope | None = None) -> None:
        """See ``Store.reset``.

        Raises:
            VectorsError: the index could not be reached; nothing was thrown away.
        """
        for model in filter(None, map(self._model, steps)):
            for one in [scope] if scope is not None else await self._store.scopes():
                async with self._writing:
                    await self._drop(await self._space(one), None, "nothing was thrown away", model=model)
        await self._store.reset(steps, scope)

    async def forget(
        self,
        scope: Scope,
        *,
        session_id: str | None = None,
        message_ids: Sequence[str] | None = None,
        upto: int | None = None,
        everything: bool = False,
    ) -> Erased:
        """See ``Store.forget``; of vectors outside, the messages that had some are counted.

        Raises:
            VectorsError: the index could not be reached; nothing was erased.
        """
        if (session_id is not None) + (message_ids is not None) + everything != 1:
            raise InvalidInput("forget", "give exactly one of session_id, message_ids, everything=True")
        which: dict[str, Any] = {"session_id": session_id, "message_ids": message_ids, "everything": everything}
        named = replace(_EVERY, session_id=session_id, ids=None if message_ids is None else tuple(message_ids))

        async def erase() -> Erased:
            async with self._writing:
                seqs = [seq for seq in await self._store.seqs(scope, named) if upto is None or seq <= upto]
                if not seqs and not everything:
                    return await self._store.forget(scope, upto=upto, **which)
                space, chosen = await self._space(scope), None if everything else seqs
                had = await self._had(space, seqs)
                await self._drop(space, chosen, "nothing was erased")
                try:
                    erased = await self._store.forget(scope, upto=upto, **which)
                except Exception:
                    log.warning("the erasure failed when vectors had gone; `jiyi reindex --check` makes them anew")
                    raise
                await self._drop_again(space, chosen)  # what another process put meanwhile
                return replace(erased, vectors=erased.vectors + had)

        return await asyncio.shield(erase())

    async def _put(self, scope: Scope, model: str, vectors: Sequence[Embedded]) -> str:
        """Puts those of messages that are there; returns the space, "" when there are none."""
        there = await self._there(scope, {entry.seq for entry in vectors})
        if not there:
            return ""
        space = await self._space(scope)
        entries = [entry for entry in vectors if entry.seq in there]
        await self._asked(self.index.put(space, model, entries), WORK, "it is tried again")
        return space

    async def _tidy(self, scope: Scope, space: str, seqs: Collection[int]) -> None:
        """Drops what was put while another process erased its message, or the whole scope."""
        if not space:
            return
        there = await self._there(scope, seqs)
        if there and await self._space(scope) != space:
            there = set[int]()  # forgotten, and new since
        if gone := set(seqs) - there:
            await self._drop_again(space, gone)

    async def _drop(self, space: str, seqs: Collection[int] | None, what: str, *, model: str | None = None) -> None:
        if seqs is None or seqs:
            await self._asked(self.index.drop(space, seqs, model=model), WORK, what)

    async def _drop_again(self, space: str, seqs: Collection[int] | None) -> None:
        try:
            await self._drop(space, seqs, "vectors of erased messages may be left there")
        except VectorsError as error:
            log.warning("%s; `jiyi reindex --check` drops them", error)

    async def _had(self, space: str, seqs: Sequence[int]) -> int:
        """How many of these messages have vectors of a model that is in use."""
        held = [
            await self._asked(self.index.held(space, model, seqs), WORK, "nothing was erased")
            for model in dict.fromkeys(self._steps.values())
        ]
        return sum(map(len, held))

    # -- reading

    async def indexed(self, scope: Scope, step: Step) -> list[int]:
        """See ``Store.indexed``; of an index outside also what it has of messages that are no longer in the log.

        Raises:
            VectorsError: the index could not be reached.
        """
        if (model := self._model(step)) is None:
            return await self._store.indexed(scope, step)
        seqs = await self._store.seqs(scope, _EVERY)
        cursors = await self._store.cursors(scope, [LEXICAL, step])
        if not seqs and not any(cursors.values()):
            return []
        upto = max([*seqs, *cursors.values()]) + BEYOND
        held = self.index.held(await self._space(scope), model, range(1, upto + 1))
        return sorted(await self._asked(held, WORK, "it cannot be looked through"))

    async def find(self, scope: Scope, probe: Probe) -> Found:
        """See ``Store.find``; by full text alone while the index cannot be reached.  What the index has and what the
        store has are not of one moment.
        """
        if probe.vector is None or probe.dense is not None:
            return await self._store.find(scope, probe)
        try:
            found = await self._found(scope, probe, probe.vector)
        except VectorsError as error:
            self._warn(f"{error}; searching by full text")
            return await self._store.find(scope, replace(probe, vector=None))
        return found

    async def _found(self, scope: Scope, probe: Probe, vector: Vector) -> Found:
        newest = await self._store.messages(scope, _EVERY, limit=1, newest=True)
        if not newest:  # nor need the scope be there
            return await self._store.find(scope, replace(probe, vector=None))
        head = newest[0].seq
        allowed = None if probe.where in _PLAIN else set(await self._store.seqs(scope, probe.where))
        space = await self._space(scope)

        async def cosines(seqs: Collection[int]) -> Mapping[int, float]:
            if not seqs:
                return {}
            asked = self.index.cosines(space, probe.model, vector, seqs)
            return await self._asked(asked, LOOK, "it cannot be searched")

        async def nearest(limit: int) -> Mapping[int, float]:
            asked = self.index.nearest(space, probe.model, vector, limit=limit)
            return await self._asked(asked, LOOK, "it cannot be searched")

        limit = probe.best + probe.best // 2
        exact = allowed is not None and len(allowed) <= FEW
        looked = cosines(allowed) if allowed is not None and exact else nearest(limit)
        near, sample = await asyncio.gather(looked, cosines(spread(head)))
        if not sample and not near:
            await self._check_empty(scope, dense_step(probe.model, self.index.name))
        while True:
            passing = {seq: near[seq] for seq in near if allowed is None or seq in allowed}
            dense = _statistics(passing, sample, head)
            found = await self._store.find(scope, replace(probe, dense=dense))
            if exact or len(found.dense.hits) >= probe.best or len(near) < limit:
                break
            limit *= 4
            near = await nearest(limit)
        known = {**sample, **near}
        beside = [seq for seq in found.standing.seqs if seq not in found.dense.hits]
        more = await cosines([seq for seq in beside if seq not in known])
        self._said = None
        known |= more
        return replace(found, near={seq: known[seq] for seq in beside if seq in known})

    async def _check_empty(self, scope: Scope, step: Step) -> None:
        """Says so when the index has nothing of what was put into it: somebody has emptied it."""
        done = (await self._store.cursors(scope, [step]))[step.name]
        some = await self._store.messages(scope, Filter(seqs=spread(done), active=None)) if done else []
        if any(map(is_indexed, some)):
            self._warn(f"{self.index.name} has lost its vectors; `jiyi reindex --check` makes them anew")

    # -- both

    def _model(self, step: Step) -> str | None:
        """Whose vectors a step puts into the index; None for another step."""
        place = f"@{self.index.name}"
        if not step.name.startswith(DENSE_STEPS) or not step.name.endswith(place):
            return None
        return step.name.removeprefix(DENSE_STEPS).removesuffix(place)

    async def _space(self, scope: Scope) -> str:
        """The scope's name outside: it cannot be turned back, and is another one when a forgotten scope comes again."""
        return hmac.new(await self._store.salt(scope), b"vectors", "sha256").hexdigest()[:32]

    async def _there(self, scope: Scope, seqs: Collection[int]) -> set[int]:
        return set(await self._store.seqs(scope, replace(_EVERY, seqs=tuple(seqs)))) if seqs else set()

    async def _asked(self, answer: Awaitable[T], seconds: float, otherwise: str) -> T:
        """What the index answers; whatever it raises is told as one kind of error.

        Raises:
            VectorsError: it did not answer, or refused.
            MissingDependency: its package is not installed.
        """
        try:
            async with asyncio.timeout(seconds):
                return await answer
        except MissingDependency:
            raise
        except VectorsUnavailable as error:
            raise VectorsUnavailable(f"{error}; {otherwise}") from error
        except JiyiError as error:  # vectors of other dimensions too: the place must be changed, not the message
            raise VectorsError(f"{error}; {otherwise}") from error
        except TimeoutError as error:
            raise VectorsUnavailable(f"{self.index.name} was silent for {seconds:.0f} seconds; {otherwise}") from error
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise VectorsUnavailable(f"{self.index.name} could not be reached ({what}); {otherwise}") from error

    def _warn(self, what: str) -> None:
        """Once for each outage."""
        if self._said != what:
            log.warning("%s", what)
        self._said = what


def spread(head: int) -> tuple[int, ...]:
    """Seqs that lie evenly over a log, all of a short one."""
    if head <= SAMPLE:
        return tuple(range(1, head + 1))
    return tuple(1 + at * (head - 1) // (SAMPLE - 1) for at in range(SAMPLE))


def _statistics(near: Mapping[int, float], sample: Mapping[int, float], head: int) -> Dense:
    """What was found, best first, with mean and deviation of the sample."""
    ranked = dict(sorted(near.items(), key=lambda one: (-one[1], one[0])))
    if not sample:
        return Dense(ranked)
    values = sample.values()
    mean = fsum(values) / len(values)
    deviation = sqrt(fsum((value - mean) ** 2 for value in values) / len(values))
    scanned = round(head * len(values) / len(spread(head)))
    return Dense(ranked, scanned, mean, deviation)
