"""Paths through a session: going back, going another way, coming back."""

from __future__ import annotations

import pytest

from jiyi.errors import NotFound
from jiyi.history import link
from jiyi.ports import Store
from jiyi.testing.store.case import ADA, BOB, StoreCase, at, ids, said, statement
from jiyi.types import Filter, Scope


class Branches(StoreCase):
    """``append(after=…)`` and ``update_session(head=…)``."""

    async def _left(self, store: Store) -> list[str]:
        return ids(await store.messages(ADA, Filter(session_id="s", active=False)))

    async def _everything(self, store: Store) -> tuple[object, ...]:
        return await store.messages(ADA, Filter(active=None)), await store.sessions(ADA), await store.scopes()

    async def test_going_on_after_an_earlier_message_leaves_the_rest(self, store: Store) -> None:
        a, *_ = await self.add(store, "a", "b", "c")
        x, y = await self.add(store, "x", "y", after="a")
        assert (x.seq, x.position, x.parent_id, x.chain) == (4, 2, "a", link(a.chain, x.digest))
        assert (y.seq, y.position, y.parent_id, y.active) == (5, 3, "x", True)
        assert await self.path(store) == ["a", "x", "y"]
        assert await self._left(store) == ["b", "c"]
        (session,) = await store.sessions(ADA)
        assert (session.messages, session.head_id) == (3, "y")
        assert (await self.add(store, "z"))[0].parent_id == "y"

    async def test_starting_over_from_the_very_beginning(self, store: Store) -> None:
        await self.add(store, "a", "b")
        (x,) = await self.add(store, "x", after=None)
        assert (x.position, x.parent_id, x.chain) == (1, None, link("", x.digest))
        assert await self.path(store) == ["x"]
        assert await self._left(store) == ["a", "b"]

    async def test_the_beginning_and_the_head_of_a_new_session_are_the_same(self, store: Store) -> None:
        await self.add(store, "a", session="s1", after=None)
        await self.add(store, "b", session="s2", after="head")
        assert [m.position for m in await store.messages(ADA)] == [1, 1]

    async def test_after_the_last_message_nothing_is_left(self, store: Store) -> None:
        await self.add(store, "a", "b")
        await self.add(store, "c", after="b")
        assert await self.path(store) == ["a", "b", "c"]
        assert await self._left(store) == []

    async def test_after_a_message_that_was_left_its_path_comes_back(self, store: Store) -> None:
        await self.add(store, "a", "b", "c")
        await self.add(store, "x", after="a")
        await self.add(store, "d", after="b")
        assert await self.path(store) == ["a", "b", "d"]
        assert await self._left(store) == ["c", "x"]

    async def test_a_session_with_an_id_called_head(self, store: Store) -> None:
        await self.add(store, "head", "b")
        await self.add(store, "c", after="head")  # the word, not the message
        assert await self.path(store) == ["head", "b", "c"]

    @pytest.mark.parametrize("after", ["missing", "", "A", "in-other", "fact", "bobs"])
    async def test_an_unknown_place_is_an_error_and_nothing_changes(self, store: Store, after: str) -> None:
        await self.add(store, "a")
        await self.add(store, "in-other", session="other")
        await self.add(store, "bobs", scope=BOB)
        await store.append(ADA, "", [statement("fact")])
        before = await self._everything(store)
        for session, scope in (("s", ADA), ("new", ADA), ("s", Scope("new"))):
            with pytest.raises(NotFound):
                await self.add(store, "x", session=session, scope=scope, after=after)
        assert await self._everything(store) == before

    # -- sent again

    async def test_a_branch_that_is_sent_again_changes_nothing(self, store: Store) -> None:
        await self.add(store, "a", "b")
        first = await self.add(store, "x", "y", after="a")
        assert await self.add(store, "x", "y", after="a") == first
        await self.add(store, "z")
        await self.add(store, "x", "y", after="a")
        assert await self.path(store) == ["a", "x", "y", "z"]

    @pytest.mark.parametrize("after", ["a", None])
    async def test_a_branch_sent_again_with_more_goes_on_where_it_ended(self, store: Store, after: str | None) -> None:
        await self.add(store, "a", "b")
        await self.add(store, "x", "y", after=after)
        x, y, z = await self.add(store, "x", "y", "z", after=after)
        assert (x.active, y.active, z.active, z.parent_id, z.position) == (True, True, True, "y", y.position + 1)
        assert await self.path(store) == [*([after] if after else []), "x", "y", "z"]

    async def test_what_comes_back_is_what_is_stored_then(self, store: Store) -> None:
        await self.add(store, "a", "b", "c")
        found = await self.add(store, "b", "x", "c", after="a")  # b follows a, so x follows b
        assert [(m.id, m.active, m.parent_id) for m in found] == [("b", True, "a"), ("x", True, "b"), ("c", False, "b")]
        assert await self.path(store) == ["a", "b", "x"]

    # -- moving the head

    async def test_the_head_goes_back_and_forth(self, store: Store) -> None:
        await self.add(store, "a", "b", "c", when=1)
        session = await store.update_session(ADA, "s", at=at(5), head="a")
        assert (session.messages, session.head_id, session.updated_at) == (1, "a", at(5))
        assert await self.path(store) == ["a"]
        assert await self._left(store) == ["b", "c"]
        await store.update_session(ADA, "s", at=at(6), head="c")
        assert await self.path(store) == ["a", "b", "c"]
        await store.update_session(ADA, "s", at=at(7), head="b")
        assert (await self.add(store, "d"))[0].parent_id == "b"
        assert await self.path(store) == ["a", "b", "d"]
        await store.update_session(ADA, "s", at=at(8), head="c")
        assert await self.path(store) == ["a", "b", "c"]
        assert await self._left(store) == ["d"]

    async def test_the_head_crosses_to_a_branch_of_another_beginning(self, store: Store) -> None:
        await self.add(store, "a", "b")
        await self.add(store, "x", "y", after=None)
        await store.update_session(ADA, "s", at=at(1), head="b")
        assert (await self.path(store), await self._left(store)) == (["a", "b"], ["x", "y"])

    async def test_other_sessions_keep_their_paths(self, store: Store) -> None:
        await self.add(store, "a", "b", session="s")
        await self.add(store, "p", "q", session="other")
        await self.add(store, "a", "b", session="s", scope=BOB)
        await store.update_session(ADA, "s", at=at(1), head="a")
        await self.add(store, "x", after=None)
        assert await self.path(store, "other") == ["p", "q"]
        assert await self.path(store, "s", BOB) == ["a", "b"]

    @pytest.mark.parametrize("head", ["missing", "A", "in-other", "fact", "bobs"])
    async def test_a_head_that_is_not_in_the_session_changes_nothing(self, store: Store, head: str) -> None:
        await self.add(store, "a", "b")
        await self.add(store, "in-other", session="other")
        await self.add(store, "bobs", scope=BOB)
        await store.append(ADA, "", [statement("fact")])
        before = await store.sessions(ADA)
        with pytest.raises(NotFound):
            await store.update_session(ADA, "s", at=at(9), title="new", metadata={"x": 1}, head=head)
        assert await store.sessions(ADA) == before
        assert await self.path(store) == ["a", "b"]

    async def test_stretches_of_a_path(self, store: Store) -> None:
        await self.add(store, "a", "b", "c", "d")
        await self.add(store, "p", "q", session='it\'s "other" 中')
        await self.add(store, "x", "y", after="b")
        await self.add(store, "bobs", scope=BOB)
        await store.append(ADA, "", [statement("fact")])

        async def found(*stretches: tuple[str, int, int], **more: object) -> list[str]:
            return ids(await store.messages(ADA, Filter(stretches=stretches, **more)))  # pyright: ignore[reportArgumentType]

        assert await found(("s", 2, 3)) == ["b", "x"]
        assert await found(("s", 2, 3), active=None) == ["b", "c", "x"]
        assert await found(("s", 2, 3), active=False) == ["c"]
        assert await found(("s", 4, 10**30), ('it\'s "other" 中', 1, 1), ("s", 4, 4)) == ["p", "y"]
        assert await found(("s", 1, 9), roles=("assistant",)) == []
        assert await found(("s", 3, 2), ("missing", 1, 9), ("", 0, 9), ("s", -5, 0)) == []
        assert await found() == []

    async def test_a_deep_tree(self, store: Store) -> None:
        for start in range(0, 300, 30):
            after = None if not start else f"m{start - 15}"
            await store.append(ADA, "s", [said(f"m{i}") for i in range(start, start + 30)], after=after)
        path = await store.messages(ADA, Filter(session_id="s"))
        assert [m.position for m in path] == list(range(1, len(path) + 1))
        assert [m.parent_id for m in path] == [None, *ids(path)[:-1]]
        assert len(path) + len(await self._left(store)) == 300
