"""``Store.find_records`` in SQLite: words from memory, vectors from their space, inside one read transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Set
from dataclasses import replace

from jiyi.bm25 import bm25
from jiyi.indexable import RECORD_STEPS, lexical_entry
from jiyi.stores import log, records, rows, segments
from jiyi.stores.finding import best
from jiyi.stores.kept import Keeper, Kept, State
from jiyi.stores.record_words import RecordWords, Told
from jiyi.stores.scan import Scan, Scanner
from jiyi.types import Dense, FoundRecords, RecordProbe, Scope

_NOTHING = FoundRecords()
_NOBODY: frozenset[int] = frozenset()


def find_records(
    db: sqlite3.Connection, scope: Scope, probe: RecordProbe, keeper: Keeper, scanner: Scanner, erasures: int
) -> FoundRecords:
    """``Store.find_records``; ``erasures`` as ``Keeper.erasures`` gave them before the transaction."""
    state = log.state(db, scope)
    kept = keeper.at(scope, state, erasures)
    if state is None or kept is None:
        return _NOTHING
    with kept.lock:
        known = _known(db, state, kept)
        among = known.among(probe, rows.micros(probe.as_of))
        lexical = known.lexical(probe.terms, among, probe.postings)
    if not lexical.documents:
        return _NOTHING
    words = bm25(lexical, probe.terms)
    chosen = best(words, probe.best)
    dense, near = Dense(), dict[int, float]()
    scan = _scan(db, state, probe, scanner, among)
    if scan is not None:
        dense = scan.dense
        near = scan.cosines(chosen - dense.hits.keys())
        chosen |= dense.hits.keys()
    hits = {seq: hit for seq, hit in lexical.hits.items() if seq in chosen}
    found = records.by_seq(db, state.key, chosen)
    keeper.settle()
    return FoundRecords(words, replace(lexical, hits=hits), dense, found, near)


def _scan(
    db: sqlite3.Connection, state: State, probe: RecordProbe, scanner: Scanner, among: Set[int]
) -> Scan | None:  # fmt: skip
    space = None if probe.vector is None else segments.find(db, state.key, RECORD_STEPS + probe.model)
    if space is None or probe.vector is None:
        return None
    return scanner.search(db, space, probe.vector, probe.best, among, _NOBODY)


def _known(db: sqlite3.Connection, state: State, kept: Kept) -> RecordWords:
    """The records that are shown, with their words: only what is new since the last look is read in full."""
    known = kept.records
    if (known.generation, known.head) != (state.record_generation, state.record_head):
        grown = known.generation == state.record_generation and known.head < state.record_head
        found = db.execute(
            "SELECT seq, kind, coalesce(said, recorded), closed FROM record"
            " WHERE scope = ? AND seq > ? AND fresh = 0 ORDER BY seq",
            (state.key, known.head if grown else 0),
        )
        told = map(Told._make, found)
        new = known.show_more(told) if grown else known.show(told)
        known.add(map(lexical_entry, records.texts(db, state.key, new)))
        known.generation, known.head = state.record_generation, state.record_head
        kept.count_records()
    return known
