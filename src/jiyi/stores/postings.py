"""Full text in SQLite: an FTS5 table without content, whose terms carry their owner.

Each indexed token is ``<scope>:<term>``, so posting lists and document frequencies are one user's own, and the document
number is the message's seq.  The tokenizer is ``ascii``: it leaves everything beyond ASCII as it is, folds A-Z and
splits at what ``encode`` therefore escapes.  FTS5 wants to be told the terms of a document to delete it; they are kept
beside the message, compressed with the message's own words as dictionary (about a third of what plain zlib takes).
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter

from jiyi.stores.rows import SEQ_MASK, key_of
from jiyi.types import Indexed, Lexical

_ESCAPED = re.compile("[\\x00-\\x20A-Z\\\\\\x7f\ud800-\udfff]")
_LONGEST = 200  # characters of a term that stand in the index; longer ones end in a hash
_AFTER_ALL = "\U0010ffff"  # sorts behind every character a term continues with
_WINDOW = 32_000  # bytes of a message that serve as dictionary: zlib looks back no further


def encode(term: str) -> str:
    """A term as the index has it: one token for the tokenizer, the same for the same term only.

    Works character by character, so a beginning of a term gives a beginning of its code.
    """
    if _ESCAPED.search(term):
        term = _ESCAPED.sub(lambda found: f"\\{ord(found[0]):x};", term)
    if len(term) > _LONGEST:
        term = f"{term[:_LONGEST]}\\{hashlib.sha256(term.encode()).hexdigest()}"
    return term


# -- writing ---------------------------------------------------------------------------------------------------------


def put(db: sqlite3.Connection, scope: int, entries: Sequence[Indexed]) -> None:
    """Indexes messages, in place of what was indexed of them; those that are gone are left out."""
    texts = _texts(db, scope, [entry.seq for entry in entries])
    unique = {entry.seq: entry for entry in entries if entry.seq in texts}
    if not unique:
        return
    remove(db, scope, unique)
    documents: list[tuple[int, str]] = []
    kept: list[tuple[int, int, bytes]] = []
    for seq in sorted(unique):
        entry = unique[seq]
        tokens = _tokens(entry.terms)
        documents.append((seq, _document(scope, tokens)))
        kept.append((key_of(scope, seq), entry.length, _squeeze(tokens, texts[seq])))
    db.executemany("INSERT INTO postings (rowid, terms) VALUES (?, ?)", documents)
    db.executemany("INSERT INTO indexed VALUES (?, ?, ?)", kept)
    db.execute(
        "UPDATE scope SET documents = documents + ?, terms = terms + ? WHERE id = ?",
        (len(kept), sum(length for _, length, _ in kept), scope),
    )


def remove(db: sqlite3.Connection, scope: int, seqs: Iterable[int] | None = None) -> int:
    """Takes messages (all with None) out of the index while their texts are still there; returns how many were in."""
    condition, values = _range(scope, seqs)
    found = db.execute(
        "SELECT i.key, i.length, i.terms, m.content FROM indexed i JOIN message m ON m.key = i.key"
        f" WHERE i.{condition} ORDER BY i.key",
        values,
    )
    count = length = 0
    removed = db.cursor()
    for key, its_length, squeezed, text in found:
        document = _document(scope, _unsqueeze(squeezed, text))
        removed.execute(
            "INSERT INTO postings (postings, rowid, terms) VALUES ('delete', ?, ?)", (key & SEQ_MASK, document)
        )
        count, length = count + 1, length + its_length
    if count:
        db.execute(f"DELETE FROM indexed WHERE {condition}", values)
        db.execute("UPDATE scope SET documents = documents - ?, terms = terms - ? WHERE id = ?", (count, length, scope))
    return count


def _range(scope: int, seqs: Iterable[int] | None) -> tuple[str, tuple[object, ...]]:
    if seqs is None:
        return "key BETWEEN ? AND ?", (key_of(scope, 0), key_of(scope, SEQ_MASK))
    return "key IN (SELECT value FROM json_each(?))", (json.dumps([key_of(scope, seq) for seq in seqs]),)


def _texts(db: sqlite3.Connection, scope: int, seqs: Sequence[int]) -> dict[int, str | None]:
    condition, values = _range(scope, seqs)
    found = db.execute(f"SELECT key & {SEQ_MASK}, content FROM message WHERE {condition}", values)
    return dict(found.fetchall())


def _tokens(terms: Mapping[str, int]) -> Mapping[str, int]:
    """The terms encoded; nearly always that changes none of them, so all are looked at together."""
    if not terms or (
        min(terms.values()) > 0 and not _ESCAPED.search("".join(terms)) and max(map(len, terms)) <= _LONGEST
    ):
        return terms
    return {encode(term): count for term, count in terms.items() if count > 0}


def _document(scope: int, tokens: Mapping[str, int]) -> str:
    """What FTS5 is told to index: every token as often as it occurs; its order means nothing to us."""
    if not tokens:
        return ""
    again = [token for token, count in tokens.items() if count > 1 for _ in range(count - 1)]
    return f"{scope}:" + f" {scope}:".join([*tokens, *again])


def _dictionary(text: str | None) -> bytes:
    return (text or " ").lower().encode()[-_WINDOW:] or b" "


def _squeeze(tokens: Mapping[str, int], text: str | None) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_DEFAULT_STRATEGY, _dictionary(text))
    often = [f"{at}:{count}" for at, count in enumerate(tokens.values()) if count != 1]
    return packer.compress("\n".join([",".join(often), *tokens]).encode()) + packer.flush()


def _unsqueeze(data: bytes, text: str | None) -> dict[str, int]:
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS, _dictionary(text))
    often, *names = unpacker.decompress(data).decode().split("\n")
    found = dict.fromkeys(names, 1)
    for pair in filter(None, often.split(",")):
        at, _, count = pair.partition(":")
        found[names[int(at)]] = int(count)
    return found


# -- searching -------------------------------------------------------------------------------------------------------


def search(
    db: sqlite3.Connection, scope: int, terms: Sequence[str], limit: int, seqs: Sequence[int] | None = None
) -> Lexical:
    """``Store.lexical``."""
    documents, length = db.execute("SELECT documents, terms FROM scope WHERE id = ?", (scope,)).fetchone()
    prefixes = {term: _occurrences(db, scope, term) for term in terms if term.endswith("*")}
    frequency = {
        term: len(prefixes[term]) if term in prefixes else _frequency(db, scope, term) for term in terms if term
    }
    among = None if seqs is None else set(seqs)
    hits, limit = dict[int, dict[str, int]](), max(0, limit)
    for term in sorted((term for term in frequency if frequency[term]), key=lambda term: (frequency[term], term)):
        occurrences = prefixes[term] if term in prefixes else _occurrences(db, scope, term)
        if among is not None:
            occurrences = {seq: times for seq, times in occurrences.items() if seq in among}
        room = limit - len(hits)
        for seq in reversed(occurrences) if room else occurrences.keys() & hits.keys():
            if (counts := hits.get(seq)) is not None:
                counts[term] = occurrences[seq]
            elif room:
                hits[seq], room = {term: occurrences[seq]}, room - 1
    lengths = _lengths(db, scope, hits)
    found = {seq: (lengths[seq], hits[seq]) for seq in sorted(hits)}
    return Lexical(documents, length / documents if documents else 0.0, frequency, found)


def _frequency(db: sqlite3.Connection, scope: int, term: str) -> int:
    row = db.execute("SELECT doc FROM term WHERE term = ?", (f"{scope}:{encode(term)}",)).fetchone()
    return row[0] if row else 0


def _occurrences(db: sqlite3.Connection, scope: int, term: str) -> dict[int, int]:
    """Seq -> times, of every message with the term, or with any that begins like it for ``term*``; oldest first.

    Counted here: SQLite's GROUP BY would put every occurrence into a temporary tree, three times slower.
    """
    if term.endswith("*"):
        first = f"{scope}:{encode(term[:-1])}"
        found = db.execute("SELECT doc FROM posting WHERE term >= ? AND term <= ?", (first, first + _AFTER_ALL))
        return Counter(sorted(map(itemgetter(0), found.fetchall())))
    found = db.execute("SELECT doc FROM posting WHERE term = ?", (f"{scope}:{encode(term)}",))
    return Counter(map(itemgetter(0), found.fetchall()))


def _lengths(db: sqlite3.Connection, scope: int, seqs: Collection[int]) -> dict[int, int]:
    condition, values = _range(scope, seqs)
    return dict(db.execute(f"SELECT key & {SEQ_MASK}, length FROM indexed WHERE {condition}", values).fetchall())
