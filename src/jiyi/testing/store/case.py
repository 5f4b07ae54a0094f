"""How the tests get at a store, and short ways to fill it."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from jiyi.bm25 import bm25
from jiyi.ports import Store
from jiyi.testing.clock import START
from jiyi.types import (
    Changes,
    Claim,
    Dense,
    Embedded,
    Filter,
    Indexed,
    Lexical,
    Message,
    Probe,
    Record,
    Scope,
    Source,
    Step,
    Vector,
)

ADA = Scope("ada")
BOB = Scope("bob")
WORDS = Step("lexical", "1")
MEANING = Step("dense:m", "1")
NOTES = Step("notes", "1")
EVERYTHING = Filter(active=None)
DONE = Changes(cursor=2)


def at(seconds: float) -> datetime:
    """So many seconds after the test's beginning."""
    return START + timedelta(seconds=seconds)


def said(message_id: str, content: Any = None, /, *, when: float = 0, **more: Any) -> Message:
    """A message as the engine hands it over; its text is its id when none is given.  The digest follows the text."""
    text = message_id if content is None and "tool_calls" not in more else content
    role = more.pop("role", "user")
    digest = hashlib.sha256(f"{role}:{text!r}".encode()).hexdigest()[:32]
    more.setdefault("recorded_at", at(when))
    return Message(message_id, more.pop("session_id", ""), role, text, digest=more.pop("digest", digest), **more)


def many(*message_ids: str, **more: Any) -> list[Message]:
    """Messages with these ids."""
    return [said(message_id, **more) for message_id in message_ids]


def statement(message_id: str, content: Any = None, /, **more: Any) -> Message:
    """Something that was stored outside a session."""
    return said(message_id, content, kind="statement", **more)


def record(record_id: str, *source_ids: str, when: float = 0, **more: Any) -> Record:
    """A record that rests on these messages."""
    sources = tuple(Source(name, 0, 2, name[:2]) for name in source_ids)
    fields: dict[str, Any] = {"kind": "note", "strategy": NOTES.name, "version": NOTES.version, "recorded_at": at(when)}
    return Record(record_id, text=f"text of {record_id}", sources=sources, **(fields | more))


def entry(seq: int, text: str) -> Indexed:
    """Index terms of one message: the words of a text."""
    words = text.split()
    return Indexed(seq, {word: words.count(word) for word in words})


def ids(found: Iterable[Message | Record]) -> list[str]:
    """What was found, by id."""
    return [one.id for one in found]


async def words(
    store: Store, terms: Sequence[str], *, scope: Scope = ADA, limit: int = 2000,
    seqs: Sequence[int] | None = None,
) -> Lexical:  # fmt: skip
    """Statistics of these terms, and all hits up to the limit; with ``seqs``, of these messages alone."""
    where = Filter(seqs=None if seqs is None else tuple(seqs), active=None)
    probe = Probe(terms, where=where, postings=limit, best=limit)
    found = await store.find(scope, probe)
    assert found.words == pytest.approx(bm25(found.lexical, terms))
    assert set(found.words) == set(found.lexical.hits) == set(found.messages)
    return found.lexical


async def meaning(
    store: Store, query: Vector, *, scope: Scope = ADA, model: str = "m", limit: int = 300,
    seqs: Sequence[int] | None = None,
) -> Dense:  # fmt: skip
    """The messages nearest to a vector; with ``seqs``, these messages alone, however many."""
    where = Filter(seqs=None if seqs is None else tuple(seqs), active=None)
    best = limit if seqs is None else len(seqs)
    found = await store.find(scope, Probe(model=model, vector=query, where=where, best=best))
    assert set(found.dense.hits) == set(found.messages)
    return found.dense


class StoreCase:
    """What a store's test class gives, and what the themes of the suite share.

    Attributes:
        durable: opening the same directory again finds what was stored, from another process too.
        file: what a backup must be called for ``open`` to open it, in a directory of its own.
    """

    durable = True
    file = "jiyi.db"

    async def open(self, path: Path) -> Store:
        """Opens a store of its own for this directory (which exists)."""
        raise NotImplementedError

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        """An empty store, closed after the test."""
        store = await self.open(tmp_path)
        yield store
        await store.close()

    async def add(self, store: Store, *message_ids: str, scope: Scope = ADA, session: str = "s",
                  after: str | None = "head", when: float = 0) -> list[Message]:  # fmt: skip
        """Appends messages with these ids to a session."""
        return await store.append(scope, session, many(*message_ids, when=when), after=after)

    async def claimed(
        self, store: Store, step: Step = WORDS, scope: Scope | None = None, *, now: float = 1000
    ) -> Claim:
        """A lease of a minute that must be there."""
        claim = await store.claim([step], now=at(now), lease=60, scope=scope)
        assert claim is not None
        return claim

    async def two(self, store: Store, *steps: Step) -> None:
        """Two messages, and these steps."""
        await store.register(steps or [WORDS])
        await self.add(store, "a", "b")

    async def idle(self, store: Store, *steps: Step, now: float = 1000, scope: Scope | None = None) -> bool:
        """Whether these steps have nothing to do."""
        return await store.claim(steps or [WORDS], now=at(now), lease=60, scope=scope) is None

    async def derive(self, store: Store, step: Step, scope: Scope = ADA, **changes: Any) -> None:
        """Has a step write changes; its cursor stays at 0 unless told otherwise, so that there is work again."""
        await store.register([step])
        claim = await self.claimed(store, step, scope)
        changes.setdefault("cursor", 0)
        await store.commit(claim, Changes(**changes), now=at(1000))

    async def index(self, store: Store, texts: Mapping[int, str], scope: Scope = ADA) -> None:
        """Puts words into the full-text index, by seq."""
        await self.derive(store, WORDS, scope, index=tuple(entry(seq, text) for seq, text in texts.items()))

    async def embed(
        self, store: Store, vectors: Mapping[int, Sequence[Sequence[float]]], scope: Scope = ADA, model: str = "m"
    ) -> None:
        """Stores the vectors of each message's chunks, by seq."""
        entries = [Embedded(seq, at, vector) for seq, chunks in vectors.items() for at, vector in enumerate(chunks)]
        await self.derive(store, Step(f"dense:{model}", "1"), scope, vectors=tuple(entries))

    async def note(self, store: Store, *records: Record, scope: Scope = ADA, **changes: Any) -> None:
        """Stores records."""
        await self.derive(store, NOTES, scope, put=records, **changes)

    async def path(self, store: Store, session: str = "s", scope: Scope = ADA) -> list[str]:
        """Ids on the session's active path."""
        return ids(await store.messages(scope, Filter(session_id=session)))
