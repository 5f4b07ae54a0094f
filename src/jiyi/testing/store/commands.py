"""Commands: entries of the log that nobody said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jiyi.commands import COMMANDS
from jiyi.errors import Conflict
from jiyi.ports import Store
from jiyi.testing.store.case import ADA, BOB, NOTES, WORDS, StoreCase, at, ids, record, said, statement, words
from jiyi.types import KINDS, Changes, Filter, Message, Probe, Progress, Step

ALL = Filter(kinds=KINDS, active=None)


def command(message_id: str, content: str | None = None, /, **more: Any) -> Message:
    """An order about a record."""
    more.setdefault("metadata", {"command": "pin", "record": "r1", "mark": "c0ffee"})
    return replace(said(message_id, kind="command", digest=f"digest of {message_id}", **more), content=content)


class Commands(StoreCase):
    """Messages of the kind ``command``."""

    async def mixed(self, store: Store) -> None:
        """Five entries of all kinds: a, pin, s, fix, b."""
        await self.add(store, "a")
        await store.append(ADA, "", [command("pin")])
        await store.append(ADA, "", [statement("s", "red")])
        await store.append(ADA, "s", [command("fix", "red blue")])
        await self.add(store, "b")

    async def test_they_come_only_where_they_are_asked_for(self, store: Store) -> None:
        await self.mixed(store)
        assert ids(await store.messages(ADA)) == ids(await store.messages(ADA, Filter(active=None))) == ["a", "s", "b"]
        assert ids(await store.messages(ADA, COMMANDS)) == ["pin", "fix"]
        assert ids(await store.messages(ADA, ALL)) == ["a", "pin", "s", "fix", "b"]
        assert ids(await store.messages(ADA, Filter(kinds=("statement", "command")))) == ["pin", "s", "fix"]
        assert ids(await store.messages(ADA, Filter(kinds=("message", "statement")))) == ["a", "s", "b"]
        assert await store.seqs(ADA, Filter(active=None)) == [1, 3, 5]
        assert await store.seqs(ADA, COMMANDS) == [2, 4]
        assert ids(await store.messages(ADA, Filter(ids=("pin", "a")))) == ["a"]
        assert ids(await store.messages(ADA, Filter(ids=("pin", "a"), kinds=KINDS))) == ["a", "pin"]
        assert ids(await store.messages(ADA, Filter(session_id="", kinds=KINDS))) == ["pin", "s", "fix"]
        assert await store.messages(BOB, COMMANDS) == []

    async def test_they_come_back_as_they_were_given_and_stand_in_no_session(self, store: Store) -> None:
        await self.mixed(store)
        pin, fix = await store.messages(ADA, COMMANDS)
        assert (pin.content, pin.role, pin.kind, pin.seq) == (None, "user", "command", 2)
        assert pin.metadata == {"command": "pin", "record": "r1", "mark": "c0ffee"}
        assert (fix.session_id, fix.parent_id, fix.position, fix.chain, fix.text) == ("", None, 0, "", "red blue")
        assert await self.path(store) == ["a", "b"]
        assert (await store.sessions(ADA, "s"))[0].messages == 2
        assert ids(await store.append(ADA, "", [command("pin")])) == ["pin"]
        with pytest.raises(Conflict):
            await store.append(ADA, "", [statement("pin", None, digest="digest of pin")])

    async def test_they_are_counted_for_the_log_and_for_nobody(self, store: Store) -> None:
        await store.register([WORDS])
        await self.mixed(store)
        stats = await store.stats(ADA)
        assert (stats.messages, stats.statements, stats.commands) == (2, 1, 2)
        assert (await store.stats()).commands == 2
        assert await store.progress([WORDS]) == [Progress(WORDS, 0, 5)]
        assert (await self.claimed(store)).head == 5

    async def test_a_scope_may_hold_nothing_else(self, store: Store) -> None:
        await store.append(BOB, "", [command("pin")])
        assert await store.scopes() == [BOB]
        assert (await store.stats(BOB)).messages == 0

    async def test_they_fill_strides(self, store: Store) -> None:
        twos = Step("twos", "1", stride=2)
        await store.register([twos])
        await self.add(store, "a")
        assert await self.idle(store, twos)
        await store.append(ADA, "", [command("pin")])
        claim = await self.claimed(store, twos)
        await store.commit(claim, Changes(2), now=at(1000))
        assert await store.progress([twos]) == [Progress(twos, 2, 2)]

    @pytest.mark.parametrize("indexed", [False, True])
    async def test_those_with_a_text_are_found_where_they_are_asked_for(self, store: Store, indexed: bool) -> None:
        await store.register([WORDS])
        await self.mixed(store)
        if indexed:
            await self.index(store, {3: "red", 4: "red blue"})
            await store.commit(await self.claimed(store), Changes(5), now=at(1000))
        for where, expected in [
            (Filter(), [3]),
            (Filter(active=None), [3]),
            (ALL, [3, 4]),
            (COMMANDS, [4]),
            (Filter(kinds=("statement",)), [3]),
        ]:
            found = await store.find(ADA, Probe(["red"], where=where, best=9, step=WORDS))
            assert sorted(found.words) == sorted(found.messages) == expected, where
            if indexed:
                assert found.lexical.frequency == {"red": 2}, "statistics are those of the whole index"

    async def test_their_vectors_are_compared_where_they_are_asked_for(self, store: Store) -> None:
        await self.mixed(store)
        await self.embed(store, {3: [[1.0, 0.0]], 4: [[1.0, 0.0]]})
        for where, expected in [(Filter(), [3]), (ALL, [3, 4]), (COMMANDS, [4])]:
            found = await store.find(ADA, Probe(model="m", vector=[1.0, 0.0], where=where, best=9))
            assert sorted(found.dense.hits) == expected, where

    async def test_they_lend_nothing_to_those_beside_them(self, store: Store) -> None:
        await store.register([WORDS])
        await self.mixed(store)
        found = await store.find(ADA, Probe(["red"], best=9, step=WORDS))
        assert list(found.standing.seqs) == [3]
        found = await store.find(ADA, Probe(["blue"], where=ALL, best=9, step=WORDS))
        assert list(found.standing.seqs) == [3, 4, 5]

    async def test_one_that_comes_later_is_seen(self, store: Store) -> None:
        await store.register([WORDS])
        await self.mixed(store)
        probe = Probe(["red"], best=9, step=WORDS)
        assert sorted((await store.find(ADA, probe)).words) == [3]
        await store.append(ADA, "", [command("again", "red"), statement("t", "red")])
        assert sorted((await store.find(ADA, probe)).words) == [3, 7]

    async def test_they_are_erased_like_messages(self, store: Store) -> None:
        await self.mixed(store)
        await self.index(store, {4: "red blue"})
        await self.note(store, record("r1", "fix"), record("r2", "a", "pin"))
        erased = await store.forget(ADA, message_ids=["pin", "fix"])
        assert (erased.messages, erased.indexed, erased.records) == (2, 1, 2)
        assert await store.messages(ADA, COMMANDS) == [] == await store.records(ADA)
        assert (await words(store, ["blue"])).documents == 0
        assert (await store.stats(ADA)).messages == 2
        await self.mixed(store)
        await store.forget(ADA, session_id="s")
        assert ids(await store.messages(ADA, ALL)) == ["s", "pin", "fix"]
        assert (await store.forget(ADA, everything=True)).messages == 3
        assert await store.scopes() == []

    async def test_records_may_rest_on_them(self, store: Store) -> None:
        await self.mixed(store)
        await self.note(store, record("r1", "pin", "a"))
        assert ids(await store.records(ADA, sources=["pin"])) == ["r1"]
        await store.register([NOTES])
