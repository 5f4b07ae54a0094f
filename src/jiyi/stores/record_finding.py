"""``Store.find_records`` in SQLite."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from jiyi.bm25 import bm25
from jiyi.indexable import record_entry
from jiyi.stores import records, rows
from jiyi.stores.finding import best
from jiyi.stores.record_words import RecordWords, fits
from jiyi.types import FoundRecords, Record, RecordProbe, Scope


def find_records(db: sqlite3.Connection, scope: Scope, probe: RecordProbe) -> FoundRecords:
    """``Store.find_records``."""
    there = dict(enumerate((r for r in records.records(db, scope, {"current": None}) if r.text.strip()), 1))
    if not there:
        return FoundRecords()
    index = RecordWords()
    index.add(record_entry(record, number) for number, record in there.items())
    as_of = rows.micros(probe.as_of)
    among = {number for number, record in there.items() if _wanted(record, probe, as_of)}
    lexical = index.lexical(probe.terms, among, probe.postings)
    words = bm25(lexical, probe.terms)
    chosen = best(words, probe.best)
    hits = {number: hit for number, hit in lexical.hits.items() if number in chosen}
    found = {number: there[number] for number in sorted(chosen)}
    return FoundRecords(words, replace(lexical, hits=hits), records=found)


def _wanted(record: Record, probe: RecordProbe, as_of: int | None) -> bool:
    said = rows.micros(record.said_at or record.recorded_at)
    return fits(probe, as_of, record.kind, said, rows.micros(record.closed_at))
