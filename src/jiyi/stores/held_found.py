"""The records of one scope in the reference store, by their seqs: listed, and looked through for a search."""

from __future__ import annotations

from dataclasses import replace

from jiyi.bm25 import bm25
from jiyi.indexable import record_entry
from jiyi.stores.held import Held, instant
from jiyi.stores.held_derived import find_near, find_words, nearest
from jiyi.types import FoundRecords, Record, RecordProbe


def listed(held: Held, after: int, limit: int) -> list[Record]:
    """``Store.records_after`` in one scope."""
    records = [made.record for some in (held.records, held.fresh) for made in some.values()]
    return sorted((r for r in records if r.seq > after), key=lambda record: record.seq)[: max(0, limit)]


def look_at_records(held: Held, probe: RecordProbe) -> FoundRecords:
    """``Store.find_records`` in one scope."""
    there = {made.record.seq: made.record for made in held.records.values() if made.record.seq}
    if not there:
        return FoundRecords()
    among = {seq for seq, record in there.items() if _matches(record, probe)}
    index = {seq: record_entry(there[seq]) for seq in sorted(there)}
    lexical = find_words(index, probe.terms, probe.postings, among)
    words = bm25(lexical, probe.terms)
    best = sorted(words, key=lambda seq: (words[seq], seq), reverse=True)[: max(0, probe.best)]
    cosines = find_near(held.record_vectors.get(probe.model, {}), probe.vector)
    dense = nearest(cosines, among, probe.best)
    chosen = dense.hits.keys() | set(best)
    hits = {seq: hit for seq, hit in lexical.hits.items() if seq in chosen}
    near = {seq: cosines[seq] for seq in chosen if seq in cosines and seq not in dense.hits}
    found = {seq: there[seq] for seq in sorted(chosen)}
    return FoundRecords(words, replace(lexical, hits=hits), dense, found, near)


def _matches(record: Record, probe: RecordProbe) -> bool:
    if probe.kinds is not None and record.kind not in probe.kinds:
        return False
    if probe.as_of is None:
        return probe.current in (None, record.closed_at is None)
    said, moment = instant(record.said_at or record.recorded_at), instant(probe.as_of)
    return said <= moment and (record.closed_at is None or instant(record.closed_at) > moment)
