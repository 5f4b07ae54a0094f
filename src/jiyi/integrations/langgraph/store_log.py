"""Reads and writes the items of one memory's log."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from jiyi.engine import AsyncMemory
from jiyi.errors import Conflict
from jiyi.integrations.langgraph.store_items import (
    CATEGORY,
    Kept,
    Put,
    ids_of,
    kept_of,
    left_alone,
    name_of,
    version,
)
from jiyi.search import Wanted
from jiyi.types import Filter, Message, Scope

_ITEMS = Filter(session_id="", kinds=("statement",), category=CATEGORY)
AT_ONCE = 2000  # items
_TRIES = 30  # of a write that other processes come before
_RANKED = 100  # items at least, so that the pages of a search fit together


class Items:
    """The items of all users of a memory; on the loop of the memory alone."""

    def __init__(self, memory: AsyncMemory) -> None:
        self.memory = memory
        self._writing = asyncio.Lock()

    async def of_names(self, scope: Scope, names: Iterable[str]) -> dict[str, Kept]:
        """What there is under some names (``AT_ONCE`` at most), all of one moment."""
        ids = [message_id for name in dict.fromkeys(names) for message_id in ids_of(name)]
        return kept_of(await self._read(scope, Filter(ids=tuple(ids))))

    async def all(self, scope: Scope) -> dict[str, Kept]:
        """Everything that a user has here, that whose time is up as well."""
        return kept_of(await self._read(scope, _ITEMS))

    async def scopes(self) -> list[Scope]:
        """Everybody who has anything in this memory."""
        return [self.memory.scope(user) for user in await self.memory.users()]

    async def _read(self, scope: Scope, where: Filter) -> list[Message]:
        return await self.memory.store.messages(scope, where)

    async def relevance(self, scope: Scope, query: str, among: Sequence[Kept], most: int) -> dict[str, float]:
        """How sure the best of these answer a question, by message id."""
        where = replace(_ITEMS, seqs=tuple(kept.message.seq for kept in among))
        wanted = Wanted(max(most, _RANKED), where, floor=0.0)
        hits = await self.memory.searcher.search(scope, query, wanted)
        return {hit.message.id: hit.relevance for hit in hits}

    async def write(self, scope: Scope, puts: Sequence[Put], gone: Iterable[str] = ()) -> None:
        """Keeps new versions, all or none, then erases what they replace and what is deleted; ``AT_ONCE`` at most.

        What another process writes at the same time comes before or after it, as a whole.

        Raises:
            Conflict: others wrote the same items all the time.
        """
        gone = list(gone)
        names = [name_of(put.namespace, put.key) for put in puts]
        async with self._writing:
            for _ in range(_TRIES):
                kept = await self.of_names(scope, [*names, *gone])
                if await self._try(scope, dict(zip(names, puts, strict=True)), kept):
                    return
        raise Conflict(f"others wrote the same items {_TRIES} times meanwhile; nothing was stored, try again")

    async def _try(self, scope: Scope, puts: Mapping[str, Put], kept: Mapping[str, Kept]) -> bool:
        """One attempt; False where somebody came before it."""
        now = self.memory.clock.now()
        drafts = [version(put, kept.get(name), now) for name, put in puts.items()]
        if not await self._added(scope, drafts, kept.values()):
            return False
        await self._erase(scope, [entry for one in kept.values() for entry in one.entries])
        return True

    async def _added(self, scope: Scope, drafts: Sequence[Message], kept: Iterable[Kept]) -> bool:
        """Whether these entries, and no others under their ids, are in the log now."""
        if not drafts:
            return True
        drafts = self.memory.clean(drafts)
        taken = {draft.id for draft in drafts}
        await self._erase(scope, [e for one in kept for e in (*one.others, *one.terms) if e.id in taken])
        try:
            stored = await self.memory.store.append(scope, "", drafts)
        except Conflict:
            return False
        finally:
            self.memory.worker.wake()
        return all(_is_same(*pair) for pair in zip(stored, drafts, strict=True))

    async def put_off(self, scope: Scope, read: Iterable[Kept]) -> None:
        """Has items that were read last their time again, as far as that is worth a write."""
        now = self.memory.clock.now()
        due = [(one, term) for one in read if (term := one.term(now)) is not None]
        if due:
            async with self._writing:  # who comes before it did the same
                await self._added(scope, [term for _, term in due], [one for one, _ in due])

    async def sweep(self, scope: Scope) -> int:
        """Erases the items whose time is up, and what is left of some that are gone; returns how many items."""
        now = self.memory.clock.now()
        read = await self._read(scope, _ITEMS)
        kept = kept_of(read)
        over = [one for one in kept.values() if one.is_over(now)]
        gone = [entry for one in over for entry in one.entries]
        await self._erase(scope, [*gone, *left_alone(read, kept)])
        return len(over)

    async def _erase(self, scope: Scope, entries: Sequence[Message]) -> None:
        """Erases these and nothing that has come under their ids since they were read."""
        if entries:
            ids, upto = [entry.id for entry in entries], max(entry.seq for entry in entries)
            await self.memory.erase(scope, ids, upto=upto)


def _is_same(stored: Message, draft: Message) -> bool:
    return (stored.metadata, stored.created_at) == (draft.metadata, draft.created_at)
