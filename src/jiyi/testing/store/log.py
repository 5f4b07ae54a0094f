"""The log: what goes in comes out, in order, once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from jiyi.errors import Conflict, NotFound
from jiyi.history import digest, link
from jiyi.ports import Store
from jiyi.testing.store.case import ADA, EVERYTHING, StoreCase, at, ids, many, said, statement
from jiyi.types import Filter, Message, Scope, SessionInfo


class Log(StoreCase):
    """``append``, ``messages``, ``sessions``, ``scopes``, ``salt``."""

    # -- append

    async def test_messages_get_their_place_in_the_log_and_in_the_session(self, store: Store) -> None:
        first = await self.add(store, "a", "b", session="s")
        second = await self.add(store, "c", session="other")
        third = await self.add(store, "d", session="s")
        found = [*first, *second, *third]
        assert [m.seq for m in found] == [1, 2, 3, 4]
        assert [m.position for m in found] == [1, 2, 1, 3]
        assert [m.parent_id for m in found] == [None, "a", None, "b"]
        assert [m.session_id for m in found] == ["s", "s", "other", "s"]
        assert all(m.active for m in found)
        assert await store.messages(ADA, EVERYTHING) == found

    async def test_the_store_decides_on_the_place_not_the_caller(self, store: Store) -> None:
        wrong = said("a", session_id="other", seq=7, position=9, parent_id="x", chain="x", active=False)
        (stored,) = await store.append(ADA, "s", [wrong])
        assert (stored.session_id, stored.seq, stored.position, stored.parent_id) == ("s", 1, 1, None)
        assert stored.active and stored.chain == link("", wrong.digest)

    async def test_chains_link_what_was_said_and_pass_over_the_system(self, store: Store) -> None:
        given = [said("sys", role="system"), said("a"), said("dev", role="developer"), said("b", role="assistant")]
        system, a, developer, b = await store.append(ADA, "s", given)
        assert system.chain == ""
        assert a.chain == developer.chain == link("", a.digest)
        assert b.chain == link(a.chain, b.digest)
        assert [m.position for m in (system, a, developer, b)] == [1, 2, 3, 4]
        assert b.parent_id == "dev"

    async def test_a_message_without_digest_is_given_one(self, store: Store) -> None:
        await self.add(store, "known")
        plain, system = said("a", digest=""), said("b", role="system", digest="")
        a, b = await store.append(ADA, "s", [plain, system])
        salt = await store.salt(ADA)
        assert (a.digest, b.digest) == (digest(salt, plain), digest(salt, system))
        assert a.chain == b.chain == link((await store.messages(ADA))[0].chain, a.digest)
        assert await store.append(ADA, "s", [plain]) == [a]
        with pytest.raises(Conflict):
            await store.append(ADA, "s", [said("a", "other words", digest="")])

    async def test_nothing_to_append_changes_nothing(self, store: Store) -> None:
        assert await store.append(ADA, "s", []) == []
        assert await store.scopes() == []
        assert await store.sessions(ADA) == []

    async def test_equal_words_under_different_ids_are_two_messages(self, store: Store) -> None:
        await store.append(ADA, "s", [said("a", "ok"), said("b", "ok")])
        assert await self.path(store) == ["a", "b"]

    # -- the same id again

    async def test_the_same_message_again_is_given_back_and_not_stored(self, store: Store) -> None:
        (first,) = await self.add(store, "a")
        before = await store.sessions(ADA)
        assert await self.add(store, "a", when=50) == [first]
        assert await self.path(store) == ["a"]
        assert await store.sessions(ADA) == before

    async def test_known_and_new_messages_may_be_mixed(self, store: Store) -> None:
        a, b = await self.add(store, "a", "b")
        found = await self.add(store, "x", "a", "y", "b")
        assert [m.seq for m in found] == [3, 1, 4, 2]
        assert found[1::2] == [a, b]
        assert await self.path(store) == ["a", "b", "x", "y"]

    async def test_an_id_twice_in_one_call_is_one_message(self, store: Store) -> None:
        a, again, b = await store.append(ADA, "s", [said("a"), said("a"), said("b")])
        assert a == again and (a.seq, b.seq, b.parent_id) == (1, 2, "a")

    @pytest.mark.parametrize("second", [said("a", "other words"), statement("a", "other words")])
    async def test_an_id_with_other_words_is_a_conflict_and_nothing_is_stored(
        self, store: Store, second: Message
    ) -> None:
        await self.add(store, "a")
        before = await store.messages(ADA, EVERYTHING), await store.sessions(ADA)
        for session in ("s", "new"):
            with pytest.raises(Conflict, match="'a'"):
                await store.append(ADA, session, [said("b"), second, said("c")])
        assert (await store.messages(ADA, EVERYTHING), await store.sessions(ADA)) == before
        assert [m.seq for m in await self.add(store, "c")] == [2]

    @pytest.mark.parametrize(
        ("first", "session", "second", "other"),
        [
            (said("a", "ok"), "s", said("a", "ok"), "t"),
            (said("a", "ok"), "s", said("a", "ok"), ""),
            (said("a", "ok"), "", said("a", "ok"), "s"),
            (said("a", "ok"), "s", statement("a", "ok"), ""),
            (said("a", "ok"), "s", statement("a", "ok"), "s"),
            (said("a", "ok"), "", statement("a", "ok"), ""),
            (statement("a", "ok"), "", said("a", "ok"), "s"),
            (statement("a", "ok"), "", said("a", "ok"), ""),
        ],
    )
    async def test_an_id_with_the_same_words_elsewhere_is_a_conflict(
        self, store: Store, first: Message, session: str, second: Message, other: str
    ) -> None:
        await store.append(ADA, session, [first])
        before = await store.messages(ADA, EVERYTHING), await store.sessions(ADA)
        for after in ("head", None):
            with pytest.raises(Conflict, match="'a'"):
                await store.append(ADA, other, [said("b"), second], after=after)
        assert (await store.messages(ADA, EVERYTHING), await store.sessions(ADA)) == before
        assert await store.append(ADA, session, [first]) == before[0]

    async def test_a_statement_again_is_known_whatever_session_it_is_sent_with(self, store: Store) -> None:
        (fact,) = await store.append(ADA, "s", [statement("fact")])
        assert await store.append(ADA, "t", [statement("fact")]) == [fact]
        assert await store.append(ADA, "", [statement("fact")]) == [fact]

    async def test_a_conflict_within_one_call_stores_nothing(self, store: Store) -> None:
        with pytest.raises(Conflict):
            await store.append(ADA, "s", [said("a", "one"), said("a", "two")])
        with pytest.raises(Conflict):
            await store.append(ADA, "s", [said("a", "one"), statement("a", "one")])
        assert await store.scopes() == []
        assert await store.sessions(ADA) == []

    # -- statements

    async def test_statements_stand_outside_of_sessions(self, store: Store) -> None:
        await self.add(store, "a")
        (stored,) = await store.append(ADA, "", [statement("fact", "I am vegan", category="food", pinned=True)])
        (third,) = await self.add(store, "b")
        assert (stored.session_id, stored.seq, stored.position) == ("", 2, 0)
        assert (stored.parent_id, stored.chain, stored.active) == (None, "", True)
        assert (third.seq, third.position, third.parent_id) == (3, 2, "a")
        assert [session.id for session in await store.sessions(ADA)] == ["s"]
        assert ids(await store.messages(ADA, Filter(session_id=""))) == ["fact"]
        assert await self.path(store) == ["a", "b"]

    async def test_statements_do_not_join_the_session_they_are_sent_with(self, store: Store) -> None:
        found = await store.append(ADA, "s", [said("a"), statement("fact"), said("b")])
        assert [(m.session_id, m.seq, m.position) for m in found] == [("s", 1, 1), ("", 2, 0), ("s", 3, 2)]
        assert found[2].parent_id == "a"
        await store.append(ADA, "new", [statement("fact2")])
        assert [session.id for session in await store.sessions(ADA)] == ["s"]

    # -- sessions

    async def test_sessions_tell_their_length_head_and_times(self, store: Store) -> None:
        await self.add(store, "a", when=10)
        await self.add(store, "b", "c", when=20)
        (session,) = await store.sessions(ADA)
        assert session == SessionInfo("s", "", 3, "c", at(10), at(20), {})
        assert await store.sessions(ADA, "s") == [session]

    async def test_sessions_last_updated_first_then_by_id(self, store: Store) -> None:
        for name, when in (("b", 10), ("a", 10), ("old", 5), ("new", 20), ("B", 10)):
            await self.add(store, f"in-{name}", session=name, when=when)
        assert [session.id for session in await store.sessions(ADA)] == ["new", "B", "a", "b", "old"]
        await self.add(store, "again", session="old", when=30)
        assert (await store.sessions(ADA))[0].id == "old"

    async def test_an_unknown_session_is_an_empty_list(self, store: Store) -> None:
        await self.add(store, "a")
        for name in ("", "S", "s ", "s%", "*"):
            assert await store.sessions(ADA, name) == []

    async def test_a_session_can_be_named_and_described(self, store: Store) -> None:
        await self.add(store, "a", when=1)
        changed = await store.update_session(ADA, "s", at=at(9), title="里斯本", metadata={"n": [1, {"x": None}]})
        assert changed == SessionInfo("s", "里斯本", 1, "a", at(1), at(9), {"n": [1, {"x": None}]})
        assert await store.sessions(ADA) == [changed]
        changed = await store.update_session(ADA, "s", at=at(10), metadata={})
        assert (changed.title, changed.metadata, changed.updated_at) == ("里斯本", {}, at(10))
        assert (await store.update_session(ADA, "s", at=at(11), title="")).title == ""
        assert (await self.add(store, "b"))[0].parent_id == "a"

    @pytest.mark.parametrize("session", ["", "S", "missing"])
    async def test_an_unknown_session_cannot_be_changed(self, store: Store, session: str) -> None:
        await self.add(store, "a")
        await store.append(ADA, "", [statement("fact")])
        with pytest.raises(NotFound):
            await store.update_session(ADA, session, at=at(1), title="x")
        assert [s.id for s in await store.sessions(ADA)] == ["s"]

    # -- the fields of a filter

    async def _varied(self, store: Store) -> None:
        await store.append(
            ADA,
            "s",
            [
                said("sys", role="system"),
                said("u1", created_at=at(100)),
                said("a1", role="assistant", created_at=at(200), category="food"),
                said("t1", role="tool", tool_call_id="c", created_at=at(300)),
            ],
        )
        await store.append(ADA, "r", [said("u2", created_at=at(200), category="food"), said("u3", category="Food")])
        await store.append(ADA, "", [statement("f1", created_at=at(250), category="food")])
        await store.append(ADA, "s", [said("u4", created_at=at(400))], after="u1")

    FILTERS = [
        (Filter(), "sys u1 u2 u3 f1 u4"),
        (Filter(active=None), "sys u1 a1 t1 u2 u3 f1 u4"),
        (Filter(active=False), "a1 t1"),
        (Filter(session_id="s"), "sys u1 u4"),
        (Filter(session_id="s", active=None), "sys u1 a1 t1 u4"),
        (Filter(session_id="s", active=False), "a1 t1"),
        (Filter(session_id=""), "f1"),
        (Filter(session_id="S"), ""),
        (Filter(session_id="s%"), ""),
        (Filter(ids=("u3", "u1", "nobody", "u1")), "u1 u3"),
        (Filter(ids=("a1",)), ""),
        (Filter(ids=("a1",), active=None), "a1"),
        (Filter(ids=()), ""),
        (Filter(seqs=(5, 1, 99, 5, 0, -1)), "sys u2"),
        (Filter(seqs=()), ""),
        (Filter(roles=("user",)), "u1 u2 u3 f1 u4"),
        (Filter(roles=("assistant", "tool"), active=None), "a1 t1"),
        (Filter(roles=("system", "developer")), "sys"),
        (Filter(roles=()), ""),
        (Filter(kinds=("statement",)), "f1"),
        (Filter(kinds=("message",)), "sys u1 u2 u3 u4"),
        (Filter(kinds=("message", "statement")), "sys u1 u2 u3 f1 u4"),
        (Filter(kinds=()), ""),
        (Filter(category="food"), "u2 f1"),
        (Filter(category="Food"), "u3"),
        (Filter(category=""), ""),
        (Filter(category="foo%"), ""),
        (Filter(since=at(200)), "u2 f1 u4"),
        (Filter(until=at(200)), "u1"),
        (Filter(since=at(200), until=at(250)), "u2"),
        (Filter(until=at(100)), ""),
        (Filter(after_seq=5), "u3 f1 u4"),
        (Filter(after_seq=8), ""),
        (Filter(after_seq=2**40), ""),
        (Filter(after_seq=-5), "sys u1 u2 u3 f1 u4"),
        (Filter(session_id="s", roles=("user",), since=at(150), after_seq=3), "u4"),
        (Filter(session_id="r", category="food", kinds=("message",), until=at(201)), "u2"),
        (Filter(ids=("u1", "u2", "f1"), seqs=(2, 7), kinds=("statement",)), "f1"),
        (Filter(category="food", active=None, since=at(200), until=at(250)), "a1 u2"),
    ]

    async def test_filters_one_by_one_and_together(self, store: Store) -> None:
        await self._varied(store)
        for where, expected in self.FILTERS:
            found = await store.messages(ADA, where)
            assert ids(found) == expected.split(), where
            assert await store.seqs(ADA, where) == [m.seq for m in found], where
            assert await store.seqs(Scope("Ada"), where) == []

    async def test_limits_keep_the_first_or_the_newest_in_order(self, store: Store) -> None:
        await self._varied(store)
        for where, expected in self.FILTERS:
            names = expected.split()
            for limit in (0, 1, 2, len(names), 50):
                first = await store.messages(ADA, where, limit=limit)
                newest = await store.messages(ADA, where, limit=limit, newest=True)
                assert ids(first) == names[:limit], (where, limit)
                assert ids(newest) == names[max(0, len(names) - limit) :], (where, limit)
            assert ids(await store.messages(ADA, where, newest=True)) == names

    async def test_many_ids_and_seqs_at_once(self, store: Store) -> None:
        names = [f"m{i}" for i in range(3000)]
        await store.append(ADA, "s", many(*names))
        assert ids(await store.messages(ADA, Filter(ids=tuple(reversed(names))))) == names
        assert ids(await store.messages(ADA, Filter(seqs=tuple(range(5000, 0, -1))))) == names
        assert await store.seqs(ADA, Filter(ids=tuple(reversed(names)))) == list(range(1, 3001))
        assert await store.seqs(ADA, Filter(seqs=tuple(range(5000, 0, -1)))) == list(range(1, 3001))
        assert [m.seq for m in await store.append(ADA, "s", many(*names, "new"))][-2:] == [3000, 3001]

    # -- scopes and salt

    async def test_scopes_that_hold_anything_sorted(self, store: Store) -> None:
        scopes = [Scope(u, t, a) for t in ("t2", "T1", "t1") for u in ("b", "a") for a in ("x", "default")]
        for scope in scopes:
            await self.add(store, "m", scope=scope)
        expected = sorted(scopes, key=lambda scope: (scope.tenant, scope.user, scope.agent))
        assert await store.scopes() == expected
        assert await store.scopes("t1") == [scope for scope in expected if scope.tenant == "t1"]
        for nobody in ("t", "T2", "t1%", "*", ""):
            assert await store.scopes(nobody) == []

    async def test_a_salt_is_made_once_for_each_scope(self, store: Store) -> None:
        salt = await store.salt(ADA)
        assert isinstance(salt, bytes) and len(salt) == 16
        await self.add(store, "a")
        assert await store.salt(ADA) == salt
        others = [
            Scope("bob"),
            Scope("ADA"),
            Scope("ada", "t"),
            Scope("ada", agent="x"),
        ]
        assert len({salt, *[await store.salt(scope) for scope in others]}) == 5

    async def test_asking_for_a_salt_at_once_gives_one(self, store: Store) -> None:
        assert len(set(await asyncio.gather(*(store.salt(ADA) for _ in range(20))))) == 1

    async def test_a_salt_alone_is_nothing_to_hold(self, store: Store) -> None:
        await store.salt(ADA)
        assert await store.scopes() == []

    # -- many at once

    async def test_many_tasks_append_without_gap_or_repeat(self, store: Store) -> None:
        async def speak(task: int) -> None:
            for turn in range(5):
                await self.add(store, f"{task}-{turn}-a", f"{task}-{turn}-b")

        await asyncio.gather(*(speak(task) for task in range(20)), self.add(store, "x", session="other"))
        path = await store.messages(ADA, Filter(session_id="s"))
        assert [m.position for m in path] == list(range(1, 201))
        assert [m.parent_id for m in path] == [None, *ids(path)[:-1]]
        assert sorted(m.seq for m in await store.messages(ADA)) == list(range(1, 202))
        for one, other in zip(path[::2], path[1::2], strict=True):  # what was appended together stays together
            assert one.id[:-1] == other.id[:-1]
        chain = ""
        for message in path:
            chain = link(chain, message.digest)
            assert message.chain == chain

    async def test_the_same_message_from_many_tasks_is_stored_once(self, store: Store) -> None:
        found = await asyncio.gather(*(self.add(store, "a") for _ in range(20)))
        assert [m for (m,) in found] == [found[0][0]] * 20
        assert len(await store.messages(ADA, EVERYTHING)) == 1

    async def test_one_failure_among_many_harms_nobody(self, store: Store) -> None:
        await self.add(store, "a")
        wrong = store.append(ADA, "s", [said("late"), said("a", "other words")])
        good: list[Any] = [self.add(store, f"m{i}") for i in range(10)]
        results = await asyncio.gather(*good[:5], wrong, *good[5:], return_exceptions=True)
        assert [isinstance(result, Conflict) for result in results] == [False] * 5 + [True] + [False] * 5
        assert sorted(await self.path(store)) == sorted(["a", *(f"m{i}" for i in range(10))])
        assert [m.seq for m in await store.messages(ADA)] == list(range(1, 12))
