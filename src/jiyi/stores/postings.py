"""Full text in SQLite: an FTS5 table without content, whose terms carry their owner.

Each indexed token is ``<scope>:<term>``, so posting lists and document frequencies are one user's own, and the document
number is the message's seq.  The tokenizer is ``ascii``: it leaves everything beyond ASCII as it is, folds A-Z and
splits at what ``encode`` therefore escapes.  FTS5 wants to be told the terms of a document to delete it; they are kept
beside the message, without the pairs of Han characters that its text shows.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import add, itemgetter

from jiyi.stores.kept import Kept, State
from jiyi.stores.rows import SEQ_MASK, key_of
from jiyi.types import Indexed

_ESCAPED = re.compile("[\\x00-\\x20A-Z\\\\\\x7f\ud800-\udfff]")
_HAN = re.compile("[\u4e00-\u9fff]{2,}")  # never to be changed: what is kept is read with it
_LONGEST = 200  # characters of a term that stand in the index; longer ones end in a hash
_AFTER_ALL = "\U0010ffff"  # sorts behind every character a term continues with
_GROWTH = 1_000  # messages indexed since the last look that are added to kept lists; after more these are read anew
_WINDOW = 32_000  # bytes of a message that served as dictionary


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
    kept: list[tuple[int, int, str]] = []
    for seq in sorted(unique):
        entry = unique[seq]
        tokens = _tokens(entry.terms)
        documents.append((seq, _document(scope, tokens)))
        kept.append((key_of(scope, seq), entry.length, _keep(tokens, texts[seq])))
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
    for key, its_length, data, text in found:
        document = _document(scope, _kept(data, text))
        removed.execute(
            "INSERT INTO postings (postings, rowid, terms) VALUES ('delete', ?, ?)", (key & SEQ_MASK, document)
        )
        count, length = count + 1, length + its_length
    if count:
        db.execute(f"DELETE FROM indexed WHERE {condition}", values)
        db.execute("UPDATE scope SET documents = documents - ?, terms = terms - ? WHERE id = ?", (count, length, scope))
    return count


def seqs(db: sqlite3.Connection, scope: int) -> list[int]:
    """The messages that are in the index."""
    condition, values = _range(scope, None)
    return [key & SEQ_MASK for (key,) in db.execute(f"SELECT key FROM indexed WHERE {condition} ORDER BY key", values)]


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
    if not terms:
        return terms
    joined = "".join(terms)
    short = len(joined) <= _LONGEST or max(map(len, terms)) <= _LONGEST
    if short and not _ESCAPED.search(joined) and min(terms.values()) > 0:
        return terms
    return {encode(term): count for term, count in terms.items() if count > 0}


def _document(scope: int, tokens: Mapping[str, int]) -> str:
    """What FTS5 is told to index: every token as often as it occurs; its order means nothing to us."""
    if not tokens:
        return ""
    every = [*tokens]
    if max(tokens.values()) > 1:
        every += [token for token, count in tokens.items() if count > 1 for _ in range(count - 1)]
    return f"{scope}:" + f" {scope}:".join(every)


def _pairs(text: str | None) -> set[str]:
    """The pairs of neighbours in a text's runs of common Han characters: what most of the terms of Chinese are."""
    found: set[str] = set()
    if text and not text.isascii():
        for run in _HAN.findall(text):
            found.update(map(add, run, run[1:]))
    return found


def _keep(tokens: Mapping[str, int], text: str | None) -> str:
    """The tokens to be kept, one a line, with their count where it is not 1; ``_kept`` undoes it.

    A first line of ``+`` says that the pairs of the text belong to them; they are not written out.
    """
    pairs = _pairs(text)
    known = pairs if pairs and pairs <= tokens.keys() else ()
    lines = ["+" if known else ""]
    if max(tokens.values(), default=1) > 1:
        lines += [
            token if count == 1 else f"{token} {count}"
            for token, count in tokens.items()
            if count > 1 or token not in known
        ]
    else:
        lines += [token for token in tokens if token not in known] if known else tokens
    return "\n".join(lines)


def _kept(data: str | bytes, text: str | None) -> dict[str, int]:
    if isinstance(data, bytes):
        return _unsqueeze(data, text)
    first, *lines = data.split("\n")
    found = dict.fromkeys(_pairs(text), 1) if first else {}
    for line in lines:
        token, _, count = line.partition(" ")
        found[token] = int(count or 1)
    return found


def _unsqueeze(data: bytes, text: str | None) -> dict[str, int]:
    """What the first versions kept: compressed, with the text as dictionary."""
    dictionary = (text or " ").lower().encode()[-_WINDOW:] or b" "
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS, dictionary)
    often, *names = unpacker.decompress(data).decode().split("\n")
    found = dict.fromkeys(names, 1)
    for pair in filter(None, often.split(",")):
        at, _, count = pair.partition(":")
        found[names[int(at)]] = int(count)
    return found


# -- reading -------------------------------------------------------------------------------------------------------


def catch_up(db: sqlite3.Connection, state: State, kept: Kept) -> None:
    """Brings the kept lists to what is indexed now, or lets go of them when more happened than a little growth."""
    new = state.documents - kept.documents
    if not new:
        return
    if 0 < new <= _GROWTH and (kept.postings or kept.beginnings):
        found = db.execute(
            "SELECT i.key, i.length, i.terms, m.content FROM indexed i JOIN message m ON m.key = i.key"
            " WHERE i.key > ? AND i.key <= ? ORDER BY i.key",
            (key_of(state.key, kept.last), key_of(state.key, SEQ_MASK)),
        ).fetchall()
        if len(found) == new:
            for key, _, data, text in found:
                kept.add(key & SEQ_MASK, _kept(data, text))
                kept.fresh.pop(key & SEQ_MASK, None)
            kept.documents, kept.last = state.documents, found[-1][0] & SEQ_MASK
            return
    kept.postings.clear()
    kept.beginnings.clear()
    kept.forget_fresh(0)
    kept.documents, kept.last = state.documents, _newest(db, state)


def _newest(db: sqlite3.Connection, state: State) -> int:
    row = db.execute(
        "SELECT max(key) FROM indexed WHERE key BETWEEN ? AND ?", (key_of(state.key, 0), key_of(state.key, SEQ_MASK))
    ).fetchone()
    return (row[0] or 0) & SEQ_MASK


def occurrences(db: sqlite3.Connection, state: State, kept: Kept, term: str) -> dict[int, int]:
    """Seq -> times, of every message with the term, or with any that begins like it for ``term*``; oldest first.

    Counted here: SQLite's GROUP BY would put every occurrence into a temporary tree, three times slower.
    """
    if term.endswith("*"):
        beginning = encode(term[:-1])
        if (known := kept.beginnings.get(beginning)) is not None:
            return known
        first = f"{state.key}:{beginning}"
        found = db.execute("SELECT doc FROM posting WHERE term >= ? AND term <= ?", (first, first + _AFTER_ALL))
        counts = Counter(sorted(map(itemgetter(0), found.fetchall())))
        return kept.enlist(kept.beginnings, beginning, counts)
    token = encode(term)
    if (known := kept.postings.get(token)) is not None:
        return known
    found = db.execute("SELECT doc FROM posting WHERE term = ?", (f"{state.key}:{token}",))
    return kept.enlist(kept.postings, token, Counter(map(itemgetter(0), found.fetchall())))


def lengths(db: sqlite3.Connection, state: State, kept: Kept, seqs: Sequence[int]) -> list[int]:
    """The lengths of indexed messages."""
    column = kept.column("lengths", state.head)
    found = [column[seq] for seq in seqs]
    if found and min(found) < 0:
        condition, values = _range(state.key, [seq for seq in seqs if column[seq] < 0])
        for seq, length in db.execute(f"SELECT key & {SEQ_MASK}, length FROM indexed WHERE {condition}", values):
            column[seq] = length
        found = [column[seq] for seq in seqs]
    return found
