"""Which records stood in contexts: counted in memory while somebody waits, written when nobody does."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from jiyi.ports import Clock, Store
from jiyi.types import Scope


class Uses:
    """Gathers uses of records for ``Store.use``."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._writing = asyncio.Lock()  # whoever comes second waits until it is stored
        self._unwritten: dict[Scope, tuple[Counter[str], datetime]] = {}

    def add(self, scope: Scope, record_ids: Iterable[str]) -> None:
        """Counts records that stand in a context now."""
        counts = self._unwritten.get(scope, (Counter[str](), None))[0]
        counts.update(record_ids)
        if counts:
            self._unwritten[scope] = counts, self._clock.now()

    async def write(self) -> None:
        """Stores what has gathered, a user at a time.  What a store does not take is gone: it is no more than a hint.

        Raises:
            StoreError: of the store.
        """
        async with self._writing:
            while self._unwritten:
                scope = next(iter(self._unwritten))
                counts, at = self._unwritten.pop(scope)
                await self._store.use(scope, list(counts.elements()), at=at)

    def forget(self, scope: Scope) -> None:
        """Knows nothing of a user any more."""
        self._unwritten.pop(scope, None)
