"""LangGraph's store on a memory: what agents keep beside their threads, in the user's log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, TypeVar, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from jiyi import intake
from jiyi.errors import InvalidInput
from jiyi.integrations.langgraph.store_filters import check_filter, fits, is_under, matches
from jiyi.integrations.langgraph.store_items import Kept, Put, name_of
from jiyi.integrations.langgraph.store_log import AT_ONCE, Items
from jiyi.integrations.langgraph.store_users import Users, Whose
from jiyi.integrations.langgraph.store_values import Index, checked_index, checked_object, indexed
from jiyi.sync.memory import Memory
from jiyi.types import JSON, Scope
from jiyi.waiting import elsewhere, run

T = TypeVar("T")


class JiyiStore(BaseStore):
    """A ``BaseStore`` of LangGraph on a ``Memory``, for ``graph.compile(store=…)`` and ``create_agent(store=…)``.

    Every item is a statement in the log of the user whose it is: the memory's own search finds it, its backups have
    it, and ``memory.forget`` erases it with the user.  What is overwritten or deleted is erased from the file.

    Attributes:
        ttl_config: the times to live that were given.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory,
        *,
        user_id: Whose,
        ttl: TTLConfig | None = None,
        index: Index = None,
    ) -> None:
        """Puts a store on a memory; nothing is read yet.

        Args:
            memory: stays the caller's to close.
            user_id: whose the items are: one user's id for everything, or the place of the user's id in the namespace
                (1 for ``("memories", "ada")``), or a function that tells it, given a namespace or the beginning of
                one, None where that does not say it.
            ttl: as other stores of LangGraph take it; ``omit_expired`` is always so.
            index: paths of the fields by which items are found, where ``put`` does not say otherwise; None for all of
                the value, False for none.

        Raises:
            InvalidInput: names the argument.
        """
        if not isinstance(memory, Memory):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("memory", f"must be a Memory, not {type(cast('object', memory)).__name__}")
        self.ttl_config = _times(ttl)
        self._index: Index = checked_index(index)
        self._users = Users(user_id)
        self._items = Items(memory.inner)
        self._swept = memory.inner.clock.now()
        if self.ttl_config and self.ttl_config.get("sweep_interval_minutes"):
            memory.inner.worker.when_idle(self._sweep_if_due)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """See ``BaseStore.batch``: it reads what was there before the batch; of puts of one key the last counts.

        Raises:
            InvalidInput: names what is wrong; nothing was stored.
            InvalidNamespaceError: the same for a namespace.
            Conflict: other processes wrote the same items all the time.
        """
        return run(self._batch(list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """See ``batch``; from any event loop."""
        return await elsewhere(self._batch(list(ops)))

    def sweep_ttl(self) -> int:
        """Erases the items whose time is up and returns how many; ``sweep_interval_minutes`` has it done by itself."""
        return run(self._sweep())

    async def asweep_ttl(self) -> int:
        """See ``sweep_ttl``."""
        return await elsewhere(self._sweep())

    async def _batch(self, ops: Sequence[Op]) -> list[Result]:
        for op in ops:
            _check(op)
        puts = self._puts(ops)  # before anything is read or written
        gets = {place: op for place, op in enumerate(ops) if isinstance(op, GetOp)}
        results: dict[int, Result] = {**await self._get(gets)}
        listed = dict[Scope, list[Kept]]()
        for place, op in enumerate(ops):
            if isinstance(op, SearchOp):
                results[place] = await self._search(op, listed)
            elif isinstance(op, ListNamespacesOp):
                results[place] = await self._namespaces(op, listed)
        for scope, changes in puts.items():
            for some in _in_parts(list(changes.items())):
                await self._items.write(
                    scope,
                    [put for _, put in some if put is not None],
                    [name for name, put in some if put is None],
                )
        return [results.get(place) for place in range(len(ops))]

    # -- writing

    def _puts(self, ops: Iterable[Op]) -> Mapping[Scope, dict[str, Put | None]]:
        """What is to be kept, or deleted, by scope and name."""
        found = defaultdict[Scope, dict[str, Put | None]](dict)
        for op in ops:
            if not isinstance(op, PutOp):
                continue
            if not op.namespace:
                raise InvalidNamespaceError("Namespace cannot be empty.")
            name = name_of(op.namespace, op.key)
            found[self._scope(op.namespace)][name] = None if op.value is None else self._put(op)
        return found

    def _put(self, op: PutOp) -> Put:
        value = cast("Mapping[str, JSON]", self._items.memory.clean_value(checked_object(op.value)))
        index: Index = self._index if op.index is None else checked_index(op.index)
        ttl = None if op.ttl is None else _minutes("ttl", op.ttl)
        return Put(op.namespace, op.key, value, indexed(value, index), ttl)

    def _scope(self, namespace: tuple[str, ...]) -> Scope:
        return self._items.memory.scope(self._users.of(namespace))

    async def _sweep(self) -> int:
        self._swept = self._items.memory.clock.now()
        return sum([await self._items.sweep(scope) for scope in await self._items.scopes()])

    async def _sweep_if_due(self) -> None:
        """For the worker of the memory."""
        every = (self.ttl_config or {}).get("sweep_interval_minutes") or 0
        if self._items.memory.clock.now() - self._swept >= timedelta(minutes=every):
            await self._sweep()

    # -- reading

    async def _get(self, ops: Mapping[int, GetOp]) -> dict[int, Result]:
        asked = defaultdict[Scope, list[tuple[int, str]]](list)
        for place, op in ops.items():
            user = self._users.of_prefix(op.namespace) if op.namespace else None
            if user is not None:  # otherwise nothing can be there
                asked[self._items.memory.scope(user)].append((place, name_of(op.namespace, op.key)))
        results = dict[int, Result]()
        for scope, names in asked.items():
            for some in _in_parts(names):
                found = self._there((await self._items.of_names(scope, [name for _, name in some])).items())
                results |= {place: found[name].as_item() for place, name in some if name in found}
                refreshed = {name for place, name in some if ops[place].refresh_ttl}
                await self._items.put_off(scope, [one for name, one in found.items() if name in refreshed])
        return results

    def _there(self, kept: Iterable[tuple[str, Kept]]) -> dict[str, Kept]:
        """Those whose time is not up."""
        now = self._items.memory.clock.now()
        return {name: one for name, one in kept if not one.is_over(now)}

    async def _all(self, scope: Scope, listed: dict[Scope, list[Kept]]) -> list[Kept]:
        """What a user has, read once for a batch."""
        if scope not in listed:
            listed[scope] = list(self._there((await self._items.all(scope)).items()).values())
        return listed[scope]

    async def _scopes(self, prefix: tuple[str, ...]) -> list[Scope]:
        """Whose items may have a namespace that begins so."""
        user = self._users.of_prefix(prefix)
        return await self._items.scopes() if user is None else [self._items.memory.scope(user)]

    async def _search(self, op: SearchOp, listed: dict[Scope, list[Kept]]) -> list[SearchItem]:
        found = list[tuple[Scope, Kept]]()
        relevance = dict[tuple[Scope, str], float]()
        for scope in await self._scopes(op.namespace_prefix):
            meant = [
                one
                for one in await self._all(scope, listed)
                if is_under(one.namespace, op.namespace_prefix) and matches(one.value, op.filter)
            ]
            found += [(scope, one) for one in meant]
            if meant and op.query:
                best = await self._items.relevance(scope, op.query, meant, op.offset + op.limit)
                relevance |= {(scope, message_id): value for message_id, value in best.items()}

        def score(one: tuple[Scope, Kept]) -> float | None:
            return relevance.get((one[0], one[1].message.id))

        found.sort(key=lambda one: (one[1].namespace, one[1].key))
        found.sort(key=lambda one: one[1].updated, reverse=True)
        found.sort(key=lambda one: -1.0 if (sure := score(one)) is None else sure, reverse=True)
        shown = found[op.offset : op.offset + op.limit]
        if op.refresh_ttl:
            for scope in dict.fromkeys(scope for scope, _ in shown):
                await self._items.put_off(scope, [one for owner, one in shown if owner == scope])
        return [one.as_found(score((scope, one))) for scope, one in shown]

    async def _namespaces(self, op: ListNamespacesOp, listed: dict[Scope, list[Kept]]) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        begin = next((one.path for one in conditions if one.match_type == "prefix" and "*" not in one.path), ())
        found = set[tuple[str, ...]]()
        for scope in await self._scopes(begin):
            found.update(one.namespace for one in await self._all(scope, listed))
        matching = {one[: op.max_depth] for one in found if all(fits(one, condition) for condition in conditions)}
        return sorted(matching)[op.offset : op.offset + op.limit]


def _in_parts(things: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(things), AT_ONCE):
        yield things[start : start + AT_ONCE]


def _check(op: object) -> None:
    """Raises InvalidInput, or InvalidNamespaceError, for an operation that cannot be carried out."""
    if not isinstance(op, GetOp | PutOp | SearchOp | ListNamespacesOp):
        raise InvalidInput("ops", f"{type(op).__name__} is no operation of a store")
    validate_op_namespace(op)
    if isinstance(op, GetOp | PutOp):
        if not isinstance(op.key, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("key", f"must be text, not {type(cast('object', op.key)).__name__}")
        return
    for field in ("limit", "offset"):
        intake.limit(field, getattr(op, field))
    if isinstance(op, ListNamespacesOp):
        intake.limit("max_depth", op.max_depth)
        return
    check_filter(op.filter)
    if op.query is not None and not isinstance(op.query, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput("query", f"must be text, not {type(cast('object', op.query)).__name__}")


def _minutes(field: str, value: object) -> timedelta:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LONGEST:
        raise InvalidInput(field, f"must be a number of minutes from 0, not {value!r}")
    return timedelta(minutes=value)


_LONGEST = 60 * 24 * 366 * 1000  # a thousand years, so that dates stay dates
_TIMES = TTLConfig.__annotations__


def _times(ttl: Any) -> TTLConfig | None:
    if ttl is None:
        return None
    if not isinstance(ttl, Mapping):
        raise InvalidInput("ttl", f"must be a mapping such as {{'default_ttl': 60}} (minutes), not {ttl!r}")
    given = cast("Mapping[str, object]", ttl)
    if unknown := [name for name in given if name not in _TIMES]:
        raise InvalidInput("ttl", f"has no {unknown[0]!r}; there are {', '.join(_TIMES)}")
    for name in ("default_ttl", "sweep_interval_minutes"):
        if given.get(name) is not None:
            _minutes(f"ttl.{name}", given[name])
    if given.get("omit_expired") is False:
        raise InvalidInput("ttl.omit_expired", "items whose time is up are never given; leave it out")
    return cast("TTLConfig", dict(given))
