"""What of ``AsyncMemory`` holds the indexes against the log, and mends them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from jiyi.indexable import DENSE_STEPS, LEXICAL_STEP, is_indexed
from jiyi.indexing import DenseIndex
from jiyi.ports import Batch
from jiyi.types import KINDS, Checked, Filter, Progress, Scope, Step
from jiyi.upkeep import Upkeep

if TYPE_CHECKING:
    from jiyi.outside import Outside

PAGE = 500
"""Messages read at once, and leftovers dropped at once."""

_EVERY = Filter(active=None, kinds=KINDS)

Report = Callable[[list[Progress]], None]


class Checking(Upkeep):
    """The part of ``AsyncMemory`` that looks whether the indexes have what they should."""

    async def check_indexes(self, user_id: str | None = None, *, progress: Report | None = None) -> Checked:
        """Looks for messages that an index should have something of and has not, and for what it has of messages that
        are gone; mends both.  For an index of vectors outside that was emptied, or put back from an old copy, and after
        a crash.  What is not derived yet is left to the worker.

        Can be stopped: what is mended stays, and the next call finds the rest.

        Args:
            user_id: whose messages; None for everybody.
            progress: called with how much is mended, of what is known to be missing so far.

        Raises:
            VectorsError: the index outside could not be reached.
            StoreError: something could not be derived anew.
        """
        steps = [step for step in self.worker.steps if step.name == LEXICAL_STEP or step.name.startswith(DENSE_STEPS)]
        found, anew = Checked(), set[str]()
        for scope in await self._scopes() if user_id is None else [self.scope(user_id)]:
            found += await self._check(scope, steps, anew, progress)
        if anew:
            await self.worker.drain(progress, anew)
            await self._check_done(list(anew))
        return found

    async def _check(
        self, scope: Scope, steps: Sequence[Step], anew: set[str], progress: Report | None
    ) -> Checked:  # fmt: skip
        """One user's; ``anew`` gets the names of steps that begin again."""
        cursors = await self.store.cursors(scope, steps)  # first: what it says is there is in the log and the index
        failed = {(one.step, one.message_id) for one in await self.store.failures(scope)}
        seqs = {step: list[int]() for step in steps}
        looked = 0
        async for seq, name in self._indexable(scope):
            looked += 1
            for step in steps:
                if seq <= cursors[step.name] and (step.name, name) not in failed:
                    seqs[step].append(seq)
        counts = {LEXICAL_STEP: 0, DENSE_STEPS: 0}
        leftovers = 0
        for step in steps:
            held = set(await self.store.indexed(scope, step))
            missing = [seq for seq in seqs[step] if seq not in held]
            left = await self._gone(scope, held)
            await self._mend(scope, step, missing, left, anew, progress)
            counts[LEXICAL_STEP if step.name == LEXICAL_STEP else DENSE_STEPS] += len(missing)
            leftovers += len(left)
        return Checked(looked, counts[LEXICAL_STEP], counts[DENSE_STEPS], leftovers)

    async def _indexable(self, scope: Scope) -> AsyncGenerator[tuple[int, str], None]:
        """Seq and id of all that the indexes see, a page at a time."""
        after = 0
        while page := await self.store.messages(scope, replace(_EVERY, after_seq=after), limit=PAGE):
            for message in page:
                if is_indexed(message):
                    yield message.seq, message.id
            after = page[-1].seq

    async def _gone(self, scope: Scope, held: Collection[int]) -> list[int]:
        """Those that are not in the log, asked again: what has come meanwhile is none."""
        gone = set(held) - set(await self.store.seqs(scope, _EVERY))
        there = await self.store.seqs(scope, replace(_EVERY, seqs=tuple(gone))) if gone else []
        return sorted(gone - set(there))

    async def _mend(
        self, scope: Scope, step: Step, missing: list[int], left: list[int], anew: set[str], progress: Report | None
    ) -> None:
        if not missing and not left:
            return
        if self._embedder is not None and self._place and step.name.startswith(DENSE_STEPS):
            outside = cast("Outside", self.store)
            for at in range(0, len(left), PAGE):
                await outside.sweep(scope, left[at : at + PAGE])
            await self._embed(outside, scope, step, missing, progress)
            return
        # inside, one transaction writes entries and cursor: this is damage, and all of it is made anew
        await (self.store.reset if left else self.store.rebuild)([step], scope)
        anew.add(step.name)

    async def _embed(
        self, outside: Outside, scope: Scope, step: Step, missing: list[int], progress: Report | None
    ) -> None:
        """Puts the vectors of these messages, a batch at a time."""
        assert self._embedder is not None
        index = DenseIndex(self._embedder, self._place)
        left = missing
        while left:
            part = left[: index.batch_size]
            chosen = replace(_EVERY, seqs=tuple(part))
            messages = tuple(await self.store.messages(scope, chosen))
            changes = await index.derive(Batch(scope, messages, part[-1]))
            await outside.mend(scope, step, changes.vectors)
            left = [seq for seq in left if seq > changes.cursor]
            if progress is not None:
                progress([Progress(step, len(missing) - len(left), len(missing))])
