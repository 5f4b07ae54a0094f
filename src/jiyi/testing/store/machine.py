"""Random histories of operations, done to a store and to the reference side by side: both must agree on everything."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from jiyi.commands import COMMANDS
from jiyi.errors import JiyiError
from jiyi.ports import Store
from jiyi.stores.memory import MemoryStore
from jiyi.testing.store.case import (
    ADA,
    EVERYTHING,
    MEANING,
    NOTES,
    WORDS,
    StoreCase,
    at,
    entry,
    meaning,
    said,
    words,
)
from jiyi.testing.store.found import VECTORS, told
from jiyi.testing.store.index import NEAR, ROUGH, unit
from jiyi.types import (
    KINDS,
    Changes,
    Checkpoint,
    Claim,
    Dense,
    Embedded,
    Filter,
    Found,
    FoundRecords,
    Message,
    MessageKind,
    Probe,
    Record,
    RecordProbe,
    Scope,
    Step,
    Usage,
)

SCOPES = [ADA, Scope("Ada"), Scope("ada", agent="other")]
SESSIONS = ["s", "S"]
OTHERS = Step("notes:others", "1", stride=2)
STEPS = [WORDS, MEANING, NOTES, OTHERS, VECTORS]
VERSIONS = [*STEPS, replace(NOTES, version="2"), replace(NOTES, stride=3)]
NAMES = [f"m{i}" for i in range(12)]
TEXTS = ["", "red", "red blue", "blue blue 词", "re* red"]
QUERY = ["red", "blue", "词", "r*", "re*", "*", "none"]
PROBE = Probe(["x", "y*", *QUERY], "m", unit(1, 2, 3), best=20, step=WORDS)
RECORD_PROBE = RecordProbe(QUERY, "m", unit(1, 2, 3), best=2)

WHATEVER = Filter(active=None, kinds=KINDS)

Use = Callable[[Store], Awaitable[Any]]


def _message(name: str, words: str, role: str, kind: MessageKind) -> Message:
    return said(name, words, role=role, kind=kind)


def _record(  # noqa: PLR0913 - what there is to say
    name: str, text: str, sources: list[str], session: str | None, closed: bool, importance: float | None, step: Step
) -> Record:
    more: dict[str, Any] = {"importance": importance, "pinned": importance == 0, "said_at": at(len(sources))}
    more |= {"session_id": session, "closed_at": at(1) if closed else None}
    return told(name, text, *sources, strategy=step.name, links=tuple(sources[1:]), **more)


def _vectors(places: list[tuple[int, int]], values: list[int]) -> tuple[Embedded, ...]:
    pairs = zip(places, values, strict=False)
    return tuple(Embedded(seq, chunk, unit(value, 1, -2)) for (seq, chunk), value in pairs)


def _changes(  # noqa: PLR0913 - what there is to write
    cursor: int,
    put: list[Record],
    close: list[str],
    index: dict[int, str],
    places: list[tuple[int, int]],
    values: list[int],
    failed: dict[int, str],
    drop: list[str],
    stale: list[str],
) -> Changes:
    entries = tuple(entry(seq, text) for seq, text in index.items())
    gone = {"drop": tuple(drop), "stale": tuple(stale)}
    return Changes(cursor, tuple(put), dict.fromkeys(close, at(5)), entries, _vectors(places, values), failed, **gone)


scopes = st.sampled_from(SCOPES)
sessions = st.sampled_from(SESSIONS)
names = st.sampled_from(NAMES)
places = st.one_of(st.just("head"), st.none(), names)
saved = st.sampled_from(["cp", "CP", "词"])
contents = st.sampled_from(["x", "x", "x", "y"])
roles = st.sampled_from(["user", "assistant", "system"])
kinds = st.sampled_from(["message", "message", "message", "statement", "command"])
batches = st.lists(st.builds(_message, names, contents, roles, kinds), max_size=3)
seqs = st.integers(1, 12)
record_names = st.sampled_from(["r1", "r2", "r3"])
records = st.builds(
    _record,
    record_names,
    st.sampled_from(TEXTS),
    st.lists(names, max_size=3),
    st.one_of(st.none(), sessions),
    st.booleans(),
    st.sampled_from([None, 0.0, 0.5]),
    st.sampled_from([NOTES, NOTES, OTHERS]),
)
changes = st.builds(
    _changes,
    cursor=st.integers(0, 12),
    put=st.lists(records, max_size=2),
    close=st.lists(record_names, max_size=1),
    index=st.dictionaries(seqs, st.sampled_from(TEXTS), max_size=3),
    places=st.lists(st.tuples(seqs, st.integers(0, 1)), max_size=3, unique=True),
    values=st.lists(st.integers(-3, 3), min_size=3, max_size=3),
    failed=st.dictionaries(seqs, st.sampled_from(["broken", "Error: at m1"]), max_size=1),
    drop=st.lists(record_names, max_size=1),
    stale=st.lists(names, max_size=1),
)


class Side:
    """A store with the claims that were taken from it: tokens differ from store to store, all else does not."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.claims: list[Claim] = []

    async def outcome(self, use: Use) -> object:
        """What a use gives; for one that fails, the kind of error."""
        try:
            return await use(self.store)
        except JiyiError as error:
            return type(error)

    async def claim(self, steps: list[Step], now: float, scope: Scope | None) -> object:
        """Takes a lease and keeps it."""
        claim = await self.store.claim(steps, now=at(now), lease=30, scope=scope)
        if claim is not None:
            self.claims.append(claim)
        return claim and replace(claim, token=0)

    async def state(self) -> dict[object, object]:
        """Everything the store shows."""
        store, seen = self.store, dict[object, object]()
        for scope in SCOPES:
            seen |= {
                (scope, "log"): await store.messages(scope, EVERYTHING),
                (scope, "paths"): [await store.messages(scope, Filter(session_id=name)) for name in ("", *SESSIONS)],
                (scope, "sessions"): await store.sessions(scope),
                (scope, "checkpoints"): [await store.checkpoints(scope, name) for name in SESSIONS],
                (scope, "records"): await store.records(scope, current=None),
                (scope, "anew"): [await store.records(scope, current=None, maker=step.name) for step in STEPS],
                (scope, "weighty"): await store.records(scope, important=True, limit=2),
                (scope, "then"): await store.records(scope, as_of=at(1)),
                (scope, "resting"): await store.records(scope, sources=NAMES[:4], current=None),
                (scope, "linked"): await store.records(scope, links=NAMES[2:6], current=None),
                (scope, "commands"): await store.messages(scope, COMMANDS),
                (scope, "spent"): await store.spent(scope),
                (scope, "failures"): await store.failures(scope),
                (scope, "words"): await words(store, QUERY, scope=scope, limit=4),
                (scope, "chosen words"): await words(store, QUERY, scope=scope, limit=4, seqs=range(1, 12, 2)),
                (scope, "meaning"): rounded(await meaning(store, unit(1, 2, 3), scope=scope)),
                (scope, "found"): looked(await store.find(scope, PROBE)),
                (scope, "found of all"): looked(await store.find(scope, replace(PROBE, where=WHATEVER))),
                (scope, "told"): [(r.seq, r.id, r.text) for r in await store.records_after(scope, 1, limit=9)],
                (scope, "found records"): looked_at_records(await store.find_records(scope, RECORD_PROBE)),
                (scope, "cursors"): await store.cursors(scope, STEPS),
                (scope, "progress"): await store.progress(VERSIONS, scope),
                (scope, "stats"): replace(await store.stats(scope), bytes=0),
            }
        whole = replace(await store.stats(), bytes=0)
        seen["failures"] = await store.failures()
        return seen | {"scopes": await store.scopes(), "stats": whole, "models": await store.models()}


class Near(float):
    """A number that equals whatever is near enough."""

    reach = NEAR

    def __eq__(self, other: object) -> bool:
        return isinstance(other, float) and abs(float(self) - float(other)) <= self.reach

    __hash__ = float.__hash__


class Rough(Near):
    """The same for the statistics of a scan."""

    reach = ROUGH


def rounded(found: Dense) -> Dense:
    """The same, equal to whatever is near."""
    hits = {seq: Near(cosine) for seq, cosine in sorted(found.hits.items())}
    return Dense(hits, found.scanned, Rough(found.mean), Rough(found.deviation))


def looked(found: Found) -> object:
    """The same without the numbers of sessions; cosines are compared elsewhere, near ones trade places."""
    stand = found.standing
    together = [[seq for seq, session in zip(stand.seqs, stand.sessions, strict=True) if session == name]
                for name in dict.fromkeys(stand.sessions)]  # fmt: skip
    words = {seq: round(score, 9) for seq, score in sorted(found.words.items())}
    cosines = {seq: Near(cosine) for seq, cosine in sorted({**found.near, **found.dense.hits}.items())}
    rows = list(zip(stand.seqs, stand.parents, stand.sizes, strict=True))
    return words, found.lexical, sorted(found.messages.items()), rows, together, 0 in stand.sessions, cosines


def looked_at_records(found: FoundRecords) -> object:
    """The same with numbers that equal what is near."""
    cosines = {seq: Near(cosine) for seq, cosine in sorted({**found.near, **found.dense.hits}.items())}
    scanned = found.dense.scanned, Rough(found.dense.mean), Rough(found.dense.deviation)
    words = {seq: round(score, 9) for seq, score in sorted(found.words.items())}
    return words, found.lexical, scanned, cosines.keys() <= found.records.keys()


class TwoStores(RuleBasedStateMachine):
    """Does everything twice."""

    open: Callable[[Path], Awaitable[Store]]

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.directory = tempfile.TemporaryDirectory()
        self.now = 0.0
        self.model = Side(self.runner.run(MemoryStore.open()))
        self.tested = Side(self.runner.run(self._opened()))

    async def _opened(self) -> Store:
        return await type(self).open(Path(self.directory.name))

    def teardown(self) -> None:
        self.runner.run(self.tested.store.close())
        self.runner.close()
        self.directory.cleanup()

    def both(self, use: Use) -> None:
        """Uses both stores; they must say the same and look the same afterwards."""
        self.now += 10

        async def compare() -> None:
            assert await self.tested.outcome(use) == await self.model.outcome(use)
            await self._compare()

        self.runner.run(compare())

    async def _compare(self) -> None:
        found, expected = await self.tested.state(), await self.model.state()
        for what in expected:
            assert found[what] == expected[what], what

    @initialize(steps=st.lists(st.sampled_from(STEPS), unique=True))
    def start(self, steps: list[Step]) -> None:
        self.both(lambda store: store.register(steps))

    @rule(scope=scopes, session=st.one_of(sessions, st.just("")), batch=batches, after=places)
    def append(self, scope: Scope, session: str, batch: list[Any], after: str | None) -> None:
        messages = [replace(message, recorded_at=at(self.now)) for message in batch]
        self.both(lambda store: store.append(scope, session, messages, after=after))

    @rule(
        scope=scopes,
        session=sessions,
        head=st.one_of(st.none(), st.just(""), names),
        title=st.sampled_from([None, "", "t"]),
    )
    def update_session(self, scope: Scope, session: str, head: str | None, title: str | None) -> None:
        when = at(self.now)
        self.both(lambda store: store.update_session(scope, session, at=when, head=head, title=title))

    @rule(scope=scopes, session=sessions, head=st.one_of(st.none(), names), name=saved, overwrite=st.booleans())
    def put_checkpoint(self, scope: Scope, session: str, head: str | None, name: str, overwrite: bool) -> None:
        checkpoint = Checkpoint(name, session, head, created_at=at(self.now), state={"at": self.now})
        self.both(lambda store: store.put_checkpoint(scope, checkpoint, overwrite=overwrite))

    @rule(scope=scopes, session=sessions, chosen=st.lists(saved, max_size=2))
    def delete_checkpoints(self, scope: Scope, session: str, chosen: list[str]) -> None:
        self.both(lambda store: store.delete_checkpoints(scope, session, chosen))

    @rule(steps=st.lists(st.sampled_from(VERSIONS), max_size=3, unique=True))
    def register(self, steps: list[Step]) -> None:
        self.both(lambda store: store.register(steps))

    @rule(steps=st.lists(st.sampled_from(VERSIONS), min_size=1, unique=True), scope=st.one_of(st.none(), scopes))
    def claim(self, steps: list[Step], scope: Scope | None) -> None:
        self.now += 10

        async def compare() -> None:
            found, expected = [await side.claim(steps, self.now, scope) for side in (self.tested, self.model)]
            assert found == expected
            await self._compare()

        self.runner.run(compare())

    def _with_claim(self, which: int, use: Callable[[Store, Claim], Awaitable[object]]) -> None:
        """Uses a claim that was taken before; it may be long lost."""
        taken = len(self.model.claims)
        if taken:
            pairs = {id(side.store): side.claims[-1 - which % taken] for side in (self.tested, self.model)}
            self.both(lambda store: use(store, pairs[id(store)]))

    @rule(which=st.integers(0, 5), written=changes)
    def commit(self, which: int, written: Changes) -> None:
        now = at(self.now)
        self._with_claim(which, lambda store, claim: store.commit(claim, written, now=now))

    @rule(written=changes)
    def commit_the_newest(self, written: Changes) -> None:
        self.commit(0, written)

    @rule(which=st.integers(0, 5), error=st.sampled_from([None, "broken"]), wait=st.sampled_from([0, 50]))
    def release(self, which: int, error: str | None, wait: float) -> None:
        due = at(self.now + wait)
        self._with_claim(which, lambda store, claim: store.release(claim, error=error, due=due))

    @rule(scope=scopes, chosen=st.lists(record_names, max_size=3))
    def use(self, scope: Scope, chosen: list[str]) -> None:
        when = at(self.now)
        self.both(lambda store: store.use(scope, chosen, at=when))

    @rule(scope=scopes, purpose=st.sampled_from(["answer", "notes"]), day=st.integers(1, 2))
    def spend(self, scope: Scope, purpose: str, day: int) -> None:
        self.both(lambda store: store.spend(scope, purpose, date(2025, 3, day), Usage(1, 20, 3), saved=4))

    @rule(steps=st.lists(st.sampled_from(STEPS), min_size=1, max_size=1), scope=st.one_of(st.none(), scopes))
    def reset(self, steps: list[Step], scope: Scope | None) -> None:
        self.both(lambda store: store.reset(steps, scope))

    @rule(steps=st.lists(st.sampled_from(VERSIONS), min_size=1, max_size=1), scope=st.one_of(st.none(), scopes))
    def rebuild(self, steps: list[Step], scope: Scope | None) -> None:
        self.both(lambda store: store.rebuild(steps, scope))

    @rule(steps=st.lists(st.sampled_from(VERSIONS), min_size=1, max_size=2), scope=st.one_of(st.none(), scopes))
    def retry(self, steps: list[Step], scope: Scope | None) -> None:
        self.both(lambda store: store.retry(steps, scope))

    @rule(scope=scopes, ids=st.lists(names, max_size=3))
    def forget_messages(self, scope: Scope, ids: list[str]) -> None:
        self.both(lambda store: store.forget(scope, message_ids=ids))

    @rule(scope=scopes, session=sessions)
    def forget_a_session(self, scope: Scope, session: str) -> None:
        self.both(lambda store: store.forget(scope, session_id=session))

    @rule(scope=scopes)
    def forget_a_user(self, scope: Scope) -> None:
        self.both(lambda store: store.forget(scope, everything=True))


class Machine(StoreCase):
    """Compares the store with the reference.

    Attributes:
        histories, steps: how many random histories of how many operations.
    """

    histories = 15
    steps = 25

    def test_any_history_gives_what_the_reference_gives(self) -> None:
        machine = type("Stores", (TwoStores,), {"open": staticmethod(self.open)})
        run_state_machine_as_test(  # pyright: ignore[reportUnknownMemberType]
            machine,
            settings=settings(
                max_examples=self.histories,
                stateful_step_count=self.steps,
                deadline=None,
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
            ),
        )
