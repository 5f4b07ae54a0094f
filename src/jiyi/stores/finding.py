"""``Store.find`` in SQLite: both indexes and the candidates' messages, inside one read transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Set
from dataclasses import replace
from itertools import islice

from jiyi.indexable import DENSE_STEPS, LEXICAL_STEP, is_indexed
from jiyi.stores import filters, log, postings, segments
from jiyi.stores.kept import Keeper, Kept, State
from jiyi.stores.scan import Scan, Scanner
from jiyi.stores.wording import Wording
from jiyi.types import ACTIVE, KINDS, Dense, Filter, Found, Message, Probe, Scope, Standing, Step

_ALL = Filter(active=None)
_LEFT = Filter(active=False, kinds=KINDS)
_NONE: frozenset[int] = frozenset()
_NOTHING = Found()


def find(
    db: sqlite3.Connection, scope: Scope, probe: Probe, keeper: Keeper, scanner: Scanner, erasures: int
) -> Found:  # fmt: skip
    """``Store.find``; ``erasures`` as ``Keeper.erasures`` gave them before the transaction."""
    state = log.state(db, scope)
    kept = keeper.at(scope, state, erasures)
    if state is None or kept is None:
        return _NOTHING
    if probe.where in (ACTIVE, _ALL):
        left, commands = _left(db, kept) if probe.where.active else _NONE, _commands(db, state, kept)
        among, barred = None, left | commands if left and commands else left or commands
    else:
        among, barred = frozenset(filters.seqs(db, state.key, probe.where)), _NONE
    with kept.lock:
        postings.catch_up(db, state, kept)
        wording = Wording(db, state, kept, probe, among, barred)
    words = wording.words
    chosen = best(words, probe.best)
    scan = _scan(db, state, probe, scanner, among, barred)
    if probe.dense is not None:
        dense = _passing(db, state, kept, probe, among, barred)
    else:
        dense = _NOTHING.dense if scan is None else scan.dense
    chosen |= dense.hits.keys()
    standing = _standing(db, state, kept, chosen)
    near = {} if scan is None else scan.cosines([seq for seq in standing.seqs if seq not in dense.hits])
    messages = _messages(db, state, kept, chosen)
    keeper.settle()
    return Found(words, wording.lexical(chosen), dense, messages, standing, near)


def indexed(db: sqlite3.Connection, scope: Scope, step: Step) -> list[int]:
    """``Store.indexed``."""
    key = log.scope_key(db, scope)
    if key is None:
        return []
    if step.name == LEXICAL_STEP:
        return postings.seqs(db, key)
    space = segments.find(db, key, step.name.removeprefix(DENSE_STEPS))
    return [] if space is None else segments.seqs(db, space.id)


def best(words: Mapping[int, float], count: int) -> set[int]:
    """Those with the highest scores, of equals the newest.  A threshold first: several times faster than a heap."""
    if len(words) <= count:
        return set(words)
    if count <= 0:
        return set()
    least = sorted(words.values())[-count]
    best = {seq for seq, score in words.items() if score > least}
    equal = sorted([seq for seq, score in words.items() if score == least])
    return best.union(equal[len(best) - count :])


def _scan(
    db: sqlite3.Connection, state: State, probe: Probe, scanner: Scanner, among: Set[int] | None, barred: Set[int]
) -> Scan | None:
    given = probe.vector is None or probe.dense is not None
    space = None if given else segments.find(db, state.key, probe.model)
    if space is None or probe.vector is None:
        return None
    return scanner.search(db, space, probe.vector, probe.best, among, barred)


def _passing(
    db: sqlite3.Connection, state: State, kept: Kept, probe: Probe, among: Set[int] | None, barred: Set[int]
) -> Dense:
    """What an index elsewhere has found, without what may not be found or is not there."""
    dense = probe.dense or _NOTHING.dense
    allowed = [
        seq for seq in dense.hits if 0 < seq <= state.head and seq not in barred and (among is None or seq in among)
    ]
    hits: dict[int, float] = {}
    while allowed and len(hits) < probe.best:
        part, allowed = allowed[: probe.best], allowed[probe.best :]
        there = _messages(db, state, kept, set(part))
        hits |= {seq: dense.hits[seq] for seq in part if seq in there and is_indexed(there[seq])}
    return replace(dense, hits=dict(islice(hits.items(), probe.best)))


def _left(db: sqlite3.Connection, kept: Kept) -> frozenset[int]:
    """Messages that are not on an active path."""
    if kept.left is None:
        kept.left = frozenset(filters.seqs(db, kept.state.key, _LEFT))
    return kept.left


def _commands(db: sqlite3.Connection, state: State, kept: Kept) -> frozenset[int]:
    """The log's entries that nobody said."""
    known, to = kept.commands
    if to < state.head:
        new = filters.seqs(db, state.key, Filter(after_seq=to, active=None, kinds=("command",)))
        known = known.union(new) if new else known
        kept.commands = known, state.head
    return known


def _standing(db: sqlite3.Connection, state: State, kept: Kept, chosen: Set[int]) -> Standing:
    """The chosen messages; before and after each in the log, and the one before it in its session."""
    around = chosen | {seq + 1 for seq in chosen if seq < state.head} | {seq - 1 for seq in chosen if seq > 1}
    _place(db, state, kept, around)
    parents = kept.column("parents", state.head)
    before = {parents[seq] for seq in chosen} - around - {0}
    _place(db, state, kept, before)
    sizes, sessions, aside = kept.sizes, kept.column("sessions", state.head), kept.aside
    asks = kept.column("asks", state.head)
    seqs = sorted([seq for seq in around | before if sizes[seq] >= 0])
    if not aside.isdisjoint(seqs):
        seqs = [seq for seq in seqs if seq not in aside or seq in chosen]
    return Standing(seqs, *[[column[seq] for seq in seqs] for column in (sessions, parents, sizes, asks)])


def _place(db: sqlite3.Connection, state: State, kept: Kept, seqs: Set[int]) -> None:
    unknown = kept.unknown(seqs, state.head)
    if unknown:
        found, aside = filters.places(db, state.key, unknown)
        kept.place(unknown, found, aside, state.head)


def _messages(db: sqlite3.Connection, state: State, kept: Kept, seqs: Set[int]) -> dict[int, Message]:
    """Messages by seq, as far as they are there."""
    known = kept.messages
    found = {seq: known[seq] for seq in seqs if seq in known}
    if len(found) < len(seqs):
        missing = tuple(seq for seq in seqs if seq not in found)
        new = filters.matching(db, state.key, Filter(seqs=missing, active=None, kinds=KINDS), None, newest=False)
        kept.keep({message.seq: message for message in new})
        found |= {message.seq: message for message in new}
    return found
