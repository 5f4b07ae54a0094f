"""What was derived of one scope, in the reference store: written, thrown away, looked through without any index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime
from itertools import islice
from math import fsum, sqrt
from operator import mul

from jiyi.bm25 import bm25
from jiyi.errors import InvalidInput
from jiyi.indexable import (
    DENSE_STEPS,
    LEXICAL_STEP,
    RECORD_STEPS,
    follows_records,
    is_indexed,
    lexical_entry,
    occurrences,
)
from jiyi.ranking import standing
from jiyi.stores.checks import check_finite
from jiyi.stores.gaps import joined
from jiyi.stores.held import EPOCH, Cursor, Held, matches, message_seqs, record_seqs
from jiyi.stores.held_records import show_fresh, take_out, write_records
from jiyi.types import (
    Changes,
    Claim,
    Dense,
    Embedded,
    Failure,
    Found,
    Indexed,
    Lexical,
    Message,
    Probe,
    Scope,
    Step,
    Vector,
)


def advance(held: Held, cursor: Cursor, claim: Claim, changes: Changes, now: datetime) -> set[str]:
    """``Store.commit``, but for the tokens; returns the other steps that have to derive something anew.

    Raises:
        InvalidInput: as ``write``.
    """
    stale = write(held, claim, changes, anew=cursor.goal is not None)
    if claim.upto is None:
        cursor.after = changes.cursor
    else:
        cursor.gaps[0] = max(claim.after, changes.cursor), claim.upto
    cursor.gaps = joined(cursor.gaps, cursor.after)
    there = set[int]() if cursor.follows_records else set(message_seqs(held))
    cursor.failed = {seq: why for seq, why in cursor.failed.items() if not claim.after < seq <= changes.cursor}
    cursor.failed |= {seq: (why, now) for seq, why in changes.failed.items() if seq in there}
    for other in held.cursors.values():
        if other.follows_records and other.due is None and other.waits(held.record_head):
            other.due = now - EPOCH
    cursor.attempts, cursor.error = 0, None
    waits = cursor.waits(held.reach(cursor))
    cursor.due = now - EPOCH if waits else None
    if cursor.goal is not None and not cursor.gaps and (cursor.after >= cursor.goal or not waits):
        stale |= show_fresh(held, claim.step.name, cursor.after)
        cursor.goal = None
    return stale


def passed_over(scope: Scope, held: Held) -> list[tuple[tuple[object, ...], Failure]]:
    """The failures of one scope, each with what it is sorted by."""
    ids = {message.seq: message.id for message in held.log.values()}
    return [
        ((scope.tenant, scope.user, scope.agent, seq, name), Failure(scope, name, ids[seq], why, at))
        for name, cursor in held.cursors.items()
        for seq, (why, at) in cursor.failed.items()
    ]


def write(held: Held, claim: Claim, changes: Changes, *, anew: bool) -> set[str]:
    """What ``Store.commit`` writes beside the cursor; ``anew`` while the step is being rebuilt.

    Returns:
        As ``advance``.

    Raises:
        InvalidInput: vectors that cannot stand beside each other; nothing is written.
    """
    there, name = set(message_seqs(held)), claim.step.name
    if follows_records(name):
        spaces, model, known = held.record_vectors, name.removeprefix(RECORD_STEPS), set(record_seqs(held))
    else:
        spaces, model, known = held.vectors, name.removeprefix(DENSE_STEPS), there
    vectors = [vector for vector in changes.vectors if vector.seq in known]
    check_finite(vectors)
    _check_size("vectors", [v.vector for v in vectors], size_of(spaces.get(model, {})))
    stale = write_records(held, claim, changes, anew=anew)
    held.index.update({e.seq: Indexed(e.seq, dict(e.terms)) for e in changes.index if e.seq in there})
    held.index = dict(sorted(held.index.items()))
    if vectors:
        spaces.setdefault(model, {}).update(_chunks_of(vectors))
    return stale


def throw_away(held: Held, step: Step) -> None:
    """Everything that a step derived."""
    take_out(held, lambda record: record.strategy == step.name)
    if step.name == LEXICAL_STEP:
        held.index.clear()
    if step.name.startswith(DENSE_STEPS):
        held.vectors.pop(step.name.removeprefix(DENSE_STEPS), None)
    if step.name.startswith(RECORD_STEPS):
        held.record_vectors.pop(step.name.removeprefix(RECORD_STEPS), None)


def look(held: Held, probe: Probe, done: int) -> Found:
    """``Store.find`` in one scope; messages behind ``done`` that are not in the index count as if they were."""
    among = {message.seq for message in held.log.values() if matches(message, probe.where)}
    index = _with_fresh(held, done)
    lexical = find_words(index, probe.terms, probe.postings, index.keys() & among)
    words = bm25(lexical, probe.terms)
    best = sorted(words, key=lambda seq: (words[seq], seq), reverse=True)[: max(0, probe.best)]
    if probe.dense is not None:
        cosines, dense = dict[int, float](), _passing(held, probe.dense, among, probe.best)
    else:
        cosines = find_near(held.vectors.get(probe.model, {}), probe.vector)
        dense = nearest(cosines, among, probe.best)
    chosen = dense.hits.keys() | set(best)
    hits = {seq: hit for seq, hit in lexical.hits.items() if seq in chosen}
    around = standing(_beside(held, chosen), {name: message.seq for name, message in held.log.items()})
    near = {seq: cosines[seq] for seq in around.seqs if seq in cosines and seq not in dense.hits}
    messages = {message.seq: message for message in held.log.values() if message.seq in chosen}
    return Found(words, replace(lexical, hits=hits), dense, messages, around, near)


def _containing(index: Mapping[int, Indexed], term: str) -> dict[int, int]:
    """Seq -> how often the message has the query term."""
    return {seq: times for seq, entry in index.items() if (times := occurrences(term, entry.terms))}


def find_words(index: Mapping[int, Indexed], terms: Sequence[str], limit: int, among: Set[int]) -> Lexical:
    """The words of ``Store.find``, with hits from ``among``."""
    found = {term: _containing(index, term) for term in terms if term}
    rarest = sorted(found, key=lambda term: (len(found[term]), term))
    ranked = dict.fromkeys(seq for term in rarest for seq in reversed(found[term]) if seq in among)
    hits = {
        seq: (index[seq].length, {term: times[seq] for term, times in found.items() if seq in times})
        for seq in sorted(islice(ranked, max(0, limit)))
    }
    length = sum(entry.length for entry in index.values())
    frequency = {term: len(times) for term, times in found.items()}
    return Lexical(len(index), length / len(index) if index else 0.0, frequency, hits)


def _with_fresh(held: Held, done: int) -> Mapping[int, Indexed]:
    """The index, with the entries of messages behind ``done`` that are not in it yet."""
    fresh = [m for m in held.log.values() if m.seq > done and m.seq not in held.index and is_indexed(m)]
    return {**held.index, **{m.seq: lexical_entry(m) for m in fresh}} if fresh else held.index


def find_near(stored: Mapping[int, Sequence[Vector]], query: Vector | None) -> dict[int, float]:
    """Seq -> cosine of the message's best chunk; nothing without a query."""
    if not stored or query is None:
        return {}
    _check_size("query", [query], size_of(stored))
    return {seq: max(fsum(map(mul, query, chunk)) for chunk in chunks) for seq, chunks in stored.items()}


def nearest(cosines: Mapping[int, float], among: Set[int], limit: int) -> Dense:
    """The best of these messages, with the statistics of all."""
    if not cosines:
        return Dense()
    mean = fsum(cosines.values()) / len(cosines)
    deviation = sqrt(fsum((cosine - mean) ** 2 for cosine in cosines.values()) / len(cosines))
    ranked = sorted(cosines.keys() & among, key=lambda seq: (-cosines[seq], seq))[: max(0, limit)]
    return Dense({seq: cosines[seq] for seq in ranked}, len(cosines), mean, deviation)


def _passing(held: Held, dense: Dense, among: Set[int], limit: int) -> Dense:
    """What an index elsewhere has found, as far as it may be found."""
    there = {message.seq for message in held.log.values() if is_indexed(message)} & among
    hits = [seq for seq in dense.hits if seq in there][: max(0, limit)]
    return replace(dense, hits={seq: dense.hits[seq] for seq in hits})


def indexed(held: Held, step: Step) -> list[int]:
    """``Store.indexed``."""
    if step.name == LEXICAL_STEP:
        return sorted(held.index)
    return sorted(held.vectors.get(step.name.removeprefix(DENSE_STEPS), ()))


def _beside(held: Held, chosen: Set[int]) -> list[Message]:
    """The chosen messages and the active ones beside them; see ``Found.standing``."""
    parents = {message.parent_id for message in held.log.values() if message.seq in chosen}
    around = {seq + step for seq in chosen for step in (-1, 0, 1)}
    return [
        m
        for m in held.log.values()
        if m.seq in chosen
        or (m.active and m.kind != "command" and is_indexed(m) and (m.seq in around or m.id in parents))
    ]


def _chunks_of(vectors: Iterable[Embedded]) -> dict[int, list[Vector]]:
    """Seq -> vectors of its chunks, in order."""
    chunks: dict[int, list[Vector]] = {}
    for entry in sorted(vectors, key=lambda entry: (entry.seq, entry.chunk)):
        chunks.setdefault(entry.seq, []).append(tuple(map(float, entry.vector)))
    return chunks


def models_of(chosen: Iterable[Held]) -> dict[str, tuple[int, int]]:
    """``Store.models`` of these scopes."""
    models: dict[str, tuple[int, int]] = {}
    for held in chosen:
        for model, stored in (*held.vectors.items(), *held.record_vectors.items()):
            size, number = models.get(model, (0, 0))
            if stored:
                models[model] = max(size, size_of(stored) or 0), number + sum(map(len, stored.values()))
    return dict(sorted(models.items()))


def size_of(stored: Mapping[int, Sequence[Vector]]) -> int | None:
    """Dimensions, None when there is no vector."""
    return len(next(iter(stored.values()))[0]) if stored else None


def _check_size(name: str, vectors: Sequence[Vector], size: int | None) -> None:
    """Raises ``InvalidInput`` unless all vectors have ``size`` dimensions; None for whatever the first one has."""
    for vector in vectors:
        size = len(vector) if size is None else size
        if len(vector) != size or not size:
            raise InvalidInput(name, f"vectors of {len(vector)} and {size} dimensions cannot stand side by side")
