"""``Store.find_records`` in the reference store: the records of one scope, looked through without any index."""

from __future__ import annotations

from dataclasses import replace

from jiyi.bm25 import bm25
from jiyi.indexable import record_entry
from jiyi.stores.held import Held, instant
from jiyi.stores.held_derived import find_words
from jiyi.types import FoundRecords, Record, RecordProbe


def look_at_records(held: Held, probe: RecordProbe) -> FoundRecords:
    """``Store.find_records`` in one scope."""
    shown = [made.record for made in held.records.values()]
    there = {number: record for number, record in enumerate(shown, 1) if record.text.strip()}
    if not there:
        return FoundRecords()
    among = {number for number, record in there.items() if _matches(record, probe)}
    index = {number: record_entry(record, number) for number, record in there.items()}
    lexical = find_words(index, probe.terms, probe.postings, among)
    words = bm25(lexical, probe.terms)
    best = sorted(words, key=lambda number: (words[number], number), reverse=True)[: max(0, probe.best)]
    chosen = set(best)
    hits = {number: hit for number, hit in lexical.hits.items() if number in chosen}
    found = {number: record for number, record in there.items() if number in chosen}
    return FoundRecords(words, replace(lexical, hits=hits), records=found)


def _matches(record: Record, probe: RecordProbe) -> bool:
    if probe.kinds is not None and record.kind not in probe.kinds:
        return False
    if probe.as_of is None:
        return probe.current in (None, record.closed_at is None)
    said, moment = instant(record.said_at or record.recorded_at), instant(probe.as_of)
    return said <= moment and (record.closed_at is None or instant(record.closed_at) > moment)
