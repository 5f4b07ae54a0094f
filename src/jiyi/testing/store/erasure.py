"""Forgetting: what is erased is gone from everywhere, and nothing else is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jiyi.errors import Conflict, InvalidInput
from jiyi.history import link
from jiyi.ports import Store
from jiyi.testing.store.case import (
    ADA,
    BOB,
    EVERYTHING,
    MEANING,
    WORDS,
    StoreCase,
    at,
    ids,
    meaning,
    record,
    said,
    statement,
    words,
)
from jiyi.testing.store.index import close, unit
from jiyi.types import Changes, Erased, Filter, Lexical, Progress, Scope, Stats


class Erasure(StoreCase):
    """``forget``, and ``stats`` before and after."""

    async def _two_users(self, store: Store) -> None:
        """Two users: two sessions of five messages, two statements, everything indexed, six records."""
        for scope in (ADA, BOB):
            await self.add(store, *"abcde", session="s1", scope=scope, when=1)
            await self.add(store, *"vwxyz", session="s2", scope=scope, when=2)
            await store.append(scope, "", [statement("f1"), statement("f2")])
            await self.index(store, {seq: f"all word{seq}" for seq in range(1, 13)}, scope)
            await self.embed(store, {seq: [unit(1, 0), unit(seq, 1)] for seq in range(1, 13)}, scope)
            await self.embed(store, {1: [unit(0, 0, 1)]}, scope, "other")
            await self.note(
                store,
                record("r1", "a", "b"),
                record("r2", "c"),
                record("r3", "x", session_id="s1"),
                record("r4", "x", "e"),
                record("r5", "y", "f1"),
                record("r6", "z", closed_at=at(1)),
                scope=scope,
            )

    async def _count(self, store: Store, scope: Scope = ADA) -> Stats:
        stats = await store.stats(scope)
        return replace(stats, bytes=0)

    FULL = Stats(scopes=1, sessions=2, messages=10, statements=2, records=6, indexed=12, vectors=25)

    async def test_counts(self, store: Store) -> None:
        assert await self._count(store) == Stats()
        await self._two_users(store)
        assert await self._count(store) == self.FULL == await self._count(store, BOB)
        whole = await store.stats()
        assert (whole.scopes, whole.sessions, whole.messages, whole.statements) == (2, 4, 20, 4)
        assert (whole.records, whole.indexed, whole.vectors) == (12, 24, 50)
        assert (whole.bytes > 0) == self.durable

    # -- a session

    async def test_a_session_goes_and_nothing_else(self, store: Store) -> None:
        await self._two_users(store)
        kept = await store.messages(ADA, Filter(session_id="s2")), await store.messages(ADA, Filter(session_id=""))
        assert await store.forget(ADA, session_id="s1") == Erased(5, 1, 4, 11, 5)
        assert await self.path(store, "s1") == []
        assert [session.id for session in await store.sessions(ADA)] == ["s2"]
        assert (
            await store.messages(ADA, Filter(session_id="s2")),
            await store.messages(ADA, Filter(session_id="")),
        ) == kept
        assert ids(await store.records(ADA, current=None)) == ["r5", "r6"]
        found = await words(store, ["all", "word1", "word6"])
        assert (found.documents, found.mean_length, found.frequency) == (7, 2, {"all": 7, "word1": 0, "word6": 1})
        assert (await meaning(store, [1.0, 0.0])).hits.keys() == set(range(6, 13))
        assert (await meaning(store, [1.0, 0.0], seqs=[1, 6])).hits.keys() == {6}
        assert await store.models(ADA) == {"m": (2, 14)}
        assert await self._count(store) == Stats(1, 1, 5, 2, 2, 7, 14)
        assert await self._count(store, BOB) == self.FULL

    async def test_a_session_goes_with_all_its_branches(self, store: Store) -> None:
        await self.add(store, "a", "b")
        await self.add(store, "x", after=None)
        assert await store.forget(ADA, session_id="s") == Erased(messages=3, sessions=1)
        assert await store.messages(ADA, EVERYTHING) == []
        (again,) = await self.add(store, "a")
        assert (again.seq, again.position, again.parent_id) == (4, 1, None)
        assert await self.path(store) == ["a"]

    # -- messages

    async def test_messages_go_and_the_path_closes(self, store: Store) -> None:
        await self._two_users(store)
        assert await store.forget(ADA, message_ids=["b", "d", "f1"]) == Erased(3, 0, 2, 6, 3)
        path = await store.messages(ADA, Filter(session_id="s1"))
        assert ids(path) == ["a", "c", "e"]
        assert [m.seq for m in path] == [1, 3, 5]
        assert [m.position for m in path] == [1, 2, 3]
        assert [m.parent_id for m in path] == [None, "a", "c"]
        chain = ""
        for message in path:
            chain = link(chain, message.digest)
            assert message.chain == chain
        assert ids(await store.records(ADA, current=None)) == ["r2", "r3", "r4", "r6"]
        assert (await words(store, ["all"])).documents == 9
        assert (await store.sessions(ADA, "s1"))[0].messages == 3
        assert (await self.add(store, "g", session="s1"))[0].position == 4
        assert await self._count(store, BOB) == self.FULL

    async def test_the_head_goes_back_to_what_is_left(self, store: Store) -> None:
        await self.add(store, "a", "b", "c", "d")
        await store.forget(ADA, message_ids=["d", "c"])
        assert (await store.sessions(ADA))[0].head_id == "b"
        (e,) = await self.add(store, "e")
        assert (e.parent_id, e.position, e.seq) == ("b", 3, 5)

    async def test_the_first_message_goes(self, store: Store) -> None:
        await self.add(store, "a", "b")
        await store.forget(ADA, message_ids=["a"])
        (b,) = await store.messages(ADA)
        assert (b.parent_id, b.position, b.chain) == (None, 1, link("", b.digest))

    async def test_a_session_without_messages_is_still_there(self, store: Store) -> None:
        await self.add(store, "a", "b")
        await store.update_session(ADA, "s", at=at(1), title="kept")
        assert (await store.forget(ADA, message_ids=["a", "b"])).sessions == 0
        (session,) = await store.sessions(ADA)
        assert (session.title, session.messages, session.head_id) == ("kept", 0, None)
        assert await store.scopes() == [ADA]
        (c,) = await self.add(store, "c")
        assert (c.position, c.parent_id, c.seq) == (1, None, 3)
        await store.forget(ADA, message_ids=["c"])
        assert await store.forget(ADA, session_id="s") == Erased(sessions=1)
        assert await store.scopes() == []

    async def test_children_follow_the_parent_of_what_was_erased(self, store: Store) -> None:
        await self.add(store, "a", "b", "c")
        await self.add(store, "x", "y", after="b")
        await self.add(store, "z", after="a")
        await store.forget(ADA, message_ids=["b", "a"])
        found = {m.id: m for m in await store.messages(ADA, Filter(session_id="s", active=None))}
        assert {name: (m.parent_id, m.position, m.active) for name, m in found.items()} == {
            "c": (None, 1, False), "x": (None, 1, False), "y": ("x", 2, False), "z": (None, 1, True)
        }  # fmt: skip
        assert found["y"].chain == link(found["x"].chain, found["y"].digest)
        await store.update_session(ADA, "s", at=at(1), head="y")
        assert await self.path(store) == ["x", "y"]

    async def test_a_message_off_the_path_goes(self, store: Store) -> None:
        await self.add(store, "a", "b", "c")
        await self.add(store, "x", after="a")
        assert (await store.forget(ADA, message_ids=["b"])).messages == 1
        assert await self.path(store) == ["a", "x"]
        await store.update_session(ADA, "s", at=at(1), head="c")
        assert await self.path(store) == ["a", "c"]

    async def test_system_messages_stay_out_of_the_chain(self, store: Store) -> None:
        await store.append(ADA, "s", [said("a"), said("sys", role="system"), said("b")])
        await store.forget(ADA, message_ids=["a"])
        system, b = await store.messages(ADA)
        assert (system.chain, system.position, b.chain, b.position) == ("", 1, link("", b.digest), 2)

    async def test_an_id_can_be_used_again(self, store: Store) -> None:
        await self._two_users(store)
        await store.forget(ADA, message_ids=["a"])
        (again,) = await store.append(ADA, "s1", [said("a", "other words")])
        assert (again.seq, again.parent_id, again.position) == (13, "e", 5)  # the number is not given again
        assert (await words(store, ["word1"])).hits == {}
        assert (await meaning(store, [1.0, 0.0], seqs=[1, 13])).hits == {}
        assert ids(await store.records(ADA, current=None)) == ["r2", "r3", "r4", "r5", "r6"]

    async def test_an_id_that_was_taken_again_since_is_left_alone(self, store: Store) -> None:
        await store.append(ADA, "", [statement("f1"), statement("f2")])
        await store.forget(ADA, message_ids=["f1"])
        await store.append(ADA, "", [statement("f1", "other words")])  # as 3
        assert await store.forget(ADA, message_ids=["f1", "f2"], upto=2) == Erased(messages=1)
        (left,) = await store.messages(ADA)
        assert (left.id, left.seq, left.text) == ("f1", 3, "other words")
        assert await store.forget(ADA, message_ids=["f1"], upto=3) == Erased(messages=1)

    async def test_the_newest_number_is_not_given_again(self, store: Store) -> None:
        await self.add(store, "a", "b")
        await store.forget(ADA, message_ids=["b"])
        assert (await self.add(store, "c"))[0].seq == 3

    # -- everything

    async def test_everything_of_one_user_goes(self, store: Store) -> None:
        await self._two_users(store)
        salt = await store.salt(ADA)
        assert await store.forget(ADA, everything=True) == Erased(12, 2, 6, 25, 12)
        assert await self._count(store) == Stats()
        assert await store.scopes() == [BOB]
        assert (await store.messages(ADA, EVERYTHING), await store.sessions(ADA)) == ([], [])
        assert await store.records(ADA, current=None) == []
        assert await words(store, ["all"]) == Lexical()
        assert (await meaning(store, [1.0, 0.0])).scanned == 0
        assert await store.models(ADA) == {}
        assert await store.progress([WORDS], ADA) == [Progress(WORDS, 0, 0)]
        assert await store.claim([WORDS], now=at(9999), lease=60, scope=ADA) is None
        assert await store.salt(ADA) != salt
        assert await self._count(store, BOB) == self.FULL

    async def test_a_forgotten_user_begins_anew(self, store: Store) -> None:
        await self._two_users(store)
        await store.commit(await self.claimed(store, MEANING, ADA), Changes(cursor=12), now=at(1000))
        await store.forget(ADA, everything=True)
        (a,) = await store.append(ADA, "s1", [said("a", "other words", when=2000)])
        assert (a.seq, a.position, a.parent_id) == (1, 1, None)
        assert await store.cursors(ADA, [WORDS, MEANING]) == {"lexical": 0, "dense:m": 0}
        assert (await words(store, ["word1", "all"])).hits == {}
        assert (await meaning(store, [1.0, 0.0], seqs=[1])).hits == {}
        assert (await self.claimed(store, MEANING, ADA, now=2000)).head == 1
        await self.embed(store, {1: [unit(1, 0, 0)]}, ADA, "new")
        assert await store.models(ADA) == {"new": (3, 1)}

    async def test_a_salt_is_forgotten_with_its_user(self, store: Store) -> None:
        salt = await store.salt(ADA)
        assert await store.forget(ADA, everything=True) == Erased()
        assert await store.salt(ADA) != salt

    # -- nothing to erase

    async def test_what_is_not_there_counts_nothing(self, store: Store) -> None:
        nobody = Scope("nobody")
        assert await store.forget(nobody, everything=True) == Erased()
        assert await store.forget(nobody, session_id="s1") == Erased()
        assert await store.forget(nobody, message_ids=["a"]) == Erased()
        await self._two_users(store)
        for name in ("", "S1", "s", "s%", "s_", "*", "s1 ", "f1", "a"):
            assert await store.forget(ADA, session_id=name) == Erased(), name
        for names in ([], [""], ["A"], ["%"], ["*"], ["s1"], ["missing", "a "]):
            assert await store.forget(ADA, message_ids=names) == Erased(), names
        assert await self._count(store) == self.FULL

    async def test_a_second_time_counts_nothing(self, store: Store) -> None:
        await self._two_users(store)
        await store.forget(ADA, message_ids=["a"])
        assert await store.forget(ADA, message_ids=["a"]) == Erased()
        await store.forget(ADA, session_id="s1")
        assert await store.forget(ADA, session_id="s1") == Erased()
        await store.forget(ADA, everything=True)
        assert await store.forget(ADA, everything=True) == Erased()

    async def test_known_and_unknown_and_repeated_ids(self, store: Store) -> None:
        await self._two_users(store)
        assert (await store.forget(ADA, message_ids=["a", "missing", "a", "z"])).messages == 2
        assert await self.path(store, "s2") == ["v", "w", "x", "y"]

    async def test_many_messages_at_once(self, store: Store) -> None:
        names = [f"m{i}" for i in range(3000)]
        await self.add(store, *names)
        assert (await store.forget(ADA, message_ids=names[1:])).messages == 2999
        assert await self.path(store) == ["m0"]

    @pytest.mark.parametrize(
        "wrong",
        [
            {},
            {"session_id": "s1", "everything": True},
            {"session_id": "s1", "message_ids": ["a"]},
            {"message_ids": [], "everything": True},
            {"session_id": "s1", "message_ids": ["a"], "everything": True},
        ],
    )
    async def test_not_exactly_one_thing_to_forget_is_an_error(self, store: Store, wrong: dict[str, object]) -> None:
        await self._two_users(store)
        with pytest.raises(InvalidInput):
            await store.forget(ADA, **wrong)  # type: ignore[arg-type]
        assert await self._count(store) == self.FULL

    # -- what stays behind

    async def test_rounds_of_adding_and_erasing_leave_the_indexes_as_they_were(self, store: Store) -> None:
        await self.add(store, "k2")
        await self.index(store, {1: "plays the cello"})
        await self.embed(store, {1: [unit(0, 1)]})
        before = await self._count(store), await words(store, ["aisle", "the", "ai*"])
        size = (await store.stats()).bytes
        for _ in range(15):
            (k1,) = await store.append(ADA, "s", [said("k1", "Prefers an aisle seat near the exit")])
            await self.index(store, {k1.seq: "prefers an aisle seat near the exit"})
            await self.embed(store, {k1.seq: [unit(1, 0), unit(1, 1)]})
            await self.note(store, record("r", "k1"))
            assert await store.forget(ADA, message_ids=["k1"]) == Erased(1, 0, 1, 2, 1)
        assert (await self._count(store), await words(store, ["aisle", "the", "ai*"])) == before
        assert close(await meaning(store, [1.0, 0.0]), {1: 0})
        assert (await store.stats()).bytes <= size + 128 * 1024

    async def test_errors_that_may_quote_a_message_go_with_it(self, store: Store) -> None:
        await store.register([WORDS])
        await self.add(store, "a", "b")
        await store.release(await self.claimed(store), error="cannot read 'a'", due=at(2000))
        await store.forget(ADA, message_ids=["a"])
        assert await store.progress([WORDS]) == [Progress(WORDS, 0, 1)]
        assert (await self.claimed(store, now=2000)).attempts == 1

    async def test_an_erasure_and_a_commit_at_odds(self, store: Store) -> None:
        await store.register([WORDS])
        await self.add(store, "a", "b")
        claim = await self.claimed(store)
        await store.forget(ADA, everything=True)
        with pytest.raises(Conflict):
            await store.commit(claim, Changes(cursor=2), now=at(1001))
